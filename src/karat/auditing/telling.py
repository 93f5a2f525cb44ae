"""How much of a class a single column tells, and how likely that is by chance."""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from karat.datasets.dataset import Feature

__all__ = ["Told", "told_by_indicators", "told_by_names", "told_by_numbers"]

#: runs of equal class along a column beyond which it does not tell several classes
MOST_RUNS = 2000
#: share of the rows of an indicator that must be of its class
PURE = 0.98


@dataclass(frozen=True, slots=True)
class Told:
    """Rows that are right by a column alone, those of the commonest class, and chance.

    ``chance`` is a bound on the logarithm of the probability that a column without any
    knowledge of the classes does as well.
    """

    how: str
    right: int
    base: int
    rows: int
    chance: float

    @property
    def share(self) -> float:
        """Of what the commonest class leaves open, the part that is told."""
        rest = self.rows - self.base
        return (self.right - self.base) / rest if rest else 0.0


def told_by_names(codes: NDArray[Any], truth: NDArray[Any], classes: int, how: str) -> Told:
    """What levels tell; many levels tell much by chance, which counts against them."""
    size = int(codes.max()) + 1
    table = np.bincount(codes * classes + truth, minlength=size * classes).reshape(size, classes)
    right = int(table.max(axis=1).sum())
    levels = int((table.sum(axis=1) > 0).sum())
    return _told(f"{how} is" if how.startswith("whether") else f"{how} are", right, table, levels)


def told_by_numbers(values: NDArray[Any], truth: NDArray[Any], classes: int) -> Told:
    """What cuts tell: a range of values a class at most; missing values are a range too."""
    known = ~np.isnan(values)
    missing = np.bincount(truth[~known], minlength=classes)
    order = np.argsort(values[known], kind="stable")
    ordered, labels = values[known][order], truth[known][order]
    runs = _runs(ordered, labels, classes)
    right = int(_best_cuts(runs, classes)) + int(missing.max())
    return _told("cut by value, it alone is", right, np.vstack([runs, missing]), classes)


def _told(how: str, right: int, table: NDArray[Any], pieces: int) -> Told:
    """The chance bound: labellings of the pieces, times ways to err, over all orders of rows."""
    totals = table.sum(axis=0)
    rows, classes = int(totals.sum()), len(totals)
    orders = lgamma(rows + 1) - sum(lgamma(count + 1) for count in totals.tolist())
    wrong = rows - right
    ways = pieces * log(max(classes, 2)) + 2 * classes
    ways += lgamma(rows + 1) - lgamma(wrong + 1) - lgamma(rows - wrong + 1)
    ways += wrong * log(max(classes, 2))
    return Told(how, right, int(totals.max()), rows, ways - orders)


def _runs(ordered: NDArray[Any], labels: NDArray[Any], classes: int) -> NDArray[np.int64]:
    """Counts of classes in runs of values with the same commonest class, in order of value."""
    if not len(labels):
        return np.zeros((1, classes), np.int64)
    place = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))
    values = int(place[-1]) + 1
    major = np.full((values, 2), -1, np.int64)
    for code in range(classes):
        counts = np.bincount(place[labels == code], minlength=values)
        better = counts > major[:, 0]
        major[better, 0], major[better, 1] = counts[better], code
    run = np.cumsum(np.append(0, major[1:, 1] != major[:-1, 1]))[place]
    size = int(run[-1]) + 1
    return np.bincount(run * classes + labels, minlength=size * classes).reshape(size, classes)


def _best_cuts(runs: NDArray[np.int64], classes: int) -> int:
    """Rows that are right if each class gets one range of values at most (pieces <= classes)."""
    if classes == 2:
        total = runs.sum(axis=0)
        before = np.vstack([[0, 0], np.cumsum(runs, axis=0)])
        after = total - before
        return int(np.maximum(before[:, 0] + after[:, 1], before[:, 1] + after[:, 0]).max())
    if len(runs) > MOST_RUNS:
        return int(runs.sum(axis=0).max())
    # best[m, c]: rows right so far with m + 1 pieces, the last of class c
    best = np.full((classes, classes), -1, np.int64)
    best[0] = 0
    for counts in runs:
        opened = np.full_like(best, -1)
        opened[1:] = best[:-1].max(axis=1)[:, None]
        best = np.where(np.maximum(best, opened) < 0, -1, np.maximum(best, opened) + counts)
    return int(best.max())


def told_by_indicators(
    features: Sequence[Feature], truth: NDArray[Any], classes: int
) -> tuple[Told, list[str]]:
    """What columns of 0 and 1 tell together if each is for one class: a class in columns."""
    totals = np.bincount(truth, minlength=classes)
    votes = np.zeros((len(truth), classes), bool)
    active = np.zeros(len(truth), np.int64)
    names: list[str] = []
    for feature in features:
        values = feature.values
        if feature.is_nominal or not np.isin(values[:100], (0, 1)).all():
            continue
        on = values == 1
        if not on.any() or not np.isin(values, (0, 1)).all():
            continue
        counts = np.bincount(truth[on], minlength=classes)
        code = int(counts.argmax())
        if counts[code] >= PURE * counts.sum() and counts[code] < len(truth):
            names.append(feature.name)
            votes[on, code] = True
            active += on
    right = int(((active == 1) & votes[np.arange(len(truth)), truth]).sum())
    made = _told("it alone is", right, totals[None, :], len(names) + classes)
    return Told("", made.right, made.base, made.rows, made.chance + len(names) * log(2)), names
