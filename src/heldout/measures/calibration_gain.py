"""Likelihood of the truth: what the probabilities gain, and what recalibrating them would."""

from __future__ import annotations

from functools import partial
from math import inf, isnan, log, nan
from typing import Any

import numpy as np

from heldout.core.ratio import ratio
from heldout.measures.calibration_bins import remembered
from heldout.measures.calibration_fit import best_line, within
from heldout.measures.calibration_line import NO_LINE, no_line
from heldout.measures.calibration_passes import log_likelihood
from heldout.measures.kinds import NoInterval, TestStatistic
from heldout.measures.registry import measure
from heldout.tally.scores import ScoreCounts

__all__ = [
    "discrimination_chi_square",
    "discrimination_index",
    "nagelkerke_r2",
    "quality_index",
    "unreliability_chi_square",
    "unreliability_index",
    "unreliability_p_value",
]

MILLER = "Miller, Hui and Tierney (1991), Stat. Med. 10:1213"
HARRELL = "Harrell (2015), Regression Modeling Strategies, 2nd ed. (val.prob)"
ONE_CLASS = "all rows are of one class"

#: what all likelihood ratios have in common, and what those have that need a fitted line
of_probabilities = partial(measure, needs_probability=True, averaged=False)
of_likelihood = partial(of_probabilities, weight_scale=True, reference=HARRELL)
of_gain = partial(of_likelihood, undefined=ONE_CLASS, direction="up", reaches_best=False)
of_line = partial(of_likelihood, undefined=NO_LINE, note=no_line)
#: what is taken off for coefficients is a share of the rows as such, whatever their weights
of_row: dict[str, Any] = {"weight_scale": False, "by_rows": True}


def null_likelihood(scores: ScoreCounts) -> float:
    """Log likelihood of predicting the share of positives for every row."""
    parts = (scores.total_positives, scores.total_negatives)
    return float(sum(part * log(part / scores.total) for part in parts if part))


def own_likelihood(scores: ScoreCounts) -> float:
    """Log likelihood of the probabilities as they are."""
    return remembered(scores, "own likelihood", lambda: log_likelihood(scores))


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
    symmetric=True,
    needs_classes=(0, 1),
)
def nagelkerke_r2(scores: ScoreCounts) -> float:
    """Likelihood gained over the mere prevalence, as a share of all there is.

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
    symmetric=True,
    needs_classes=(0, 1),
)
def discrimination_chi_square(scores: ScoreCounts) -> float:
    """Likelihood ratio of the probabilities against the mere prevalence.

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
    symmetric=True,
    needs_classes=(0, 1),
)
def discrimination_index(scores: ScoreCounts) -> float:
    """Likelihood gained over the mere prevalence, a row, less one coefficient.

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
    symmetric=True,
    needs_classes=(0, 1),
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
    symmetric=True,
    needs_classes=(0, 1),
)
def unreliability_p_value(scores: ScoreCounts, *, clip: float = 0.0) -> float:
    """Probability of so large a gain by recalibration if there were none to make.

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
    symmetric=True,
    needs_classes=(0, 1),
)
def unreliability_index(scores: ScoreCounts, *, clip: float = 0.0) -> float:
    """Likelihood gained by recalibration, a row, less its two coefficients.

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
    symmetric=True,
    needs_classes=(0, 1),
)
def quality_index(scores: ScoreCounts, *, clip: float = 0.0) -> float:
    """The discrimination index less the unreliability index.

    Examples
    --------
    >>> truth = np.array([1, 0, 0, 0, 1, 1, 1, 0]) == 1
    >>> quality_index(ScoreCounts.of(truth, np.repeat([0.25, 0.75], 4)))  # 1.092993 / 8 + 0.25
    0.386624
    """
    return discrimination_index(scores) - unreliability_index(scores, clip=clip)
