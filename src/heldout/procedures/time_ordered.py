"""Time-ordered evaluation: train on the past, test on what came next, several times over."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from heldout.core.errors import InputError
from heldout.procedures.procedure import Grouping, whole
from heldout.procedures.rows import first_missing
from heldout.procedures.splits import ListedSplits, Split

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.core.arrays import Integers
    from heldout.procedures.rows import Rows


@dataclass(frozen=True, repr=False)
class TimeOrdered(Grouping):
    """Time order: test parts one after another, each trained on what precedes it.

    All lengths count distinct times, so that rows of equal time stay together; without times, or
    if all times differ, they count rows. If there are groups, rows of a tested group do not train.

    Parameters
    ----------
    folds
        Number of test parts.
    grouped
        Whether rows of tested groups are left out of training; None: if groups are given.
    sliding
        Length of the training part; None: everything that precedes the gap.
    gap
        Length of what is left out between training and test part.
    test
        Length of a test part; None: all but the first of ``folds`` + 1 equal parts.

    Examples
    --------
    >>> str(TimeOrdered(5, gap=7))
    'time 5 gap 7'
    >>> [(s.train.tolist(), s.test.tolist()) for s in TimeOrdered(2).splits(6)]
    [([0, 1], [2, 3]), ([0, 1, 2, 3], [4, 5])]
    """

    mixes_time: ClassVar[bool] = False

    written = (
        r"time(?: (?P<folds>\d+))?(?: expanding)?(?P<lengths>(?: (?:sliding|gap|test) \d+)*)",
    )

    folds: int = field(default=5, metadata=whole("the number of test parts", 1))
    sliding: int | None = field(
        default=None, kw_only=True, metadata=whole("the length of the sliding training part", 1)
    )
    gap: int = field(default=0, kw_only=True, metadata=whole("the gap", 0))
    test: int | None = field(
        default=None, kw_only=True, metadata=whole("the length of the test part", 1)
    )

    @classmethod
    def _values(cls, given: str, found: Mapping[str, str]) -> dict[str, Any]:
        lengths = re.findall(r"(sliding|gap|test) (\d+)", found.get("lengths", ""))
        names = [name for name, _ in lengths]
        if again := [name for name in names if names.count(name) > 1]:
            raise InputError(f"procedure {given!r} says {again[0]} twice")
        return super()._values(given, {"folds": found.get("folds", ""), **dict(lengths)})

    @property
    def split_count(self) -> int:
        """How many splits there are."""
        return self.folds

    def _head(self) -> str:
        words = [f"time {self.folds}"]
        if self.sliding is not None:
            words.append(f"sliding {self.sliding}")
        if self.gap:
            words.append(f"gap {self.gap}")
        if self.test is not None:
            words.append(f"test {self.test}")
        return " ".join(words)

    def _splits_of(self, rows: Rows) -> ListedSplits:
        groups = self._groups(rows)
        steps, notes = _steps(rows)
        notes += self._notes(rows)
        count = int(steps.max()) + 1
        test = self.test or count // (self.folds + 1)
        before = count - self.folds * test - self.gap
        least = self.sliding or 1
        if test < 1 or before < least:
            unit = "rows" if rows.time is None else "distinct times"
            most = self._most(count, least)
            if self.folds > most >= 1:
                raise InputError(f"{self}: {count:,} {unit} allow at most {most:,} test parts")
            raise InputError(
                f"{self}: {self.folds} test parts of {max(test, 1)} with a gap of {self.gap} "
                f"leave {max(before, 0)} of {count} {unit} to train before the first, "
                f"and {least} {'is' if least == 1 else 'are'} needed; use fewer or shorter parts"
            )
        listed = []
        dropped = 0
        for fold in range(self.folds):
            begin = count - (self.folds - fold) * test
            is_test = (steps >= begin) & (steps < begin + test)
            end = begin - self.gap
            start = 0 if self.sliding is None else end - self.sliding
            is_train = (steps >= start) & (steps < end)
            if groups is not None:
                is_tested_group = np.isin(groups, groups[is_test]) & is_train
                dropped += int(is_tested_group.sum())
                is_train &= ~is_tested_group
                if not is_train.any():
                    raise InputError(
                        f"{self}: part {fold + 1} has no row to train of a group that it does "
                        f"not test; use {replace(self, grouped=False)} to train on the past of "
                        "tested groups"
                    )
            listed.append(Split(1, fold + 1, np.flatnonzero(is_train), np.flatnonzero(is_test)))
        if dropped:
            notes += (f"{self}: {dropped} training rows were left out, being of tested groups",)
        return ListedSplits(str(self), rows.count, rows.seed, notes, tuple(listed))

    def _most(self, count: int, least: int) -> int:
        """The largest number of test parts that so many times allow; 0 where they allow none."""
        folds = np.arange(1, count)
        test = count // (folds + 1) if self.test is None else self.test
        fits = (count - folds * test - self.gap >= least) & (test >= 1)
        return int(folds[fits].max(initial=0))


def _steps(rows: Rows) -> tuple[Integers, tuple[str, ...]]:
    """The place of each row in time, from 0; and what was assumed."""
    if rows.time is None:
        note = "no times are given: rows are taken in the order of the file"
        return np.arange(rows.count), (note,)
    if row := first_missing(rows.time):
        raise InputError(f"row {row} has no time; it cannot be put in order")
    try:
        return np.unique(rows.time, return_inverse=True)[1].reshape(-1), ()
    except TypeError:
        raise InputError("times are of several kinds and cannot be put in order") from None
