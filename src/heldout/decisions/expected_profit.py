"""The decision that earns most by the class probabilities, beside the likeliest class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.codes import dense_codes
from heldout.core.errors import InputError
from heldout.core.threads import WORTH_A_THREAD, blocks, in_threads
from heldout.core.wording import plural
from heldout.decisions.records import Recorded, interval_record
from heldout.measures.profit import profit_cells, profit_per_row, valued_cells
from heldout.predictions.probabilities import improper, within_unit
from heldout.tally.confusion import Confusion
from heldout.tally.moments import Moments
from heldout.uncertainty.cell_values import group_gain_interval
from heldout.uncertainty.means import row_mean_interval
from heldout.uncertainty.sample import Sample
from heldout.uncertainty.worth import effective_sample_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.core.arrays import Array, Floats
    from heldout.decisions.records import Record
    from heldout.uncertainty.interval import Interval


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """What a way of deciding earns.

    Parameters
    ----------
    cells
        What each cell of the confusion matrix earns in all, rows = truth.
    per_row, interval
        What a row earns in the mean, and its interval; None where none was asked for.
    ties
        Rows in which two classes were equally good: the positive one was taken, as at every
        threshold, and of several classes the first in order.
    """

    name: str
    confusion: Confusion
    cells: Floats
    per_row: float
    interval: Interval | None
    ties: int

    @property
    def said(self) -> str:
        """How many ties there were, in words; nothing where there were none."""
        if not self.ties:
            return ""
        whose = "first" if self.confusion.positive is None else "positive"
        return f"{plural(self.ties, 'tie')} decided for the {whose} class"

    @property
    def total(self) -> float:
        """What all rows earn together."""
        return float(self.cells.sum())


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedProfit(Recorded):
    """The likeliest class as decision, and the one that earns most by the probabilities.

    Parameters
    ----------
    kind
        ``profit`` or ``cost``: what the numbers are.
    difference, interval
        How much more the profitable decision has a row than the likeliest class, and the
        interval from the differences row by row; None where none was asked for.
    changed
        Rows that are decided differently.
    believed
        What a row would have in the mean if the probabilities were true: far from what the
        profitable decision has, the model is not calibrated.
    """

    kind: str
    likeliest: Decided
    profitable: Decided
    difference: float
    interval: Interval | None
    changed: int
    believed: float
    n: int

    def rows(self) -> list[Record]:
        """A record for each decision, and one for their difference."""
        name = f"{self.kind}_per_row"
        records: list[Record] = [
            {
                "decision": decided.name,
                "n": self.n,
                self.kind: decided.total,
                name: decided.per_row,
                **interval_record(decided.interval, decided.said),
            }
            for decided in (self.likeliest, self.profitable)
        ]
        records.append(
            {
                "decision": "difference",
                "n": self.changed,
                self.kind: self.profitable.total - self.likeliest.total,
                name: self.difference,
                **interval_record(self.interval, "n counts the rows decided differently"),
            }
        )
        return records


def expected_profit(
    truth: Array,
    probability: Array,
    cells: Any,
    *,
    kind: str = "profit",
    weight: Array | None = None,
    groups: Array | None = None,
    positive: int | None = None,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 1,
    intervals: Callable[[Array, float], Interval] | None = None,
    of_difference: Callable[[Array], Interval] | None = None,
) -> ExpectedProfit:
    """What deciding by expected profit earns, beside deciding for the likeliest class.

    Parameters
    ----------
    truth
        Class codes.
    probability
        A column per class; or, of two classes, that of the class ``positive``.
    cells
        Profit (or cost) of each true and decided class, rows = truth.
    groups
        A code for each row: rows of one group depend on each other.
    replicates, seed
        For the interval of the difference of rows in groups; 0: no intervals at all.
    intervals, of_difference
        Make the interval of what decisions (class codes) earn a row, from them and that
        value, and of the difference, from what each row gains; None: as the notes say.

    Notes
    -----
    Elkan (2001), IJCAI, 973. What a decision earns, and the difference, have Student's t of what
    rows (or groups) earn where nothing else makes their interval; the difference of rows in
    groups, of up to ten classes, is made of draws of kinds of rows (``interval_of_gains``).

    Examples
    --------
    >>> both = expected_profit(
    ...     np.array([0, 1, 0, 1]),
    ...     np.array([0.1, 0.3, 0.4, 0.9]),
    ...     ((0, 1), (5, 0)),
    ...     kind="cost",
    ...     positive=1,
    ...     replicates=0,
    ... )
    >>> both.likeliest.total, both.profitable.total, both.difference
    (5.0, 1.0, -1.0)
    """
    table = probability_table(probability, positive)
    classes = table.shape[1]
    values = valued_cells(cells, kind, classes=classes)
    sign = -1.0 if kind == "cost" else 1.0
    best, expected, ties = profitable_classes(table, sign * values, positive=positive)
    bounds = (float(values.min()), float(values.max()))
    # nothing is rounded here, so a tie is one exactly: the labels that scores imply
    likely, _, likely_ties = profitable_classes(table, np.eye(classes), positive=positive, tie=0.0)

    def decided(name: str, choice: Array, tied: int) -> Decided:
        confusion = Confusion.of(truth, choice, weight, classes=classes, positive=positive)
        value = float(profit_per_row(confusion, matrix=values))
        interval = None
        if replicates and intervals is not None:
            interval = intervals(choice, value)
        elif replicates:
            earned = values[truth, choice]
            interval = row_mean_interval(earned, weight, groups, level=level, has_tails=True)
            interval = interval.within(bounds)
        return Decided(name, confusion, profit_cells(confusion, values), value, interval, tied)

    gained = values[truth, best] - values[truth, likely]
    changed = int(np.count_nonzero(best != likely))
    interval = None
    if replicates and of_difference is not None:
        interval = of_difference(gained)
    elif replicates and groups is not None and classes <= MOST_COMPARED:
        drawing: Any = {"level": level, "replicates": replicates, "seed": seed}
        interval = interval_of_gains(truth, likely, best, values, groups, weight, **drawing)
    elif replicates:
        interval = row_mean_interval(gained, weight, groups, level=level, has_tails=True)
    if interval is not None and not changed:
        interval = interval.noted("the decisions agree on every row")
    return ExpectedProfit(
        kind,
        decided("likeliest class", likely, likely_ties),
        decided(f"{'largest' if kind == 'profit' else 'least'} expected {kind}", best, ties),
        Moments.of(gained, weight).mean,
        interval,
        changed,
        sign * float(np.average(expected, weights=weight)),
        len(truth),
    )


#: classes above which kinds of rows are too many to be drawn
MOST_COMPARED = 10


def interval_of_gains(
    truth: Array,
    before: Array,
    after: Array,
    values: Floats,
    groups: Array,
    weight: Array | None = None,
    *,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 1,
) -> Interval:
    """The interval of what rows in groups gain in the mean by another decision.

    Rows are of a kind by class codes of their truth and of both decisions; kinds that no row is
    of are drawn too. ``values``: what a row is worth in each cell, rows = truth.
    """
    classes = len(values)
    own, first, second = np.indices((classes,) * 3).reshape(3, -1)
    kind = (truth.astype(np.int64) * classes + before) * classes + after
    present, codes = dense_codes(groups)
    code = codes.astype(np.int64) * len(own) + kind
    table = np.bincount(code, weight, minlength=present * len(own)).reshape(-1, len(own))
    rows = float(len(kind))
    if weight is not None:
        rows = effective_sample_size(float(weight.sum()), float(np.square(weight).sum()))
    return group_gain_interval(
        Sample(*np.unique(table, axis=0, return_counts=True)),
        values[own, second] - values[own, first],
        first == second,
        rows=rows,
        level=level,
        replicates=replicates,
        seed=seed,
    )


#: expected profits that differ by less, relative to the largest cell, are equal
TIE = 1e-12


def profitable_classes(
    probability: Array, values: Array, *, positive: int | None = None, tie: float = TIE
) -> tuple[Array, Array, int]:
    """The class of largest expected value for each row, that value, and the number of ties.

    ``values`` has the truth as rows: deciding for class j earns the sum over i of the
    probability of i times ``values[i, j]``. A tie goes to the class ``positive``, as a score
    at the threshold does; where there is none, to the first in order.

    Examples
    --------
    >>> chosen, expected, ties = profitable_classes(
    ...     np.array([[0.8, 0.2], [0.5, 0.5]]), np.array([[0.0, -1.0], [-5.0, 0.0]])
    ... )
    >>> chosen, expected, ties
    (array([1, 1]), array([-0.8, -0.5]), 0)
    """
    count = len(probability)
    chosen, best = np.empty(count, np.int64), np.empty(count)
    slack = tie * float(np.abs(values).max(initial=0.0))

    def work(span: slice) -> int:
        # not by np.dot, whose threads would wait for each other on a busy machine; a row a
        # class, as few long rows are gone through faster than many short ones
        expected = np.ascontiguousarray(np.einsum("ij,jk->ki", probability[span], values))
        top = expected.max(axis=0)
        tied = expected >= top - slack
        first = np.argmax(tied, axis=0)
        chosen[span] = first if positive is None else np.where(tied[positive], positive, first)
        best[span] = top
        return int(np.count_nonzero(np.add.reduce(tied, axis=0, dtype=np.int32) > 1))

    spans = list(blocks(count))
    ties = in_threads(work, spans) if count >= WORTH_A_THREAD else [work(span) for span in spans]
    return chosen, best, sum(ties)


def probability_table(probability: Array, positive: int | None) -> Floats:
    """The probabilities as a column per class, or an error where they are none."""
    table = np.asarray(probability, float)
    if table.ndim == 1:
        if positive is None:
            raise InputError("one column of probabilities: say which class it is of (positive)")
        columns = (1 - table, table) if positive else (table, 1 - table)
        table = np.stack(columns, axis=1)
    table, _ = within_unit(table, float(table.min(initial=0.0)), float(table.max(initial=1.0)))
    lowest, highest = float(table.min(initial=0.0)), float(table.max(initial=1.0))
    if np.isnan(lowest):
        row = int(np.argmax(np.isnan(table).any(axis=1)))
        raise InputError(f"expected profit needs probabilities: row {row} has no number")
    problem = improper(table, lowest, highest) if len(table) else None
    if problem is not None:
        row = int(np.argmax(problem.bad))
        raise InputError(f"expected profit needs probabilities: those of row {row} {problem.what}")
    return table
