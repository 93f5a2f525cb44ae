"""Pairs of rows that agree in all columns but a few, found by blocks of columns that agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.auditing.near_pairs import PAIRS, SAMPLE, limit_of_copies, shared_cells
from heldout.auditing.side_columns import hashes_of_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.auditing.side_columns import SideColumn

__all__ = ["AlteredPairs", "altered_at", "altered_pairs"]

#: blocks of columns, of which one agrees wholly if fewer columns than blocks differ
MOST_BLOCKS = 8
#: where all columns are needed to tell rows apart, so many are left out in turn
LEFT_OUT = 12
#: a share of the columns that may differ in copies, and how many: blocks find no more for sure
ALTERED, MOST_ALTERED = 0.25, MOST_BLOCKS - 1
#: rows of the sample whose pairs say what is to be expected by chance; pairs that are not few
CHANCE_ROWS, NOT_FEW = 1000, 20


@dataclass(frozen=True, slots=True, eq=False)
class AlteredPairs:
    """A row of ours and of theirs each, and in how many of so many columns they differ."""

    ours: NDArray[np.int64]
    theirs: NDArray[np.int64]
    different: NDArray[np.int64]
    columns: int
    #: how many pairs that differ in no more columns are expected by chance, by that number
    expected: NDArray[np.float64]


def _most(columns: int) -> int:
    """In how many of some columns copies may differ."""
    return min(max(1, int(ALTERED * columns)), MOST_ALTERED)


def altered_pairs(
    columns: list[SideColumn], *, is_same: bool = False, seed: int = 0
) -> AlteredPairs | None:
    """Pairs of rows that differ in few columns; None where rows are hardly told apart by any."""
    varied = [c for c in columns if _varies(c.ours)]
    blocks = _blocks(varied, np.random.default_rng(seed)) if varied else []
    if not blocks:
        return None
    far = 2 * _most(len(varied)) + 1
    sides = (len(columns[0].ours), len(columns[0].theirs))
    found: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
    for block in blocks:
        ours = hashes_of_rows([c.ours for c in block], sides[0])
        theirs = ours if is_same else hashes_of_rows([c.theirs for c in block], sides[1])
        cells = shared_cells(ours, theirs, is_same=is_same)
        found += [_different(varied, *pair, far) for pair in cells]
    first, second, different = (np.concatenate(part) for part in zip(*found, strict=True))
    _, once = np.unique(first * sides[1] + second, return_index=True)
    pairs = sides[0] * (sides[0] - 1) / 2 if is_same else float(sides[0]) * sides[1]
    expected = np.zeros(far + 1)
    if (different <= _most(len(varied))).any():
        expected = _expected(varied, pairs, far, is_same=is_same)
    return AlteredPairs(first[once], second[once], different[once], len(varied), expected)


def _varies(values: NDArray[Any]) -> bool:
    return len(values) > 0 and not bool((values == values[0]).all())


def _blocks(columns: list[SideColumn], rng: np.random.Generator) -> list[list[SideColumn]]:
    """Columns in blocks, each of which tells most rows apart; none: all together do not."""
    rows = len(columns[0].ours)
    sample = np.unique(np.linspace(0, rows - 1, min(rows, SAMPLE)).astype(int))
    pairs = max(len(sample) * (len(sample) - 1) / 2, 1.0)
    blocks: list[list[SideColumn]] = []
    block: list[SideColumn] = []
    for place in rng.permutation(len(columns)).tolist():
        block.append(columns[place])
        counts = np.unique(
            hashes_of_rows([c.ours[sample] for c in block], len(sample)), return_counts=True
        )[1]
        if float((counts * (counts - 1) / 2).sum()) / pairs <= PAIRS / rows:
            blocks.append(block)
            block = []
            if len(blocks) == MOST_BLOCKS:
                return blocks
    if len(blocks) != 1:
        return blocks
    # one block tells rows apart only with most of its columns: each is left out in turn
    every = [*blocks[0], *block]
    return [[c for c in every if c is not left] for left in every[:LEFT_OUT] if len(every) > 1]


def _different(
    columns: list[SideColumn], ours: NDArray[Any], theirs: NDArray[Any], far: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The pairs that differ in some columns and in no more than so many."""
    different = np.zeros(len(ours), np.int64)
    for column in columns:
        first, second = column.ours[ours], column.theirs[theirs]
        same = first == second
        if first.dtype.kind == "f" and second.dtype.kind == "f":
            same |= np.isnan(first) & np.isnan(second)
        different += ~same
        near = different <= far
        if not near.all():
            ours, theirs, different = ours[near], theirs[near], different[near]
    some = different > 0
    return ours[some], theirs[some], different[some]


def _expected(
    columns: list[SideColumn], pairs: float, far: int, *, is_same: bool
) -> NDArray[np.float64]:
    """How many pairs differ in 0, 1, ... columns or fewer by chance, foretold from a sample.

    Where numbers of pairs get few, they fall on from there as they do if columns agree
    independently: ever faster. In one table the sample has copies, which are passed over.
    """
    rows = len(columns[0].ours)
    chosen = np.random.default_rng(1).permutation(rows)[:CHANCE_ROWS]
    table = np.zeros((len(chosen), len(chosen)), np.int32)
    for column in columns:
        values = column.ours[chosen].astype(float)
        values[np.isnan(values)] = np.inf
        table += values[:, None] != values[None, :]
    different = table[np.triu_indices(len(chosen), 1)]
    counts = np.bincount(different, minlength=len(columns) + 2).astype(float)
    least = int(np.flatnonzero(counts >= min(NOT_FEW, counts.max()))[0])
    above = least if least == len(columns) or not is_same or least - 1 > far else least + 1
    # of pairs that differ in one column fewer there are so many times as many
    ratio = (counts[above - 1] + (above == least)) / max(counts[above], 1.0) if above else 1.0
    odds = ratio * (len(columns) - above + 1) / max(above, 1)
    made = np.empty(far + 1)
    for many in range(far + 1):
        steps = np.arange(many + 1, least + 1)
        ratios = np.minimum(odds * steps / (len(columns) - steps + 1), 0.9)
        made[many] = counts[: many + 1].sum() if many >= least else counts[least] * ratios.prod()
    return 2 * made * pairs / len(different)


def altered_at(pairs: AlteredPairs) -> int:
    """The largest number of columns in which rows are altered copies; or 0."""
    limits = range(_most(pairs.columns), 0, -1)
    return int(
        limit_of_copies(
            pairs.theirs,
            pairs.different,
            limits,
            lambda limit: 2 * limit + 1,
            lambda limit: float(pairs.expected[int(limit)]),
        )
    )
