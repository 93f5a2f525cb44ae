"""Intervals: the full scorecard with all of them beside scikit-learn without any."""

from __future__ import annotations

from bench.binary import everything, rows, scikit_learn
from bench.timing import best_of, heading, line

__all__ = ["run"]


def run(n: int = 5_000_000) -> None:
    """Print the section."""
    truth, score = rows(n)
    heading(f"every measure with its interval, {n:,} rows")

    def ours() -> float:
        return best_of(lambda: everything(truth, score, intervals=True), 4)

    seconds = ours()
    total = sum(best_of(work, 1) for work in scikit_learn(truth, score).values())
    seconds = min(seconds, ours())
    line("karat, all measures, all default intervals", seconds)
    line("scikit-learn, its eight functions, no interval", total, seconds)
