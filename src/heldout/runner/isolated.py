"""Fits in child processes that can be stopped: for time limits, and for fits that crash."""

from __future__ import annotations

import atexit
from queue import SimpleQueue
from threading import Lock, Thread, local
from typing import TYPE_CHECKING

from heldout.runner.child import Child

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from heldout.learners.outcome import Part
    from heldout.runner.parcel import Parcel
    from heldout.runner.task import Batch, Done

__all__ = ["in_children", "in_own_child"]


def in_children(
    parcel: Parcel,
    batches: Iterator[Batch],
    *,
    jobs: int,
    timeout: float | None,
    parts: Sequence[Part],
) -> Generator[Done]:
    """Do the batches in ``jobs`` child processes, each led by a thread of this one."""
    results: SimpleQueue[Done | BaseException | None] = SimpleQueue()
    children = [Child(parcel, jobs, parts) for _ in range(jobs)]
    lock = Lock()

    def lead(child: Child) -> None:
        try:
            while True:
                with lock:
                    batch = next(batches, None)
                if batch is None:
                    break
                for position in batch.positions:
                    results.put(child.perform(batch.model, position, timeout))
            results.put(None)
        except BaseException as error:
            results.put(error)

    threads = [Thread(target=lead, args=(child,), daemon=True) for child in children]
    for thread in threads:
        thread.start()
    working = len(threads)
    try:
        while working:
            result = results.get()
            if isinstance(result, BaseException):
                raise result
            if result is None:
                working -= 1
            else:
                yield result
    finally:
        for child in children:
            child.stop()
        for thread in threads:
            thread.join(timeout=5)


def in_own_child(
    parcel: Parcel, batch: Batch, timeout: float | None, parts: Sequence[Part]
) -> list[Done]:
    """Do a batch in the one child that this thread of a cluster's worker keeps for a parcel.

    A fit that kills its process would else take the worker with it, for which some backends
    of joblib wait for ever.
    """
    child: Child | None = getattr(_KEPT, "child", None)
    if child is None or child.parcel.token != parcel.token:
        if child is not None:
            child.stop()
            atexit.unregister(child.stop)
        child = _KEPT.child = Child(parcel, 1, parts)
        atexit.register(child.stop)
    return [child.perform(batch.model, position, timeout) for position in batch.positions]


_KEPT = local()
