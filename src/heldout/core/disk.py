"""Files that are written whole or not at all, and what the system says of those that cannot be."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from tempfile import gettempdir
from typing import TYPE_CHECKING
from uuid import uuid4

from heldout.core.errors import InputError, message_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FULL = "the disk is full"

#: how libraries call it that pass no number on; Windows has a sentence of its own
SAYINGS = ("no space left on device", "disk is full", "not enough space on the disk", "disk quota")
#: what the system's own words leave unclear
WORDS = {errno.ENOSPC: FULL, errno.EBADF: "it is closed", getattr(errno, "EDQUOT", -1): FULL}
#: characters of a path that a message shows
SHOWN = 120


def cause_of_system(error: BaseException) -> str:
    """Why a file could not be read or written.

    Examples
    --------
    >>> cause_of_system(OSError(errno.ENOSPC, "No space left on device"))
    'the disk is full'
    >>> cause_of_system(OSError(errno.EACCES, "Permission denied"))
    'Permission denied'
    """
    message = message_of(error)
    if any(words in message.lower() for words in SAYINGS):
        return FULL
    if not isinstance(error, OSError):
        return message
    return WORDS.get(error.errno or -2) or error.strerror or message


@contextmanager
def attempt(action: str) -> Iterator[None]:
    """Errors of the system, said of what was tried: ``write out.csv``."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        # pathlib before Python 3.13 says of links in a circle what the system says elsewhere
        if isinstance(error, RuntimeError) and "Symlink loop" not in message_of(error):
            raise
        raise InputError(f"cannot {_short(action)}: {cause_of_system(error)}") from error


def system_error_text(error: OSError) -> str:
    """An error of the system that nobody closer to the file has put into words."""
    path = error.filename if isinstance(error.filename, str | bytes) else ""
    name = _short(os.fsdecode(path)) or f"a file (temporary ones are in {gettempdir()})"
    return f"cannot read or write {name}: {cause_of_system(error)}"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN // 2]}...{text[-SHOWN // 2 :]}"


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A file to write into, with the same ending, that takes the place of ``path`` at the end.

    Where anything fails it is removed, and what was there stays. The new file has the
    permissions of the old one; a link still leads to it. What is no plain file (a pipe, a
    device) is written into. Errors of the system name the file.
    """
    with attempt(f"write {path}"):
        target = path.resolve()
        if target.exists() and not target.is_file():
            yield target
            return
        temporary = target.with_name(f".heldout-{uuid4().hex}{target.suffix}")
        try:
            if target.exists():
                # nobody may read meanwhile what nobody may read afterwards
                temporary.touch()
                temporary.chmod(target.stat().st_mode & 0o777 | 0o200)
            yield temporary
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o777)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
