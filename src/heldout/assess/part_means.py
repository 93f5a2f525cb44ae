"""The mean of the values of several folds or repeats, which says of how many and what it is of."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.results import Of
from heldout.core.notes import Kind, Note, as_notes
from heldout.core.ratio import unrounded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.assess.results import Result

__all__ = [
    "classes_of_parts",
    "is_of_unlike_classes",
    "mean_of_folds",
    "mean_of_repeats",
    "of_unlike_classes",
    "with_split_count",
]

#: undefined parts that are named
NAMED = 5
UNLIKE = "the folds' values are of different classes"
OF_ALL = "the pooled value is of all"
NOT_AT_RANDOM = "the splits that are there are no random sample of all"


def mean_of_folds(results: Sequence[Result]) -> Result:
    """The mean of the folds' values, which says of how many folds it is."""
    count = sum(r.is_defined for r in results)
    words = f"mean of {count} of {len(results)} folds"
    note = Note(words, Kind.MEAN_OF_FOLDS, count, len(results))
    return replace(_mean(results, note, "folds"), of=Of.MEAN_OF_FOLDS)


def mean_of_repeats(
    results: Sequence[Result], *, weights: Mapping[str, float] | None = None, lost: str = ""
) -> Result:
    """The mean of the values of repeats, each of which has its folds pooled.

    ``weights``: what each repeat weighs, so that one that is cut short does not weigh as much
    as a whole one; ``lost`` says which are.
    """
    count = sum(r.is_defined for r in results)
    words = f"mean of the pooled values of {len(results)} repeats"
    words += f", {count} of them defined" if count < len(results) else ""
    note = Note(words, Kind.MEAN_OF_REPEATS, count, len(results))
    made = _mean(results, note, "repeats", weights)
    if not lost:
        return made
    *before, last = made.notes
    told = replace(last, words=f"{last.words}, by their rows: {lost}")
    return replace(made, notes=(*before, told))


def _mean(
    results: Sequence[Result],
    note: Note,
    parts: str,
    weights: Mapping[str, float] | None = None,
) -> Result:
    values = np.array([r.value for r in results])
    defined = ~np.isnan(values)
    lost = [r for r in results if not r.is_defined]
    places = ", ".join(_place(r) for r in lost[:NAMED]) + " ..." * (len(lost) > NAMED)
    undefined = Note(places, Kind.UNDEFINED_PARTS) if lost else ""
    sizes = None if weights is None else np.array([weights[r.repeat] for r in results])[defined]
    value = float(np.average(values[defined], weights=sizes)) if note.count else nan
    return replace(
        results[0],
        value=float(unrounded(value, np.abs(values[defined]).max(initial=0.0))),
        notes=as_notes(note, undefined, classes_of_parts(results, parts) or ""),
        of=Of.POOLED,
        fold_name="",
        repeat="",
        n=sum(r.n for r in results if r.is_defined or not note.count),
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
    if not left_out:
        return None
    least, most = min(n.count for n in left_out), max(n.count for n in left_out)
    lost = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    classes = max(n.of for n in left_out)
    where = f"in {len(left_out):,} of {len(results):,} {parts}"
    words = f"{where} {lost} of {classes:,} classes left out, which have no row there"
    return Note(words, Kind.CLASSES_OF_PARTS, len(left_out), len(results))


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
