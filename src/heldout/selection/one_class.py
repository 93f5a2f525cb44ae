"""Test parts of one class only, where a ranking has no value whatever is predicted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.procedures.splits import PartitionSplits
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.procedures.splits import Splits
    from heldout.selection.criterion import Criterion

__all__ = ["defined_along"]


def defined_along(criterion: Criterion, dataset: Dataset, splits: Splits) -> Criterion:
    """The criterion, which is of all folds together where a fold has no value.

    A ranking of two classes needs rows of both; a split that has none of one has no value. Where
    the mean over splits was asked for it is an error, before any setting is fitted.
    """
    is_ranking = ScoreCounts in criterion.request.measure.needs
    if dataset.task != "binary" or criterion.aggregate != "folds" or not is_ranking:
        return criterion
    has_folds = splits.places()[:, 1].max(initial=1) > 1
    needed = set(criterion.request.measure.needs_classes)
    if not any(needed - {code} for code in _alone(dataset.truth, splits)):
        return criterion
    if has_folds and not criterion.is_asked:
        return replace(criterion, aggregate="pooled")
    raise InputError(
        f"{criterion.name} is undefined where a split tests rows of one class only, as "
        f"{splits.procedure} does here: take larger folds, or all folds together "
        f"({argument('aggregate', 'pooled')})"
    )


def _alone(truth: NDArray[np.integer], splits: Splits) -> Iterator[int]:
    """The classes that are alone in some test part."""
    if not isinstance(splits, PartitionSplits):
        for split in splits:
            own = truth[split.test]
            if len(own) and (own == own[0]).all():
                yield int(own[0])
        return
    for folds in splits.assignment:  # a split of its own costs a pass over the rows
        of_fold = np.zeros(splits.folds, truth.dtype)
        of_fold[folds] = truth
        is_mixed = np.zeros(splits.folds, bool)
        is_mixed[folds[of_fold[folds] != truth]] = True
        is_tested = np.bincount(folds, minlength=splits.folds) > 0
        yield from np.unique(of_fold[is_tested & ~is_mixed]).tolist()
