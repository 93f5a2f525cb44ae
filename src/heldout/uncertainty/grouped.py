"""Intervals of means and shares of rows that come in groups, by formula."""

from __future__ import annotations

from dataclasses import replace
from math import inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from heldout.uncertainty.group_sizes import GroupSizes
from heldout.uncertainty.group_spread import GroupSpread, group_spread
from heldout.uncertainty.interval import Interval, absent, checked_level
from heldout.uncertainty.proportions import proportion_interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.uncertainty.cluster_bootstrap import GroupSums

__all__ = [
    "ALIKE",
    "estimate_interval",
    "group_mean_interval",
    "group_share_interval",
    "group_standard_error",
    "worth_text",
]

#: groups with fewer than this share of their degrees of freedom are said to be of unequal size
UNEQUAL = 0.95
#: degrees of freedom below which few groups make up the spread
FEW_FREEDOM = 5
FEW_MAKE = "few groups make up most of the spread: what groups like them would add is hardly known"
#: rows of the rarer kind bunch where they lie in groups worth fewer than this
BUNCHED = 5.0
#: fewer rows of the rarer kind say nothing of where they lie
FEWEST_RARE = 5
#: why groups do not narrow an interval
ALIKE = "groups differ less than single rows would: they count as their rows, not as more"


def group_standard_error(sums: GroupSums) -> float:
    """The standard error of a ratio of sums over groups, whatever goes on inside of groups.

    The first column is summed over the second: losses times weights over weights, hits over
    rows. It is the error of a ratio estimate from a sample of groups (Cochran 1977, Sampling
    Techniques, section 6.3), with the factor G / (G - 1).

    Examples
    --------
    >>> from heldout.uncertainty.cluster_bootstrap import GroupSums
    >>> group_standard_error(GroupSums(np.array([[1, 2], [2, 2]]), np.array([2, 2])))
    0.1443
    """
    top, bottom = sums.table[:, 0].astype(float), sums.table[:, 1].astype(float)
    total = float(sums.groups @ bottom)
    lean = top - float(sums.groups @ top) / total * bottom
    count, largest = sums.total_groups, float(np.abs(lean).max())
    if not 0 < largest < inf:
        return largest
    squares = float(sums.groups @ (lean / largest) ** 2)
    return sqrt(count / (count - 1) * squares) * (largest / total)


def group_mean_interval(
    sums: GroupSums,
    function: Callable[[float], float] | None = None,
    *,
    level: float = 0.95,
    bounds: tuple[float, float] = (-inf, inf),
    least_error: float = 0.0,
    has_tails: bool = False,
) -> Interval:
    """The t interval of a mean of losses, with as many degrees of freedom as groups less one.

    Where the error of single rows is known and groups are of unequal size, there are fewer
    (see ``group_spread``): a few large groups know little of the spread.

    Parameters
    ----------
    sums
        ``GroupSums.of_values(codes, losses * weight, weight)``; without weights the second
        column counts rows.
    function
        A monotone function of the mean, taken at the limits; None: the mean itself.
    least_error
        The standard error that single rows would give: groups that differ less by chance do
        not narrow the interval below it.
    has_tails
        Most rows have the same value and a few a far one (what a decision gains over another):
        few groups that make up the spread know it as badly as few groups do, and a note says so.

    Examples
    --------
    >>> from heldout.uncertainty.cluster_bootstrap import GroupSums
    >>> sums = GroupSums(np.array([[1.0, 2.0], [2.0, 2.0]]), np.array([2, 2]))
    >>> made = group_mean_interval(sums)
    >>> made.low, made.high
    (0.2906, 1.2094)
    """
    level = checked_level(level)
    count = sums.total_groups
    method = f"Student's t of {count:,} groups"
    if count < 2:
        return absent("fewer than two groups say nothing of the spread", level=level, method=method)
    spread = GroupSpread(group_standard_error(sums), 0.0, count, count - 1)
    if least_error > 0:
        spread = _spread(sums, least_error, _rows(sums), has_tails=has_tails)
    mean = _mean(sums)
    if spread.error <= 1e-14 * abs(mean):
        return absent("all groups have the same mean loss", level=level, method=method)
    if spread.freedom < UNEQUAL * (count - 1):
        method += " of unequal size"
    reach = spread.reach(level)
    made = Interval(mean - reach, mean + reach, level, method).within(bounds)
    # groups that are few are in the name of the method; not what one of them makes up
    made = made.noted(_sizes(sums).remark) if _sizes(sums).is_unequal else made
    if has_tails and spread.freedom < min(FEW_FREEDOM, count - 1) and not _sizes(sums).remark:
        made = made.noted(FEW_MAKE)
    made = made.noted(ALIKE) if least_error > spread.of_groups else made
    return made if function is None else made.through(function)


