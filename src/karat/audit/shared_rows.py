"""K01: rows of the test set that are in the training set too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.audit.check import check
from karat.audit.finding import some
from karat.audit.row_hash import hashes_of_pair, hashes_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.audit.material import Material
    from karat.datasets.dataset import Dataset
    from karat.procedures.splits import Splits

__all__ = ["shared_rows"]

#: tables of fewer features repeat rows by chance, which proves nothing
FEW_FEATURES = 3
#: splits looked at; the others of a procedure are of the same kind
SPLITS = 20


@check(
    "K01",
    "test rows that were trained on",
    "error",
    why="A model knows the answers of rows it was trained on, so the test shows memory, not skill.",
    fix="Remove them from one side, or keep copies together (--group).",
)
def shared_rows(material: Material) -> Iterator[tuple[str, str]]:
    """Exact copies of feature rows on both sides."""
    if material.train is not None and material.test is not None:
        yield from _of_tables(material.train, material.test)
    if material.data is not None and material.splits is not None:
        yield from _of_splits(material.data, material.splits)


def _of_tables(train: Dataset, test: Dataset) -> Iterator[tuple[str, str]]:
    ours, theirs, names = hashes_of_pair(train, test)
    if len(names) < FEW_FEATURES:
        return
    known = np.isin(theirs, ours)
    if known.any():
        rows = [f"{row + 1:,}" for row in np.flatnonzero(known)[:100]]
        shown = some(rows[: min(len(rows), 5)])
        yield (
            f"{int(known.sum()):,} of {len(test):,} test rows have an exact copy in the training "
            f"set over {len(names)} shared columns (test rows {shown}"
            f"{' ...' if known.sum() > 5 else ''})",
            "",
        )


def _of_splits(data: Dataset, splits: Splits) -> Iterator[tuple[str, str]]:
    if len(data.features) < FEW_FEATURES:
        return
    hashes = hashes_of_rows(data)
    unique, counts = np.unique(hashes, return_counts=True)
    if len(unique) == len(hashes):
        return
    copied = np.isin(hashes, unique[counts > 1])
    worst, place = 0, ""
    for index in range(min(len(splits), SPLITS)):
        split = splits[index]
        test = split.test[copied[split.test]]
        both = int(np.isin(hashes[test], hashes[split.train]).sum())
        if both > worst:
            worst, place = both, f"repeat {split.repeat}, fold {split.fold}: {both:,} test rows"
    if worst:
        rows = [f"{row + 1:,}" for row in np.flatnonzero(copied)[:6]]
        yield (
            f"{int(copied.sum()):,} of {len(data):,} rows occur more than once (rows "
            f"{some(rows, 5)}), and copies fall on both sides of splits ({place})",
            "",
        )
