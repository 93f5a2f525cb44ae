"""Random orders and draws that are the same on every platform and version of NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.random import seed_sequence

if TYPE_CHECKING:
    from numpy.typing import NDArray

Key = int | str


class Bits:
    """A stream of random 64-bit words that a seed and some keys decide.

    NumPy promises that the words of PCG64 and SeedSequence never change; it promises no
    such thing of ``Generator.permutation`` and its kin, so that all else is made here, of
    integers only.
    """

    def __init__(self, seed: int, *keys: Key) -> None:
        names = (f"{type(key).__name__}:{key}" for key in keys)
        self._source: Any = np.random.PCG64(seed_sequence(seed, *names))

    def words(self, count: int) -> NDArray[np.uint64]:
        """The next words."""
        return self._source.random_raw(count)

    def permutation(self, n: int) -> NDArray[np.int64]:
        """The numbers below ``n`` in random order: the order of as many words."""
        return np.argsort(self.words(n), kind="stable").astype(np.int64, copy=False)

    def draws(self, count: int, n: int) -> NDArray[np.int64]:
        """As many numbers below ``n``, each as likely as the others, with repetition."""
        # The last words below 2**64 would favour small numbers: they are drawn again.
        most = 2**64 - 2**64 % n - 1
        words = self.words(count)
        while (is_over := words > np.uint64(most)).any():
            words[is_over] = self.words(int(is_over.sum()))
        return (words % np.uint64(n)).astype(np.int64)


def permutation(n: int, seed: int, *keys: Key) -> NDArray[np.int64]:
    """The numbers below ``n`` in an order that the seed and the keys decide.

    Examples
    --------
    >>> permutation(5, 1, "rows").tolist()
    [3, 2, 0, 1, 4]
    """
    return Bits(seed, *keys).permutation(n)


def draws(count: int, n: int, seed: int, *keys: Key) -> NDArray[np.int64]:
    """Numbers below ``n`` with repetition, which the seed and the keys decide.

    Examples
    --------
    >>> draws(6, 3, 1, "rows").tolist()
    [1, 1, 0, 0, 2, 1]
    """
    return Bits(seed, *keys).draws(count, n)
