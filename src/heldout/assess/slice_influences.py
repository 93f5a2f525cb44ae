"""A slice less all other rows as an influence of units, and its score test, on any engine."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.memo import once
from heldout.core.significance import Test, no_test
from heldout.engines.protocol import slice_by
from heldout.tally.moments import Moments
from heldout.tally.placements import Placements
from heldout.uncertainty.influence import Influence
from heldout.uncertainty.means import SAME_LOSS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.assess.influences import RowInfluence
    from heldout.engines.memory import Tallies
    from heldout.engines.parts import Partition
    from heldout.tally.scores import ScoreCounts

METHOD = "Welch's t and permutation of labels, influences of {}"


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """A slice less all other rows, and its standard error were labels dealt out at random."""

    influence: Influence
    permuted: float

    def test(self, method: str, difference: float) -> Test:
        """The test whose p-value is larger: by the units of either side, or by permutation."""
        from heldout.core.special import ndtr, stdtr

        value = self.influence.value
        if not np.isfinite([value, self.permuted, *self.influence.shift]).all():
            return no_test("undefined without some of the rows", estimate=difference)
        if not self.permuted:
            return no_test(SAME_LOSS, estimate=difference)
        spread = self.influence.spread()
        p_value, error = 2 * float(ndtr(-abs(value) / self.permuted)), self.permuted
        freedom: tuple[float, ...] = ()
        of_units = 2 * stdtr(spread.freedom, -abs(value) / spread.error) if spread.error else 0.0
        if of_units > p_value:
            p_value, error, freedom = float(of_units), spread.error, (spread.freedom,)
        given: dict[str, Any] = {"degrees": freedom, "error": error, "estimate": difference}
        return Test(method, value / error, p_value, **given)


def influence_tests(
    influence: RowInfluence, whole: Tallies, column: str, differences: Sequence[float]
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
    Linearisation: Deville (1999), Surv. Methodol. 25:193; domains are compared so in surveys. A
    slice differs where Welch's t says so, which holds where spreads differ, and the permutation
    of the slice's labels, which holds for few and skewed rows too: in a small slice rows may
    happen to agree. Two tests that both have to reject hold the level where either does (Berger
    1982, Technometrics 24:295). To first order the error under permutation follows from the
    influences, so that nothing is drawn.
    """
    is_grouped = whole.predictions.design.group is not None
    gaps = _of_groups if is_grouped else _of_rows
    method = METHOD.format("groups" if is_grouped else "rows")
    with np.errstate(all="ignore"):
        each = zip(gaps(influence, whole, column), differences, strict=True)
        return [gap.test(method, difference) for gap, difference in each]


def _of_rows(influence: RowInfluence, whole: Tallies, column: str) -> Iterator[Gap]:
    """By the moments of the slice and of the rest, whose rows are alike as far as squares go."""
    columns: list[NDArray[Any]] = []
    variance: Any = 0.0
    for some in _moments(influence, whole, column):
        weight, squares = some.weight, some.weight_squares
        total, other = weight.sum(), weight.sum() - weight
        centre = float(weight @ some.finite_mean) / total
        apart = (some.finite_mean - centre) * total / other
        around = some.deviations + weight * (some.finite_mean - centre) ** 2
        rest = np.maximum(around.sum() - some.deviations - apart**2 * weight * other / total, 0.0)
        columns.append(apart)
        for mass, square, deviations in (
            (weight, squares, some.deviations),
            (other, squares.sum() - squares, rest),
        ):
            size = mass**2 / square  # weighted rows count as Kish's number
            columns += [size, np.sqrt(deviations / mass) / size]
            size = total**2 / squares.sum()
            variance = variance + around.sum() / total / (size - 1) * size * square / mass**2
    for line, error in zip(np.array(columns).T, np.sqrt(variance).tolist(), strict=True):
        each = line.reshape(-1, 5)
        count, shift = each[:, 1::2].ravel(), each[:, 2::2].ravel()
        ones, strata = np.ones(len(count)), np.arange(len(count))
        yield Gap(Influence(float(each[:, 0].sum()), shift, ones, count, strata), error)


