"""Tests after cross-validation: two learners of equal quality on data drawn anew each time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.share_tests import mcnemar
from heldout.comparison.split_tests import alpaydin_f, corrected_t, dietterich_t, plain_t

if TYPE_CHECKING:
    from collections.abc import Iterator

TITLES = (
    "corrected t, 10 folds",
    "corrected t, 10 x 10 folds",
    "Dietterich's 5x2 t",
    "Alpaydin's 5x2 F",
    "plain t, 10 folds (refused)",
    "plain t, 10 x 10 folds (refused)",
    "mid-p McNemar of pooled rows, 10 folds (on request)",
)
ROWS, FEATURES = 120, 6
NEIGHBOUR_ROWS = 100


def split_section(simulations: int) -> Iterator[str]:
    """A row a test: false alarms, and power for learners that differ."""
    yield "## Cross-validation on one data set\n"
    yield (
        f"Nearest centroids on {FEATURES} features each, {ROWS} rows. No difference: both learners "
        "see other features of equal signal. A difference: the features of the second carry half "
        "the signal.\n"
    )
    yield "| test | false alarms | power |"
    yield "|---|---:|---:|"
    none, some = _shares(simulations, 1.0), _shares(simulations, 0.5)
    for title, alarms, power in zip(TITLES, none, some, strict=True):
        yield f"| {title} | {100 * alarms:.1f} | {100 * power:.1f} |"
    yield ""


def neighbour_section(simulations: int) -> Iterator[str]:
    """A row a learner that changes with few rows: false alarms by degrees of freedom."""
    yield "## Learners that change with few rows\n"
    yield (
        f"Nearest neighbours on four features each, of equal signal, {NEIGHBOUR_ROWS} rows; no "
        "difference. The corrected t test with one degree of freedom less than splits (Nadeau and "
        f"Bengio 2003), and with at most 10 (Bouckaert 2003), as heldout has it. {simulations} "
        "simulations a line.\n"
    )
    yield "| learner | folds | measure | splits - 1 | at most 10 (default) |"
    yield "|---|---|---|---:|---:|"
    for neighbours, repeats, folds in ((7, 1, 10), (7, 10, 10), (1, 10, 10), (7, 10, 5)):
        alarms = _neighbour_alarms(simulations, neighbours, repeats, folds)
        for measure, (many, few) in zip(("accuracy", "Brier score"), alarms, strict=True):
            yield (
                f"| {neighbours}-NN | {repeats} x {folds} | {measure} | {100 * many:.1f} | "
                f"{100 * few:.1f} |"
            )
    yield ""


def _neighbour_alarms(simulations: int, neighbours: int, repeats: int, folds: int) -> Any:
    """By measure, how often the test rejects with many and with few degrees of freedom."""
    rng = np.random.default_rng([neighbours, repeats, folds])
    found = np.zeros((2, 2))
    for _ in range(simulations):
        truth = rng.permutation(np.arange(NEIGHBOUR_ROWS) % 2)
        features = rng.normal(size=(NEIGHBOUR_ROWS, 8)) + 0.4 * (2 * truth[:, None] - 1)
        gaps = np.empty((2, repeats, folds))
        orders = [_nearest(part) for part in (features[:, :4], features[:, 4:])]
        for repeat in range(repeats):
            fold = rng.permutation(np.arange(NEIGHBOUR_ROWS) % folds)
            first, second = (_share(order, truth, fold, neighbours) for order in orders)
            losses = [(p > 0.5) != truth for p in (first, second)]
            squares = [(p - truth) ** 2 for p in (first, second)]
            for measure, (one, two) in enumerate((losses, squares)):
                gaps[measure, repeat] = _gaps(one, two, fold, folds)
        for measure, table in enumerate(gaps):
            for place, of_run in enumerate((None, folds)):
                test = corrected_t(table.ravel(), 1 / (folds - 1), folds=of_run)[1]
                found[measure, place] += test.p_value <= 0.05
    return found / simulations


def _nearest(features: Any) -> Any:
    """The other rows in the order of their distance to each row."""
    away = ((features[:, None] - features) ** 2).sum(axis=2)
    np.fill_diagonal(away, np.inf)
    return np.argsort(away, axis=1)


def _share(order: Any, truth: Any, fold: Any, neighbours: int) -> Any:
    """The share of positives among the nearest rows of the other folds."""
    others = fold[order] != fold[:, None]
    used = others & (np.cumsum(others, axis=1) <= neighbours)
    return (truth[order] * used).sum(axis=1) / neighbours


def _shares(simulations: int, weaker: float) -> Any:
    rng = np.random.default_rng(int(100 * weaker))
    found = np.zeros(len(TITLES))
    for _ in range(simulations):
        truth = rng.permutation(np.arange(ROWS) % 2)
        signal = np.r_[np.full(FEATURES, 0.35), np.full(FEATURES, 0.35 * weaker)]
        features = rng.normal(size=(ROWS, 2 * FEATURES)) + signal * (2 * truth[:, None] - 1)
        parts = features[:, :FEATURES], features[:, FEATURES:]
        right = [[_right(part, truth, fold, 10) for part in parts] for fold in _folds(rng, 10, 10)]
        gaps = np.array([_gaps(a, b, fold, 10) for (a, b), fold in zip(*_kept(right), strict=True)])
        halves = [[_right(part, truth, fold, 2) for part in parts] for fold in _folds(rng, 5, 2)]
        pairs = np.array(
            [_gaps(a, b, fold, 2) for (a, b), fold in zip(*_kept(halves), strict=True)]
        )
        first, second = right[0][0][0], right[0][1][0]
        p_values = (
            corrected_t(gaps[0], 1 / 9)[1].p_value,
            corrected_t(gaps.ravel(), 1 / 9, folds=10)[1].p_value,
            dietterich_t(pairs)[1].p_value,
            alpaydin_f(pairs)[1].p_value,
            plain_t(gaps[0])[1].p_value,
            plain_t(gaps.ravel())[1].p_value,
            mcnemar(
                int((first & ~second).sum()), int((second & ~first).sum()), kind="mid-p"
            ).p_value,
        )
        found += np.array(p_values) <= 0.05
    return found / simulations


def _folds(rng: Any, repeats: int, count: int) -> list[Any]:
    return [rng.permutation(np.arange(ROWS) % count) for _ in range(repeats)]


def _kept(right: list[Any]) -> tuple[list[Any], list[Any]]:
    """Who was right where, and the folds, of each repeat."""
    return [(a[0], b[0]) for a, b in right], [a[1] for a, _ in right]


def _right(features: Any, truth: Any, fold: Any, count: int) -> tuple[Any, Any]:
    """Which rows nearest centroids of the other folds label rightly."""
    sums = np.zeros((2, count, features.shape[1]))
    sizes = np.zeros((2, count))
    np.add.at(sums, (truth, fold), features)
    np.add.at(sizes, (truth, fold), 1)
    centres = (sums.sum(axis=1, keepdims=True) - sums) / (sizes.sum(axis=1, keepdims=True) - sizes)[
        :, :, None
    ]
    away = ((features - centres[:, fold]) ** 2).sum(axis=2)
    return (away[1] < away[0]).astype(int) == truth, fold


def _gaps(first: Any, second: Any, fold: Any, count: int) -> Any:
    sizes = np.bincount(fold, minlength=count)
    gap = first.astype(float) - second
    return np.bincount(fold, weights=gap, minlength=count) / sizes
