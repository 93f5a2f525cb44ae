"""Pairs of rows of which one is the other times a number, found by ratios of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.auditing.near_pairs import measured_columns, shared_cells
from karat.auditing.row_hash import hashes_of_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.auditing.side_columns import SideColumn

__all__ = ["scaled_pairs"]

#: with fewer columns that are not 0, rows are in proportion by chance
FEW_COLUMNS = 6
#: ratios of columns by which candidates are found, and how exact they and the factor must be
RATIOS, DIGITS, EXACT = 3, 5, 1e-6
#: a factor this near to 1 makes near copies, which are found as such
NEAR_ONE = 1e-3


def scaled_pairs(
    columns: list[SideColumn], *, is_same: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of ours and of theirs whose measured columns are in one proportion, not 1.

    Other columns must agree. Only rows that are 0 in no measured column are looked at.
    """
    measured = [c for c, spread in measured_columns(columns) if spread > 0]
    none = np.zeros(0, np.int64)
    if len(measured) < FEW_COLUMNS:
        return none, none
    places = np.linspace(0, len(measured) - 1, 2 * RATIOS).astype(int).reshape(-1, 2)
    cells = []
    for side in ("ours", "theirs"):
        values = [getattr(c, side) for c in measured]
        ratios = [_rounded(values[one], values[other]) for one, other in places.tolist()]
        cells.append(hashes_of_rows(ratios, len(values[0])))
    found = [
        _proportional(columns, measured, ours, theirs)
        for ours, theirs in shared_cells(cells[0], cells[1], is_same=is_same)
    ]
    ours, theirs = (np.concatenate(part) for part in zip(*found, strict=True))
    return ours, theirs


def _rounded(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.float64]:
    """The ratio to a few digits; a number of its own for each row where there is none."""
    with np.errstate(all="ignore"):
        ratio = np.asarray(one, float) / other
        size = np.power(10.0, DIGITS - 1 - np.floor(np.log10(np.abs(ratio))))
        made = np.rint(ratio * size) / size
    lacks = ~np.isfinite(made)
    made[lacks] = -1e300 - np.arange(int(lacks.sum())) * 1e290
    return made


def _proportional(
    columns: list[SideColumn],
    measured: list[SideColumn],
    ours: NDArray[np.int64],
    theirs: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    with np.errstate(all="ignore"):
        factor = measured[0].theirs[theirs] / measured[0].ours[ours].astype(float)
        kept = np.isfinite(factor) & (np.abs(factor - 1) > NEAR_ONE) & (factor != 0)
        ours, theirs, factor = ours[kept], theirs[kept], factor[kept]
        for column in columns:
            first, second = column.ours[ours], column.theirs[theirs]
            if any(column is one for one in measured):
                kept = (first != 0) & (np.abs(second / (first * factor) - 1) < EXACT)
            else:
                kept = first == second
            ours, theirs, factor = ours[kept], theirs[kept], factor[kept]
    return ours, theirs
