"""The columns by which rows of two tables (or of one with itself) are compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.threads import blocks, in_threads
from heldout.datasets.dataset import Feature
from heldout.datasets.features import feature_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset

__all__ = [
    "FEW_ROWS",
    "SideColumn",
    "differences_from",
    "few_compared",
    "hashes_of_rows",
    "incomparable",
    "left_out_columns",
    "name_of",
    "names_of",
    "numbers_rows",
    "side_columns",
    "target_column",
]

#: with fewer rows a column of distinct whole numbers may well be a quantity
FEW_ROWS = 20


@dataclass(frozen=True, slots=True, eq=False)
class SideColumn:
    """A column of both sides as numbers, names coded alike; a missing name is -1."""

    name: str
    ours: NDArray[Any]
    theirs: NDArray[Any]
    is_nominal: bool


def side_columns(train: Dataset, test: Dataset) -> tuple[list[SideColumn], list[str]]:
    """The columns that both tables have, and the names of those that number the rows.

    Names of nominal values are matched by their text, not by their codes. A column that
    numbers the rows would keep any two rows from being equal, so it is left out; so would
    one of numbers here and of quite other names there (``incomparable``).
    """
    theirs = {feature.name: feature for feature in test.features}
    found: list[SideColumn] = []
    left_out: list[str] = []
    for feature in train.features:
        other = theirs.get(feature.name)
        if other is None:
            continue
        if numbers_rows(feature) and numbers_rows(other):
            left_out.append(feature.name)
        elif not _clash(feature, other):
            found.append(_side_column(feature, other))
    return found, left_out


def left_out_columns(train: Dataset, test: Dataset) -> list[SideColumn]:
    """The columns that are no features of a side or both, by a guess: texts, and ids."""
    ours, theirs = ({f.name: f for f in _left_out(data)} for data in (train, test))
    first, second = ({f.name: f for f in data.features} for data in (train, test))
    return [
        _side_column((first | ours)[name], (second | theirs)[name])
        for name in ours | theirs
        if name in first | ours and name in second | theirs
    ]


def target_column(train: Dataset, test: Dataset) -> SideColumn:
    """The target of both sides."""
    ours, theirs = (
        Feature(data.target, data.truth, data.classes or None) for data in (train, test)
    )
    return _side_column(ours, theirs)


def _left_out(data: Dataset) -> Iterator[Feature]:
    for left in data.left_out:
        column = left.column
        if column is None or len(column) != len(data):
            continue
        if column.kind == "text":
            levels, codes = np.unique(column.values.astype(str), return_inverse=True)
            column = replace(column, kind="category", values=codes, levels=tuple(levels.tolist()))
        yield feature_of(column)


def _side_column(feature: Feature, other: Feature) -> SideColumn:
    if feature.is_nominal or other.is_nominal:
        levels = [*_levels(feature), *_levels(other)]
        names = {text: i for i, text in enumerate(dict.fromkeys(map(name_of, levels)))}
        coded = [_codes(one, names) for one in (feature, other)]
        return SideColumn(feature.name, coded[0], coded[1], is_nominal=True)
    ours, theirs = feature.values, other.values
    # numbers that were kept in 32 bits on one side are compared as such
    if ours is not theirs and _is_single(ours) != _is_single(theirs):
        ours, theirs = (values.astype(np.float32).astype(float) for values in (ours, theirs))
    return SideColumn(feature.name, ours, theirs, is_nominal=False)


def _is_single(values: NDArray[Any]) -> bool:
    """Whether numbers, not all of them whole, have no more digits than 32 bits hold."""
    if values.dtype.kind != "f":
        return False
    known = values[~np.isnan(values)]
    first = known[:100]
    if not (first == first.astype(np.float32)).all():
        return False
    return bool((known == known.astype(np.float32)).all() and not _is_whole(known))


def incomparable(train: Dataset, test: Dataset) -> list[str]:
    """The columns that hold numbers on one side and, on the other, names that are none of them."""
    theirs = {feature.name: feature for feature in test.features}
    return [f.name for f in train.features if f.name in theirs and _clash(f, theirs[f.name])]


def few_compared(columns: list[SideColumn], train: Dataset, test: Dataset) -> str:
    """What is said where rows are compared by half of a side's columns or fewer; else nothing."""
    numbering = sum(numbers_rows(feature) for feature in train.features)
    most = max(len(train.features), len(test.features)) - numbering
    if 2 * len(columns) > most:
        return ""
    return f"rows could be compared by {len(columns)} of {most} columns only (see K18)"


