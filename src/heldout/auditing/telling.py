"""How much of a class a single column tells, how surely, and how likely that is by chance."""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Feature

__all__ = ["Told", "log_choices", "told_by_indicators", "told_of"]

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
    #: of what guessing leaves open, the part that is told if all classes count alike; its
    #: lower limit, and that of the share (95 %, one-sided)
    balanced: float = 0.0
    balanced_low: float = 0.0
    share_low: float = 0.0

    @property
    def share(self) -> float:
        """Of what the commonest class leaves open, the part that is told."""
        rest = self.rows - self.base
        return (self.right - self.base) / rest if rest else 0.0


def told_of(how: str, table: NDArray[Any], right: NDArray[Any], ways: float) -> Told:
    """What is told by parts of the rows, each called one class.

    ``table`` counts classes (columns) of the rows that are called a class (rows), ``right``
    the rows of each class that are right, and ``ways`` is the logarithm of how many such
    parts a column could have made. By chance a table with these margins is as improbable as
    this one with at most its own probability times the number of such tables.
    """
    totals = table.sum(axis=0)
    rows, classes = int(totals.sum()), len(totals)
    found = [count for count in totals.tolist() if count]
    logarithm = sum(lgamma(count + 1) for count in found) - lgamma(rows + 1)
    for part in table.tolist():
        size = sum(part)
        logarithm += lgamma(size + 1) - sum(lgamma(count + 1) for count in part)
        ways += log_choices(size + classes - 1, classes - 1)
    present = totals > 0
    count = int(present.sum())
    wrong = (totals - right)[present].astype(float)
    sizes = totals[present].astype(float)
    base = int(totals.max())
    share_low = 1 - _upper(float(wrong.sum())) / max(rows - base, 1)
    balanced, low = 0.0, 0.0
    if count > 1:
        scale = count / (count - 1)
        mean = float((wrong / sizes).mean())
        above = np.array([_upper(one) - one for one in wrong.tolist()])
        balanced = 1 - scale * mean
        low = 1 - scale * (mean + sqrt(float(((above / sizes / count) ** 2).sum())))
    return Told(how, int(right.sum()), base, rows, logarithm + ways, balanced, low, share_low)


def _upper(count: float) -> float:
    """The upper limit (95 %, one-sided) of a mean of which so many were counted (Poisson)."""
    return count + 1.64 * sqrt(count + 1) + 1.36


def log_choices(many: int, few: int) -> float:
    """The logarithm of the number of ways to choose a few of many."""
    few = min(few, many)
    return lgamma(many + 1) - lgamma(few + 1) - lgamma(many - few + 1)


def told_by_indicators(
    features: Sequence[Feature], truth: NDArray[Any], classes: int
) -> tuple[Told, list[str]]:
    """What columns of 0 and 1 tell together if each is for one class: a class in columns."""
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
    hit = (active == 1) & votes[np.arange(len(truth)), truth]
    # one class may be the one without a column; a row of several or of no columns is called 0
    called = np.where(active == 1, votes.argmax(axis=1), 0)
    table = np.bincount(called * classes + truth, minlength=classes**2).reshape(classes, -1)
    right = np.bincount(truth[hit], minlength=classes)
    return told_of("", table, right, len(names) * log(2 * classes)), names
