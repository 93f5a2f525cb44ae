"""Texts that are quantities: dates, numbers beyond 64 bits, numbers with marks for missing ones."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import listed, plural
from heldout.datasets.target import MOST_CLASSES
from heldout.tables.checks import complete, finite, merging_rows, numbers, plain_values
from heldout.tables.column import RawColumn
from heldout.tables.labels import NUMBER
from heldout.tables.text_files import ABSENT as ABSENCES
from heldout.tables.text_files import PATTERNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from heldout.core.arrays import Array, Booleans
    from heldout.tables.table import Part

#: ISO 8601, as the readers write dates; 02/03/2020 can be read in two ways and stays a text
DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?")


def in_days(column: RawColumn) -> RawColumn | None:
    """The days from 1970-01-01 to the dates of a column; None where it holds other texts.

    Examples
    --------
    >>> from heldout.tables.column import column_of_list
    >>> in_days(column_of_list("day", ["1970-01-02", "1970-01-03T12:00:00"])).values.tolist()
    [1.0, 2.5]
    """
    moments = moments_of(column)
    if moments is None:
        return None
    days = (moments - np.datetime64("1970-01-01", "us")) / np.timedelta64(1, "D")
    return RawColumn(column.name, "float", np.asarray(days, dtype=np.float64))


def moments_of(column: RawColumn) -> NDArray[np.datetime64] | None:
    """The dates of a column, missing ones NaT; None where it holds other texts."""
    if not column.is_text:
        return None
    codes, texts = column.code(distinct=False)
    moments = _moments(texts)
    return None if moments is None else np.append(moments, np.datetime64("NaT", "us"))[codes]


def _moments(texts: Sequence[Any]) -> NDArray[np.datetime64] | None:
    if not len(texts) or not all(isinstance(t, str) and DATE.fullmatch(t) for t in texts):
        return None
    try:
        return np.array(list(texts), "datetime64[us]")
    except ValueError:  # the 31st of February
        return None


def times(part: Part, name: str) -> Array:
    """The times of the rows, complete: numbers as they are, dates in microseconds.

    Dates are read in the form of ISO 8601 only, since others (02/03/2020) can be read in
    two ways.
    """
    complete(part, name, "time")
    column = part.column(name)
    if column.kind == "integer":
        return column.values
    if column.kind in ("boolean", "float"):
        values = numbers(part, name, "time")
        finite(part, name, values, "time")
        return values
    texts = plain_values(part, name, "time").astype(str)
    try:
        return texts.astype("datetime64[us]")
    except ValueError:
        bad = next(i for i, text in enumerate(texts) if not _is_date(text))
    raise InputError(
        f"{part.called(name)}: {str(texts[bad])!r} is not a date (first: {part.place(bad)}); write "
        "dates as 2020-12-31 or 2020-12-31T23:59:59, or give numbers"
    )


def _is_date(text: str) -> bool:
    try:
        np.datetime64(text, "us")
    except ValueError:
        return False
    return True


#: whole numbers from here on need more than 64 bits with a sign
LARGE = 2**63
DIGITS = len(str(LARGE))
WHOLE = re.compile(PATTERNS["integer"])
ABSENT = re.compile(f"({ABSENCES})?", re.IGNORECASE)
FLOAT = re.compile(PATTERNS["float"], re.IGNORECASE)


def in_floats(column: RawColumn) -> RawColumn | None:
    """The numbers of a column that is text only since some need more than 64 bits; else None.

    Examples
    --------
    >>> from heldout.tables.column import column_of_list
    >>> in_floats(column_of_list("x", [2**63, 5])).values.tolist()
    [9.223372036854776e+18, 5.0]
    >>> in_floats(column_of_list("x", ["a", "b"])) is None
    True
    """
    if not column.is_text:
        return None
    codes, levels = column.code()
    used = np.unique(codes[codes >= 0])
    texts = [str(levels[code]).strip() for code in used]
    if not any(_is_large(text) for text in texts):
        return None
    # what is missing among other numbers of a file is missing here, too
    spelled = ["nan" if ABSENT.fullmatch(text) else text for text in texts]
    if not all(FLOAT.fullmatch(text) for text in spelled):
        return None
    values = np.full(len(levels) + 1, np.nan)
    values[used] = [float(text) for text in spelled]
    return RawColumn(column.name, "float", values[codes])


def merged_numbers(column: RawColumn) -> int:
    """How many different whole numbers of a column are the same float as another one."""
    bad = merging_rows(column)
    return 0 if bad is None else len(set(column.objects()[bad].tolist()))


def _is_large(text: str) -> bool:
    if len(text) < DIGITS or not WHOLE.fullmatch(text):
        return False
    return len(text) > DIGITS + 1 or not -LARGE <= int(text) < LARGE


#: what stands for a missing number, without case
MARKS = {"", "?", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "-", "--", ".", "missing"}
#: what stands for a missing name, spelled so and not otherwise: None and - may be names
NAME_MARKS = {"?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null"}
#: a column with more numbers than this share, and at least so many, is one of numbers
NEARLY_ALL = 0.9
LEAST_NUMBERS = 20


def mend(part: Part, names: Iterable[str], *, target: str = "") -> tuple[Part, list[str]]:
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
        if column.is_text and not column.held:
            columns[name], note = _mend_column(column, part, is_target=name == target)
            notes += [note] if note else []
    if not notes:
        return part, notes
    return replace(part, table=replace(part.table, columns=columns)), notes


def _mend_column(column: RawColumn, part: Part, *, is_target: bool) -> tuple[RawColumn, str]:
    codes, levels = column.code()
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
            "all are treated as categories"
        )
    return column, ""


def _refuse_stray(
    name: str,
    part: Part,
    codes: Array,
    levels: Sequence[Any],
    kinds: tuple[Booleans, Booleans],
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
        f"{fix}; if all are categories, write them with a letter in front",
    )


def _without(
    column: RawColumn, codes: Array, levels: Sequence[Any], is_mark: Booleans
) -> RawColumn:
    """A column of names whose marks are missing values and no levels."""
    code_of = np.where(is_mark, -1, np.cumsum(~is_mark) - 1)
    codes_left = np.append(code_of, -1)[codes]
    kept = tuple(level for level, mark in zip(levels, is_mark, strict=True) if not mark)
    return RawColumn(
        column.name, "category", np.maximum(codes_left, 0).astype(np.int32), codes_left < 0, kept
    )


def _note(name: str, texts: Sequence[str], codes: Array, is_mark: Booleans) -> str:
    marked = np.append(is_mark, False)[codes]
    seen = sorted({texts[code] for code in np.unique(codes[marked])})
    rows = plural(int(np.count_nonzero(marked)), "row")
    return f"column {name!r}: {listed(seen)} ({rows}) is read as missing"
