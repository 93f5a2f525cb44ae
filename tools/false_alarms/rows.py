"""Tests on one test set: two models of equal quality, and two that differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import karat
from karat.comparison.compare import compare

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["row_section"]

TESTS = (
    ("accuracy", "mcnemar", "exact McNemar"),
    ("accuracy", "mcnemar-midp", "mid-p McNemar"),
    ("accuracy", "mcnemar-normal", "McNemar, normal approximation"),
    ("accuracy", "mcnemar-corrected", "McNemar, continuity corrected"),
    ("accuracy", "permutation", "paired permutation, accuracy"),
    ("f_score", "permutation", "paired permutation, F-score"),
    ("auc", "delong", "DeLong, AUC"),
    ("brier_score", "loss-t", "paired t of rows, Brier score"),
    ("accuracy", "independent", "z test as if the rows were different (refused)"),
)


def row_section(simulations: int) -> Iterator[str]:
    """A row a test: false alarms at 50 and 200 rows, power at 200."""
    yield "## One test set\n"
    yield (
        "Two models whose scores share half of their noise. No difference: both have the same "
        "signal. A difference: the second has three quarters of it (about 6 points of accuracy).\n"
    )
    yield "| test | false alarms, 50 rows | false alarms, 200 rows | power, 200 rows |"
    yield "|---|---:|---:|---:|"
    shares = [_shares(simulations, rows, weaker) for rows, weaker in SETTINGS]
    for place, (_, _, title) in enumerate(TESTS):
        yield f"| {title} | " + " | ".join(f"{100 * made[place]:.1f}" for made in shares) + " |"
    yield ""


SETTINGS = ((50, 1.0), (200, 1.0), (200, 0.75))


def _shares(simulations: int, rows: int, weaker: float) -> Any:
    rng = np.random.default_rng(rows + int(100 * weaker))
    found = np.zeros(len(TESTS))
    for _ in range(simulations):
        two = _models(rng, rows, weaker)
        for place, (measure, test, _) in enumerate(TESTS):
            made = compare(
                *two,
                measures=measure,
                test=test,
                unpaired=test == "independent",
                replicates=100,
                permutations=400,
            )
            found[place] += made[measure].p_value <= 0.05
    return found / simulations


def _models(rng: Any, rows: int, weaker: float) -> tuple[Any, Any]:
    truth = np.r_[0, 1, (rng.random(rows - 2) < 0.4).astype(int)]
    shared = rng.normal(size=rows)
    made = []
    for name, signal in (("a", 1.6), ("b", 1.6 * weaker)):
        noise = np.sqrt(0.5) * shared + np.sqrt(0.5) * rng.normal(size=rows)
        score = 1 / (1 + np.exp(-(signal * (truth - 0.5) + noise)))
        made.append(karat.from_arrays(truth, y_score=score, pos_label=1, model=name))
    return made[0], made[1]
