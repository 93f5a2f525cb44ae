"""Run all sections, or those named: ``python -m bench binary intervals``."""

from __future__ import annotations

import platform
import sys
from importlib import import_module

from bench.timing import load

SECTIONS = (
    "startup",
    "binary",
    "classes",
    "growth",
    "intervals",
    "bootstrap",
    "slices",
    "runner",
    "exact",
    "compare",
    "select",
    "audit",
    "page",
    "scale",
    "spark",
)


def main(names: list[str]) -> None:
    """Print each section."""
    import numpy

    print(f"Python {platform.python_version()}, NumPy {numpy.__version__}, {platform.platform()}")
    for name in names or SECTIONS:
        print(f"\n{name}: {load()}")
        import_module(f"bench.{name}").run()


if __name__ == "__main__":
    main(sys.argv[1:])
