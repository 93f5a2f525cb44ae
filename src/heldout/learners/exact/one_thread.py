"""Small matrix products in one thread, since waiting for a second one takes longer than both."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from heldout.learners.one_thread import one_thread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.learners.exact.problem import Problem

__all__ = ["one_thread_if_small"]

#: rows times squared features, up to which one thread is as fast as several
SMALL = 1_000_000_000


@contextmanager
def one_thread_if_small(problem: Problem) -> Iterator[None]:
    """Keep linear algebra from starting threads while a small problem is worked on."""
    rows, features = problem.X.shape
    if rows * features**2 >= SMALL:
        yield
        return
    with one_thread():
        yield
