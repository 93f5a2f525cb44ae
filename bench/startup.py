"""What it costs to start: import heldout, heldout --help."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

from bench.timing import heading


def seconds(command: list[str], times: int = 15) -> float:
    """Median wall time of a command."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    taken = []
    for _ in range(times + 1):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=environment)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken[1:])  # the first run may write bytecode


def run() -> None:
    """Print the section."""
    heading("start-up (median of 15, whole process)")
    base = seconds([sys.executable, "-c", "import numpy"])
    print(f"  {'python -c import numpy':<40}{base * 1000:10.1f} ms")
    for name, command in (
        ("python -c import heldout", [sys.executable, "-c", "import heldout"]),
        ("heldout --help", [sys.executable, "-m", "heldout", "--help"]),
        ("heldout --version", [sys.executable, "-m", "heldout", "--version"]),
    ):
        taken = seconds(command)
        print(f"  {name:<40}{taken * 1000:10.1f} ms{taken / base:9.2f} x import numpy", flush=True)
