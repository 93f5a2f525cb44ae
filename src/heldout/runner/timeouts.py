"""Fits that took longer than they were allowed: how that is said, and when to try again."""

from __future__ import annotations

import re
from numbers import Real
from threading import TIMEOUT_MAX
from typing import Any

from heldout.core.errors import InputError

__all__ = ["has_more_time", "refuse_timeout", "timed_out"]

SAID = re.compile(r"timeout: not done after (\S+) s")


def refuse_timeout(timeout: Any) -> None:
    """An error for what is no time that can be waited; None is no limit."""
    if timeout is None:
        return
    # True would be a second
    is_number = isinstance(timeout, Real) and not isinstance(timeout, bool)
    if not is_number or not timeout > 0:
        raise InputError(f"timeout: {timeout!r} is not a number of seconds above 0")
    if timeout > TIMEOUT_MAX:
        raise InputError(f"timeout: {timeout!r} seconds are no limit; leave it out")


def timed_out(seconds: float) -> str:
    """The message of a fit that was stopped after so many seconds."""
    return f"timeout: not done after {seconds:g} s"


def has_more_time(message: str, timeout: float | None) -> bool:
    """Whether a fit failed for lack of time and has more now (None: all of it).

    Examples
    --------
    >>> has_more_time("timeout: not done after 2 s", 3.0), has_more_time("ValueError: no", None)
    (True, False)
    """
    found = SAID.fullmatch(message)
    # as it was written, so that the same limit is not a longer one
    return found is not None and (timeout is None or float(f"{timeout:g}") > float(found[1]))
