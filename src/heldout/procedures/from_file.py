"""Splits from a file: the rows that another run, or another tool, trained and tested on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from heldout.core.errors import InputError
from heldout.procedures.procedure import Procedure
from heldout.procedures.read_splits import read_splits

if TYPE_CHECKING:
    from heldout.procedures.rows import Rows
    from heldout.procedures.splits import Splits

__all__ = ["FromFile"]


@dataclass(frozen=True, repr=False)
class FromFile(Procedure):
    """The splits that ``heldout split`` (or another tool) wrote to a file.

    Examples
    --------
    >>> str(FromFile("splits.csv"))
    'file splits.csv'
    """

    mixes_time: ClassVar[bool] = False

    path: str = "splits.csv"

    def __post_init__(self) -> None:
        text = str(self.path).strip()
        if not text:
            raise InputError("a file of splits has a name")
        object.__setattr__(self, "path", text)

    def _head(self) -> str:
        return f"file {self.path}"

    def _made(self, rows: Rows) -> Splits:
        return read_splits(
            self.path,
            rows.count,
            identifiers=rows.identifiers,
            time=rows.time,
            groups=rows.groups,
            seed=rows.seed,
        )
