"""The mean of the folds' values, and the interval it has after one run of folds."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING, Any

from karat.assess.repeats import limits, mean_of
from karat.assess.score_formulas import is_area
from karat.assess.splits import IN_TIME, OFTEN, RESAMPLED, is_mean_of_rows, shape_of
from karat.assess.values import class_scores, is_split
from karat.intervals.cross_validated_area import cross_validated_area_interval
from karat.intervals.interval import Interval, absent
from karat.measures.spec import parse_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from karat.assess.options import IntervalOptions
    from karat.assess.results import Result
    from karat.engines.memory import Tallies
    from karat.measures.spec import Request

__all__ = ["fold_mean"]

DEPENDENT = "folds share training rows, so that their spread says too little"
POOLED = f"{DEPENDENT}: the value of all rows has one"
REPEATED = f"{DEPENDENT}: repeat the procedure (10x10-fold) for one"


def fold_mean(
    results: Sequence[Result], tallies: Tallies, options: IntervalOptions | None
) -> Result:
    """The mean of the folds' values; that of the area under the ROC curve has an interval.

    Counts, p-values and test statistics are not averaged: the note says so.
    """
    made = replace(mean_of(results, "", "folds"), fold="mean")
    request = parse_request(made.measure)
    if reason := request.measure.why_not_averaged:
        return replace(made, value=nan, note=reason)
    if options is None or not made.is_defined:
        return made
    if reason := _why_not(request, made.class_, tallies, options):
        return limits(made, absent(reason, level=options.level))
    interval = _of_area(made.class_, tallies, options)
    if request.measure.name == "gini":
        interval = interval.through(lambda area: 2 * area - 1)
    return limits(made, interval)


def _why_not(request: Request, class_: str, tallies: Tallies, options: IntervalOptions) -> str:
    """Why the mean of the folds has no interval; empty where it has that of an area."""
    shape, p = shape_of(tallies), tallies.predictions
    if shape.is_in_time:
        return IN_TIME
    if shape.is_bootstrap:
        return RESAMPLED
    if shape.is_often:
        return OFTEN
    if shape.folds < 2:
        return "a single fold"
    is_plain_area = is_area(request) and not request.parameters and not request.average
    if is_plain_area and not options.area:
        return "of the mean of folds there is no bootstrap (leave out --interval for one)"
    if is_plain_area and p.weight is None:
        return ""
    if not class_ and not is_split(request, p.task) and is_mean_of_rows(request, tallies):
        return POOLED
    return REPEATED


def _of_area(class_: str, tallies: Tallies, options: IntervalOptions) -> Interval:
    """The interval of the mean area of the folds: of the positive class, or of one of several."""
    p = tallies.predictions
    assert p.design.fold is not None
    positive: Any = p.truth == p.positive
    scores: NDArray[Any] | None = p.scores
    if class_ and p.task == "multiclass":
        place = [str(c) for c in p.classes].index(class_)
        positive, scores = p.truth == place, class_scores(tallies).scores[:, place]
    assert scores is not None
    return cross_validated_area_interval(
        positive,
        scores,
        p.design.fold.codes,
        level=options.level,
        groups=None if p.design.group is None else p.design.group.codes,
    )
