"""The interval of a case by each method of the table."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from heldout.core.notes import Kind, Note
from heldout.uncertainty.areas import delong_interval, newcombe_interval
from heldout.uncertainty.case import Unit
from heldout.uncertainty.cell_values import group_value_interval
from heldout.uncertainty.cross_validation import fold_area_interval
from heldout.uncertainty.gap_intervals import gap_interval, largest_gap_interval
from heldout.uncertainty.interval import Interval
from heldout.uncertainty.means import (
    ALIKE,
    estimate_interval,
    influence_interval,
    mean_interval,
    skewed_mean_interval,
)
from heldout.uncertainty.proportions import share_interval
from heldout.uncertainty.quantiles import two_sided_normal
from heldout.uncertainty.worth import effective_sample_size

if TYPE_CHECKING:
    from heldout.uncertainty.case import (
        AreaParts,
        Case,
        FitParts,
        JointParts,
        MeanParts,
        ValueParts,
    )
    from heldout.uncertainty.cross_validation import FoldRanking

DELTA = "normal, delta method for means of losses"
NO_BOOTSTRAP = Note("no bootstrap of it covers", Kind.OTHER_METHOD)
#: a value that is nearer to the end of its range lies there but for rounding
ROUNDING = 1e-12


def _through(interval: Interval, case: Case) -> Interval:
    return interval if case.of is None else interval.through(case.of)


def share_limits(name: str, case: Case) -> Interval:
    """A share of rows, by one of the methods for shares."""
    return _through(share_interval(case.parts, level=case.options.level, method=name), case)


def hall_limits(case: Case) -> Interval:
    """A mean by Student's t without the skewness of the losses."""
    parts: MeanParts = case.parts
    assert parts.losses is not None
    return skewed_mean_interval(
        parts.moments, parts.losses, parts.function, level=case.options.level, bounds=parts.bounds
    )


def student_limits(case: Case) -> Interval:
    """A mean, or a function of one, by Student's t."""
    parts: MeanParts = case.parts
    return mean_interval(
        parts.moments,
        parts.function,
        level=case.options.level,
        bounds=parts.bounds,
        sums=parts.sums,
    )


def area_limits(scale: Any, case: Case) -> Interval:
    """An area under the ROC curve by DeLong's error, on a scale."""
    parts: AreaParts = case.parts
    level = case.options.level
    of_rows = delong_interval(parts.counts, level=level, scale=scale, squares=parts.squares)
    return _no_narrower(of_rows, case)


def newcombe_limits(case: Case) -> Interval:
    """An area under the ROC curve by Newcombe's method, which needs no scores."""
    from heldout.tally.roc import area

    counts, squares = case.parts.counts, case.parts.squares
    sizes = [float(counts.total_positives), float(counts.total_negatives)]
    if squares is not None:
        of_squares = (float(squares.total_positives), float(squares.total_negatives))
        sizes = [effective_sample_size(*pair) for pair in zip(sizes, of_squares, strict=True)]
    of_rows = newcombe_interval(float(area(counts)), *sizes, level=case.options.level)
    return _no_narrower(of_rows, case)


def _no_narrower(of_rows: Interval, case: Case) -> Interval:
    """That of whole groups that are drawn, but no narrower than single rows make it."""
    of_rows = _through(of_rows, case)
    if case.unit is not Unit.GROUPS:
        return of_rows
    drawn = case.resampled("percentile")
    if drawn.is_absent or of_rows.is_absent or drawn.width >= of_rows.width:
        return replace(drawn, by="percentile")
    return of_rows.noted(ALIKE)


def sandwich_limits(case: Case) -> Interval:
    """A value that was fitted, by its robust error."""
    parts: FitParts = case.parts
    is_grouped, level = case.unit is Unit.GROUPS, case.options.level
    return estimate_interval(parts.influence, parts.least_error, level=level, is_grouped=is_grouped)


def has_spread(case: Case) -> bool:
    """Whether the error of an influence is known, and the value is inside its bounds."""
    options = case.options
    if not options.uses_t or options.stratified or case.parts is None:  # rows are drawn as asked
        return False
    parts: FitParts = case.parts
    value, (low, high) = parts.influence.value, parts.bounds
    is_inside = low + ROUNDING < value < high - ROUNDING
    return is_inside and ROUNDING * abs(value) < parts.influence.spread().error < inf


def influence_limits(case: Case) -> Interval:
    """Any smooth value, by the spread of its influence."""
    parts: FitParts = case.parts
    interval = influence_interval(
        parts.influence,
        level=case.options.level,
        bounds=parts.bounds,
        is_grouped=case.unit is Unit.GROUPS,
    )
    return _through(interval, case)


def gap_limits(case: Case) -> Interval:
    """A mean gap of bins, by an inverted test."""
    parts, options = case.parts, case.options
    return _not_drawn(
        gap_interval(
            parts.gaps,
            parts.statistic,
            level=options.level,
            replicates=options.of_rows,
            seed=options.seed,
        ),
        case,
    )


def largest_gap_limits(case: Case) -> Interval:
    """The largest gap of bins, by limits of all bins together."""
    parts, level = case.parts, case.options.level
    interval = largest_gap_interval(parts.gaps, level=level, deviations=parts.deviations)
    return _not_drawn(interval, case)


def _not_drawn(interval: Interval, case: Case) -> Interval:
    return interval if case.options.uses_t else interval.noted(NO_BOOTSTRAP)


def group_value_limits(case: Case) -> Interval:
    """A mean of values of cells, by whole groups."""
    parts: ValueParts = case.parts
    interval = group_value_interval(
        parts.confusion,
        parts.sums,
        parts.values,
        squares=parts.squares,
        level=case.options.level,
        replicates=case.options.of_counts,
        seed=case.options.seed,
    )
    return interval if parts.scale == 1 else interval.through(lambda mean: mean * parts.scale)


def has_joint_moments(case: Case) -> bool:
    """Whether the moments of all losses together are known."""
    if case.options.replicates is not None or case.parts is None:
        return False
    return isfinite(case.parts.means.spread_of(case.parts.value))


def delta_limits(case: Case) -> Interval:
    """A function of several means, by the delta method."""
    parts: JointParts = case.parts
    means, level = parts.means, case.options.level
    here = parts.value(means.means)
    reach = two_sided_normal(level) * means.spread_of(parts.value)
    return Interval(here - reach, here + reach, level, DELTA)


def fold_area_limits(case: Case) -> Interval:
    """The mean of the areas of folds, by the rankings in each fold."""
    parts: FoldRanking = case.parts
    return _through(fold_area_interval(parts, level=case.options.level), case)
