"""What stratification and grouping got: sizes and class shares of test and validation parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.procedures.rows import codes_in_order
from heldout.procedures.splits import PartitionSplits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.core.arrays import Array, Floats, Integers
    from heldout.procedures.splits import Splits


@dataclass(frozen=True, eq=False)
class Balance:
    """Test parts side by side, m of them, in the order of the splits.

    In classification ``counts`` has the rows of each class (columns) in each test part; in
    regression it is None and ``means`` has the means of the target.
    """

    places: Integers
    sizes: Integers
    train_sizes: Integers
    counts: Integers | None = None
    means: Floats | None = None
    #: rows of each class in all of the data
    total: Integers | None = None
    classes: tuple[Any, ...] = ()
    #: pairs of a split and a group with rows on both sides; None where there are no groups
    parted_groups: int | None = None
    #: the validation parts in the place of the test parts; None where no split has one
    validation: Balance | None = None

    @property
    def shares(self) -> Floats | None:
        """The share of each class in each test part; NaN in one without rows."""
        if self.counts is None:
            return None
        sizes = np.where(self.sizes > 0, self.sizes, np.nan)
        return np.asarray(self.counts / sizes[:, None], dtype=np.float64)

    @property
    def largest_deviation(self) -> float:
        """The most rows by which a class in a test part is off its share of that part.

        With strata dealt to one row it is below 1 where all parts are equal, and below 2.
        NaN in regression.
        """
        if self.counts is None or self.total is None:
            return float("nan")
        even = self.sizes[:, None] * (self.total / self.total.sum())
        return float(np.abs(self.counts - even).max())

    @property
    def largest_share_deviation(self) -> float:
        """The most by which the share of a class in a test part is off its overall share."""
        shares = self.shares
        if shares is None or self.total is None:
            return float("nan")
        return float(np.nanmax(np.abs(shares - self.total / self.total.sum())))

    def ranges(self, most_classes: int) -> dict[str, tuple[float, float]]:
        """The least and the most of what test parts have, by what it is; of the first classes."""
        columns: dict[str, Array] = {"training rows": self.train_sizes, "test rows": self.sizes}
        if self.shares is not None:
            for label, share in zip(self.classes[:most_classes], self.shares.T, strict=False):
                columns[f"share of {label} tested"] = share
        elif self.means is not None:
            columns["mean of the target tested"] = self.means
        return {what: (v.min().item(), v.max().item()) for what, v in columns.items()}


def balance(
    splits: Splits,
    truth: Any,
    *,
    is_classification: bool = True,
    classes: Sequence[Any] | None = None,
    groups: Any = None,
) -> Balance:
    """How even the test parts of some splits are.

    Examples
    --------
    >>> from heldout.procedures.kfold import KFold
    >>> truth = [0, 0, 0, 0, 1, 1]
    >>> even = balance(KFold(2).splits(6, truth=truth), truth)
    >>> even.counts.tolist(), even.largest_deviation
    ([[2, 1], [2, 1]], 0.0)
    """
    values = np.asarray(truth)
    codes, labels = _classes(values, classes) if is_classification else (None, ())
    parted = None if groups is None else parted_groups(splits, groups)
    places = splits.places()
    if isinstance(splits, PartitionSplits):
        assignment = splits.assignment + splits.folds * np.arange(splits.repeats)[:, None]
        part = assignment.ravel().astype(np.int64)
        row = np.tile(np.arange(splits.rows), splits.repeats)
        train = splits.rows - np.bincount(part, minlength=len(splits))
    else:
        tests = [(len(split.train), split.test) for split in splits]
        part = np.repeat(np.arange(len(splits)), [len(test) for _, test in tests])
        row = np.concatenate([test for _, test in tests])
        train = np.array([size for size, _ in tests], np.int64)
    about = _About(places, codes, labels, values)
    return replace(
        about.counted(part, row, train),
        parted_groups=parted,
        validation=_validation(splits, about, train),
    )


@dataclass(frozen=True, eq=False)
class _About:
    """What parts are counted by: repeat and fold of each split, and the target of each row."""

    places: Integers
    codes: Integers | None
    labels: tuple[Any, ...]
    values: Array

    def counted(self, part: Integers, row: Integers, train: Integers) -> Balance:
        """Rows and classes of parts, from pairs of a part and a row of it."""
        count, width = len(self.places), len(self.labels)
        sizes = np.bincount(part, minlength=count)
        if self.codes is None:
            sums = np.bincount(part, weights=self.values[row], minlength=count)
            means = np.divide(sums, sizes, out=np.full(count, np.nan), where=sizes > 0)
            return Balance(self.places, sizes, train, means=means)
        counts = np.bincount(part * width + self.codes[row], minlength=count * width)
        return Balance(
            self.places,
            sizes,
            train,
            counts.reshape(count, width),
            total=np.bincount(self.codes, minlength=width),
            classes=self.labels,
        )


def _validation(splits: Splits, about: _About, train: Integers) -> Balance | None:
    """The validation parts, where some split has one."""
    if isinstance(splits, PartitionSplits):
        return None
    parts = [(i, rows) for i, s in enumerate(splits) if (rows := s.validation) is not None]
    if not parts:
        return None
    part = np.repeat([i for i, _ in parts], [len(rows) for _, rows in parts])
    return about.counted(part, np.concatenate([rows for _, rows in parts]), train)


def _classes(values: Array, classes: Sequence[Any] | None) -> tuple[Integers, tuple[Any, ...]]:
    if classes is not None:
        return values.astype(np.int64), tuple(classes)
    levels, codes = np.unique(values, return_inverse=True)
    return codes.reshape(-1), tuple(levels.tolist())


def parted_groups(splits: Splits, groups: Any) -> int:
    """In how many splits a group is both trained on and tested, summed over groups."""
    codes = codes_in_order(np.asarray(getattr(groups, "codes", groups)))
    if isinstance(splits, PartitionSplits):
        # A group in f > 1 folds of a repeat is trained on and tested in each of them.
        width, parted = splits.folds, 0
        for assignment in splits.assignment:
            pairs = np.unique(codes * width + assignment)
            folds = np.bincount(pairs // width)
            parted += int(folds[folds > 1].sum())
        return parted
    is_in = np.zeros((2, int(codes.max(initial=-1)) + 1), bool)
    parted = 0
    for split in splits:
        is_in[:] = False
        is_in[0, codes[split.train]] = is_in[1, codes[split.test]] = True
        parted += int(np.count_nonzero(is_in.all(axis=0)))
    return parted
