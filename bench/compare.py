"""Comparisons: paired DeLong of ten models and paired permutations on a million rows."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from bench.timing import best_of, best_of_each, heading, line

ROWS = 1_000_000
MODELS = 10
#: rows of the test of one pair beside a slower peer
PART = 100_000


def run() -> None:
    """Print times beside those of a plain NumPy and SciPy version."""
    from heldout.comparison.joint_cells import JointCells
    from heldout.core.random import generator

    rng = np.random.default_rng(1)
    truth = rng.random(ROWS) < 0.3
    scores = [truth * (0.5 + 0.05 * k) + rng.normal(size=ROWS) for k in range(MODELS)]
    heading(f"paired DeLong of {MODELS} models, {ROWS:,} rows, all {MODELS * 9 // 2} pairs")
    ours = best_of(lambda: all_pairs(truth, scores), 2)
    line("heldout", ours, ours)
    pair = best_of(lambda: peer_delong(truth, scores[0], scores[1]), 1)
    line("NumPy and SciPy, a pair at a time (one pair, times 45)", pair * 45, ours)
    once = best_of(lambda: peer_areas(truth, scores[:1]), 1)
    line("NumPy and SciPy, models ranked once (one model, times 10)", once * MODELS, ours)
    agreed = all_pairs(truth, scores[:2])[0]
    print(f"  same statistic: {abs(agreed - peer_delong(truth, scores[0], scores[1])) < 1e-8}")

    mlstatkit(truth, scores)

    heading(f"10,000 paired permutations of accuracy, {ROWS:,} rows")
    labels = [np.where(rng.random(ROWS) < share, truth, ~truth) for share in (0.85, 0.851)]
    codes = [values.astype(np.int64) for values in (truth, *labels)]

    def permuted() -> Any:
        cells = JointCells.of(*codes, classes=2)
        draws = cells.exchanged(10_000, generator(1))
        return cells.differences((_accuracy, _accuracy), draws)

    def by_rows() -> Any:
        right = [(values == truth).astype(np.int8) for values in labels]
        gap = right[0] - right[1]
        return [int((gap * rng.choice((-1, 1), ROWS)).sum()) for _ in range(5)]

    times = best_of_each({"heldout": permuted, "rows": by_rows}, 2)
    line("heldout, from counts of the joint cells", times["heldout"], times["heldout"])
    line(
        "NumPy, rows exchanged (5 permutations, times 2,000)",
        times["rows"] * 2000,
        times["heldout"],
    )

    heading("everything of two models by heldout.compare, 1,000,000 rows (accuracy, auc, log loss)")
    line("heldout", best_of(_whole(truth, scores), 1))


def all_pairs(truth: Any, scores: list[Any]) -> list[float]:
    """DeLong's statistic of each pair of models."""
    from heldout.core.threads import in_threads
    from heldout.uncertainty.influence import Influence

    areas: list[Any] = [None] * len(scores)

    def rank(model: int) -> None:
        areas[model] = Influence.of_area(truth, scores[model])

    in_threads(rank, range(len(scores)))
    gaps = [one - two for one, two in combinations(areas, 2)]
    return [gap.value / gap.spread().error for gap in gaps]


def mlstatkit(truth: Any, scores: list[Any]) -> None:
    """Print the time of MLstatkit's DeLong test of one pair, where that is installed."""
    from importlib import import_module
    from importlib.util import find_spec

    if find_spec("MLstatkit") is None:
        return
    delong_test = import_module("MLstatkit").Delong_test
    part = truth[:PART]
    first, second = (values[:PART] for values in scores[:2])
    heading(f"paired DeLong of one pair, {PART:,} rows")
    ours = best_of(lambda: all_pairs(part, [first, second]), 3)
    line("heldout", ours, ours)
    theirs = best_of(lambda: delong_test(part.astype(int), first, second), 1)
    line("MLstatkit", theirs, ours)
    mine = abs(all_pairs(part, [first, second])[0])
    other = abs(delong_test(part.astype(int), first, second)[0])
    print(f"  same statistic: {abs(mine - other) < 1e-8}")


def _whole(truth: Any, scores: list[Any]) -> Any:
    import heldout

    def work() -> Any:
        models = [
            heldout.from_arrays(truth, y_score=1 / (1 + np.exp(-s)), pos_label=True, model=str(k))
            for k, s in enumerate(scores[:2])
        ]
        return heldout.compare(*models)

    return work


def _accuracy(confusion: Any) -> Any:
    return confusion.correct / confusion.total


def peer_areas(truth: Any, scores: list[Any]) -> tuple[Any, Any]:
    """Areas and covariance as usually written: midranks of all rows and of each class."""
    from scipy.stats import rankdata

    ones, zeros = int(truth.sum()), int((~truth).sum())
    of_ones, of_zeros = [], []
    for values in scores:
        ranks = rankdata(values)
        of_ones.append((ranks[truth] - rankdata(values[truth])) / zeros)
        of_zeros.append(1 - (ranks[~truth] - rankdata(values[~truth])) / ones)
    first, second = np.cov(of_ones), np.cov(of_zeros)
    return np.mean(of_ones, axis=1), first / ones + second / zeros


def peer_delong(truth: Any, first: Any, second: Any) -> float:
    """The z statistic of one pair of models."""
    areas, covariance = peer_areas(truth, [first, second])
    spread = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    return float((areas[0] - areas[1]) / np.sqrt(spread))
