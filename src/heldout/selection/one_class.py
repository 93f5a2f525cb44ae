"""Test parts of one class only, where a ranking has no value whatever is predicted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.values import overall
from heldout.core.errors import InputError
from heldout.engines.memory import Tallies
from heldout.predictions.table import Predictions
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
    for code in _single(dataset.truth, splits):
        made_up = Predictions(
            "binary",
            np.full(2, code),
            np.full(2, code),
            np.array([0.8, 0.6]) if code == 1 else np.array([0.2, 0.4]),
            dataset.classes,
            1,
        )
        found = overall(criterion.request, Tallies(made_up))
        if np.isnan(found.value) and has_folds and not criterion.is_asked:
            return replace(criterion, aggregate="pooled")
        if np.isnan(found.value):
            raise InputError(
                f"{criterion.name} is undefined where a split tests rows of one class only, as "
                f"{splits.procedure} does here: take larger folds, or all folds together "
                "(--aggregate pooled)"
            )
    return criterion


def _single(truth: NDArray[np.integer], splits: Splits) -> Iterator[int]:
    """The classes, each once, that are alone in some test part."""
    found: set[int] = set()
    for code in _alone(truth, splits):
        if code not in found:
            found.add(code)
            yield code


def _alone(truth: NDArray[np.integer], splits: Splits) -> Iterator[int]:
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
