"""The area under the ROC curve: DeLong's variance, and intervals (DeLong, Hanley, Newcombe)."""

from __future__ import annotations

from math import exp, fsum, inf, log, nan, sqrt
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from heldout.core.errors import InputError
from heldout.core.memo import once
from heldout.core.sums import sum_of_products
from heldout.core.threads import each_block
from heldout.tally.roc import area as area_under_curve
from heldout.tally.roc import is_exact
from heldout.uncertainty.influence import freedom_by_tails
from heldout.uncertainty.interval import Interval, absent, checked_level
from heldout.uncertainty.proportions import crossing
from heldout.uncertainty.quantiles import two_sided_normal, two_sided_student
from heldout.uncertainty.worth import effective_sample_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.tally.scores import ScoreCounts

Scale = Literal["logit", "plain"]
NAMES = {"logit": "DeLong on the logit scale, Student's t", "plain": "DeLong"}
#: rows of the smaller class from which Student's distribution is the normal one
MANY_OF_A_CLASS = 10_000


class _Placed(NamedTuple):
    """The area, its variance with degrees of freedom, and the rows of each class it rests on."""

    area: float
    variance: float
    positives: float
    negatives: float
    freedom: float = inf


def auc_variance(scores: ScoreCounts, squares: ScoreCounts | None = None) -> float:
    """DeLong's variance of the area under the ROC curve; NaN below two rows of each class.

    The placement of a positive row is the share of the negatives below it (a tie counts
    half), of a negative row the share of the positives above it. The variance is that of
    the mean placement of the positives plus that of the negatives.

    Parameters
    ----------
    scores
        Positives and negatives at each distinct score.
    squares
        For weighted rows: the same tally made with the squares of the weights. Rows then
        count as a sample drawn with these weights, and the scale of the weights does not
        matter. Without it counts are numbers of rows, also where they are not whole.

    Notes
    -----
    DeLong et al. (1988), Biometrics 44:837; Sun and Xu (2014), IEEE Signal Process. Lett.
    21:1389. One pass over the distinct scores.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth = np.array([True, True, False, False])
    >>> auc_variance(ScoreCounts.of(truth, np.array([4.0, 2.0, 3.0, 1.0])))
    0.125
    """
    return _known(scores, squares).variance


def delong_interval(
    scores: ScoreCounts,
    *,
    level: float = 0.95,
    scale: Scale = "logit",
    squares: ScoreCounts | None = None,
) -> Interval:
    """The interval of the area under the ROC curve.

    Parameters
    ----------
    scale
        ``logit``: symmetric for the log odds of the area, so that the limits stay in
        [0, 1], by Student's t: few rows of a class know little of how they vary. ``plain``:
        area and standard error as they are, normal, as pROC does; limits are cut.
    squares
        See ``auc_variance``.

    Notes
    -----
    The degrees of freedom are Satterthwaite's of the two classes' variances, each with one less
    than its rows or, where few rows make it up, what its fourth moment says (see
    ``Influence.spread``).

    An area of 1 (or 0) has no estimated variance. The limit is then exact: if k positives
    and k negatives are paired off, all pairs are in order with probability area^k, so the
    lower limit is the area for which that is half of what the level leaves. It holds
    whatever the scores' distributions, with k the smaller class.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth = np.array([True, True, False, True, False, False])
    >>> interval = delong_interval(ScoreCounts.of(truth, np.arange(6.0)[::-1]))
    >>> interval.low, interval.high
    (0.088, 0.9985)
    """
    if scale not in NAMES:
        raise InputError(f"the scale of DeLong's interval is logit or plain, not {scale!r}")
    level = checked_level(level)
    title = NAMES[scale]
    placed = _known(scores, squares)
    reason = lack_of_rows(placed.positives, placed.negatives)
    if not reason and len(scores.score) == 1:
        reason = "every row has the same score: the area is 1/2 by definition"
    if reason:
        return absent(reason, level=level, method=title)
    if placed.area in (0.0, 1.0):
        return _separated(placed, level)
    reach = two_sided_student(level, placed.freedom) * sqrt(placed.variance)
    if scale == "plain":
        reach = two_sided_normal(level) * sqrt(placed.variance)
        interval = Interval(placed.area - reach, placed.area + reach, level, title)
        return interval.within((0, 1))
    odds = log(placed.area) - log(1 - placed.area)
    reach /= placed.area * (1 - placed.area)
    return Interval(_expit(odds - reach), _expit(odds + reach), level, title)


def lack_of_rows(positives: float, negatives: float) -> str:
    """Why there are too few rows of a class to see how placements vary; empty if enough."""
    for count, word in ((positives, "positive"), (negatives, "negative")):
        if count < 1.5:
            many = "only one row is" if count > 0.5 else "no row is"
            return f"{many} {word}: at least two of each class are needed"
    return ""


def _separated(placed: _Placed, level: float) -> Interval:
    pairs = min(placed.positives, placed.negatives)
    far = exp(log((1 - level) / 2) / pairs)
    method = f"exact, from {pairs:g} independent pairs in order"
    low, high = (far, 1.0) if placed.area == 1 else (0.0, 1 - far)
    note = f"DeLong's variance is 0 at an area of {int(placed.area == 1)}"
    return Interval(low, high, level, method).noted(note)


