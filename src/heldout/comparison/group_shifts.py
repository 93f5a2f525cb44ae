"""How far each group of rows moves a model's mean over splits, wherever its rows were tested."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import has_row_losses, row_losses
from heldout.assess.values import overall
from heldout.comparison.fold_differences import split_rows
from heldout.comparison.long_rankings import LongRankings, is_long_ranking
from heldout.comparison.paired_areas import area_parts
from heldout.core.errors import InputError
from heldout.core.random import stream
from heldout.engines.memory import Tallies
from heldout.measures.kinds import SAME, Point
from heldout.tally.errors import ErrorRows
from heldout.uncertainty.influence import Influence

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions
    from heldout.uncertainty.influence import Spread

__all__ = ["GroupShifts", "group_shifts", "has_quick_shifts", "is_rough"]

#: blocks of groups whose weight is changed where no formula tells what each group adds
BLOCKS = 50
#: the same where all rows are one split, so that each change costs one value
BLOCKS_OF_WHOLE = 200
#: the share of a block's weight that is taken off to see what it adds
STEP = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class GroupShifts:
    """What each unit (a group, or a block of groups) adds to a mean over splits.

    ``shift`` adds up to 0 over all units; ``mass`` is each unit's share of the rows, adding up
    to 1; ``groups`` is how many groups there are.
    """

    shift: NDArray[Any]
    mass: NDArray[Any]
    groups: int

    def less(self, other: GroupShifts) -> GroupShifts:
        """What each unit adds to the difference of two models judged on the same rows."""
        return replace(self, shift=self.shift - other.shift)

    @property
    def spread(self) -> Spread:
        """The standard error by groups, and its degrees of freedom."""
        return Influence(0.0, self.shift, self.mass).spread()

    def added_to(self, error: float, freedom: float) -> tuple[float, float]:
        """A standard error over splits with that of groups, and its degrees of freedom.

        The spread of splits that cut groups knows of rows and of fits, and not of groups; that
        of groups knows of rows, too, so that their noise counts twice in the sum. That is the
        price of a test that holds for models which know groups by heart, whose fits differ
        more than the spread of the splits shows. Degrees of freedom are those of Satterthwaite,
        and no more than there were: groups make nothing more certain.
        """
        spread = self.spread
        added = spread.error**2
        if not added > 0:
            return error, freedom
        both = error**2 + added
        together = both**2 / (error**4 / freedom + added**2 / spread.freedom)
        return sqrt(both), min(together, freedom)


def has_quick_shifts(request: Request, tallies: Tallies) -> bool:
    """Whether a formula tells what each row adds: means of row losses, and areas."""
    return has_row_losses(request, tallies) or _is_area(request, tallies.predictions)


def group_shifts(
    request: Request,
    tallies: Tallies,
    *,
    of_mean: Callable[[Any], Any] | None = None,
    is_whole: bool = False,
) -> GroupShifts:
    """What each group (or row, where there are none) adds to the mean of a measure over splits.

    A split's value is moved by each of its rows: by its loss less the mean loss, by its
    placement among the other class (DeLong), or, of other measures, as taking off a little of
    its weight shows (the infinitesimal jackknife; of blocks, where groups are many). What rows
    of a group do is added up over all splits and repeats.

    ``of_mean`` makes a split's value of its mean row loss, where that is known (a root);
    ``is_whole``: all rows are judged at once, as one split.
    """
    p = tallies.predictions
    codes = np.arange(len(p))
    if p.design.group is not None:
        codes = np.unique(p.design.group.codes, return_inverse=True)[1]
    groups = int(codes.max()) + 1
    splits = [np.arange(len(p))] if is_whole else split_rows(p)
    mass = _masses(p, splits)
    if of_mean is not None or has_row_losses(request, tallies):
        losses = row_losses(request, tallies)
        parts = np.concatenate([_loss_parts(losses, mass, rows, of_mean) for rows in splits])
    elif _is_area(request, p):
        parts = np.concatenate([_area_parts(p, rows) for rows in splits]) / len(splits)
    else:
        _refuse_rough(request)
        most = BLOCKS_OF_WHOLE if is_whole else BLOCKS
        units = codes if groups <= most else _blocks(codes, mass, most)
        return GroupShifts(_weighed(request, p, splits, units), np.bincount(units, mass), groups)
    shift = np.bincount(codes[np.concatenate(splits)], parts)
    return GroupShifts(shift, np.bincount(codes, mass), groups)


def _masses(p: Predictions, splits: list[NDArray[Any]]) -> NDArray[np.float64]:
    """The share that each row has of its split, each split of all."""
    mass = np.ones(len(p)) if p.weight is None else np.asarray(p.weight, float).copy()
    for rows in splits:
        mass[rows] /= mass[rows].sum() * len(splits)
    return mass


def _loss_parts(
    losses: NDArray[np.float64],
    mass: NDArray[np.float64],
    rows: NDArray[Any],
    of_mean: Callable[[Any], Any] | None,
) -> NDArray[np.float64]:
    """What each row of a split adds by its loss, less the mean loss of the split."""
    own, share = losses[rows], mass[rows]
    mean = float(share @ own / share.sum())
    parts = share * (own - mean)
    if of_mean is None or mean == 0:
        return np.asarray(parts)
    near = mean * np.array([1 - STEP, 1 + STEP])
    return np.asarray(parts * np.diff(of_mean(near))[0] / np.diff(near)[0])


def _is_area(request: Request, p: Predictions) -> bool:
    plain = not (request.parameters or request.average or request.label)
    return request.measure.area is SAME and plain and p.task == "binary"


def _area_parts(p: Predictions, rows: NDArray[Any]) -> NDArray[np.float64]:
    assert p.scores is not None
    weight = None if p.weight is None else p.weight[rows]
    return area_parts(p.truth[rows] == p.positive, p.scores[rows], weight=weight)


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
            "measure (accuracy, auc, brier), or judge in splits that keep groups whole"
        )


def _blocks(codes: NDArray[Any], mass: NDArray[np.float64], most: int) -> NDArray[np.int64]:
    """The block of each row: groups dealt out from large to small, to and fro.

    Groups of one size are dealt in random order: in that of the table, each block of a table that
    is sorted by class would hold as much of each class, and blocks would differ too little.
    """
    size = np.bincount(codes, mass)
    shuffled = stream(0, "blocks of groups").permutation(len(size))
    order = shuffled[np.argsort(-size[shuffled].round(12), kind="stable")]
    place = np.arange(len(size))
    turn, at = place // most, place % most
    block = np.empty(len(size), np.int64)
    block[order] = np.where(turn % 2, most - 1 - at, at)
    return np.asarray(block[codes])


def _weighed(
    request: Request, p: Predictions, splits: list[NDArray[Any]], units: NDArray[Any]
) -> NDArray[np.float64]:
    """How fast the mean over splits falls as the weight of each unit is taken off."""
    shift = np.zeros(int(units.max()) + 1)
    for rows in splits:
        value, own = _value_by_weight(request, p.take(rows)), units[rows]
        whole = value(np.ones(len(rows)))
        for unit in np.unique(own):
            less = value(np.where(own == unit, 1 - STEP, 1.0))
            shift[unit] += (whole - less) / (STEP * len(splits))
    return shift


def _value_by_weight(request: Request, part: Predictions) -> Callable[[NDArray[Any]], float]:
    """The value of rows of which each counts so many times."""
    if is_long_ranking(request, part):
        joined = LongRankings(request, (part,))
        return lambda times: joined.value(joined.cells[0], times)
    own = 1.0 if part.weight is None else np.asarray(part.weight, float)
    return lambda times: overall(request, Tallies(replace(part, weight=own * times))).value
