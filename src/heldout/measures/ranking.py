"""How well scores rank positives above negatives, over all thresholds."""

from __future__ import annotations

from functools import partial, wraps
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import chosen
from heldout.core.threads import blocks
from heldout.measures.kinds import Area, Maximum, line
from heldout.measures.registry import F, measure
from heldout.tally.hull import best_on_hull, hull
from heldout.tally.roc import area, partial_area
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Callable

#: a value, and the place of the score that reaches it
Placed = tuple[float, int]
NO_POSITIVE = "there is no positive row"
ONE_CLASS = "there is no positive row, or no negative row"


def at_score(counts: ScoreCounts, value: float, position: int) -> str:
    """The threshold that reaches a value, as a remark on it; nothing where it is undefined."""
    if isnan(value):
        return ""
    if position < 0:
        return "with no row called positive"
    return f"at score >= {counts.score[position].item():.6g}"


def reached(**declared: Any) -> Callable[[F], F]:
    """Declare what some threshold reaches: the function gives the value and the place of its score.

    The place is -1 where no row is called positive; the remark on the value says the score.
    """

    def declare(best: F) -> F:
        @wraps(best)
        def value(counts: ScoreCounts, **given: Any) -> float:
            return float(best(counts, **given)[0])

        def note(counts: ScoreCounts, **given: Any) -> str:
            return at_score(counts, *best(counts, **given))

        measure(**declared, note=note)(value)
        return best

    return declare


def require_share(name: str, value: float, *, above_zero: bool = False) -> None:
    """Refuse a parameter that is not a share of something."""
    if not 0 <= value <= 1 or (above_zero and value == 0):
        least = "above 0, at most 1" if above_zero else "from 0 to 1"
        raise InputError(f"{name}={value:g}: a number {least} is needed")


#: what needs rows of both classes to rank
of_ranking = partial(measure, direction="up", needs_classes=(0, 1))


@of_ranking(
    name="auc",
    title="Area under the ROC curve",
    aliases=(
        "roc_auc",
        "auroc",
        "auc_roc",
        "roc_area",
        "area_under_the_roc_curve",
        "c_statistic",
        "c_index",
        "concordance",
        "mann_whitney",
    ),
    bounds=(0, 1),
    formula=r"\frac{1}{PN} \sum_{i \in +} \sum_{j \in -}"
    r" \left([s_i > s_j] + \tfrac12 [s_i = s_j]\right)",
    undefined=ONE_CLASS,
    reference="Hanley & McNeil (1982), Radiology 143:29",
    headline=("binary",),
    kind=Area(),
    symmetric=True,
)
def area_under_roc(counts: ScoreCounts) -> float:
    """Probability that a positive row scores higher than a negative one; ties count one half.

    Scores are compared exactly: 1e-10 and 0 are different. A value below 0.5 is not turned
    round.

    Examples
    --------
    >>> truth, score = np.array([True, False, True]), np.array([0.8, 0.5, 0.5])
    >>> area_under_roc(ScoreCounts.of(truth, score))
    0.75
    """
    return area(counts)


