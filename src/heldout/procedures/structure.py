"""Splits that came from elsewhere: their repeats and folds, and the procedure they must be of."""

from __future__ import annotations

from contextvars import ContextVar
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.procedures.splits import ListedSplits, PartitionSplits, Split

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heldout.core.arrays import Array, Integers
    from heldout.procedures.splits import About, Splits

#: whether rows may train and test at once: only an audit, which reports them, lets them
MAY_SHARE: ContextVar[bool] = ContextVar("MAY_SHARE", default=False)


def arranged_splits(about: About, listed: Sequence[Split]) -> Splits:
    """The splits, checked; as a partition where they are one."""
    is_shared = _check(about, listed)
    partition = None if is_shared else _partition(about, listed)
    return ListedSplits(*about, tuple(listed)) if partition is None else partition


def numbered(pairs: Iterable[tuple[Integers, Integers]], n: int) -> list[Split]:
    """Training and test rows with a repeat and a fold each.

    A repeat ends where the test parts so far cover all rows. Test parts that overlap
    otherwise are repeats of their own; those that never overlap are folds of one.
    """
    given = [(np.sort(train), np.sort(test)) for train, test in pairs]
    times = np.zeros(n, np.int64)
    places, repeat, fold = [], 1, 0
    for _, test in given:
        if (times >= repeat).all():
            repeat, fold = repeat + 1, 0
        fold += 1
        places.append((repeat, fold))
        times[test] += 1
        if (times[test] != repeat).any():
            places = [(index + 1, 1) for index in range(len(given))]
            break
    return [Split(r, f, *rows) for (r, f), rows in zip(places, given, strict=True)]


def _check(about: About, listed: Sequence[Split]) -> bool:
    """Refuse what are no splits; whether rows are in two parts, where they may be."""
    procedure, n = about[:2]
    is_shared = False
    if not listed:
        raise InputError(f"{procedure}: there is no split")
    role = np.zeros(n, np.int8)
    for split in listed:
        where = f"{procedure}: repeat {split.repeat}, fold {split.fold}"
        validation = np.empty(0, np.int64) if split.validation is None else split.validation
        for name, rows in (("train", split.train), ("test", split.test)):
            if not len(rows):
                raise InputError(f"{where} has no row to {name}")
        every = (split.train, split.test, validation)
        if min(rows.min(initial=0) for rows in every) < 0 or (
            max(rows.max(initial=0) for rows in every) >= n
        ):
            raise InputError(f"{where} names a row that is not among the {n} rows")
        role[:] = 0
        role[split.train] = 1
        for rows in (split.test, validation):
            if (clash := rows[role[rows] != 0]).size:
                is_shared = True
                if MAY_SHARE.get():
                    continue
                raise InputError(f"{where}: row {int(clash[0]) + 1} is in two parts")
            role[rows] = 2
            if len(np.unique(rows)) < len(rows):
                raise InputError(f"{where} tests a row more than once")
    return is_shared


def _partition(about: About, listed: Sequence[Split]) -> PartitionSplits | None:
    """The partition that the splits are, or None where they are none."""
    n = about[1]
    repeats = max(split.repeat for split in listed)
    folds = len(listed) // repeats
    if folds < 2:  # a repeat may have any number
        return None
    assignment = np.full((repeats, n), -1, np.int32)
    for index, split in enumerate(listed):
        expected = (index // folds + 1, index % folds + 1)
        is_whole = len(split.train) + len(split.test) == n and split.validation is None
        if (split.repeat, split.fold) != expected or not is_whole:
            return None
        # with no row in both, and as many as there are, the others are those that train
        if len(split.train) > 1 and not (np.diff(split.train) > 0).all():
            return None
        if (assignment[split.repeat - 1, split.test] >= 0).any():
            return None
        assignment[split.repeat - 1, split.test] = split.fold - 1
    if folds * repeats != len(listed) or (assignment < 0).any():
        return None
    return PartitionSplits(*about, assignment, folds)


#: rows or groups that are left out in every way there is, at most
MOST_LEFT = 40


def recognised(splits: Splits, time: Any = None, groups: Any = None) -> str:
    """The text of the procedure that decides about intervals; empty where rows do not tell.

    Training rows that repeat are a bootstrap. Training rows that all come before the tested
    ones, split after split, are in the order of time (of the rows where no times are given).
    Every choice of p rows, or of p whole groups where groups are given, is leave-p-out.

    Examples
    --------
    >>> from heldout.procedures.parse import parse_procedure
    >>> recognised(parse_procedure("time 3").splits(12))
    'time 3'
    >>> recognised(parse_procedure("3x holdout 70:30").splits(12))
    ''
    """
    if not isinstance(splits, ListedSplits):
        return ""
    if any(len(np.unique(split.train)) < len(split.train) for split in splits.listed):
        return f"bootstrap {len(splits)}"
    when = np.arange(splits.rows) if time is None else np.asarray(time)
    if len(splits) > 1 and all(when[s.train].max() <= when[s.test].min() for s in splits.listed):
        return f"time {len(splits)}"
    for units in (np.arange(splits.rows), groups):
        if units is not None and (p := _left_out(splits, np.asarray(units))) > 1:
            return f"leave-{p}-out"
    return ""


def _left_out(splits: ListedSplits, units: Array) -> int:
    """How many rows or groups are left out in every way there is; 0 where that is not so."""
    _, codes = np.unique(units, return_inverse=True)
    sizes = np.bincount(codes)
    p = len(np.unique(codes[splits.listed[0].test]))
    # that many choices no list has, and to count them takes long
    if not 1 < p < len(sizes) or min(p, len(sizes) - p) > MOST_LEFT:
        return 0
    if comb(len(sizes), p) > len(splits):
        return 0
    different = set()
    for split in splits.listed:
        tested = np.unique(codes[split.test])
        is_whole = sizes[tested].sum() == len(split.test)
        if not is_whole or len(split.train) + len(split.test) != splits.rows:
            return 0
        different.add(tuple(tested.tolist()))
    is_even = all(len(row) == p for row in different)
    return p if is_even and len(different) == comb(len(sizes), p) else 0
