"""How much of a class a single column tells, how surely, and how likely that is by chance."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core import special

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.core.arrays import Array, Floats, Integers
    from heldout.datasets.dataset import Feature

    Weights = Floats
    Counts = Integers


@dataclass(frozen=True, slots=True)
class Evidence:
    """Rows predicted by a column alone, those of the most frequent class, and chance.

    ``chance`` is a bound on the logarithm of the probability that a column without any
    knowledge of the classes does as well.
    """

    #: what predicts the classes; braces stand for the column
    how: str
    right: int
    base: int
    rows: int
    chance: float
    #: of what guessing leaves open, the part that is explained if all classes count alike; its
    #: lower limit, and that of the share (95%, one-sided)
    balanced: float
    balanced_low: float
    share_low: float

    @property
    def share(self) -> float:
        """Of what the most frequent class leaves open, the part that is explained."""
        rest = self.rows - self.base
        return (self.right - self.base) / rest if rest else 0.0

    def words(self, column: str = "") -> str:
        """How a column predicts the classes, and of how many rows."""
        return (
            f"{self.how.format(column)} the class in {100 * self.right / self.rows:.4g}% of "
            f"{self.rows:,} rows (the most frequent class has {100 * self.base / self.rows:.3g}%)"
        )

    @classmethod
    def of(cls, how: str, table: Counts, ways: float, right: Counts | None = None) -> Evidence:
        """What is explained by parts of the rows, each called one class.

        ``table`` counts classes (columns) of the rows that are called a class (rows), ``right``
        the rows of each class that are right (None: all that are called it), and ``ways`` is
        the logarithm of how many such parts a column could have made. By chance a table with
        these margins is as improbable as this one with at most its own probability times the
        number of such tables.
        """
        right = np.diagonal(table) if right is None else right
        totals = table.sum(axis=0)
        rows, classes = int(totals.sum()), len(totals)
        sizes = table.sum(axis=1)
        # of a table with these margins, and of how many tables there are
        chance = _log_factorials(totals) + _log_factorials(sizes)
        chance -= special.gammaln(rows + 1) + _log_factorials(table)
        ways += sum(_log_choices(size + classes - 1, classes - 1) for size in sizes.tolist())
        present = totals > 0
        count = int(present.sum())
        wrong = (totals - right)[present].astype(float)
        due = totals[present].astype(float)
        base = int(totals.max())
        share_low = 1 - upper(float(wrong.sum())) / max(rows - base, 1)
        balanced, low = 0.0, 0.0
        if count > 1:
            scale = count / (count - 1)
            mean = float((wrong / due).mean())
            above = np.array([upper(number) - number for number in wrong.tolist()])
            balanced = 1 - scale * mean
            low = 1 - scale * (mean + sqrt(float(((above / due / count) ** 2).sum())))
        return cls(how, int(right.sum()), base, rows, chance + ways, balanced, low, share_low)


def upper(count: float) -> float:
    """The upper limit (95%, one-sided) of a mean of which so many were counted (Poisson)."""
    return count + 1.64 * sqrt(count + 1) + 1.36


def _log_choices(many: int, few: int) -> float:
    """The logarithm of the number of ways to choose a few of many."""
    few = min(few, many)
    return float(
        special.gammaln(many + 1) - special.gammaln(few + 1) - special.gammaln(many - few + 1)
    )


def _log_factorials(counts: Counts) -> float:
    return float(special.gammaln(counts + 1).sum())


#: the commonest class may have so many times its due before classes are weighted alike
UNEVEN = 1.5


def class_weights(truth: Array, classes: int) -> list[Weights]:
    """All rows alike; and, where classes are unequal, all classes alike."""
    totals = np.bincount(truth, minlength=classes)
    weights = [np.ones(classes)]
    if totals.max() * np.count_nonzero(totals) > UNEVEN * len(truth):
        weights.append(totals.max() / np.maximum(totals, 1.0))
    return weights


def _counts(codes: Array, truth: Array, size: int, classes: int) -> Counts:
    """How many rows of each class (columns) have each code (rows)."""
    counts: Counts = np.bincount(codes * classes + truth, minlength=size * classes)
    return counts.reshape(size, classes)


#: share of the rows of an indicator that must be of its class
PURE = 0.98


def evidence_of_indicators(
    features: Sequence[Feature], truth: Array, classes: int
) -> tuple[Evidence, list[str]]:
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
    table = _counts(called, truth, classes, classes)
    right = np.bincount(truth[hit], minlength=classes)
    how = f"{len(names)} columns of 0 and 1, one per class, together predict"
    return Evidence.of(how, table, len(names) * log(2 * classes), right), names


def evidence_of_levels(codes: Array, truth: Array, weights: Weights, how: str) -> Evidence:
    """What levels tell of a row by its other rows; a level of one row tells nothing."""
    classes = len(weights)
    table = _counts(codes, truth, int(codes.max()) + 1, classes)
    table = table[table.sum(axis=1) > 0]
    votes = table * weights
    called = votes.argmax(axis=1)
    merged = np.zeros((classes, classes), np.int64)
    np.add.at(merged, called, table)
    # left out itself, a row is right if its class still has more votes than any other
    top = np.take_along_axis(votes, called[:, None], 1)[:, 0] - weights[called]
    others = votes.copy()
    np.put_along_axis(others, called[:, None], -1.0, axis=1)
    sure = top > others.max(axis=1)
    right = np.zeros(classes, np.int64)
    np.add.at(right, called[sure], table[sure, called[sure]])
    return Evidence.of(how, merged, len(table) * log(max(classes, 2)), right)


#: neighbours on each side that say the class of a value
NEIGHBOURS = 4
#: rows without which neighbours say nothing
FEWEST = 30
#: rows a distinct value from which on values are looked at one by one
REPEATED = 5


def evidence_of_numbers(
    values: Array, truth: Array, weights: Weights, alone: Any = None
) -> Iterator[Evidence]:
    """What cuts tell, and what the neighbours of each value tell.

    Missing values are a part of their own. ``alone``: of rows that depend on each other, one
    each, by which neighbours and repeated values are judged.
    """
    yield _by_cuts(values, truth, weights)
    if alone is not None:
        values, truth = values[alone], truth[alone]
    near = _by_neighbours(values, truth, weights)
    if near is None:
        return
    yield near
    distinct, codes = np.unique(values, return_inverse=True, equal_nan=True)
    if len(distinct) * REPEATED <= len(values):
        yield evidence_of_levels(codes, truth, weights, "{}, value by value, predicts")


def _by_cuts(values: Array, truth: Array, weights: Weights) -> Evidence:
    """As many ranges of values as classes, or of two classes one within the other: a small tree."""
    from sklearn.tree import DecisionTreeClassifier

    classes = len(weights)
    known = ~np.isnan(values)
    # ranks, since trees know numbers in 32 bits only
    ranks = np.unique(values[known], return_inverse=True)[1].astype(np.float32)[:, None]
    pieces, ranges = np.zeros(len(values), np.int64), 1
    # of so many classes each has a row or two, which tell nothing
    if len(ranks) > 2 * classes:
        tree = DecisionTreeClassifier(max_leaf_nodes=max(classes, 3), random_state=0)
        # there is a tree for each column, and to check its input would take most of the time
        tree.fit(ranks, truth[known], weights[truth[known]], check_input=False)
        ranges = tree.get_n_leaves()
        pieces[known] = 1 + tree.apply(ranks, check_input=False)
    parts = _counts(pieces, truth, int(pieces.max()) + 1, classes)
    table = np.zeros((classes, classes), np.int64)
    np.add.at(table, (parts * weights).argmax(axis=1), parts)
    count = ranges + (not known.all())
    ways = _log_choices(len(values), ranges - 1) + count * log(max(classes, 2))
    return Evidence.of("{}, cut into ranges, predicts", table, ways)


def _by_neighbours(values: Array, truth: Array, weights: Weights) -> Evidence | None:
    """The class of most neighbours in order of value; a row decides only where they are even."""
    # rows of equal value are in no order
    order = np.random.default_rng(0).permutation(len(values))
    order = order[~np.isnan(values[order])]
    rows, classes = len(order), len(weights)
    if rows < FEWEST:
        return None
    labels = truth[order[np.argsort(values[order], kind="stable")]]
    low = np.maximum(np.arange(rows) - NEIGHBOURS, 0)
    high = np.minimum(np.arange(rows) + NEIGHBOURS + 1, rows)
    most, called = np.full(rows, -1.0), np.zeros(rows, np.int64)
    for code in range(classes):
        own = labels == code
        before = np.append(0, np.cumsum(own))
        votes = weights[code] * (before[high] - before[low] - own) + 1e-6 * own
        better = votes > most
        most[better], called[better] = votes[better], code
    missing = np.bincount(truth[np.isnan(values)], minlength=classes)
    table = _counts(called, labels, classes, classes)
    table[int((missing * weights).argmax())] += missing
    cuts = int((np.diff(called) != 0).sum()) + bool(missing.any())
    ways = _log_choices(rows, cuts) + (cuts + 1) * log(max(classes, 2))
    return Evidence.of("{}, by neighbouring values, predicts", table, ways)
