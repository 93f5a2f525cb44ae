"""Optimism: how much better a chosen setting looked than it proved, row by row."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.engines.memory import Tallies
from karat.evaluation.predictions import predictions_of
from karat.evaluation.row_losses import has_row_losses, row_losses
from karat.intervals.quantiles import two_sided_student
from karat.selection.estimate import Estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.selection.nested import Nested
    from karat.selection.search import Search

__all__ = ["optimism"]

METHOD = "paired over {word}: the same {word} judged both ways"


def optimism(search: Search, place: int, nested: Nested, *, level: float = 0.95) -> Estimate:
    """The value of the search's choice minus that of nested choices, with its interval.

    Above 0 for a measure of which more is better (below 0 for a loss): the search promised
    too much. The interval is of the mean difference over rows (groups of rows), for measures
    that are means over rows.
    """
    value = float(search.values[place]) - nested.mean
    first, second = search.scores[place].tallies, _tallies(nested)
    request = search.criterion.request
    if first is None or not (has_row_losses(request, first) and has_row_losses(request, second)):
        reason = f"no interval: {search.criterion.name} is no mean over rows"
        return Estimate("optimism", value, level=level, note=reason)
    ours, theirs = (
        _by_row(search, tallies, outcome)
        for tallies, outcome in (
            (first, search.scores[place].outcome),
            (second, nested.outcome),
        )
    )
    both = ~np.isnan(ours) & ~np.isnan(theirs)
    gaps = ours[both] - theirs[both]
    if not np.isfinite(gaps).all() or len(gaps) < 2:
        return Estimate("optimism", value, level=level, note="no interval: a loss is infinite")
    if not np.ptp(gaps):
        return Estimate("optimism", value, level=level, note="no interval: no row differs")
    weight = search.dataset.weight
    weights = np.ones(len(gaps)) if weight is None else weight[both]
    group = search.dataset.group
    units = np.arange(len(gaps)) if group is None else np.asarray(group.codes)[both]
    low, high = _limits(gaps, weights, units, level)
    word = "rows" if group is None else "groups"
    return Estimate("optimism", value, low, high, level, METHOD.format(word=word))


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
        return float("nan"), float("nan")
    off = np.bincount(codes, weights * (gaps - mean))
    spread = sqrt(count / (count - 1) * float(off @ off)) / float(weights.sum())
    reach = two_sided_student(level, count - 1) * spread
    return mean - reach, mean + reach


def _tallies(nested: Nested) -> Tallies:
    evaluation = nested.evaluation
    return Tallies(predictions_of("chosen", nested.outcome, evaluation.dataset, evaluation.splits))


def _by_row(search: Search, tallies: Tallies, outcome: Any) -> NDArray[np.float64]:
    """The mean loss of each row of the data; NaN where it was never tested."""
    losses = row_losses(search.criterion.request, tallies)
    count = len(search.dataset)
    times = np.bincount(outcome.rows, minlength=count)
    with np.errstate(invalid="ignore"):
        return np.bincount(outcome.rows, losses, count) / np.where(times > 0, times, np.nan)
