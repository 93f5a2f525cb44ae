"""How rows came to be judged: in one holdout, one k-fold run, several repeats, in time order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.class_statistics import of_share_right
from heldout.assess.parts import places_of
from heldout.core.codes import count_codes
from heldout.curves.design import RANKED
from heldout.measures.kinds import SAME
from heldout.predictions.procedure_kinds import is_bootstrap, is_in_time, is_leave_some_out
from heldout.tally.class_scores import ClassScores
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.errors import ErrorRows
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.engines.memory import Tallies
    from heldout.intervals.interval import Interval
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions

__all__ = [
    "ACROSS",
    "IN_TIME",
    "NOT_A_MEAN",
    "NOT_BY_FOLD",
    "OFTEN",
    "REPEATS",
    "RESAMPLED",
    "Shape",
    "is_mean_of_rows",
    "is_smooth_in_rows",
    "named_after",
    "shape_of",
    "test_share",
    "why_no_interval",
]

REPEATS = "rows are judged in several repeats, which are not separate rows"
IN_TIME = "rows in time order depend on each other, and no interval here is known to be valid"
RESAMPLED = (
    "rows are judged in many bootstrap samples: no interval of this estimate is known to be valid"
)
OVERLAPPING = (
    "test parts of leave-p-out overlap in all ways at once: no interval is known to be valid"
)
ACROSS = (
    "groups lie across folds, so folds are not separate: judge in folds that keep groups whole "
    "for one"
)
OFTEN = "a row is judged in several folds, which are not separate rows"
NOT_A_MEAN = "no function of means over rows, and different folds' models judge the rows"
OF_FOLDS = f"{RANKED}: see the mean of the folds"
NOT_BY_FOLD = "folds have few rows, and this measure depends on how many: see the pooled value"
#: train:test, or train:validation:test
HOLDOUT = re.compile(r"holdout (?P<train>[\d.]+):(?:[\d.]+:)*(?P<test>[\d.]+)")


@dataclass(frozen=True, slots=True)
class Shape:
    """What the design of some rows says of how often and by how many models they are judged."""

    #: the procedure as heldout ran it; empty for predictions made elsewhere
    procedure: str
    folds: int
    repeats: int
    #: each fold is a single row
    is_leave_one_out: bool = False
    is_often: bool = False
    #: some group of rows is tested in several splits of a repeat, or only in part
    is_across_groups: bool = False

    @property
    def is_in_time(self) -> bool:
        """Whether training rows come before test rows."""
        return is_in_time(self.procedure)

    @property
    def is_leave_some_out(self) -> bool:
        """Whether every choice of two or more rows is tested: leave-2-out."""
        return is_leave_some_out(self.procedure)

    @property
    def is_bootstrap(self) -> bool:
        """Whether training parts are samples with replacement."""
        return is_bootstrap(self.procedure)

    @property
    def lack(self) -> str:
        """Why no interval of any value is known to be valid; empty where one may be."""
        if self.is_in_time:
            return IN_TIME
        if self.is_bootstrap:
            return RESAMPLED
        if self.is_leave_some_out:
            return OVERLAPPING
        return OFTEN if self.is_often else ""


def shape_of(tallies: Tallies) -> Shape:
    """The shape of a model's rows, found once."""
    memory = tallies.memory
    if "shape" not in memory:
        memory["shape"] = _shape(tallies)
    made: Shape = memory["shape"]
    return made


def _shape(tallies: Tallies) -> Shape:
    p = tallies.predictions
    design = p.design
    folds = repeats = 1
    if design.repeat is not None:
        repeats = len(np.unique(design.repeat.codes))
    single = False
    if design.fold is not None:
        sizes = np.bincount(design.fold.codes)
        folds = int(np.count_nonzero(sizes))
        single = repeats == 1 and folds > 1 and bool(sizes.max() == 1)
    often = False
    if repeats == 1 and folds > 1 and p.identifier is not None:
        often = not single and len(np.unique(p.identifier)) < len(p)
    return Shape(design.procedure, folds, repeats, single, often, _is_across_groups(p))


