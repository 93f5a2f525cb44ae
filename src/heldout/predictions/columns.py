"""Columns of repeated values (fold, repeat, group, slice, model) as codes into sorted levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.predictions.checks import complete
from heldout.predictions.factorize import factorize
from heldout.predictions.table import Column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.predictions.part import Part
    from heldout.predictions.raw import RawColumn
    from heldout.predictions.table import Label

__all__ = ["MISSING", "coded", "plain_values"]

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
