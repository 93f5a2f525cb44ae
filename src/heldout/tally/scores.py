"""Positives and negatives at each distinct score: all that curves and rankings depend on."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.tally.packing import pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """How many positive and negative rows have each distinct score.

    Parameters
    ----------
    score
        The distinct scores in falling order: as thresholds, ``score >= t`` is positive.
    positives, negatives
        Rows (or their weight) at each score.
    rows
        How many rows were counted, whatever their weights.

    Notes
    -----
    Exact, in memory of the number of distinct scores. Made by one sort of the scores.
    """

    score: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    positives: NDArray[Any] = field(default_factory=lambda: np.zeros(0, np.int32))
    negatives: NDArray[Any] = field(default_factory=lambda: np.zeros(0, np.int32))
    rows: int = 0

    @classmethod
    def of(
        cls,
        positive: NDArray[np.bool_],
        score: NDArray[Any],
        weight: NDArray[np.float64] | None = None,
    ) -> ScoreCounts:
        """The counts of rows, each with its truth (is it positive?) and its score."""
        score = np.ascontiguousarray(score, np.float64)
        if weight is None:
            from heldout.tally.packed_scores import counted

            packed = pack(score, positive)
            if packed is not None:
                return counted(*packed)
            weight = np.ones(len(score), np.int32)
        order = np.argsort(-score, kind="stable")
        return cls._from_sorted(
            score[order],
            np.where(positive, weight, 0)[order],
            np.where(positive, 0, weight)[order],
            len(score),
        )

    @classmethod
    def _from_sorted(
        cls, score: NDArray[np.float64], positives: NDArray[Any], negatives: NDArray[Any], rows: int
    ) -> ScoreCounts:
        if not len(score):
            return cls(rows=rows)
        first = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1]]))
        return cls(
            score[first] + 0.0,  # -0.0 and 0.0 are one score
            np.add.reduceat(positives, first),
            np.add.reduceat(negatives, first),
            rows,
        )

    def __add__(self, other: ScoreCounts) -> ScoreCounts:
        score = np.concatenate([self.score, other.score])
        order = np.argsort(-score, kind="stable")
        return type(self)._from_sorted(
            score[order],
            np.concatenate([self.positives, other.positives])[order],
            np.concatenate([self.negatives, other.negatives])[order],
            self.rows + other.rows,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreCounts):
            return NotImplemented
        return (
            self.rows == other.rows
            and np.array_equal(self.score, other.score)
            and np.array_equal(self.positives, other.positives)
            and np.array_equal(self.negatives, other.negatives)
        )

    # arrays have no hash; mypy takes None for a mistake, as the base class has a method
    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def tp(self) -> NDArray[Any]:
        """Positives with a score at or above each distinct score, in falling order of score."""
        return np.cumsum(self.positives, dtype=_wide(self.positives))

    @cached_property
    def fp(self) -> NDArray[Any]:
        """Negatives with a score at or above each distinct score, in falling order of score."""
        return np.cumsum(self.negatives, dtype=_wide(self.negatives))

    @cached_property
    def total_positives(self) -> Any:
        """All positives (or their weight)."""
        return _last(self, "tp", self.positives)

    @cached_property
    def total_negatives(self) -> Any:
        """All negatives (or their weight)."""
        return _last(self, "fp", self.negatives)

    @property
    def total(self) -> Any:
        """All rows (or their weight)."""
        return self.total_positives + self.total_negatives

    def cells(self, span: slice) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Some of the scores, with the positives and the negatives of each."""
        return self.score[span], self.positives[span], self.negatives[span]

    def standing(self, score: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Positives and negatives above each of some scores that occur; equal ones count one half.

        Examples
        --------
        >>> truth = np.array([True, False, True])
        >>> counts = ScoreCounts.of(truth, np.array([0.9, 0.5, 0.5]))
        >>> counts.standing(np.array([0.5]))
        (array([1.5]), array([0.5]))
        """
        level = np.searchsorted(self._rising, -score)
        return (
            self.tp[level] - self.positives[level] / 2,
            self.fp[level] - self.negatives[level] / 2,
        )

    @cached_property
    def _rising(self) -> NDArray[np.float64]:
        return -self.score

    @property
    def has_both(self) -> bool:
        """Whether there is a positive and a negative row: without both no curve exists."""
        return bool(self.total_positives and self.total_negatives)

    @property
    def above_all(self) -> float:
        """The threshold at which no row is positive: infinite; NaN where a score is so itself.

        A score is positive from its threshold on, and no number lies above an infinite score.

        Examples
        --------
        >>> truth = np.array([True, False])
        >>> ScoreCounts.of(truth, np.array([0.9, 0.5])).above_all
        inf
        >>> ScoreCounts.of(truth, np.array([np.inf, 0.5])).above_all
        nan
        """
        return nan if len(self.score) and self.score[0] == inf else inf

    @property
    def is_probability(self) -> bool:
        """Whether every score lies in [0, 1]."""
        return not len(self.score) or bool(self.score[0] <= 1 and self.score[-1] >= 0)


class TopLabel(ScoreCounts):
    """The probability of the chosen class as score, and whether that class was right as truth."""


@dataclass(frozen=True, eq=False)
class ScoreParts:
    """The score counts of many parts of the rows, one after the other.

    Parameters
    ----------
    score, positives, negatives
        As ``ScoreCounts`` has them, the scores of each part falling.
    starts
        Where each part starts, and how many scores there are.
    rows
        How many rows each part has.
    kind
        ``ScoreCounts`` or ``TopLabel``.

    Examples
    --------
    >>> positive, score = np.array([True, False, True]), np.array([0.2, 0.9, 0.5])
    >>> parts = ScoreParts.of(positive, score, np.array([0, 1, 0]), 2)
    >>> len(parts), parts[0].score
    (2, array([0.5, 0.2]))
    """

    score: NDArray[np.float64]
    positives: NDArray[Any]
    negatives: NDArray[Any]
    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    kind: type[ScoreCounts] = ScoreCounts

    @classmethod
    def of(
        cls,
        positive: NDArray[np.bool_],
        score: NDArray[Any],
        part: NDArray[np.int64],
        parts: int,
        weight: NDArray[np.float64] | None = None,
        *,
        kind: type[ScoreCounts] = ScoreCounts,
    ) -> ScoreParts:
        """The counts of each part: ``part`` is the number of each row's, of so many ``parts``."""
        score = np.ascontiguousarray(score, np.float64)
        own = np.ones(len(score), np.int32) if weight is None else weight
        order = np.lexsort((-score, part))
        score, part, own, positive = score[order], part[order], own[order], positive[order]
        changes = (score[1:] != score[:-1]) | (part[1:] != part[:-1])
        first = np.flatnonzero(np.concatenate([[True], changes]))
        return cls(
            score[first] + 0.0,  # -0.0 and 0.0 are one score
            np.add.reduceat(np.where(positive, own, 0), first),
            np.add.reduceat(np.where(positive, 0, own), first),
            np.searchsorted(part[first], np.arange(parts + 1)),
            np.bincount(part, minlength=parts),
            kind,
        )

    @classmethod
    def joined(cls, parts: Sequence[ScoreCounts]) -> ScoreParts:
        """The counts of parts that were made one by one."""
        score, positives, negatives = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("score", "positives", "negatives")
        )
        starts = np.cumsum([0, *(len(part.score) for part in parts)])
        rows = np.array([part.rows for part in parts])
        joined = cls(score, positives, negatives, starts, rows)
        joined.__dict__["each"] = tuple(parts)  # what is made of them stays with them
        return joined

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, part: int) -> ScoreCounts:
        return self.each[part]

    @cached_property
    def each(self) -> tuple[ScoreCounts, ...]:
        """The counts of each part, which keep what is made of them."""
        edges, rows = self.starts.tolist(), self.rows.tolist()
        score, positives, negatives = self.score, self.positives, self.negatives
        return tuple(
            self.kind(score[start:stop], positives[start:stop], negatives[start:stop], count)
            for start, stop, count in zip(edges[:-1], edges[1:], rows, strict=True)
        )

    def sums(self, values: NDArray[Any]) -> NDArray[Any]:
        """The sum of a number of each score, of each part."""
        return np.add.reduceat(values, self.starts[:-1])

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """How many distinct scores each part has."""
        return np.diff(self.starts)

    @cached_property
    def total_positives(self) -> NDArray[Any]:
        """All positives of each part (or their weight)."""
        return self.sums(self.positives.astype(_wide(self.positives)))

    @cached_property
    def total_negatives(self) -> NDArray[Any]:
        """All negatives of each part (or their weight)."""
        return self.sums(self.negatives.astype(_wide(self.negatives)))

    @cached_property
    def tp(self) -> NDArray[Any]:
        """Positives of the part with a score at or above each distinct score."""
        return self._running(self.positives)

    @cached_property
    def fp(self) -> NDArray[Any]:
        """Negatives of the part with a score at or above each distinct score."""
        return self._running(self.negatives)

    def _running(self, counts: NDArray[Any]) -> NDArray[Any]:
        if counts.dtype.kind == "f":  # no part's sums carry the rounding of those before it
            spans = zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True)
            return np.concatenate([np.cumsum(counts[start:stop]) for start, stop in spans])
        running = np.cumsum(counts, dtype=np.int64)
        before = np.concatenate([[0], running])[self.starts[:-1]]
        return running - np.repeat(before, self.lengths)


def _last(counts: ScoreCounts, name: str, parts: NDArray[Any]) -> Any:
    """The last of the running sums; of integers the plain sum, which is quicker."""
    if not len(parts):
        return 0
    if parts.dtype.kind == "i" and name not in counts.__dict__:
        return int(parts.sum(dtype=np.int64))
    return getattr(counts, name)[-1].item()


def _wide(counts: NDArray[Any]) -> Any:
    return np.float64 if counts.dtype.kind == "f" else np.int64
