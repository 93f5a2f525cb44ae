"""What the values of a column must be in a role, or the error that says where they are not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.tables.column import Column, RawColumn
from heldout.tables.labels import EXACT, number_or_none

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Booleans, Floats
    from heldout.tables.column import Label, RawColumn
    from heldout.tables.table import Part

#: sums of squares of squares of such weights, and their inverse, are still numbers
LARGEST_WEIGHT = 1e60
#: differences and ratios of such values are still numbers
LARGEST_VALUE = 1e300
#: what is wrong with a text that a reader takes for a number
SPELLINGS = (
    (r"[-+\d.,\s]+%", "write 35.6% as 0.356"),
    (r"[-+\d.]+,[-+\d.,]*", "write decimals with a point, and thousands without a sign: 1234.5"),
    (r"(?s)\[.*\]", "a list is not a number; give a column for each class"),
)


def complete(part: Part, name: str, role: str) -> None:
    """Every row has a value in this role."""
    column = part.column(name)
    fix = f"fill in the {role} of these rows or remove them"
    if column.missing is not None:
        part.refuse(name, column.missing, "no value", fix)
    if column.kind == "float" and np.isnan(np.min(column.values, initial=np.inf)):
        part.refuse(name, np.isnan(column.values), "NaN", fix)


def numbers(part: Part, name: str, role: str) -> Floats:
    """The column as floats, if every row has a number (texts that spell numbers included)."""
    column = part.column(name)
    if column.held == "durations":
        raise InputError(
            f"{part.called(name)} holds durations; give the {role} as numbers, of seconds or days"
        )
    fix = f"the {role} must be a number in every row"
    if column.missing is not None:
        part.refuse(name, column.missing, "no value", fix)
    if column.kind in ("boolean", "integer", "float"):
        return column.values.astype(np.float64, copy=False)
    codes, levels = column.code(distinct=False)
    values = [number_or_none(level) for level in levels]
    bad = np.array([value is None for value in values])[codes]
    if bad.any():
        example = levels[int(codes[int(np.argmax(bad))])]
        hints = (hint for pattern, hint in SPELLINGS if re.fullmatch(pattern, str(example)))
        raise InputError(
            f"{part.complaint(name, bad, f'no number ({example!r})')}; {next(hints, fix)}"
        )
    return np.array([np.nan if value is None else value for value in values])[codes]


def first_no_number(part: Part, name: str) -> str:
    """Which row of a column of texts is the first without a number; empty where all or none are.

    A column of numbers with a slip in it reads as texts.
    """
    codes, levels = part.column(name).code(distinct=False)
    bad = np.array([*(number_or_none(level) is None for level in levels), False])[codes]
    if not bad.any() or bad.all():
        return ""
    example = levels[int(codes[int(np.argmax(bad))])]
    return part.complaint(name, bad, f"no number ({example!r})")


def finite(part: Part, name: str, values: Floats, role: str) -> tuple[float, float]:
    """The smallest and the largest value, if none is NaN or infinite."""
    low, high = float(np.min(values)), float(np.max(values))
    if not (np.isfinite(low) and np.isfinite(high)):
        fix = f"the {role} must be finite in every row"
        part.refuse(name, ~np.isfinite(values), "NaN or infinite", fix)
    return low, high


def within_numbers(part: Part, name: str, values: Floats, role: str) -> None:
    """Values that are finite, and whose differences are."""
    low, high = finite(part, name, values, role)
    if max(-low, high) > LARGEST_VALUE:
        fix = f"the {role} must lie within {LARGEST_VALUE:g} of 0: choose a larger unit"
        part.refuse(name, np.abs(values) > LARGEST_VALUE, "too large to be subtracted", fix)


def weights(part: Part, name: str) -> Floats:
    """The weights: finite, none negative, not all zero."""
    values = numbers(part, name, "weight")
    low, high = finite(part, name, values, "weight")
    if low < 0:
        fix = "a weight must be 0 or more"
        part.refuse(name, values < 0, "negative", fix)
    if not high < LARGEST_WEIGHT or (values[values < 1 / LARGEST_WEIGHT] > 0).any():
        far = (values >= LARGEST_WEIGHT) | ((values > 0) & (values < 1 / LARGEST_WEIGHT))
        example = f"{values[int(np.argmax(far))]:g}"
        fix = "the unit of weights is free: divide them all by the same number"
        part.refuse(name, far, f"{example} is too far from 1 to be added and squared", fix)
    if high == 0:
        where = part.table.source if part.dialect != "arrays" else "the arrays"
        raise InputError(
            f"{part.called(name)}: all {plural(len(part), 'row')} of {where} have weight 0; "
            "at least one needs a weight above 0"
        )
    return values


#: the level of rows without a value in a slice column
MISSING = "(missing)"
#: a slice column of numbers is an amount, not a name of something, if it has more of them
#: than this and fewer rows of each than that
MOST_NUMBERS = 50
FEW_ROWS = 10


def code_column(part: Part, name: str, role: str) -> Column:
    """A column as codes; its levels sorted, or in the order its category declares.

    Missing values are refused, but in a slice column they are a level of their own.
    """
    if role != "by":
        complete(part, name, role)
    column = part.column(name)
    codes, levels = column.code()
    is_gapped = bool(len(codes)) and int(codes.min()) < 0
    if column.kind == "category":
        used = np.bincount(codes[codes >= 0] if is_gapped else codes, minlength=len(levels)) > 0
        if not used.all():  # a level may be declared, or belong to rows that were left out
            codes = np.append(np.cumsum(used) - 1, -1)[codes]
            levels = tuple(x for x, is_used in zip(levels, used, strict=True) if is_used)
    elif column.kind == "float":
        levels = tuple(int(x) if float(x).is_integer() else x for x in levels)
    if is_gapped:
        codes, levels = np.where(codes < 0, len(levels), codes), (*levels, MISSING)
    count = len(levels)
    is_amount = count > MOST_NUMBERS and len(part) < FEW_ROWS * count
    if role == "by" and column.is_number and is_amount:
        raise InputError(
            f"{part.called(name)} ({part.flag('by')}) has {count:,} "
            f"different numbers, too many for one slice each; make a column of ranges "
            f"of it and slice by that"
        )
    return Column(column.name, codes, levels)


def only_value(part: Part, name: str) -> Label | None:
    """The value that all rows have in a column; None where they differ, or one has none."""
    codes, levels = part.column(name).code()
    used = np.unique(codes).tolist()
    return levels[used[0]] if len(used) == 1 and used[0] >= 0 else None


def plain_values(part: Part, name: str, role: str) -> Array:
    """The values of a column that names each row."""
    complete(part, name, role)
    column = part.column(name)
    if column.kind != "category":
        return column.values
    levels = column.levels
    if len({type(level) for level in levels}) == 1 and not isinstance(levels[0], str):
        return np.array(levels)[column.values]
    return np.array([str(level) for level in levels], object)[column.values]


def merging_rows(column: RawColumn) -> Booleans | None:
    """Which rows hold a whole number whose float is that of another one too; None where none do.

    Examples
    --------
    >>> merging_rows(RawColumn("score", "integer", np.array([1, 2**60, 2**60 + 1]))).tolist()
    [False, True, True]
    >>> merging_rows(RawColumn("score", "integer", np.array([1, 2, 2**60]))) is None
    True
    """
    if column.kind == "integer":
        values = column.values
        return merging_values(values if column.missing is None else values * ~column.missing)
    if not column.is_text:
        return None
    # whole numbers beyond 64 bits are kept as the texts that spell them
    codes, levels = column.code()
    wholes = [_whole(level) for level in levels]
    by_float: dict[float, set[int]] = {}
    for whole in wholes:
        if whole is not None:
            by_float.setdefault(_float(whole), set()).add(whole)
    bad = [whole is not None and len(by_float[_float(whole)]) > 1 for whole in wholes]
    return np.array([*bad, False])[codes] if any(bad) else None


def merging_values(values: Array) -> Booleans | None:
    """The same of an array: which of its whole numbers become the float of another one."""
    if values.dtype.kind not in "iu" or not values.size:
        return None
    if int(values.min()) >= -EXACT and int(values.max()) <= EXACT:
        return None
    floats = np.unique(values).astype(np.float64)
    same = floats[1:][np.diff(floats) == 0]
    return np.isin(values.astype(np.float64), same) if len(same) else None


def _whole(text: Any) -> int | None:
    try:
        return int(text)
    except (TypeError, ValueError):
        return None


def _float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf
