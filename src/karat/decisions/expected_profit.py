"""The decision that earns most by the class probabilities, beside the likeliest class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.core.threads import WORTH_A_THREAD, blocks, in_threads
from karat.decisions.records import columns_of, interval_record
from karat.intervals.cell_intervals import ConfusionBootstrap
from karat.intervals.means import mean_interval
from karat.measures.cell_values import cells_of
from karat.measures.profit import profit_cells, profit_per_row
from karat.predictions.part import plural
from karat.tally.confusion import Confusion
from karat.tally.moments import Moments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.decisions.records import Record
    from karat.intervals.interval import Interval

__all__ = ["Decided", "ExpectedProfit", "expected_profit", "profitable_classes"]

#: by how much probabilities may miss 1 in sum
SUM_TOLERANCE = 1e-6
#: with more classes the cells are too many to be drawn
MOST_CLASSES = 50
#: expected profits that differ by less, relative to the largest cell, are equal
TIE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """What a way of deciding earns.

    Parameters
    ----------
    cells
        What each cell of the confusion matrix earns in all, rows = truth.
    per_row, interval
        What a row earns in the mean; its interval by bootstrap of the cells.
    ties
        Rows in which two classes were equally good: the positive one was taken, as at every
        threshold, and of several classes the first in order.
    """

    name: str
    confusion: Confusion
    cells: NDArray[np.float64]
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
class ExpectedProfit:
    """The likeliest class as decision, and the one that earns most by the probabilities.

    Parameters
    ----------
    kind
        ``profit`` or ``cost``: what the numbers are.
    difference, interval
        How much more the profitable decision has a row than the likeliest class, and the
        interval from the differences row by row.
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
    interval: Interval
    changed: int
    believed: float
    n: int

    def rows(self) -> list[Record]:
        """A record for each decision, and one for their difference."""
        name = f"{self.kind}_per_row"
        made: list[Record] = [
            {
                "decision": decided.name,
                "n": self.n,
                self.kind: decided.total,
                name: decided.per_row,
                **interval_record(decided.interval, decided.said),
            }
            for decided in (self.likeliest, self.profitable)
        ]
        said = ("n: the rows decided differently", self.interval.note)
        made.append(
            {
                "decision": "difference",
                "n": self.changed,
                self.kind: self.profitable.total - self.likeliest.total,
                name: self.difference,
                **interval_record(self.interval, "; ".join(filter(None, said))),
            }
        )
        return made

    def columns(self) -> dict[str, list[Any]]:
        """The same column by column."""
        return columns_of(self.rows())


def profitable_classes(
    probability: NDArray[Any],
    values: NDArray[Any],
    *,
    positive: int | None = None,
    tie: float = TIE,
) -> tuple[NDArray[Any], NDArray[Any], int]:
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
        # not by np.dot, whose threads would wait for each other on a busy machine
        expected = np.einsum("ij,jk->ik", probability[span], values)
        top = expected.max(axis=1)
        tied = expected >= top[:, None] - slack
        first = np.argmax(tied, axis=1)
        chosen[span] = first if positive is None else np.where(tied[:, positive], positive, first)
        best[span] = top
        return int((tied.sum(axis=1) > 1).sum())

    spans = list(blocks(count))
    ties = in_threads(work, spans) if count >= WORTH_A_THREAD else [work(span) for span in spans]
    return chosen, best, sum(ties)


def expected_profit(
    truth: NDArray[Any],
    probability: NDArray[Any],
    cells: Any,
    *,
    kind: str = "profit",
    predicted: NDArray[Any] | None = None,
    weight: NDArray[Any] | None = None,
    positive: int | None = None,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 1,
) -> ExpectedProfit:
    """What deciding by expected profit earns, beside deciding for the likeliest class.

    Parameters
    ----------
    truth
        Class codes.
    probability
        A column a class; or, of two classes, that of the class ``positive``.
    cells
        Profit (or cost) of each true and decided class, rows = truth.
    predicted
        The decisions to compare with, where they are not the likeliest class.
    replicates, seed
        For the intervals of what each decision earns; 0: none.

    Notes
    -----
    Elkan (2001), IJCAI, 973. What a decision earns has its interval by bootstrap of the
    cells; of weighted rows, or of more than 50 classes, Student's t of what the rows earn.

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
    if kind not in ("profit", "cost"):
        raise InputError(f"the value of a cell is a profit or a cost, not a {kind!r}")
    table = _checked(probability, positive)
    classes = table.shape[1]
    values = cells_of(cells, classes=classes, where=f"the {kind} matrix")
    sign = -1.0 if kind == "cost" else 1.0
    best, expected, ties = profitable_classes(table, sign * values, positive=positive)
    bounds = (float(values.min()), float(values.max()))
    likely_ties = 0
    if predicted is None:
        # nothing is rounded here, so a tie is one exactly: the labels that scores imply
        predicted, _, likely_ties = profitable_classes(
            table, np.eye(classes), positive=positive, tie=0.0
        )

    def decided(name: str, choice: NDArray[Any], tied: int) -> Decided:
        made = Confusion.of(truth, choice, weight, classes=classes, positive=positive)
        interval = None
        if replicates and weight is None and classes <= MOST_CLASSES:
            bootstrap = ConfusionBootstrap.of(made, replicates=replicates, seed=seed)
            interval = bootstrap.interval(
                lambda c: profit_per_row(c, matrix=values), level=level, bounds=bounds
            )
        elif replicates:
            earned = Moments.of(values[truth, choice], weight)
            interval = mean_interval(earned, level=level, bounds=bounds)
        return Decided(
            name,
            made,
            profit_cells(made, values),
            float(profit_per_row(made, matrix=values)),
            interval,
            tied,
        )

    moments = Moments.of(values[truth, best] - values[truth, predicted], weight)
    changed = int(np.count_nonzero(best != predicted))
    interval = mean_interval(moments, level=level)
    if not changed:
        interval = interval.noted("the decisions agree on every row")
    return ExpectedProfit(
        kind,
        decided("likeliest class", predicted, likely_ties),
        decided(f"{'largest' if kind == 'profit' else 'least'} expected {kind}", best, ties),
        moments.mean,
        interval,
        changed,
        sign * float(np.average(expected, weights=weight)),
        len(truth),
    )


def _checked(probability: NDArray[Any], positive: int | None) -> NDArray[np.float64]:
    """The probabilities as a column a class, or an error where they are none."""
    table = np.asarray(probability, float)
    if table.ndim == 1:
        if positive is None:
            raise InputError("one column of probabilities: say which class it is of (positive)")
        table = np.stack([1 - table, table] if positive else [table, 1 - table], axis=1)
    bad = ~((table >= 0) & (table <= 1)).all(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            f"expected profit needs probabilities: row {row} has {table[row].tolist()[:5]}"
        )
    off = np.abs(table.sum(axis=1) - 1) > SUM_TOLERANCE * (1 + 1e-6)
    if off.any():
        row = int(np.argmax(off))
        raise InputError(
            "expected profit needs probabilities: "
            f"those of row {row} sum to {table[row].sum():.9g}, not 1"
        )
    return table
