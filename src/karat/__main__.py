"""``python -m karat`` is the command line."""

from __future__ import annotations

import sys

from karat.cli.main import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
