"""Numbers that one user at a time holds, among all processes that use a run store."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from errno import EACCES, EAGAIN
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FILE", "Locks"]

FILE = "claims.lock"


@dataclass(eq=False)
class _File:
    """The one opened file of a process: closing any other would free what this one holds."""

    descriptor: int
    held: set[int] = field(default_factory=set)
    users: int = 0


class Locks:
    """Bytes of a file that are locked, a byte a number.

    The system frees them when their process ends, however it ends, so that they need no
    clock and nobody has to guess whether their holder still lives. Where files cannot be
    locked (Windows, some network drives) ``is_able`` is False and nothing can be held.
    """

    def __init__(self, folder: Path) -> None:
        self._mine: set[int] = set()
        # a process that was forked has the parent's file and none of its locks
        self._key = (os.getpid(), str(folder.resolve()))
        with _GUARD:
            file = _FILES.get(self._key) or _opened(folder)
            if file is not None:
                _FILES[self._key] = file
                file.users += 1
            self._file = file

    @property
    def is_able(self) -> bool:
        """Whether anything can be held at all."""
        return self._file is not None

    def take(self, number: int) -> bool:
        """Hold a number; False where somebody else does."""
        if self._file is None:
            return False
        with _GUARD:
            if number in self._mine:
                return True
            if number in self._file.held or not _lock(self._file.descriptor, number):
                return False
            self._file.held.add(number)
            self._mine.add(number)
        return True

    def is_held(self, first: int = 0, count: int = 0) -> bool:
        """Whether anybody holds one of some numbers, or any at all, without taking it."""
        if self._file is None:
            return False
        import fcntl

        with _GUARD:
            last = first + count if count else float("inf")
            if any(first <= number < last for number in self._file.held):
                return True
            # of no number in this range another user in this process would lose the hold
            if not _lock(self._file.descriptor, first, count):
                return True
            fcntl.lockf(self._file.descriptor, fcntl.LOCK_UN, count, first)
        return False

    def read(self, size: int) -> bytes:
        """What was written into the file, up to so many bytes."""
        return b"" if self._file is None else os.pread(self._file.descriptor, size, 0)

    def write(self, start: int, data: bytes) -> None:
        """Write some bytes into the file, where whoever looks sees them at once."""
        if self._file is not None:
            os.pwrite(self._file.descriptor, data, start)

    def release(self) -> None:
        """Hold nothing any more."""
        if self._file is None:
            return
        import fcntl

        with _GUARD:
            for number in self._mine:
                fcntl.lockf(self._file.descriptor, fcntl.LOCK_UN, 1, number)
            self._file.held -= self._mine
            self._mine.clear()

    def close(self) -> None:
        """Hold nothing, and let go of the file."""
        self.release()
        file, self._file = self._file, None
        if file is None:
            return
        with _GUARD:
            file.users -= 1
            if not file.users:
                _FILES.pop(self._key, None)
                os.close(file.descriptor)


_GUARD = Lock()
_FILES: dict[tuple[int, str], _File] = {}


def _opened(folder: Path) -> _File | None:
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    descriptor = -1
    try:
        descriptor = os.open(folder / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        # a drive that knows no locks says so here
        fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, 0)
    except OSError:
        if descriptor >= 0:
            os.close(descriptor)
        return None
    return _File(descriptor)


def _lock(descriptor: int, number: int, count: int = 1) -> bool:
    import fcntl

    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, count, number)
    except OSError as error:
        if error.errno in (EACCES, EAGAIN):
            return False
        raise
    return True
