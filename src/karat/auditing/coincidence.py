"""Whether equal rows are copies, or what coarse values bring about by themselves."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.one_hot import whole_columns
from karat.auditing.row_hash import hashes_of_rows
from karat.auditing.side_columns import differences_from

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from karat.auditing.side_columns import SideColumn

__all__ = ["are_coincidences", "expected_equal"]

#: how many of the equal rows are looked at, and beside how many rows
LOOKED_AT, BESIDE = 30, 100_000
#: rows whose pairs say how many equal ones are to be expected
SAMPLE = 1000
#: how many times the expectation may be off, and how unlikely more equal rows must be
MARGIN, UNLIKELY = 3.0, 0.001
#: values of a coarse column at most, and rows of a kind on average where kinds of rows are few
COARSE, A_KIND = 50, 10


def are_coincidences(
    columns: list[SideColumn], equal: NDArray[Any], kinds: int, *, is_same: bool = False
) -> bool:
    """Whether equal rows are as few as coarse values bring about.

    ``equal`` are rows of theirs with an equal row in ours, of so many kinds; ``is_same``:
    both sides are one table. Either there are fewer possible rows than rows; or rows like
    these that differ in one column (of many: in an eighth) are as frequent; or so many
    equal rows are to be expected from how often rows nearly agree; or columns of few values
    make few kinds of rows. Columns of 0 and 1 that are one nominal column count as one.
    """
    columns = whole_columns(columns)
    rows = len(columns[0].ours)
    possible, most = 1.0, 0
    for column in columns:
        many = len(np.unique(column.ours))
        possible, most = possible * many, max(many, most)
        if possible > rows and most > COARSE:
            break
    if most <= COARSE and _few_kinds(columns, rows):
        return True
    if possible <= rows or _in_company(columns, equal, rows, is_same=is_same):
        return True
    pairs = rows * (rows - 1) / 2 if is_same else float(rows) * len(columns[0].theirs)
    return _tail(kinds, MARGIN * expected_equal(columns, pairs)) >= UNLIKELY


def _few_kinds(columns: list[SideColumn], rows: int) -> bool:
    """Whether there are ten rows and more of each kind on average."""
    hashes = hashes_of_rows([column.ours for column in columns], rows)
    return len(np.unique(hashes)) * A_KIND <= rows


def _in_company(
    columns: list[SideColumn], equal: NDArray[Any], rows: int, *, is_same: bool
) -> bool:
    """Whether rows that nearly agree with these are as frequent as rows that agree."""
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


def expected_equal(columns: list[SideColumn], pairs: float, seed: int = 0) -> float:
    """How many of some pairs of rows are equal by chance, foretold from those that nearly are.

    If columns agree independently of each other, pairs that differ in none, one and two
    columns are as 1, e and about e * e / 2; so the first follows from the others. Where no
    pair differs in so few (one nominal column may be several of 0 and 1), the least number
    in which pairs differ stands for one.
    """
    sides = (len(columns[0].ours), len(columns[0].theirs))
    rng = np.random.default_rng(seed)
    ours, theirs = (rng.permutation(rows)[: SAMPLE // 2] for rows in sides)
    first, second = np.triu_indices(len(ours) + len(theirs), 1)
    different = np.zeros(len(first), np.int32)
    for column in columns:
        values = np.concatenate([column.ours[ours], column.theirs[theirs]]).astype(float)
        values[np.isnan(values)] = np.inf
        different += values[first] != values[second]
    counts = np.bincount(different, minlength=2 * len(columns) + 1)
    some = np.flatnonzero(counts[1:])
    if not len(some):
        return pairs
    least = int(some[0]) + 1
    two = int(counts[2 * least])
    found = counts[least] ** 2 / (2 * two) if two else 0.0
    return float(found) * pairs / len(first)


def _tail(count: int, mean: float) -> float:
    """The probability of so many or more, if the mean is known (Poisson)."""
    if mean > 500:
        return float(count < mean)
    below, term = 0.0, exp(-mean)
    for k in range(count):
        below += term
        term *= mean / (k + 1)
    return 1 - below
