"""What kind of mean a measure is, and which intervals the design of the rows allows for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.class_statistics import of_share_right
from heldout.core.notes import Lack, Reason
from heldout.curves.design import RANKED
from heldout.predictions.plan import Claim
from heldout.predictions.split_design import REPEATED
from heldout.tally.class_scores import ClassScores
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.errors import ErrorRows
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from heldout.engines.memory import Tallies
    from heldout.intervals.interval import Interval
    from heldout.measures.spec import Request

__all__ = [
    "ACROSS",
    "NOT_BY_FOLD",
    "is_mean_of_rows",
    "is_smooth_in_rows",
    "named_after",
    "why_no_interval",
]

ACROSS = (
    "groups lie across folds, so folds are not separate: judge in folds that keep groups whole "
    "for one"
)
NOT_A_MEAN = Lack(
    "no function of means over rows, and different folds' models judge the rows", Reason.NOT_A_MEAN
)
OF_FOLDS = Lack(f"{RANKED}: see the mean of the folds", Reason.RANKED)
NOT_BY_FOLD = "folds have few rows, and this measure depends on how many: see the pooled value"

#: moments by which a measure is known as the mean itself; of two rows half a sum is the mean
PROBES = tuple(Moments.of(np.array(v)) for v in ([0.25, 0.5, 0.75], [2.0, 7.0, 1.0, 4.0, 6.0]))
#: measures of counts that are the mean of what each row earns or costs
PER_ROW = ("profit_per_row", "cost_per_row")


def is_mean_of_rows(request: Request, tallies: Tallies) -> bool:
    """Whether the value is the mean of a loss of each row: accuracy, Brier score, MAE."""
    measure = request.measure
    if request.average:
        function = of_share_right(request, len(tallies.predictions.classes))
        # the accuracy or the error rate itself, under another name
        return function is not None and all(function(a) in (a, 1 - a) for a in (0.25, 0.75))
    if request.label is not None:
        return False
    if measure.needs == (Moments,):
        # of rows at hand, a root may happen to be their mean: where nothing is wrong both are 0
        return all(measure(probe, **request.values) == probe.mean for probe in PROBES)
    if measure.name in PER_ROW:
        return True
    if measure.needs == (Confusion,) and measure.proportion is not None:
        counts = tallies.confusion
        return bool(np.isclose(float(measure.proportion(counts)[1]), float(counts.total)))
    return False


def is_smooth_in_rows(request: Request) -> bool:
    """Whether the value is a smooth function of means over rows, and ranks no rows."""
    return not {ScoreCounts, TopLabel, ClassScores, ErrorRows} & set(request.measure.needs)


def why_no_interval(request: Request, tallies: Tallies) -> Lack | None:
    """Why the design allows no interval of a value of all rows; None where it allows one."""
    design = tallies.design
    if lack := design.lack(Claim.INTERVAL):
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
        return named.noted("leave-one-out: valid where one row changes the model little")
    return named