def _clash(one: Feature, other: Feature) -> bool:
    if one.is_nominal == other.is_nominal:
        return False
    return not {name_of(v) for v in _levels(one)} & {name_of(v) for v in _levels(other)}


def _levels(feature: Feature) -> tuple[Any, ...]:
    return np.unique(feature.values).tolist() if feature.levels is None else feature.levels


def _codes(feature: Feature, names: dict[str, int]) -> NDArray[Any]:
    if feature.levels is None:
        return np.array([names[name_of(value)] for value in feature.values.tolist()], float)
    place = np.array([names[name_of(level)] for level in feature.levels] or [0], float)
    codes = np.asarray(feature.values, np.int64)
    return np.where(codes < 0, -1.0, place[codes])


def numbers_rows(feature: Feature) -> bool:
    """Whether every row has another whole number, in rising order or without gaps."""
    values = feature.values
    if feature.is_nominal or len(values) < FEW_ROWS or not np.isfinite(values[0]):
        return False
    if values.dtype.kind == "f" and not (np.isfinite(values).all() and _is_whole(values)):
        return False
    steps = np.diff(values.astype(np.float64))
    if (steps > 0).all():
        return True
    span = float(values.max()) - float(values.min()) + 1
    return span == len(values) == len(np.unique(values))


def _is_whole(values: NDArray[Any]) -> bool:
    return bool(
        (values[:100] == np.floor(values[:100])).all() and (values == np.floor(values)).all()
    )


def differences_from(columns: list[SideColumn], row: int, ours: Any) -> NDArray[np.int32]:
    """In how many columns each of some rows of ours differs from a row of theirs."""
    found: NDArray[np.int32] | None = None
    for column in columns:
        value, values = column.theirs[row], column.ours[ours]
        differs = ~np.isnan(values) if np.isnan(value) else values != value
        found = differs.astype(np.int32) if found is None else found + differs
    return np.zeros(0, np.int32) if found is None else found


#: odd constants of SplitMix64, whose mixing step spreads every bit over all others
STEP = 0x9E3779B97F4A7C15
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


def hashes_of_rows(columns: Sequence[NDArray[Any]], rows: int) -> NDArray[np.uint64]:
    """The hash of each row over some columns of numbers; NaN is a value like others.

    Sixty-four bits: between two tables of a million rows a chance match is expected once in
    some ten million pairs of tables.
    """
    made = np.zeros(rows, np.uint64)

    def work(block: slice) -> None:
        mixed = made[block]
        for number, column in enumerate(columns):
            # adding 0 turns -0.0 into 0.0; all NaN become the same bits
            values = np.asarray(column[block], float) + 0.0
            values[np.isnan(values)] = np.nan
            bits = values.view(np.uint64)
            mixed += bits
            mixed += np.uint64(STEP * (number + 1) % 2**64)
            mixed ^= mixed >> np.uint64(30)
            mixed *= FIRST
            mixed ^= mixed >> np.uint64(27)
            mixed *= SECOND
            mixed ^= mixed >> np.uint64(31)

    in_threads(work, list(blocks(rows)))
    return made


def name_of(value: Any) -> str:
    """The text of a name; 7.0 is 7, as a column with missing values has it.

    Examples
    --------
    >>> name_of(7.0), name_of(7), name_of("7")
    ('7', '7', '7')
    """
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def names_of(values: NDArray[Any]) -> NDArray[Any]:
    """The texts of many names."""
    if values.dtype.kind == "f" and np.isfinite(values).all() and (values % 1 == 0).all():
        return values.astype(np.int64).astype(str)
    if values.dtype.kind in "fO":
        return np.array([name_of(value) for value in values.tolist()])
    return values.astype(str)
