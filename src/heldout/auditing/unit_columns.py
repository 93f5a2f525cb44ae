"""Columns whose values seem to name units, such as patients, that have several rows each.

What the values do tells this: rows of one value agree in other columns, and rows of neighbouring
values do not. A name such as ``id`` or ``case_no`` is further evidence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import some
from heldout.auditing.side_columns import (
    hash_rows,
    left_out_columns,
    side_columns,
    target_column,
)
from heldout.core import special
from heldout.core.wording import plural
from heldout.datasets.features import looks_like_id
from heldout.datasets.quantities import in_days
from heldout.tables.roles import usual

if TYPE_CHECKING:
    from heldout.auditing.check import Severity
    from heldout.auditing.side_columns import SideColumn
    from heldout.core.arrays import Array, Booleans, Floats, Integers
    from heldout.datasets.dataset import Dataset

#: names of columns whose values are persons and the like, of which rows are seldom independent
UNITS = {
    *("animal", "client", "customer", "donor", "driver", "employee", "family", "household"),
    *("mouse", "participant", "patient", "person", "player", "pupil", "respondent", "speaker"),
    *("student", "subject", "user", "volunteer", "worker"),
}
#: words of names that may be those of an id, and last words of such names
HINTS = {*UNITS, "case", "guid", "id", "ident", "mrn", "pat", "record", "ssn", "subj", "uuid"}
NUMBERS = {"key", "no", "nr", "num", "number", "nummer", "ref"}
#: values that units have at least; and other ids, which repeat so often at most: a shop or a
#: region with many rows is a kind of rows, and new rows come from the same ones
FEW_UNITS, FEW_IDS, A_FEW_TIMES = 5, 20, 20
#: rows that share their value, at least; fewer are copies or coincidences
REPEATED = 0.1
#: rows by which columns of few values are passed over, rows whose values are looked at, and pairs
#: of rows that are compared
SAMPLE, MOST_ROWS, PAIRS = 1000, 50_000, 5000
#: pairs of one value differ so seldom against those of neighbouring values, beyond such a chance
SELDOM, UNLIKELY = 0.1, 1e-6
#: a column is in order along another if rows of neighbouring values are so much nearer than any
ORDERED = 0.5
#: the share of units that have the same number of rows, where they were sampled so
REGULAR = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class UnitColumn:
    """A column that seems to name units, how sure that is, and what its values do."""

    column: SideColumn
    severity: Severity = "warning"
    #: how its values behave as names of units; empty where its own name tells
    behaviour: str = ""
    #: how many other columns are the same in all rows of a unit
    carried: int = 0


def unit_columns(train: Dataset, test: Dataset, *, by_name_only: bool) -> list[UnitColumn]:
    """The columns that seem to name units: those that are called so, else the likeliest."""
    is_same = train is test
    columns = [*side_columns(train, test)[0], *left_out_columns(train, test)]
    # names of rows on both sides are for K01
    are_named = train.identifier is not None and test.identifier is not None
    named = [c for c in columns if _is_unit(c.name) or looks_like_id(c.name)]
    if named := [c for c in named if _repeats(c, is_same, within=are_named)]:
        return [UnitColumn(column) for column in named]
    if by_name_only:
        return []
    dates = {c.name for data in (train, test) for c in data.columns if in_days(c) is not None}
    others = [*columns, target_column(train, test)]
    units = [
        unit
        for column in columns
        if column.name not in dates and _may_repeat(column)
        if (unit := _by_behaviour(column, others, is_same)) is not None
        if _repeats(column, is_same)
    ]
    return sorted(units, key=lambda unit: (unit.severity != "warning", -unit.carried))[:1]


def _is_unit(name: str) -> bool:
    return usual(name).removesuffix("id").removesuffix("_") in UNITS


def _repeats(column: SideColumn, is_same: bool, *, within: bool = False) -> bool:
    """Whether the values of a column repeat (within a side) as those of units do."""
    sides = [values[are_known(column, values)] for values in (column.ours, column.theirs)]
    values, counts = np.unique(np.concatenate(sides[is_same:]), return_counts=True)
    many = [len(np.unique(side)) for side in sides]
    if (values % 1 != 0).any() or _are_counted_apart(column, sides, many):
        return False
    if many[0] == len(sides[0]) and (within or many[1] == len(sides[1])):
        return False
    if _is_unit(column.name):
        return len(values) >= FEW_UNITS
    return len(values) >= FEW_IDS and float(counts.mean()) <= A_FEW_TIMES


def are_known(column: SideColumn, values: Array) -> Booleans:
    """Which rows have a value."""
    return values >= 0 if column.is_nominal else ~np.isnan(values)


def _are_counted_apart(column: SideColumn, sides: list[Array], many: list[int]) -> bool:
    """Whether each of two tables counts its own groups, from 0 or 1 on without gaps."""
    if column.is_nominal or many[0] == many[1] or not all(many):
        return False
    first = float(sides[0].min())
    ends = [(float(side.min()), float(side.max())) for side in sides]
    return first in (0, 1) and all(
        end == (first, first + count - 1) for end, count in zip(ends, many, strict=True)
    )


def _may_repeat(column: SideColumn) -> bool:
    """Whether some rows of each side have whole numbers or names, and not few of them."""
    for values in (column.ours, column.theirs):
        some_rows = values[:: max(1, len(values) // SAMPLE)]
        known = some_rows[are_known(column, some_rows)]
        if (known % 1 != 0).any() or len(np.unique(known)) * A_FEW_TIMES < len(known):
            return False
    return True


def _rows_of_some_values(column: SideColumn, is_same: bool) -> Integers:
    """The rows that have a value; of very many rows, all those of some of the values.

    Rows of theirs are counted on from those of ours.
    """
    sides = (column.ours,) if is_same else (column.ours, column.theirs)
    share = np.uint64(max(1, sum(map(len, sides)) // MOST_ROWS))
    are_taken = [are_known(column, values) & (hash_rows([values]) % share == 0) for values in sides]
    return np.flatnonzero(np.concatenate(are_taken))


def _values_of(column: SideColumn, rows: Integers) -> Floats:
    """The values of rows of both sides, theirs counted on from ours."""
    values = np.empty(len(rows))
    are_ours = rows < len(column.ours)
    values[are_ours] = column.ours[rows[are_ours]]
    values[~are_ours] = column.theirs[rows[~are_ours] - len(column.ours)]
    return values


def _by_behaviour(column: SideColumn, others: list[SideColumn], is_same: bool) -> UnitColumn | None:
    """A column whose values behave as units do; two kinds of evidence make it a warning.

    The last of the others is the target.
    """
    unit_pairs = _UnitPairs.of(column, _rows_of_some_values(column, is_same))
    same, near = unit_pairs.begins
    if near - same < FEW_IDS - 1 or unit_pairs.repeated < REPEATED:
        return None
    others = [other for other in others if other is not column]
    likeness = unit_pairs.likeness(others)
    carried = [other.name for other, like in zip(others, likeness, strict=True) if like.is_carried]
    telling = sum(like.can_tell for like in likeness)
    is_unordered = not likeness[-1].is_ordered
    is_regular = is_unordered and unit_pairs.is_regular
    is_hinted = is_unordered and _sounds_like_id(column.name)
    evidence = (bool(carried), 2 * len(carried) > max(telling, 2), is_regular, is_hinted)
    if not any(evidence):
        return None
    if carried:
        behaviour = (
            f"rows of one value agree in {len(carried)} of {plural(telling, 'other column')} "
            f"({some(carried)}), which rows of neighbouring values do not; "
        )
    elif is_regular:
        behaviour = "nearly all its values are in equally many rows; "
    else:
        behaviour = "it has the name of an id; "
    return UnitColumn(column, "warning" if sum(evidence) > 1 else "note", behaviour, len(carried))


def _sounds_like_id(name: str) -> bool:
    """Whether a name has words of an id, as ``case_no``, ``Pat. Nr`` and ``CaseNumber`` have."""
    words = usual(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)).split("_")
    return words[-1] in NUMBERS or bool(HINTS & set(words))


@dataclass(frozen=True, slots=True)
class _Likeness:
    """How another column behaves along a column of units."""

    #: whether it differs often enough between neighbouring units to tell anything
    can_tell: bool
    #: whether it is the same in the rows of a unit, and not in those of neighbouring ones
    is_carried: bool
    #: whether neighbouring units have near values
    is_ordered: bool


@dataclass(frozen=True, slots=True, eq=False)
class _UnitPairs:
    """Pairs of rows of one unit, of neighbouring units, and of any, in this order."""

    first: Integers
    second: Integers
    #: where the pairs of neighbouring units begin, and those of any
    begins: tuple[int, int]
    #: the share of the rows that share their unit
    repeated: float
    #: whether nearly all units have the same number of rows, two or more
    is_regular: bool

    @classmethod
    def of(cls, column: SideColumn, rows: Integers) -> _UnitPairs:
        """The pairs of some rows by the values of a column, in their order."""
        rng = np.random.default_rng(0)
        values = _values_of(column, rows)
        order = np.argsort(values, kind="stable")
        rows, continues = rows[order], np.diff(values[order]) == 0
        same, near = (
            rng.permutation(np.flatnonzero(is_so))[:PAIRS] for is_so in (continues, ~continues)
        )
        at = np.concatenate([same, near])
        mixed = rng.permutation(rows)[: PAIRS + 1]
        ends = np.flatnonzero(np.append(~continues, True))
        units_of_size = np.bincount(np.diff(ends, prepend=-1))
        return cls(
            np.concatenate([rows[at], mixed[:-1]]),
            np.concatenate([rows[at + 1], mixed[1:]]),
            (len(same), len(at)),
            1 - units_of_size[1] / len(rows),
            bool(units_of_size[2:].max(initial=0) >= REGULAR * units_of_size.sum()),
        )

    def likeness(self, others: list[SideColumn]) -> list[_Likeness]:
        """How each of some columns behaves; rows of a unit equal in all of them are copies."""
        gaps = [self._gaps(other) for other in others]
        near, apart = self.begins
        is_copy = ~np.any([gap[:near] > 0 for gap in gaps], axis=0)
        pairs = near - int(is_copy.sum())
        least = UNLIKELY / len(others)
        likeness = []
        for gap in gaps:
            expected = pairs * float((gap[near:apart] > 0).mean())
            seen = int((gap[:near] > 0).sum())
            is_ordered = bool(gap[near:apart].mean() < ORDERED * gap[apart:].mean())
            is_rare = 1 - float(special.pdtrc(seen, expected)) < least
            is_carried = is_rare and seen <= SELDOM * expected and not is_ordered
            likeness.append(_Likeness(bool(np.exp(-expected) < least), is_carried, is_ordered))
        return likeness

    def _gaps(self, column: SideColumn) -> Integers:
        """How far the rows of each pair are apart: in ranks, or names by 1."""
        both = _values_of(column, np.concatenate([self.first, self.second]))
        ranks = np.unique(both, return_inverse=True)[1].reshape(2, -1)
        gaps: Integers = np.abs(ranks[0] - ranks[1])
        return np.minimum(gaps, 1) if column.is_nominal else gaps
