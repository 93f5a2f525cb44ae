"""The run store: a folder in which every finished fold is kept, keyed by what made it."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

from heldout.core.dialect import argument
from heldout.core.errors import InputError

if TYPE_CHECKING:
    from heldout.runner.record import Record
    from heldout.runner.task import Work

FILE = "runs.sqlite"
DEFAULT = ".heldout"
#: the folder's name when the package was called karat
OLD = ".karat"
VARIABLE = "HELDOUT_STORE"

#: bytes of the longest path of a database, and characters of it that a message shows
LONGEST, SHOWN = 500, 60


@dataclass(frozen=True, slots=True)
class Store:
    """A folder with ``runs.sqlite`` and its lock file."""

    folder: Path
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        is_other = False
        try:
            length = len(os.fsencode(self.path.absolute()))
            with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
                self.folder.stat()
                is_other = not S_ISREG(self.path.stat().st_mode)
        except (OSError, ValueError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or error
            raise InputError(f"store: {_cut(self.folder)} can be no folder ({why})") from error
        if is_other:
            raise InputError(
                f"{self.path}: a run store keeps a file there, and this is none; give another "
                f"folder by {argument('store')}"
            )
        if length > LONGEST:
            raise InputError(
                f"store: {_cut(self.folder)} is too long a name ({length:,} bytes of at most "
                f"{LONGEST}, which SQLite allows); give another folder by {argument('store')}"
            )

    @property
    def path(self) -> Path:
        """The database."""
        return self.folder / FILE

    def begin(self, work: Work) -> Record:
        """Take up the run of this work, or begin it; the record must be closed."""
        from heldout.runner.record import Record

        # a model may change the current folder
        return Record(self.path.absolute(), work)


def _cut(folder: Path) -> str:
    text = repr(str(folder))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}...'"


def chosen_store(choice: str | Path | bool | None = None) -> Store | None:
    """The store of a choice.

    A path is that folder; None or True is the folder in HELDOUT_STORE, or else ``.heldout`` in
    the current folder, or an older ``.karat`` where that is absent; False is no store.

    Examples
    --------
    >>> chosen_store(False) is None
    True
    >>> chosen_store("runs").folder.name
    'runs'
    """
    if choice is False:
        return None
    if choice is None or choice is True:
        named = os.environ.get(VARIABLE)
        if not named and (Path(OLD) / FILE).is_file() and not Path(DEFAULT).exists():
            return Store(
                Path(OLD), (f"the store is {OLD}, of an older version; rename it {DEFAULT}",)
            )
        return Store(Path(named or DEFAULT))
    if not os.fspath(choice):
        raise InputError("store: an empty name is no folder; name one, or . for the current one")
    return Store(Path(choice))
