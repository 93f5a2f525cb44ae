"""Areas under the ROC curve of models on the same rows, and how they vary together."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparison.evidence import Evidence, checked_alternative, tail
from karat.core.errors import InputError
from karat.core.sums import sum_of_products
from karat.core.threads import in_threads
from karat.intervals.delong import lack_of_rows
from karat.intervals.interval import Interval, absent, checked_level
from karat.intervals.proportions import effective_sample_size
from karat.intervals.quantiles import two_sided_normal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["PairedAreas", "paired_areas"]

METHOD = "DeLong (paired)"


@dataclass(frozen=True, slots=True, eq=False)
class PairedAreas:
    """Areas and their covariance; NaN, with the reason, where rows are too few."""

    areas: NDArray[np.float64]
    covariance: NDArray[np.float64]
    reason: str = ""
    method: str = METHOD

    def difference(self, first: int, second: int) -> tuple[float, float]:
        """First minus second area, and its standard error."""
        gap = float(self.areas[first] - self.areas[second])
        c = self.covariance
        variance = float(c[first, first] + c[second, second] - 2 * c[first, second])
        return gap, nan if np.isnan(variance) else sqrt(max(variance, 0.0))

    def interval(self, first: int, second: int, *, level: float = 0.95) -> Interval:
        """The interval of first minus second area."""
        level = checked_level(level)
        if self.reason:
            return absent(self.reason, level=level, method=self.method)
        gap, error = self.difference(first, second)
        reach = two_sided_normal(level) * error
        return Interval(gap - reach, gap + reach, level, self.method).within((-1, 1))

    def test(self, first: int, second: int, *, alternative: str = "two-sided") -> Evidence:
        """Whether the two areas differ."""
        from scipy.special import ndtr

        side = checked_alternative(alternative)
        if self.reason:
            return Evidence(self.method, nan, nan, side, note=self.reason)
        gap, error = self.difference(first, second)
        if error <= 1e-12:
            # float noise of identical rankings is no evidence
            if abs(gap) <= 1e-12:
                note = "both models rank the rows alike"
                return Evidence(self.method, 0.0, 1.0, side, note=note)
            z = inf if gap > 0 else -inf
        else:
            z = gap / error
        return Evidence(self.method, z, tail(z, side, lambda x: ndtr(-x)), side)


def paired_areas(
    is_positive: NDArray[np.bool_],
    scores: Sequence[NDArray[Any]],
    *,
    weight: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
) -> PairedAreas:
    """The areas of several models' scores on the same rows, with their covariance.

    Parameters
    ----------
    weight
        Rows count as a sample drawn with these weights; their scale does not matter.
    groups
        Codes of rows that depend on each other: placements are then added up by group.

    Notes
    -----
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837; with groups Obuchowski (1997),
    Biometrics 53:567. The placement of a positive row is the share of the negatives below it,
    of a negative row the share of the positives above it; ties count half.

    Examples
    --------
    >>> truth = np.array([True, True, True, False, False, False])
    >>> found = paired_areas(truth, [np.array([6, 5, 3, 4, 2, 1]), np.array([6, 2, 3, 4, 5, 1])])
    >>> found.areas
    array([0.88888889, 0.55555556])
    """
    truth = np.asarray(is_positive, bool)
    if any(len(values) != len(truth) for values in scores):
        raise InputError("each model needs a score for every row")
    ones, zeros = np.flatnonzero(truth), np.flatnonzero(~truth)
    weights = None if weight is None else np.asarray(weight, float)
    size = len(scores)
    nothing = np.full(size, nan), np.full((size, size), nan)
    shares = [_shares(weights, rows) for rows in (ones, zeros)]
    counts = [
        effective_sample_size(1.0, float((share**2).sum())) if len(share) else 0.0
        for share in shares
    ]
    if not (len(ones) and len(zeros)):
        return PairedAreas(*nothing, lack_of_rows(*counts))
    placed = in_threads(
        lambda values: _placements(np.asarray(values, float), truth, weights), scores
    )
    areas = np.array([sum_of_products(shares[0], made[ones]) for made in placed])
    reason = lack_of_rows(*counts)
    if reason:
        return PairedAreas(areas, nothing[1], reason)
    # each row's own part of the area's error, a column a model
    table = np.column_stack(placed) - areas
    of_ones, of_zeros = table[ones] * shares[0][:, None], table[zeros] * shares[1][:, None]
    if groups is not None:
        return _grouped(
            areas, of_ones, of_zeros, np.asarray(groups)[ones], np.asarray(groups)[zeros]
        )
    covariance = _cross(of_ones) * counts[0] / (counts[0] - 1)
    covariance += _cross(of_zeros) * counts[1] / (counts[1] - 1)
    return PairedAreas(areas, covariance)


def _shares(weights: NDArray[Any] | None, rows: NDArray[Any]) -> NDArray[np.float64]:
    if weights is None:
        return np.full(len(rows), 1 / len(rows) if len(rows) else nan)
    chosen = weights[rows]
    return chosen / chosen.sum() if len(rows) else chosen


def _placements(
    values: NDArray[np.float64], truth: NDArray[np.bool_], weights: NDArray[Any] | None
) -> NDArray[np.float64]:
    """Of each positive the share of negatives below; of each negative that of positives above.

    One sort of the rows; equal scores share the mean of the places before and after them.
    """
    if not np.isfinite(values).all():
        raise InputError("a score is not finite")
    order = np.argsort(values)
    ordered = values[order]
    is_one = truth[order]
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    lengths = np.diff(ends, prepend=-1)
    mass = 1.0 if weights is None else weights[order]
    placed = np.empty(len(values))
    for mine, other in ((is_one, ~is_one), (~is_one, is_one)):
        below = np.cumsum(np.where(other, mass, 0.0))[ends]
        middle = (np.concatenate([[0.0], below[:-1]]) + below) / (2 * below[-1])
        of_rows = np.repeat(middle, lengths)
        placed[order[mine]] = of_rows[mine]
    # above is what is not below
    placed[~truth] = 1 - placed[~truth]
    return placed


def _cross(parts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums of products of every two columns."""
    return parts.T @ parts


def _grouped(
    areas: NDArray[np.float64],
    of_ones: NDArray[np.float64],
    of_zeros: NDArray[np.float64],
    groups_of_ones: NDArray[Any],
    groups_of_zeros: NDArray[Any],
) -> PairedAreas:
    """The covariance where whole groups were drawn: parts are added up by group first."""
    names, codes = np.unique(np.concatenate([groups_of_ones, groups_of_zeros]), return_inverse=True)
    count = len(names)
    method = f"{METHOD}, {count} groups (Obuchowski)"
    if count < 2:
        nothing = np.full((len(areas), len(areas)), nan)
        return PairedAreas(areas, nothing, "all rows are in one group", method)
    rows = np.concatenate([of_ones, of_zeros])
    sums: NDArray[np.float64] = np.column_stack(
        [np.bincount(codes, weights=rows[:, model], minlength=count) for model in range(len(areas))]
    )
    return PairedAreas(areas, _cross(sums) * count / (count - 1), "", method)
