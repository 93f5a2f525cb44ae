"""The parts of the rows that are judged: all, each fold, repeat, slice; means over parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.results import Of, Result
from heldout.core.notes import Kind, Note, as_notes
from heldout.core.ratio import unrounded
from heldout.engines.protocol import SLICE, slice_by

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from heldout.assess.part_values import PartValues
    from heldout.assess.values import Value
    from heldout.engines.memory import Tallies
    from heldout.engines.parts import Partition
    from heldout.uncertainty.interval import Interval

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

    @classmethod
    def at(cls, parts: Partition, number: int) -> Part:
        """One of the rows' parts by repeat, by repeat and fold, or by slice."""
        if parts.by[0] != "repeat":
            return cls(parts.at(number), slice=slice_name(parts, number))
        of = Of.REPEAT if len(parts.by) == 1 else Of.FOLD
        return cls(parts.at(number), of, *parts.keys[number])

    def result(
        self, measure: str, value: Value, *, class_: str = "", interval: Interval | None = None
    ) -> Result:
        """A result of this part."""
        p = self.tallies.predictions
        result = Result(
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
            # all rows of a slice stand for it; which of the values of all rows does is seen later
            headline=bool(self.slice),
        )
        return result.bounded(interval)


def fold_partition(tallies: Tallies) -> Partition | None:
    """The rows by repeat and fold; None without folds, or where every one is a single row."""
    if tallies.predictions.design.fold is None:
        return None
    parts = tallies.parts("repeat", "fold")
    # single rows say nothing
    return None if tallies.rows > 1 and len(parts) == tallies.rows else parts


def fold_parts(tallies: Tallies) -> Iterator[Part]:
    """Each fold of each repeat; none where every fold is a single row, which says nothing."""
    folds = fold_partition(tallies)
    return iter(()) if folds is None else parts_of(folds)


def repeat_parts(tallies: Tallies) -> Iterator[Part]:
    """Each repeat, its folds pooled."""
    has_repeats = tallies.predictions.design.repeat is not None
    return parts_of(tallies.parts("repeat")) if has_repeats else iter(())


def slice_parts(tallies: Tallies, names: Collection[str] | None = None) -> Iterator[Part]:
    """Each slice of each column, or each of these names."""
    for column in tallies.predictions.slices:
        parts = tallies.parts(slice_by(column.name))
        yield from (Part.at(parts, number) for number in slice_places(parts, names))


def slice_places(parts: Partition, names: Collection[str] | None = None) -> list[int]:
    """The places of the slices of a column, or of those of these names."""
    each = range(len(parts))
    return [k for k in each if names is None or slice_name(parts, k) in names]


def slice_name(parts: Partition, number: int) -> str:
    """What a slice of a column is called: ``site=north``."""
    return f"{parts.by[0].removeprefix(SLICE)}={parts.keys[number][0]}"


def parts_of(parts: Partition) -> Iterator[Part]:
    """Each part of rows that are grouped by repeat, or by repeat and fold."""
    return (Part.at(parts, number) for number in range(len(parts)))


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


def weights_of_repeats(tallies: Tallies) -> dict[str, float]:
    """What the rows of each repeat weigh together, by its name; empty where all count alike.

    One that is cut short does not weigh as much as a whole one.
    """
    if not incomplete_repeats(tallies):
        return {}
    repeats = tallies.parts("repeat")
    return {
        name: float(weight) for (name,), weight in zip(repeats.keys, repeats.weights, strict=True)
    }


#: undefined parts that are named
MOST_NAMED = 5
UNLIKE = "the folds' values cover different classes"
OF_ALL = "the pooled value covers all"
NOT_AT_RANDOM = "the available splits are not a random sample of all splits"


