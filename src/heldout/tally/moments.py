"""Mean and spread of losses over rows, as moments that add without loss of digits."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.sums import sum_of_products, sums_of_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class CoMoments:
    """Rows, both means, and the sum of the products of the deviations from them.

    Examples
    --------
    >>> CoMoments.of(np.array([1.0, 3.0]), np.array([2.0, 6.0])).products
    4.0
    """

    rows: int = 0
    first: float = 0.0
    second: float = 0.0
    products: float = 0.0

    @classmethod
    def of(
        cls,
        first: NDArray[Any],
        second: NDArray[Any],
        means: tuple[float, float] | None = None,
        count: NDArray[np.float64] | None = None,
    ) -> CoMoments:
        """Of two numbers of each row; ``means`` where they are known already.

        ``count`` is how many equal rows each stands for; the means are then to be given.
        """
        if not len(first):
            return cls()
        mean, other = (float(first.mean()), float(second.mean())) if means is None else means
        with np.errstate(invalid="ignore"):  # an infinite loss makes the sum undefined
            own = first - mean if count is None else (first - mean) * count
            products = sum_of_products(own, second - other)
        rows = len(first) if count is None else round(float(count.sum()))
        return cls(rows, mean, other, products)

    def __add__(self, other: CoMoments) -> CoMoments:
        if not self.rows or not other.rows:
            return self if self.rows else other
        rows = self.rows + other.rows
        share = other.rows / rows
        first, second = other.first - self.first, other.second - self.second
        return CoMoments(
            rows,
            self.first + first * share,
            self.second + second * share,
            self.products + other.products + first * second * self.rows * share,
        )


@dataclass(frozen=True, slots=True)
class Moments:
    """Count, weight, mean and sum of squared deviations of a number that each row has.

    Infinite values (a log score of probability 0) are counted apart, so that the finite
    rest stays known: ``mean`` is infinite as soon as one row is. The fields are numbers, or
    arrays with an element for each part of the rows: every measure works on both.
    """

    rows: Any = 0
    weight: Any = 0.0
    finite_mean: Any = 0.0
    deviations: Any = 0.0
    weight_squares: Any = 0.0
    infinite: Any = 0
    negative_infinite: Any = 0
    undefined: Any = 0
    #: weight of the rows that are finite
    finite_weight: Any = 0.0

    @classmethod
    def of(
        cls,
        values: NDArray[Any],
        weight: NDArray[np.float64] | None = None,
        *,
        is_count: bool = False,
    ) -> Moments:
        """The moments of one array of values; ``is_count``: a weight is so many equal rows."""

        def count(where: NDArray[np.bool_]) -> int:
            if is_count and weight is not None:
                return round(float(weight[where].sum()))
            return int(np.count_nonzero(where))

        if not len(values):
            return cls()
        if weight is None:
            plain = cls._of_finite(values)
            if plain is not None:
                return plain
        rows = count(np.ones(len(values), bool)) if is_count else len(values)
        total = float(rows) if weight is None else float(weight.sum())
        squares = float(rows) if weight is None or is_count else sum_of_products(weight, weight)
        finite = np.isfinite(values)
        extra: tuple[int, int, int] = (0, 0, 0)
        if not finite.all():
            extra = (count(values == inf), count(values == -inf), count(np.isnan(values)))
            values = values[finite]
            weight = None if weight is None else weight[finite]
        kept = float(len(values)) if weight is None else float(weight.sum())
        if not kept:
            return cls(rows, total, 0.0, 0.0, squares, *extra, 0.0)
        # from the first row on, so that equal values have exactly no deviations
        steps = values - values[0]
        if weight is None:
            mean = float(values[0]) + float(steps.mean())
        else:
            mean = float(values[0]) + sum_of_products(weight, steps) / kept
        centred = values - mean
        if weight is None:
            deviations = sum_of_products(centred, centred)
        else:
            with np.errstate(over="ignore"):  # infinite where squares are too large
                deviations = sum_of_products(weight, centred * centred)
        return cls(rows, total, mean, deviations, squares, *extra, kept)

    @classmethod
    def _of_finite(cls, values: NDArray[Any]) -> Moments | None:
        """The moments where every value is finite, in fewer passes; else None.

        Sums are taken from the first value on, so that equal values have exactly no
        deviations. Where that value lies so far from the rest that digits would be lost,
        the deviations are taken again from the mean.
        """
        first, rows = float(values[0]), len(values)
        if not isfinite(first):
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            steps = values - first
            total = float(steps.sum())
        if not isfinite(total):
            return None
        step, squares = total / rows, sum_of_products(steps, steps)
        deviations = squares - total * step
        if squares > 16 * deviations:
            steps -= step
            deviations = sum_of_products(steps, steps)
        count = float(rows)
        return cls(rows, count, first + step, deviations, count, finite_weight=count)

    def __add__(self, other: Moments) -> Moments:
        if not other.rows:
            return self
        if not self.rows:
            return other
        kept = self.finite_weight + other.finite_weight
        mean, deviations = self.finite_mean, self.deviations + other.deviations
        if kept:
            step = other.finite_mean - self.finite_mean
            mean = self.finite_mean + step * other.finite_weight / kept
            deviations += step * step * self.finite_weight * other.finite_weight / kept
        return Moments(
            self.rows + other.rows,
            self.weight + other.weight,
            mean,
            deviations,
            self.weight_squares + other.weight_squares,
            self.infinite + other.infinite,
            self.negative_infinite + other.negative_infinite,
            self.undefined + other.undefined,
            kept,
        )

    @classmethod
    def of_parts(
        cls, values: NDArray[Any], starts: NDArray[np.int64], weight: NDArray[Any] | None = None
    ) -> Moments:
        """The moments of each part of some values, as arrays.

        Parameters
        ----------
        values, weight
            One a row, those of a part one after the other.
        starts
            Where each part starts, none of them empty, and how many rows there are.

        Examples
        --------
        >>> Moments.of_parts(np.array([1.0, 3.0, 5.0]), np.array([0, 2, 3])).mean
        array([2., 5.])
        """
        sizes = np.diff(starts)
        squares = sizes.astype(float) if weight is None else sums_of_parts(weight * weight, starts)
        total = sizes.astype(float) if weight is None else sums_of_parts(weight, starts)
        finite = np.isfinite(values)
        above = below = undefined = np.zeros(len(sizes), np.int64)
        kept, mean, deviations = np.zeros((3, len(sizes)))
        here, known = starts, np.ones(len(sizes), bool)
        if not finite.all():
            marks = (values == inf, values == -inf, np.isnan(values))
            above, below, undefined = (
                sums_of_parts(mark.astype(np.int64), starts) for mark in marks
            )
            known = sums_of_parts(finite.astype(np.int64), starts) > 0
            values, weight = values[finite], None if weight is None else weight[finite]
            ends = np.concatenate([[0], np.cumsum(finite)])[starts]
            here = np.concatenate([ends[:-1][known], ends[-1:]])
        if known.any():
            sizes_here = np.diff(here)
            own = sizes_here.astype(float) if weight is None else sums_of_parts(weight, here)
            # from the first row on, so that equal values have exactly no deviations
            first = values[here[:-1]]
            steps = values - np.repeat(first, sizes_here)
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                step = sums_of_parts(steps if weight is None else weight * steps, here) / own
                steps -= np.repeat(step, sizes_here)
                steps *= steps
                spread = sums_of_parts(steps if weight is None else weight * steps, here)
            has_weight = own > 0
            kept[known] = own
            mean[known] = np.where(has_weight, first + step, 0.0)
            deviations[known] = np.where(has_weight, spread, 0.0)
        return cls(sizes, total, mean, deviations, squares, above, below, undefined, kept)

    def at(self, part: int) -> Moments:
        """The moments of one part."""
        return replace(self, **{f.name: getattr(self, f.name)[part].item() for f in fields(self)})

    @property
    def mean(self) -> Any:
        """The weighted mean; infinite if a row is, NaN without rows or with an undefined row."""
        if isinstance(self.weight, np.ndarray):
            mean = np.where(self.infinite > 0, inf, self.finite_mean)
            mean = np.where(self.negative_infinite > 0, -inf, mean)
            lost = (self.weight == 0) | (self.undefined > 0)
            return np.where(lost | ((self.infinite > 0) & (self.negative_infinite > 0)), nan, mean)
        if not self.weight or self.undefined or (self.infinite and self.negative_infinite):
            return nan
        if self.infinite or self.negative_infinite:
            return inf if self.infinite else -inf
        return self.finite_mean

    @property
    def sum(self) -> Any:
        """The weighted sum."""
        return self.mean * self.weight

    @property
    def variance(self) -> float:
        """Variance of the values (divisor: rows - 1, in units of weight)."""
        if self.rows < 2 or not self.weight:
            return nan
        if self.mean != self.finite_mean:
            return nan
        return float(self.deviations / self.weight * self.rows / (self.rows - 1))
