"""What the values of a column must be in a role, or the error that says where they are not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.tables.column import Column
from heldout.tables.factorize import factorize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.tables.column import Label, RawColumn
    from heldout.tables.table import Part


__all__ = [
    "MISSING",
    "coded",
    "complete",
    "finite",
    "first_no_number",
    "numbers",
    "plain_values",
    "weights",
    "within_numbers",
]


#: sums of squares of squares of such weights, and their inverse, are still numbers
LARGEST_WEIGHT = 1e60

#: differences and ratios of such values are still numbers
LARGEST_VALUE = 1e300

#: what is wrong with a text that a reader takes for a number
SPELLINGS = (
    (r"[-+\d.,\s]+%", "write 35.6% as 0.356"),
    (r"[-+\d.]+,[-+\d.,]*", "write decimals with a point, and thousands without a sign: 1234.5"),
    (r"(?s)\[.*\]", "a list is no number; give a column for each class"),
)


def complete(part: Part, name: str, role: str) -> None:
    """Every row has a value in this role."""
    column = part.column(name)
    fix = f"fill in the {role} of these rows or remove them"
    if column.missing is not None:
        part.refuse(name, column.missing, "no value", fix)
    if column.kind == "float" and np.isnan(np.min(column.values, initial=np.inf)):
        part.refuse(name, np.isnan(column.values), "NaN", fix)


def numbers(part: Part, name: str, role: str) -> NDArray[np.float64]:
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
    codes, levels, spelled = _spelled(column)
    bad = np.array([value is None for value in spelled])[codes]
    if bad.any():
        example = levels[int(codes[int(np.argmax(bad))])]
        said = (words for pattern, words in SPELLINGS if re.fullmatch(pattern, str(example)))
        hint = next(said, fix)
        raise InputError(f"{part.complaint(name, bad, f'no number ({example!r})')}; {hint}")
    return np.array([np.nan if value is None else value for value in spelled])[codes]


def first_no_number(part: Part, name: str) -> str:
    """Which row of a column of texts is the first without a number; empty where all or none are.

    A column of numbers with a slip in it reads as texts.
    """
    column = part.column(name)
    codes, levels, spelled = _spelled(column)
    bad = np.array([value is None for value in spelled], bool)[codes]
    if column.missing is not None:
        bad &= ~column.missing
    if not bad.any() or bad.all():
        return ""
    example = levels[int(codes[int(np.argmax(bad))])]
    return part.complaint(name, bad, f"no number ({example!r})")


def _spelled(column: Any) -> tuple[NDArray[Any], Any, list[float | None]]:
    """The code of each row, the texts of codes, and the numbers that these spell."""
    codes, levels = (
        (column.values, column.levels)
        if column.kind == "category"
        else (np.arange(len(column)), column.values.tolist())
    )
    return codes, levels, [_number(level) for level in levels]


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def finite(part: Part, name: str, values: NDArray[np.float64], role: str) -> tuple[float, float]:
    """The smallest and the largest value, if none is NaN or infinite."""
    low, high = float(np.min(values)), float(np.max(values))
    if not (np.isfinite(low) and np.isfinite(high)):
        fix = f"the {role} must be finite in every row"
        part.refuse(name, ~np.isfinite(values), "NaN or infinite", fix)
    return low, high


def within_numbers(part: Part, name: str, values: NDArray[np.float64], role: str) -> None:
    """Values that are finite, and whose differences are."""
    low, high = finite(part, name, values, role)
    if max(-low, high) > LARGEST_VALUE:
        fix = f"the {role} must lie within {LARGEST_VALUE:g} of 0: choose a larger unit"
        part.refuse(name, np.abs(values) > LARGEST_VALUE, "too large to be subtracted", fix)


def weights(part: Part, name: str) -> NDArray[np.float64]:
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


def coded(part: Part, name: str, role: str) -> Column:
    """A column as codes; its levels sorted, or in the order its category declares.

    Missing values are refused, but in a slice column they are a level of their own.
    """
    column = part.column(name)
    made = _coded(part, column, role)
    count = len(made.levels)
    is_amount = count > MOST_NUMBERS and len(part) < FEW_ROWS * count
    if role == "by" and column.kind in ("integer", "float") and is_amount:
        raise InputError(
            f"{part.called(name)} ({part.flag('by')}) has {count:,} different numbers, a slice "
            "each would say nothing; make a column of ranges of it and slice by that"
        )
    return made


def _coded(part: Part, column: RawColumn, role: str) -> Column:
    name, missing = column.name, column.missing
    if column.kind == "float" and np.isnan(np.min(column.values)):
        nan = np.isnan(column.values)
        missing = nan if missing is None else missing | nan
    if missing is None or not missing.any():
        codes, levels = _sorted(column.kind, column.values, column.levels)
        return Column(column.name, codes, levels)
    if role != "by":
        complete(part, name, role)
    if missing.all():
        return Column(column.name, np.zeros(len(part), np.int64), (MISSING,))
    known, levels = _sorted(column.kind, column.values[~missing], column.levels)
    codes = np.full(len(part), len(levels), np.int64)
    codes[~missing] = known
    return Column(column.name, codes, (*levels, MISSING))


def _sorted(
    kind: str, values: NDArray[Any], declared: tuple[Label, ...]
) -> tuple[NDArray[Any], tuple[Label, ...]]:
    if kind == "category":
        used = np.bincount(values, minlength=len(declared)) > 0
        if used.all():
            return values, declared
        # a level may be declared, or belong to rows that were left out
        places = np.cumsum(used) - 1
        return places[values], tuple(
            x for x, is_used in zip(declared, used, strict=True) if is_used
        )
    codes, levels = factorize(values)
    if kind == "float":
        levels = tuple(int(x) if float(x).is_integer() else x for x in levels)
    return codes, levels


def plain_values(part: Part, name: str, role: str) -> NDArray[Any]:
    """The values of a column that names each row."""
    complete(part, name, role)
    column = part.column(name)
    if column.kind != "category":
        return column.values
    levels = column.levels
    if len({type(level) for level in levels}) == 1 and not isinstance(levels[0], str):
        return np.array(levels)[column.values]
    return np.array([str(level) for level in levels], object)[column.values]
