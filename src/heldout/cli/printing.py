"""What models print while they are fitted: to standard error, not between the results."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["printed_to_stderr"]

OUT, ERROR = 1, 2


@contextmanager
def printed_to_stderr() -> Iterator[None]:
    """All that this process and those it starts write to standard output goes to the other.

    By the number of the file, since compiled learners and worker processes write there too.
    """
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    kept = os.dup(OUT)
    os.dup2(ERROR, OUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _flush_compiled()
        os.dup2(kept, OUT)
        os.close(kept)


def _flush_compiled() -> None:
    """Have the C library write what compiled learners printed, while it still goes there."""
    with suppress(Exception):
        import ctypes

        ctypes.CDLL(None).fflush(None)
