"""Leave-one-group-out: every group is tested whole, by a model that never saw any of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.procedures.leave_one_out import LeaveOneOut
from heldout.procedures.procedure import Procedure
from heldout.procedures.splits import PartitionSplits

if TYPE_CHECKING:
    from heldout.procedures.rows import Rows

__all__ = ["LeaveOneGroupOut", "one_out"]


@dataclass(frozen=True, repr=False)
class LeaveOneGroupOut(Procedure):
    """A split a group, in the order in which groups appear.

    Examples
    --------
    >>> str(LeaveOneGroupOut())
    'groups'
    >>> [s.test.tolist() for s in LeaveOneGroupOut().splits(4, groups=["b", "a", "b", "b"])]
    [[0, 2, 3], [1]]
    """

    def _head(self) -> str:
        return "groups"

    def _made(self, rows: Rows) -> PartitionSplits:
        if rows.groups is None:
            raise InputError(
                "groups: no groups are given; name the column that holds them with --group "
                "(in Python: groups=)"
            )
        if rows.group_count < 2:
            raise InputError("groups: all rows are of one group, which cannot train and test")
        assignment = rows.groups.astype(np.int32)[None, :]
        return PartitionSplits(
            str(self), rows.count, rows.seed, self._notes(rows), assignment, rows.group_count
        )


def one_out(rows: Rows, *, is_grouped: bool) -> Procedure:
    """Leave-one-out of groups where they are kept whole, else of rows."""
    if is_grouped:
        return LeaveOneGroupOut()
    return LeaveOneOut(grouped=None if rows.groups is None else False)
