"""Leave-one-out, leave-one-group-out and leave-p-out."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.procedures.procedure import CV, MOST_SPLITS, Grouping, Procedure, whole
from heldout.procedures.splits import PartitionSplits, Split, splits_on_demand

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from heldout.core.arrays import Integers
    from heldout.procedures.rows import Rows
    from heldout.procedures.splits import Splits

NUMBERS = {"two": 2, "three": 3}


@dataclass(frozen=True, repr=False)
class LeaveOneOut(Grouping):
    """Leave-one-out: one split per row.

    Parameters
    ----------
    grouped
        If groups are given, the group of the test row would train: this is refused unless
        ``grouped`` is False.

    Examples
    --------
    >>> str(LeaveOneOut())
    'loo'
    >>> LeaveOneOut().splits(3)[1].train.tolist()
    [0, 2]
    """

    written = (rf"(?:loo|loocv|leave[- ]one[- ]out){CV}",)

    def __post_init__(self) -> None:
        if self.grouped not in (None, False):
            raise InputError("loo keeps no groups whole; leave-one-group-out is called groups")

    @classmethod
    def read(cls, given: str, found: Mapping[str, str], said: Mapping[str, Any]) -> Procedure:
        """Leave-one-out of a text; that of groups where it is to keep them whole."""
        if said.get("grouped"):
            return LeaveOneGroupOut.read(given, found, said)
        return super().read(given, found, said)

    def _head(self) -> str:
        return "loo"

    def _splits_of(self, rows: Rows) -> PartitionSplits:
        is_parted = rows.groups is not None and rows.group_count < rows.count
        if is_parted and self.grouped is None:
            whole = "groups (each group is left out whole), or " if rows.group_count > 1 else ""
            raise InputError(
                f"loo trains on rows of the group that it tests; use {whole}loo ungrouped"
            )
        assignment = np.arange(rows.count, dtype=np.int32)[None, :]
        return PartitionSplits(*self._about(rows), assignment, rows.count)


@dataclass(frozen=True, repr=False)
class LeaveOneGroupOut(Procedure):
    """Leave-one-group-out: one split per group, in the order in which groups appear.

    Examples
    --------
    >>> str(LeaveOneGroupOut())
    'groups'
    >>> [s.test.tolist() for s in LeaveOneGroupOut().splits(4, groups=["b", "a", "b", "b"])]
    [[0, 2, 3], [1]]
    """

    written = (r"groups|logo|leave[- ]one[- ](?:group|subject)[- ]out",)

    @classmethod
    def read(cls, given: str, found: Mapping[str, str], said: Mapping[str, Any]) -> Procedure:
        """Leave-one-group-out of a text, which keeps groups whole anyway."""
        own = {name: value for name, value in said.items() if (name, value) != ("grouped", True)}
        return super().read(given, found, own)

    def _head(self) -> str:
        return "groups"

    def _splits_of(self, rows: Rows) -> PartitionSplits:
        if rows.groups is None:
            raise InputError(
                "groups: no groups are given; name their column or give them as "
                f"{argument('group')}"
            )
        if rows.group_count < 2:
            raise InputError("groups: all rows are of one group, which cannot train and test")
        assignment = rows.groups.astype(np.int32)[None, :]
        return PartitionSplits(*self._about(rows), assignment, rows.group_count)


def one_out(rows: Rows, *, is_grouped: bool) -> Procedure:
    """Leave-one-out of groups where they are kept whole, else of rows."""
    if is_grouped:
        return LeaveOneGroupOut()
    return LeaveOneOut(grouped=None if rows.groups is None else False)


@dataclass(frozen=True, repr=False)
class LeavePOut(Grouping):
    """Leave-p-out: one split for each choice of ``p`` rows, or of ``p`` groups if there are groups.

    Each split is its own repeat, because a row is tested in many splits.

    Parameters
    ----------
    p
        Number of rows, or groups, that are left out.
    grouped
        Whether groups are kept whole; None: if groups are given.

    Examples
    --------
    >>> str(LeavePOut(2)), len(LeavePOut(2).splits(5))
    ('leave-2-out', 10)
    """

    written = (rf"leave[- ](?P<p>\d+|two|three)[- ]out{CV}", r"(?:lpo|leave-p-out) (?P<p>\d+)")

    p: int = field(default=2, metadata=whole("p of leave-p-out", 1))

    @classmethod
    def _values(cls, given: str, found: Mapping[str, str]) -> dict[str, Any]:
        return {"p": NUMBERS.get(found["p"]) or int(found["p"])}

    def _head(self) -> str:
        return f"leave-{self.p}-out"

    def _splits_of(self, rows: Rows) -> Splits:
        units, count, unit = self._units(rows)
        if self.p >= count:
            raise InputError(
                f"{self}: of {count} {unit}{'s' * (count != 1)} {self.p} cannot be left out; "
                "some have to train"
            )
        about = self._about(rows)
        if self.p == 1:
            return PartitionSplits(*about, units.astype(np.int32)[None, :], count)
        if (choices := comb(count, self.p)) > MOST_SPLITS:
            single = one_out(rows, is_grouped=unit == "group")
            raise InputError(
                f"{self}: {count} {unit}s have {choices:,} choices of {self.p}, and each is a "
                f"fit; {single} has {count:,}, 10x10-fold 100"
            )
        flat = (number for choice in combinations(range(count), self.p) for number in choice)
        chosen = np.fromiter(flat, np.int32, choices * self.p).reshape(choices, self.p)
        return splits_on_demand(about, partial(_split, chosen, units, count), choices)


def _split(chosen: NDArray[np.int32], units: Integers, count: int, index: int) -> Split:
    is_left_out = np.zeros(count, bool)
    is_left_out[chosen[index]] = True
    is_test = is_left_out[units]
    return Split(index + 1, 1, np.flatnonzero(~is_test), np.flatnonzero(is_test))
