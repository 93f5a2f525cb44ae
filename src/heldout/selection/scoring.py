"""The value of a measure in every split, for every setting, and which way is better."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import is_share_of_rows, row_losses
from heldout.assess.remarks import NOT_GIVEN
from heldout.assess.values import is_split, lacking, overall
from heldout.core.errors import InputError
from heldout.core.shown import Brief
from heldout.engines.memory import Tallies
from heldout.evaluation.predictions import predictions_beside, predictions_of
from heldout.measures.kinds import SAME
from heldout.measures.spec import parse_request
from heldout.selection.sums import by_mean, lacks_parameter
from heldout.tally.moments import Moments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.learners.outcome import Outcome
    from heldout.measures.kinds import Transform
    from heldout.measures.spec import Request
    from heldout.procedures.splits import Splits

__all__ = [
    "Criterion",
    "ROUNDING",
    "Scored",
    "UNDEFINED",
    "as_good_as",
    "criterion_for",
    "scored",
    "scored_together",
]

#: how a note begins that a measure has no value in some split
UNDEFINED = "in a split"
#: values that differ by less than this share are equal but for rounding
ROUNDING = 1e-10
DEFAULT = {"binary": "accuracy", "multiclass": "accuracy", "regression": "rmse"}


@dataclass(frozen=True)
class Criterion:
    """The measure that decides, and how values are compared."""

    request: Request
    #: ``folds``: the mean over splits; ``pooled``: all folds of a repeat together
    aggregate: str = "folds"
    #: whether that was asked for; else the measure says what stands for it
    is_asked: bool = False
    #: what to know of the measure that was asked for
    note: str = ""

    @property
    def name(self) -> str:
        """The measure as it was asked for."""
        return self.request.name

    @property
    def text(self) -> str:
        """The measure with all its parameters, as it can be asked for again."""
        request = self.request
        given = [f"{key}={_written(value)}" for key, value in request.parameters]
        if request.label is not None:
            given.append(f"class={request.label!r}")
        name = request.asked or request.measure.name
        return f"{name}[{', '.join(given)}]" if given else name

    @property
    def title(self) -> str:
        """The measure as people call it."""
        return self.request.measure.title

    @property
    def direction(self) -> str:
        """``up``, ``down``, or ``target``."""
        return self.request.measure.direction

    @cached_property
    def of_means(self) -> Transform | None:
        """What makes values of means of row losses; None where the measure follows from none."""
        measure = self.request.measure
        if self.request.average or self.request.label is not None:
            return None
        if is_share_of_rows(self.request):
            return SAME
        return measure.transform if measure.needs == (Moments,) else None

    def is_of_splits(self, splits: Splits) -> bool:
        """Whether splits tell of the measure: holdouts do, folds of means over rows and areas."""
        is_line = self.of_means is not None and self.of_means.is_line
        has_folds = bool(splits.places()[:, 1].max(initial=1) > 1)
        return not has_folds or is_line or self.request.measure.by_fold

    def goodness(self, values: Any) -> NDArray[np.float64]:
        """The values such that more is better; undefined stays undefined."""
        given = np.asarray(values, np.float64)
        if self.direction == "up":
            return given
        if self.direction == "down":
            return -given
        best = self.request.measure.best
        return -np.abs(given - (0.0 if best is None else best))

    def best(self, values: Any) -> int:
        """The place of the best value, the first of equal ones; -1 where none is defined.

        Equal are values that differ by rounding only (a relative 1e-10).

        Examples
        --------
        >>> criterion_for("accuracy", "binary").best([0.5, 0.75, 0.75])
        1
        >>> criterion_for("log_loss", "binary").best([0.5, np.nan, 0.25])
        2
        """
        goodness = self.goodness(values)
        if np.isnan(goodness).all():
            return -1
        return int(np.argmax(as_good_as(goodness, float(np.nanmax(goodness)))))


def as_good_as(goodness: NDArray[np.float64], best: float) -> NDArray[np.bool_]:
    """Which values are not below a best one but by rounding: sums in another order differ so.

    Examples
    --------
    >>> as_good_as(np.array([0.96, 0.9600000000000002, 0.95]), 0.9600000000000002).tolist()
    [True, True, False]
    """
    slack = ROUNDING * abs(best) if np.isfinite(best) else 0.0
    with np.errstate(invalid="ignore"):
        return np.asarray(goodness >= best - slack)


def _written(value: Any) -> str:
    """A parameter's value as text; the cells of a matrix row by row."""
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        rows = np.asarray(value).tolist()
        return ";".join(",".join(map(str, row)) for row in rows)
    return str(value)


def criterion_for(measure: Any, task: str, *, aggregate: str | None = None) -> Criterion:
    """The criterion of a measure's name for a task, or why it cannot decide.

    Where nothing is said of the aggregate it is what stands for the measure everywhere: all folds
    together, of areas under the ROC curve the mean of the folds.
    """
    asked = request = parse_request(DEFAULT[task] if measure is None else str(measure))
    note = ""
    if asked.measure.is_sum:
        request = by_mean(asked)
        note = f"{asked.name} is a sum over rows: {request.name}, its mean, decides"
    chosen = request.measure
    if task not in chosen.tasks:
        raise InputError(
            f"{request.name} is for {' and '.join(chosen.tasks)} problems, and this one is {task}"
        )
    if chosen.direction == "none" or chosen.is_count:
        raise InputError(f"{request.name} says nothing of better or worse; choose by another")
    if is_split(request, task):
        raise InputError(
            f"{request.name} has a value for each class: choose by {request.name}_macro or "
            f"{request.name}[class=NAME]"
        )
    for parameter in chosen.parameters:
        if parameter.is_required and request.values[parameter.name] is None:
            raise InputError(lacks_parameter(asked, parameter.name))
    if aggregate not in (None, "folds", "pooled"):
        raise InputError(f"aggregate is folds or pooled, not {aggregate!r}")
    usual = "folds" if chosen.by_fold else "pooled"
    return Criterion(request, aggregate or usual, aggregate is not None, note)


