"""Small matrix products in one thread, since waiting for a second one takes longer than both."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.learners.exact.problem import Problem

__all__ = ["one_thread_if_small"]

#: rows times squared features, up to which one thread is as fast as several
SMALL = 1_000_000_000


@contextmanager
def one_thread_if_small(problem: Problem) -> Iterator[None]:
    """Keep linear algebra from starting threads while a small problem is worked on."""
    rows, features = problem.X.shape
    controller = _controller() if rows * features**2 < SMALL else None
    if controller is None:
        yield
        return
    with controller.limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    """What can limit the threads of the loaded libraries; None where it is not installed."""
    try:
        return import_module("threadpoolctl").ThreadpoolController()
    except ImportError:
        return None
