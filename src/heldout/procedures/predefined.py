"""Predefined folds: a column of the data says in which fold each row is tested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.procedures.procedure import Procedure, given_name
from heldout.procedures.rows import codes_in_order, first_missing, first_rows, first_true
from heldout.procedures.splits import PARTS, ListedSplits, PartitionSplits, Split

if TYPE_CHECKING:
    from heldout.core.arrays import Integers
    from heldout.procedures.rows import Rows
    from heldout.procedures.splits import About, Splits

#: what stands in the place of a fold in tables of results without being one
NOT_FOLDS = frozenset(
    (
        "",
        "all",
        "mean",
        "mean of folds",
        "mean of samples",
        "nested",
        "out-of-bag",
        "pooled",
        "training",
        ".632",
        ".632+",
    )
)


@dataclass(frozen=True, repr=False)
class PredefinedFolds(Procedure):
    """The folds of a column, in the order of its values.

    A column with the values ``train`` and ``test`` (and ``validation``) is a holdout. If folds
    are whole numbers from 0, -1 marks rows that always train, as in scikit-learn's
    PredefinedSplit.

    Parameters
    ----------
    column
        Name of the column.

    Examples
    --------
    >>> str(PredefinedFolds("fold"))
    'column fold'
    >>> [s.test.tolist() for s in PredefinedFolds("fold").splits(4, folds=[2, 1, 2, 1])]
    [[1, 3], [0, 2]]
    >>> [s.test.tolist() for s in PredefinedFolds("fold").splits(4, folds=[1, -1, 0, 1])]
    [[2], [0, 3]]
    """

    mixes_time: ClassVar[bool] = False

    column: str = "fold"

    def __post_init__(self) -> None:
        object.__setattr__(self, "column", given_name(self.column, "a column of folds"))

    def _splits_for(self, X: Any, y: Any, groups: Any) -> Splits:
        """The splits by the column of a data frame, else by ``groups``."""
        columns = getattr(X, "columns", ())
        folds = np.asarray(X[self.column]) if self.column in list(columns) else groups
        if folds is None:
            raise InputError(f"{self}: X has no such column, and groups give no folds")
        return self.splits(len(folds), folds=folds)

    def _head(self) -> str:
        return f"column {self.column}"

    def _splits_of(self, rows: Rows) -> Splits:
        codes, levels = self._levels(rows)
        about = self._about(rows, *_notes_on_parts(rows, codes))
        if len(levels) < 2:
            raise InputError(f"{self}: all rows are in one fold; at least two are needed")
        named = [str(level).strip().lower() for level in levels]
        if set(named) <= set(PARTS) and {"train", "test"} <= set(named):
            part = np.array([PARTS.index(name) for name in named])[codes]
            validation = np.flatnonzero(part == 1) if "validation" in named else None
            train, test = np.flatnonzero(part == 0), np.flatnonzero(part == 2)
            return ListedSplits(*about, (Split(1, 1, train, test, validation),))
        if _has_untested(levels):
            return self._beside(about, codes, levels)
        folds = codes.astype(np.int32)[None, :]
        if clash := [level for level in levels if str(level) in NOT_FOLDS]:
            note = f"{self}: results call other things {clash[0]!r}: the folds have numbers instead"
            return PartitionSplits(*about[:3], (*about[3], note), folds, len(levels))
        return PartitionSplits(*about, folds, len(levels), tuple(levels))

    def _beside(self, about: About, codes: Integers, levels: list[Any]) -> Splits:
        """A split per fold, with the rows of the fold -1 among those that train."""
        untested = levels.index(-1)
        tested = [code for code in range(len(levels)) if code != untested]
        listed = tuple(
            Split(1, fold, np.flatnonzero(codes != code), np.flatnonzero(codes == code))
            for fold, code in enumerate(tested, start=1)
        )
        count = int(np.count_nonzero(codes == untested))
        note = (
            f"{self}: {plural(count, 'row')} of the fold -1 {'is' if count == 1 else 'are'} never "
            f"tested and always train{'s' * (count == 1)}, as scikit-learn's PredefinedSplit has it"
        )
        return ListedSplits(
            *about[:3], (*about[3], note), listed, tuple(levels[code] for code in tested)
        )

    def _levels(self, rows: Rows) -> tuple[Integers, list[Any]]:
        """The fold of each row in the order of the values, and the values."""
        if rows.folds is None:
            raise InputError(f"{self}: the folds are not given: give them as {argument('fold')}")
        is_column = hasattr(rows.folds, "levels")
        values = np.asarray(rows.folds.codes if is_column else rows.folds)
        if len(values) != rows.count:
            raise InputError(f"{self}: there are {len(values)} folds for {rows.count} rows")
        row = first_true(values < 0) if is_column else first_missing(values)
        if row:
            raise InputError(f"{self}: row {row} has no fold; give it one, or leave the row out")
        codes = codes_in_order(values)
        distinct = values[first_rows(codes)].tolist()
        try:
            order = sorted(range(len(distinct)), key=distinct.__getitem__)
        except TypeError:
            raise InputError(f"{self}: the folds are of several kinds of values") from None
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        levels = [distinct[index] for index in order]
        if is_column:
            levels = [rows.folds.levels[code] for code in levels]
        return rank[codes], levels


def _has_untested(levels: list[Any]) -> bool:
    """Whether the folds are -1 and otherwise whole numbers from 0.

    Examples
    --------
    >>> _has_untested([-1, 0, 1]), _has_untested([-2, -1, 0]), _has_untested(["-1", "0"])
    (True, False, False)
    """
    return -1 in levels and all(
        isinstance(level, int | float)
        and not isinstance(level, bool)
        and (level == -1 or level >= 0)
        and level == level // 1
        for level in levels
    )


def _notes_on_parts(rows: Rows, codes: Integers) -> tuple[str, ...]:
    """A note where the given folds split groups."""
    if rows.groups is None:
        return ()
    pairs = np.unique(rows.groups * (int(codes.max()) + 1) + codes)
    count = int((np.bincount(pairs // (int(codes.max()) + 1)) > 1).sum())
    return (f"the given folds split {count} of {rows.group_count} groups",) if count else ()