@dataclass(frozen=True, eq=False, repr=False)
class Scored(Brief):
    """One setting's values: of each split, and the row losses behind them where there are any."""

    #: a value a split, NaN where undefined or failed
    values: NDArray[np.float64]
    value: float
    tallies: Tallies | None
    outcome: Outcome
    #: why values are missing
    note: str = ""

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
        return Scored(values, float("nan"), None, outcome, f"failed: {reason}")
    if beside is not None and beside.tallies is not None and _are_alike(beside.outcome, outcome):
        known = beside.tallies.predictions
        tallies = Tallies(predictions_beside(known, name, outcome, dataset))
    else:
        tallies = Tallies(predictions_of(name, outcome, dataset, splits))
    request = criterion.request
    if reason := lacking(request, tallies):
        # other settings may have what this one does not give
        return Scored(values, float("nan"), None, outcome, f"{NOT_GIVEN}{reason}")
    note = ""
    if criterion.of_means is not None:
        means = _means(row_losses(request, tallies), outcome, tallies)
        values[outcome.splits] = criterion.of_means(means)
    if np.isnan(values[outcome.splits]).any():
        # split by split the measure itself says why it is undefined
        values[outcome.splits], note = _each(request, outcome, tallies)
    if outcome.failures:
        note = f"failed in {len(outcome.failures)} splits: {outcome.failures[0][1]}"
    if criterion.aggregate == "pooled":
        value = _pooled(criterion, outcome, tallies, splits)
    else:
        # a setting that has no value everywhere is not compared with others
        value = float(np.average(values))
    return Scored(values, value, tallies, outcome, note)


def scored_together(
    criterion: Criterion,
    outcomes: Iterable[tuple[str, Outcome]],
    dataset: Dataset,
    splits: Splits,
) -> tuple[Scored, ...]:
    """The values of several settings (names and outcomes), which share what is the same."""
    made: list[Scored] = []
    for name, outcome in outcomes:
        beside = made[0] if made else None
        made.append(scored(criterion, name, outcome, dataset, splits, beside=beside))
    return tuple(made)


def _are_alike(one: Outcome, other: Outcome) -> bool:
    """Whether both predict the same rows in the same splits, and know as much of the training."""
    return (
        np.array_equal(one.splits, other.splits)
        and np.array_equal(one.rows, other.rows)
        and np.array_equal(one.split_of, other.split_of)
        and (one.train_counts is None) == (other.train_counts is None)
        and (one.train_mean is None) == (other.train_mean is None)
        and (one.train_rows is None) == (other.train_rows is None)
    )


def _means(losses: NDArray[np.float64], outcome: Outcome, tallies: Tallies) -> NDArray[np.float64]:
    """The mean loss of each split."""
    return _mean_losses(losses, outcome.split_of, tallies, len(outcome.splits))


def _mean_losses(
    losses: NDArray[np.float64], codes: NDArray[Any], tallies: Tallies, count: int
) -> NDArray[np.float64]:
    weight = tallies.predictions.weight
    if weight is None:
        return np.bincount(codes, losses, count) / np.bincount(codes, minlength=count)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.bincount(codes, losses * weight, count) / np.bincount(codes, weight, count)


def _each(request: Request, outcome: Outcome, tallies: Tallies) -> tuple[NDArray[np.float64], str]:
    """The value of each split on its own rows."""
    edges = np.searchsorted(outcome.split_of, np.arange(len(outcome.splits) + 1))
    made, note = [], ""
    for start, end in itertools.pairwise(edges):
        part = Tallies(tallies.predictions.take(np.arange(start, end)))
        found = overall(request, part)
        made.append(found.value)
        if np.isnan(found.value):
            note = note or f"{UNDEFINED} {found.note}"
    return np.array(made), note


def _pooled(criterion: Criterion, outcome: Outcome, tallies: Tallies, splits: Splits) -> float:
    """The folds of a repeat together, and the mean over repeats; NaN where a split is lacking."""
    if len(outcome.splits) < len(splits):
        return float("nan")
    repeat = tallies.predictions.design.repeat
    count, codes = (1, None) if repeat is None else (len(repeat.levels), repeat.codes)
    if criterion.of_means is not None:
        codes = np.zeros(len(outcome.rows), np.int64) if codes is None else codes
        means = _mean_losses(row_losses(criterion.request, tallies), codes, tallies, count)
        return float(np.mean(criterion.of_means(means)))
    if codes is None:
        return overall(criterion.request, tallies).value
    parts = (np.flatnonzero(codes == code) for code in range(count))
    values = [
        overall(criterion.request, Tallies(tallies.predictions.take(rows))).value for rows in parts
    ]
    return float(np.mean(values))
