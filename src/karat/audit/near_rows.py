"""K02: test rows that are nearly copies of training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.audit.check import check
from karat.audit.finding import some

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from karat.audit.material import Material
    from karat.datasets.dataset import Dataset

__all__ = ["near_rows"]

#: with fewer numeric columns rows are near each other by chance
FEW_COLUMNS = 5
#: rows are near where every column agrees within this share of its spread
NEAR = 0.01
#: shifted grids in which near rows are looked for; two near rows share a cell in most of them
GRIDS = 4


@check(
    "K02",
    "test rows that are nearly training rows",
    "warning",
    why="Copies with a little noise (augmented, rounded, measured twice) are as good as known.",
    fix="Keep such rows together (--group), or remove them from one side.",
)
def near_rows(material: Material) -> Iterator[tuple[str, str]]:
    """Rows whose numbers agree almost, but not wholly, with a row of the other side."""
    train, test = material.train, material.test
    if train is not None and test is not None:
        names = [
            feature.name
            for feature in train.features
            if not feature.is_nominal
            and any(o.name == feature.name and not o.is_nominal for o in test.features)
        ]
        yield from _seen(_table(train, names), _table(test, names), "")
    data, splits = material.data, material.splits
    if data is not None and splits is not None and len(splits):
        names = [feature.name for feature in data.features if not feature.is_nominal]
        table = _table(data, names)
        split = splits[0]
        place = f"repeat {split.repeat}, fold {split.fold}"
        yield from _seen(table[split.train], table[split.test], place, split.test)


def _table(data: Dataset, names: list[str]) -> NDArray[np.float64]:
    columns = {feature.name: feature.values for feature in data.features}
    if not names:
        return np.empty((len(data), 0))
    return np.column_stack([np.asarray(columns[name], float) for name in names])


def _seen(
    train: NDArray[Any], test: NDArray[Any], place: str, rows: NDArray[Any] | None = None
) -> Iterator[tuple[str, str]]:
    near = near_matches(train, test)
    count = int(near.sum())
    if count:
        found = np.flatnonzero(near)[:6]
        names = [f"{(row if rows is None else rows[row]) + 1:,}" for row in found]
        yield (
            f"{count:,} of {len(test):,} test rows agree with a training row within "
            f"{100 * NEAR:g} % of the spread of every numeric column, without being copies "
            f"(rows {some(names[:5])}{' ...' if count > 5 else ''})",
            place,
        )


def near_matches(train: NDArray[Any], test: NDArray[Any]) -> NDArray[np.bool_]:
    """Which test rows are near, but not equal to, some training row.

    Both tables are laid on shifted grids; rows that share a cell are compared value by value.
    """
    near = np.zeros(len(test), bool)
    spread = _spread(train)
    used = np.flatnonzero(spread > 0)
    if len(used) < FEW_COLUMNS or not len(train) or not len(test):
        return near
    ours, theirs = train[:, used] / spread[used], test[:, used] / spread[used]
    for shift in range(GRIDS):
        # cells are far wider than near is, so that few near rows are parted by an edge
        cells = [_cells(table, shift / GRIDS) for table in (ours, theirs)]
        order = np.argsort(cells[0], kind="stable")
        ordered = cells[0][order]
        low = np.searchsorted(ordered, cells[1], "left")
        high = np.searchsorted(ordered, cells[1], "right")
        for row in np.flatnonzero((high > low) & ~near):
            others = ours[order[low[row] : min(high[row], low[row] + 50)]]
            gaps = np.abs(others - theirs[row]).max(axis=1)
            near[row] = bool(((gaps < NEAR) & (gaps > 0)).any()) and not (gaps == 0).any()
    return near


def _spread(table: NDArray[Any]) -> NDArray[np.float64]:
    """The standard deviation of each column; 0 where values are missing or few and repeated."""
    made = np.zeros(table.shape[1])
    for index in range(table.shape[1]):
        column = table[:, index]
        if np.isfinite(column).all() and len(np.unique(column[:1000])) > 20:
            made[index] = column.std()
    return made


def _cells(table: NDArray[Any], shift: float) -> NDArray[np.uint64]:
    """A number for the cell of each row; cells are ten times as wide as near."""
    places = np.floor(table / (10 * NEAR) + shift).astype(np.int64).view(np.uint64)
    made = np.zeros(len(table), np.uint64)
    for index in range(table.shape[1]):
        made = (made ^ places[:, index]) * np.uint64(0x9E3779B97F4A7C15)
        made ^= made >> np.uint64(29)
    return made
