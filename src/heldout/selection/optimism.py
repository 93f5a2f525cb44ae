"""Optimism: how much better a chosen setting looked than it proved, of the same rows."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, sqrt
from typing import TYPE_CHECKING

import numpy as np

from heldout.engines.memory import Tallies
from heldout.evaluation.predictions import predictions_of
from heldout.evaluation.row_losses import has_row_losses, row_losses
from heldout.intervals.interval import Interval, absent
from heldout.intervals.quantiles import two_sided_student
from heldout.selection.bias_corrected import percentiles
from heldout.selection.choice import no_test_along
from heldout.selection.estimate import Estimate
from heldout.selection.paired_draws import Judged, drawn_gaps
from heldout.selection.scoring import ROUNDING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.selection.nested import Nested
    from heldout.selection.search import Search

__all__ = ["optimism"]

METHOD = "paired over {word}: the same {word} judged both ways"
DRAWN = "paired bootstrap of {word}: the same draws for both"
#: units (rows, groups) and draws with a value that limits are made of, at least
LEAST_UNITS = 10
LEAST_DRAWS = 50


def optimism(
    search: Search, place: int, nested: Nested, *, level: float = 0.95, seed: int = 0
) -> Estimate:
    """How much better the search's choice looked than nested choices proved, with its interval.

    Above 0 the search promised too much, whichever way the measure is better: of a loss it is
    the nested value minus that of the search. Both are averaged as the nested estimate is: over
    folds, or over all rows pooled. Of a measure that is a mean over rows the interval follows
    from what each row (group of rows) adds to the difference; of others it is made of draws of
    rows, the same for both.
    """
    score, of = search.scores[place], nested.estimate.of or search.criterion.aggregate
    made = _difference(search, place, nested, of, level)
    if not isfinite(made.value) or score.tallies is None:
        return replace(made, note="no interval: a loss is infinite")
    theirs = _tallies(nested)
    procedures = [t.predictions.design.procedure for t in (score.tallies, theirs)]
    if reason := no_test_along(procedures[0]) or no_test_along(procedures[1]):
        return replace(made, note=f"no interval: {reason}")
    if search.criterion.direction == "target":
        reason = "no interval: the measure has a target, and distances from it are no means"
        return replace(made, note=reason)
    both = Judged(score.tallies, score.outcome), Judged(theirs, nested.outcome)
    group = search.dataset.group
    codes = np.arange(len(search.dataset)) if group is None else np.asarray(group.codes)
    units, word = np.unique(codes, return_inverse=True)[1], "row" if group is None else "group"
    request = search.criterion.request
    if all(has_row_losses(request, one.tallies) for one in both):
        around = _of_means(search, both, units, word, (level, of == "pooled"))
    else:
        around, is_pooled = _of_draws(search, both, units, word, (level, of == "pooled", seed))
        if is_pooled and of != "pooled":
            # limits of folds together belong to a value of folds together
            made = _difference(search, place, nested, "pooled", level)
    if around.is_absent:
        return replace(made, note=f"no interval: {around.note}")
    low, high = request.measure.bounds
    found = around.through(lambda gap: made.value + gap).within((low - high, high - low))
    return replace(made, low=found.low, high=found.high, method=found.method, note=found.note)


def _difference(search: Search, place: int, nested: Nested, of: str, level: float) -> Estimate:
    """The value in the search against that of outer folds, both averaged alike."""
    theirs = nested.pooled if of == "pooled" else nested.mean
    ours = search.averaged(place, of)
    if search.of not in ("folds", "pooled"):
        # an estimate of its own kind is held against the one that is shown
        ours, theirs = search.scores[place].value, nested.estimate.value
    with np.errstate(invalid="ignore"):
        gap = float(np.subtract(*search.criterion.goodness(np.array([ours, theirs]))))
    if isfinite(gap) and abs(gap) <= ROUNDING * max(abs(ours), abs(theirs)):
        gap = 0.0
    return Estimate("optimism", gap, level=level, of=of, between=(ours, theirs))


def _of_means(
    search: Search,
    both: tuple[Judged, Judged],
    units: NDArray[np.int64],
    word: str,
    how: tuple[float, bool],
) -> Interval:
    """Limits around 0 of a difference of means, from what each unit adds to it."""
    level, is_pooled = how
    added, sizes = np.zeros(units.max() + 1), np.zeros(units.max() + 1)
    scale = 0.0
    for one, sign in zip(both, (1.0, -1.0), strict=True):
        losses, share = row_losses(search.criterion.request, one.tallies), _shares(one, is_pooled)
        unit = units[one.outcome.rows]
        off = losses - float(share @ losses)
        added += sign * np.bincount(unit, share * off, len(added))
        sizes += np.bincount(unit, share, len(sizes)) / 2
        scale = max(scale, float(np.abs(losses).max(initial=0)))
    if np.abs(added).max() <= 1e-12 * scale * sizes.max():
        return absent(f"no {word} differs", level=level)
    counts = sizes > 0
    size = 1 / float(sizes @ sizes)
    if size < 2:
        return absent(f"the weights leave {size:.3g} effective {word}s", level=level)
    # whether heavy units are off as others are, or just as they happen to be: the larger of both
    even = float(added[counts] ** 2 @ (1 / sizes[counts])) / (size - 1)
    own = float(added @ added) * size / (size - 1)
    reach = two_sided_student(level, size - 1) * sqrt(max(even, own))
    return Interval(-reach, reach, level, METHOD.format(word=f"{word}s"))


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
    units: NDArray[np.int64],
    word: str,
    how: tuple[float, bool, int],
) -> tuple[Interval, bool]:
    """Percentiles around 0 of the difference over draws, and whether folds were pooled."""
    level, is_pooled, seed = how
    count = int(units.max()) + 1
    if count < LEAST_UNITS:
        return absent(f"{count} {word}s are too few to draw from", level=level), is_pooled
    drawn = drawn_gaps(search.criterion.request, both, units, is_pooled=is_pooled, seed=seed)
    gaps = search.criterion.goodness(drawn.gaps)
    reason = ""
    if len(gaps) < LEAST_DRAWS:
        reason = f"the measure is undefined in nearly all draws ({drawn.words})"
    elif not np.isfinite(gaps).all():
        reason = "the measure is infinite in some draws"
    elif np.ptp(gaps) <= 1e-12 * np.abs(search.values[np.isfinite(search.values)]).max():
        reason = f"no {word} differs"
    if reason:
        return absent(reason, level=level), drawn.is_pooled
    # draws of rows have fewer different rows than the folds: what that changes is taken off
    low, high = percentiles(gaps - gaps.mean(), level)
    method = DRAWN.format(word=f"{word}s")
    return Interval(low, high, level, method).noted(drawn.words), drawn.is_pooled


def _tallies(nested: Nested) -> Tallies:
    evaluation = nested.evaluation
    return Tallies(predictions_of("chosen", nested.outcome, evaluation.dataset, evaluation.splits))
