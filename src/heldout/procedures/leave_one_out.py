"""Leave-one-out: every row is tested alone, by a model that trained on all others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.procedures.arranged import group_modifier
from heldout.procedures.procedure import Procedure
from heldout.procedures.splits import PartitionSplits

if TYPE_CHECKING:
    from heldout.procedures.rows import Rows

__all__ = ["LeaveOneOut"]


@dataclass(frozen=True, repr=False)
class LeaveOneOut(Procedure):
    """A split a row.

    Where groups are given, a row's own group would train: that is refused unless
    ``grouped`` is False.

    Examples
    --------
    >>> str(LeaveOneOut())
    'loo'
    >>> LeaveOneOut().splits(3)[1].train.tolist()
    [0, 2]
    """

    grouped: bool | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.grouped not in (None, False):
            raise InputError("loo keeps no groups whole; leave-one-group-out is called groups")

    def _head(self) -> str:
        return "loo"

    def _modifiers(self) -> tuple[str, ...]:
        return group_modifier(self.grouped)

    def _made(self, rows: Rows) -> PartitionSplits:
        is_parted = rows.groups is not None and rows.group_count < rows.count
        if is_parted and self.grouped is None:
            whole = "groups (each group is left out whole), or " if rows.group_count > 1 else ""
            raise InputError(
                f"loo trains on rows of the group that it tests; use {whole}loo ungrouped"
            )
        notes = self._notes(rows)
        assignment = np.arange(rows.count, dtype=np.int32)[None, :]
        return PartitionSplits(str(self), rows.count, rows.seed, notes, assignment, rows.count)
