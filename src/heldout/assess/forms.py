"""What measures are made of: counts, shares, means of rows; what of that the design lets vary."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.values import (
    arguments_of,
    lacking,
    losses_of,
    pooled,
    table_of,
    tables_of_classes,
)
from heldout.core.notes import Lack, Reason
from heldout.curves.sources import RANKED
from heldout.measures.kinds import SAME, Fit, Mean
from heldout.predictions.split_design import REPEATED
from heldout.tally.class_scores import ClassScores
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.errors import ErrorRows
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.options import IntervalOptions


def count_statistic(request: Request, tallies: Tallies) -> Callable[[Confusion], Any]:
    """The overall value, an average over classes, or the value of one class."""
    measure, values = request.measure, request.values

    def each(counts: Confusion) -> Any:
        """The value of each class against the rest, on the last axis."""
        return measure(tables_of_classes(request, counts), **values)

    if request.label is not None:
        index = tallies.predictions.place_of(request.label)
        return lambda counts: each(counts)[..., index]
    if request.average == "micro":
        return lambda counts: measure(pooled(counts.one_vs_rest), **values)
    if request.average:
        # the classes that have a say are those of the data, not of each replicate
        kept = np.flatnonzero(~np.isnan(np.asarray(each(tallies.confusion), float)))
        if request.average == "macro":
            return lambda counts: each(counts)[..., kept].mean(axis=-1)
        return lambda counts: _weighted(each(counts)[..., kept], counts.actual[..., kept])
    return lambda counts: measure(table_of(request, counts), **values)


def of_share_right(request: Request, classes: int) -> Callable[[float], float] | None:
    """An average over classes as a monotone function of the accuracy; None where it is none.

    Of a share ``a`` of right answers the pooled counts of ``classes`` classes are ``a`` true
    positives, as many false positives as false negatives, and the rest true negatives.

    Examples
    --------
    >>> from heldout.measures.spec import parse_request
    >>> of_share_right(parse_request("f_score_micro"), 3)(0.75)
    0.75
    >>> of_share_right(parse_request("specificity_micro"), 3)(0.75)
    0.875
    """
    measure = request.measure
    if request.average == "weighted":
        return None if measure.share is None else measure.share.of_right
    # what describes and does not judge is no function of the right answers
    if request.average != "micro" or measure.direction not in ("up", "down"):
        return None

    def value(right: float) -> float:
        wrong = 1 - right
        return float(measure(Binary(right, wrong, wrong, classes - 1 - wrong), **request.values))

    return value


def _weighted(values: Any, rows: Any) -> Any:
    # a class of which nothing was drawn has no weight, whatever its value
    with np.errstate(invalid="ignore"):
        return np.where(rows > 0, values * rows, 0.0).sum(axis=-1) / rows.sum(axis=-1)


#: of more classes the limits are those of a mean
MOST_CLASSES = 100


def of_share_wrong(request: Request, tallies: Tallies) -> Callable[[float], float] | None:
    """A measure of one mean loss as a function of the share of rows that are wrong.

    Without scores a label counts as probability 1. A loss then takes one value for every right
    row and one for every wrong row, unless it heeds the order of the classes or priors that
    differ: it has the mean of a share, and its limits are those of the share. None where it
    takes other values, or there are scores.
    """
    p = tallies.predictions
    if p.task == "regression" or tallies.has_scores or not tallies.has_labels:
        return None
    if request.is_ordered or not 2 <= len(p.classes) <= MOST_CLASSES:
        return None
    rows = tallies.probability_rows
    if request.measure.uses_prior and rows.prior is not None and len(np.unique(rows.prior)) > 1:
        return None
    codes = None if p.prior is None else np.zeros(2, np.int64)
    pair = replace(
        rows, truth=np.array([0, 0]), predicted=np.array([0, 1]), weight=None, prior_codes=codes
    )
    ((loss, given),) = losses_of(request)
    with np.errstate(all="ignore"):
        right, wrong = np.asarray(loss(pair, **given), float).tolist()
    if not isfinite(right + wrong) or right == wrong:
        return None
    (moments,) = arguments_of(request, tallies)

    def function(share: float) -> float:
        mean = replace(moments, finite_mean=right + (wrong - right) * share)
        return float(request.measure(mean, **request.values))

    return function


ACROSS = (
    "rows of one group are in several folds, so that folds depend on each other: folds that keep "
    "groups whole (10-fold grouped) give one"
)
NOT_A_MEAN = Lack(
    "computed over predictions of several folds' models, for which none is known to be valid; "
    "one model on one test set (a holdout) has one",
    Reason.NOT_A_MEAN,
)
OF_FOLDS = Lack(f"{RANKED}: see the mean of the folds", Reason.RANKED)
NOT_BY_FOLD = (
    "this measure depends on the number of rows, and folds have few: take the pooled value"
)


def is_mean_of_rows(request: Request, tallies: Tallies) -> bool:
    """Whether the value is the mean of a loss of each row: accuracy, Brier score, MAE."""
    measure = request.measure
    if request.average:
        function = of_share_right(request, len(tallies.predictions.classes))
        # the accuracy or the error rate itself, under another name
        return function is not None and all(function(a) in (a, 1 - a) for a in (0.25, 0.75))
    if request.label is not None or not set(measure.needs) <= {Confusion, Moments}:
        return False
    return measure.share is not None or measure.transform is SAME


def is_smooth_in_rows(request: Request) -> bool:
    """Whether the value is a smooth function of means over rows, and ranks no rows."""
    return not {ScoreCounts, TopLabel, ClassScores, ErrorRows} & set(request.measure.needs)


def why_no_interval(request: Request, tallies: Tallies) -> Lack | None:
    """Why the design allows no interval of a value of all rows; None where it allows one."""
    design = tallies.design
    if lack := design.interval_lack:
        return lack
    if design.repeats > 1:
        return REPEATED
    if design.folds == 1 or is_smooth_in_rows(request):
        return None
    # each fold has a model of its own, whoever fitted them
    return OF_FOLDS if request.measure.by_fold and not design.is_leave_one_out else NOT_A_MEAN


def named_after(interval: Interval, request: Request, tallies: Tallies) -> Interval:
    """The interval with the reason for which the design allows it in its method."""
    if interval.is_absent or tallies.design.folds == 1:
        return interval
    rows = {Binary, Confusion, Moments} & set(request.measure.needs)
    theory = "Bayle et al. 2020" if rows else "as Bayle et al. 2020, by the delta method"
    named = replace(interval, method=f"{interval.method}, folds pooled ({theory})")
    if tallies.design.is_leave_one_out:
        return named.noted("leave-one-out: valid if a single row changes the model little")
    return named


def has_row_losses(request: Request, tallies: Tallies) -> bool:
    """Whether the measure is the mean of a loss that each row has."""
    if lacking(request, tallies) or request.average or request.label is not None:
        return False
    if is_share_of_rows(request):
        return tallies.has_labels
    return request.measure.needs == (Moments,) and is_mean_of_rows(request, tallies)


def is_share_of_rows(request: Request) -> bool:
    """Whether the measure counts rows that are right, or wrong, of whichever class."""
    share = request.measure.share
    return request.measure.needs == (Confusion,) and share is not None


def row_losses(request: Request, tallies: Tallies) -> NDArray[np.float64]:
    """The loss of each row; its mean is the measure's value."""
    share = request.measure.share
    if is_share_of_rows(request) and share is not None and share.of_right is not None:
        return np.asarray(share.of_right(tallies.is_right.astype(np.float64)))
    (loss,) = losses_of(request)
    return tallies.losses(*loss)


def has_formula(request: Request, options: IntervalOptions) -> bool:
    """Whether rows that weigh the same and stand alone give an interval without resampling."""
    measure = request.measure
    if measure.is_of_gaps or (options.uses_t and measure.area is not None):
        return True
    return options.uses_t and isinstance(measure.kind, Fit | Mean)


def is_plain_area(request: Request) -> bool:
    """Whether it is the area, or the Gini coefficient, of one class and of the whole curve."""
    is_area = request.measure.area is not None
    return is_area and not request.parameters and not request.average
