"""The generators that a whole process shares: set before a fit, and the caller's own given back."""

from __future__ import annotations

import random
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import mtrand

from heldout.learners.randomness import derived_seed

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["kept_chance", "seeded_chance"]


class _Kept:
    """The caller's states while fits are under way, in one thread or in several."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.users = 0
        self.python: Any = None
        self.numpy: Any = None
        self.generator: Any = None

    def enter(self) -> None:
        with self.lock:
            self.users += 1
            if self.users > 1:
                return
            self.python = random.getstate()
            self.generator = mtrand.get_bit_generator()
            # the old functions are what models draw from: no Generator stands for them
            self.numpy = np.random.get_state(legacy=False)  # noqa: NPY002
            if not isinstance(self.generator, np.random.MT19937):
                # no other can be set by a number alone
                mtrand.set_bit_generator(np.random.MT19937(0))

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            if self.users:
                return
            random.setstate(self.python)
            if mtrand.get_bit_generator() is not self.generator:
                mtrand.set_bit_generator(self.generator)
            np.random.set_state(self.numpy)  # noqa: NPY002


KEPT = _Kept()


@contextmanager
def kept_chance() -> Iterator[None]:
    """Give the caller's state of Python's and NumPy's common generators back in the end.

    Reading and writing NumPy's takes a third of a millisecond, longer than a small fit:
    within this, as often as it is entered again, that is done once.
    """
    KEPT.enter()
    try:
        yield
    finally:
        KEPT.leave()


@contextmanager
def seeded_chance(seed: int, *names: Any) -> Iterator[None]:
    """Models that draw from the common generators draw what the seed and the names decide.

    Not where fits run in several threads of a process: they draw from the same generators.

    Examples
    --------
    >>> with seeded_chance(0, 1, 2):
    ...     first = random.random(), np.random.rand()
    >>> with seeded_chance(0, 1, 2):
    ...     first == (random.random(), np.random.rand())
    True
    """
    with kept_chance():
        chance = derived_seed(seed, *names, "common generators")
        random.seed(chance)
        np.random.seed(chance)  # noqa: TID251, NPY002  the one that models draw from
        yield
