"""How the cost of every measure grows with the rows: n log n at most."""

from __future__ import annotations

import math
from functools import partial

from bench.binary import everything, rows
from bench.timing import best_of, heading

__all__ = ["run"]


def run(largest: int = 10_000_000) -> None:
    """Print time a row, and time a row divided by log n, from ten thousand rows up."""
    heading("growth: every measure of two classes")
    print(f"  {'rows':>12}{'ms':>12}{'ns a row':>12}{'ns / (row log2 n)':>20}")
    n = 10_000
    while n <= largest:
        truth, score = rows(n)
        seconds = best_of(partial(everything, truth, score))
        each = seconds / n * 1e9
        print(
            f"  {n:>12,}{seconds * 1000:>12.1f}{each:>12.1f}{each / math.log2(n):>20.2f}",
            flush=True,
        )
        n *= 10
