"""K-fold cross-validation: every row is tested once, by a model that trained on other folds."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.core.portable import Bits
from heldout.core.wording import plural
from heldout.procedures.arranged import Arranged, offered
from heldout.procedures.deal import dealt_folds, parts_of_groups
from heldout.procedures.leave_out import one_out
from heldout.procedures.procedure import CV, TIMES, Procedure, whole
from heldout.procedures.rows import codes_in_order, group_counts
from heldout.procedures.splits import PartitionSplits

if TYPE_CHECKING:
    from heldout.core.arrays import Integers
    from heldout.procedures.rows import Rows

#: rows times repeats whose folds are kept in memory, in four bytes each
MOST_PLACES = 2_000_000_000


@dataclass(frozen=True, repr=False)
class KFold(Arranged):
    """k-fold cross-validation: random folds, shuffled anew in each repeat.

    Parameters
    ----------
    folds, repeats
        Number of folds and of repeats; ``n_splits`` and ``n_repeats`` are scikit-learn's names.
    grouped
        Whether groups are kept whole; None: if groups are given.
    stratify
        Whether classes are spread evenly: True, False, or ``"loosely"`` (classes with too few
        rows are allowed); None: in classification, if possible.
    bins
        Stratify a regression target by so many bins of equal size.
    random_state
        The seed; None: that of the evaluation.
    shuffle
        Always True; accepted because scikit-learn's users write it.

    Examples
    --------
    >>> str(KFold(10, repeats=50))
    '50x10-fold'
    >>> str(KFold(n_splits=5))
    '5-fold'
    >>> splits = KFold(3).splits(6, truth=[0, 0, 0, 1, 1, 1])
    >>> splits.assignment.tolist()
    [[1, 0, 2, 0, 1, 2]]
    """

    written = (
        rf"{TIMES}(?P<folds>\d+)[- ]?folds?{CV}",
        rf"(?P<repeats>\d+) ?[x×] ?(?P<folds>\d+){CV}",
        rf"{TIMES}(?:k-?fold|cv|cross-?validation) ?(?P<folds>\d+)",
    )

    folds: int = field(default=10, metadata=whole("the number of folds", 2))
    repeats: int = field(default=1, metadata=whole("the number of repeats", 1))
    #: scikit-learn's names of the number of folds and of repeats, and what is always done here
    n_splits: InitVar[int | None] = field(default=None, kw_only=True)
    n_repeats: InitVar[int | None] = field(default=None, kw_only=True)
    shuffle: InitVar[bool] = field(default=True, kw_only=True)

    def __post_init__(self, n_splits: int | None, n_repeats: int | None, shuffle: bool) -> None:
        for name, count in (("folds", n_splits), ("repeats", n_repeats)):
            if count is not None:
                object.__setattr__(self, name, count)
        if not shuffle:
            raise InputError(
                "shuffle=False: heldout's folds are drawn at random; for folds in the order of the "
                "rows give sklearn.model_selection.KFold, or a fold for each row (folds=)"
            )
        super().__post_init__()

    @property
    def split_count(self) -> int:
        """How many splits there are."""
        return self.folds * self.repeats

    def _head(self) -> str:
        return f"{self.repeats}x{self.folds}-fold" if self.repeats > 1 else f"{self.folds}-fold"

    def _fewer(self, most: int) -> tuple[tuple[Procedure, str], ...]:
        return ((replace(self, folds=most), "{} or fewer" if most > 2 else "{}"),)

    def _notes(self, rows: Rows) -> tuple[str, ...]:
        notes = super()._notes(rows)
        if self.stratify in (True, False) or rows.truth is None or not rows.is_classification:
            return notes
        _, complaint = self._rare(rows, codes_in_order(rows.truth), self.folds)
        return (*notes, f"{complaint}, so some test folds have none of it") if complaint else notes

    def _splits_of(self, rows: Rows) -> PartitionSplits:
        groups, (_, count, unit) = self._groups(rows), self._units(rows)
        if self.folds > count:
            raise InputError(self._too_many(rows, groups, count, unit))
        if (places := self.repeats * rows.count) > MOST_PLACES:
            too_many = f"{places:,} places of rows to keep, and at most {MOST_PLACES:,} are"
            raise InputError(f"{self} of {rows.count:,} rows: {too_many}; use fewer repeats")
        strata = self._strata(rows, self.folds, (one_out(rows, is_grouped=groups is not None),))
        counts = None if groups is None else group_counts(strata, groups)
        assignment = np.empty((self.repeats, rows.count), np.int32)
        for repeat in range(self.repeats):
            bits = Bits(rows.seed, "k-fold", repeat + 1)
            if groups is None or counts is None:
                assignment[repeat] = dealt_folds(rows.count, strata, self.folds, bits)
            else:
                assignment[repeat] = parts_of_groups(counts, (1,) * self.folds, bits)[groups]
        return PartitionSplits(*self._about(rows), assignment, self.folds)

    def _too_many(self, rows: Rows, groups: Integers | None, count: int, unit: str) -> str:
        """What to say of more folds than rows or groups; what it offers will not be refused."""
        if groups is not None and count < 2:
            return f"{self}: all rows are of one group, which cannot train and test"
        most, smallest = self._most_parts(rows, groups)
        class_said = f", and class {smallest} {'has' if groups is None else 'is in'} {most}"
        few = f"{self}: there {'is' if count == 1 else 'are'} only {plural(count, unit)}"
        few += class_said if most < count and smallest else ""
        words = "{}" if groups is None else "{} (leave one group out)"
        return few + offered(
            rows,
            *(((replace(self, folds=most), "at most {}"),) if most >= 2 else ()),
            (one_out(rows, is_grouped=groups is not None), words),
            *(((replace(self, grouped=False), "{}"),) if groups is not None else ()),
        )
