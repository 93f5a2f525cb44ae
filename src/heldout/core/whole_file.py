"""Files that are written whole or not at all: beside their target first, then in its place."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import uuid4

from heldout.core.disk import attempt

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
