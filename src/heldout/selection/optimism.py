"""Optimism: how much better a chosen setting looked than it proved, of the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, nan, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from heldout.assess.forms import has_row_losses, row_losses
from heldout.assess.results import Of, Result
from heldout.core.random import stream
from heldout.engines.memory import Tallies
from heldout.evaluation.predictions import predictions_of
from heldout.selection.choice import no_test_along
from heldout.selection.criterion import ROUNDING
from heldout.selection.estimate import Units, percentiles, value_of_rows
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.quantiles import two_sided_student

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.measures.spec import Request
    from heldout.selection.nested import Nested
    from heldout.selection.search import Search

__all__ = ["Drawn", "Judged", "Optimism", "drawn_gaps", "optimism"]

DRAWS = 1000
LEAST = 100
#: values are computed one by one: so many in all, and of so many rows in all
VALUES = 6_000
ROWS = 40_000_000
#: more draws than this without a value, and folds are too small to be drawn from one by one
MOST_LOST = 0.05


@dataclass(frozen=True, slots=True, repr=False)
class Optimism(Result):
    """How much better the choice looked than it is, and the two values that tell it."""

    #: in the search, and nested
    between: tuple[float, float] = (nan, nan)
    #: what both are: Of.MEAN_OF_FOLDS or Of.POOLED
    average: Of = Of.POOLED


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Predictions of some rows of the data, split by split."""

    tallies: Tallies
    #: the splits' predictions, and the data's row of each of them
    outcome: Any

    def part_of(self, *, is_pooled: bool) -> NDArray[Any]:
        """Of each prediction, whose value it is part of: its split's, or its repeat's."""
        if not is_pooled:
            return np.asarray(self.outcome.split_of)
        repeat = self.tallies.predictions.design.repeat
        return np.zeros(len(self.outcome.rows), int) if repeat is None else repeat.codes

    def parts(self, *, is_pooled: bool) -> list[NDArray[np.int64]]:
        """The predictions of each split, or of each repeat."""
        part = self.part_of(is_pooled=is_pooled)
        return [np.flatnonzero(part == code) for code in np.unique(part)]

    def value(
        self, request: Request, counts: NDArray[np.int64], parts: list[NDArray[np.int64]]
    ) -> float:
        """The mean of the parts' values with each prediction taken so often."""
        values = []
        for part in parts:
            rows = np.repeat(part, counts[part])
            if not len(rows):
                return float("nan")
            values.append(value_of_rows(request, self.tallies, rows))
        return float(np.mean(values))


class Drawn(NamedTuple):
    """Differences over draws, how they were made in words, and whether folds were pooled."""

    gaps: NDArray[np.float64]
    words: str
    is_pooled: bool


def drawn_gaps(
    request: Request,
    both: tuple[Judged, Judged],
    units: Units,
    *,
    is_pooled: bool,
    seed: int,
) -> Drawn:
    """First minus second in each draw of units with repetition.

    ``units`` are those of all rows of the data. A split's value is that of its own rows; where
    that is undefined too often, all splits are taken together.
    """
    gaps = _gaps(request, both, units, is_pooled=is_pooled, seed=seed)
    if not is_pooled and np.mean(np.isnan(gaps)) > MOST_LOST:
        is_pooled = True
        gaps = _gaps(request, both, units, is_pooled=True, seed=seed)
    words = f"{len(gaps):,} draws" + (", folds pooled" if is_pooled else "")
    if lost := int(np.count_nonzero(np.isnan(gaps))):
        words += f", undefined in {lost:,}"
    return Drawn(gaps[~np.isnan(gaps)], words, is_pooled)


