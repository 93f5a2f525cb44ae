"""Fits that took longer than they were allowed: how that is said, and when to try again."""

from __future__ import annotations

import re

__all__ = ["has_more_time", "timed_out"]

SAID = re.compile(r"timeout: not done after (\S+) s")


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
