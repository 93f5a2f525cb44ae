"""A number for each row of a data set, equal for equal rows, by which tables are matched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.threads import blocks, in_threads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from karat.datasets.dataset import Dataset, Feature

__all__ = ["hashes_of_pair", "hashes_of_rows"]

#: odd constants of SplitMix64, whose mixing step spreads every bit over all others
STEP = 0x9E3779B97F4A7C15
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


def hashes_of_rows(data: Dataset, *, with_target: bool = False) -> NDArray[np.uint64]:
    """The hash of each row's features; with the target too where asked.

    Sixty-four bits: among two tables of a million rows a chance match is expected once in
    some ten million pairs of tables; matches are compared value by value all the same.
    """
    columns = [_numbers(feature, None) for feature in data.features]
    if with_target:
        columns.append(np.asarray(data.truth, float))
    return _mixed(columns, len(data))


def hashes_of_pair(
    train: Dataset, test: Dataset
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], tuple[str, ...]]:
    """Hashes of the rows of two tables over the columns they share, and those columns.

    Names of nominal values are matched by their text, not by their codes.
    """
    theirs = {feature.name: feature for feature in test.features}
    shared = [feature for feature in train.features if feature.name in theirs]
    first: list[NDArray[Any]] = []
    second: list[NDArray[Any]] = []
    for feature in shared:
        other = theirs[feature.name]
        names = None
        if feature.is_nominal or other.is_nominal:
            levels = [*(feature.levels or ()), *(other.levels or ())]
            names = {text: i for i, text in enumerate(dict.fromkeys(map(str, levels)))}
        first.append(_numbers(feature, names))
        second.append(_numbers(other, names))
    return _mixed(first, len(train)), _mixed(second, len(test)), tuple(f.name for f in shared)


def _numbers(feature: Feature, names: dict[str, int] | None) -> NDArray[Any]:
    """The values as numbers, one for each distinct value; NaN and -1 are values too."""
    if feature.levels is None:
        return feature.values
    codes = np.asarray(feature.values, np.int64)
    if names is None:
        return codes.astype(float)
    place = np.array([names[str(level)] for level in feature.levels] or [0], float)
    return np.where(codes < 0, -1.0, place[codes])


def _mixed(columns: Sequence[NDArray[Any]], rows: int) -> NDArray[np.uint64]:
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
