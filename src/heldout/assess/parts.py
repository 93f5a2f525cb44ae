"""The parts of the rows that are judged: all, each fold, repeat, slice; means over parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.results import Of, Result
from heldout.core.notes import Kind, Note, as_notes
from heldout.core.ratio import unrounded
from heldout.engines.protocol import slice_by

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from heldout.assess.part_values import PartValues
    from heldout.assess.values import Value
    from heldout.engines.memory import Tallies
    from heldout.engines.parts import Partition
    from heldout.predictions.table import Predictions
    from heldout.uncertainty.interval import Interval

__all__ = [
    "Part",
    "classes_of_parts",
    "fold_partition",
    "fold_parts",
    "incomplete_repeats",
    "is_of_unlike_classes",
    "mean_of_fold_values",
    "mean_of_folds",
    "mean_of_repeats",
    "of_unlike_classes",
    "repeat_parts",
    "slice_parts",
    "weights_of_repeats",
    "with_split_count",
]

#: repeats that are named
NAMED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some of a model's rows, and how results name them."""

    tallies: Tallies
    of: Of = Of.POOLED
    repeat: str = ""
    fold: str = ""
    slice: str = ""

    def result(
        self, measure: str, value: Value, *, class_: str = "", interval: Interval | None = None
    ) -> Result:
        """A result of this part."""
        p = self.tallies.predictions
        made = Result(
            measure,
            value.value,
            self.tallies.rows,
            value.notes,
            p.model,
            p.design.procedure,
            self.repeat,
            self.of,
            self.fold,
            self.slice,
            class_,
        )
        return made.bounded(interval)


def fold_partition(tallies: Tallies) -> Partition | None:
    """The rows by repeat and fold; None without folds, or where every one is a single row."""
    if tallies.predictions.design.fold is None:
        return None
    parts = tallies.parts("repeat", "fold")
    # single rows say nothing
    return None if tallies.rows > 1 and len(parts) == tallies.rows else parts


def fold_parts(tallies: Tallies) -> Iterator[Part]:
    """Each fold of each repeat; none where every fold is a single row, which says nothing."""
    parts = fold_partition(tallies)
    if parts is not None:
        for rows, (repeat, fold) in zip(parts, parts.keys, strict=True):
            yield Part(rows, Of.FOLD, repeat=repeat, fold=fold)


def repeat_parts(tallies: Tallies) -> Iterator[Part]:
    """Each repeat, its folds pooled."""
    if tallies.predictions.design.repeat is not None:
        parts = tallies.parts("repeat")
        for rows, (repeat,) in zip(parts, parts.keys, strict=True):
            yield Part(rows, Of.REPEAT, repeat=repeat)


def slice_parts(tallies: Tallies, names: Collection[str] | None = None) -> Iterator[Part]:
    """Each slice, or each of these names."""
    for column in tallies.predictions.slices:
        parts = tallies.parts(slice_by(column.name))
        for place, (level,) in enumerate(parts.keys):
            name = f"{column.name}={level}"
            if names is None or name in names:
                yield Part(parts.at(place), slice=name)


def incomplete_repeats(tallies: Tallies) -> str:
    """Which repeats of folds have fewer rows than the fullest, as a clause; empty if none.

    A repeat without folds is a split of its own, and may well differ in size from others.
    """
    design = tallies.predictions.design
    if design.repeat is None or design.fold is None:
        return ""
    repeats, splits = tallies.parts("repeat"), tallies.parts("repeat", "fold")
    sizes = repeats.rows
    if len(repeats) < 2 or sizes.min() == sizes.max():
        return ""
    width = len(design.fold.levels)
    folds = np.bincount(np.searchsorted(repeats.codes(0), splits.codes(0)))
    if folds.max() == 1:
        return ""
    # a fold may be missing in every repeat, unless each repeat names its own
    is_shared = bool((np.bincount(splits.codes(1), minlength=width) > 1).any())
    wanted = width if is_shared else int(folds.max())
    is_short = (sizes < sizes.max()) | (folds < wanted)
    texts = []
    for index in np.flatnonzero(is_short)[:NAMED].tolist():
        (name,) = repeats.keys[index]
        lost = f"{folds[index]} of {wanted} folds, " if folds[index] < wanted else ""
        whole = f" of {sizes.max():,}" if folds[sizes.argmax()] == wanted else ""
        texts.append(f"repeat {name} has {lost}{sizes[index]:,}{whole} rows")
    more = " ..." if np.count_nonzero(is_short) > NAMED else ""
    return f"{', '.join(texts)}{more}"


