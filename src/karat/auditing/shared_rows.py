"""K01: rows of the test set that are in the training set too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.check import check
from karat.auditing.finding import Seen, Unseen, counted, listed_rows, not_compared
from karat.auditing.needs import SIDES, identified, sides
from karat.auditing.shared_names import shared_names
from karat.auditing.size import too_large

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.finding import Severity
    from karat.auditing.material import Material
    from karat.datasets.dataset import Dataset

__all__ = ["shared_rows"]

#: a share of the rows, and a number of columns, from which copies are worth a word even if they
#: may be coincidences
MANY, MANY_COLUMNS = 0.1, 10


def _needs(material: Material) -> str:
    if not sides(material) or (material.train is not None and material.predictions):
        return ""
    return SIDES


@check(
    "K01",
    "test rows that were trained on",
    "error",
    why="A model knows the answers of rows it was trained on, so the test shows memory, not skill.",
    fix="Remove them from one side, or keep copies together (--group).",
    needs=_needs,
    by_split=True,
)
def shared_rows(material: Material) -> Iterator[Seen | Unseen]:
    """Exact copies of feature rows on both sides, and names of rows on both sides."""
    if material.train is not None:
        yield from shared_names(material.train, material)
        if material.sides is None and not identified(material):
            yield Unseen("predictions and training rows have no ids: only their truth was compared")
    reason = too_large(material)
    if reason:
        yield Unseen(reason, is_all=not identified(material))
        yield from _in_two_parts(material)
        return
    if material.sides is not None:
        yield from _of_tables(*material.sides)
    if material.parts is not None:
        yield from _in_two_parts(material)
        yield from _of_splits(material)


def _of_tables(train: Dataset, test: Dataset) -> Iterator[Seen | Unseen]:
    from karat.auditing.coincidence import are_coincidences
    from karat.auditing.contradiction import contradicted
    from karat.auditing.row_hash import hashes_of_rows
    from karat.auditing.side_columns import few_compared, incomparable, side_columns

    columns, left_out = side_columns(train, test)
    clashing = incomparable(train, test)
    few = few_compared(columns, train, test)
    if few and columns:
        yield Unseen(few, is_all=train.identifier is None or test.identifier is None)
    elif clashing and columns:
        yield Unseen(not_compared(clashing))
    if not columns:
        # names of rows were looked at where there are any
        is_all = train.identifier is None or test.identifier is None
        yield Unseen("the two tables have no column to compare rows by", is_all=is_all)
        return
    ours = hashes_of_rows([c.ours for c in columns], len(train))
    theirs = hashes_of_rows([c.theirs for c in columns], len(test))
    known = np.flatnonzero(np.isin(theirs, ours))
    if not len(known):
        return
    kinds = len(np.unique(theirs[known]))
    by_chance = are_coincidences(columns, known, kinds)
    severity = _severity(by_chance, len(known) / len(test), len(columns))
    if severity is None:
        return
    without = f", {', '.join(left_out)} left out" if left_out else ""
    against = contradicted(ours, train.labels, theirs[known], test.labels[known])
    yield Seen(
        f"{len(known):,} of {len(test):,} test rows have an exact copy in the training set, over "
        f"{counted(len(columns), 'column')}{without} (test {listed_rows(known)})"
        f"{_against(against, train)}{_doubt(severity)}",
        rows=tuple((known[:100] + 1).tolist()),
        severity=severity,
    )


def _in_two_parts(material: Material) -> Iterator[Seen]:
    """Rows that a split both trains on and tests, as splits of others may have it."""
    worst, where, parted = np.empty(0, np.int64), "", 0
    for split in material.each_split():
        both = np.intersect1d(split.train, split.test)
        parted += len(both) > 0
        if len(both) > len(worst):
            worst, where = both, f"repeat {split.repeat}, fold {split.fold}"
    if parted:
        yield Seen(
            f"{counted(len(worst), 'row')} ({listed_rows(worst)}) "
            f"{'are' if len(worst) > 1 else 'is'} among the training and the test rows at once; "
            f"so it is in {parted:,} of {counted(material.shown_splits, 'split')}",
            where,
            tuple((worst[:100] + 1).tolist()),
        )


def _of_splits(material: Material) -> Iterator[Seen | Unseen]:
    from karat.auditing.coincidence import are_coincidences
    from karat.auditing.contradiction import contradicted
    from karat.auditing.row_hash import hashes_of_rows
    from karat.auditing.side_columns import side_columns

    assert material.data is not None
    assert material.splits is not None
    data = material.data
    columns, left_out = side_columns(data, data)
    if not columns:
        yield Unseen("the data have no column to compare rows by", is_all=True)
        return
    hashes = hashes_of_rows([c.ours for c in columns], len(data))
    _, place, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    copied = np.flatnonzero(counts[place] > 1)
    if not len(copied):
        return
    kinds = np.unique(place[copied], return_inverse=True)[1]
    worst, where, both_in = 0, "", 0
    for split in material.each_split():
        trained, tested = np.zeros(len(data), bool), np.zeros(len(data), bool)
        trained[split.train] = tested[split.test] = True
        trained_kinds = np.zeros(int(kinds.max()) + 1, bool)
        trained_kinds[kinds[trained[copied]]] = True
        both = int((trained_kinds[kinds] & tested[copied] & ~trained[copied]).sum())
        both_in += both > 0
        if both > worst:
            worst, where = both, f"repeat {split.repeat}, fold {split.fold}: {both:,} test rows"
    if not worst:
        return
    by_chance = are_coincidences(columns, copied, int(kinds.max()) + 1, is_same=True)
    severity = _severity(by_chance, len(copied) / len(data), len(columns))
    if severity is None:
        return
    without = f" ({', '.join(left_out)} left out)" if left_out else ""
    against = contradicted(hashes, data.labels, hashes[copied], data.labels[copied])
    yield Seen(
        f"{len(copied):,} of {len(data):,} rows occur more than once{without} ("
        f"{listed_rows(copied)}), and copies fall on both sides in {both_in:,} of "
        f"{material.shown_splits:,} splits ({where}){_against(against, data)}{_doubt(severity)}",
        rows=tuple((copied[:100] + 1).tolist()),
        severity=severity,
    )


def _severity(by_chance: bool, share: float, columns: int) -> Severity | None:
    if not by_chance:
        return "error"
    return "note" if share >= MANY and columns >= MANY_COLUMNS else None


def _doubt(severity: Severity) -> str:
    if severity == "error":
        return ""
    return "; rows that nearly agree are as frequent, so these may be coincidences of coarse values"


def _against(count: int, data: Dataset) -> str:
    if not count:
        return ""
    what = "label" if data.classes else "target value"
    return f"; {count:,} of them contradict a copy: they have another {what}"
