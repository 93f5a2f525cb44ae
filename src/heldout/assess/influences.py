"""How far each row moves a measure: what its standard error and its tests by slice are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import count_statistic
from heldout.assess.values import losses_of
from heldout.measures.kinds import Area, Fit, Maximum
from heldout.tally.errors import Errors
from heldout.tally.moments import Moments
from heldout.tally.roc import area
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.influence import Influence

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request
    from heldout.tally.class_scores import ClassScores
    from heldout.tally.confusion import Confusion

#: by which share of its spread a mean is changed to see how a measure changes
STEP = 1e-4
WELCH = "Welch's t, no spread below the pooled"
PLACED = "t of placements among all rows, no spread below the pooled"
LINEAR = "t of influences of {}, no spread below the pooled"


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
    method
        What the test of its means is called; ``{}`` stands for what is independent.
    scales
        Of a ranking: what brings the mean over rows of either class to one over all rows.
    """

    loss: Callable[[Any], NDArray[Any]]
    method: str
    scales: tuple[float, float] | None = None


def influence_of(request: Request, whole: Tallies) -> RowInfluence | None:
    """The influence of rows on a measure of all rows; None where the measure is not smooth."""
    measure = request.measure
    is_single = request.label is None and not request.average
    if measure.is_of_counts:
        return _of_counts(request, whole)
    if not is_single:
        return None
    if set(measure.needs) == {Moments}:
        return _of_moments(request, whole)
    if measure.needs == (Errors,) and not isinstance(measure.kind, Maximum):
        return _of_errors(request, whole)
    if measure.needs == (ScoreCounts,) and measure.area is not None:
        return _of_area(whole.scores)
    if isinstance(measure.kind, Fit):
        moves = measure.kind.influence(whole.scores, **request.values)
        return RowInfluence(partial(_of_fit, moves, float(whole.scores.total)), LINEAR)
    return None


def _of_counts(request: Request, whole: Tallies) -> RowInfluence | None:
    """By the gradient in the counts of cells, which are few or many but finite."""
    counts = whole.confusion
    statistic = count_statistic(request, whole)

    def values(table: NDArray[Any]) -> NDArray[Any]:
        made = np.asarray(statistic(replace(counts, counts=table)), float)
        return np.broadcast_to(made, table.shape[:-1])

    with np.errstate(all="ignore"):
        shift = Influence.of_counts(values, counts.counts.astype(float)).shift
    if not np.isfinite(shift).all():
        return None
    shift = shift * float(counts.total)
    return RowInfluence(partial(_of_cell, counts, shift), LINEAR)


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
    method = WELCH if len(losses) == 1 else LINEAR
    return RowInfluence(partial(_of_losses, losses, slopes, centres), method)


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
        made = Errors(
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
        return float(request.measure(made, **request.values))

    moves = np.diag(steps)
    slopes = [(value(here + move) - value(here - move)) / (2 * move.max()) for move in moves]
    if not all(map(isfinite, slopes)):
        return None
    means = (errors.truth_mean, errors.predicted_mean)
    return RowInfluence(partial(_of_products, means, slopes, here), LINEAR)


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
    return RowInfluence(placed, PLACED, (total / negatives, total / positives))


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
    is_weighted = request.average == "weighted" if request.average else kind.is_by_rows
    terms: list[tuple[tuple[int, ...], Influence]]
    if request.average:
        terms = [((k,), _of_class(columns, k, None)) for k in present]
    else:
        terms = [
            (pair, Influence.mean([_of_class(columns, *pair), _of_class(columns, *pair[::-1])]))
            for pair in combinations(present, 2)
        ]
    if not is_weighted:
        return Influence.mean([area_of for _, area_of in terms])
    weights = [float(columns.actual[list(classes)].sum()) for classes, _ in terms]
    mean = Influence.mean([area_of for _, area_of in terms], weights)
    # which share of the rows a class has varies too
    of_class = np.zeros(columns.classes)
    for classes, area_of in terms:
        of_class[list(classes)] += (area_of.value - mean.value) / sum(weights)
    mass = np.ones(columns.rows) if columns.weight is None else columns.weight
    return replace(mean, shift=mean.shift + mass * of_class[columns.truth])


def _of_class(columns: ClassScores, place: int, other: int | None) -> Influence:
    """That of the area of one class against another (None: all others), by its own column."""
    truth, mass = columns.truth, columns.weight
    shift = np.zeros(columns.rows)
    own = slice(None) if other is None else np.flatnonzero((truth == place) | (truth == other))
    weight = None if mass is None else mass[own]
    among = Influence.of_area(truth[own] == place, columns.scores[own, place], weight)
    shift[own] = among.shift
    return Influence(among.value, shift, np.ones(columns.rows) if mass is None else mass)
