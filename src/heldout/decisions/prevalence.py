"""What a classifier of known rates does where positives are rarer or more common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.ratio import ratio
from heldout.curves.cuts import Cuts
from heldout.decisions.records import Recorded, as_given, interval_record
from heldout.decisions.rules import Goal, goal_of
from heldout.measures.spec import parse_request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heldout.decisions.records import Record
    from heldout.tally.confusion import Confusion
    from heldout.uncertainty.cells import ConfusionBootstrap
    from heldout.uncertainty.interval import Interval

    #: counts of each repeat, and what it weighs
    Repeats = Sequence[tuple[Confusion, float]]

MEASURES = ("precision", "npv", "accuracy")
#: why the line of the rows themselves has other limits than the measure of that name
HELD = (
    "every prevalence is treated as known, including that of these rows, so "
    "its limits differ from those of the measures"
)


@dataclass(frozen=True, slots=True)
class AtPrevalence:
    """The value of a measure at a prevalence; ``is_observed``: that of the rows themselves."""

    prevalence: float
    measure: str
    value: float
    interval: Interval | None = None
    is_observed: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class PrevalenceTable(Recorded):
    """Measures at several prevalences, from the same sensitivity and false positive rate."""

    tpr: float
    fpr: float
    values: tuple[AtPrevalence, ...]

    def rows(self) -> list[Record]:
        """A record for each prevalence and measure."""
        return [
            {
                "prevalence": at.prevalence,
                "measure": at.measure,
                "value": at.value,
                **interval_record(at.interval, at.note),
            }
            for at in self.values
        ]


def from_rates(tpr: float, fpr: float, *, positive: int = 1) -> Confusion:
    """The tally of a classifier of which only the two rates are known: one row of each class.

    Examples
    --------
    >>> from_rates(0.9, 0.01).matrix().tolist()
    [[0.99, 0.01], [0.1, 0.9]]
    """
    for name, rate in (("tpr", tpr), ("fpr", fpr)):
        if not 0 <= rate <= 1:
            raise InputError(f"{name}={as_given(rate)}: a rate lies between 0 and 1")
    counts = Cuts.of_called(np.array([tpr]), np.array([fpr]), 1.0, 1.0, positive=positive)
    return replace(counts, counts=counts.counts[0])


def at_prevalence(confusion: Confusion, prevalence: float) -> Confusion:
    """The counts as they would be at another prevalence, by Bayes' rule; their total stays.

    Sensitivity and specificity are kept: right where the classes look as they did and only
    their shares differ.

    Examples
    --------
    >>> from heldout.tally.confusion import Confusion
    >>> liver = Confusion.from_matrix([[54, 32], [27, 231]], positive=1)
    >>> at_prevalence(liver, 0.25).binary.tp / at_prevalence(liver, 0.25).binary.predicted_positives
    0.4451
    """
    if not 0 <= prevalence <= 1:
        raise InputError(f"prevalence={as_given(prevalence)}: a share lies between 0 and 1")
    if confusion.positive is None:
        raise InputError("a prevalence is that of a positive class: there are several classes")
    counts = confusion.counts.astype(float)
    is_positive = confusion.truth == confusion.positive
    total = counts.sum(axis=-1, keepdims=True)
    of_class = counts[..., is_positive].sum(axis=-1, keepdims=True)
    of_rest = counts[..., ~is_positive].sum(axis=-1, keepdims=True)
    # a class without rows has no rates: all that hangs on them is undefined
    factor = np.where(
        is_positive, ratio(prevalence * total, of_class), ratio((1 - prevalence) * total, of_rest)
    )
    lacks = (of_class == 0) & (prevalence > 0) | (of_rest == 0) & (prevalence < 1)
    return replace(confusion, counts=np.where(lacks, np.nan, counts * factor))


def prevalence_table(
    confusion: Confusion,
    prevalences: Sequence[float],
    *,
    measures: Sequence[str] = MEASURES,
    profit: Any = None,
    cost: Any = None,
    level: float = 0.95,
    bootstrap: ConfusionBootstrap | None = None,
    limits: str = "bayesian",
    repeats: Repeats = (),
) -> PrevalenceTable:
    """Measures at each prevalence, and at that of the rows first.

    Parameters
    ----------
    confusion
        Counts of two classes, or what ``from_rates`` gives, which has no intervals.
    measures
        Names or specs of measures of the confusion matrix.
    profit, cost
        Value of each cell, rows = truth: adds ``profit_per_row`` or ``cost_per_row``.
    bootstrap
        Draws for the intervals, within true classes: the prevalence is given, only the two
        rates are uncertain. None: no intervals.
    limits
        The kind of bootstrap limits: see ``ConfusionBootstrap.intervals``.
    repeats
        Where rows are judged in several repeats: the counts of each and what it weighs.
        Values are means over them, as those of measures are, and limits move with them.

    Examples
    --------
    >>> table = prevalence_table(from_rates(0.9, 0.01), [0.5, 0.001])
    >>> [round(at.value, 3) for at in table.values if at.measure == "precision"]
    [0.989, 0.989, 0.083]
    """
    goals = [goal_of(name) for name in measures]
    for kind, cells in (("profit", profit), ("cost", cost)):
        if cells is not None:
            request = parse_request(f"{kind}_per_row").with_parameter("matrix", cells)
            goals.append(goal_of(request))
    binary = confusion.binary
    if not binary.positives or not binary.negatives:
        raise InputError("the rows are of one class: rates of the other are not known")
    observed = binary.positives / binary.total
    draws = None if bootstrap is None else partial(bootstrap.interval, kind=limits, level=level)
    values = [
        _over_repeats(_value(confusion, goal, share, draws, is_observed=not number), goal, repeats)
        for number, share in enumerate((observed, *prevalences))
        for goal in goals
    ]
    return PrevalenceTable(
        binary.tp / binary.positives, binary.fp / binary.negatives, tuple(values)
    )


def _value(
    confusion: Confusion,
    goal: Goal,
    prevalence: float,
    draws: Callable[..., Interval] | None,
    *,
    is_observed: bool,
) -> AtPrevalence:
    def statistic(c: Confusion) -> Any:
        return goal.value(at_prevalence(c, prevalence))

    value = float(statistic(confusion))
    interval = None if draws is None else draws(statistic, bounds=goal.bounds)
    note = HELD if is_observed and interval is not None else ""
    if np.isnan(value):
        note = f"undefined: {goal.undefined}"
    return AtPrevalence(float(prevalence), goal.name, value, interval, is_observed, note)


def _over_repeats(pooled: AtPrevalence, goal: Goal, repeats: Repeats) -> AtPrevalence:
    """The mean over repeats of what counts of all of them were interval to say."""
    if not repeats:
        return pooled
    # these rows are as they are: each repeat at its own prevalence, as a measure sees it
    values = np.array(
        [
            float(goal.value(c if pooled.is_observed else at_prevalence(c, pooled.prevalence)))
            for c, _ in repeats
        ]
    )
    known = ~np.isnan(values)
    count = int(known.sum())
    mean_of = f"mean over {len(repeats)} repeats"
    if not count:
        return replace(pooled, value=np.nan, interval=None, note=f"undefined: {goal.undefined}")
    if count < len(repeats):
        mean_of = f"mean over {count} of {len(repeats)} repeats, undefined in the others"
    weights = np.array([weight for _, weight in repeats])
    value = float(np.average(values[known], weights=weights[known]))
    interval = pooled.interval
    if interval is not None and not interval.is_absent and not np.isnan(pooled.value):
        moved = value - pooled.value
        interval = replace(interval, low=interval.low + moved, high=interval.high + moved).within(
            goal.bounds
        )
    note = "" if np.isnan(pooled.value) else pooled.note
    return replace(
        pooled, value=value, interval=interval, note="; ".join(filter(None, (mean_of, note)))
    )
