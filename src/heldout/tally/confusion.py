"""Counts of truth against prediction: tp, fp, fn, tn of two classes; cells of several."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.memo import once
from heldout.core.shown import Brief, Shown

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: so few classes are counted by comparing, which is quicker than numbering the cells
FEW_CLASSES = 3
#: up to this many cells the counts are made in one dense pass; above it, by sorting
DENSE_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class Binary:
    """True and false positives and negatives.

    The fields are numbers, or arrays of one shape with an element for each class taken
    against the rest (or each bootstrap replicate): every measure works on both.
    """

    tp: Any = 0
    fp: Any = 0
    fn: Any = 0
    tn: Any = 0

    def __add__(self, other: Binary) -> Binary:
        return Binary(
            self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, self.tn + other.tn
        )

    @property
    def total(self) -> Any:
        """All rows (or their weight)."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def positives(self) -> Any:
        """Rows whose truth is positive."""
        return self.tp + self.fn

    @property
    def negatives(self) -> Any:
        """Rows whose truth is negative."""
        return self.fp + self.tn

    @property
    def predicted_positives(self) -> Any:
        """Rows that are predicted positive."""
        return self.tp + self.fp

    @property
    def predicted_negatives(self) -> Any:
        """Rows that are predicted negative."""
        return self.fn + self.tn


