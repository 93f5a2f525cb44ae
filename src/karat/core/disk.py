"""Disks that are full: what a library says of them, in words for the reader."""

from __future__ import annotations

import errno

__all__ = ["FULL", "why_unwritten"]

FULL = "the disk is full"

#: how systems and libraries call it; Windows has a sentence of its own
SAYINGS = ("no space left on device", "disk is full", "not enough space on the disk", "disk quota")
NUMBERS = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


def why_unwritten(error: BaseException, otherwise: str) -> str:
    """Why a file could not be written: the disk is full, or what else is known of it.

    Examples
    --------
    >>> why_unwritten(OSError(errno.ENOSPC, "No space left on device"), "?")
    'the disk is full'
    >>> why_unwritten(OSError(errno.EACCES, "Permission denied"), "permission denied")
    'permission denied'
    """
    is_full = isinstance(error, OSError) and error.errno in NUMBERS
    said = str(error).lower()
    return FULL if is_full or any(words in said for words in SAYINGS) else otherwise
