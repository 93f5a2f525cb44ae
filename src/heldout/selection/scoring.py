"""The value of a measure in every split, for every setting."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import row_losses
from heldout.assess.values import lacking, overall
from heldout.core.notes import Kind
from heldout.core.shown import Brief
from heldout.engines.memory import Tallies
from heldout.evaluation.predictions import predictions_beside, predictions_of
from heldout.selection.estimate import value_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.learners.outcome import Outcome
    from heldout.measures.spec import Request
    from heldout.procedures.splits import Splits
    from heldout.selection.criterion import Criterion

__all__ = ["Scored", "scored", "scored_together"]


#: how words begin that say why a setting has no value, by what it lacks
OPENINGS = {Kind.NOT_GIVEN: "not given: ", Kind.FAILED: "failed", Kind.UNDEFINED: "in a split "}


@dataclass(frozen=True, eq=False, repr=False)
class Scored(Brief):
    """One setting's values: of each split, and the row losses behind them where there are any."""

    #: a value a split, NaN where undefined or failed
    values: NDArray[np.float64]
    value: float
    tallies: Tallies | None
    outcome: Outcome
    #: what keeps values from being there: failed fits, a model that does not give what the measure
    #: needs, a measure that is undefined in a split, or an estimate that is; and the reason
    lack: Kind | None = None
    reason: str = ""

    @property
    def note(self) -> str:
        """Why values are missing; empty where none is."""
        return "" if self.lack is None else f"{OPENINGS.get(self.lack, '')}{self.reason}"

    @property
    def is_whole(self) -> bool:
        """Whether no split failed or was left out."""
        return not self.outcome.failures and len(self.outcome.splits) == len(self.values)

    @cached_property
    def defined(self) -> NDArray[np.float64]:
        """The values that there are."""
        return self.values[~np.isnan(self.values)]


def scored(
    criterion: Criterion,
    name: str,
    outcome: Outcome,
    dataset: Dataset,
    splits: Splits,
    *,
    beside: Scored | None = None,
) -> Scored:
    """The values of one setting in all splits.

    ``beside`` is another setting along the same splits, with which it shares what it can.
    """
    values = np.full(len(splits), np.nan)
    if not len(outcome.rows):
        reason = outcome.failures[0][1] if outcome.failures else "nothing was predicted"
        return Scored(values, float("nan"), None, outcome, Kind.FAILED, f": {reason}")
    if beside is not None and beside.tallies is not None and _are_alike(beside.outcome, outcome):
        known = beside.tallies.predictions
        tallies = Tallies(predictions_beside(known, name, outcome, dataset))
    else:
        tallies = Tallies(predictions_of(name, outcome, dataset, splits))
    request = criterion.request
    if reason := lacking(request, tallies):
        # other settings may have what this one does not give
        return Scored(values, float("nan"), None, outcome, Kind.NOT_GIVEN, reason)
    lack, reason = None, ""
    if criterion.of_means is not None:
        means = _mean_losses(request, tallies, outcome.split_of, len(outcome.splits))
        values[outcome.splits] = criterion.of_means(means)
    if np.isnan(values[outcome.splits]).any():
        # split by split the measure itself says why it is undefined
        values[outcome.splits], reason = _each(request, outcome, tallies)
        lack = Kind.UNDEFINED if reason else None
    if outcome.failures:
        lack = Kind.FAILED
        reason = f" in {len(outcome.failures)} splits: {outcome.failures[0][1]}"
    if criterion.aggregate == "pooled":
        value = _pooled(criterion, outcome, tallies, splits)
    else:
        # a setting that has no value everywhere is not compared with others
        value = float(np.average(values))
    return Scored(values, value, tallies, outcome, lack, reason)


def scored_together(
    criterion: Criterion,
    outcomes: Iterable[tuple[str, Outcome]],
    dataset: Dataset,
    splits: Splits,
) -> tuple[Scored, ...]:
    """The values of several settings (names and outcomes), which share what is the same."""
    scores: list[Scored] = []
    for name, outcome in outcomes:
        beside = scores[0] if scores else None
        scores.append(scored(criterion, name, outcome, dataset, splits, beside=beside))
    return tuple(scores)


def _are_alike(first: Outcome, second: Outcome) -> bool:
    """Whether both predict the same rows in the same splits, and know as much of the training."""
    return all(
        np.array_equal(getattr(first, name), getattr(second, name))
        for name in ("splits", "rows", "split_of")
    ) and all(
        (getattr(first, name) is None) == (getattr(second, name) is None)
        for name in ("train_counts", "train_mean", "train_rows")
    )


def _mean_losses(
    request: Request, tallies: Tallies, codes: NDArray[Any], count: int
) -> NDArray[np.float64]:
    """The mean loss of the rows of each of so many codes."""
    losses, weight = row_losses(request, tallies), tallies.predictions.weight
    if weight is not None:
        losses = losses * weight
    # nothing is known of a code without rows
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.bincount(codes, losses, count) / np.bincount(codes, weight, count)


def _each(request: Request, outcome: Outcome, tallies: Tallies) -> tuple[NDArray[np.float64], str]:
    """The value of each split on its own rows, and why the first is undefined that is."""
    edges = np.searchsorted(outcome.split_of, np.arange(len(outcome.splits) + 1))
    parts = (tallies.predictions.take(np.arange(*ends)) for ends in itertools.pairwise(edges))
    results = [overall(request, Tallies(part)) for part in parts]
    undefined = (result.note for result in results if np.isnan(result.value))
    return np.array([result.value for result in results]), next(undefined, "")


def _pooled(criterion: Criterion, outcome: Outcome, tallies: Tallies, splits: Splits) -> float:
    """The folds of a repeat together, and the mean over repeats; NaN where a split is lacking."""
    if len(outcome.splits) < len(splits):
        return float("nan")
    repeat = tallies.predictions.design.repeat
    count, codes = (1, None) if repeat is None else (len(repeat.levels), repeat.codes)
    if criterion.of_means is not None:
        codes = np.zeros(len(outcome.rows), np.int64) if codes is None else codes
        means = _mean_losses(criterion.request, tallies, codes, count)
        return float(np.mean(criterion.of_means(means)))
    if codes is None:
        return overall(criterion.request, tallies).value
    parts = (np.flatnonzero(codes == code) for code in range(count))
    return float(np.mean([value_of_rows(criterion.request, tallies, rows) for rows in parts]))
