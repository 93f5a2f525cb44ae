"""The value of a measure in every split, for every setting."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.out_of_bag import out_of_bag
from heldout.assess.part_values import values_by_part
from heldout.assess.results import Of
from heldout.assess.values import lacking
from heldout.core.notes import Kind
from heldout.core.shown import Brief
from heldout.engines.memory import Tallies
from heldout.evaluation.predictions import predictions_beside, predictions_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from heldout.assess.part_values import PartValues
    from heldout.datasets.dataset import Dataset
    from heldout.learners.outcome import Outcome
    from heldout.measures.spec import Request
    from heldout.procedures.splits import Splits
    from heldout.selection.criterion import Criterion

#: what rows are grouped by for the value of each split
SPLITS = ("repeat", "fold")

#: what is said of a setting that has no value, by what it lacks
WORDS = {
    Kind.NOT_GIVEN: "not given: {reason}",
    Kind.FAILED: "failed{where}: {reason}",
    Kind.UNDEFINED: "in a split {reason}",
    Kind.NO_ESTIMATE: "{reason}",
}


@dataclass(frozen=True, eq=False, repr=False)
class Scored(Brief):
    """One setting's values in the splits, the one that stands for it, and what they are of."""

    request: Request
    #: a value a split, NaN where undefined or failed
    values: NDArray[np.float64]
    outcome: Outcome
    tallies: Tallies | None = None
    #: by which the setting is chosen: an average of its values, or an estimate of its own
    value: float = nan
    #: what keeps values from being there: failed fits, a model that does not give what the measure
    #: needs, a measure that is undefined in a split, or an estimate that is; and the reason
    lack: Kind | None = None
    reason: str = ""
    #: where fits failed, in words
    where: str = ""

    @property
    def note(self) -> str:
        """Why values are missing; empty where none is."""
        return "" if self.lack is None else self.worded(self.reason)

    def worded(self, reason: str) -> str:
        """What is said where values are missing for a reason."""
        return "" if self.lack is None else WORDS[self.lack].format(reason=reason, where=self.where)

    @property
    def is_whole(self) -> bool:
        """Whether no split failed or was left out."""
        return not self.outcome.failures and len(self.outcome.splits) == len(self.values)

    def averaged(self, of: str) -> float:
        """What stands for all splits: their mean (``folds``), the folds of a repeat together
        (``pooled``), or rows each judged out of the bag.

        NaN where a split has no value: such a setting is not compared with others.
        """
        if of == Of.OUT_OF_BAG.value and self.is_whole:
            return out_of_bag(self.request, self.known)
        return self.pooled if of == "pooled" else float(np.mean(self.values))

    @cached_property
    def pooled(self) -> float:
        """The folds of a repeat together, and the mean over repeats."""
        if self.tallies is None or not self.is_whole:
            return nan
        return mean_over_parts(self.request, self.tallies, ("repeat",))

    @property
    def known(self) -> Tallies:
        """The tallies, of a setting that is known to have predictions."""
        assert self.tallies is not None
        return self.tallies


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
    request, values = criterion.request, np.full(len(splits), np.nan)
    if not len(outcome.rows):
        reason = outcome.failures[0][1] if outcome.failures else "nothing was predicted"
        return Scored(request, values, outcome, lack=Kind.FAILED, reason=reason)
    if beside is not None and beside.tallies is not None and _are_alike(beside.outcome, outcome):
        known = beside.tallies.predictions
        tallies = Tallies(predictions_beside(known, name, outcome, dataset))
    else:
        tallies = Tallies(predictions_of(name, outcome, dataset, splits))
    if reason := lacking(request, tallies):
        # other settings may have what this one does not give
        return Scored(request, values, outcome, lack=Kind.NOT_GIVEN, reason=reason)
    by_split = _by_part(request, tallies, SPLITS)
    first_rows = by_split.parts.order[by_split.parts.starts[:-1]]
    values[outcome.splits[outcome.split_of[first_rows]]] = by_split.values
    lack, where = None, ""
    if outcome.failures:
        lack, where = Kind.FAILED, f" in {len(outcome.failures)} splits"
        reason = outcome.failures[0][1]
    elif np.isnan(by_split.values).any():
        lack = Kind.UNDEFINED
        reason = by_split.value(int(np.argmax(np.isnan(by_split.values)))).note
    score = Scored(request, values, outcome, tallies, lack=lack, reason=reason, where=where)
    return replace(score, value=score.averaged(criterion.aggregate))


def _by_part(request: Request, tallies: Tallies, by: tuple[str, ...]) -> PartValues:
    ((line,),) = values_by_part(tallies.parts(*by), [(request, False)])
    return line


def mean_over_parts(
    request: Request, tallies: Tallies, by: tuple[str, ...], count: int = 1
) -> float:
    """The mean of the values of all parts; NaN where fewer than ``count`` of them have rows."""
    values = _by_part(request, tallies, by).values if tallies.rows else np.zeros(0)
    return float(np.mean(values)) if len(values) >= count else nan


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
