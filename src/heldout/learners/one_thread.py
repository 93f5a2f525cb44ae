"""Small work in one thread: on a busy machine, threads that wait for each other cost seconds."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LIBRARIES", "SMALL", "one_thread", "one_thread_if_small"]

#: values of X up to which a second thread of BLAS or OpenMP gains nothing
SMALL = 20_000


class _Libraries:
    """The loaded libraries that start threads, by kind."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.modules = 0
        self.found: tuple[Any, ...] = ()
        #: BLAS has one limit for the process, which work in several threads shares
        self.users = 0
        self.limited: list[tuple[Any, int]] = []

    def of(self, kind: str) -> list[Any]:
        if len(sys.modules) != self.modules:
            # a package that was imported since may have brought threads of its own
            try:
                pools = import_module("threadpoolctl").ThreadpoolController()
            except ImportError:
                return []
            self.found, self.modules = tuple(pools.lib_controllers), len(sys.modules)
        return [library for library in self.found if library.user_api == kind]

    @contextmanager
    def openmp(self) -> Iterator[None]:
        """OpenMP has a limit for each thread that calls it."""
        with self.lock:
            limited = [(library, library.get_num_threads()) for library in self.of("openmp")]
        for library, _ in limited:
            library.set_num_threads(1)
        try:
            yield
        finally:
            for library, before in limited:
                library.set_num_threads(before)

    @contextmanager
    def blas(self) -> Iterator[None]:
        with self.lock:
            if not self.users:
                self.limited = [(library, library.get_num_threads()) for library in self.of("blas")]
                for library, _ in self.limited:
                    library.set_num_threads(1)
            self.users += 1
        try:
            yield
        finally:
            with self.lock:
                self.users -= 1
                if not self.users:
                    for library, before in self.limited:
                        library.set_num_threads(before)


LIBRARIES = _Libraries()


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep BLAS and OpenMP to one thread; without threadpoolctl nothing is limited.

    What threadpoolctl's own context does besides (it describes every library, twice) takes as
    long as a small leave-one-out does.
    """
    with LIBRARIES.blas(), LIBRARIES.openmp():
        yield


@contextmanager
def one_thread_if_small(X: Any) -> Iterator[None]:
    """Keep BLAS and OpenMP to one thread where X has few values.

    Estimators that start their own workers (``n_jobs``) are left alone.
    """
    shape: tuple[int, ...] = tuple(getattr(X, "shape", ()))
    if len(shape) != 2 or shape[0] * shape[1] > SMALL:
        yield
        return
    with one_thread():
        yield
