"""Marks for missing values that made a text of a column of numbers: read as missing, and said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.datasets.features import missing_of
from heldout.datasets.target import MOST_CLASSES
from heldout.predictions.factorize import factorize
from heldout.predictions.label_values import NUMBER
from heldout.predictions.part import listed, plural
from heldout.predictions.raw import RawColumn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from heldout.predictions.part import Part

__all__ = ["NAME_MARKS", "mended"]

#: what stands for a missing number, without case
MARKS = {"", "?", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "-", "--", ".", "missing"}
#: what stands for a missing name, spelled so and not otherwise: None and - may be names
NAME_MARKS = {"?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null"}
#: a column with more numbers than this share, and at least so many, is one of numbers
NEARLY_ALL = 0.9
LEAST_NUMBERS = 20


def mended(part: Part, names: Iterable[str], *, target: str = "") -> tuple[Part, list[str]]:
    """The table with marks of missing values read as such, and notes on what was changed.

    Numbers among which stand ``NA``, ``?`` and the like are numbers with gaps, and so are names;
    a note says so. A few other texts among many numbers are refused: they would make names of
    all of them. More of them stay texts, and a note says where. Numbers of the ``target`` may be
    names of classes where they are few.
    """
    columns = dict(part.table.columns)
    notes: list[str] = []
    for name in names:
        column = columns[name]
        if column.kind in ("text", "category") and not column.held:
            columns[name], note = _mended(column, part, is_target=name == target)
            notes += [note] if note else []
    if not notes:
        return part, notes
    return replace(part, table=replace(part.table, columns=columns)), notes


def _mended(column: RawColumn, part: Part, *, is_target: bool) -> tuple[RawColumn, str]:
    codes, levels = _coded(column)
    texts = [str(level).strip() for level in levels]
    is_mark = np.array([text.casefold() in MARKS for text in texts], bool)
    is_number = np.array([bool(NUMBER.fullmatch(text)) for text in texts], bool)
    used = np.bincount(codes[codes >= 0], minlength=len(levels)) > 0
    strange = used & ~is_mark & ~is_number
    if (used & is_number).any() and not strange.any():
        if not (used & is_mark).any():
            return column, ""
        values = [
            float(text) if number else np.nan for text, number in zip(texts, is_number, strict=True)
        ]
        numbers = np.array([*values, np.nan])[codes]
        return RawColumn(column.name, "float", numbers), _note(column.name, texts, codes, is_mark)
    if not (is_target and np.count_nonzero(used & is_number) <= MOST_CLASSES):
        kinds = (strange, is_number)
        _refuse_stray(column.name, part, codes, levels, kinds, is_target=is_target)
    is_mark = np.array([text in NAME_MARKS for text in texts], bool)
    if (used & is_mark).any():
        return _without(column, codes, levels, is_mark), _note(column.name, texts, codes, is_mark)
    if 0 < strange.sum() < (used & is_number).sum() and part.dialect != "keywords":
        bad = np.append(strange, False)[codes]
        example = listed([levels[int(np.argmax(strange))]])
        return column, (
            f"{part.complaint(column.name, bad, f'texts such as {example} among numbers')}; "
            "all are taken as names"
        )
    return column, ""


def _refuse_stray(
    name: str,
    part: Part,
    codes: NDArray[Any],
    levels: Sequence[Any],
    kinds: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    *,
    is_target: bool,
) -> None:
    """An error where nearly all values are numbers and a few are texts that mean no missing one."""
    bad, numbers = (np.append(kind, False)[codes] for kind in kinds)
    count, strays = int(np.count_nonzero(numbers)), int(np.count_nonzero(bad))
    if not strays or count < LEAST_NUMBERS or count <= NEARLY_ALL * (count + strays):
        return
    example = listed([levels[int(codes[int(np.argmax(bad))])]])
    if is_target:
        flag = part.flag("drop_missing_target", None if part.dialect == "flags" else True)
        fix = f"write a number, or NA and {flag} to leave such rows out"
    else:
        fix = (
            "write a number, or NA for a missing one; to leave the column out: "
            f"{part.flag('ignore', name)}"
        )
    part.refuse(
        name,
        bad,
        f"the text {example} among {plural(count, 'number')}",
        f"{fix}; if all are names, write them with a letter in front",
    )


def _coded(column: RawColumn) -> tuple[NDArray[Any], Sequence[Any]]:
    """Codes of the rows (missing: -1) and their levels."""
    missing = missing_of(column)
    if column.kind == "category":
        return (column.values if missing is None else np.where(missing, -1, column.values)), (
            column.levels
        )
    codes = np.full(len(column), -1, np.int32)
    known = np.ones(len(column), bool) if missing is None else ~missing
    if not known.any():
        return codes, ()
    codes[known], levels = factorize(column.values[known])
    return codes, levels


def _without(
    column: RawColumn, codes: NDArray[Any], levels: Sequence[Any], is_mark: NDArray[np.bool_]
) -> RawColumn:
    """A column of names whose marks are missing values and no levels."""
    place = np.where(is_mark, -1, np.cumsum(~is_mark) - 1)
    made = np.append(place, -1)[codes]
    kept = tuple(level for level, mark in zip(levels, is_mark, strict=True) if not mark)
    return RawColumn(column.name, "category", np.maximum(made, 0).astype(np.int32), made < 0, kept)


def _note(name: str, texts: Sequence[str], codes: NDArray[Any], is_mark: NDArray[np.bool_]) -> str:
    marked = np.append(is_mark, False)[codes]
    seen = sorted({texts[code] for code in np.unique(codes[marked])})
    rows = plural(int(np.count_nonzero(marked)), "row")
    return f"column {name!r}: {listed(seen)} ({rows}) is read as missing"
