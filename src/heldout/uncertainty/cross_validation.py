"""Intervals after cross-validation: of values of splits, of nested folds, of areas within folds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, inf, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.codes import dense_codes
from heldout.core.dialect import argument, worded
from heldout.core.errors import InputError
from heldout.core.notes import Kind, Note
from heldout.uncertainty.influence import Influence, placements
from heldout.uncertainty.interval import Interval, absent, checked_level
from heldout.uncertainty.means import ALIKE, ONE_GROUP, SAME_LOSS, influence_interval
from heldout.uncertainty.quantiles import two_sided_normal, two_sided_student

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Losses = NDArray[np.float64]

NAIVE = (
    "the standard error over folds treats folds as independent samples, but "
    "they share most of their training rows: it is too small, and no estimate "
    "of it is unbiased (Bengio and "
    "Grandvalet 2004). Leave {interval} out: one that is valid for the procedure is chosen"
)


def refuse_naive() -> InputError:
    """The error that says why the spread of folds is no standard error."""
    return InputError(f"{argument('interval', 'naive')}: {worded(NAIVE)}")


#: degrees of freedom of 10 x 10 folds (Bouckaert 2003)
CALIBRATED = 10


def split_freedom(splits: float, folds: int) -> float:
    """Degrees of freedom of the corrected t, at most 10 where rows are tested repeatedly.

    Nadeau and Bengio (2003) take one less than splits, of which they make 15. Repeats add splits
    but no rows, and with learners that change with a few rows the test then finds differences
    that are not there in up to 12 % of samples at 5 %. Bouckaert (2003), Choosing between two
    learning algorithms based on calibrated tests, Proc. 20th ICML, 51, finds that reuse of rows
    leaves far fewer degrees of freedom than splits, and by calibration 10 for the t test of
    10 x 10 folds. To take them together with the corrected variance is heldout's own.

    ``folds``: in each repeat; 1 for repeated holdouts.

    Examples
    --------
    >>> split_freedom(100, 10), split_freedom(20, 20), split_freedom(100, 1)
    (10, 19, 10)
    """
    return splits - 1 if splits <= folds else min(splits - 1, CALIBRATED)


def corrected_t_interval(
    values: NDArray[np.float64],
    test_share: float,
    *,
    level: float = 0.95,
    centre: float | None = None,
    folds: int | None = None,
) -> Interval:
    """Nadeau and Bengio's corrected t interval of a mean over repeated splits.

    The variance over splits is taken times 1/J + n_test/n_train instead of 1/J, because the
    splits' training parts overlap.

    Parameters
    ----------
    values
        The value of a measure in each split (J of them: repeats times folds).
    test_share
        Rows tested over rows trained on, in a split.
    centre
        What the interval lies around; None: the mean of the values.
    folds
        In each repeat, which decides the degrees of freedom (``split_freedom``); None: one less
        than splits.

    Notes
    -----
    Nadeau and Bengio (2003), Mach. Learn. 52:239; for repeated k-fold Bouckaert and Frank
    (2004), PAKDD. A heuristic correction: see docs/coverage.md.

    Examples
    --------
    >>> made = corrected_t_interval(np.array([0.8, 0.9, 0.7, 0.8]), 1 / 9)
    >>> made.low, made.high
    (0.6438, 0.9562)
    """
    level = checked_level(level)
    count = len(values)
    method = f"corrected t over {count:,} splits (Nadeau and Bengio 2003)"
    if count < 2:
        return absent("the spread cannot be estimated from one split", level=level, method=method)
    if not np.isfinite(values).all():
        return absent("a split's value is infinite", level=level, method=method)
    variance = float(np.var(values, ddof=1))
    mean = float(np.mean(values)) if centre is None else centre
    # values that differ by rounding alone have no spread either
    if variance <= 1e-28 * max(mean * mean, 1e-300):
        return absent("all splits have the same value", level=level, method=method)
    freedom = split_freedom(count, count if folds is None else folds)
    reach = two_sided_student(level, freedom) * sqrt((1 / count + test_share) * variance)
    return Interval(mean - reach, mean + reach, level, method)


@dataclass(frozen=True, slots=True, eq=False)
class SplitParts:
    """A mean over the splits of several repeats.

    Parameters
    ----------
    value
        The mean, which the interval lies around.
    values
        The value of the measure in each split.
    test_share
        Rows tested over rows trained on, in a split.
    bounds
        Range of the measure.
    of_rows
        Makes the interval that rows (or groups) have, each counted once; None: unknown.
    cuts_groups
        Whether splits cut groups, which then make all splits err alike.
    is_plain
        Whether rows weigh the same and stand alone.
    folds
        In each repeat; None: nothing is repeated.
    """

    value: float
    values: NDArray[np.float64]
    test_share: float
    bounds: tuple[float, float] = (-inf, inf)
    of_rows: Callable[[], Interval] | None = None
    cuts_groups: bool = False
    is_plain: bool = True
    folds: int | None = None


def split_interval(parts: SplitParts, *, level: float = 0.95) -> Interval:
    """The corrected t interval, no narrower than the rows make it that the splits judge.

    Stratified splits hide how much class shares vary, and the spread of splits that cut groups
    does not show what these have in common: the rows themselves do.
    """
    values = parts.values[~np.isnan(parts.values)]
    corrected = corrected_t_interval(
        values, parts.test_share, level=level, centre=parts.value, folds=parts.folds
    )
    corrected = corrected.within(parts.bounds)
    if parts.of_rows is None:
        return corrected
    rows = parts.of_rows()
    if parts.cuts_groups:
        return rows if rows.is_absent else joined_interval(rows, corrected, "the groups make it")
    if corrected.is_absent and np.isfinite(values).all() and len(values) > 1:
        instead = "all splits have the same value: an interval of the rows instead"
        return rows if rows.is_absent else rows.noted(instead)
    if rows.is_absent:
        return corrected
    return (wider_interval if parts.is_plain else joined_interval)(rows, corrected)


def wider_interval(rows: Interval, corrected: Interval, maker: str = "") -> Interval:
    """The wider of an interval of rows or groups and that of the spread of splits."""
    if rows.width > corrected.width or corrected.is_absent:
        than = "" if corrected.is_absent else f", wider than the {corrected.method}"
        return replace(rows, method=f"{rows.method}{than}")
    than = f", wider than {maker} in one repeat" if maker else ""
    return replace(corrected, method=f"{corrected.method}{than}")


def joined_interval(rows: Interval, corrected: Interval, maker: str = "") -> Interval:
    """The wider of both, no narrower than the other on either side."""
    wider = wider_interval(rows, corrected, maker)
    if corrected.is_absent:
        return wider
    first, second = (rows, corrected) if rows.width > corrected.width else (corrected, rows)
    if first.low <= second.low and second.high <= first.high:
        return wider
    low, high = min(rows.low, corrected.low), max(rows.high, corrected.high)
    return replace(wider, low=low, high=high, method=f"{first.method}, joined with {second.method}")


def mean_of_limits(repeats: Sequence[tuple[Interval, float]]) -> Interval:
    """The mean of the limits that each repeat has, as if it were the only one, by its weight.

    Repeats judge the same rows, so their mean is no surer than one of them by much, and no
    less sure. Where a repeat has no limits, the mean of the values has none.

    Examples
    --------
    >>> ends = [(0.6, 0.8), (0.7, 0.8)]
    >>> made = mean_of_limits([(Interval(*pair, 0.95, "Wilson"), 1.0) for pair in ends])
    >>> made.low, made.high, made.method
    (0.65, 0.8, "Wilson, mean of 2 repeats' limits")
    """
    for interval, _ in repeats:
        if interval.is_absent:
            return interval
    weights = [weight for _, weight in repeats]
    low = float(np.average([interval.low for interval, _ in repeats], weights=weights))
    high = float(np.average([interval.high for interval, _ in repeats], weights=weights))
    # the same in whatever order repeats come
    first = min((interval for interval, _ in repeats), key=lambda i: (i.method, i.note))
    method = f"{first.method}, mean of {len(repeats)} repeats' limits"
    return replace(first, low=low, high=high, method=method)


#: with fewer repeats of the folds the error is said to be uncertain
FEW_REPEATS = 10


def nested_interval(
    outer: Sequence[Sequence[Losses]],
    inner: Sequence[Sequence[Sequence[Losses]]],
    *,
    level: float = 0.95,
    bounds: tuple[float, float] = (-inf, inf),
) -> tuple[float, Interval]:
    """The estimate without the bias of fewer training rows, and its interval.

    Parameters
    ----------
    outer
        ``outer[r][k]``: losses of the rows of fold k in repeat r, by the model of the other
        K - 1 folds.
    inner
        ``inner[r][k]``: the losses of the inner cross-validation of those K - 1 folds, an
        array for each of them, by the model of the other K - 2.

    Notes
    -----
    Bates, Hastie and Tibshirani (2023), J. Am. Stat. Assoc. 119:1434. The standard error is
    kept between the naive one and sqrt(K) times it, as they advise.
    """
    level = checked_level(level)
    repeats, folds = len(outer), len(outer[0])
    method = f"nested cross-validation, {repeats} x {folds} folds (Bates et al. 2023)"
    differences, noises, nested = [], [], []
    for held, within in zip(outer, inner, strict=True):
        for losses, others in zip(held, within, strict=True):
            together = np.concatenate(others)
            if not (np.isfinite(losses).all() and np.isfinite(together).all()):
                return inf, absent("a row's loss is infinite", level=level, method=method)
            if len(losses) < 2:
                reason = "a fold of one row has no spread: use fewer folds"
                return float("nan"), absent(reason, level=level, method=method)
            nested.append(float(together.mean()))
            differences.append((float(together.mean()) - float(losses.mean())) ** 2)
            noises.append(float(losses.var(ddof=1)) / len(losses))
    everything: Any = np.concatenate([losses for held in outer for losses in held])
    rows = len(everything) // repeats
    plain = float(np.mean([np.concatenate(list(held)).mean() for held in outer]))
    estimate = float(np.mean(nested))
    # models of the inner runs have one fold less to learn from, twice
    estimate -= (1 + (folds - 2) / folds) * (estimate - plain)
    naive = float(everything.std(ddof=1)) / sqrt(rows)
    if not naive:
        return estimate, absent(SAME_LOSS, level=level, method=method)
    spread = max(float(np.mean(differences)) - float(np.mean(noises)), 0.0)
    error = sqrt((folds - 1) / folds) * sqrt(spread)
    error = min(max(error, naive), sqrt(folds) * naive)
    reach = two_sided_normal(level) * error
    interval = Interval(estimate - reach, estimate + reach, level, method).within(bounds)
    around = f"around the estimate {estimate:.6g}, corrected for bias"
    interval = interval.noted(Note(around, Kind.ESTIMATE))
    few = f"few repeats make it uncertain: the authors take 50 (50x{folds}-fold)"
    return estimate, interval.noted(few) if repeats < FEW_REPEATS else interval


@dataclass(frozen=True, slots=True, eq=False)
class FoldRanking:
    """Whether each row is positive, its score, its fold (of a repeat) and its group."""

    is_positive: NDArray[np.bool_]
    scores: NDArray[np.float64]
    folds: NDArray[np.integer[Any]]
    groups: NDArray[np.integer[Any]] | None = None


def fold_area_interval(rows: FoldRanking, *, level: float = 0.95) -> Interval:
    """The interval of the mean over folds of the area under the ROC curve, on the logit scale.

    Scores are compared within a fold only, so models of different folds need not agree on
    what a score means. Of rows in groups the influence of all rows of a group is summed first.

    Notes
    -----
    It is of the mean true area of the models that the folds fitted, to which each row adds
    its influence: LeDell, Petersen and van der Laan (2015), Electron. J. Stat. 9:1583. Their
    variance divides by rows where a fold has few, and covered 87 to 93 % in simulation; here
    the squares within folds are divided by their degrees of freedom, as DeLong's are, and
    Student's t takes the place of the normal quantile. What it does not see is how much a
    learner varies from one data set to the next.

    Examples
    --------
    >>> truth = np.array([1, 0, 1, 0, 1, 0, 0, 1]) == 1
    >>> score = np.array([0.9, 0.2, 0.4, 0.5, 0.8, 0.6, 0.3, 0.5])
    >>> made = fold_area_interval(FoldRanking(truth, score, np.repeat([0, 1], 4)))
    >>> made.low, made.high
    (0.0689, 0.9918)
    """
    method = "DeLong's variances within folds, logit scale, Student's t (LeDell et al. 2015)"
    influence = mean_of_areas(rows)
    if influence is None:
        return absent("a fold lacks one of the classes", level=level, method=method)
    mean = influence.value
    if not 0 < mean < 1 or not influence.shift.any():
        reason = "every fold ranks its rows perfectly" if mean >= 1 else "the areas do not vary"
        return absent(reason, level=level, method=method)
    if rows.groups is None:
        interval = influence_interval(influence, level=level, bounds=(0, 1), has_tails=False)
        return replace(interval, method=method)
    several = len(np.unique(rows.groups))
    if several < 2:
        return absent(ONE_GROUP, level=level, method=method)
    # around the mean of all folds: a group may be a fold, whose own sum is 0
    around_all = mean_of_areas(rows, around_folds=False)
    assert around_all is not None
    interval = influence_interval(
        around_all.by(dense_codes(rows.groups)[1]),
        level=level,
        bounds=(0, 1),
        least_error=influence.spread().error,
        is_grouped=True,
        has_tails=False,
    )
    method = f"influence of {several:,} groups on the folds' areas, logit scale, Student's t"
    # it is no longer DeLong's
    return replace(interval, by="(areas of groups)", method=method)


def repeated_area_interval(rows: FoldRanking, *, level: float = 0.95, often: float) -> Interval:
    """The interval of the mean area of the folds of all repeats, where groups lie across them.

    What a group moves the mean area by is summed over all folds in which it is judged; folds
    that lack a class are in no mean. ``often``: how often a row is judged.
    """
    _, codes = np.unique(rows.folds, return_inverse=True)
    positives = np.bincount(codes, rows.is_positive)
    has_both = ((positives > 0) & (positives < np.bincount(codes)))[codes]
    parts = rows.is_positive[has_both], rows.scores[has_both], rows.folds[has_both]
    groups = None if rows.groups is None else rows.groups[has_both]
    interval = fold_area_interval(FoldRanking(*parts, groups), level=level)
    alone = fold_area_interval(FoldRanking(*parts), level=level)
    if not interval.is_absent and not alone.is_absent:
        # of rows that stand alone, each but once
        low, high = _stretched(alone, sqrt(often))
        if high - low > interval.width:
            low, high = min(low, interval.low), max(high, interval.high)
            interval = replace(interval, low=low, high=high).noted(ALIKE)
    return interval


def _stretched(interval: Interval, by: float) -> tuple[float, float]:
    """Limits so many times as far from their middle on the logit scale."""
    low, high = (log(end / (1 - end)) for end in (interval.low, interval.high))
    middle, reach = (low + high) / 2, by * (high - low) / 2
    return 1 / (1 + exp(reach - middle)), 1 / (1 + exp(-reach - middle))


def mean_of_areas(rows: FoldRanking, *, around_folds: bool = True) -> Influence | None:
    """The mean area of folds, and what each row moves it by; None where a fold lacks a class.

    ``around_folds``: rows of a class vary around what they have in common in their fold, unless
    one stands there alone; else around the mean of all folds.
    """
    present, folds = np.unique(rows.folds, return_inverse=True)
    part, count = 2 * folds + rows.is_positive, len(present)
    sizes = np.bincount(part, minlength=2 * count)
    if not sizes.all():
        return None
    placed = np.empty(len(folds))
    for fold in range(count):
        own = np.flatnonzero(folds == fold)
        placed[own] = placements(rows.is_positive[own], rows.scores[own])
    areas = np.bincount(part, placed, minlength=2 * count)[1::2] / sizes[1::2]
    mean, is_within = float(areas.mean()), around_folds and sizes.min() > 1
    mass = 1 / (count * sizes[part])
    shift = mass * (placed - (areas[folds] if is_within else mean))
    strata = rows.is_positive.astype(np.int64)
    return Influence(mean, shift, mass, strata=strata, centres=count if is_within else 1)
