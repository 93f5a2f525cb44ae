"""A model over splits: its value in each, and how far each group of rows moves their mean."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import has_row_losses, is_mean_of_rows, row_losses
from heldout.assess.parts import fold_parts, repeat_parts
from heldout.assess.values import is_split, overall
from heldout.comparison.limits_and_test import student_test
from heldout.comparison.long_rankings import LongRankings, is_long_ranking
from heldout.comparison.split_tests import METHOD, corrected_difference, split_error
from heldout.core.errors import InputError
from heldout.core.random import stream
from heldout.core.wording import plural
from heldout.engines.memory import Tallies
from heldout.measures.kinds import SAME, Point
from heldout.tables.column import Column
from heldout.tally.errors import ErrorRows
from heldout.uncertainty.cross_validation import split_freedom
from heldout.uncertainty.influence import Influence

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.comparison.limits_and_test import Finding
    from heldout.comparison.pairs import Pair
    from heldout.measures.kinds import Transform
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions

#: blocks of groups whose weight is changed where no formula tells what each group adds
BLOCKS = 50
#: the same where all rows are one split, so that each change costs one value
BLOCKS_OF_WHOLE = 200
#: the share of a block's weight that is taken off to see what it adds
STEP = 1e-3


def split_values(request: Request, tallies: Tallies) -> NDArray[np.float64]:
    """The value of a measure in each split, against one prior; NaN where it is undefined there.

    Splits are in the order of their repeats, and of the folds within each. Where the values of
    pooled folds stand for the measure it is what each fold adds to them.
    """
    if is_of_pooled_folds(request, tallies):
        return _added(request, tallies)
    has_folds = tallies.predictions.design.fold is not None
    parts = fold_parts(tallies) if has_folds else repeat_parts(tallies)
    return np.array([overall(request, part.tallies).value for part in parts])


def is_of_pooled_folds(request: Request, tallies: Tallies) -> bool:
    """Whether single folds say something else: neither a mean over rows nor declared by fold."""
    if tallies.design.folds == 1 or request.measure.by_fold:
        return False
    return is_split(request, tallies.predictions.task) or not is_mean_of_rows(request, tallies)


def with_whole_repeats(request: Request, tallies: Tallies) -> Tallies:
    """The rows as splits of which a measure is the mean: repeats, where folds are pooled."""
    p = tallies.predictions
    if not is_of_pooled_folds(request, tallies):
        return tallies
    repeat = p.design.repeat or Column("repeat", np.zeros(len(p), np.int64), (1,))
    return Tallies(replace(p, design=replace(p.design, fold=None, repeat=repeat)))


def _added(request: Request, tallies: Tallies) -> NDArray[np.float64]:
    """What each fold adds to the value of its repeat: pseudo-values of a jackknife of folds.

    ``k v - (k - 1) w``, with ``v`` the value of all k folds and ``w`` that of the others. Of a
    mean over rows it is the fold's own mean. Shao and Tu (1995), The Jackknife and Bootstrap.
    """
    parts = tallies.parts("repeat", "fold")
    repeats, added = parts.codes(0), np.empty(len(parts))

    def value(kept: NDArray[np.bool_]) -> float:
        rows = np.flatnonzero(kept[parts.part])
        return overall(request, Tallies(parts.ordered.take(rows))).value

    for repeat in np.unique(repeats):
        is_own = repeats == repeat
        whole, count = value(is_own), int(is_own.sum())
        for fold in np.flatnonzero(is_own).tolist():
            others = value(is_own & (np.arange(len(parts)) != fold))
            added[fold] = count * whole - (count - 1) * others
    return added


def split_rows(tallies: Tallies) -> list[NDArray[Any]]:
    """The rows of each split, in the order of ``split_values``."""
    parts = tallies.parts("repeat", "fold")
    return [parts.order[parts.stretch(number)] for number in range(len(parts))]


def has_quick_influence(request: Request, tallies: Tallies) -> bool:
    """Whether a formula tells what each row adds: means of row losses, and areas."""
    return has_row_losses(request, tallies) or _is_area(request, tallies.predictions)


def influence_over_splits(
    request: Request,
    tallies: Tallies,
    *,
    of_mean: Transform | None = None,
    is_whole: bool = False,
) -> Influence:
    """What each group (or row, where there are none) adds to the mean of a measure over splits.

    A split's value is moved by each of its rows: by its loss less the mean loss, by its
    placement among the other class (DeLong), or, of other measures, as taking off a little of
    its weight shows (the infinitesimal jackknife; of blocks, where groups are many). What rows
    of a group do is added up over all splits and repeats.

    ``of_mean`` makes a split's value of its mean row loss, where that is known (a root);
    ``is_whole``: all rows are judged at once, as one split.
    """
    p = tallies.predictions
    groups = p.design.groups
    codes = np.arange(len(p)) if groups is None else np.unique(groups, return_inverse=True)[1]
    units = int(codes.max()) + 1
    splits = [np.arange(len(p))] if is_whole else split_rows(tallies)
    weight = tallies.row_weights
    if of_mean is not None or has_row_losses(request, tallies):
        losses = row_losses(request, tallies)

        def influence(rows: NDArray[Any]) -> Influence:
            mean = Influence.of_mean(losses[rows], weight[rows])
            return mean.through(of_mean) if of_mean is not None and mean.value else mean

    elif _is_area(request, p):

        def influence(rows: NDArray[Any]) -> Influence:
            assert p.scores is not None
            own = None if p.weight is None else weight[rows]
            area = Influence.of_area(p.truth[rows] == p.positive, p.scores[rows], own)
            return replace(area, mass=weight[rows])

    else:
        _refuse_rough(request)
        most = BLOCKS_OF_WHOLE if is_whole else BLOCKS
        if units > most:
            size = np.bincount(codes, _shares_of_splits(weight, splits))
            codes, units = _blocks(size, most)[codes], most

        def influence(rows: NDArray[Any]) -> Influence:
            return _weighed(request, p.take(rows), weight[rows], codes[rows])

    return Influence.mean([influence(rows).by(codes[rows], units) for rows in splits])


def group_difference(pair: Pair) -> Finding:
    """Interval and test of the means over splits that cut groups, with the error of groups as well.

    The corrected t test takes its error from how splits differ, and a group with rows in all of
    them moves all of them alike. So the variance by groups, each with all of its rows wherever
    they were tested, is added to the corrected one.
    """
    design = pair.design
    if design.groups < 2:
        raise InputError("all rows are in one group, so the variation between groups is unknown")
    gaps = pair.centred_gaps
    of_splits = float(split_error(gaps, design.test_share))
    influence = pair.first.influence - pair.second.influence
    error, freedom = with_groups(of_splits, split_freedom(len(gaps), design.folds), influence)
    of_groups = plural(design.groups, "group")
    if error == of_splits:
        interval, test = corrected_difference(pair)
        return interval, test.noted(f"all of the {of_groups}, which the splits cut, differ alike")
    method = f"{METHOD}, with the error of {of_groups} that the splits cut"
    value = pair.first.value - pair.second.value
    return student_test(method, value, error, freedom, **pair.how)


def with_groups(error: float, freedom: float, groups: Influence) -> tuple[float, float]:
    """A standard error over splits with that of groups, and its degrees of freedom.

    The spread of splits that cut groups knows of rows and of fits, and not of groups; that
    of groups knows of rows, too, so that their noise counts twice in the sum. That is the
    price of a test that holds for models which know groups by heart, whose fits differ
    more than the spread of the splits shows. Degrees of freedom are those of Satterthwaite,
    and no more than there were: groups make nothing more certain.
    """
    spread = groups.spread()
    added = spread.error**2
    if not added > 0:
        return error, freedom
    both = error**2 + added
    together = both**2 / (error**4 / freedom + added**2 / spread.freedom)
    return sqrt(both), min(together, freedom)


def _is_area(request: Request, p: Predictions) -> bool:
    plain = not (request.parameters or request.average or request.label)
    return request.measure.area is SAME and plain and p.task == "binary"


def _shares_of_splits(
    weight: NDArray[np.float64], splits: list[NDArray[Any]]
) -> NDArray[np.float64]:
    """The share that each row has of its split, each split of all."""
    share = weight.copy()
    for rows in splits:
        share[rows] /= share[rows].sum() * len(splits)
    return share


def is_rough(request: Request) -> bool:
    """Whether rows do not move a measure smoothly, or it counts rows.

    The median of errors does not move with a weight, one point of a curve only in jumps, and a
    gap of 0 only upwards.
    """
    is_point = ErrorRows in request.measure.needs or isinstance(request.measure.kind, Point)
    return request.counts_rows or is_point or request.measure.is_of_gaps


def _refuse_rough(request: Request) -> None:
    if is_rough(request):
        raise InputError(
            f"no test of {request.name} is known where splits cut groups: compare by another "
            "measure (accuracy, auc, brier), or use splits that keep groups whole"
        )


def _blocks(size: NDArray[Any], most: int) -> NDArray[np.int64]:
    """The block of each group: groups dealt out from large to small, to and fro.

    Groups of one size are dealt in random order: in that of the table, each block of a table that
    is sorted by class would hold as much of each class, and blocks would differ too little.
    """
    shuffled = stream(0, "blocks of groups").permutation(len(size))
    order = shuffled[np.argsort(-size[shuffled].round(12), kind="stable")]
    number = np.arange(len(size))
    turn, at = number // most, number % most
    block = np.empty(len(size), np.int64)
    block[order] = np.where(turn % 2, most - 1 - at, at)
    return block


def _weighed(
    request: Request, part: Predictions, weight: NDArray[Any], units: NDArray[Any]
) -> Influence:
    """How fast a value falls as the weight of each unit is taken off; its first row stands for it.

    What the unit adds is written on one of its rows, since all that is asked is its sum.
    """
    value = _value_by_weight(request, part)
    whole = value(np.ones(len(part)))
    shift = np.zeros(len(part))
    for unit, row in zip(*np.unique(units, return_index=True), strict=True):
        shift[row] = (whole - value(np.where(units == unit, 1 - STEP, 1.0))) / STEP
    return Influence(whole, shift, weight)


def _value_by_weight(request: Request, part: Predictions) -> Callable[[NDArray[Any]], float]:
    """The value of rows of which each counts so many times."""
    if is_long_ranking(request, part):
        joined = LongRankings(request, (part,))
        return lambda times: joined.value(joined.cells[0], times)
    own = Tallies(part).row_weights
    return lambda times: overall(request, Tallies(replace(part, weight=own * times))).value
