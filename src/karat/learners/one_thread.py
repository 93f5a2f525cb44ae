"""Small fits in one thread: on a busy machine, threads that wait for each other cost seconds."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["SMALL", "one_thread_if_small"]

#: values of X up to which a second thread of BLAS or OpenMP gains nothing
SMALL = 20_000


class _Limit:
    """The limit of this process, which fits in several threads share."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.users = 0
        self.modules = 0
        self.controller: Any = None
        self.limiter: Any = None

    def enter(self) -> None:
        with self.lock:
            self.users += 1
            if self.users > 1:
                return
            if self.controller is None or len(sys.modules) != self.modules:
                # a package that was imported since may have brought threads of its own
                self.controller = import_module("threadpoolctl").ThreadpoolController()
                self.modules = len(sys.modules)
            self.limiter = self.controller.limit(limits=1)

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            if not self.users:
                self.limiter.restore_original_limits()
                self.limiter = None


LIMIT = _Limit()


@contextmanager
def one_thread_if_small(X: Any) -> Iterator[None]:
    """Keep BLAS and OpenMP to one thread where X has few values.

    Estimators that start their own workers (``n_jobs``) are left alone.
    """
    shape: tuple[int, ...] = tuple(getattr(X, "shape", ()))
    if len(shape) != 2 or shape[0] * shape[1] > SMALL:
        yield
        return
    LIMIT.enter()
    try:
        yield
    finally:
        LIMIT.leave()
