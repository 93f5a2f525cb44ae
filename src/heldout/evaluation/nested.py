"""Nested cross-validation run for its interval: models without one fold, and without two."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import row_losses
from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.notes import Kind, Note
from heldout.core.shown import Brief
from heldout.engines.memory import Tallies
from heldout.evaluation.predictions import predictions_of
from heldout.procedures.apply import splits_of
from heldout.procedures.kfold import KFold
from heldout.procedures.parse import parse_procedure
from heldout.procedures.splits import PartitionSplits, Split
from heldout.uncertainty.cross_validation import nested_interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.learners.outcome import Outcome
    from heldout.measures.spec import Request
    from heldout.procedures.splits import Splits
    from heldout.uncertainty.interval import Interval

#: pairs of more folds are more fits than anybody waits for, and more rows than fit into memory
MOST_FOLDS = 100


def plain_folds(splits: Splits, dataset: Dataset) -> PartitionSplits:
    """As many folds and repeats as these, drawn without heed of the classes, as published.

    Stratified folds differ by less than their own noise, and the interval would be the naive
    one. Folds that are given (by a column or a file) stay as they are.
    """
    if not isinstance(splits, PartitionSplits) or splits.folds < 3:
        raise InputError(
            f"{argument('interval', 'nested')} takes a k-fold procedure of at least 3 folds, "
            f"not {splits.procedure}"
        )
    if splits.folds > MOST_FOLDS:
        fits = len(splits.assignment) * splits.folds * (splits.folds + 1) // 2
        raise InputError(
            f"{argument('interval', 'nested')} leaves out every pair of folds, which are {fits:,} "
            f"fits of each model along {splits.procedure}: use {MOST_FOLDS} folds or fewer "
            "(10-fold)"
        )
    try:
        procedure = parse_procedure(splits.procedure)
    except InputError:  # of a splitter or a file
        return splits
    if not isinstance(procedure, KFold):
        return splits
    plain = splits_of(replace(procedure, stratify=False, bins=None), dataset, seed=splits.seed)
    assert isinstance(plain, PartitionSplits)
    return plain


def nested_splits(splits: PartitionSplits) -> Splits:
    """For every repeat, each fold left out and each pair of folds left out."""
    listed = []
    for repeat, assignment in enumerate(splits.assignment, start=1):
        parts = [np.flatnonzero(assignment == fold) for fold in range(splits.folds)]
        held = [(k,) for k in range(splits.folds)]
        for number, out in enumerate((*held, *combinations(range(splits.folds), 2)), start=1):
            train = np.flatnonzero(~np.isin(assignment, out))
            test = np.sort(np.concatenate([parts[fold] for fold in out]))
            listed.append(Split(repeat, number, train, test))
    return splits.of_parts(listed, f"nested {splits.procedure}", notes=splits.notes)


@dataclass(frozen=True, eq=False, repr=False)
class NestedRun(Brief):
    """What models predicted without each fold and each pair of folds."""

    dataset: Dataset
    splits: PartitionSplits
    outcomes: Mapping[str, Outcome]

    def lack(self, model: str) -> Note | None:
        """Why a model has no nested interval; None where it has."""
        failures = self.outcomes[model].failures
        if not failures:
            return None
        why = f"failed in {len(failures)} fits, and every one is needed ({failures[0][1]})"
        return Note(f"{model} {why}", Kind.NO_ESTIMATE)

    def interval(self, model: str, request: Request, *, level: float) -> tuple[float, Interval]:
        """The estimate of a mean loss, and its interval."""
        outcome = self.outcomes[model]
        whole = nested_splits(self.splits)
        p = predictions_of(model, outcome, self.dataset, whole)
        losses = row_losses(request, Tallies(p))
        table = self._by_split(outcome, losses, len(whole))
        outer, inner = [], []
        count = self.splits.folds
        pairs = {pair: number for number, pair in enumerate(combinations(range(count), 2))}
        each = count + len(pairs)
        for repeat, assignment in enumerate(self.splits.assignment):
            parts = [assignment == fold for fold in range(count)]
            held = table[repeat * each : (repeat + 1) * each]
            outer.append([held[fold][parts[fold]] for fold in range(count)])
            inner.append(
                [
                    [
                        held[count + pairs[min(k, j), max(k, j)]][parts[j]]
                        for j in range(count)
                        if j != k
                    ]
                    for k in range(count)
                ]
            )
        value, interval = nested_interval(outer, inner, level=level, bounds=request.bounds)
        words = f"nested cross-validation, {self.splits.procedure} (Bates et al. 2023)"
        return value, replace(interval, method=words)

    def _by_split(
        self, outcome: Outcome, losses: NDArray[np.float64], count: int
    ) -> list[NDArray[Any]]:
        """The loss of each row of the data in each split, NaN where it was not tested."""
        by_split = [np.full(len(self.dataset), np.nan) for _ in range(count)]
        starts = np.searchsorted(outcome.split_of, np.arange(len(outcome.splits) + 1))
        for index, position in enumerate(outcome.splits.tolist()):
            part = slice(starts[index], starts[index + 1])
            by_split[position][outcome.rows[part]] = losses[part]
        return by_split
