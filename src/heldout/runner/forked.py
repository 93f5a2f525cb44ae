"""Fits in a copy of this process: for models that can be sent to no other one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from heldout.runner.task import DIED, Batch, Done, gave_nothing, perform

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from heldout.runner.task import Work

__all__ = ["NOWHERE", "copies_are_made", "in_a_copy"]

#: of a fit that ended a process before, where there is no other than this one to fit it in
NOWHERE = (
    "an earlier process ended during this fit, and the model can be sent to no other process; "
    "--retry-failed (retry_failed=True) fits it in this one again"
)


def in_a_copy(work: Work, model: int, position: int) -> Done:
    """One task, done by a copy of this process; one that ends the copy is failed.

    Where no copies are made it is failed without a trial, which might end this process.
    """
    if not copies_are_made():
        return Done(model, position, gave_nothing(work.parts, position, NOWHERE), 0.0)
    from multiprocessing import get_context

    from heldout.runner.child import ended

    how: Any = get_context("fork")
    here, there = how.Pipe(duplex=False)
    process = how.Process(target=_serve, args=(here, there, work, Batch(model, (position,))))
    with catch_warnings():
        # of threads that the copy lacks, which it needs for nothing
        simplefilter("ignore", DeprecationWarning)
        process.start()
    there.close()
    try:
        done: Done = here.recv()
    except EOFError:
        process.join()
        text = f"{DIED} ({ended(process.exitcode)})"
        return Done(model, position, gave_nothing(work.parts, position, text), 0.0)
    finally:
        here.close()
        process.kill()
        process.join()
    return done


def _serve(here: Connection, there: Connection, work: Work, batch: Batch) -> None:
    from heldout.learners.one_thread import LIBRARIES
    from heldout.runner.parcel import leave_with_parent

    here.close()
    leave_with_parent()
    # a copy has no threads but this one, and OpenMP would wait for those that it remembers
    with LIBRARIES.openmp():
        there.send(perform(work, batch)[0])


def copies_are_made() -> bool:
    """Whether this system can copy a process of several threads and have it compute."""
    # the system libraries of macOS break in a copy, and Windows makes none
    return sys.platform not in ("darwin", "win32")
