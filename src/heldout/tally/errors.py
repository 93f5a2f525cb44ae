"""Predicted numbers against true ones: joint moments that add, and rows for order statistics."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import inf, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.ratio import unrounded
from heldout.core.sums import sum_of_products, sums_of_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Errors:
    """Joint moments of truth, prediction and error (predicted minus true), and the largest error.

    Each ``*_deviations`` is a sum of squared deviations from the mean, ``co_deviations``
    that of products: they add by the parallel rule and keep their digits. ``of_parts`` gives
    arrays with an element for each part of the rows, of which ``at`` gives one.
    """

    rows: Any = 0
    weight: Any = 0.0
    truth_mean: Any = 0.0
    predicted_mean: Any = 0.0
    error_mean: Any = 0.0
    truth_deviations: Any = 0.0
    predicted_deviations: Any = 0.0
    error_deviations: Any = 0.0
    co_deviations: Any = 0.0
    largest: Any = -inf

    @classmethod
    def of(
        cls,
        truth: NDArray[np.float64],
        predicted: NDArray[np.float64],
        weight: NDArray[np.float64] | None = None,
    ) -> Errors:
        """The moments of rows."""
        if not len(truth):
            return cls()
        w = np.ones(len(truth)) if weight is None else weight
        total = float(w.sum())
        error = predicted - truth
        means, around = [], []
        for values in (truth, predicted, error):
            # from the first row on: a constant column has exactly no deviations, and a small
            # spread far from zero keeps its digits
            steps = values - values[0]
            step = sum_of_products(w, steps) / total
            means.append(float(values[0]) + step)
            around.append(steps - step)
        t, p, e = around
        with np.errstate(over="ignore"):  # infinite where squares are too large
            products = [sum_of_products(w, a * b) for a, b in ((t, t), (p, p), (e, e), (t, p))]
        largest = float(np.abs(error).max())
        return cls(*[len(truth), total, *means, *products, largest])

    @classmethod
    def of_parts(
        cls,
        truth: NDArray[np.float64],
        predicted: NDArray[np.float64],
        starts: NDArray[np.int64],
        weight: NDArray[np.float64] | None = None,
    ) -> Errors:
        """The moments of each part, as arrays; ``starts`` as ``Moments.of_parts`` takes them."""
        sizes, first = np.diff(starts), starts[:-1]
        total = sizes.astype(float) if weight is None else sums_of_parts(weight, starts)

        def sums(values: NDArray[Any]) -> NDArray[Any]:
            return sums_of_parts(values if weight is None else weight * values, starts)

        means, around = [], []
        for values in (truth, predicted, predicted - truth):
            steps = values - np.repeat(values[first], sizes)  # as above
            step = sums(steps) / total
            means.append(values[first] + step)
            around.append(steps - np.repeat(step, sizes))
        t, p, e = around
        with np.errstate(over="ignore"):  # infinite where squares are too large
            products = [sums(a * b) for a, b in ((t, t), (p, p), (e, e), (t, p))]
        largest = np.maximum.reduceat(np.abs(predicted - truth), first)
        return cls(*[sizes, total, *means, *products, largest])

    def at(self, part: int) -> Errors:
        """The moments of one part."""
        return replace(self, **{f.name: getattr(self, f.name)[part].item() for f in fields(self)})

    def __add__(self, other: Errors) -> Errors:
        if not other.rows:
            return self
        if not self.rows:
            return other
        total = self.weight + other.weight
        share = self.weight * other.weight / total
        t = other.truth_mean - self.truth_mean
        p = other.predicted_mean - self.predicted_mean
        e = other.error_mean - self.error_mean
        lean = other.weight / total
        return Errors(
            self.rows + other.rows,
            total,
            self.truth_mean + t * lean,
            self.predicted_mean + p * lean,
            self.error_mean + e * lean,
            self.truth_deviations + other.truth_deviations + t * t * share,
            self.predicted_deviations + other.predicted_deviations + p * p * share,
            self.error_deviations + other.error_deviations + e * e * share,
            self.co_deviations + other.co_deviations + t * p * share,
            max(self.largest, other.largest),
        )

    @property
    def truth_spread(self) -> float:
        """The sum of squared deviations of the truth, 0 where they are rounding."""
        return self._spread(self.truth_deviations, self.truth_mean)

    @property
    def predicted_spread(self) -> float:
        """The same of the predicted values."""
        return self._spread(self.predicted_deviations, self.predicted_mean)

    def _spread(self, deviations: float, mean: float) -> float:
        # not in squares, which large values take beyond the largest number
        root = sqrt(max(deviations, 0.0) / self.weight) if self.weight else 0.0
        return deviations if unrounded(root, mean) else 0.0

    @property
    def residual_squares(self) -> float:
        """The sum of squared errors."""
        if not self.rows:
            return nan
        # a product may become infinite, where a power would raise an error
        return self.error_deviations + self.weight * self.error_mean * self.error_mean


@dataclass(frozen=True, eq=False)
class ErrorRows:
    """True and predicted numbers of rows, for order statistics; adding joins the rows."""

    truth: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    predicted: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    weight: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        truth: NDArray[np.float64],
        predicted: NDArray[np.float64],
        weight: NDArray[np.float64] | None = None,
    ) -> ErrorRows:
        """The tally of rows."""
        return cls(truth, predicted, weight)

    def __add__(self, other: ErrorRows) -> ErrorRows:
        if not self.rows or not other.rows:
            return self if self.rows else other
        weight = None
        if self.weight is not None or other.weight is not None:
            parts = [np.ones(t.rows) if t.weight is None else t.weight for t in (self, other)]
            weight = np.concatenate(parts)
        return ErrorRows(
            np.concatenate([self.truth, other.truth]),
            np.concatenate([self.predicted, other.predicted]),
            weight,
        )

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return len(self.truth)

    @cached_property
    def error(self) -> NDArray[Any]:
        """Predicted minus true value."""
        return self.predicted - self.truth
