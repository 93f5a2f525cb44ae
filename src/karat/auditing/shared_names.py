"""Rows that are judged and were trained on, by their names or by the order of their truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.auditing.finding import Seen, Unseen, some
from karat.auditing.names import names_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from karat.auditing.material import Material
    from karat.datasets.dataset import Dataset
    from karat.predictions.table import Predictions

__all__ = ["shared_names"]

#: changes of the truth from row to row that do not agree by chance
FEW_CHANGES = 30


def shared_names(train: Dataset, material: Material) -> Iterator[Seen | Unseen]:
    """Names of rows, and the truth of rows without names, that training and judging share."""
    known = None if train.identifier is None else names_of(train.identifier)
    judged: list[tuple[str, Any]] = []
    if material.test is not None:
        judged.append(("the test set", material.test.identifier))
    judged += [(p.model or "the predictions", p.identifier) for p in material.predictions]
    for place, names in judged:
        if known is not None and names is not None:
            yield from _by_name(known, names_of(names), place)
    for p in material.predictions:
        names = None if p.identifier is None else names_of(p.identifier)
        if known is None or names is None or _only_count(known, names):
            yield from _by_truth(train, p)


def _by_name(known: NDArray[Any], names: NDArray[Any], place: str) -> Iterator[Seen | Unseen]:
    if _only_count(known, names):
        yield Unseen(f"ids of the training set and of {place} count the rows of each: no names")
        return
    both = np.isin(names, known)
    if both.any():
        rows = np.flatnonzero(both) + 1
        yield Seen(
            f"{len(rows):,} of {len(names):,} ids of {place} are ids of the training set "
            f"({some(names[both].tolist()[:6])}{' ...' if len(rows) > 6 else ''})",
            "" if place == "the test set" else place,
            tuple(rows[:100].tolist()),
        )


def _only_count(known: NDArray[Any], names: NDArray[Any]) -> bool:
    """Whether both count from the same number on, as tables do that were numbered apart."""
    if not len(known) or not len(names) or known[0] != names[0] or known[0] not in ("0", "1"):
        return False
    counted = (int(known[0]) + np.arange(max(len(known), len(names)))).astype(str)
    return all(np.array_equal(counted[: len(one)], one) for one in (known, names))


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
            f"the truth of all {len(p):,} predictions is that of the training rows, in their order",
            p.model,
            tuple(range(1, min(len(p), 100) + 1)),
        )
