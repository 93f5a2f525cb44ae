"""How many calibration bins an interval or test of them can take."""

from __future__ import annotations

__all__ = ["MOST_BINS", "too_many_bins"]

#: more bins than this are too many to draw anew at each step
MOST_BINS = 500


def too_many_bins(*counts: int) -> str:
    """Why so many bins have no interval and no test; empty where they are few enough.

    Examples
    --------
    >>> too_many_bins(10, 500), too_many_bins(10, 501)
    ('', 'more than 500 bins: ask for fewer, such as bins=10')
    """
    if max(counts) <= MOST_BINS:
        return ""
    return f"more than {MOST_BINS} bins: ask for fewer, such as bins=10"
