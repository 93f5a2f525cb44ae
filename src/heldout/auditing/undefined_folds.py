"""K10: folds in which a measure is undefined, so that a mean of folds is of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import check
from heldout.auditing.finding import Seen, some
from heldout.auditing.needs import folds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heldout.auditing.material import Material
    from heldout.predictions.table import Predictions

__all__ = ["undefined_folds"]


@check(
    "K10",
    "undefined folds",
    "warning",
    why="A mean over folds leaves such folds out, and they are not a random sample of folds.",
    fix="Read the pooled value, stratify, or take fewer folds.",
    needs=folds,
)
def undefined_folds(material: Material) -> Iterator[Seen]:
    """Folds with one class only, or without a predicted positive."""
    for p in material.predictions:
        if p.task != "binary" or p.design.fold is None or p.positive is None:
            continue
        fold, names = _folds(p)
        count = len(names)
        rows = np.bincount(fold, minlength=count)
        # leave-one-out has one row a fold by design
        if rows.max(initial=0) < 2:
            continue
        positives = np.bincount(fold, p.truth == p.positive, minlength=count)
        single = np.flatnonzero((rows > 0) & ((positives == 0) | (positives == rows)))
        if len(single):
            yield Seen(
                f"{len(single):,} of {count:,} folds have one class only, so AUC and its kin are "
                f"undefined there ({some([names[i] for i in single])})",
                p.model,
            )
        if p.predicted is not None and not p.is_open:
            named = np.bincount(fold, p.predicted == p.positive, minlength=count)
            empty = np.flatnonzero((rows > 0) & (named == 0))
            # a model that never names the positive has no mean over folds to mislead
            if 0 < len(empty) < count:
                yield Seen(
                    f"{len(empty):,} of {count:,} folds have no row predicted positive, so "
                    f"precision is undefined there ({some([names[i] for i in empty])})",
                    p.model,
                )


def _folds(p: Predictions) -> tuple[NDArray[np.int64], list[str]]:
    """The fold of each row, and what folds are called."""
    assert p.design.fold is not None
    fold, repeat = p.design.fold, p.design.repeat
    codes = fold.codes.astype(np.int64)
    if repeat is None:
        return codes, [f"fold {level}" for level in fold.levels]
    size = len(fold.levels)
    codes = codes + size * repeat.codes.astype(np.int64)
    used = np.flatnonzero(np.bincount(codes, minlength=size * len(repeat.levels)))
    place = np.zeros(size * len(repeat.levels), np.int64)
    place[used] = np.arange(len(used))
    names = [
        f"repeat {repeat.levels[code // size]}, fold {fold.levels[code % size]}"
        for code in used.tolist()
    ]
    return place[codes], names
