"""A score and its truth in one 64-bit key, exactly, so that one sort of values orders both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

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


class Packing(NamedTuple):
    """How the scores of a column are made keys: multiplied by a power of two, with or without sign.

    Examples
    --------
    >>> Packing.between(0.0, 0.9), Packing.between(-3.0, 1.0)
    (Packing(scale=1.0, signed=False), Packing(scale=0.5, signed=True))
    """

    scale: float
    signed: bool

    @classmethod
    def between(cls, low: float, high: float) -> Packing | None:
        """The packing of scores of a range; None where no bit is free."""
        if low >= 0:
            return cls(1.0, signed=False)
        largest = max(-low, high)
        if not np.isfinite(largest):  # nothing scales it below 2
            return None
        return cls(2.0 ** (1 - max(int(np.frexp(largest)[1]), 1)), signed=True)

    def fill(
        self,
        score: NDArray[np.float64],
        positive: NDArray[Any],
        keys: NDArray[np.uint64],
    ) -> bool:
        """Write the keys of rows; False where a score has no key of its own."""
        # adding 0.0 makes -0.0 and 0.0 the same score
        if not self.signed:
            np.add(score, 0.0, out=keys.view(np.float64))
            if keys.max(initial=0) >= SIGN:
                return False
            np.bitwise_xor(keys, UNSIGNED, out=keys)
            np.left_shift(keys, ONE, out=keys)
        else:
            if self.scale < 1.0 and np.any(
                (np.abs(score) < 2.0**-1021 / self.scale) & (score != 0)
            ):
                return False
            bits = (score * self.scale + 0.0).view(np.uint64)
            negative = (bits & SIGN) != 0
            bits &= MAGNITUDE
            # falling order: large positive first (small key), large negative last
            bits = np.where(negative, HALF + bits, HALF - ONE - bits)
            np.left_shift(bits, ONE, out=keys)
        np.bitwise_or(keys, positive, out=keys)
        return True


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

    def is_packed(packing: Packing) -> bool:
        return all(
            each_block(
                lambda block: packing.fill(score[block], positive[block], keys[block]), len(score)
            )
        )

    # that none is negative is seen on the way
    packing: Packing | None = Packing(1.0, signed=False)
    if not is_packed(Packing(1.0, signed=False)):
        packing = Packing.between(float(score.min()), float(score.max()))
        if packing is None or not is_packed(packing):
            return None
    assert packing is not None
    sort_in_place(keys)
    return keys, *packing


def unpack(keys: NDArray[np.uint64], scale: float, signed: bool) -> NDArray[Any]:
    """The scores of keys without their lowest bit (which ``pack`` gave the truth)."""
    if not signed:
        return (keys ^ UNSIGNED).view(np.float64)
    negative = keys >= HALF
    magnitude = np.where(negative, keys - HALF, HALF - ONE - keys)
    score = magnitude.view(np.float64)
    return np.where(negative, -score, score) / scale
