"""Optimism: how much better a chosen setting looked than it proved, row by row."""

from __future__ import annotations

from math import nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.engines.memory import Tallies
from karat.evaluation.predictions import predictions_of
from karat.evaluation.row_losses import has_row_losses, row_losses
from karat.intervals.quantiles import two_sided_student
from karat.selection.bias_corrected import percentiles
from karat.selection.choice import no_test_along
from karat.selection.estimate import Estimate
from karat.selection.paired_draws import Judged, drawn_gaps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.selection.nested import Nested
    from karat.selection.search import Search

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
    the nested value minus that of the search. Of a measure that is a mean over rows the interval
    is that of the mean difference over rows (groups of rows); of others it is made of draws of
    rows, the same for both.
    """
    score = search.scores[place]
    with np.errstate(invalid="ignore"):
        value = float(
            np.subtract(*search.criterion.goodness(np.array([score.value, nested.value])))
        )
    if not np.isfinite(value) or score.tallies is None:
        return Estimate("optimism", value, level=level, note="no interval: a loss is infinite")
    theirs = _tallies(nested)
    if reason := no_test_along(score.tallies) or no_test_along(theirs):
        return Estimate("optimism", value, level=level, note=f"no interval: {reason}")
    if search.criterion.direction == "target":
        reason = "no interval: the measure has a target, and distances from it are no means"
        return Estimate("optimism", value, level=level, note=reason)
    both = Judged(score.tallies, score.outcome), Judged(theirs, nested.outcome)
    group = search.dataset.group
    units = np.arange(len(search.dataset)) if group is None else np.asarray(group.codes)
    word = "rows" if group is None else "groups"
    request = search.criterion.request
    if all(has_row_losses(request, one.tallies) for one in both):
        low, high, reason = _of_means(search, both, units, level)
        method, note = METHOD.format(word=word), ""
    else:
        low, high, reason, note = _of_draws(search, both, units, value, (level, seed))
        method = DRAWN.format(word=word)
    if reason:
        return Estimate("optimism", value, level=level, note=f"no interval: {reason}")
    return Estimate("optimism", value, low, high, level, method, note)


def _of_means(
    search: Search, both: tuple[Judged, Judged], units: NDArray[Any], level: float
) -> tuple[float, float, str]:
    """The limits of the mean difference over rows, or why there are none."""
    ours, theirs = (_by_row(search, one) for one in both)
    known = ~np.isnan(ours) & ~np.isnan(theirs)
    gaps = search.criterion.goodness(ours[known] - theirs[known])
    if len(gaps) < 2 or not _vary(gaps, ours[known]):
        return nan, nan, "no row differs"
    weight = search.dataset.weight
    weights = np.ones(len(gaps)) if weight is None else weight[known]
    return *_limits(gaps, weights, units[known], level), ""


def _of_draws(
    search: Search,
    both: tuple[Judged, Judged],
    units: NDArray[Any],
    value: float,
    how: tuple[float, int],
) -> tuple[float, float, str, str]:
    """Percentiles of the difference over draws, around the difference itself."""
    level, seed = how
    count = len(np.unique(units))
    if count < LEAST_UNITS:
        return nan, nan, f"{count} groups or rows are too few to draw from", ""
    is_pooled = search.criterion.aggregate == "pooled"
    gaps, words = drawn_gaps(search.criterion.request, both, units, is_pooled=is_pooled, seed=seed)
    gaps = search.criterion.goodness(gaps)
    if len(gaps) < LEAST_DRAWS:
        return nan, nan, f"the measure is undefined in nearly all draws ({words})", words
    if not np.isfinite(gaps).all():
        return nan, nan, "the measure is infinite in some draws", words
    if not _vary(gaps, search.values[np.isfinite(search.values)]):
        return nan, nan, "no row differs", words
    # draws of rows have fewer different rows than the folds: what that changes is taken off
    low, high = percentiles(gaps - gaps.mean() + value, level)
    return low, high, "", words


def _vary(gaps: NDArray[np.float64], values: NDArray[np.float64]) -> bool:
    """Whether differences differ by more than rounding."""
    return bool(np.ptp(gaps) > 1e-12 * np.abs(values).max(initial=1e-300))


def _limits(
    gaps: NDArray[np.float64],
    weights: NDArray[np.float64],
    units: NDArray[Any],
    level: float,
) -> tuple[float, float]:
    """Student's interval of a weighted mean over units that are drawn as wholes."""
    mean = float(np.average(gaps, weights=weights))
    _, codes = np.unique(units, return_inverse=True)
    count = int(codes.max(initial=0)) + 1
    if count < 2:
        return nan, nan
    off = np.bincount(codes, weights * (gaps - mean))
    spread = sqrt(count / (count - 1) * float(off @ off)) / float(weights.sum())
    reach = two_sided_student(level, count - 1) * spread
    return mean - reach, mean + reach


def _tallies(nested: Nested) -> Tallies:
    evaluation = nested.evaluation
    return Tallies(predictions_of("chosen", nested.outcome, evaluation.dataset, evaluation.splits))


def _by_row(search: Search, judged: Judged) -> NDArray[np.float64]:
    """The mean loss of each row of the data; NaN where it was never tested."""
    losses = row_losses(search.criterion.request, judged.tallies)
    count, rows = len(search.dataset), judged.outcome.rows
    times = np.bincount(rows, minlength=count)
    with np.errstate(invalid="ignore"):
        return np.bincount(rows, losses, count) / np.where(times > 0, times, np.nan)
