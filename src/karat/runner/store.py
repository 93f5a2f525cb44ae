"""The run store: a folder in which every finished fold is kept, keyed by what made it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from karat.runner.database import FILE

if TYPE_CHECKING:
    from karat.runner.record import Record
    from karat.runner.task import Work

__all__ = ["DEFAULT", "Store", "chosen_store"]

DEFAULT = ".karat"
VARIABLE = "KARAT_STORE"


@dataclass(frozen=True, slots=True)
class Store:
    """A folder with ``runs.sqlite`` and, for large results, Parquet files beside it."""

    folder: Path

    @property
    def path(self) -> Path:
        """The database."""
        return self.folder / FILE

    def begin(self, work: Work) -> Record:
        """Take up the run of this work, or begin it; the record must be closed."""
        from karat.runner.record import Record

        return Record(self.path, work)


def chosen_store(choice: str | Path | bool | None = None) -> Store | None:
    """The store of a choice.

    A path is that folder; None or True is the folder in KARAT_STORE, or else ``.karat`` in
    the current folder; False is no store.

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
        return Store(Path(os.environ.get(VARIABLE) or DEFAULT))
    return Store(Path(choice))
