"""Pairs of rows of which one is the other with fewer digits, or times a number."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.auditing.coincidence import expected_equal
from heldout.auditing.near_pairs import measured_columns, shared_cells
from heldout.auditing.side_columns import SideColumn, hashes_of_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Rounding = Callable[[NDArray[Any]], NDArray[Any]]

__all__ = ["rounded_pairs", "scaled_pairs"]

#: decimals, and significant digits, to which rows may have been rounded
DECIMALS, SIGNIFICANT = (4, 3, 2, 1, 0), (4, 3, 2)
#: what leaves no room for significant digits, where all rows are so already
ENOUGH = "to 2 decimals"
#: rows of each side by which equal rows are foretold, and how many a copy may be expected
SAMPLE, CHANCE = 2000, 0.01


def rounded_pairs(
    columns: list[SideColumn], *, least: int, is_same: bool = False
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], str]]:
    """Rows of ours and of theirs that are equal once one of them is rounded, and how it was.

    One of the two must have these digits already and the other more; at least so many columns
    must be measured. Names, and numbers of few values, must agree as they are.
    """
    measured = {id(c) for c, spread in measured_columns(columns) if spread > 0}
    if len(measured) < least:
        return
    is_coarse = False
    for text, rounding in _roundings():
        # numbers of few decimals have few digits by themselves
        if is_coarse and "significant" in text:
            return
        coarse = [_are_rounded(columns, measured, side, rounding) for side in ("ours", "theirs")]
        if all(rows.all() for rows, _ in coarse):
            is_coarse |= text == ENOUGH
            continue
        telling = [rows & (many >= least) for rows, many in coarse]
        if not any(rows.any() for rows in telling):
            continue
        ours, theirs = _matches(columns, measured, rounding, telling, is_same=is_same)
        if len(ours) and _is_no_chance(columns, measured, rounding, theirs, is_same=is_same):
            yield ours, theirs, text
            return


def _roundings() -> Iterator[tuple[str, Rounding]]:
    for digits in DECIMALS:
        yield f"to {digits} decimals", partial(_decimals, digits=digits)
    for digits in SIGNIFICANT:
        yield f"to {digits} significant digits", partial(_significant, digits=digits)


def _decimals(values: NDArray[Any], digits: int) -> NDArray[np.float64]:
    made: NDArray[np.float64] = np.round(np.asarray(values, float), digits)
    return made


def _significant(values: NDArray[Any], digits: int) -> NDArray[np.float64]:
    values = np.asarray(values, float)
    with np.errstate(all="ignore"):
        power = digits - 1 - np.floor(np.log10(np.abs(values)))
        # quotients by whole powers of ten are those that a number is read as
        up, down = np.power(10.0, np.maximum(power, 0)), np.power(10.0, np.maximum(-power, 0))
        made = np.rint(values * up / down) * down / up
    return np.where(np.isfinite(made), made, values)


def _are_rounded(
    columns: list[SideColumn], measured: set[int], side: str, rounding: Rounding
) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    """Which rows have no more digits than these in any measured column; how many are not 0."""
    made = np.ones(len(getattr(columns[0], side)), bool)
    many = np.zeros(len(made), np.int32)
    for column in columns:
        if id(column) not in measured:
            continue
        rows = np.flatnonzero(made)
        if not len(rows):
            break
        values = np.asarray(getattr(column, side)[rows], float)
        off = np.abs(rounding(values) - values) > 1e-9 * np.abs(values)
        made[rows[off]] = False
        many[rows] += values != 0
    return made, many


def _matches(
    columns: list[SideColumn],
    measured: set[int],
    rounding: Rounding,
    coarse: list[NDArray[np.bool_]],
    *,
    is_same: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs that are equal after rounding, of which one row was rounded already and one not."""
    hashes = []
    for side in ("ours",) if is_same else ("ours", "theirs"):
        rounded: list[Any] = [
            _Lazy(getattr(c, side), rounding if id(c) in measured else None) for c in columns
        ]
        hashes.append(hashes_of_rows(rounded, len(getattr(columns[0], side))))
    pairs = list(shared_cells(hashes[0], hashes[-1], is_same=is_same))
    ours, theirs = (np.concatenate(part) for part in zip(*pairs, strict=True))
    kept = coarse[0][ours] != coarse[1][theirs]
    return ours[kept], theirs[kept]


class _Lazy:
    """A column that is rounded block by block."""

    def __init__(self, values: NDArray[Any], rounding: Rounding | None) -> None:
        self.values, self.rounding = values, rounding

    def __getitem__(self, rows: Any) -> NDArray[Any]:
        part = self.values[rows]
        return part if self.rounding is None else self.rounding(part)


def _is_no_chance(
    columns: list[SideColumn],
    measured: set[int],
    rounding: Rounding,
    theirs: NDArray[np.int64],
    *,
    is_same: bool,
) -> bool:
    """Whether hardly any rows are equal by chance after such a rounding."""
    sides = (len(columns[0].ours), len(columns[0].theirs))
    rng = np.random.default_rng(0)
    chosen = [rng.permutation(rows)[:SAMPLE] for rows in sides]
    few: list[SideColumn] = []
    for c in columns:
        how = rounding if id(c) in measured else None
        ours, others = (_Lazy(v, how)[r] for v, r in zip((c.ours, c.theirs), chosen, strict=True))
        few.append(SideColumn(c.name, ours, others, c.is_nominal))
    pairs = sides[0] * (sides[0] - 1) / 2 if is_same else float(sides[0]) * sides[1]
    return expected_equal(few, pairs) <= CHANCE * len(np.unique(theirs))


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
