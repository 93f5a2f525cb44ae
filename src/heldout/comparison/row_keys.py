"""What names the rows and groups of predictions, so that those of several models can be matched."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.predictions.table import Column, Label, Predictions

__all__ = ["by_name", "level_text", "row_keys", "shown_key"]


def row_keys(predictions: Sequence[Predictions]) -> list[NDArray[Any]]:
    """What names each row: its id, with the repeat where the design has repeats."""
    given = [np.asarray(p.identifier) for p in predictions]
    if not all(np.issubdtype(ids.dtype, np.integer) for ids in given):
        given = [ids.astype(str) for ids in given]
    if all(p.design.repeat is None for p in predictions):
        return given
    made = []
    for p, ids in zip(predictions, given, strict=True):
        repeat = p.design.repeat
        levels = np.array([""] if repeat is None else [str(v) for v in repeat.levels])
        named = levels[np.zeros(len(p), int) if repeat is None else repeat.codes]
        # a separator that no text has, so that two parts cannot run together
        made.append(np.char.add(np.char.add(ids.astype(str), "\x1f"), named))
    return made


def shown_key(key: Any) -> str:
    r"""A row's name as messages have it.

    Examples
    --------
    >>> shown_key("17\x1f2")
    '17 in repeat 2'
    """
    return " in repeat ".join(str(key).split("\x1f"))


def level_text(level: Label) -> str:
    """The value of a column as text, the same whether a file's reader took it as 1 or as 1.0.

    Examples
    --------
    >>> level_text(1.0), level_text(1), level_text("1")
    ('1', '1', '1')
    """
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)


def by_name(column: Column) -> Column:
    """The same column with its values numbered in the order of their names.

    Examples
    --------
    >>> from heldout.tables.column import Column
    >>> by_name(Column("ward", np.array([0, 1, 0]), ("z", "a"))).codes
    array([1, 0, 1])
    """
    order = sorted(range(len(column.levels)), key=lambda code: level_text(column.levels[code]))
    place = np.empty(len(order), int)
    place[order] = np.arange(len(order))
    return replace(
        column, codes=place[column.codes], levels=tuple(column.levels[code] for code in order)
    )
