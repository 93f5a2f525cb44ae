"""Gaussian naive Bayes without some rows: means and variances are downdated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.learners.exact.linear_discriminant import given_priors
from heldout.learners.exact.problem import (
    FAR,
    Answer,
    Refit,
    by_log_posterior,
    refuse_other_settings,
    refuse_single_class,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.core.arrays import Array, Booleans, Floats, Integers
    from heldout.learners.exact.problem import Problem
    from heldout.learners.outcome import ScoreKind


@dataclass(frozen=True, eq=False)
class ClassColumns:
    """A line a feature, rows sorted by class: what is of a class is a slice of every line.

    A step of a computation then runs along thousands of rows at a time with one number of its
    feature and class, instead of along the few features of a row.
    """

    #: features by rows
    values: Floats
    #: the row of each column
    rows: Integers
    #: where each class begins; at last, where all end
    edges: Integers

    @classmethod
    def of(cls, X: Floats, y: Array, classes: int) -> ClassColumns:
        """The features of all rows."""
        # whole numbers of two bytes are sorted by counting
        short = y.astype(np.uint16) if classes <= 1 << 16 else y
        order = np.argsort(short, kind="stable")
        edges = np.concatenate([[0], np.cumsum(np.bincount(y, minlength=classes))])
        return cls(np.ascontiguousarray(X[order].T), order, edges)

    @cached_property
    def places(self) -> Integers:
        """The column of each row."""
        places = np.empty(len(self.rows), dtype=np.int64)
        places[self.rows] = np.arange(len(self.rows))
        return places

    def only(self, rows: Integers) -> ClassColumns:
        """Some rows alone, which are numbered as they are given."""
        if len(rows) == len(self.rows) and bool((np.diff(rows) == 1).all()):
            return self
        places = self.places[rows]
        order = np.argsort(places, kind="stable")
        places = places[order]
        values = np.take(self.values, places, axis=1)
        return ClassColumns(values, order, np.searchsorted(places, self.edges))

    def classes(self) -> Iterator[tuple[int, slice]]:
        """Each class that has rows, and its columns."""
        edges = self.edges.tolist()
        for index, (start, stop) in enumerate(pairwise(edges)):
            if stop > start:
                yield index, slice(start, stop)


#: share of a variance that must be left for its downdate to keep its digits
LEAST_SHARE = 1e-3
#: change of a variance, relative to it, whose square does not show
SMALL_CHANGE = 1e-7
#: a product of numbers whose logarithms sum up to this, whatever their signs, is a float
LOG_RANGE = 600.0


def gaussian_bayes(estimator: Any, problem: Problem) -> GaussianBayes:
    """The exact path of GaussianNB."""
    refuse_other_settings(estimator, "priors var_smoothing")
    priors = given_priors(estimator.priors, problem.classes)
    refuse_single_class(problem)
    if problem.is_constant.all():
        raise Refit("all features are constant")
    smoothing = estimator.var_smoothing
    if isinstance(smoothing, bool) or not isinstance(smoothing, Real) or float(smoothing) < 0:
        raise Refit(f"GaussianNB has var_smoothing={smoothing!r}")
    learner = GaussianBayes(problem, priors, float(smoothing))
    spread = learner.variances + learner.smoothed(learner.variance)
    reach = learner.far if problem.is_scaled else learner.reach
    # a variance of nothing but rounding is 0 to the estimator
    if not (spread > (1e-12 * reach) ** 2).all():
        raise Refit(
            "a feature is constant within a class and next to nothing is added to its variance"
        )
    # the mean of values that are all the same is off by no more than their own rounding, and
    # where those are the values of all classes only the square of that shows
    size = np.where(learner.is_same, learner.sizes, reach)
    share = np.where(problem.is_constant, 1e-6, 2e-9)
    rounding = np.finfo(np.float64).eps * np.sqrt(len(problem.X))
    if (rounding * size > share * np.sqrt(spread)).any():
        raise Refit(FAR)
    return learner


class GaussianBayes:
    """Means and variances of each class, and of all rows, whose largest one is added."""

    score_kind: ScoreKind = "probability"
    least = 1

    def __init__(self, problem: Problem, priors: Floats | None, smoothing: float) -> None:
        self.name = "Gaussian naive Bayes: updated sums"
        self.problem, self.priors, self.smoothing = problem, priors, smoothing
        self.width = 6 * problem.X.shape[1] + 4 * problem.classes
        self.columns = ClassColumns.of(problem.X, problem.y, problem.classes)
        centred = self.columns.values
        self.centre = centred.mean(axis=1)
        centred -= self.centre[:, np.newaxis]
        low, high = centred.min(axis=1), centred.max(axis=1)
        #: the largest distance of each feature from its mean, and from 0
        self.far = np.maximum(high, -low)
        self.reach = np.maximum(high + self.centre, -(low + self.centre))
        self.variance = _squared_sums(centred) / len(problem.y)
        self.means = np.zeros((problem.classes, len(centred)))
        self.variances = np.zeros(self.means.shape)
        self.is_same = np.zeros(self.means.shape, dtype=bool)
        for k, own in self.columns.classes():
            self.means[k] = centred[:, own].mean(axis=1)
            apart = centred[:, own] - self.means[k][:, np.newaxis]
            self.variances[k] = _squared_sums(apart) / problem.counts[k]
            self.is_same[k] = (centred[:, own] == centred[:, own.start, np.newaxis]).all(axis=1)
        #: where a feature is the same in all rows of a class: how large it is
        self.sizes = np.abs(self.means if problem.is_scaled else self.means + self.centre)

    def smoothed(self, variance: Floats) -> Floats:
        """What is added to the variances of classes, given those of a training part."""
        if not self.problem.is_scaled:
            return np.asarray(self.smoothing * variance.max(axis=-1, keepdims=True))
        # a constant feature is divided by 1
        return np.asarray(self.smoothing * np.where(self.problem.is_constant, 1.0, variance))

    def one_out(self, rows: Integers) -> Answer:
        """Each row predicted by the model of all others."""
        columns = self.columns.only(rows)
        seen = columns.values
        added, doubtful = self._smoothed_one_out(seen)
        middle = added.mean(axis=1)
        change = added - middle[:, np.newaxis]
        largest = float(np.abs(change).max(initial=0.0))
        whole, without = self._log_priors()
        own = dict(columns.classes())
        scores = np.empty((self.problem.classes, len(rows)))
        # new memory for every class would cost more than the sums themselves
        squared = np.empty_like(seen)
        for k in range(self.problem.classes):
            np.square(np.subtract(seen, self.means[k][:, np.newaxis], out=squared), out=squared)
            variance = self.variances[k] + middle
            if largest < SMALL_CHANGE * variance.min():
                scores[k] = _with_change(squared, variance, change)
            else:
                left = added + self.variances[k][:, np.newaxis]
                scores[k] = (squared / left).sum(axis=0) + np.log(left).sum(axis=0)
            scores[k] += whole[k]
            if k in own:
                mine = own[k]
                alone = self._without(k, squared[:, mine], added[:, mine], doubtful[mine])
                scores[k, mine] = alone + without[k]
        scores *= -0.5
        scores = np.take(scores, columns.places, axis=1)
        return by_log_posterior(scores.T, doubtful[columns.places])

    def _smoothed_one_out(self, seen: Floats) -> tuple[Floats, Booleans]:
        """What is added to variances where each row is left out, and rows that may differ."""
        total = len(self.problem.y) - 1
        share = (total + 1) / total
        doubtful = np.zeros(seen.shape[1], dtype=bool)
        variance = self.variance[:, np.newaxis]
        if self.problem.is_scaled:
            left = share * (variance - seen**2 / total)
            is_constant = self.problem.is_constant
            varied = np.where(is_constant, 0.0, self.variance)[:, np.newaxis]
            doubtful |= _is_doubtful(left, varied)
            left[is_constant] = 1.0
            return self.smoothing * left, doubtful
        # the largest variance is that of one of a few features, whichever row is left out
        first = int(self.variance.argmax())
        able = self.variance >= self.variance[first] - self.far[first] ** 2 / total
        left = variance[able] - seen[able] ** 2 / total
        return self.smoothing * share * left.max(axis=0, keepdims=True), doubtful

    def _without(self, k: int, squared: Floats, added: Floats, doubtful: Booleans) -> Floats:
        """Sums of squares and of log variances of rows in their own class without each.

        ``squared`` are their squared distances from the mean with them.
        """
        count = float(self.problem.counts[k])
        if count < 2.0:
            # nothing is left of the class; its splits are not asked for
            doubtful[:] = True
            return np.zeros(squared.shape[1])
        grow = count / (count - 1.0)
        left = squared * (grow / (1.0 - count))
        left += (grow * self.variances[k])[:, np.newaxis]
        left += added
        least, most = left.min(axis=1), grow * self.variances[k] + added.max(axis=1)
        is_sure = bool((least > LEAST_SHARE * most).all())
        if not is_sure:
            doubtful |= _is_doubtful(left, self.variances[k][:, np.newaxis] + added)
            left[~(left > 0)] = 1.0
        sums = np.divide(squared, left).sum(axis=0)
        sums *= grow**2
        if is_sure and np.maximum(np.abs(np.log(least)), np.abs(np.log(most))).sum() < LOG_RANGE:
            # one logarithm of a product is many times as fast as the logarithms
            sums += np.log(np.multiply.reduce(left, axis=0))
        else:
            sums += np.log(left, out=left).sum(axis=0)
        return np.asarray(sums)

    def _log_priors(self) -> tuple[Floats, Floats]:
        """Log priors times -2: of a class without another's row, and without one of its own."""
        if self.priors is not None:
            given = -2.0 * np.log(self.priors)
            return given, given
        counts, total = self.problem.counts, len(self.problem.y) - 1
        with np.errstate(divide="ignore"):
            return -2.0 * np.log(counts / total), -2.0 * np.log((counts - 1) / total)

    @cached_property
    def _by_row(self) -> tuple[Floats, Floats]:
        """Rows less the means of all, and less those of their classes: a part has few rows."""
        centred = self.problem.X - self.centre
        return centred, centred - self.means[self.problem.y]

    def fold_out(self, rows: Integers) -> Answer | None:
        """The rows predicted by the model of the rest."""
        problem, members = self.problem, self.problem.members[rows]
        left = problem.counts - np.bincount(problem.y[rows], minlength=problem.classes)
        total = int(left.sum())
        count, whole = left[:, np.newaxis], problem.counts[:, np.newaxis]
        seen, apart = (lines[rows] for lines in self._by_row)
        gone = seen.sum(axis=0)
        scatter = len(problem.y) * self.variance - (seen**2).sum(axis=0) - gone**2 / total
        added = self.smoothed(scatter / total)
        sums = members.T @ apart
        scatters = whole * self.variances - members.T @ apart**2 - sums**2 / count
        variances = scatters / count + added
        if _is_doubtful(variances.T, (self.variances + added).T).any():
            return None
        if problem.is_scaled:
            varied = np.where(problem.is_constant, 0.0, self.variance)
            if _is_doubtful(scatter / total, varied):
                return None
        means = self.means - sums / count
        scores = np.empty((len(rows), problem.classes))
        for k in range(problem.classes):
            scores[:, k] = ((seen - means[k]) ** 2 / variances[k]).sum(axis=1)
            scores[:, k] += np.log(variances[k]).sum()
        priors = self.priors if self.priors is not None else left / total
        return by_log_posterior(-0.5 * scores + np.log(priors))


def _squared_sums(lines: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", lines, lines))


def _is_doubtful(left: Floats, whole: Floats) -> Booleans:
    """Which columns have a variance of which too little is left for its digits."""
    return np.asarray((~(left > LEAST_SHARE * whole) & (whole > 0)).any(axis=0))


def _with_change(squared: Floats, variance: Floats, change: Floats) -> Floats:
    """Sums of squares and of log variances in a class as it is with all rows.

    What is added to the variances changes little from row to row: a first-order step from its
    middle is exact to the square of that change.
    """
    inverse = 1.0 / variance
    first, second = np.stack([inverse, inverse**2]) @ squared
    first += np.log(variance).sum()
    if len(change) == 1:
        first += change[0] * (inverse.sum() - second)
    else:
        slope = squared * -(inverse**2)[:, np.newaxis]
        slope += inverse[:, np.newaxis]
        slope *= change
        first += slope.sum(axis=0)
    return np.asarray(first)