def weights_of_repeats(predictions: Predictions) -> dict[str, float]:
    """What the rows of each repeat weigh together, by its name."""
    repeat = predictions.design.repeat
    assert repeat is not None
    sums = np.bincount(repeat.codes, predictions.weight, minlength=len(repeat.levels))
    return {str(level): float(weight) for level, weight in zip(repeat.levels, sums, strict=True)}


#: undefined parts that are named
MOST_NAMED = 5
UNLIKE = "the folds' values are of different classes"
OF_ALL = "the pooled value is of all"
NOT_AT_RANDOM = "the splits that are there are no random sample of all"


def mean_of_folds(results: Sequence[Result]) -> Result:
    """The mean of the folds' values, which says of how many folds it is."""
    left_out = [note for r in results if (note := _left_out(r))]
    return _mean_of_folds(_Several.of(results), results[0], left_out)


def mean_of_fold_values(line: PartValues) -> Result:
    """The same of the values of all folds, without a result for each."""
    p, keys = line.parts.ordered, line.parts.keys
    first = Result(
        line.request.name,
        float(line.values[0]),
        int(line.parts.rows[0]),
        model=p.model,
        procedure=p.design.procedure,
        class_=line.class_,
    )

    def place(part: int) -> str:
        repeat, fold = keys[part]
        return f"fold {fold} of repeat {repeat}" if repeat else fold

    folds = _Several(line.values, line.parts.rows, place)
    return _mean_of_folds(folds, first, line.classes_left_out())


def _mean_of_folds(folds: _Several, first: Result, left_out: Sequence[Note]) -> Result:
    words = f"mean of {folds.count} of {len(folds.values)} folds"
    note = Note(words, Kind.MEAN_OF_FOLDS, folds.count, len(folds.values))
    mean = _mean(folds, first, note, _classes_of_parts(left_out, len(folds.values), "folds"))
    return replace(mean, of=Of.MEAN_OF_FOLDS)


def mean_of_repeats(
    results: Sequence[Result], *, weights: Mapping[str, float] | None = None, lost: str = ""
) -> Result:
    """The mean of the values of repeats, each of which has its folds pooled.

    ``weights``: what each repeat weighs, so that one that is cut short does not weigh as much
    as a whole one; ``lost`` says which are.
    """
    parts = _Several.of(results)
    count = parts.count
    words = f"mean of the pooled values of {len(results)} repeats"
    words += f", {count} of them defined" if count < len(results) else ""
    note = Note(words, Kind.MEAN_OF_REPEATS, count, len(results))
    sizes = None if weights is None else np.array([weights[r.repeat] for r in results])
    made = _mean(parts, results[0], note, classes_of_parts(results, "repeats"), sizes)
    if not lost:
        return made
    *before, last = made.notes
    told = replace(last, words=f"{last.words}, by their rows: {lost}")
    return replace(made, notes=(*before, told))


@dataclass(frozen=True, slots=True, eq=False)
class _Several:
    """The values of several parts, their numbers of rows, and what each part is called."""

    values: NDArray[np.float64]
    rows: NDArray[Any]
    place: Callable[[int], str]

    @classmethod
    def of(cls, results: Sequence[Result]) -> _Several:
        values, rows = (np.array([getattr(r, name) for r in results]) for name in ("value", "n"))
        return cls(values, rows, lambda part: _place(results[part]))

    @property
    def count(self) -> int:
        """How many are defined."""
        return int(np.count_nonzero(~np.isnan(self.values)))