def _moments(influence: RowInfluence, whole: Tallies, column: str) -> list[Moments]:
    """Those of the influences of each slice; of a ranking by class, as each has its own mean."""
    slices = whole.parts(slice_by(column))
    if influence.scales is None:
        return [influence.moments(slices)]
    if whole.predictions.weight is None:
        placed = slice_placements(whole, column)
        return [
            Moments(rows, weight, placed.means[side], placed.deviations[side], weight)
            for side in (0, 1)
            for rows, weight in [(placed.rows[side], placed.rows[side].astype(float))]
        ]
    parts = whole.parts(slice_by(column), "class")
    moments = influence.moments(parts)
    number = np.searchsorted(slices.codes(0), parts.codes(0))
    terms = []
    for code in np.unique(parts.codes(1)):
        own = np.flatnonzero(parts.codes(1) == code)
        each = {}
        for name in ("rows", "weight", "finite_mean", "deviations", "weight_squares"):
            each[name] = np.zeros(len(slices))
            each[name][number[own]] = getattr(moments, name)[own]
        terms.append(Moments(**each))
    return terms


def _of_groups(influence: RowInfluence, whole: Tallies, column: str) -> Iterator[Gap]:
    """By the sums of groups, of which some may lie in both; the rows of one share a label."""
    by_class = ("class",) if influence.scales is not None else ()
    parts = whole.parts(slice_by(column), "group", *by_class)
    moments = influence.moments(parts)
    mass = moments.finite_weight
    pull = moments.finite_mean * mass
    group = np.unique(parts.codes(1), return_inverse=True)[1]
    # pieces: what a group has in one slice
    is_new = [np.diff(parts.codes(axis), prepend=-1) != 0 for axis in (0, 1)]
    piece = np.cumsum(is_new[0] | is_new[1]) - 1
    side = np.unique(parts.codes(2), return_inverse=True)[1] if by_class else np.zeros_like(group)
    shape = (int(side.max()) + 1, int(group.max()) + 1)

    def sums(values: NDArray[Any], own: Any) -> NDArray[Any]:
        """The sums of the groups in each class, of some pieces of them."""
        at = side[own] * shape[1] + group[own]
        return np.bincount(at, values[own], minlength=shape[0] * shape[1]).reshape(shape)

    every = slice(None)
    all_pull, all_mass = sums(pull, every), sums(mass, every)
    total = all_mass.sum(axis=1, keepdims=True)
    starts = np.flatnonzero(np.diff(parts.codes(0), prepend=-1))
    for start, stop in zip(starts, [*starts[1:], len(parts)], strict=True):
        own = slice(int(start), int(stop))
        value, shift, weighs = 0.0, np.zeros(shape[1]), np.zeros(shape[1])
        inside, here = sums(pull, own), sums(mass, own)
        weight = here.sum(axis=1, keepdims=True)
        for sign, some, rows in ((1, inside, here), (-1, all_pull - inside, all_mass - here)):
            size = rows.sum(axis=1, keepdims=True)
            mean = some.sum(axis=1, keepdims=True) / size
            value += sign * float(mean.sum())
            shift += sign * ((some - mean * rows) / size).sum(axis=0)
            # within its own side a group weighs its rows
            weighs += (rows / size).sum(axis=0)
        strata = (here > 0).any(axis=0).astype(int)
        # what a piece adds to the difference where it is in the slice rather than not
        scale = (total / (weight * (total - weight)))[side, 0]
        added = np.bincount(piece, pull * scale)
        count, pieces = len(np.unique(piece[own])), len(added)
        variance = count * (pieces - count) / pieces * added.var(ddof=1)
        yield Gap(Influence(value, shift, weighs, None, strata), sqrt(variance))


def slice_scores(slices: Partition) -> Sequence[ScoreCounts]:
    """The score counts of each slice."""
    return slices.scores.each if slices.is_small else [rows.scores for rows in slices]


def slice_placements(tallies: Tallies, column: str) -> Placements:
    """Where the rows of each slice stand among all rows."""
    slices = tallies.parts(slice_by(column))
    return once(slices, "placements", lambda _: Placements.of(tallies.scores, slice_scores(slices)))