def group_share_interval(
    sums: GroupSums, *, level: float = 0.95, method: str = "wilson", rows: float | None = None
) -> Interval:
    """The interval of a share of rows, with the rows counted for what they are worth.

    The effective sample size is the number of independent rows that would give the same
    standard error, made smaller for the degrees of freedom (see ``group_spread``). Where the
    share is 0 or 1 nothing is known of the spread between groups, and each group counts as one
    row. Groups that differ less than single rows would (by chance, or as each holds a case and
    a control) are worth no more than their rows. Where few groups make up the spread it is
    known as badly as if there were few; where what is rare bunches in them, a note says so,
    since groups like them that were not seen are in no interval.

    Parameters
    ----------
    sums
        ``GroupSums.of_values(codes, hits * weight, weight)``.
    method
        Any of ``proportion_interval``.
    rows
        How many rows there are; None: the total of whole weights.

    Examples
    --------
    >>> from heldout.uncertainty.cluster_bootstrap import GroupSums
    >>> made = group_share_interval(GroupSums(np.array([[5, 5]]), np.array([20])))
    >>> made.low, made.high
    (0.8203, 1.0)
    """
    level = checked_level(level)
    count = sums.total_groups
    if count < 2:
        return absent("fewer than two groups say nothing of the spread", level=level)
    share, most = _mean(sums), _rows(sums) if rows is None else rows
    variance = share * (1 - share)
    spread = _spread(sums, sqrt(variance / most), most, has_tails=True)
    if not variance:
        variance, spread = 1.0, GroupSpread(0.0, sqrt(1 / min(count, most)), count, count - 1)
    is_cut = spread.of_groups < spread.of_rows and 0 < share < 1
    size = spread.effective_rows(variance, level)
    made = proportion_interval(share * size, size, level=level, method=method)
    made = replace(made, method=f"{made.method} on {worth_text(size, count)}")
    made = made.noted(_sizes(sums).remark).noted(_bunched(sums, share))
    return made.noted(ALIKE) if is_cut else made


def estimate_interval(
    value: float,
    sums: GroupSums,
    least_error: float = 0.0,
    *,
    level: float = 0.95,
    is_grouped: bool = False,
) -> Interval:
    """The t interval of an estimate, by how far each row or group moves it: a sandwich error.

    It holds where the fitted model is wrong, as that of maximum likelihood does not: White
    (1982, Econometrica 50:1); of groups Liang and Zeger (1986, Biometrika 73:13). ``sums`` are
    how far each row or group moves the estimate, and the variance of that under the model, by
    which it pulls the estimate towards itself (see ``group_spread``); no error is below
    ``least_error``, as that of single rows, where there are groups.

    Examples
    --------
    >>> from heldout.uncertainty.cluster_bootstrap import GroupSums
    >>> rows = GroupSums(np.array([[0.1, 0.01], [-0.1, 0.01]]), np.array([50, 50]))
    >>> round(estimate_interval(2.0, rows).low, 2)  # 2 - 1.98 * sqrt(100 / 99)
    0.01
    """
    shift, mass = sums.table.T
    spread = group_spread(shift, mass, sums.groups, row_error=least_error)
    reach, method = spread.reach(checked_level(level)), "Wald, sandwich error"
    if not is_grouped:
        return Interval(value - reach, value + reach, level, method)
    method += f" of {spread.groups:,} groups"
    made = Interval(value - reach, value + reach, level, method).noted(_sizes(sums).remark)
    return made.noted(ALIKE) if least_error > spread.of_groups else made


def worth_text(size: float, count: int) -> str:
    """How many rows some groups are worth, in words.

    Examples
    --------
    >>> worth_text(12.34, 5)
    '12.3 effective rows of 5 groups'
    """
    worth = f"{size:,.0f}" if size >= 100 else f"{size:.3g}"
    return f"{worth} effective rows of {count:,} groups"


def _bunched(sums: GroupSums, share: float) -> str:
    """That what is rare lies in few groups, more than chance would have it; else empty."""
    top, bottom = sums.table[:, 0].astype(float), sums.table[:, 1].astype(float)
    rare = top if share < 1 / 2 else np.maximum(bottom - top, 0.0)
    total = float(sums.groups @ rare)
    if total < FEWEST_RARE:
        return ""
    own, by_chance = GroupSizes.of(rare, sums.groups), 1 / (1 / _sizes(sums).worth + 1 / total)
    if own.worth >= min(BUNCHED, by_chance / 2):
        return ""
    what = "what the share counts" if share < 1 / 2 else "what the share does not count"
    return (
        f"{what} lies in groups worth {own.worth:.2g} of {own.count:,}: "
        "how often others have it is hardly known"
    )


def _spread(
    sums: GroupSums, row_error: float, rows: float, *, has_tails: bool = False
) -> GroupSpread:
    """The spread of a ratio of sums over groups."""
    top, bottom = sums.table[:, 0].astype(float), sums.table[:, 1].astype(float)
    shift = (top - _mean(sums) * bottom) / float(sums.groups @ bottom)
    return group_spread(
        shift, bottom, sums.groups, row_error=row_error, rows=rows, has_tails=has_tails
    )


def _sizes(sums: GroupSums) -> GroupSizes:
    return GroupSizes.of(sums.table[:, 1], sums.groups)


def _rows(sums: GroupSums) -> float:
    """The number of rows; infinite where weights are not whole and so do not count them."""
    counts = sums.table[:, 1]
    return float(sums.groups @ counts) if (counts == np.floor(counts)).all() else inf


def _mean(sums: GroupSums) -> float:
    top, bottom = (float(column) for column in np.asarray(sums.groups @ sums.table))
    return top / bottom
