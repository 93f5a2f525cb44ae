"""A score and its truth in one 64-bit key, exactly, so that one sort of values orders both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.threads import each_block, sort_in_place

if TYPE_CHECKING:
    from numpy.typing import NDArray

ONE = np.uint64(1)
#: 62 bits hold the magnitude of any double below 2: its sign and highest exponent bit are 0
MAGNITUDE = np.uint64(2**62 - 1)
HALF = np.uint64(2**62)
#: 63 bits hold any double that is not negative
UNSIGNED = np.uint64(2**63 - 1)
SIGN = np.uint64(2**63)


def pack(
    score: NDArray[np.float64], positive: NDArray[np.bool_]
) -> tuple[NDArray[np.uint64], float, bool] | None:
    """Sorted keys (falling score, truth in the lowest bit), their scale, and whether signed.

    A double that is not negative has a free sign bit; one below 2 in magnitude has a free
    exponent bit; and multiplying by a power of two is exact. So nearly every column of
    scores leaves a bit for the truth, and sorting plain integers is five times as fast
    as sorting positions. None where no bit is free (numbers that span 300 orders of magnitude,
    or infinite ones beside negative ones).

    Examples
    --------
    >>> keys, scale, signed = pack(np.array([0.5, -3.0]), np.array([True, False]))
    >>> unpack(keys >> ONE, scale, signed), keys & ONE
    (array([ 0.5, -3. ]), array([1, 0], dtype=uint64))
    """
    keys = np.empty(len(score), np.uint64)
    if _packed_without_sign(score, positive, keys):
        sort_in_place(keys)
        return keys, 1.0, False
    low, high = float(score.min()), float(score.max())
    largest = max(-low, high)
    if not np.isfinite(largest):  # nothing scales it below 2
        return None
    scale = 2.0 ** (1 - max(int(np.frexp(largest)[1]), 1))
    if scale < 1.0 and np.any((np.abs(score) < 2.0**-1021 / scale) & (score != 0)):
        return None

    def packed(block: slice) -> None:
        # adding 0.0 makes -0.0 and 0.0 the same score
        bits = (score[block] * scale + 0.0).view(np.uint64)
        negative = (bits & SIGN) != 0
        bits &= MAGNITUDE
        # falling order: large positive first (small key), large negative last
        bits = np.where(negative, HALF + bits, HALF - ONE - bits)
        bits <<= ONE
        np.bitwise_or(bits, positive[block], out=keys[block])

    each_block(packed, len(score))
    sort_in_place(keys)
    return keys, scale, True


def _packed_without_sign(
    score: NDArray[np.float64], positive: NDArray[np.bool_], keys: NDArray[np.uint64]
) -> bool:
    """Fill in the keys of scores of which none is negative; False where one is."""

    def packed(block: slice) -> bool:
        bits = keys[block]
        np.add(score[block], 0.0, out=bits.view(np.float64))
        if bits.max(initial=0) >= SIGN:
            return False
        np.bitwise_xor(bits, UNSIGNED, out=bits)
        np.left_shift(bits, ONE, out=bits)
        np.bitwise_or(bits, positive[block], out=bits)
        return True

    return all(each_block(packed, len(score)))


def unpack(keys: NDArray[np.uint64], scale: float, signed: bool) -> NDArray[Any]:
    """The scores of keys without their lowest bit (which ``pack`` gave the truth)."""
    if not signed:
        return (keys ^ UNSIGNED).view(np.float64)
    negative = keys >= HALF
    magnitude = np.where(negative, keys - HALF, HALF - ONE - keys)
    score = magnitude.view(np.float64)
    return np.where(negative, -score, score) / scale