@dataclass(frozen=True, eq=False, repr=False)
class Confusion(Brief, Shown):
    """Counts of every pair of true and predicted class that occurs, rows = truth.

    Only cells with a count are kept, so 100,000 classes cost no more than their rows.
    ``counts`` may have leading axes (a bootstrap replicate each); the last one runs over
    the cells. Counts are integers unless rows carry weights.

    Parameters
    ----------
    classes
        How many classes there are (with or without rows).
    cells
        For each kept cell ``truth * classes + predicted``, ascending.
    counts
        The count (or weight) of each kept cell.
    positive
        In a problem of two classes: which one is of interest.
    rows
        How many rows were counted, whatever their weights.
    """

    classes: int = 0
    cells: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    counts: NDArray[Any] = field(default_factory=lambda: np.zeros(0, np.int64))
    positive: int | None = None
    rows: int = 0

    @classmethod
    def of(
        cls,
        truth: NDArray[Any],
        predicted: NDArray[Any],
        weight: NDArray[np.float64] | None = None,
        *,
        classes: int,
        positive: int | None = None,
    ) -> Confusion:
        """The counts of rows given as class codes."""
        if classes <= FEW_CLASSES and weight is None:
            chosen = [predicted == j for j in range(classes)]
            of_class = [truth == i for i in range(classes)]
            dense = np.array([np.count_nonzero(t & c) for t in of_class for c in chosen])
            cells = np.flatnonzero(dense)
            counts = dense[cells]
        elif classes * classes <= DENSE_CELLS:
            flat = truth.astype(np.int32) * np.int32(classes)  # astype copies
            flat += predicted.astype(np.int32, copy=False)
            dense = np.bincount(flat, weight, minlength=classes * classes)
            cells = np.flatnonzero(dense)
            counts = dense[cells]
        else:
            flat = truth.astype(np.int64) * classes + predicted
            cells, where = np.unique(flat, return_inverse=True)
            counts = np.bincount(where, weight, minlength=len(cells))
        return cls(classes, cells, counts, positive, len(truth))

    @classmethod
    def of_parts(
        cls,
        truth: NDArray[Any],
        predicted: NDArray[Any],
        part: NDArray[np.int64],
        parts: int,
        weight: NDArray[np.float64] | None = None,
        *,
        classes: int,
        positive: int | None = None,
    ) -> Confusion:
        """The counts of each part, a leading axis, in the cells that any of them has.

        ``part`` is the number of each row's part, of so many ``parts``.

        Examples
        --------
        >>> truth, predicted = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0])
        >>> parts = Confusion.of_parts(truth, predicted, np.array([0, 0, 1, 1]), 2, classes=2)
        >>> parts.correct
        array([2, 1])
        """
        flat = truth.astype(np.int64) * classes + predicted
        if classes * classes <= DENSE_CELLS:
            cells = np.flatnonzero(np.bincount(flat, minlength=classes * classes))
            places = np.zeros(classes * classes, np.int64)
            places[cells] = np.arange(len(cells))
            cell = places[flat]
        else:
            cells, cell = np.unique(flat, return_inverse=True)
        both = part * len(cells) + cell
        counts = np.bincount(both, weight, minlength=parts * len(cells))
        return cls(classes, cells, counts.reshape(parts, len(cells)), positive, len(truth))

    def at(self, part: int, rows: int) -> Confusion:
        """The counts of one part, which has so many rows."""
        counts = self.counts[part]
        kept = counts != 0
        return Confusion(self.classes, self.cells[kept], counts[kept], self.positive, rows)

    @classmethod
    def from_matrix(cls, matrix: Any, *, positive: int | None = None) -> Confusion:
        """The tally of a square table of counts whose rows are the truth."""
        table = np.asarray(matrix)
        cells = np.flatnonzero(table.ravel())
        counts = table.ravel()[cells]
        total = round(float(counts.sum())) if len(counts) else 0
        return cls(len(table), cells.astype(np.int64), counts, positive, total)

    def __add__(self, other: Confusion) -> Confusion:
        if not self.classes:
            return other
        if not other.classes:
            return self
        if self.classes != other.classes or self.positive != other.positive:
            msg = "tallies of different classes do not add"
            raise ValueError(msg)
        cells = np.union1d(self.cells, other.cells)
        counts = np.zeros(len(cells), np.result_type(self.counts, other.counts))
        counts[np.searchsorted(cells, self.cells)] += self.counts
        counts[np.searchsorted(cells, other.cells)] += other.counts
        return Confusion(self.classes, cells, counts, self.positive, self.rows + other.rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Confusion):
            return NotImplemented
        return (
            (self.classes, self.positive, self.rows) == (other.classes, other.positive, other.rows)
            and np.array_equal(self.cells, other.cells)
            and np.array_equal(self.counts, other.counts)
        )

    # arrays have no hash; mypy takes None for a mistake, as the base class has a method
    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def truth(self) -> NDArray[np.int64]:
        """The true class of each kept cell."""
        return self.cells // max(self.classes, 1)

    @cached_property
    def predicted(self) -> NDArray[np.int64]:
        """The predicted class of each kept cell."""
        return self.cells % max(self.classes, 1)

    @cached_property
    def total(self) -> Any:
        """All rows (or their weight)."""
        return self.counts.sum(axis=-1)

    @cached_property
    def correct(self) -> Any:
        """Rows whose predicted class is the true one."""
        return self.counts[..., self.truth == self.predicted].sum(axis=-1)

    @cached_property
    def wrong(self) -> Any:
        """Rows whose predicted class is not the true one: summed, not what is left of a total."""
        return self.counts[..., self.truth != self.predicted].sum(axis=-1)

    @cached_property
    def actual(self) -> NDArray[Any]:
        """Rows of each true class."""
        return self._sum_by(self.truth)

    @cached_property
    def chosen(self) -> NDArray[Any]:
        """Rows of each predicted class."""
        return self._sum_by(self.predicted)

    @cached_property
    def hits(self) -> NDArray[Any]:
        """Rows of each class that are predicted as that class."""
        right = self.truth == self.predicted
        return self._sum_by(self.truth[right], self.counts[..., right])

    def _sum_by(self, index: NDArray[np.int64], counts: NDArray[Any] | None = None) -> NDArray[Any]:
        counts = self.counts if counts is None else counts
        if counts.ndim == 1:
            sums = np.bincount(index, counts, minlength=self.classes)
            return sums if counts.dtype.kind == "f" else np.rint(sums).astype(np.int64)
        flat = counts.reshape(int(np.prod(counts.shape[:-1])), counts.shape[-1])
        sums = np.zeros((len(flat), self.classes), counts.dtype)
        # NumPy can be asked for a slice here, but its types do not know that
        np.add.at(sums, (slice(None), index), flat)  # type: ignore[arg-type]
        return sums.reshape(*counts.shape[:-1], self.classes)

    @cached_property
    def binary(self) -> Binary:
        """The positive class against the other, for two classes."""
        if self.positive is None:
            msg = "no class is called positive"
            raise ValueError(msg)
        cells, pick = self.one_vs_rest, (..., self.positive)
        return Binary(*(_plain(n[pick]) for n in (cells.tp, cells.fp, cells.fn, cells.tn)))

    @cached_property
    def one_vs_rest(self) -> Binary:
        """Each class against all others: arrays with an element a class (last axis)."""
        wrong = self.truth != self.predicted
        fn = self._sum_by(self.truth[wrong], self.counts[..., wrong])
        fp = self._sum_by(self.predicted[wrong], self.counts[..., wrong])
        total = np.asarray(self.total)[..., None]
        tn = total - (self.hits + fp + fn)
        if self.classes == 2:  # the hits of the other class, small as their weight may be
            tn = self.hits[..., ::-1]
        elif tn.dtype.kind == "f" and self.counts.size * self.classes <= DENSE_CELLS:
            index = np.arange(self.classes)
            others = (self.truth[:, None] != index) & (self.predicted[:, None] != index)
            tn = self.counts @ others.astype(float)  # however small beside a huge weight
        elif tn.dtype.kind == "f":  # what rounding leaves where no row is, is no row
            tn = np.where(np.abs(tn) <= 1e-12 * total, 0.0, tn)
        return Binary(self.hits, fp, fn, tn)

    @cached_property
    def versus_rest(self) -> Confusion:
        """Two-class tallies of each class (as positive) against all others, a leading axis."""
        cells = self.one_vs_rest
        counts = np.stack([cells.tp, cells.fn, cells.fp, cells.tn], axis=-1)
        return Confusion(2, np.arange(4, dtype=np.int64), counts, 0, self.rows)

    def against_rest(self, label: int) -> Confusion:
        """The two-class tally of one class (as positive) against all others."""

        def table(whole: Confusion) -> Confusion:
            return replace(whole.versus_rest, counts=whole.versus_rest.counts[..., label, :])

        # every measure of a class asks for it, of the same replicates too
        return once(self, ("against rest", label), table)

    def worst_classes(self, most: int) -> list[int]:
        """The classes that are predicted worst, by the F score; of equals those with most rows.

        Classes without rows come last.

        Examples
        --------
        >>> Confusion.from_matrix([[5, 0, 0], [4, 1, 0], [0, 3, 9]]).worst_classes(2)
        [1, 0]
        """
        rows = self.actual + self.chosen
        badness = np.where(rows > 0, self.hits / np.maximum(rows, 1e-300), np.inf)
        worst: list[int] = np.lexsort((-self.actual, badness))[:most].tolist()
        return worst

    def frequent_errors(self, most: int) -> tuple[list[tuple[int, int, float, float]], int]:
        """The largest counts off the diagonal, and how many smaller ones there are.

        Of each the true class, the predicted one, its count, and all rows of the true class.

        Examples
        --------
        >>> Confusion.from_matrix([[5, 0, 0], [4, 1, 0], [0, 3, 9]]).frequent_errors(1)
        ([(1, 0, 4, 5)], 1)
        """
        wrong = np.flatnonzero(self.truth != self.predicted)
        order = wrong[np.argsort(-self.counts[wrong], kind="stable")][:most]
        truth = self.truth[order]
        columns = (truth, self.predicted[order], self.counts[order], self.actual[truth])
        errors = zip(*(column.tolist() for column in columns), strict=True)
        return list(errors), len(wrong) - len(order)

    def matrix(self) -> NDArray[Any]:
        """The full table, rows = truth (for a number of classes that fits)."""
        dense = np.zeros((*self.counts.shape[:-1], self.classes * self.classes), self.counts.dtype)
        dense[..., self.cells] = self.counts
        return dense.reshape(*self.counts.shape[:-1], self.classes, self.classes)


def _plain(value: Any) -> Any:
    """A NumPy number as Python's own, so that products of counts cannot overflow."""
    return value.item() if getattr(value, "ndim", 1) == 0 else value
