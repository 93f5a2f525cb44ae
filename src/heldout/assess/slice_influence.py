"""Whether rows of a slice move a value otherwise than all others do: a t test of influences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.influences import LINEAR
from heldout.core.significance import Test, no_test
from heldout.engines.protocol import slice_by
from heldout.tally.moments import Moments
from heldout.uncertainty.means import SAME_LOSS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.assess.influences import RowInfluence
    from heldout.engines.memory import Tallies
    from heldout.engines.protocol import Loss


@dataclass(frozen=True, slots=True, eq=False)
class _Means:
    """Means of influences of slices, or of what is left, their variances and freedom."""

    mean: NDArray[Any]
    variance: NDArray[Any]
    freedom: NDArray[Any]


def influence_tests(
    influence: RowInfluence, whole: Tallies, column: str, differences: NDArray[Any]
) -> list[Test]:
    """A test of each slice against all other rows.

    Parameters
    ----------
    column
        The column of slices.
    differences
        The value of each slice less that of the others.

    Notes
    -----
    Linearisation: Deville (1999), Surv. Methodol. 25:193; domains are compared so in surveys.
    The variance of either side is not taken to be less than that of as many rows (or groups)
    drawn from all, which is what exchanging the labels of slices gives: a few rows that
    happen to agree do not count as certain. That floor is heldout's own.
    """
    from heldout.core.special import stdtr

    group = whole.predictions.design.group is not None
    sides = _of_groups if group else _of_rows
    with np.errstate(all="ignore"):
        terms = sides(influence, whole, column)
        gap = sum(some.mean - rest.mean for some, rest in terms)
        both = [side for pair in terms for side in pair]
        variance = sum(side.variance for side in both)
        freedom = variance**2 / sum(side.variance**2 / side.freedom for side in both)
        statistic = gap / np.sqrt(variance)
        p_values = 2 * stdtr(freedom, -np.abs(statistic))
    method = (LINEAR if group else influence.method).format("groups" if group else "rows")
    made = []
    columns = (statistic, p_values, freedom, np.sqrt(variance), differences)
    for t, p_value, degrees, error, difference in zip(
        *map(np.ndarray.tolist, columns), strict=True
    ):
        if not error:
            made.append(no_test(SAME_LOSS, estimate=difference))
        elif not isfinite(p_value):
            made.append(no_test("undefined without some of the rows", estimate=difference))
        else:
            test = Test(method, t, p_value, degrees=(degrees,), error=error, estimate=difference)
            made.append(test)
    return made


def _of_rows(influence: RowInfluence, whole: Tallies, column: str) -> list[tuple[_Means, _Means]]:
    """Of a ranking the positive and the negative rows by themselves, else all rows together."""
    loss: Loss = (influence.loss, {})
    slices = whole.parts(slice_by(column))
    if influence.scales is None:
        return [_welch(slices.moments(loss))]
    parts = whole.parts(slice_by(column), "class")
    moments = parts.moments(loss)
    place = np.searchsorted(slices.codes(0), parts.codes(0))
    terms = []
    for code in np.unique(parts.codes(1)):
        own = np.flatnonzero(parts.codes(1) == code)
        each = {}
        for name in ("rows", "weight", "finite_mean", "deviations", "weight_squares"):
            column_of = np.zeros(len(slices))
            column_of[place[own]] = getattr(moments, name)[own]
            each[name] = column_of
        terms.append(_welch(Moments(**each)))
    return terms


def _welch(some: Moments) -> tuple[_Means, _Means]:
    """The means of each slice and of all other rows, with variances as Welch's t has them."""
    weight, squares = some.weight.sum(), some.weight_squares.sum()
    centre = (some.weight * some.finite_mean).sum() / weight
    between = (some.weight * (some.finite_mean - centre) ** 2).sum()
    deviations = some.deviations.sum() + between
    other = weight - some.weight
    mean = (weight * centre - some.weight * some.finite_mean) / other
    step = (some.finite_mean - mean) ** 2 * some.weight * other / weight
    others = np.maximum(deviations - some.deviations - step, 0.0)
    pooled = (some.deviations + others) / weight
    sides = []
    for means, spread, own, square in (
        (some.finite_mean, some.deviations, some.weight, some.weight_squares),
        (mean, others, other, squares - some.weight_squares),
    ):
        size = own * own / square
        variance = np.maximum(spread / own, pooled) / (size - 1)
        sides.append(_Means(means, variance, size - 1))
    return sides[0], sides[1]


def _of_groups(influence: RowInfluence, whole: Tallies, column: str) -> list[tuple[_Means, _Means]]:
    """Sums of groups are what varies, also where a group lies in several slices."""
    loss = influence.loss
    if influence.scales is not None:
        loss = partial(_scaled, influence.loss, influence.scales)
    parts = whole.parts(slice_by(column), "group")
    moments = parts.moments((loss, {}))
    place = np.searchsorted(np.unique(parts.codes(0)), parts.codes(0))
    group = np.unique(parts.codes(1), return_inverse=True)[1]
    mass = moments.finite_weight
    pull = moments.finite_mean * mass
    # what a group holds in a slice, and in all of them
    all_pull, all_mass = (np.bincount(group, part)[group] for part in (pull, mass))
    groups, slices = int(group.max()) + 1, int(place.max()) + 1

    def sums(values: NDArray[Any]) -> NDArray[Any]:
        return np.bincount(place, values, minlength=slices)

    total_pull, total_mass = (np.bincount(group, part) for part in (pull, mass))
    weight, own = total_mass.sum(), sums(mass)
    whole_variance = groups / (groups - 1) * (total_pull**2).sum() / weight**2
    here = sums(np.ones(len(pull)))
    # groups that lie in the slice alone have nothing among the others
    alone = sums((all_mass - mass <= 1e-12 * all_mass).astype(float))
    sides = []
    for inside, size, count in ((True, own, here), (False, weight - own, groups - alone)):
        if inside:
            a, b, c = sums(pull**2), sums(pull * mass), sums(mass**2)
            mean = sums(pull) / size
        else:
            a = (total_pull**2).sum() - 2 * sums(all_pull * pull) + sums(pull**2)
            b = (total_pull * total_mass).sum() - sums(all_pull * mass + pull * all_mass)
            b += sums(pull * mass)
            c = (total_mass**2).sum() - 2 * sums(all_mass * mass) + sums(mass**2)
            mean = (total_pull.sum() - sums(pull)) / size
        squares = np.maximum(a - 2 * mean * b + mean**2 * c, 0.0)
        variance = count / (count - 1) * squares / size**2
        variance = np.maximum(variance, whole_variance * weight / size)
        sides.append(_Means(mean, variance, count - 1))
    return [(sides[0], sides[1])]


def _scaled(
    loss: Callable[[Any], NDArray[Any]], scales: tuple[float, float], rows: Any
) -> NDArray[Any]:
    return loss(rows) * np.where(rows.is_positive, scales[1], scales[0])