def _gaps(
    request: Request,
    both: tuple[Judged, Judged],
    units: Units,
    *,
    is_pooled: bool,
    seed: int,
) -> NDArray[np.float64]:
    parts = [judged.parts(is_pooled=is_pooled) for judged in both]
    values = sum(map(len, parts))
    rows = sum(len(judged.outcome.rows) for judged in both)
    draws = max(LEAST, min(DRAWS, VALUES // values, ROWS // max(rows, 1)))
    generator = stream(seed, "optimism")
    gaps = []
    for _ in range(draws):
        often = units.draw(generator)
        first, second = (
            judged.value(request, often[judged.outcome.rows], own)
            for judged, own in zip(both, parts, strict=True)
        )
        with np.errstate(invalid="ignore"):
            gaps.append(np.subtract(first, second))
    return np.array(gaps, np.float64)


METHOD = "paired over {word}: the same {word} judged both ways"
DRAWN = "paired bootstrap of {word}: the same draws for both"
#: draws with a value that limits are made of, at least
LEAST_DRAWS = 50


def optimism(
    search: Search, place: int, nested: Nested, *, level: float = 0.95, seed: int = 0
) -> Optimism:
    """How much better the search's choice looked than nested choices proved, with its interval.

    Above 0 the search promised too much, whichever way the measure is better: of a loss it is
    the nested value minus that of the search. Both are averaged as the nested estimate is: over
    folds, or over all rows pooled. Of a measure that is a mean over rows the interval follows
    from what each row (group of rows) adds to the difference; of others it is made of draws of
    rows, the same for both.
    """
    score, is_pooled = search.scores[place], nested.estimate.of is not Of.MEAN_OF_FOLDS
    difference = _difference(search, place, nested, is_pooled=is_pooled)
    theirs = _tallies(nested)
    reason = ""
    if not isfinite(difference.value) or score.tallies is None:
        reason = "a loss is infinite"
    elif lack := no_test_along(search.splits.procedure) or no_test_along(nested.splits.procedure):
        reason = lack
    elif search.criterion.direction == "target":
        reason = "the measure has a target value, and distances from it are not means"
    if reason or score.tallies is None:
        return difference.bounded(absent(reason, level=level))
    both = Judged(score.tallies, score.outcome), Judged(theirs, nested.outcome)
    units = Units.of_rows(search.dataset)
    request = search.criterion.request
    if all(has_row_losses(request, judged.tallies) for judged in both):
        around = _of_means(search, both, units, (level, is_pooled))
    else:
        around, are_drawn_pooled = _of_draws(search, both, units, (level, is_pooled, seed))
        if are_drawn_pooled and not is_pooled:
            # limits of folds together belong to a value of folds together
            difference = _difference(search, place, nested, is_pooled=True)
    low, high = request.measure.bounds
    limits = around.through(lambda gap: difference.value + gap).within((low - high, high - low))
    return difference.bounded(limits)


def _difference(search: Search, place: int, nested: Nested, *, is_pooled: bool) -> Optimism:
    """The value in the search against that of outer folds, both averaged alike."""
    theirs = nested.pooled if is_pooled else nested.mean
    ours = search.averaged(place, "pooled" if is_pooled else "folds")
    if search.of not in ("folds", "pooled"):
        # an estimate of its own kind is held against the one that is shown
        ours, theirs = search.scores[place].value, nested.estimate.value
    with np.errstate(invalid="ignore"):
        gap = float(np.subtract(*search.criterion.goodness(np.array([ours, theirs]))))
    if isfinite(gap) and abs(gap) <= ROUNDING * max(abs(ours), abs(theirs)):
        gap = 0.0
    return Optimism(
        search.criterion.name,
        gap,
        len(search.dataset),
        procedure=nested.splits.procedure,
        of=Of.OPTIMISM,
        between=(ours, theirs),
        average=Of.POOLED if is_pooled else Of.MEAN_OF_FOLDS,
    )


def _of_means(
    search: Search,
    both: tuple[Judged, Judged],
    units: Units,
    how: tuple[float, bool],
) -> Interval:
    """Limits around 0 of a difference of means, from what each unit adds to it."""
    level, is_pooled = how
    added, sizes = np.zeros(units.count), np.zeros(units.count)
    scale = 0.0
    for judged, sign in zip(both, (1.0, -1.0), strict=True):
        losses = row_losses(search.criterion.request, judged.tallies)
        share, unit = _shares(judged, is_pooled), units.of[judged.outcome.rows]
        off = losses - float(share @ losses)
        added += sign * np.bincount(unit, share * off, len(added))
        sizes += np.bincount(unit, share, len(sizes)) / 2
        scale = max(scale, float(np.abs(losses).max(initial=0)))
    if np.abs(added).max() <= 1e-12 * scale * sizes.max():
        return absent(f"no {units.word} differs", level=level)
    counts = sizes > 0
    size = 1 / float(sizes @ sizes)
    if size < 2:
        return absent(f"the weights leave {size:.3g} effective {units.word}s", level=level)
    # whether heavy units are off as others are, or just as they happen to be: the larger of both
    even = float(added[counts] ** 2 @ (1 / sizes[counts])) / (size - 1)
    own = float(added @ added) * size / (size - 1)
    reach = two_sided_student(level, size - 1) * sqrt(max(even, own))
    return Interval(-reach, reach, level, METHOD.format(word=f"{units.word}s"))


def _shares(judged: Judged, is_pooled: bool) -> NDArray[np.float64]:
    """What each prediction counts in the value: parts count evenly, rows by weight in theirs."""
    weight = judged.tallies.predictions.weight
    weights = np.ones(len(judged.outcome.rows)) if weight is None else weight
    part = judged.part_of(is_pooled=is_pooled)
    total = np.bincount(part, weights)
    return np.asarray(weights / total[part] / np.count_nonzero(total))


def _of_draws(
    search: Search,
    both: tuple[Judged, Judged],
    units: Units,
    how: tuple[float, bool, int],
) -> tuple[Interval, bool]:
    """Percentiles around 0 of the difference over draws, and whether folds were pooled."""
    level, is_pooled, seed = how
    if units.lack:
        return absent(units.lack, level=level), is_pooled
    drawn = drawn_gaps(search.criterion.request, both, units, is_pooled=is_pooled, seed=seed)
    gaps = search.criterion.goodness(drawn.gaps)
    reason = ""
    if len(gaps) < LEAST_DRAWS:
        reason = f"the measure is undefined in nearly all draws ({drawn.words})"
    elif not np.isfinite(gaps).all():
        reason = "the measure is infinite in some draws"
    elif np.ptp(gaps) <= 1e-12 * np.abs(search.values[np.isfinite(search.values)]).max():
        reason = f"no {units.word} differs"
    if reason:
        return absent(reason, level=level), drawn.is_pooled
    # draws of rows have fewer different rows than the folds: what that changes is taken off
    low, high = percentiles(gaps - gaps.mean(), level)
    method = DRAWN.format(word=f"{units.word}s")
    return Interval(low, high, level, method).noted(drawn.words), drawn.is_pooled


def _tallies(nested: Nested) -> Tallies:
    evaluation = nested.evaluation
    return Tallies(predictions_of("chosen", nested.outcome, evaluation.dataset, evaluation.splits))
