"""Parts of rows that are known by their score counts: tallies of each part from its own counts."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.engines.counted import origin_of, sides_from, with_rows_of
from heldout.engines.memory import Tallies
from heldout.engines.parts import Partition, as_arrays, join_moments, with_common_prior
from heldout.engines.protocol import SLICE
from heldout.tally.confusion import Confusion
from heldout.tally.decoded import DecodedColumn
from heldout.tally.packed_scores import rows_of
from heldout.tally.scores import ScoreCounts, ScoreParts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.engines.protocol import By, Loss
    from heldout.predictions.table import Predictions
    from heldout.tally.moments import Moments


class CountedPartition(Partition):
    """The rows behind score counts by part, as ``Partition`` has those in memory.

    What counts are not kept by (folds, repeats, groups) is one part; ``class`` parts the rows of
    each slice further.
    """

    def __init__(self, tallies: Tallies, by: tuple[By, ...]) -> None:
        self.by = by
        p = tallies.predictions
        origin = origin_of(p)
        assert origin is not None
        self.is_sample = set(by) <= {"model", "fold", "repeat"}
        self._whole = replace(with_common_prior(p) if self.is_sample else p, slices=())
        columns = tuple(name.removeprefix(SLICE) for name in by if name.startswith(SLICE))
        present, self._each = origin.parts(columns)
        slices = {column.name: column.levels for column in p.slices}
        self._levels = tuple(
            p.classes if name == "class" else slices.get(name.removeprefix(SLICE), (p.model,))
            for name in by
        )
        #: for each part the place of its counts, and its class where parts are of one
        self._places: list[tuple[int, int | None]] = [(k, None) for k in range(len(present))]
        self._present = np.asarray(present, np.int64)
        if "class" in by:
            assert by[-1] == "class", "classes part the rows of slices"
            rows = [(c.total_negatives, c.total_positives) for c in self._each]
            codes = (0, 1) if p.positive == 1 else (1, 0)
            self._places = [
                (k, code)
                for k, sides in enumerate(rows)
                for code in (0, 1)
                if sides[codes.index(code)]
            ]
            self._present = np.array([present[k] * 2 + (code or 0) for k, code in self._places])
        sizes = [self._counts(place).rows for place in range(len(self._places))]
        self.starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        self._moments, self._wanted = {}, {}

    def _counts(self, place: int) -> ScoreCounts:
        """The counts of a part."""
        where, code = self._places[place]
        counts = self._each[where]
        if code is None:
            return counts
        side = counts.positives if code == self._whole.positive else counts.negatives
        own = np.asarray(side)
        kept = own > 0
        own, nothing = own[kept], np.zeros(int(kept.sum()), own.dtype)
        positives, negatives = (own, nothing) if side is counts.positives else (nothing, own)
        return ScoreCounts(np.asarray(counts.score)[kept], positives, negatives, int(own.sum()))

    def rows_at(self, place: int) -> Predictions:
        """The rows of a part, decoded where they are read."""
        return with_rows_of(self._counts(place), self._whole)

    @cached_property
    def ordered(self) -> Predictions:
        """All rows, those of a part one after the other, decoded where they are read."""
        if self.is_small:
            return self._rows_of_cells()

        def column(name: str) -> DecodedColumn | None:
            own = getattr(self._whole, name)
            if own is None:
                return None

            def decode(places: Any) -> NDArray[Any]:
                if isinstance(places, slice):
                    places = np.arange(places.start, places.stop)
                part = np.searchsorted(self.starts, places, side="right") - 1
                values = np.empty(len(places), own.dtype)
                for k in np.unique(part).tolist():
                    inside = part == k
                    values[inside] = getattr(self.rows_at(k), name)[places[inside] - self.starts[k]]
                return values

            return DecodedColumn(int(self.starts[-1]), own.dtype, decode)

        columns: Any = {name: column(name) for name in ("truth", "predicted", "scores")}
        return replace(self._whole, **columns)

    def _rows_of_cells(self) -> Predictions:
        """As ``ordered``, from the counts of all parts, one after the other."""
        p, parts = self._whole, self.scores
        rows = int(self.starts[-1])
        scores, is_positive = rows_of(
            ScoreCounts(parts.score, parts.positives, parts.negatives, rows)
        )

        def codes(flags: NDArray[Any]) -> NDArray[np.int8]:
            return flags.astype(np.int8) if p.positive == 1 else 1 - flags.astype(np.int8)

        predicted = None
        if p.threshold is not None:
            least = p.threshold
            predicted = DecodedColumn(rows, np.int8, lambda places: codes(scores[places] >= least))
        truth = DecodedColumn(rows, np.int8, lambda places: codes(is_positive[places]))
        columns: Any = {"truth": truth, "predicted": predicted, "scores": scores}
        return replace(p, **columns)

    @cached_property
    def class_rows(self) -> NDArray[np.int64]:
        """Rows of each true class (columns) in each part."""
        each = [self._counts(place) for place in range(len(self))]
        rows = np.array([(c.total_negatives, c.total_positives) for c in each], np.int64)
        return rows if self._whole.positive == 1 else rows[:, ::-1]

    @cached_property
    def confusion(self) -> Confusion | None:
        """The confusion counts of all parts."""
        threshold = self._whole.threshold
        if threshold is None:
            return None
        if self.is_small:
            own = self.scores
            above = own.score >= threshold
            tp, fp = (own.sums(np.where(above, c, 0)) for c in (own.positives, own.negatives))
        else:
            each = [sides_from(self._counts(place), threshold) for place in range(len(self))]
            tp, fp = np.array(each, np.int64).T
        sides = self.class_rows if self._whole.positive == 1 else self.class_rows[:, ::-1]
        tables = np.stack([sides[:, 0] - fp, fp, sides[:, 1] - tp, tp], axis=1)
        tables = tables if self._whole.positive == 1 else tables[:, ::-1]
        cells = np.flatnonzero(tables.any(axis=0))
        return Confusion(2, cells, tables[:, cells], self._whole.positive, int(self.starts[-1]))

    @cached_property
    def scores(self) -> ScoreParts:
        """Positives and negatives at each score of each part."""
        return ScoreParts.joined([self._counts(place) for place in range(len(self))])

    def _moments_of(self, losses: list[Loss]) -> list[Moments]:
        if self.is_small:
            return super()._moments_of(losses)
        each = [
            [as_arrays(moments) for moments in Tallies(self.rows_at(place)).moments_of(losses)[0]]
            for place in range(len(self))
        ]
        return [join_moments(list(own)) for own in zip(*each, strict=True)]
