"""Random numbers that a seed and a name decide, whatever else was drawn before."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from numpy.random import Generator

#: nobody waits for more replicates or permutations
MOST_DRAWS = 1_000_000


def generator(seed: int) -> Generator:
    """The generator of a seed: PCG64 fed by NumPy's SeedSequence, the same on every platform.

    Examples
    --------
    >>> bool(generator(1).random() == generator(1).random())
    True
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(checked_seed(seed))))


def stream(seed: int, *names: str) -> Generator:
    """The generator of a seed for one named purpose, independent of all other names.

    The name (hashed) is the spawn key of the SeedSequence. So the interval of one measure
    does not depend on which others were asked for, nor on their order.

    Examples
    --------
    >>> bool(stream(1, "auc").random() == stream(1, "auc").random())
    True
    >>> bool(stream(1, "auc").random() == stream(1, "kappa").random())
    False
    """
    return np.random.Generator(np.random.PCG64(seed_sequence(seed, *names)))


def seed_sequence(seed: int, *names: str) -> np.random.SeedSequence:
    """What a generator of a seed and a purpose is fed with; a seed that is none is refused."""
    digest = sha256("\x1f".join(names).encode()).digest()
    key = tuple(int(word) for word in np.frombuffer(digest[:16], "<u4"))
    return np.random.SeedSequence(checked_seed(seed), spawn_key=key)


def is_whole(value: Any, least: int, most: float = np.inf) -> bool:
    """Whether a value is a whole number, Python's or NumPy's, within limits."""
    is_number = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return bool(is_number and least <= value <= most)


def checked_seed(seed: Any) -> int:
    """The seed, or an error where it is none: the one check of seeds."""
    if not is_whole(seed, 0):
        raise InputError(f"a seed is a whole number from 0, not {seed!r}")
    return int(seed)


def checked_draws(count: Any, what: str, *, least: int) -> int:
    """A number of replicates or permutations, or an error: the one check of how many.

    Examples
    --------
    >>> checked_draws(2000, "replicates", least=20)
    2000
    """
    if not is_whole(count, least, MOST_DRAWS):
        raise InputError(f"{count!r} {what}: give a whole number from {least} to {MOST_DRAWS:,}")
    return int(count)
