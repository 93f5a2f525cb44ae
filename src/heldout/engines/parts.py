"""Rows in memory by part: one sort, and the tallies of all parts from grouped sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.memo import once
from heldout.core.threads import BLOCK
from heldout.engines.counted import class_rows_of
from heldout.engines.memory import Tallies, key_of, moments_of_losses
from heldout.engines.protocol import SLICE
from heldout.predictions.table import Prior
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.errors import Errors
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts, ScoreParts, TopLabel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heldout.engines.protocol import By, Loss, TallyKind
    from heldout.predictions.table import Predictions

#: with more rows a part on average, each part is tallied by itself, which sorts it faster
SMALL = 2_000
#: cells of the confusion counts of all parts that are kept in one array
MOST_CELLS = 20_000_000


def with_common_prior(predictions: Predictions) -> Predictions:
    """The predictions, whose folds and repeats are judged against one and the same prior.

    Skills and information scores are against what was known before. Where nobody says what
    that was, it is the class shares (the mean) of all rows, for a fold too: the shares of its
    own few rows are no prior, and differ from fold to fold by chance.
    """
    p = predictions
    if not len(p):
        return p
    if p.task == "regression":
        if p.train_mean is not None:
            return p
        return replace(p, train_mean=np.full(len(p), np.average(p.truth, weights=p.weight)))
    if p.prior is not None:
        return p
    table = class_rows_of(p).astype(np.float64)[None, :]
    return replace(p, prior=Prior("these rows", table / max(table.sum(), 1e-300)))


def _codes(p: Predictions, by: By) -> tuple[NDArray[Any], Sequence[Any]]:
    """The code of each row in what the rows are grouped by, and what the codes stand for."""
    column = None
    if by == "class":
        return p.truth, p.classes
    if by in ("fold", "repeat", "group"):
        column = getattr(p.design, by)
    elif by.startswith(SLICE):
        column = next(c for c in p.slices if c.name == by.removeprefix(SLICE))
    if column is None:  # no such column: all rows are one part
        return np.zeros(len(p), np.int8), (p.model if by == "model" else "",)
    return column.codes, column.levels


class Partition:
    """The rows of one model by part.

    Parameters
    ----------
    tallies
        Those of all rows.
    by
        What the rows are grouped by: parts are in the order of the levels of the first, then of
        the second ...

    Examples
    --------
    >>> import heldout
    >>> rows = heldout.from_arrays([1, 0, 1, 0], [1, 1, 1, 0], folds=["a", "a", "b", "b"])
    >>> parts = Partition(Tallies(rows), ("fold",))
    >>> parts.keys, parts.rows.tolist(), parts.tally(Confusion).stacked.correct.tolist()
    ((('a',), ('b',)), [2, 2], [1, 2])
    """

    def __init__(self, tallies: Tallies, by: tuple[By, ...]) -> None:
        self.by = by
        p = tallies.predictions
        #: whether parts are samples of one population, and share its prior
        self.is_sample = set(by) <= {"model", "fold", "repeat"}
        # a row that may be judged several times is told by its name
        names = p.identifier if p.design.fold or p.design.repeat else None
        whole = with_common_prior(p) if self.is_sample else p
        whole = replace(whole, slices=(), identifier=names)
        code = np.zeros(len(p), np.int64)
        levels = []
        for name in by:
            own, labels = _codes(p, name)
            code = code * len(labels) + own
            levels.append(labels)
        if int(code.max(initial=0)) < 2**16:
            # NumPy sorts 16-bit numbers by counting, in a fifth of the time
            order = np.argsort(code.astype(np.uint16), kind="stable")
        else:
            order = np.argsort(code, kind="stable")
        ordered = code[order]
        first = np.flatnonzero(np.concatenate([[len(p) > 0], ordered[1:] != ordered[:-1]]))
        #: where each part starts, and how many rows there are
        self.starts = np.concatenate([first, [len(p)]])
        self._present = ordered[first]
        self._levels = tuple(levels)
        self._whole = whole
        #: the places of the rows, those of a part one after the other
        self.order = order
        self._moments: dict[Any, Moments] = {}
        self._wanted: dict[Any, Loss] = {}

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """How many rows each part has."""
        return np.diff(self.starts)

    @property
    def weights(self) -> NDArray[Any]:
        """What the rows of each part weigh together."""
        return self._sums(self.ordered.weight)

    def __len__(self) -> int:
        return len(self.rows)

    def codes(self, axis: int) -> NDArray[np.int64]:
        """The code of each part in one of the columns that rows are grouped by."""
        left = self._present
        for labels in self._levels[:axis:-1]:
            left = left // len(labels)
        return left % len(self._levels[axis])

    @cached_property
    def keys(self) -> tuple[tuple[str, ...], ...]:
        """What each part is called: a label for each column."""
        columns = [
            [str(labels[k]) for k in self.codes(axis).tolist()]
            for axis, labels in enumerate(self._levels)
        ]
        return tuple(zip(*columns, strict=True))

    @cached_property
    def ordered(self) -> Predictions:
        """All rows, those of a part one after the other, in the order they came in."""
        return self._whole.take(self.order)

    @cached_property
    def part(self) -> NDArray[np.int64]:
        """The number of the part of each ordered row."""
        return np.repeat(np.arange(len(self)), self.rows)

    @cached_property
    def class_rows(self) -> NDArray[np.int64]:
        """Rows of each true class (columns) in each part."""
        p = self.ordered
        both = self.part * len(p.classes) + p.truth
        return np.bincount(both, minlength=len(self) * len(p.classes)).reshape(len(self), -1)

    @property
    def is_small(self) -> bool:
        """Whether parts are small, so that all are tallied in the same passes."""
        return bool(self.starts[-1] <= SMALL * len(self))

    def stretch(self, place: int) -> slice:
        """Where the rows of a part stand among the ordered ones."""
        return slice(int(self.starts[place]), int(self.starts[place + 1]))

    def rows_at(self, place: int) -> Predictions:
        """The rows of a part."""
        rows: Any = self.stretch(place)  # arrays take a slice as well as places
        return self.ordered.take(rows)

    def at(self, place: int) -> PartTallies:
        """The tallies of one part; those of large parts are kept, since each is made by itself."""
        if self.is_small:
            return PartTallies(self, place)
        return once(self, ("part", place), lambda parts: PartTallies(parts, place))

    def __iter__(self) -> Iterator[PartTallies]:
        return (self.at(place) for place in range(len(self)))

    def tally(self, kind: TallyKind) -> PartsOfKind:
        """The tallies of one kind of each part."""
        if isinstance(kind, tuple):
            return PartsOfKind(self, Moments, self.moments(kind))
        return PartsOfKind(self, kind, self._stacked(kind))

    def _stacked(self, kind: type) -> Any:
        if kind in (Binary, Confusion):
            return self.confusion
        if kind is Errors:
            return self.errors
        if kind is ScoreCounts:
            return self.scores
        return self.top_label if kind is TopLabel and self.is_small else None

    @cached_property
    def confusion(self) -> Confusion | None:
        """The confusion counts of all parts; None where they would take up too much."""
        p = self.ordered
        assert p.predicted is not None
        cells = min(len(p.classes) ** 2, len(p))
        if cells * len(self) > MOST_CELLS:
            return None
        return Confusion.of_parts(
            p.truth,
            p.predicted,
            self.part,
            len(self),
            p.weight,
            classes=len(p.classes),
            positive=p.positive,
        )

    @cached_property
    def scores(self) -> ScoreParts:
        """Positives and negatives at each score of each part (two classes)."""
        p = self.ordered
        if not self.is_small:
            return ScoreParts.joined([rows.scores for rows in self])
        assert p.scores is not None
        return ScoreParts.of(p.truth == p.positive, p.scores, self.part, len(self), p.weight)

    @cached_property
    def top_label(self) -> ScoreParts:
        """The probability of the likeliest class, and whether it came true, of each part."""
        p = self.ordered
        assert p.scores is not None
        chosen = np.argmax(p.scores, axis=1)
        confidence = p.scores[np.arange(len(p)), chosen]
        right = chosen == p.truth
        return ScoreParts.of(right, confidence, self.part, len(self), p.weight, kind=TopLabel)

    @cached_property
    def errors(self) -> Errors | None:
        """Joint moments of true and predicted values of each part; None where parts are large."""
        p = self.ordered
        assert p.predicted is not None
        if not self.is_small:
            return None
        return Errors.of_parts(p.truth, p.predicted, self.starts, p.weight)

    def prepare(self, losses: Sequence[Loss]) -> None:
        """Say which moments will be wanted: the first one asked for makes them all."""
        for loss in losses:
            self._wanted.setdefault(key_of(loss), loss)

    def moments(self, loss: Loss) -> Moments:
        """The moments of a loss of each part, as arrays."""
        key = key_of(loss)
        if key not in self._moments:
            self.prepare([loss])
            todo = {k: own for k, own in self._wanted.items() if k not in self._moments}
            made = self._moments_of(list(todo.values()))
            self._moments.update(zip(todo, made, strict=True))
        return self._moments[key]

    def _moments_of(self, losses: list[Loss]) -> list[Moments]:
        """Blocks of whole parts; a part that is larger than a block by itself."""
        rows, p = self._loss_rows, self.ordered
        columns = 1 if p.scores is None or p.scores.ndim == 1 else p.scores.shape[1]
        size = max(BLOCK // max(columns // 4, 1), 256)
        made: list[list[Moments]] = [[] for _ in losses]
        start = 0
        while start < len(self):
            stop = int(np.searchsorted(self.starts, self.starts[start] + size, side="right")) - 1
            span = slice(int(self.starts[start]), int(self.starts[max(stop, start + 1)]))
            part = rows.take(span)
            if stop <= start:
                single, _ = moments_of_losses(part, losses, columns=columns)
                each = [as_arrays(moments) for moments in single]
                stop = start + 1
            else:
                with np.errstate(all="ignore"):
                    edges = self.starts[start : stop + 1] - span.start
                    each = [
                        Moments.of_parts(np.asarray(loss(part, **given)), edges, part.weight)
                        for loss, given in losses
                    ]
            for own, moments in zip(made, each, strict=True):
                own.append(moments)
            start = stop
        return [join_moments(own) for own in made]

    @cached_property
    def _loss_rows(self) -> Any:
        """The ordered rows as losses see them; the prior of a population is its own."""
        p = self.ordered
        rows = Tallies(p)._loss_rows
        if self.is_sample:
            return rows
        if p.task == "regression":
            if p.train_mean is not None:
                return rows
            total = self._sums(p.weight)
            mean = self._sums(p.truth if p.weight is None else p.truth * p.weight) / total
            return replace(rows, train_mean=np.repeat(mean, self.rows))
        if p.prior is not None:
            return rows
        both = self.part * len(p.classes) + p.truth
        shares = np.bincount(both, p.weight, minlength=len(self) * len(p.classes)).astype(float)
        table = shares.reshape(len(self), -1)
        table = table / np.maximum(table.sum(axis=1, keepdims=True), 1e-300)
        return replace(rows, prior=table, prior_codes=self.part)

    def _sums(self, values: NDArray[Any] | None) -> NDArray[Any]:
        return self.rows if values is None else np.add.reduceat(values, self.starts[:-1])


def as_arrays(moments: Moments) -> Moments:
    """The moments of one part as arrays with one element."""
    return replace(
        moments, **{f.name: np.array([getattr(moments, f.name)]) for f in fields(Moments)}
    )


def join_moments(parts: list[Moments]) -> Moments:
    """The moments of several parts, as arrays, one after the other."""
    names = [f.name for f in fields(Moments)]
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return replace(parts[0], **joined)


@dataclass(frozen=True, slots=True, eq=False)
class PartsOfKind(Mapping[tuple[str, ...], Any]):
    """The tallies of one kind of each part (keyed by what the rows were grouped by).

    ``stacked`` has all in one value, with a leading axis (of scores ``ScoreParts``), so that a
    measure is evaluated for all parts at once; None where tallies are kept one by one.
    """

    partition: Partition
    kind: type
    stacked: Any

    def __len__(self) -> int:
        return len(self.partition)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self.partition.keys)

    def __getitem__(self, key: tuple[str, ...]) -> Any:
        return self.at(self.partition.keys.index(key))

    def at(self, place: int) -> Any:
        """The tally of the part at a place."""
        if self.kind is Binary:
            return self.partition.at(place).confusion.binary
        if isinstance(self.stacked, Moments):
            return self.stacked.at(place)
        return self.partition.at(place).of_kind(self.kind)


class PartTallies(Tallies):
    """The tallies of one part, from those of all parts where they were made together."""

    def __init__(self, partition: Partition, place: int) -> None:
        super().__init__(partition.rows_at(place))
        self.partition, self.place = partition, place

    def prepare(self, losses: Sequence[Loss], together: Sequence[Sequence[Loss]] = ()) -> None:
        """Say which moments will be wanted, of this part and of its siblings."""
        self.partition.prepare(losses)
        super().prepare((), together)

    def moments(self, loss: Any, parameters: dict[str, Any]) -> Moments:
        """The moments of a loss."""
        return self.partition.moments((loss, parameters)).at(self.place)

    @cached_property
    def confusion(self) -> Confusion:
        """Counts of truth against predicted class."""
        counts = self.partition.confusion
        if counts is None:
            return super().confusion
        return counts.at(self.place, int(self.partition.rows[self.place]))

    @cached_property
    def scores(self) -> ScoreCounts:
        """Positives and negatives at each score (two classes)."""
        parts = self.partition
        return parts.scores[self.place] if parts.is_small else super().scores

    @cached_property
    def top_label(self) -> TopLabel:
        """The probability of the likeliest class, and whether it came true."""
        if not self.partition.is_small:
            return super().top_label
        counts = self.partition.top_label[self.place]
        assert isinstance(counts, TopLabel)
        return counts

    @cached_property
    def errors(self) -> Errors:
        """Joint moments of true and predicted values."""
        errors = self.partition.errors
        return super().errors if errors is None else errors.at(self.place)