def _known(scores: ScoreCounts, squares: ScoreCounts | None) -> _Placed:
    """Made once a tally: the slices of a table are all compared with the same whole."""
    if squares is None:
        return once(scores, "DeLong", lambda s: _placed(s, None))
    return _placed(scores, squares)


def _placed(scores: ScoreCounts, squares: ScoreCounts | None) -> _Placed:
    squares = scores if squares is None else squares
    if squares is not scores and not np.array_equal(squares.score, scores.score):
        raise InputError("squares is the tally of the same rows with squared weights")
    positives, negatives = float(scores.total_positives), float(scores.total_negatives)
    n_positive = effective_sample_size(positives, float(squares.total_positives))
    n_negative = effective_sample_size(negatives, float(squares.total_negatives))
    if not scores.has_both:
        return _Placed(nan, nan, n_positive, n_negative)
    area = _area(scores)
    if lack_of_rows(n_positive, n_negative):
        return _Placed(area, nan, n_positive, n_negative)

    is_many = min(n_positive, n_negative) >= MANY_OF_A_CLASS

    def powers(block: slice) -> tuple[float, float, float, float]:
        above, below = _placements(scores, block)
        sums = []
        for counts, placed in ((squares.positives, below), (squares.negatives, above)):
            placed -= area
            often = counts[block].astype(float)
            np.square(placed, out=placed)
            sums.append(float(sum_of_products(often, placed)))
            if not is_many:
                np.square(placed, out=placed)
            sums.append(0.0 if is_many else float(sum_of_products(often, placed)))
        return sums[0], sums[1], sums[2], sums[3]

    parts = each_block(powers, len(scores.score))
    second, fourth, other_second, other_fourth = map(fsum, zip(*parts, strict=True))
    classes = []
    for total, size, square, power in (
        (positives, n_positive, second, fourth),
        (negatives, n_negative, other_second, other_fourth),
    ):
        freedom = size - 1
        if not is_many and squares is scores:
            freedom = min(freedom, freedom_by_tails(square, power, size))
        classes.append((square / total**2 * size / (size - 1), max(freedom, 1.0)))
    variance = sum(part for part, _ in classes)
    known = sum(part**2 / freedom for part, freedom in classes)
    return _Placed(area, variance, n_positive, n_negative, variance**2 / known if known else inf)


def _area(scores: ScoreCounts) -> float:
    """The area; exactly 1 or 0 where the classes are apart, whatever the rounding."""
    first_negative = int(np.searchsorted(scores.fp, 0, side="right"))
    if first_negative and scores.tp[first_negative - 1] == scores.total_positives:
        return 1.0
    first_positive = int(np.searchsorted(scores.tp, 0, side="right"))
    if first_positive and scores.fp[first_positive - 1] == scores.total_negatives:
        return 0.0

    if is_exact(scores):
        return area_under_curve(scores)

    def placed(block: slice) -> float:
        _, below = _placements(scores, block)
        return float(sum_of_products(scores.positives[block].astype(float), below))

    return fsum(each_block(placed, len(scores.score))) / float(scores.total_positives)


def _placements(scores: ScoreCounts, block: slice) -> tuple[NDArray[Any], NDArray[Any]]:
    """The share of the positives above and of the negatives below each score of a block."""
    above, below = scores.positives[block] * -0.5, scores.negatives[block] * 0.5
    above += scores.tp[block]
    above /= scores.total_positives
    below -= scores.fp[block]
    below /= scores.total_negatives
    below += 1
    return above, below


def _expit(odds: float) -> float:
    return 1 / (1 + exp(-odds)) if odds >= 0 else exp(odds) / (1 + exp(odds))


def newcombe_interval(
    area: float, positives: float, negatives: float, *, level: float = 0.95
) -> Interval:
    """Areas from which the one found is not too far, by their own standard error.

    The standard error is Hanley and McNeil's, which follows from the area and the numbers
    of rows alone. So the limits exist at an area of 1 too, and cover well in small samples
    where DeLong's variance is itself uncertain; in large ones DeLong's is the right one.

    Parameters
    ----------
    positives, negatives
        Rows of each class (of weighted rows: effective sample sizes).

    Notes
    -----
    Newcombe (2006), Stat. Med. 25:559, method 5.

    Examples
    --------
    >>> interval = newcombe_interval(1.0, 10, 10)
    >>> interval.low, interval.high
    (0.8002, 1.0)
    """
    level = checked_level(level)
    reason = lack_of_rows(positives, negatives)
    if reason:
        return absent(reason, level=level, method="Newcombe")
    square = two_sided_normal(level) ** 2
    extra = (positives + negatives) / 2 - 1

    def excess(truth: float) -> float:
        """How much further the area found is from this one than it may be, squared."""
        spread = 1 + extra * ((1 - truth) / (2 - truth) + truth / (1 + truth))
        variance = truth * (1 - truth) * spread / (positives * negatives)
        return (area - truth) ** 2 - square * variance

    low = crossing(lambda truth: -excess(truth), 0.0, area)
    return Interval(low, crossing(excess, area, 1.0), level, "Newcombe")
