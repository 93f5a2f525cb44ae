"""Optimism: how much better a chosen setting looked than it proved, of the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, nan
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.forms import has_row_losses, row_losses
from heldout.assess.results import Of, Result
from heldout.core.random import stream
from heldout.engines.memory import Tallies
from heldout.selection.bias_corrected import Units, percentiles
from heldout.selection.choice import no_test_along
from heldout.selection.criterion import ROUNDING
from heldout.selection.scoring import SPLITS, mean_over_parts
from heldout.uncertainty.influence import Influence
from heldout.uncertainty.interval import Interval, absent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.selection.nested import Nested
    from heldout.selection.scoring import Scored
    from heldout.selection.search import Search

    #: the chosen setting in the search, and in outer folds
    Both = tuple[Scored, Scored]

DRAWS = 1000
LEAST = 100
#: values are computed draw by draw: so many in all, and of so many rows in all
VALUES = 6_000
ROWS = 40_000_000
#: more draws than this without a value, and folds are too small to be drawn from one by one
MOST_LOST = 0.05
#: draws with a value that limits are made of, at least
LEAST_DRAWS = 50

METHOD = "paired over {word}: the same {word} judged both ways"
DRAWN = "paired bootstrap of {word}: the same draws for both"


@dataclass(frozen=True, slots=True, repr=False)
class Optimism(Result):
    """How much better the choice looked than it is, and the two values that tell it."""

    #: in the search, and nested
    between: tuple[float, float] = (nan, nan)
    #: what both are: Of.MEAN_OF_FOLDS or Of.POOLED
    average: Of = Of.POOLED


def optimism(search: Search, nested: Nested) -> Optimism:
    """How much better the search's choice looked than nested choices proved, with its interval.

    Above 0 the search promised too much, whichever way the measure is better: of a loss it is
    the nested value minus that of the search. Both are averaged as the nested estimate is: over
    folds, or over all rows pooled. Of a measure that is a mean over rows the interval follows
    from what each row (group of rows) adds to the difference; of others it is made of draws of
    rows, the same for both.
    """
    is_pooled = nested.estimate.of is not Of.MEAN_OF_FOLDS
    difference = _difference(search, nested, is_pooled=is_pooled)
    both, level = (search.scores[search.choice.index], nested.score), search.setup.asked.level
    reason = ""
    if not isfinite(difference.value) or any(score.tallies is None for score in both):
        reason = "a loss is infinite"
    elif lack := no_test_along(search.splits.procedure) or no_test_along(nested.splits.procedure):
        reason = lack
    elif search.criterion.direction == "target":
        reason = "the measure has a target value, and distances from it are not means"
    if reason:
        return difference.bounded(absent(reason, level=level))
    request = search.criterion.request
    if all(has_row_losses(request, score.known) for score in both):
        around = _of_means(search, both, is_pooled=is_pooled)
    else:
        around, are_drawn_pooled = _of_draws(search, both, is_pooled=is_pooled)
        if are_drawn_pooled and not is_pooled:
            # limits of folds together belong to a value of folds together
            difference = _difference(search, nested, is_pooled=True)
    low, high = request.bounds
    limits = around.through(lambda gap: difference.value + gap).within((low - high, high - low))
    return difference.bounded(limits)


def _difference(search: Search, nested: Nested, *, is_pooled: bool) -> Optimism:
    """The value in the search against that of outer folds, both averaged alike."""
    theirs = nested.pooled if is_pooled else nested.mean
    ours = search.averaged(search.choice.index, "pooled" if is_pooled else "folds")
    if search.of not in ("folds", "pooled"):
        # an estimate of its own kind is held against the one that is shown
        ours, theirs = search.value, nested.estimate.value
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


def _of_means(search: Search, both: Both, *, is_pooled: bool) -> Interval:
    """Limits around 0 of a difference of means, from what each unit adds to it."""
    units, level = Units(search.dataset), search.setup.asked.level
    sides, scale = [], 0.0
    for score in both:
        losses = row_losses(search.criterion.request, score.known)
        by_row = Influence.of_mean(losses, _shares(score, is_pooled))
        sides.append(by_row.by(units.of[score.outcome.rows], units.units))
        scale = max(scale, float(np.abs(losses).max(initial=0)))
    first, second = sides
    is_judged = first.mass + second.mass > 0
    shift, mass = first.shift - second.shift, (first.mass + second.mass) / 2
    if np.abs(shift).max() <= 1e-12 * scale * mass.max():
        return absent(f"no {units.word} differs", level=level)
    difference = Influence(first.value - second.value, shift[is_judged], mass[is_judged])
    if (size := difference.sizes.worth) < 2:
        return absent(f"the weights leave {size:.3g} effective {units.word}s", level=level)
    reach = difference.spread().reach(level)
    return Interval(-reach, reach, level, METHOD.format(word=f"{units.word}s"))


def _shares(score: Scored, is_pooled: bool) -> NDArray[np.float64]:
    """What each prediction counts in the value: parts count evenly, rows by weight in theirs."""
    parts = score.known.parts(*(("repeat",) if is_pooled else SPLITS))
    weights, of_part = score.known.row_weights, np.empty(len(parts.part), np.int64)
    of_part[parts.order] = parts.part
    return np.asarray(weights / np.bincount(of_part, weights)[of_part] / len(parts))


def gaps_over_draws(search: Search, both: Both, *, is_pooled: bool) -> NDArray[np.float64]:
    """First minus second in each draw of units with repetition; NaN where one is undefined.

    A split's value is that of its own rows.
    """
    by = ("repeat",) if is_pooled else SPLITS
    parts = [len(score.known.parts(*by)) for score in both]
    rows = sum(len(score.outcome.rows) for score in both)
    draws = max(LEAST, min(DRAWS, VALUES // sum(parts), ROWS // max(rows, 1)))
    units, generator = Units(search.dataset), stream(search.setup.asked.seed, "optimism")
    values = np.full((draws, 2), nan)
    for draw in range(draws):
        often = units.multiplicities(generator)
        for side, (score, count) in enumerate(zip(both, parts, strict=True)):
            rows_drawn = np.repeat(np.arange(len(score.outcome.rows)), often[score.outcome.rows])
            tallies = Tallies(score.known.predictions.take(rows_drawn))
            values[draw, side] = mean_over_parts(score.request, tallies, by, count)
    with np.errstate(invalid="ignore"):
        return values[:, 0] - values[:, 1]


def _of_draws(search: Search, both: Both, *, is_pooled: bool) -> tuple[Interval, bool]:
    """Percentiles around 0 of the difference over draws, and whether folds were pooled.

    Where splits are undefined in too many draws, all of them are taken together.
    """
    units, level = Units(search.dataset), search.setup.asked.level
    if units.lack:
        return absent(units.lack, level=level), is_pooled
    gaps = gaps_over_draws(search, both, is_pooled=is_pooled)
    if not is_pooled and np.mean(np.isnan(gaps)) > MOST_LOST:
        is_pooled = True
        gaps = gaps_over_draws(search, both, is_pooled=True)
    words = f"{len(gaps):,} draws" + ", folds pooled" * is_pooled
    if lost := int(np.count_nonzero(np.isnan(gaps))):
        words += f", undefined in {lost:,}"
    gaps = search.criterion.goodness(gaps[~np.isnan(gaps)])
    reason = ""
    if len(gaps) < LEAST_DRAWS:
        reason = f"the measure is undefined in nearly all draws ({words})"
    elif not np.isfinite(gaps).all():
        reason = "the measure is infinite in some draws"
    elif np.ptp(gaps) <= 1e-12 * np.abs(search.values[np.isfinite(search.values)]).max():
        reason = f"no {units.word} differs"
    if reason:
        return absent(reason, level=level), is_pooled
    # draws of rows have fewer different rows than the folds: what that changes is taken off
    low, high = percentiles(gaps - gaps.mean(), level)
    return Interval(low, high, level, DRAWN.format(word=f"{units.word}s")).noted(words), is_pooled
