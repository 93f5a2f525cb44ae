"""A measure of a confusion matrix as interval methods see it, and how its cells are drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import count_statistic, of_share_right
from heldout.assess.resampling import MeasureCase, Resampling, unasked
from heldout.assess.values import table_of
from heldout.core.memo import once
from heldout.measures.profit import cells_of
from heldout.measures.spec import parse_request
from heldout.uncertainty.case import Form, Source, Unit, ValueParts
from heldout.uncertainty.cells import Cells, ConfusionBootstrap, GroupCells
from heldout.uncertainty.interval import absent
from heldout.uncertainty.proportions import ShareParts
from heldout.uncertainty.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.measures.spec import Request
    from heldout.tally.confusion import Confusion
    from heldout.uncertainty.interval import Interval

#: cells times replicates above which a bootstrap of counts is not made unasked
CELL_WORK = 50_000_000
#: classes above which the cells of all pairs of classes no longer fit in memory
MOST_CLASSES = 2_000


@dataclass(frozen=True, eq=False)
class DrawnCells:
    """The cells of the confusion matrix of some rows, as they may be resampled."""

    rows: Resampling

    @cached_property
    def of_groups(self) -> Sample:
        """The counts of each group."""
        tallies = self.rows.tallies
        p = tallies.predictions
        assert p.predicted is not None
        return Sample.of_cells(self.rows.groups, p.truth, p.predicted, tallies.confusion, p.weight)

    @property
    def confusions_of_groups(self) -> Confusion:
        """The same as stacked tables."""
        return replace(self.rows.tallies.confusion, counts=self.of_groups.sums)

    @cached_property
    def squares(self) -> Confusion | None:
        """Counts of the squares of the weights; None where all rows weigh the same."""
        tallies, worth = self.rows.tallies, self.rows.worth
        if not self.rows.is_weighted or not tallies.has_labels:
            return None
        squares = tallies.squared.confusion
        if worth is None:
            return squares
        scale = float(tallies.confusion.total) ** 2 / worth / float(squares.total)
        return replace(squares, counts=squares.counts * scale)

    def lack(self, request: Request) -> str:
        """Why the cells of all classes are not resampled; empty where they are."""
        classes = self.rows.tallies.confusion.classes
        if classes > MOST_CLASSES:
            return "too many classes to resample"
        if classes**2 * self.rows.options.of_counts > CELL_WORK and not request.is_explicit:
            return unasked("many classes")
        return ""

    @property
    def kind(self) -> str:
        """The kind of limits: of groups whole ones are drawn, as a pseudo-row would be one."""
        is_default = self.rows.groups is not None and self.rows.options.uses_t
        return "percentile" if is_default else self.rows.options.bootstrap

    def replicates(self, code: int | None = None) -> ConfusionBootstrap:
        """Replicates of the counts of all classes (None), or of one against the rest."""
        key = ("cells", self.rows.options, code)
        return once(self.rows.tallies, key, lambda _: self._replicates(code))

    def _replicates(self, code: int | None) -> ConfusionBootstrap:
        options, whole = self.rows.options, self.rows.tallies.confusion
        counts = whole if code is None else whole.against_rest(code)
        cells: Cells | GroupCells = Cells.of_counts(counts)
        if self.rows.groups is not None:
            sums = self.of_groups
            if code is not None:
                own = self.confusions_of_groups.against_rest(code)
                sums = Sample.of_table(own.counts, sums.count)
            cells = GroupCells(counts, sums)
        elif self.rows.is_weighted:
            cells = self._weighted if code is None else self._weighted.against_rest(code)
        return ConfusionBootstrap(cells, options.of_counts, options.seed, options.stratified)

    @cached_property
    def _weighted(self) -> Cells:
        p = self.rows.tallies.predictions
        assert p.predicted is not None
        assert p.weight is not None
        return Cells.of(p.truth, p.predicted, p.weight, classes=len(p.classes), positive=p.positive)


@dataclass(frozen=True, eq=False)
class CountCase(MeasureCase):
    """A measure of counts: of all classes, an average over them, or of one against the rest."""

    source = Source.CELLS

    @cached_property
    def form(self) -> Form:
        """What sort of statistic it is."""
        is_share = self.request.measure.share is not None and not self.request.average
        if is_share or self.of is not None:
            return Form.SHARE
        is_value = "matrix" in self.request.values and self._class is None
        return Form.VALUE if is_value else Form.CELLS

    @cached_property
    def of(self) -> Callable[[float], float] | None:
        """How an average over classes follows from the share of rows that are right."""
        if not self.options.uses_t or not self.request.average:
            return None
        return of_share_right(self.request, self.tallies.confusion.classes)

    @property
    def lack(self) -> str:
        """Why there is no interval, or none unasked; empty where there is one."""
        is_of_all = self._class is None and self.form is not Form.SHARE
        return self._cells.lack(self.request) if is_of_all else ""

    @property
    def _cells(self) -> DrawnCells:
        return once(self.rows, "cells", DrawnCells)

    @property
    def _class(self) -> int | None:
        """The class whose table of two classes it is made of; None: the table of all classes."""
        if self.code is not None:
            return self.code
        is_of_all = self.request.average or "matrix" in self.request.values
        return None if is_of_all else self.tallies.confusion.positive

    @cached_property
    def parts(self) -> ShareParts | ValueParts | None:
        """The rows that count, and all they are of; or what each cell is worth."""
        if self.form is Form.VALUE:
            return self._values
        return self.share if self.form is Form.SHARE else None

    @property
    def share(self) -> ShareParts:
        """The rows that count, and all they are of."""
        if self.of is not None:
            return CountCase(parse_request("accuracy"), self.rows).share
        successes, trials = (float(part) for part in self._hits(self.tallies.confusion))
        squares = None
        if (of_squares := self._cells.squares) is not None:
            hits, total = self._hits(of_squares)
            squares = float(hits), float(total)
        if self.unit is not Unit.GROUPS:
            return ShareParts(successes, trials, squares, total=float(self.tallies.rows))
        hits_of_groups = self._hits(self._cells.confusions_of_groups)
        table = np.column_stack([np.asarray(part) for part in hits_of_groups])
        kept = table[:, 1] > 0  # a group without a row of the kind has no say
        sums = Sample(table[kept], self._cells.of_groups.count[kept])
        return ShareParts(successes, trials, squares, sums)

    def _hits(self, counts: Confusion) -> Any:
        """The rows of a share that count, and all they are of."""
        share = self.request.measure.share
        assert share is not None
        own = counts if self.code is None else counts.against_rest(self.code)
        return share.of(table_of(self.request, own))

    @property
    def _values(self) -> ValueParts:
        """What each cell is worth, and the cells of groups."""
        counts, groups = self.tallies.confusion, self._cells.of_groups
        cells: NDArray[Any] = cells_of(self.request.values["matrix"], classes=counts.classes)
        scale = float(counts.total) if self.request.measure.weight_scale else 1.0
        return ValueParts(counts, groups, cells, self._cells.squares, scale)

    def resampled(self, kind: str) -> Interval:
        """The interval of that kind from a bootstrap."""
        measure, counts, cells = self.request.measure, self.tallies.confusion, self._cells
        given: dict[str, Any] = {"level": self.options.level, "kind": kind}
        given["bounds"] = measure.bounds
        if (code := self._class) is None:
            if lack := cells.lack(self.request):
                return absent(lack, level=self.options.level)
            statistic = count_statistic(self.request, self.tallies)
            return cells.replicates().interval(statistic, **given)
        # of two classes both are read from the same draws
        first = code if counts.classes > 2 or counts.positive is None else counts.positive
        other = int(code != first)

        def of_class(drawn: Confusion) -> Any:
            own = table_of(self.request, drawn.against_rest(other))
            return measure(own, **self.request.values)

        return cells.replicates(first).interval(of_class, **given)
