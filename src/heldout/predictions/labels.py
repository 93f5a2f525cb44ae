"""Columns of class labels, and the one way in which all of a table's can be read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import listed
from heldout.tables.column import factorize
from heldout.tables.labels import EXACT, NUMBER, WORDS, value_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.core.arrays import Array
    from heldout.tables.column import Label, RawColumn
    from heldout.tables.labels import Family
    from heldout.tables.table import Part


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """A column of labels: codes into the values as they were read."""

    part: Part
    name: str
    codes: Array
    levels: Sequence[Label]
    #: the levels that at least one row has
    occurring: Sequence[Label]
    #: the classes in order, where the source declares them
    declared: tuple[Label, ...] = ()

    @classmethod
    def of(cls, part: Part, name: str) -> LabelColumn:
        """The labels of a column without missing values."""
        column = part.column(name)
        if column.held:
            what = "durations" if column.held == "durations" else "lists or mappings"
            raise InputError(
                f"{part.called(name)} holds {what}, which are not labels; give texts or numbers"
            )
        if column.kind == "category":
            return _category(part, column)
        codes, levels = factorize(column.values)
        if column.kind == "float":
            _refuse_fractions(part, name, levels, codes)
            levels = tuple(int(level) for level in levels)
        return cls(part, name, codes, levels, levels)

    @cached_property
    def family(self) -> Family | Literal["numeric text", "boolean text"]:
        """What kind of labels these are, texts told apart by what they spell."""
        labels = self.declared or self.occurring
        kinds = {type(label) for label in labels}
        if kinds == {bool}:
            return "boolean"
        if kinds <= {int, float}:
            return "number"
        if kinds != {str}:
            raise InputError(
                f"{self.called} mixes texts with numbers ({listed(labels, most=5)}); "
                "write all labels in one way"
            )
        if all(NUMBER.fullmatch(str(label)) for label in labels):
            return "numeric text"
        if all(str(label).strip().casefold() in WORDS for label in labels):
            return "boolean text"
        return "text"

    @property
    def called(self) -> str:
        """How a message names the column."""
        if self.part.dialect == "arrays":
            return self.name
        return f"column {self.name!r} of {self.part.table.source}"

    def place(self, level: Label) -> str:
        """The first row that has a level."""
        return self.part.place(int(np.argmax(self.codes == list(self.levels).index(level))))


def _category(part: Part, column: RawColumn) -> LabelColumn:
    """The labels of a category.

    Plain texts come as categories too, with all their levels in ascending order; what no
    row of the table has, or is in another order, somebody declared.
    """
    levels = column.levels
    used = np.bincount(column.values, minlength=len(levels)) > 0
    occurring = [level for level, is_used in zip(levels, used, strict=True) if is_used]
    classes: list[Label] = list(levels)
    if _is_sorted(levels) and part.rows is not None:
        # rows that were left out leave no trace among the classes
        whole = part.table.columns[column.name]
        codes = whole.values if whole.missing is None else whole.values[~whole.missing]
        left_out = (np.bincount(codes, minlength=len(levels)) > 0) & ~used
        classes = [level for level, gone in zip(levels, left_out, strict=True) if not gone]
    is_declared = classes != occurring or not _is_sorted(levels)
    declared = tuple(classes) if is_declared else ()
    return LabelColumn(part, column.name, column.values, levels, occurring, declared)


def _is_sorted(levels: Sequence[Any]) -> bool:
    if len({type(level) for level in levels}) > 1:
        return False
    return all(a < b for a, b in pairwise(levels))


def _refuse_fractions(part: Part, name: str, levels: tuple[Label, ...], codes: Array) -> None:
    is_bad = [float(x) != np.floor(float(x)) or abs(float(x)) > EXACT for x in levels]
    part.refuse(
        name,
        np.array(is_bad)[codes],
        "not a whole number, so not a class label,",
        f"a score goes to {part.flag('score', None if part.dialect == 'arrays' else name)}, "
        f"a numeric target needs {part.flag('task', 'regression')}",
    )


def common_family(columns: Sequence[LabelColumn]) -> Family:
    """The one family all label columns can be read in; the first column is the truth."""
    if all(column.family in ("text", "numeric text", "boolean text") for column in columns):
        _refuse_lookalikes(columns)
        return "text"
    plain = next(column for column in columns if column.family in ("boolean", "number"))
    for column in columns:
        if column.family == "text":
            raise _mismatch(plain, column)
    truths = [column for column in columns if column.family in ("boolean", "boolean text")]
    if not truths:
        return "number"
    for column in columns:
        if any(value_of(level) not in (0, 1) for level in column.occurring):
            raise _mismatch(truths[0], column)
    return "boolean" if columns[0] in truths else "number"


def _mismatch(column: LabelColumn, other: LabelColumn) -> InputError:
    return InputError(
        f"the labels of {column.called} ({listed(column.occurring, most=4)}) and of {other.called} "
        f"({listed(other.occurring, most=4)}) are of different kinds; write both in one way"
    )


def _refuse_lookalikes(columns: Sequence[LabelColumn]) -> None:
    """Texts that spell one number or truth value in two ways would be two silent classes."""
    if any(column.family == "text" for column in columns):
        return
    seen: dict[tuple[str, Label], tuple[Label, LabelColumn]] = {}
    for column in columns:
        for level in column.occurring:
            first, owner = seen.setdefault((column.family, value_of(level)), (level, column))
            if first != level:
                raise InputError(
                    f"{first!r} ({owner.called}, {owner.place(first)}) and {level!r} "
                    f"({column.called}, {column.place(level)}) spell one "
                    f"label in two ways; use one spelling"
                )


#: how programs spell a missing value, without case; a class may be called so, but must be declared
MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "null", "nil"}
#: more distinct whole numbers than this may be amounts rather than classes
MANY = 12


def refuse_spelled_missing(column: LabelColumn, role: str) -> None:
    """A label such as NA or nan is a missing value, unless the reader declares it a class."""
    for level in column.occurring:
        if not isinstance(level, str) or level.strip().casefold() not in MISSING:
            continue
        part = column.part
        bad = column.codes == list(column.levels).index(level)
        fix = f"fill in the {role} of these rows or remove them"
        raise InputError(
            f"{part.complaint(column.name, bad, f'{level!r}, which spells a missing value,')}; "
            f"{fix} (if it is a class, name all classes with {part.flag('labels')})"
        )


def many_numbers(truth: LabelColumn) -> str:
    """A note where the classes are so many whole numbers that they may be amounts."""
    count = len(truth.occurring)
    if count <= MANY or truth.family != "number":
        return ""
    part = truth.part
    return (
        f"task: classification (guessed: {part.called(truth.name)} has {count:,} distinct whole "
        f"numbers, each taken as a class; if they are amounts, say "
        f"{part.flag('task', 'regression')})"
    )