def mean_of_folds(line: PartValues) -> Result:
    """The mean of the folds' values, which says of how many folds it is.

    Counts, p-values and test statistics are not averaged: the note says so.
    """
    keys = line.parts.keys

    def place(part: int) -> str:
        repeat, fold = keys[part]
        return f"fold {fold} of repeat {repeat}" if repeat else fold

    note = Note(
        f"mean of {line.defined} of {len(keys)} folds", Kind.MEAN_OF_FOLDS, line.defined, len(keys)
    )
    mean = replace(_mean(line, note, place, "folds"), of=Of.MEAN_OF_FOLDS)
    reason = line.request.measure.why_not_averaged
    return replace(mean, value=nan, notes=as_notes(reason)) if reason else mean


def mean_of_repeats(line: PartValues, *, weights: Mapping[str, float], lost: str = "") -> Result:
    """The mean of the values of repeats, each of which has its folds pooled.

    ``weights``: what each repeat weighs, where some are cut short; ``lost`` says which are.
    """
    keys, count = line.parts.keys, line.defined
    words = f"mean of the pooled values of {len(keys)} repeats"
    words += f", {count} of them defined" if count < len(keys) else ""
    note = Note(words, Kind.MEAN_OF_REPEATS, count, len(keys))
    sizes = np.array([weights[repeat] for (repeat,) in keys]) if weights else None
    mean = _mean(line, note, lambda part: f"repeat {keys[part][0]}", "repeats", sizes)
    if not lost:
        return mean
    *before, last = mean.notes
    by_rows = replace(last, words=f"{last.words}, by their rows: {lost}")
    return replace(mean, notes=(*before, by_rows))


def _mean(
    line: PartValues,
    note: Note,
    name_of: Callable[[int], str],
    parts: str,
    weights: NDArray[Any] | None = None,
) -> Result:
    values, p = line.values, line.parts.ordered
    is_defined = ~np.isnan(values)
    lost = np.flatnonzero(~is_defined).tolist()
    places = ", ".join(map(name_of, lost[:MOST_NAMED])) + " ..." * (len(lost) > MOST_NAMED)
    undefined = Note(places, Kind.UNDEFINED_PARTS) if lost else ""
    sizes = None if weights is None else weights[is_defined]
    value = float(np.average(values[is_defined], weights=sizes)) if note.count else nan
    classes = classes_of_parts(line.classes_left_out(), len(values), parts)
    return Result(
        line.request.name,
        float(unrounded(value, np.abs(values[is_defined]).max(initial=0.0))),
        int(line.parts.rows[is_defined | (not note.count)].sum()),
        as_notes(note, undefined, classes or ""),
        p.model,
        p.design.procedure,
        class_=line.class_,
    )


def classes_of_parts(left_out: Sequence[Note], count: int, parts: str) -> Note | None:
    """In how many parts how many classes are left out of averages; None where none is.

    Examples
    --------
    >>> lost = [Note("", Kind.CLASSES_LEFT_OUT, count, 4) for count in (1, 2)]
    >>> print(classes_of_parts(lost, 3, "folds"))
    in 2 of 3 folds 1 to 2 of 4 classes left out because they have no row there
    """
    if not left_out:
        return None
    least, most = min(n.count for n in left_out), max(n.count for n in left_out)
    lost = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    classes = max(n.of for n in left_out)
    where = f"in {len(left_out):,} of {count:,} {parts}"
    words = f"{where} {lost} of {classes:,} classes left out because they have no row there"
    return Note(words, Kind.CLASSES_OF_PARTS, len(left_out), count)


def is_of_unlike_classes(line: PartValues, lacking: int) -> bool:
    """Whether parts are averages over different classes; ``lacking``: those without any row.

    A class that has rows and is left out of a part is not left out of all.
    """
    counts = [note.count for note in line.classes_left_out()]
    lost = {*counts, *([0] if len(counts) < len(line.values) else [])}
    return len(lost) > 1 or max(lost, default=0) > lacking


def of_unlike_classes(mean: Result, folds: PartValues) -> Result:
    """The mean of such folds: a number of no classes in particular, without an interval."""
    fewer = classes_of_parts(folds.classes_left_out(), len(folds.values), "folds")
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
