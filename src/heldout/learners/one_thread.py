"""Small work in one thread: on a busy machine, threads that wait for each other cost seconds."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any

from heldout.core.threads import WhileUsed

if TYPE_CHECKING:
    from collections.abc import Iterator

#: values of X up to which a second thread of BLAS or OpenMP gains nothing
SMALL = 20_000


class _Libraries:
    """The loaded libraries that start threads."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.modules = 0
        self.controllers: tuple[Any, ...] = ()

    @contextmanager
    def limited(self, kind: str) -> Iterator[None]:
        """Keep the libraries of a kind, ``blas`` or ``openmp``, to one thread."""
        with self.lock:
            before = [(library, library.get_num_threads()) for library in self._of(kind)]
        for library, _ in before:
            library.set_num_threads(1)
        try:
            yield
        finally:
            for library, threads in before:
                library.set_num_threads(threads)

    def _of(self, kind: str) -> list[Any]:
        if len(sys.modules) != self.modules:
            # a package that was imported since may have brought threads of its own
            try:
                pools = import_module("threadpoolctl").ThreadpoolController()
            except ImportError:
                return []
            self.controllers, self.modules = tuple(pools.lib_controllers), len(sys.modules)
        return [library for library in self.controllers if library.user_api == kind]


LIBRARIES = _Libraries()
#: BLAS has one limit for the process, which work in several threads shares
BLAS = WhileUsed(lambda: LIBRARIES.limited("blas"))


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep BLAS and OpenMP to one thread; without threadpoolctl nothing is limited.

    OpenMP has a limit for each thread that calls it. What threadpoolctl's own context does besides
    (it describes every library, twice) takes as long as a small leave-one-out does.
    """
    with BLAS, LIBRARIES.limited("openmp"):
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
