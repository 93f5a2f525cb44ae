"""Friedman's test without an approximation: every way in which chance could have ranked."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from math import factorial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.evidence import Evidence
from heldout.comparison.ranks import friedman, ranks
from heldout.core.random import stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FEW_SETS", "exact_friedman", "least_p"]

#: chi squared is said to be good for more data sets than that (Demšar 2006)
FEW_SETS = 10
#: sums of ranks times orders of a row that are still counted in a third of a second
MOST_WORK = 2_000_000
#: orders of this many models alone are too many to list
MOST_MODELS = 8
DRAWS = 100_000


def least_p(models: int, sets: int) -> float:
    """The smallest p-value that Friedman's test can give: every data set ranks alike.

    Examples
    --------
    >>> least_p(3, 3)
    0.0277
    """
    return (1.0 / factorial(models)) ** (sets - 1)


def exact_friedman(values: NDArray[Any], *, seed: int = 1) -> Evidence | None:
    """Whether all models (columns) rank alike, by the distribution of the ranks that were seen.

    Where no model is better, every order of the ranks within a data set is as likely as any
    other. All of them are counted in small tables; up to ten data sets with too many models
    for that, 100,000 of them are drawn. None in larger tables, for which approximations are
    good. Ties are kept as they are: the ranks of each data set are reordered, ties and all.

    Notes
    -----
    Friedman (1937), J. Am. Stat. Assoc. 32:675, tabled it for three and four columns. Chi
    squared and Iman and Davenport's F are both rising functions of the sum of squares that
    is counted here, so this is the exact p-value of either.

    Examples
    --------
    >>> exact_friedman(np.array([[1, 2, 3], [1, 2, 3], [1, 2, 3]])).p_value
    0.0277
    """
    table = ranks(values)
    sets, models = table.shape
    # twice the ranks are whole numbers even where two models share one
    whole = np.rint(2 * table).astype(np.int64) - (models + 1)
    seen = int((whole.sum(axis=0) ** 2).sum())
    statistic = friedman(values).statistic
    null = _null(tuple(sorted(tuple(sorted(row)) for row in whole.tolist())))
    if null is not None:
        sums, shares = null
        p_value = float(shares[sums >= seen].sum())
        return Evidence(_method("exact"), statistic, min(p_value, 1.0), is_signed=False)
    if sets > FEW_SETS:
        return None
    words = f"{DRAWS:,} orders of the ranks drawn, seed {seed}"
    found = 1 + _drawn(whole, seen, seed)
    return Evidence(_method(words), statistic, found / (1 + DRAWS), is_signed=False)


def _method(words: str) -> str:
    return f"Friedman test ({words})"


@lru_cache(maxsize=64)
def _null(rows: tuple[tuple[int, ...], ...]) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Each sum of squares that reordered rows can give, and its probability; None if too many.

    Only the sizes of the models' sums matter, not whose they are, so sums are kept sorted.
    """
    if len(rows[0]) > MOST_MODELS:
        return None
    work = 0
    states = np.zeros((1, len(rows[0])), np.int64)
    shares: NDArray[Any] = np.ones(1)
    for row in rows:
        orders = np.array(sorted(set(permutations(row))), np.int64)
        if len(orders) == 1:
            continue  # all tie: whatever the order, nothing is added
        work += len(states) * len(orders)
        if work > MOST_WORK:
            return None
        grown = (states[:, None, :] + orders[None, :, :]).reshape(-1, len(row))
        grown.sort(axis=1)
        weight = np.repeat(shares / len(orders), len(orders))
        states, place = _distinct(grown)
        shares = np.bincount(place, weight)
    sums = (states**2).sum(axis=1)
    return sums, shares


def _distinct(states: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The distinct rows, and which of them each row is, by one number a row."""
    low = states.min()
    base = int(states.max() - low) + 1
    # the last of the sums follows from the others, for their total is known
    code = np.zeros(len(states), np.int64)
    for column in (states - low).T[:-1]:
        code = code * base + column
    _, first, place = np.unique(code, return_index=True, return_inverse=True)
    return states[first], place


def _drawn(whole: NDArray[Any], seen: int, seed: int) -> int:
    """How often randomly reordered ranks give at least the sum of squares that was seen."""
    rng = stream(seed, "friedman")
    count, block = 0, max(1, 2_000_000 // whole.size)
    for start in range(0, DRAWS, block):
        size = min(block, DRAWS - start)
        shuffled = rng.permuted(np.broadcast_to(whole, (size, *whole.shape)), axis=2)
        count += int(((shuffled.sum(axis=1) ** 2).sum(axis=1) >= seen).sum())
    return count