def _is_across_groups(p: Predictions) -> bool:
    """Whether splits cut groups: a group in two folds of a repeat, or cut by a holdout.

    Where a repeat is a single split, a group that it keeps whole has as many rows in it as
    in any other, and as many as the group has where rows have identifiers.
    """
    design = p.design
    if design.group is None or (design.fold is None and design.repeat is None):
        return False
    group = design.group.codes.astype(np.int64)
    place = group
    if design.repeat is not None:
        place = group * len(design.repeat.levels) + design.repeat.codes
    if design.fold is not None and count_codes(design.fold.codes) > 1:
        return count_codes(place * len(design.fold.levels) + design.fold.codes) > count_codes(place)
    _, first, counts = np.unique(place, return_index=True, return_counts=True)
    most = np.zeros(int(group.max(initial=0)) + 1, np.int64)
    np.maximum.at(most, group[first], counts)
    if p.identifier is not None and design.repeat is not None:
        rows = np.unique(p.identifier, return_index=True)[1]
        most = np.maximum(most, np.bincount(group[rows], minlength=len(most)))
    return bool((counts < most[group[first]]).any())


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


def why_no_interval(request: Request, tallies: Tallies) -> str:
    """Why the design allows no interval of a value of all rows; empty where it allows one."""
    shape = shape_of(tallies)
    if shape.lack or shape.repeats > 1:
        return shape.lack or REPEATS
    if shape.folds == 1 or is_smooth_in_rows(request):
        return ""
    # each fold has a model of its own, whoever fitted them
    return OF_FOLDS if request.measure.by_fold and not shape.is_leave_one_out else NOT_A_MEAN


def named_after(interval: Interval, request: Request, tallies: Tallies) -> Interval:
    """The interval with the reason for which the design allows it in its method."""
    from dataclasses import replace

    shape = shape_of(tallies)
    if interval.is_absent or shape.folds == 1:
        return interval
    rows = {Binary, Confusion, Moments} & set(request.measure.needs)
    theory = "Bayle et al. 2020" if rows else "as Bayle et al. 2020, by the delta method"
    made = replace(interval, method=f"{interval.method}, folds pooled ({theory})")
    if shape.is_leave_one_out:
        return made.noted("leave-one-out: valid where one row changes the model little")
    return made


def test_share(tallies: Tallies) -> float | None:
    """Rows tested per row trained on, the mean over splits; None where nothing tells.

    Each split has its own ratio (Nadeau and Bengio 2003), which is known from its training
    counts, from the text of a holdout, or from folds that train on all the others. With folds
    of unequal size the mean of the ratios is above that of equal folds: cautious.
    """
    p = tallies.predictions
    design = p.design
    _, first, split = np.unique(places_of(p), return_index=True, return_inverse=True)
    tested = np.bincount(split) if design.tested is None else design.tested[first]
    trained = _trained(p, first, tested)
    if trained is not None:
        return float(np.mean(tested / trained)) if (trained > 0).all() else None
    if held := HOLDOUT.search(design.procedure):
        return float(held["test"]) / float(held["train"])
    return design.test_share


def _trained(
    p: Predictions, first: NDArray[np.int64], tested: NDArray[Any]
) -> NDArray[np.float64] | None:
    """How many rows each split trained on, by a row of each; None where nothing tells."""
    if p.prior is not None and p.prior.kind == "training counts":
        codes = np.zeros(len(p), np.int64) if p.prior.codes is None else p.prior.codes
        return np.asarray(p.prior.table.sum(axis=1)[codes[first]], np.float64)
    design = p.design
    if is_bootstrap(design.procedure) and p.identifier is not None:
        # a bootstrap sample has as many rows as the data
        return np.full(len(first), float(len(np.unique(np.asarray(p.identifier).astype(str)))))
    if HOLDOUT.search(design.procedure) or design.fold is None:
        return None
    repeat = np.zeros(len(p), np.int64) if design.repeat is None else design.repeat.codes
    _, of = np.unique(repeat[first], return_inverse=True)
    trained = np.bincount(of, tested)[of] - tested
    return trained if trained.any() else None
