"""How far each row moves a measure: its standard error, and whether rows of a slice move it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import count_statistic
from heldout.assess.values import losses_of
from heldout.measures.kinds import Area, Fit, Maximum
from heldout.tally.class_scores import ClassScores
from heldout.tally.errors import Errors
from heldout.tally.moments import Moments
from heldout.tally.roc import area
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.influence import Influence, placements

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.engines.memory import Tallies
    from heldout.engines.parts import Partition
    from heldout.measures.spec import Request
    from heldout.tally.confusion import Confusion

#: by which share of its spread a mean is changed to see how a measure changes
STEP = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class RowInfluence:
    """How far each row moves the value of all rows, as a loss of rows.

    To first order the value of some rows is that of all rows plus the mean of their influences;
    of a ranking it is plus the mean over its positive rows and the mean over its negative ones.
    As a loss of rows it is tallied by slice like any other, on any engine.

    Parameters
    ----------
    loss
        A function of the rows as losses see them.
    scales
        Of a ranking: what brings the mean over rows of either class to one over all rows.
    values
        Of rows in memory, in place of the loss: the influence of each.
    """

    loss: Callable[[Any], NDArray[Any]]
    scales: tuple[float, float] | None = None
    values: NDArray[Any] | None = None

    def moments(self, parts: Partition) -> Moments:
        """The moments of the influences of the rows of each part."""
        if self.values is None:
            return parts.moments((self.loss, {}))
        return Moments.of_parts(self.values[parts.order], parts.starts, parts.ordered.weight)


def influence_of(request: Request, whole: Tallies) -> RowInfluence | None:
    """The influence of rows on a measure of all rows; None where the measure is not smooth."""
    measure = request.measure
    is_single = request.label is None and not request.average
    if measure.is_of_counts:
        return _of_counts(request, whole)
    if not is_single or measure.needs == (ClassScores,):
        return _of_areas(request, whole)
    if set(measure.needs) == {Moments}:
        return _of_moments(request, whole)
    if measure.needs == (Errors,) and not isinstance(measure.kind, Maximum):
        return _of_errors(request, whole)
    if measure.needs == (ScoreCounts,) and measure.area is not None:
        return _of_area(whole.of_kind(ScoreCounts))
    if isinstance(measure.kind, Fit):
        counts = whole.of_kind(ScoreCounts)
        moves = measure.kind.influence(counts, **request.values)
        return RowInfluence(partial(_of_fit, moves, float(counts.total)))
    return None


def _of_areas(request: Request, whole: Tallies) -> RowInfluence | None:
    """Of a mean of the areas of classes, by all their rankings."""
    is_mean = request.average or request.measure.needs == (ClassScores,)
    if not is_mean or not isinstance(request.measure.kind, Area):
        return None
    areas = of_class_areas(request, whole.class_scores)
    if areas is None:
        return None
    values = areas.shift * (float(areas.mass.sum()) / areas.mass)
    return RowInfluence(np.zeros_like, values=values)


def _of_counts(request: Request, whole: Tallies) -> RowInfluence | None:
    """By the gradient in the counts of cells, which are few or many but finite."""
    counts = whole.confusion
    statistic = count_statistic(request, whole)

    def values(table: NDArray[Any]) -> NDArray[Any]:
        each = np.asarray(statistic(replace(counts, counts=table)), float)
        return np.broadcast_to(each, table.shape[:-1])

    with np.errstate(all="ignore"):
        shift = Influence.of_counts(values, counts.counts.astype(float)).shift
    if not np.isfinite(shift).all():
        return None
    shift = shift * float(counts.total)
    return RowInfluence(partial(_of_cell, counts, shift))


def _of_cell(counts: Confusion, shift: NDArray[Any], rows: Any) -> NDArray[Any]:
    flat = rows.truth.astype(np.int64) * counts.classes + rows.predicted
    return shift[np.searchsorted(counts.cells, flat)]


def _of_moments(request: Request, whole: Tallies) -> RowInfluence | None:
    """By the gradient in the mean of each loss."""
    losses = losses_of(request)
    means = [whole.moments(*loss) for loss in losses]
    if not all(isfinite(m.mean) and m.weight for m in means):
        return None
    slopes = []
    for k, moments in enumerate(means):
        step = STEP * (sqrt(moments.deviations / moments.weight) or abs(moments.mean) or 1.0)
        moved = moments.finite_mean + step * np.array([1.0, -1.0])
        around = [
            replace(m, finite_mean=moved if j == k else m.finite_mean + np.zeros(2))
            for j, m in enumerate(means)
        ]
        around = [
            replace(
                m,
                weight=np.full(2, m.weight),
                infinite=np.zeros(2),
                negative_infinite=np.zeros(2),
                undefined=np.zeros(2),
            )
            for m in around
        ]
        up, down = np.broadcast_to(request.measure(*around, **request.values), (2,)).tolist()
        slopes.append((up - down) / (2 * step))
    if not all(map(isfinite, slopes)):
        return None
    centres = [m.finite_mean for m in means]
    return RowInfluence(partial(_of_losses, losses, slopes, centres))


def _of_losses(
    losses: list[Any], slopes: list[float], centres: list[float], rows: Any
) -> NDArray[Any]:
    each = zip(losses, slopes, centres, strict=True)
    return np.asarray(sum(slope * (loss(rows, **given) - c) for (loss, given), slope, c in each))


def _of_errors(request: Request, whole: Tallies) -> RowInfluence | None:
    """By the gradient in the means of truth and prediction, of their squares and products."""
    errors = whole.errors
    weight, rows = errors.weight, errors.rows
    scales = [sqrt(d / weight) for d in (errors.truth_deviations, errors.predicted_deviations)]
    if not all(isfinite(s) and s > 0 for s in scales):
        return None
    t, p = scales
    steps = STEP * np.array([t, p, t * t, p * p, t * p])
    here = np.array([0.0, 0.0, t * t, p * p, errors.co_deviations / weight])

    def value(means: NDArray[Any]) -> float:
        m, n, mm, nn, mn = means.tolist()
        moved = Errors(
            rows,
            weight,
            errors.truth_mean + m,
            errors.predicted_mean + n,
            errors.error_mean + n - m,
            weight * max(mm - m * m, 0.0),
            weight * max(nn - n * n, 0.0),
            weight * max(mm + nn - 2 * mn - (n - m) ** 2, 0.0),
            weight * (mn - m * n),
            errors.largest,
        )
        return float(request.measure(moved, **request.values))

    moves = np.diag(steps)
    slopes = [(value(here + move) - value(here - move)) / (2 * move.max()) for move in moves]
    if not all(map(isfinite, slopes)):
        return None
    means = (errors.truth_mean, errors.predicted_mean)
    return RowInfluence(partial(_of_products, means, slopes, here))


def _of_products(
    means: tuple[float, float], slopes: list[float], here: NDArray[Any], rows: Any
) -> NDArray[Any]:
    t, p = rows.truth - means[0], rows.predicted - means[1]
    columns = (t, p, t * t, p * p, t * p)
    return np.asarray(sum(s * (c - h) for s, c, h in zip(slopes, columns, here, strict=True)))


def _of_area(scores: ScoreCounts) -> RowInfluence | None:
    if not scores.has_both:
        return None
    positives, negatives = float(scores.total_positives), float(scores.total_negatives)
    total = positives + negatives
    placed = partial(_placed, scores, area(scores))
    return RowInfluence(placed, (total / negatives, total / positives))


def _placed(scores: ScoreCounts, value: float, rows: Any) -> NDArray[Any]:
    """The share of the other class that a row is placed rightly against, less the area."""
    positives, negatives = scores.standing(np.asarray(rows.probability))
    of_positive = 1 - negatives / float(scores.total_negatives)
    of_negative = positives / float(scores.total_positives)
    return np.where(rows.is_positive, of_positive, of_negative) - value


def _of_fit(moves: Callable[..., Any], total: float, rows: Any) -> NDArray[Any]:
    of_positive, of_negative, _ = moves(np.asarray(rows.probability))
    return total * np.where(rows.is_positive, of_positive, of_negative)


def of_rows(request: Request, whole: Tallies, value: float) -> Influence | None:
    """The influence of each row, with its weight; None where the measure is not smooth."""
    influence = influence_of(request, whole)
    if influence is None or influence.scales is not None:
        return None
    weight = whole.row_weights
    return Influence(value, weight * whole.losses(influence.loss, {}) / weight.sum(), weight)


def of_class_areas(request: Request, columns: ClassScores) -> Influence | None:
    """That of a mean of areas under ROC curves: of each class, or of each pair of classes.

    One sort a class: where a row stands among those of every other class, each weighing what the
    area beside it does, is one placement.

    Examples
    --------
    >>> from heldout.measures.spec import parse_request
    >>> from heldout.tally.class_scores import ClassScores
    >>> scores = np.array([[0.9, 0.1, 0.4, 0.5], [0.1, 0.9, 0.6, 0.5]]).T
    >>> columns = ClassScores.of(np.array([0, 1, 0, 1]), scores)
    >>> of_class_areas(parse_request("auc_macro"), columns).value
    0.75
    """
    kind = request.measure.kind
    assert isinstance(kind, Area)
    present = np.flatnonzero(columns.actual > 0).tolist()
    if len(present) < 2:
        return None
    is_paired = not request.average
    is_weighted = kind.is_by_rows if is_paired else request.average == "weighted"
    truth, sizes = columns.truth, columns.actual.astype(float)
    mass = np.ones(columns.rows) if columns.weight is None else columns.weight
    within = mass / np.where(sizes > 0, sizes, 1.0)[truth]
    rivals, total = len(present) - 1, float(sizes.sum())
    shift, value, of_class = np.zeros(columns.rows), 0.0, np.zeros(columns.classes)
    for k in present:
        # what the area of this class beside each other one weighs in the mean; pairs have two
        if is_paired:
            weight = (sizes[k] + sizes) / (2 * total) if is_weighted else sizes > 0
            weight = weight / (rivals if is_weighted else rivals * (rivals + 1))
        else:
            weight = sizes / (total - sizes[k])
            weight = weight * (sizes[k] / total if is_weighted else 1 / (rivals + 1))
        weight = np.where((sizes > 0) & (np.arange(columns.classes) != k), weight, 0.0)
        is_own, pull = truth == k, weight[truth] * within
        placed = placements(is_own, columns.scores[:, k], np.where(is_own, within, pull))
        areas = np.where(weight > 0, np.bincount(truth, within * placed, columns.classes), 0.0)
        mean, all_weight = float(weight @ areas), float(weight.sum())
        centre = areas[truth] if is_paired else mean / all_weight
        shift += np.where(is_own, within * (all_weight * placed - mean), pull * (placed - centre))
        value += mean
        of_class += areas / 2 if is_paired else 0.0
        of_class[k] += areas.sum() / 2 if is_paired else mean / all_weight
    if is_weighted:  # which share of the rows a class has varies too
        terms = rivals if is_paired else 1
        shift += mass * ((of_class - terms * value) / (terms * total))[truth]
    return Influence(value, shift, mass)


def fit_influence(
    request: Request,
    counts: ScoreCounts,
    is_positive: NDArray[Any],
    score: NDArray[Any],
    *,
    often: NDArray[Any] | None = None,
    weight: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
) -> tuple[Influence, float]:
    """How far rows, or groups, move an estimate, and the least standard error that it can have.

    ``often``: rows there are of a kind; ``groups``: codes from 0.
    """
    measure = request.measure
    assert isinstance(measure.kind, Fit)
    mass = np.ones(len(score)) if weight is None else weight
    often = np.ones(len(score)) if often is None else often
    kept = np.flatnonzero(mass * often)  # others need no probability
    of_positive, of_negative, least = measure.kind.influence(counts, **request.values)(score[kept])
    shift = mass[kept] * np.where(is_positive[kept], of_positive, of_negative)
    pull = -(mass[kept] ** 2) * of_positive * of_negative
    variance = float(often[kept] @ (mass[kept] ** 2 * least))
    estimate = Influence(float(measure(counts, **request.values)), shift, pull, often[kept])
    if groups is None:
        return estimate, sqrt(variance)
    return estimate.by(groups[kept]), sqrt(max(variance, float(shift @ shift)))
