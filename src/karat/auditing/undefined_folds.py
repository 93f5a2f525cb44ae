"""K10: folds in which a measure is undefined, so that a mean of folds is of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.check import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material
    from karat.predictions.table import Predictions

__all__ = ["undefined_folds"]


@check(
    "K10",
    "undefined folds",
    "warning",
    why="A mean over folds leaves such folds out, and they are not a random sample of folds.",
    fix="Read the pooled value, stratify, or take fewer folds.",
)
def undefined_folds(material: Material) -> Iterator[tuple[str, str]]:
    """Folds with one class only, or without a predicted positive."""
    for p in material.predictions:
        if p.task != "binary" or p.design.fold is None or p.positive is None:
            continue
        fold = _splits(p)
        count = int(fold.max()) + 1
        rows = np.bincount(fold, minlength=count)
        positives = np.bincount(fold, p.truth == p.positive, minlength=count)
        single = int(((positives == 0) | (positives == rows)).sum())
        # leave-one-out has one row a fold by design
        if rows.max() < 2:
            continue
        if single:
            yield (
                f"{single} of {count} folds have one class only: AUC and its kin are undefined "
                "there",
                p.model,
            )
        if p.predicted is not None:
            named = np.bincount(fold, p.predicted == p.positive, minlength=count)
            empty = int((named == 0).sum())
            if empty:
                yield (
                    f"{empty} of {count} folds have no row predicted positive: precision is "
                    "undefined there",
                    p.model,
                )


def _splits(p: Predictions) -> np.ndarray:
    assert p.design.fold is not None
    repeat = p.design.repeat
    pairs = [p.design.fold.codes.astype(np.int64)]
    if repeat is not None:
        pairs.append(repeat.codes.astype(np.int64))
    return np.unique(np.stack(pairs), axis=1, return_inverse=True)[1].ravel()
