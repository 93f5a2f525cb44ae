"""Hosmer and Lemeshow's test of calibration: groups of rows, observed against expected."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, erfc, exp, floor, fsum, inf, isnan, lgamma, log, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.measures.calibration_bins import remembered, sums_between
from heldout.measures.choices import chosen
from heldout.measures.kinds import TestStatistic
from heldout.measures.registry import measure
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "chi_square_tail",
    "hosmer_lemeshow",
    "hosmer_lemeshow_p_value",
]

HOSMER = "Hosmer and Lemeshow (1980), Commun. Stat. A 9:1043"
CUTS = ("quantile", "equal count", "stata")


@dataclass(frozen=True, slots=True)
class Groups:
    """Weight, observed and expected positives of Hosmer-Lemeshow groups, from low to high."""

    weight: Any
    observed: Any
    expected: Any

    @property
    def chi_square(self) -> float:
        """Squared distance of observed from expected positives and negatives, over expected."""
        square = np.square(self.observed - self.expected)
        rest = self.weight - self.expected
        total = 0.0
        for top, *bottoms in zip(square, self.expected, rest, strict=True):
            for bottom in bottoms:
                # what is certain and comes true adds nothing; what does not, rules out all
                total += float(top) / float(bottom) if bottom > 0 else (inf if top > 0 else 0.0)
        return total


def groups_of(scores: ScoreCounts, groups: int, cut: str) -> Groups:
    """The rows in groups of rising probability; rows of equal probability are never parted.

    ``quantile``: R's ``hoslem.test``, borders are quantiles of type 7. ``equal count``: the
    mean rank of equal probabilities, times groups over rows, rounded up. ``stata``: borders
    are quantiles of type 2, as in Stata's ``estat gof``.
    """
    way = chosen("cut", cut, *CUTS)
    if groups < 2:
        raise InputError(f"groups is 2 or more, not {groups}")

    def made() -> Groups:
        starts = {0} if len(scores.score) else set()
        starts |= {_start(scores, k, groups, way) for k in range(1, groups)}
        starts.discard(len(scores.score))
        parts = (part[::-1] for part in sums_between(scores, sorted(starts)))
        weight, observed, expected = parts
        kept = weight > 0
        return Groups(weight[kept], observed[kept], expected[kept])

    return remembered(scores, ("groups", groups, way), made)


def _start(scores: ScoreCounts, number: int, groups: int, way: str) -> int:
    """Where, among the falling scores, the group of this number (from the lowest) starts."""
    n = scores.total
    if way == "equal count":
        return _first_place(scores, lambda i: _rank(scores, i) * groups <= number * n * (1 + 1e-12))
    if way == "quantile":
        exact = 1 + (n - 1) * number / groups
        low = _ordered(scores, floor(exact))
        high = _ordered(scores, ceil(exact))
        part = exact - floor(exact)
        border = (1 - part) * low + part * high if high != low else low
    else:
        # type 2 halves the way to the next row where this is whole: no row lies between
        border = _ordered(scores, ceil(n * number / groups))
    return _first_place(scores, lambda i: bool(scores.score[i] <= border))


def _first_place(scores: ScoreCounts, holds: Callable[[int], bool]) -> int:
    """The first of the falling scores for which something holds that holds from there on."""
    low, high = 0, len(scores.score)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _above(scores: ScoreCounts, place: int) -> Any:
    """Weight of the rows with a greater score."""
    return scores.tp[place - 1] + scores.fp[place - 1] if place else 0


def _rank(scores: ScoreCounts, place: int) -> float:
    """Mean rank, from the lowest, of the rows at a score."""
    above, through = _above(scores, place), _above(scores, place + 1)
    return float(scores.total - (above + through) / 2 + 0.5)


def _ordered(scores: ScoreCounts, rank: float) -> float:
    """The score of the row of this rank from the lowest."""
    below = scores.total - rank  # rows that may stand at or above the one sought, without it
    place = _first_place(scores, lambda i: _above(scores, i + 1) > below)
    return float(scores.score[min(place, len(scores.score) - 1)])


def chi_square_tail(freedom: int, value: float) -> float:
    """Probability that chi-square of whole degrees of freedom is at least a value.

    A finite sum, so that no large library need be loaded for it.

    Examples
    --------
    >>> chi_square_tail(2, 1.0)  # exp(-1/2)
    0.606531
    >>> chi_square_tail(1, 3.841459)
    0.05
    """
    if isnan(value) or value <= 0:
        return nan if isnan(value) else 1.0
    if value == inf:
        return 0.0
    half, odd = value / 2.0, freedom % 2
    powers = [k + odd / 2.0 for k in range((freedom - odd) // 2)]
    terms = [exp(k * log(half) - half - lgamma(k + 1.0)) for k in powers]
    return min(fsum([erfc(sqrt(half)) if odd else 0.0, *terms]), 1.0)


def collapsed(scores: ScoreCounts, *, groups: int = 10, cut: str = "quantile", **_: Any) -> str:
    """That ties, or too few rows, left fewer groups than asked for."""
    found = len(groups_of(scores, groups, cut).weight)
    return f"{found} of {groups} groups have rows" if found < groups else ""


@measure(
    kind=TestStatistic(),
    title="Hosmer-Lemeshow statistic",
    aliases=("hosmer_lemeshow_chi_square", "hoslem"),
    direction="down",
    bounds=(0, inf),
    formula=r"\sum_g \frac{(O_g - E_g)^2}{E_g (1 - E_g / n_g)}",
    undefined="",
    reference=HOSMER,
    note=collapsed,
    needs_probability=True,
    averaged=False,
    weight_scale=True,
)
def hosmer_lemeshow(scores: ScoreCounts, *, groups: int = 10, cut: str = "quantile") -> float:
    """Chi-square distance of observed from expected positives in groups of rows.

    It depends on how the groups are cut: ``cut="quantile"`` as R's ``hoslem.test``,
    ``"equal count"`` by rank, ``"stata"`` as Stata's ``estat gof``.

    Examples
    --------
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 0]) == 1
    >>> scores = ScoreCounts.of(truth, np.repeat([0.5, 0.75], 4))
    >>> hosmer_lemeshow(scores, groups=2)  # (1 - 2)² / 2 + (3 - 2)² / 2
    1.0
    """
    return groups_of(scores, groups, cut).chi_square if len(scores.score) else nan


@measure(
    kind=TestStatistic(),
    title="Hosmer-Lemeshow p-value",
    aliases=("hosmer_lemeshow_p", "hoslem_p_value"),
    direction="none",
    bounds=(0, 1),
    formula=r"P(\chi^2_{df} \ge \chi^2_{HL})",
    undefined="there are no more groups than degrees of freedom are taken off",
    reference=HOSMER,
    note=collapsed,
    needs_probability=True,
    averaged=False,
    weight_scale=True,
)
def hosmer_lemeshow_p_value(
    scores: ScoreCounts, *, groups: int = 10, cut: str = "quantile", df: str = "g"
) -> float:
    """Probability of so large a statistic if the probabilities were right.

    ``df="g"``: as many degrees of freedom as groups, for rows the model has not seen;
    ``df="g-2"``: for the rows a logistic regression was fitted to (what R and Stata print).
    Groups are counted as they are, after ties have merged some.

    Examples
    --------
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 0]) == 1
    >>> scores = ScoreCounts.of(truth, np.repeat([0.5, 0.75], 4))
    >>> hosmer_lemeshow_p_value(scores, groups=2)  # exp(-1/2)
    0.606531
    """
    found = groups_of(scores, groups, cut)
    freedom = len(found.weight) - (2 if chosen("df", df, "g", "g-2") == "g-2" else 0)
    return chi_square_tail(freedom, found.chi_square) if freedom > 0 else nan
