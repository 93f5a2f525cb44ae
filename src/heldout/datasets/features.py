"""Columns as features: numbers, or codes into levels; what is of no use is left out and said."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.notes import Line, Topic
from heldout.core.wording import listed, plural
from heldout.datasets.dataset import Feature
from heldout.datasets.quantities import in_days, in_floats, merged_numbers
from heldout.predictions.options import DataOptions
from heldout.tables.roles import roles_of, usual

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from heldout.core.arrays import Array
    from heldout.tables.column import RawColumn
    from heldout.tables.table import Part

#: names of columns that number or name the rows
NUMBERING = roles_of(DataOptions)["id"].guesses
ID_ENDING = re.compile(r"(_id|[a-z]I[dD]|_ID|[ .-]id)$")
#: a text that is another one in more than this share of the rows, and so many at least, is
#: rather a name of the row than of a kind of rows
NEARLY_ALL = 0.5
LEAST_NAMES = 20
COMMA_NUMBER = re.compile(r"\s*[-+]?\d+(,\d+)?\s*")


def looks_like_id(name: str) -> bool:
    """Whether a name is one of an id.

    Examples
    --------
    >>> [looks_like_id(name) for name in ("ID", "PassengerId", "patient_id", "paid", "grid")]
    [True, True, True, False, False]
    """
    return usual(name) in NUMBERING or name == "" or bool(ID_ENDING.search(name))


@dataclass(frozen=True, slots=True, eq=False)
class Usable:
    """What named models can use of some columns."""

    features: list[Feature] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: columns that are of no use to them, and why
    unused: dict[str, str] = field(default_factory=dict)

    def say(self, note: str) -> None:
        """Note what named models are given in place of a column."""
        self.notes.append(Line(note, Topic.NAMED_MODELS))


def is_empty(column: RawColumn) -> bool:
    """Whether no row has a value."""
    missing = column.absent
    return missing is not None and bool(missing.all())


def is_all_distinct(column: RawColumn) -> bool:
    """Whether no two rows have the same value (and none has none)."""
    if column.absent is not None or len(column) < 2:
        return False
    if column.kind == "category":
        return len(column.levels) >= len(column) == len(np.unique(column.values))
    return column.kind != "boolean" and len(np.unique(column.values)) == len(column)


def feature_of(column: RawColumn) -> Feature:
    """A column as a feature."""
    missing = column.absent
    if column.kind == "category":
        codes = column.values.astype(np.int32, copy=False)
        if missing is not None:
            codes = np.where(missing, np.int32(-1), codes)
        return Feature(column.name, codes, column.levels)
    values: Array = column.values
    if missing is not None and missing.all():
        values = np.full(len(column), np.nan)
    elif missing is not None:
        values = np.where(missing, np.nan, values.astype(np.float64))
    return Feature(column.name, values)


def features_of(part: Part, names: Iterable[str], *, nominal: Container[str] = ()) -> Usable:
    """The features among some columns, and notes on columns that are left out or constant.

    Dates are counted in days, unless the source itself says that a column is ``nominal``;
    durations are in seconds.
    """
    usable = Usable()
    constant: list[str] = []
    for name in names:
        column = part.column(name)
        days = None if name in nominal else in_days(column)
        if days is not None:
            column = days
            usable.say(
                f"column {name!r} holds dates, which are used as days since 1970-01-01 (rows in "
                f"their order: {_as_role(part, 'time', name)}; to leave out: "
                f"{_way_to_ignore(part, name)})"
            )
        elif column.held == "durations":
            usable.say(
                f"column {name!r} holds durations, which are used as seconds (to leave out: "
                f"{_way_to_ignore(part, name)})"
            )
        column, large = (column, "") if name in nominal else _in_numbers(part, column)
        if large:
            usable.say(large)
        if not column.held and _has_decimal_commas(column):
            usable.notes.append(
                f"column {name!r} looks like numbers with decimal commas, which are taken as "
                "names: write 1.5 for 1,5"
            )
        why = _useless(column)
        if why:
            usable.unused[name] = why
            usable.say(f"column {name!r} is not used: {why}")
            continue
        usable.features.append(feature_of(column))
        if looks_like_id(name) and not is_all_distinct(column):
            usable.notes.append(
                f"column {name!r} is used as a feature, but looks like an id whose values repeat: "
                f"use {_as_role(part, 'group', name)} if rows with the same value belong together, "
                f"or {_way_to_ignore(part, name)}"
            )
        elif count := _nearly_distinct(column):
            usable.notes.append(
                f"column {name!r} is used as a feature, but has {count:,} distinct texts in "
                f"{len(column):,} rows (to leave out: {_way_to_ignore(part, name)})"
            )
        if _is_constant(column):
            constant.append(name)
    if constant:
        usable.notes.append(
            f"{plural(len(constant), 'column')} with one value only: {listed(constant, most=5)} "
            f"(to leave out: {_way_to_ignore(part, constant[0])})"
        )
    return usable


def _in_numbers(part: Part, column: RawColumn) -> tuple[RawColumn, str]:
    """A column, its numbers beyond int64 as floats, and what is to be known of large ones."""
    floats = in_floats(column)
    merged = merged_numbers(column) if floats is not None or column.kind == "integer" else 0
    if floats is None and not merged:
        return column, ""
    what = (
        "whole numbers too large for 64 bits with a sign"
        if floats is not None
        else "large whole numbers"
    )
    what = f"column {column.name!r} holds {what}, which are used as floats"
    if merged:
        what += f"; {merged:,} different ones of them can no longer be distinguished"
    why = f"{what} (to leave out: {_way_to_ignore(part, column.name)})"
    return column if floats is None else floats, why


def _as_role(part: Part, role: str, name: str) -> str:
    """How the reader gives a role to a column."""
    is_array = part.dialect == "arrays"
    return f"{part.flag(role)}X[{name!r}]" if is_array else part.flag(role, name)


def _way_to_ignore(part: Part, name: str) -> str:
    """How the reader leaves a column out."""
    return f"X without {name!r}" if part.dialect == "arrays" else part.flag("ignore", name)


def _useless(column: RawColumn) -> str:
    """Why a column cannot help any named model, or nothing."""
    if is_empty(column):
        return "it has no values"
    if column.is_text:
        if column.held == "nested":
            return "it holds lists or mappings (make columns of their parts)"
        if is_all_distinct(column):
            return "every row has a different text, like a row name"
        if column.kind == "text":
            return f"free text ({len(np.unique(column.values.astype(str))):,} distinct values)"
    return ""


def _nearly_distinct(column: RawColumn) -> int:
    """How many texts a column has where they hardly repeat; 0 where they do."""
    if column.kind != "category":
        return 0
    missing = column.absent
    used = column.values if missing is None else column.values[~missing]
    count = len(np.unique(used))
    return count if count >= LEAST_NAMES and count > NEARLY_ALL * len(used) else 0


def _has_decimal_commas(column: RawColumn) -> bool:
    """Whether texts are numbers once commas are points, and some have commas."""
    if not column.is_text:
        return False
    texts = [str(v) for v in (column.levels if column.kind == "category" else column.values)]
    if not any("," in text for text in texts):
        return False
    return all(COMMA_NUMBER.fullmatch(text) for text in texts if text)


def _is_constant(column: RawColumn) -> bool:
    values = column.values
    missing = column.absent
    if missing is not None:
        values = values[~missing]
    return len(column) > 1 and bool(len(values) == 0 or (values == values[0]).all())