def _mean(
    parts: _Several,
    first: Result,
    note: Note,
    classes: Note | None,
    weights: NDArray[Any] | None = None,
) -> Result:
    values = parts.values
    defined = ~np.isnan(values)
    lost = np.flatnonzero(~defined).tolist()
    places = ", ".join(map(parts.place, lost[:MOST_NAMED])) + " ..." * (len(lost) > MOST_NAMED)
    undefined = Note(places, Kind.UNDEFINED_PARTS) if lost else ""
    sizes = None if weights is None else weights[defined]
    value = float(np.average(values[defined], weights=sizes)) if note.count else nan
    return replace(
        first,
        value=float(unrounded(value, np.abs(values[defined]).max(initial=0.0))),
        notes=as_notes(note, undefined, classes or ""),
        of=Of.POOLED,
        fold_name="",
        repeat="",
        n=int(parts.rows[defined | (not note.count)].sum()),
    )


def _place(result: Result) -> str:
    """Where a value is from: a fold, a repeat, or a fold of one."""
    if not result.repeat:
        return result.fold
    fold = f"fold {result.fold} of " if result.of is Of.FOLD else ""
    return f"{fold}repeat {result.repeat}"


def classes_of_parts(results: Sequence[Result], parts: str) -> Note | None:
    """In how many parts how many classes are left out of averages; None where none is.

    Examples
    --------
    >>> from heldout.assess.results import Result
    >>> lost = [Note("", Kind.CLASSES_LEFT_OUT, count, 4) for count in (1, 2)]
    >>> results = [Result("f_score_macro", 0.5, 9, (note,)) for note in lost]
    >>> print(classes_of_parts([*results, Result("f_score_macro", 0.5, 9)], "folds"))
    in 2 of 3 folds 1 to 2 of 4 classes left out, which have no row there
    """
    left_out = [note for r in results if (note := _left_out(r))]
    return _classes_of_parts(left_out, len(results), parts)


def _classes_of_parts(left_out: Sequence[Note], count: int, parts: str) -> Note | None:
    if not left_out:
        return None
    least, most = min(n.count for n in left_out), max(n.count for n in left_out)
    lost = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    classes = max(n.of for n in left_out)
    where = f"in {len(left_out):,} of {count:,} {parts}"
    words = f"{where} {lost} of {classes:,} classes left out, which have no row there"
    return Note(words, Kind.CLASSES_OF_PARTS, len(left_out), count)


def _left_out(result: Result) -> Note | None:
    return next((n for n in result.notes if n.kind is Kind.CLASSES_LEFT_OUT and n.count), None)


def is_of_unlike_classes(results: Sequence[Result], lacking: int) -> bool:
    """Whether parts are averages over different classes; ``lacking``: those without any row.

    A class that has rows and is left out of a part is not left out of all.
    """
    lost = {note.count if (note := _left_out(r)) else 0 for r in results}
    return len(lost) > 1 or max(lost, default=0) > lacking


def of_unlike_classes(mean: Result, folds: Sequence[Result]) -> Result:
    """The mean of such folds: a number of no classes in particular, without an interval."""
    fewer = classes_of_parts(folds, "folds")
    before = tuple(note for note in mean.notes if note.kind is not Kind.CLASSES_OF_PARTS)
    lack = Note(f"{UNLIKE}, {fewer or ''}: {OF_ALL}", Kind.NO_INTERVAL)
    return replace(mean, notes=(*before, lack))


def with_split_count(result: Result, present: int, due: int, *, failed: bool) -> Result:
    """A result of rows that are not those of all splits says so, and has no interval."""
    if present >= due or result.has(Kind.SPLITS_LACKING):
        return result
    words = f"of {present} of {due} splits, the others {'failed' if failed else 'are missing'}"
    note = Note(words, Kind.SPLITS_LACKING, present, due)
    return result.noted(note).unbounded(NOT_AT_RANDOM)
