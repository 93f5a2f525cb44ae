"""Differences of mean losses on the same rows, row by row or group by group."""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.evidence import Evidence, checked_alternative, student_test
from heldout.intervals.group_sizes import GroupSizes
from heldout.intervals.group_spread import group_spread
from heldout.intervals.interval import Interval, absent, checked_level
from heldout.predictions.part import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.comparison.evidence import Alternative

__all__ = ["loss_difference"]

METHOD = "paired t test of {}"


def loss_difference(
    first: NDArray[Any],
    second: NDArray[Any],
    *,
    weight: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    bounds: tuple[float, float] = (-inf, inf),
) -> tuple[Interval, Evidence]:
    """Whether two models' mean losses of the same rows differ: a paired t test.

    Parameters
    ----------
    first, second
        The loss of each row under either model.
    weight, groups
        Weight of each row; codes of rows that depend on each other, whose differences are
        added up first, so that groups and not rows are counted (their error and degrees of
        freedom: ``group_spread``).
    bounds
        Range of the difference.

    Examples
    --------
    >>> made, found = loss_difference(np.array([0.0, 1, 1, 1]), np.array([0.0, 0, 1, 0]))
    >>> found.statistic
    1.7321
    """
    level = checked_level(level)
    side = checked_alternative(alternative)
    with np.errstate(invalid="ignore"):
        gaps = np.asarray(first, float) - np.asarray(second, float)
    share = np.full(len(gaps), 1 / len(gaps)) if weight is None else weight / weight.sum()
    unit = "rows" if groups is None else "groups"
    method = METHOD.format(unit)
    if not np.isfinite(gaps).all():
        endless = int((~np.isfinite(gaps)).sum())
        reason = f"{plural(endless, 'row')} with an infinite loss: there is no mean to compare"
        return absent(reason, level=level, method=method), Evidence(
            method, nan, nan, side, note=reason
        )
    mean = float((share * gaps).sum())
    # each row's own part of the error of the mean; groups add theirs up
    parts, mass, note = share * (gaps - mean), share, ""
    if groups is not None:
        codes = np.unique(groups, return_inverse=True)[1]
        parts, mass = np.bincount(codes, weights=parts), np.bincount(codes, weights=share)
        note = GroupSizes.of(mass).remark
    count = len(parts) if weight is None or groups is not None else 1 / float((share**2).sum())
    if count < 2:
        reason = f"there are fewer than two {unit}"
        return absent(reason, level=level, method=method), Evidence(
            method, nan, nan, side, note=reason
        )
    error, freedom = sqrt(float((parts**2).sum()) * count / (count - 1)), count - 1
    if error <= 1e-15 * max(1.0, abs(mean)):
        units = int((mass > 0).sum())
        return _without_spread(mean, level, unit, side, freedom, units)
    if groups is not None:
        spread = group_spread(parts, mass, np.ones(len(parts)))
        error, freedom = spread.error, spread.freedom
    return student_test(
        method,
        mean,
        error,
        freedom,
        level=level,
        alternative=side,
        bounds=bounds,
        note=note,
    )


def _without_spread(
    mean: float, level: float, unit: str, side: Alternative, freedom: float, units: int
) -> tuple[Interval, Evidence]:
    """Where all differences are alike: no error is known, but the models can be exchanged.

    Of the 2^n ways to exchange them just one or two give a mean so far off.
    """
    method = METHOD.format(unit)
    note = f"every {unit[:-1]} has the same difference"
    if mean == 0:
        made = Interval(0.0, 0.0, level, method).noted(note)
        return made, Evidence(method, 0.0, 1.0, side, (freedom,), note, error=0.0)
    note = f"{note}, which says nothing of how differences vary"
    against = (mean > 0 and side == "less") or (mean < 0 and side == "greater")
    p_value = 1.0 if against else 2.0 ** ((side == "two-sided") - units)
    named = f"exact paired permutation test (exchanges of {unit})"
    return absent(note, level=level, method=method), Evidence(named, mean, p_value, side, note=note)
