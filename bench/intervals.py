"""Intervals: the full scorecard with all of them beside scikit-learn without any."""

from __future__ import annotations

from bench.binary import everything, rows, scikit_learn
from bench.timing import best_of_each, heading, line


def run(n: int = 5_000_000) -> None:
    """Print the section."""
    truth, score = rows(n)
    heading(f"every measure with its interval, {n:,} rows")
    taken = best_of_each(
        {
            "heldout": lambda: everything(truth, score, intervals=True),
            **scikit_learn(truth, score),
        },
        4,
    )
    ours = taken.pop("heldout")
    line("heldout, all measures, all default intervals", ours)
    line("scikit-learn, its eight functions, no interval", sum(taken.values()), ours)
