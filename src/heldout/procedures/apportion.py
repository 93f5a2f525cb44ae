"""Whole numbers near given shares: the method of the largest remainder, for one total or many."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.core.portable import Bits

__all__ = ["apportioned", "apportioned_strata", "rounded_shares"]


def rounded_shares(shares: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Shares as they are, or in the same ratio adding to about ``most`` where they add to more.

    Examples
    --------
    >>> rounded_shares((70, 30), 100), rounded_shares((3333333333333333, 6666666666666667), 1000)
    ((70, 30), (333, 667))
    """
    whole = sum(shares)
    if whole <= most:
        return shares
    return tuple(max(round(Fraction(share * most, whole)), 1) for share in shares)


def apportioned(total: int, shares: tuple[int, ...]) -> NDArray[np.int64]:
    """A total in parts by shares; what is left over goes to the largest remainders.

    Examples
    --------
    >>> apportioned(10, (50, 20, 30)).tolist(), apportioned(8, (2, 1)).tolist()
    ([5, 2, 3], [5, 3])
    """
    exact = [total * share for share in shares]
    whole = sum(shares)
    parts = np.array([value // whole for value in exact], np.int64)
    left = total - int(parts.sum())
    order = sorted(range(len(shares)), key=lambda part: -(exact[part] % whole))
    parts[order[:left]] += 1
    return parts


def apportioned_strata(
    sizes: NDArray[np.int64], shares: tuple[int, ...], bits: Bits
) -> NDArray[np.int64]:
    """Strata (rows) in parts (columns): each is within one of its share, and so is each part.

    Every stratum is apportioned by itself; then rows move between the parts of a stratum,
    where the remainders suffer least, until all parts have the size they have without strata.
    Equal remainders are decided at random.
    """
    whole = sum(shares)
    exact = sizes[:, None] * np.array(shares, np.int64)
    floors, remainders = exact // whole, exact % whole
    is_up = np.zeros(exact.shape, bool)
    ties = bits.words(exact.size).reshape(exact.shape)
    ups = sizes - floors.sum(axis=1)
    for stratum, left in enumerate(ups):
        order = np.lexsort((ties[stratum], -remainders[stratum]))
        is_up[stratum, order[:left]] = True
    wanted = apportioned(int(sizes.sum()), shares) - floors.sum(axis=0)
    while (excess := is_up.sum(axis=0) - wanted).any():
        _move_up(is_up, remainders, ties, excess)
    return floors + is_up


def _move_up(
    is_up: NDArray[np.bool_],
    remainders: NDArray[np.int64],
    ties: NDArray[np.uint64],
    excess: NDArray[np.int64],
) -> None:
    """One row from a part with too many to one with too few, by a third where need be."""
    source, target = int(np.argmax(excess)), int(np.argmin(excess))
    others = [part for part in range(len(excess)) if part not in (source, target)]
    for path in ((source, target), *((source, other, target) for other in others)):
        steps = list(pairwise(path))
        strata = [_cheapest(is_up, remainders, ties, step) for step in steps]
        if None not in strata:
            for stratum, (giver, taker) in zip(strata, steps, strict=True):
                is_up[stratum, giver], is_up[stratum, taker] = False, True
            return
    raise AssertionError("strata can always be rounded to the totals of their parts")


def _cheapest(
    is_up: NDArray[np.bool_],
    remainders: NDArray[np.int64],
    ties: NDArray[np.uint64],
    step: tuple[int, int],
) -> int | None:
    """The stratum that gives up a row of one part for the other at the least cost."""
    giver, taker = step
    able = np.flatnonzero(is_up[:, giver] & ~is_up[:, taker] & (remainders[:, taker] > 0))
    if not len(able):
        return None
    cost = remainders[able, giver] - remainders[able, taker]
    return int(able[np.lexsort((ties[able, giver], cost))[0]])
