"""Work in two or more threads where NumPy releases the lock."""

from __future__ import annotations

import os
from collections import deque
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from heldout.core.arrays import Array


T = TypeVar("T")
R = TypeVar("R")

#: rows of one block: small enough that its temporaries stay in the processor's cache
BLOCK = 131_072
#: arrays below this length are not worth a second thread
WORTH_A_THREAD = 200_000


def workers() -> int:
    """How many threads are sensible: the processors this process may use, at most eight."""
    try:
        usable = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS has no affinity
        usable = os.cpu_count() or 1
    return min(usable, 8)


class WhileUsed:
    """A change of the whole process that is made while anybody wants it, in whichever thread.

    The first one in makes the change, the last one out takes it back.

    Examples
    --------
    >>> from contextlib import contextmanager
    >>> @contextmanager
    ... def change():
    ...     print("made")
    ...     yield
    ...     print("taken back")
    >>> changed = WhileUsed(change)
    >>> with changed, changed:
    ...     pass
    made
    taken back
    """

    def __init__(self, change: Callable[[], AbstractContextManager[Any]]) -> None:
        self.change = change
        self.lock = Lock()
        self.users = 0
        self._current: AbstractContextManager[Any] | None = None

    def __enter__(self) -> None:
        with self.lock:
            self.users += 1
            if self.users == 1:
                self._current = self.change()
                self._current.__enter__()

    def __exit__(self, *error: object) -> None:
        with self.lock:
            self.users -= 1
            if not self.users and self._current is not None:
                self._current.__exit__(None, None, None)


def blocks(rows: int, size: int = BLOCK) -> Iterator[slice]:
    """Slices that cover ``rows`` in order."""
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))


def spans(rows: int) -> list[slice]:
    """The rows in as many parts as there are threads worth using, in order.

    Examples
    --------
    >>> spans(10)
    [slice(0, 10, None)]
    """
    parts = workers() if rows >= WORTH_A_THREAD else 1
    return [slice(rows * i // parts, rows * (i + 1) // parts) for i in range(parts)]


def each_block(work: Callable[[slice], R], rows: int, size: int = BLOCK) -> list[R]:
    """``work`` of each block of the rows, in their order, several blocks at a time.

    Examples
    --------
    >>> each_block(lambda block: block.stop - block.start, 10, size=4)
    [4, 4, 2]
    """

    def over(span: slice) -> list[R]:
        return [
            work(slice(span.start + block.start, span.start + block.stop))
            for block in blocks(span.stop - span.start, size)
        ]

    return [result for part in in_threads(over, spans(rows)) for result in part]


def in_threads(work: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """``[work(item) for item in items]``, several at a time, in the order of the items.

    The calling thread works too: a thread that is started beside working ones has to wait for
    its first turn, and none has to be started for half of two items.
    """
    todo = list(items)
    if len(todo) < 2 or workers() < 2:
        return [work(item) for item in todo]
    from concurrent.futures import ThreadPoolExecutor

    results: dict[int, R] = {}
    waiting = deque(range(len(todo)))

    def some() -> None:
        try:
            while waiting:
                try:
                    index = waiting.popleft()
                except IndexError:  # another thread took the last one
                    return
                results[index] = work(todo[index])
        except BaseException:
            waiting.clear()
            raise

    count = min(workers(), len(todo)) - 1
    with ThreadPoolExecutor(count) as pool:
        others = [pool.submit(some) for _ in range(count)]
        some()
        for other in others:
            other.result()
    return [results[index] for index in range(len(todo))]


def sort_in_place(values: Array) -> None:
    """Sort an array; a long one is parted first so that its parts can be sorted at once."""
    count = workers()
    if len(values) < WORTH_A_THREAD or count < 2:
        values.sort()
        return
    cuts = [len(values) * i // count for i in range(1, count)]
    values.partition(cuts)
    edges = [0, *cuts, len(values)]
    in_threads(lambda pair: values[pair[0] : pair[1]].sort(), pairwise(edges))
