"""Slices as they would be if labels were dealt out at random: for measures without influence."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import isnan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.part_values import values_by_part
from heldout.assess.values import overall
from heldout.core.memo import once
from heldout.core.random import stream
from heldout.core.significance import Test, no_test
from heldout.engines.memory import Tallies
from heldout.engines.protocol import slice_by
from heldout.measures.parts import values_of_parts
from heldout.tables.column import Column
from heldout.tally.scores import ScoreCounts, ScoreParts, TopLabel
from heldout.uncertainty.sample import row_order

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heldout.engines.parts import Partition
    from heldout.measures.spec import Request

#: draws of one size
DRAWS = 100
#: slices of up to so many rows have draws of as many; of larger ones fewer are drawn, which double
#: in size over two steps
EXACT_SIZE, STEPS = 320, 9
#: a smaller spread, in parts of the value, is rounding
ROUNDING = 1e-12
#: a smaller skewness changes no digit
LEAST_LEAN = 1e-6
#: with a larger share of undefined draws there is no spread
UNDEFINED_ALLOWED = 0.05


class LabelDraws:
    """Values of a measure on slices whose labels are dealt out at random.

    What labels are dealt to are rows; of rows in groups those that a group has in one slice, which
    may depend on each other.

    Notes
    -----
    A permutation test of the labels, whose distribution is that of its first three moments over
    some draws, made normal as Wilson and Hilferty (1931, Proc. Natl. Acad. Sci. 17:684) do, with
    Student's tails for what so few draws know: corrected p-values of many slices and measures
    lie far beyond what counting draws would reach. Large slices have subsamples of fewer rows,
    from whose deviations theirs follow by the root of the size (Politis and Romano 1994, Ann.
    Stat. 22:2031).
    """

    def __init__(self, whole: Tallies, column: str, seed: int) -> None:
        self.whole, self.seed = whole, seed
        self.slices = whole.parts(slice_by(column))
        p = whole.predictions
        self.unit_of_row: NDArray[Any] | None = None
        self.units, self.sizes, self.words = whole.rows, self.slices.rows, "rows"
        if p.design.group is not None:
            pieces = whole.parts(slice_by(column), "group")
            self.unit_of_row = np.empty(len(p), np.int64)
            self.unit_of_row[pieces.order] = pieces.part
            self.units, self.words = len(pieces), "groups"
            counts = np.unique(pieces.codes(0), return_counts=True)[1]
            # of small pieces fewer, that have about as many rows
            alike = self.sizes * (self.units / whole.rows)
            self.sizes = np.maximum(np.minimum(counts, np.round(alike)), 1).astype(np.int64)
        self._known: dict[tuple[Request, int], NDArray[Any]] = {}

    def test(self, request: Request, number: int, shift: float, difference: float) -> Test:
        """Whether a slice's value is unlike that of as many rows drawn from all.

        ``shift`` is its value less that of all rows, ``difference`` less that of the other rows.
        """
        from heldout.core.special import stdtr

        size = int(self.sizes[number])
        fewer = subsample_size(size)
        drawn = self._values(request, fewer)
        known = drawn[np.isfinite(drawn)]
        if isnan(shift) or len(known) < (1 - UNDEFINED_ALLOWED) * DRAWS:
            words = f"undefined in some random draws of the same number of {self.words}"
            return no_test(words, estimate=difference)
        shifts = known - overall(request, self.whole).value
        spread = float(shifts.std(ddof=1))
        if spread <= ROUNDING * float(np.abs(known).max()):
            return no_test("the value does not vary", estimate=difference)
        # rows are drawn without being put back
        left = (1 - size / self.units) / (1 - fewer / self.units) if size > fewer else 1.0
        root = sqrt(size / fewer)
        statistic = (shift * root - float(shifts.mean())) / (spread * sqrt(left))
        skewness = float((((shifts - shifts.mean()) / spread) ** 3).mean()) / root
        statistic = without_skewness(statistic, skewness) / sqrt(1 + 1 / DRAWS)
        p_value = float(2 * stdtr(DRAWS - 1, -abs(statistic)))
        method = f"permutation of slice labels, moments of {DRAWS} draws of {self.words}"
        return Test(method, statistic, p_value, degrees=(DRAWS - 1.0,), estimate=difference)

    def _values(self, request: Request, size: int) -> NDArray[Any]:
        """The values of draws of so many units, the same each time."""
        key = request, size
        if key not in self._known:
            measure, p = request.measure, self.whole.predictions
            is_plain = p.weight is None and self.unit_of_row is None
            is_single = not request.average and request.label is None
            is_of_scores = set(measure.needs) <= {ScoreCounts, TopLabel} and is_single
            values = self._of_scores if is_plain and is_of_scores else self._of_rows
            self._known[key] = values(request, size)
        return self._known[key]

    def _drawn(self, size: int) -> Iterator[NDArray[Any]]:
        rng = stream(self.seed, "slices", "labels", str(size))
        for _ in range(DRAWS):
            yield rng.choice(self.units, size, replace=False, shuffle=False)

    def _of_scores(self, request: Request, size: int) -> NDArray[Any]:
        """Of rows by their scores: first the positive ones, then the negative ones."""
        (tally,) = request.measure.needs

        def parts(_: Any) -> ScoreParts:
            whole = self.whole.of_kind(tally)
            rows = np.concatenate(list(self._drawn(size)))
            order = np.argsort(rows)  # looked up in order, which is far quicker
            rows, part = rows[order], np.repeat(np.arange(DRAWS), size)[order]
            total = int(whole.total_positives)
            sides = ((rows[rows < total], whole.tp), (rows[rows >= total] - total, whole.fp))
            score = np.concatenate(
                [whole.score[np.searchsorted(upto, own, side="right")] for own, upto in sides]
            )
            return ScoreParts.of(rows < total, score, part, DRAWS, kind=tally)

        drawn = once(self.slices, ("draws", tally, size, self.seed), parts)
        with np.errstate(all="ignore"):
            return values_of_parts(request.measure, drawn, **request.values)

    def _of_rows(self, request: Request, size: int) -> NDArray[Any]:
        """Of any rows, each with its weight and group."""

        def parts(_: Any) -> Partition:
            rows = [self._rows(units) for units in self._drawn(size)]
            part = np.repeat(np.arange(DRAWS), [len(own) for own in rows])
            label = Column("draw", part, tuple(range(DRAWS)))
            some = replace(self.whole.predictions.take(np.concatenate(rows)), slices=(label,))
            return Tallies(some).parts(slice_by("draw"))

        drawn = once(self.slices, ("draws", "rows", size, self.seed), parts)
        ((line,),) = values_by_part(drawn, [(request, False)])
        return line.values

    def _rows(self, units: NDArray[Any]) -> NDArray[Any]:
        if self.unit_of_row is None:
            return self._order[units]
        is_drawn = np.zeros(self.units, bool)
        is_drawn[units] = True
        return np.flatnonzero(is_drawn[self.unit_of_row])

    @cached_property
    def _order(self) -> NDArray[Any]:
        """The rows in the order of what they hold, so that their order in a file moves nothing."""
        return row_order(self.whole.predictions).places


def subsample_size(size: int) -> int:
    """How many rows are drawn for a slice of that size: as many, or of many about so many.

    Examples
    --------
    >>> subsample_size(150), subsample_size(1000), subsample_size(10**6)
    (150, 905, 7240)
    """
    if size <= EXACT_SIZE:
        return size
    steps = min(int(2 * np.log2(size / EXACT_SIZE)), STEPS)
    return int(EXACT_SIZE * 2 ** (steps / 2))


def without_skewness(deviation: float, skewness: float) -> float:
    """A standardised gamma variable as a standard normal one: Wilson and Hilferty.

    Examples
    --------
    >>> round(without_skewness(3.0, 1.0), 2), without_skewness(3.0, 0.0)
    (2.31, 3.0)
    """
    lean = skewness / 6
    if abs(lean) < LEAST_LEAN:
        return deviation
    return (float(np.cbrt(1 + 3 * lean * deviation)) - 1) / lean + lean
