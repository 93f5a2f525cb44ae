"""Likelihood gained by probabilities, and tests of their calibration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil, erfc, exp, floor, fsum, inf, isnan, lgamma, log, nan, sqrt
from typing import Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.memo import kept
from heldout.core.nearest import chosen
from heldout.core.ratio import ratio
from heldout.core.sums import sum_of_products
from heldout.core.threads import blocks
from heldout.measures.calibration import above, sums_between
from heldout.measures.calibration_fit import best_line, log_likelihood, within
from heldout.measures.calibration_line import NO_LINE, no_line
from heldout.measures.kinds import NoInterval, TestStatistic
from heldout.measures.registry import measure
from heldout.tally.roc import first_where
from heldout.tally.scores import ScoreCounts

MILLER = "Miller, Hui and Tierney (1991), Stat. Med. 10:1213"
HARRELL = "Harrell (2015), Regression Modeling Strategies, 2nd ed. (val.prob)"
ONE_CLASS = "all rows are of one class"

#: what all likelihood ratios have in common, and what those have that need a fitted line
of_probabilities = partial(measure, needs_probability=True, averaged=False)
of_likelihood = partial(
    of_probabilities,
    weight_scale=True,
    reference=HARRELL,
    needs_classes=(0, 1),
    symmetric=True,
)
of_gain = partial(of_likelihood, undefined=ONE_CLASS, direction="up", reaches_best=False)
of_line = partial(of_likelihood, undefined=NO_LINE, note=no_line)
#: what is taken off for coefficients is a share of the rows as such, whatever their weights
of_row: dict[str, Any] = {"weight_scale": False, "by_rows": True}


def null_likelihood(scores: ScoreCounts) -> float:
    """Log likelihood of predicting the share of positives for every row."""
    parts = (scores.total_positives, scores.total_negatives)
    return float(sum(part * log(part / scores.total) for part in parts if part))


@kept
def own_likelihood(scores: ScoreCounts) -> float:
    """Log likelihood of the probabilities as they are."""
    return log_likelihood(scores)


def over_prevalence(scores: ScoreCounts) -> float:
    """Twice the log likelihood that the probabilities gain on the mere prevalence."""
    inside = within(scores, 0.0)
    if not inside.has_both:
        return nan
    return 2 * (own_likelihood(inside) - null_likelihood(inside))


def by_recalibration(scores: ScoreCounts, clip: float) -> float:
    """Twice the log likelihood that the best line gains; NaN where no line can be fitted."""
    inside = within(scores, clip)
    line = best_line(inside)
    if line is None:
        return nan
    return max(2 * (line.likelihood - own_likelihood(inside)), 0.0)


def a_row(chi_square: float, coefficients: int, scores: ScoreCounts) -> float:
    """A likelihood ratio less its coefficients, a row: by weight, whose unit does not matter."""
    return float(ratio(chi_square, scores.total) - ratio(coefficients, scores.rows))


@of_probabilities(
    title="Nagelkerke's R2",
    aliases=("nagelkerke", "cragg_uhler_r2"),
    direction="up",
    bounds=(-inf, 1),
    formula=r"\frac{1 - (L_0 / L)^{2/n}}{1 - L_0^{2/n}}",
    undefined=ONE_CLASS,
    reference="Nagelkerke (1991), Biometrika 78:691",
    needs_classes=(0, 1),
    symmetric=True,
)
def nagelkerke_r2(scores: ScoreCounts) -> float:
    """Likelihood gained over the prevalence alone, relative to the maximum.

    Of the probabilities as they stand, so below 0 if they are worse than the prevalence.

    Examples
    --------
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 0]) == 1
    >>> nagelkerke_r2(ScoreCounts.of(truth, np.repeat([0.25, 0.75], 4)))  # (1 - 0.7698) / (1 - 1/4)
    0.306933
    """
    gain = over_prevalence(scores)
    if isnan(gain):
        return nan
    # of a class with hardly any weight the whole is small, and not to be lost beside 1
    whole = -np.expm1(2 * null_likelihood(scores) / scores.total)
    with np.errstate(over="ignore"):
        share = -np.expm1(-gain / scores.total)
    return float(share / whole) if whole else nan


@of_gain(
    kind=TestStatistic(),
    title="Discrimination chi-square (val.prob D:Chi-sq)",
    aliases=("model_likelihood_ratio",),
    formula=r"2 (\ln L_p - \ln L_0)",
)
def discrimination_chi_square(scores: ScoreCounts) -> float:
    """Likelihood ratio of the probabilities against the prevalence alone.

    Examples
    --------
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 0]) == 1
    >>> discrimination_chi_square(ScoreCounts.of(truth, np.repeat([0.25, 0.75], 4)))
    2.092993
    """
    return over_prevalence(scores)


@of_gain(
    title="Discrimination index (val.prob D)",
    formula=r"\frac{\chi^2_D - 1}{n}",
    **of_row,
)
def discrimination_index(scores: ScoreCounts) -> float:
    """Likelihood gained over the prevalence alone, per row, minus one coefficient.

    Examples
    --------
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 0]) == 1
    >>> discrimination_index(ScoreCounts.of(truth, np.repeat([0.25, 0.75], 4)))  # 1.092993 / 8
    0.136624
    """
    return a_row(over_prevalence(scores), 1, scores)


@of_line(
    kind=TestStatistic(),
    title="Unreliability chi-square (val.prob U:Chi-sq)",
    aliases=("recalibration_likelihood_ratio",),
    direction="target",
    best=0,
    bounds=(0, inf),
    formula=r"2 (\ln L_{a + b \operatorname{logit} p} - \ln L_p)",
    reference=MILLER,
)
def unreliability_chi_square(scores: ScoreCounts, *, clip: float = 0.0) -> float:
    """Likelihood ratio of recalibrated probabilities against those as they are.

    Examples
    --------
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 0]) == 1
    >>> unreliability_chi_square(ScoreCounts.of(truth, np.repeat([0.25, 0.75], 4)))
    0.0
    """
    return by_recalibration(scores, clip)


@of_line(
    kind=TestStatistic(),
    title="Unreliability p-value (val.prob U:p)",
    aliases=("recalibration_p_value",),
    direction="none",
    bounds=(0, 1),
    formula=r"P(\chi^2_2 \ge \chi^2_U)",
    reference=MILLER,
)
def unreliability_p_value(scores: ScoreCounts, *, clip: float = 0.0) -> float:
    """Probability of so large a gain by recalibration if the probabilities were right.

    Examples
    --------
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 0]) == 1
    >>> unreliability_p_value(ScoreCounts.of(truth, np.repeat([0.25, 0.75], 4)))
    1.0
    """
    # with two degrees of freedom the tail of chi-square is an exponential
    return float(np.exp(-by_recalibration(scores, clip) / 2))


@of_line(
    kind=NoInterval(),
    title="Unreliability index (val.prob U)",
    direction="down",
    formula=r"\frac{\chi^2_U - 2}{n}",
    **of_row,
    reaches_best=False,
)
def unreliability_index(scores: ScoreCounts, *, clip: float = 0.0) -> float:
    """Likelihood gained by recalibration, per row, minus its two coefficients.

    Examples
    --------
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 0]) == 1
    >>> unreliability_index(ScoreCounts.of(truth, np.repeat([0.25, 0.75], 4)))  # -2 / 8
    -0.25
    """
    return a_row(by_recalibration(scores, clip), 2, scores)


@of_line(
    kind=NoInterval(),
    title="Quality index (val.prob Q)",
    direction="up",
    formula=r"D - U",
    **of_row,
    reaches_best=False,
)
def quality_index(scores: ScoreCounts, *, clip: float = 0.0) -> float:
    """The discrimination index minus the unreliability index.

    Examples
    --------
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 0]) == 1
    >>> quality_index(ScoreCounts.of(truth, np.repeat([0.25, 0.75], 4)))  # 1.092993 / 8 + 0.25
    0.386624
    """
    return discrimination_index(scores) - unreliability_index(scores, clip=clip)


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

    return _groups(scores, groups, way)


@kept
def _groups(scores: ScoreCounts, groups: int, way: str) -> Groups:
    starts = {0} if len(scores.score) else set()
    starts |= {_start(scores, k, groups, way) for k in range(1, groups)}
    starts.discard(len(scores.score))
    weight, observed, expected = (part[::-1] for part in sums_between(scores, sorted(starts)))
    present = weight > 0
    return Groups(weight[present], observed[present], expected[present])


def _start(scores: ScoreCounts, number: int, groups: int, way: str) -> int:
    """Where, among the falling scores, the group of this number (from the lowest) starts."""
    n, count = scores.total, len(scores.score)
    if way == "equal count":
        most = number * n * (1 + 1e-12)
        return first_where(count, lambda i: _rank(scores, i) * groups <= most)
    if way == "quantile":
        exact = 1 + (n - 1) * number / groups
        low = _score_at_rank(scores, floor(exact))
        high = _score_at_rank(scores, ceil(exact))
        part = exact - floor(exact)
        border = (1 - part) * low + part * high if high != low else low
    else:
        # type 2 halves the way to the next row where this is whole: no row lies between
        border = _score_at_rank(scores, ceil(n * number / groups))
    return first_where(count, lambda i: bool(scores.score[i] <= border))


def _rank(scores: ScoreCounts, index: int) -> float:
    """Mean rank, from the lowest, of the rows at a score."""
    both = above(scores, index) + above(scores, index + 1)
    return float(scores.total - both / 2 + 0.5)


def _score_at_rank(scores: ScoreCounts, rank: float) -> float:
    """The score of the row of this rank from the lowest."""
    below = scores.total - rank  # rows that may stand at or above the one sought, without it
    position = first_where(len(scores.score), lambda i: above(scores, i + 1) > below)
    return float(scores.score[min(position, len(scores.score) - 1)])


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


def note_on_groups(
    scores: ScoreCounts, *, groups: int = 10, cut: str = "quantile", **_: Any
) -> str:
    """That ties, or too few rows, left fewer groups than asked for."""
    count = len(groups_of(scores, groups, cut).weight)
    return f"{count} of {groups} groups have rows" if count < groups else ""


@measure(
    kind=TestStatistic(),
    title="Hosmer-Lemeshow statistic",
    aliases=("hosmer_lemeshow_chi_square", "hoslem"),
    direction="down",
    bounds=(0, inf),
    formula=r"\sum_g \frac{(O_g - E_g)^2}{E_g (1 - E_g / n_g)}",
    reference=HOSMER,
    note=note_on_groups,
    needs_probability=True,
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
    note=note_on_groups,
    needs_probability=True,
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
    parts = groups_of(scores, groups, cut)
    freedom = len(parts.weight) - (2 if chosen("df", df, "g", "g-2") == "g-2" else 0)
    return chi_square_tail(freedom, parts.chi_square) if freedom > 0 else nan


of_test = partial(
    measure,
    kind=TestStatistic(),
    undefined="every probability is 0, 0.5 or 1",
    reference="Spiegelhalter (1986), Stat. Med. 5:421",
    needs_probability=True,
)


@kept
def spiegelhalter_parts(scores: ScoreCounts) -> tuple[float, float]:
    """The excess of the Brier score over what the probabilities expect, and its variance."""
    excess, variance = 0.0, 0.0
    for block in blocks(len(scores.score)):
        p, positives = scores.score[block], scores.positives[block]
        weight = positives + scores.negatives[block]
        expected = weight * p
        turn = 1.0 - 2.0 * p
        excess += sum_of_products(positives - expected, turn)
        expected *= 1.0 - p
        turn *= turn
        variance += sum_of_products(expected, turn)
    return excess, variance


@of_test(
    title="Spiegelhalter's z",
    aliases=("spiegelhalter",),
    direction="target",
    best=0,
    formula=r"\frac{\sum_i (y_i - p_i)(1 - 2 p_i)}{\sqrt{\sum_i (1 - 2 p_i)^2 p_i (1 - p_i)}}",
    symmetric=True,
)
def spiegelhalter_z(scores: ScoreCounts) -> float:
    """Number of standard errors by which the Brier score exceeds its expectation.

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.array([1, 0, 0, 0]) == 1
    >>> spiegelhalter_z(ScoreCounts.of(truth, np.full(4, 0.1)))  # 0.6 * 0.8 / (0.8 * 0.6)
    1.0
    """
    excess, variance = spiegelhalter_parts(scores)
    return float(ratio(excess, sqrt(variance)))


@of_test(
    title="Spiegelhalter's p-value",
    aliases=("spiegelhalter_p",),
    direction="none",
    bounds=(0, 1),
    formula=r"2 \Phi(-|z|)",
    symmetric=True,
)
def spiegelhalter_p_value(scores: ScoreCounts) -> float:
    """Probability of a Brier score so far off if the probabilities were right.

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.array([1, 0, 0, 0]) == 1
    >>> spiegelhalter_p_value(ScoreCounts.of(truth, np.full(4, 0.1)))
    0.317311
    """
    return erfc(abs(spiegelhalter_z(scores)) / sqrt(2.0))
