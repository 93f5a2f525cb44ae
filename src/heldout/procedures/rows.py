"""What a procedure is told of the rows it splits: checked once, with strata to keep even."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.core.arrays import Array, Booleans, Integers


def bin_codes(values: Array, bins: int) -> Integers:
    """Bins of about equal size along the values; equal values are in one bin.

    Examples
    --------
    >>> bin_codes(np.array([3.0, 1.0, 2.0, 2.0, 9.0, 8.0]), 3).tolist()
    [0, 1, 1, 1, 2, 2]
    """
    if row := first_missing(values):
        raise InputError(f"row {row} has no target; it cannot be put into a bin")
    rank = np.searchsorted(np.sort(values), values, side="left")
    return codes_in_order(rank * bins // len(values))


def group_counts(strata: Integers | None, groups: Integers) -> Integers:
    """Rows of each stratum (a column each) in each group (a row each).

    Examples
    --------
    >>> group_counts(np.array([0, 1, 1]), np.array([0, 0, 1])).tolist()
    [[1, 1], [0, 1]]
    """
    count = int(groups.max()) + 1
    if strata is None:
        return np.bincount(groups, minlength=count).astype(np.int64)[:, None]
    width = int(strata.max()) + 1
    flat = np.bincount(groups * width + strata, minlength=count * width)
    return flat.astype(np.int64).reshape(count, width)


def small_classes(codes: Integers, groups: Integers | None, least: int) -> list[tuple[int, int]]:
    """Classes with fewer rows (or, where groups are whole, in fewer groups) than ``least``.

    Each with its count, the smallest first.
    """
    counts = np.bincount(codes)
    if groups is not None:
        counts = (group_counts(codes, groups) > 0).sum(axis=0)
    order = np.argsort(counts, kind="stable")
    return [(int(code), int(counts[code])) for code in order if counts[code] < least]


def class_name(rows: Rows, row: int) -> str:
    """The class of a row as messages write it."""
    assert rows.truth is not None
    value = rows.truth[row]
    value = value if rows.classes is None else rows.classes[int(value)]
    return repr(value.item() if isinstance(value, np.generic) else value)


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows to split: how many, and what is known of each, as arrays of one length."""

    count: int
    seed: int = 0
    truth: Any = None
    is_classification: bool = True
    #: labels behind the codes in ``truth``, for messages
    classes: Sequence[Any] | None = None
    #: codes, numbered by first appearance
    groups: Any = None
    time: Any = None
    #: a column with codes and levels, or plain values
    folds: Any = None
    identifiers: Any = None

    def __post_init__(self) -> None:
        n = self.count
        if n < 2:
            raise InputError(
                f"{n} {'row' if n == 1 else 'rows'} cannot be split; at least 2 are needed"
            )
        for name in ("truth", "time", "identifiers"):
            object.__setattr__(self, name, _column(getattr(self, name), name, n))
        if self.groups is not None:
            object.__setattr__(self, "groups", _group_codes(self.groups, n))

    @property
    def group_count(self) -> int:
        """How many groups there are."""
        return 0 if self.groups is None else int(self.groups.max(initial=-1)) + 1


def codes_in_order(values: Array) -> Integers:
    """A code for each value, numbered by first appearance.

    So splits depend on which rows belong together, and not on how classes or groups are
    called or ordered.

    Examples
    --------
    >>> codes_in_order(np.array(["b", "a", "b", "c"])).tolist()
    [0, 1, 0, 2]
    """
    if values.dtype == object:
        known: dict[Any, int] = {}
        return np.array(
            [known.setdefault(value, len(known)) for value in values.tolist()], np.int64
        )
    _, first, codes = np.unique(values, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[codes.reshape(-1)]


def first_rows(codes: Integers) -> Integers:
    """The first row of each code."""
    return np.unique(codes, return_index=True)[1]


def first_missing(values: Array) -> int:
    """The number (from 1) of the first row without a value; 0 where all have one.

    Examples
    --------
    >>> first_missing(np.array([1.0, np.nan])), first_missing(np.array(["a", None], object))
    (2, 2)
    """
    if values.dtype == object:
        # NaN and NaT differ from themselves, and pandas.NA says of itself that it is unsure
        return first_true(np.array([v is None or not _is_itself(v) for v in values.tolist()]))
    if values.dtype.kind in "mM":
        return first_true(np.isnat(values))
    return first_true(np.isnan(values)) if values.dtype.kind in "fc" else 0


def first_true(flags: Booleans) -> int:
    """The number (from 1) of the first row that is flagged; 0 where none is."""
    return int(np.argmax(flags)) + 1 if flags.any() else 0


def _is_itself(value: Any) -> bool:
    equal = operator.eq(value, value)
    return equal is True or (isinstance(equal, np.bool_) and bool(equal))


def _column(values: Any, name: str, n: int) -> Array | None:
    if values is None:
        return None
    array = np.asarray(values)
    if len(array) != n:
        raise InputError(f"{name} has {len(array)} values for {n} rows")
    return array


def _group_codes(groups: Any, n: int) -> Integers:
    codes = getattr(groups, "codes", None)
    has_levels = codes is not None and hasattr(groups, "levels")
    array = _column(codes if has_levels else groups, "groups", n)
    assert array is not None
    row = first_true(array < 0) if has_levels else first_missing(array)
    if row:
        raise InputError(f"row {row} has no group; give every row its group, or leave groups out")
    return codes_in_order(array)