@of_ranking(
    title="Partial area under the ROC curve",
    aliases=("pauc", "partial_auc", "partial_roc_auc"),
    bounds=(0, 1),
    formula=r"\int_{l}^{h} \mathrm{TPR}\, d\,\mathrm{FPR}",
    undefined=f"{ONE_CLASS}, or McClish's value would be below 0",
    reference="McClish (1989), Med. Decis. Making 9:190",
    reaches_best=False,  # its width is the most it can be
)
def partial_area_under_roc(
    counts: ScoreCounts,
    *,
    low: float = 0.0,
    high: float = 0.1,
    over: str = "fpr",
    mcclish: bool = False,
) -> float:
    """The area under the part of the ROC curve that lies in a range of one of its rates.

    Parameters
    ----------
    low, high
        The range, within 0 and 1. Between two points the curve is a straight line.
    over
        ``fpr``: a range of false positive rates, the area below the curve. ``specificity``:
        the same range said as 1 - FPR. ``sensitivity``: a range of sensitivities, the area
        right of the curve, that is the mean specificity times the width of the range (as pROC
        does with ``partial.auc.focus = "sens"``). Each is at most ``high - low``.
    mcclish
        Scaled so that the diagonal is 0.5 and a perfect curve 1, as scikit-learn does with
        ``max_fpr``. Far below the diagonal the formula leaves [0, 1]: undefined there.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> partial_area_under_roc(ScoreCounts.of(truth, score), high=0.5)
    0.25
    >>> partial_area_under_roc(ScoreCounts.of(truth, score), low=0.5, high=1, over="sensitivity")
    0.25
    """
    if not 0 <= low < high <= 1:
        raise InputError(f"low={low:g}, high={high:g}: a range within 0 and 1 is needed")
    over = chosen("over", over, "fpr", "specificity", "sensitivity")
    if over == "specificity":
        low, high = 1 - high, 1 - low
    of_sensitivity = over == "sensitivity"
    value = partial_area(counts, low, high, of_sensitivity=of_sensitivity)
    if mcclish:
        width = high - low
        middle = (low + high) / 2
        chance = width * (1 - middle if of_sensitivity else middle)
        value = (1 + (value - chance) / (width - chance)) / 2
    # a rounding over 1 is 1; a rounding under 0 cannot be told from McClish's below 0
    return min(value, 1.0) if value >= 0 else (0.0 if value > -1e-12 else nan)


@of_ranking(
    title="Gini coefficient",
    aliases=(
        "somers_d",
        "dxy",
        "accuracy_ratio",
        "gain_capture",
        "gini_coefficient",
        "roc_skill_score",
    ),
    bounds=(-1, 1),
    formula=r"2\,\mathrm{AUC} - 1",
    undefined=ONE_CLASS,
    reference="Somers (1962), Am. Sociol. Rev. 27:799",
    kind=Area(line(-1, 2)),
    symmetric=True,
)
def gini(counts: ScoreCounts) -> float:
    """The area between the ROC curve and the diagonal, relative to that of a perfect ranking.

    The same number is Somers' D of score and truth, the accuracy ratio of credit scoring, and
    yardstick's gain capture.

    Examples
    --------
    >>> truth, score = np.array([True, False, True]), np.array([0.8, 0.5, 0.5])
    >>> gini(ScoreCounts.of(truth, score))
    0.5
    """
    return 2 * area(counts) - 1


@of_ranking(
    title="Kolmogorov-Smirnov distance",
    aliases=("ks", "ks_statistic", "maximum_informedness", "max_youden"),
    bounds=(0, 1),
    formula=r"\max_t \left(\mathrm{TPR}(t) - \mathrm{FPR}(t)\right)",
    undefined=ONE_CLASS,
    reference="Hand & Henley (1997), J. R. Stat. Soc. A 160:523",
    kind=Maximum("distances"),
    symmetric=True,
)
def kolmogorov_smirnov(counts: ScoreCounts, *, two_sided: bool = False) -> float:
    """The largest excess of sensitivity over false positive rate at any threshold.

    A model that ranks the wrong way round has 0, as it can call no row positive. Two-sided
    (scipy's ``ks_2samp``): the largest distance of either sign, which rewards such a model.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> kolmogorov_smirnov(ScoreCounts.of(truth, score))
    0.5
    """
    if not counts.has_both:
        return nan
    positives, negatives = counts.total_positives, counts.total_negatives
    value, _ = best_on_hull(counts, lambda tp, fp: tp / positives - fp / negatives)
    if two_sided:
        for part in blocks(len(counts.score)):
            below = counts.fp[part] / negatives - counts.tp[part] / positives
            value = max(value, float(below.max()))
    return value


