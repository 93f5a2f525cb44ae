"""What the name of a procedure says of how its test rows depend on each other."""

from __future__ import annotations

import re

__all__ = ["is_bootstrap", "is_in_time", "is_leave_some_out"]

LEAVE_SOME_OUT = re.compile(r"leave-(\d+)-out\b")


def is_in_time(procedure: str) -> bool:
    """Whether training rows come before test rows.

    Examples
    --------
    >>> is_in_time("time 5 gap 7"), is_in_time("10-fold")
    (True, False)
    """
    return procedure.startswith("time") or "TimeSeriesSplit(" in procedure


def is_bootstrap(procedure: str) -> bool:
    """Whether training parts are samples with replacement."""
    return procedure.startswith(("bootstrap", ".632"))


def is_leave_some_out(procedure: str) -> bool:
    """Whether every choice of two or more rows is tested: leave-2-out."""
    found = LEAVE_SOME_OUT.match(procedure)
    return found is not None and int(found[1]) > 1
