"""Splits that came from elsewhere: what repeats and folds they are, and in the smallest form."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.procedures.splits import ListedSplits, PartitionSplits, Split

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from heldout.procedures.splits import About, Splits

__all__ = ["MAY_SHARE", "arranged_splits", "numbered"]

#: whether rows may train and test at once: only an audit, which reports them, lets them
MAY_SHARE: ContextVar[bool] = ContextVar("MAY_SHARE", default=False)


def arranged_splits(about: About, listed: Sequence[Split]) -> Splits:
    """The splits, checked; as a partition where they are one."""
    is_shared = _check(about, listed)
    partition = None if is_shared else _partition(about, listed)
    return ListedSplits(*about, tuple(listed)) if partition is None else partition


def numbered(pairs: Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]], n: int) -> list[Split]:
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
        place = (index // folds + 1, index % folds + 1)
        is_whole = len(split.train) + len(split.test) == n and split.validation is None
        if (split.repeat, split.fold) != place or not is_whole:
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