@of_ranking(
    title="H-measure",
    aliases=("h", "hmeasure", "hand_h"),
    bounds=(0, 1),
    formula=r"1 - \frac{\int \min_t"
    r" \left[c\,\pi_0 \mathrm{FPR}_t + (1-c)\,\pi_1 \mathrm{FNR}_t\right] u(c)\,dc}"
    r"{\int \min(c\,\pi_0, (1-c)\,\pi_1)\, u(c)\,dc}",
    undefined=ONE_CLASS,
    reference="Hand (2009), Mach. Learn. 77:103;"
    " Hand & Anagnostopoulos (2014), Pattern Recognit. Lett. 40:41",
    kind=Maximum("costs"),
)
def h_measure(counts: ScoreCounts, *, costs: str = "prevalence") -> float:
    r"""The share of the expected misclassification cost that the scores save, over many costs.

    The best threshold is taken for each pair of costs: ``c`` of a false positive, ``1 - c`` of
    a false negative. 0 is what a constant score reaches, 1 a perfect ranking.

    Parameters
    ----------
    costs
        How likely each ``c`` is. ``prevalence``: Beta(2, 1 + N/P), most likely where ``c`` is
        the share of positives, so that the rarer class is the dearer one (the default of R's
        hmeasure). ``shares``: Beta(1 + P/n, 1 + N/n), proposed in 2014. A number: how many
        times as bad a false positive is as a false negative, r, as Beta(2, 1 + 1/r); 1 is
        Beta(2, 2) of 2009.

    Examples
    --------
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> h_measure(ScoreCounts.of(truth, score))
    0.5
    """
    first, second = _cost_shape(costs, counts)
    if not counts.has_both:
        return nan

    def mean_costs(up_to: Any) -> tuple[Any, Any]:
        """The mean of c, and of 1 - c, over the costs from 0 up to one."""
        both = first + second
        return (
            first / both * _beta_up_to(first + 1, second, up_to),
            second / both * _beta_up_to(first, second + 1, up_to),
        )

    outline = hull(counts)
    tp, fp = outline.tp.astype(np.float64), outline.fp.astype(np.float64)
    rise, run = np.diff(tp), np.diff(fp)
    # a vertex is best for the costs between those at which its two edges break even
    share = counts.total_positives / counts.total
    points = np.concatenate([[1.0], rise / (rise + run), [0.0, share, 1.0]])
    of_fp, of_fn = mean_costs(points)
    trivial = counts.total_negatives * of_fp[-2] + counts.total_positives * (of_fn[-1] - of_fn[-2])
    of_fp, of_fn = (part[:-3] - part[1:-2] for part in (of_fp, of_fn))
    cost = np.dot(fp, of_fp) + np.dot(counts.total_positives - tp, of_fn)
    return float(min(max(1 - cost / trivial, 0.0), 1.0))  # at most a rounding outside


def _beta_up_to(first: float, second: float, x: Any) -> Any:
    """The probability of a Beta distribution up to x."""
    if first not in (2.0, 3.0):
        from heldout.core.special import betainc

        return betainc(first, second, x)
    # closed forms, so that the usual case does not wait for scipy to be imported
    inner = second * x + (second * (second + 1) / 2 * x * x if first == 3.0 else 0.0)
    with np.errstate(divide="ignore"):  # at x = 1 the logarithm is -inf, and the value 1
        return -np.expm1(second * np.log1p(-x) + np.log1p(inner))


def _cost_shape(costs: str, counts: ScoreCounts) -> tuple[float, float]:
    """The two shapes of the Beta distribution of the cost of a false positive."""
    if costs == "shares":
        share = counts.total_positives / counts.total if counts.total else nan
        return 1 + share, 2 - share
    if costs == "prevalence":
        return 2.0, 1 + counts.total_negatives / (counts.total_positives or nan)
    try:
        ratio = float(costs)
    except (TypeError, ValueError):
        ratio = nan
    if not 0 < ratio < float("inf"):
        raise InputError(f"costs={costs!r}: give prevalence, shares or a number above 0")
    return 2.0, 1 + 1 / ratio
