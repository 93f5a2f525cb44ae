"""Whether equal rows are copies, or what coarse values bring about by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.side_columns import differences_from

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from karat.auditing.side_columns import SideColumn

__all__ = ["are_coincidences"]

#: how many of the equal rows are looked at, and beside how many rows
LOOKED_AT, BESIDE = 30, 100_000


def are_coincidences(
    columns: list[SideColumn], equal: NDArray[Any], rows: int, *, is_same: bool = False
) -> bool:
    """Whether rows that differ in one column (of many: in an eighth) are as frequent as equal ones.

    Where values are coarse, rows that agree in all columns but one are commoner than rows that
    agree in all; copies have no such company. ``is_same``: both sides are one table.
    """
    allowed = max(1, len(columns) // 8)
    step = -(-rows // BESIDE)
    beside = slice(0, rows, step)
    chosen = equal[np.linspace(0, len(equal) - 1, min(len(equal), LOOKED_AT)).astype(int)]
    exact, near = 0, 0
    for row in chosen.tolist():
        different = differences_from(columns, row, beside)
        exact += max(int((different == 0).sum()) * step - is_same, 1)
        near += int(((different > 0) & (different <= allowed)).sum()) * step
    return near >= exact
