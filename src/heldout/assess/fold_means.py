"""The mean of the folds' values, and the interval it has after one run of folds."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING

from heldout.assess.fold_areas import fold_area_interval, is_plain_area
from heldout.assess.part_means import mean_of_folds
from heldout.assess.splits import ACROSS, NOT_BY_FOLD, is_mean_of_rows
from heldout.assess.values import is_split
from heldout.core.notes import as_notes
from heldout.intervals.interval import absent
from heldout.measures.spec import parse_request
from heldout.predictions.plan import Claim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.assess.options import IntervalOptions
    from heldout.assess.results import Result
    from heldout.core.notes import Lack
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request

__all__ = ["fold_mean"]

DEPENDENT = "folds share training rows, so that their spread says too little"
POOLED = f"{DEPENDENT}: the value of all rows has one"


def fold_mean(
    results: Sequence[Result], tallies: Tallies, options: IntervalOptions | None
) -> Result:
    """The mean of the folds' values; that of the area under the ROC curve has an interval.

    Counts, p-values and test statistics are not averaged: the note says so.
    """
    mean = mean_of_folds(results)
    request = parse_request(mean.measure)
    if reason := request.measure.why_not_averaged:
        return replace(mean, value=nan, notes=as_notes(reason))
    if options is None or not mean.is_defined:
        return mean
    if lack := _why_not(request, mean.class_, tallies, options):
        return mean.bounded(absent(lack, level=options.level))
    return mean.bounded(fold_area_interval(request, mean.class_, tallies, options))


def _why_not(
    request: Request, class_: str, tallies: Tallies, options: IntervalOptions
) -> str | Lack:
    """Why the mean of the folds has no interval; empty where it has that of an area."""
    design, p = tallies.design, tallies.predictions
    if lack := design.lack(Claim.INTERVAL):
        return lack
    if design.folds < 2:
        return "a single fold"
    if is_plain_area(request) and not options.area:
        return "of the mean of folds there is no bootstrap (leave out --interval for one)"
    if is_plain_area(request) and p.weight is None:
        return ""
    if not class_ and not is_split(request, p.task) and is_mean_of_rows(request, tallies):
        return POOLED
    if not request.measure.by_fold:
        return NOT_BY_FOLD
    return ACROSS if design.cuts_groups else DEPENDENT
