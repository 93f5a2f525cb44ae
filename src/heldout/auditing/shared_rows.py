"""K01: rows of the test set that are in the training set too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.auditing.check import (
    SIDES,
    Seen,
    Unseen,
    check,
    listed_rows,
    sides,
    some,
    too_large,
)
from heldout.auditing.coincidence import are_coincidences
from heldout.auditing.side_columns import (
    Sides,
    left_out_columns,
    names_of,
    not_compared,
    side_columns,
    target_column,
)
from heldout.core.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heldout.auditing.material import Material
    from heldout.core.arrays import Array, Integers
    from heldout.datasets.dataset import Dataset
    from heldout.predictions.table import Predictions
    from heldout.procedures.splits import Split

#: from this share of the rows on, the commonest row is one that the process has by nature
COMMON = 0.05


def _needs(material: Material) -> str:
    if not sides(material) or (material.train is not None and material.predictions):
        return ""
    return SIDES


def _are_identified(material: Material) -> bool:
    """Whether training rows and predictions both have names of rows."""
    known = material.train is not None and material.train.identifier is not None
    return known and any(p.identifier is not None for p in material.predictions)


@check(
    "K01",
    "test rows that were trained on",
    "error",
    why="A model knows the labels of rows it was trained on: the test measures memory, not skill.",
    fix="Remove them from one side, or keep copies together ({group}).",
    needs=_needs,
    by_split=True,
)
def shared_rows(material: Material) -> Iterator[Seen | Unseen]:
    """Exact copies of feature rows on both sides, and names of rows on both sides."""
    if material.train is not None:
        yield from shared_names(material.train, material)
        if material.sides is None and not _are_identified(material):
            yield Unseen(
                "there are no ids: only the true values of predictions and training were compared"
            )
    if large := too_large(material, is_all=not _are_identified(material)):
        yield large
        yield from _in_two_parts(material)
        return
    if material.sides is not None:
        yield from _of_tables(*material.sides)
    if material.parts is not None:
        yield from _in_two_parts(material)
        yield from _of_splits(material, material.parts[0])


def _of_tables(train: Dataset, test: Dataset) -> Iterator[Seen | Unseen]:
    columns, left_out = side_columns(train, test)
    # names of rows were looked at where there are any
    is_all = train.identifier is None or test.identifier is None
    if not columns:
        yield Unseen("the two tables have no column to compare rows by", is_all=is_all)
        return
    if lack := not_compared(columns, train, test, is_all=is_all):
        yield lack
    equal = _EqualRows.of(Sides(columns))
    if not len(equal.rows):
        return
    are_copies = _are_copies(equal, train, test)
    relation = "have an exact copy in the training set" if are_copies else "equal a training row"
    without = f", {', '.join(left_out)} left out" if left_out else ""
    yield Seen(
        f"{len(equal.rows):,} of {len(test):,} test rows {relation}, over "
        f"{plural(len(columns), 'column')}{without} (test {listed_rows(equal.rows)})"
        f"{_against(equal, train, test)}{_doubt(are_copies)}",
        rows=equal.rows,
        severity="error" if are_copies else "note",
    )


def _in_two_parts(material: Material) -> Iterator[Seen]:
    """Rows that a split both trains on and tests, as splits of others may have it."""
    worst = material.worst_split(lambda split: len(np.intersect1d(split.train, split.test)))
    if worst is not None:
        rows = np.intersect1d(worst.split.train, worst.split.test)
        yield Seen(
            f"{plural(len(rows), 'row')} ({listed_rows(rows)}) "
            f"{'are' if len(rows) > 1 else 'is'} in both the training and the test part; "
            f"this is so in {worst.faulty:,} of {plural(material.shown_splits, 'split')}",
            worst.name,
            rows,
        )


def _of_splits(material: Material, data: Dataset) -> Iterator[Seen | Unseen]:
    columns, left_out = side_columns(data, data)
    if not columns:
        yield Unseen("the data have no column to compare rows by", is_all=True)
        return
    equal = _EqualRows.of(Sides(columns, is_same=True))
    if not len(equal.rows):
        return
    kinds = np.unique(equal.theirs[equal.rows], return_inverse=True)[1]

    def on_both_sides(split: Split) -> int:
        trained, tested = np.zeros(len(data), bool), np.zeros(len(data), bool)
        trained[split.train] = tested[split.test] = True
        trained_kinds = np.zeros(int(kinds.max()) + 1, bool)
        trained_kinds[kinds[trained[equal.rows]]] = True
        return int((trained_kinds[kinds] & tested[equal.rows] & ~trained[equal.rows]).sum())

    worst = material.worst_split(on_both_sides)
    if worst is None:
        return
    are_copies = _are_copies(equal, data, data)
    without = f" ({', '.join(left_out)} left out)" if left_out else ""
    yield Seen(
        f"{len(equal.rows):,} of {len(data):,} rows occur more than once{without} ("
        f"{listed_rows(equal.rows)}), and equal rows fall on both sides in {worst.faulty:,} of "
        f"{material.shown_splits:,} splits ({worst.name}: {plural(int(worst.size), 'test row')})"
        f"{_against(equal, data, data)}{_doubt(are_copies)}",
        rows=equal.rows,
        severity="error" if are_copies else "note",
    )


@dataclass(frozen=True, slots=True, eq=False)
class _EqualRows:
    """Rows of theirs that equal a row of ours (of the same table: another row)."""

    sides: Sides
    #: the hash of each row of both sides
    ours: NDArray[np.uint64]
    theirs: NDArray[np.uint64]
    rows: Integers

    @classmethod
    def of(cls, sides: Sides) -> _EqualRows:
        ours, theirs = sides.hashes()
        if sides.is_same:
            _, kind, counts = np.unique(ours, return_inverse=True, return_counts=True)
            return cls(sides, ours, ours, np.flatnonzero(counts[kind] > 1))
        return cls(sides, ours, theirs, np.flatnonzero(np.isin(theirs, ours)))

    @property
    def at_rest(self) -> Integers:
        """Those of the rows that are a state which the process often has, as all 0."""
        kinds, counts = np.unique(self.ours, return_counts=True)
        if counts.max() <= COMMON * len(self.ours):
            return self.rows[:0]
        return self.rows[self.theirs[self.rows] == kinds[counts.argmax()]]


def _are_copies(equal: _EqualRows, train: Dataset, test: Dataset) -> bool:
    """Whether so many equal rows are no coincidence.

    Copies agree in the target as well, and in texts that are no features: where features are
    coarse, that tells them from rows that are equal by chance.
    """
    columns = [equal.sides.columns, [*equal.sides.columns, target_column(train, test)]]
    if texts := [c for c in left_out_columns(train, test) if c.is_nominal]:
        columns.append([*columns[-1], *texts])
    for closer in columns:
        agreeing = _EqualRows.of(Sides(closer, equal.sides.is_same))
        rows = np.setdiff1d(agreeing.rows, equal.at_rest)
        kinds = len(np.unique(agreeing.theirs[rows]))
        if kinds and not are_coincidences(agreeing.sides, rows, kinds):
            return True
    return False


def _doubt(are_copies: bool) -> str:
    return "" if are_copies else "; coarse values may explain this (coincidence cannot be excluded)"


def _against(equal: _EqualRows, train: Dataset, test: Dataset) -> str:
    rows = equal.rows
    count = contradicted(equal.ours, train.labels, equal.theirs[rows], test.labels[rows])
    if not count:
        return ""
    what = "label" if train.classes else "target value"
    return f"; {count:,} of them contradict their copy (another {what})"


def contradicted(
    known: NDArray[np.uint64],
    known_labels: Array,
    asked: NDArray[np.uint64],
    asked_labels: Array,
) -> int:
    """How many of the rows asked about have an equal known row with another target.

    Rows are given by their hashes. Each asked row must have an equal known one.

    Examples
    --------
    >>> hashes = np.array([1, 1, 2], np.uint64)
    >>> labels = np.array(["a", "b", "a"])
    >>> contradicted(hashes, labels, hashes, labels)
    2
    """
    kinds, kind_of = np.unique(asked, return_inverse=True)
    at = np.minimum(np.searchsorted(kinds, known), len(kinds) - 1)
    shared = kinds[at] == known
    both = [known_labels[shared], asked_labels]
    if any(labels.dtype.kind not in "iuf" for labels in both):
        both = [names_of(labels) for labels in both]
    codes = np.unique(np.concatenate(both), return_inverse=True)[1]
    # every kind has one target if its smallest and its largest are the same
    least, most = np.full(len(kinds), len(codes)), np.full(len(kinds), -1)
    where = np.concatenate([at[shared], kind_of])
    np.minimum.at(least, where, codes)
    np.maximum.at(most, where, codes)
    return int((least != most)[kind_of].sum())


#: changes of the truth from row to row that do not agree by chance
FEW_CHANGES = 30


def shared_names(train: Dataset, material: Material) -> Iterator[Seen | Unseen]:
    """Names of rows, and the truth of rows without names, that training and judging share."""
    known = None if train.identifier is None else names_of(train.identifier)
    judging: list[tuple[str, Any]] = []
    if material.test is not None:
        judging.append(("the test set", material.test.identifier))
    judging += [(p.model or "the predictions", p.identifier) for p in material.predictions]
    for owner, names in judging:
        if known is not None and names is not None:
            yield from _by_name(known, names_of(names), owner)
    for p in material.predictions:
        names = None if p.identifier is None else names_of(p.identifier)
        if known is None or names is None or _only_count(known, names):
            yield from _by_truth(train, p)


def _by_name(known: Array, names: Array, owner: str) -> Iterator[Seen | Unseen]:
    if _only_count(known, names):
        yield Unseen(f"ids of the training set and of {owner} only number the rows")
        return
    both = np.isin(names, known)
    if both.any():
        rows = np.flatnonzero(both)
        yield Seen(
            f"{len(rows):,} of {len(names):,} ids of {owner} are ids of the training set "
            f"({some(names[both].tolist()[:6])}{' ...' if len(rows) > 6 else ''})",
            "" if owner == "the test set" else owner,
            rows,
        )


def _only_count(known: Array, names: Array) -> bool:
    """Whether both count from the same number on, as tables do that were numbered apart."""
    if not len(known) or not len(names) or known[0] != names[0] or known[0] not in ("0", "1"):
        return False
    numbers = (int(known[0]) + np.arange(max(len(known), len(names)))).astype(str)
    return all(np.array_equal(numbers[: len(side)], side) for side in (known, names))


def _by_truth(train: Dataset, p: Predictions) -> Iterator[Seen]:
    """Predictions whose truth is that of the training rows, in their order."""
    if len(p) != len(train):
        return
    truth = np.asarray(p.classes)[p.truth] if p.classes else p.truth
    # equal blocks of classes may well be of other rows
    if int((truth[1:] != truth[:-1]).sum()) < FEW_CHANGES:
        return
    if np.array_equal(names_of(truth), names_of(train.labels)):
        yield Seen(
            f"the true values of all {len(p):,} predictions equal those of "
            f"the training rows, in the same order",
            p.model,
            range(len(p)),
        )
