"""Counts of rows: hits and errors of one class against the rest, and of all classes together."""

from __future__ import annotations

from math import inf
from typing import Any

from heldout.measures.kinds import Count
from heldout.measures.registry import measure
from heldout.tally.confusion import Binary, Confusion

__all__ = [
    "correct",
    "false_negatives",
    "false_positives",
    "incorrect",
    "negatives",
    "positives",
    "row_count",
    "true_negatives",
    "true_positives",
]

FAWCETT = "Fawcett (2006), Pattern Recognit. Lett. 27:861"
WITTEN = "Witten, Frank and Hall (2011), Data Mining, 3rd ed."


@measure(
    title="True positives",
    aliases=("tp", "hits"),
    direction="up",
    bounds=(0, inf),
    formula=r"TP",
    undefined="",
    reference=FAWCETT,
    kind=Count(),
    reaches_best=False,
)
def true_positives(b: Binary) -> Any:
    """Positive rows that are predicted positive.

    Examples
    --------
    >>> true_positives(Binary(tp=6, fp=2, fn=3, tn=9))
    6
    """
    return b.tp


@measure(
    title="False positives",
    aliases=("fp", "false_alarms"),
    direction="down",
    bounds=(0, inf),
    formula=r"FP",
    undefined="",
    reference=FAWCETT,
    kind=Count(),
)
def false_positives(b: Binary) -> Any:
    """Negative rows that are predicted positive.

    Examples
    --------
    >>> false_positives(Binary(tp=6, fp=2, fn=3, tn=9))
    2
    """
    return b.fp


@measure(
    title="False negatives",
    aliases=("fn", "misses"),
    direction="down",
    bounds=(0, inf),
    formula=r"FN",
    undefined="",
    reference=FAWCETT,
    kind=Count(),
)
def false_negatives(b: Binary) -> Any:
    """Positive rows that are predicted negative.

    Examples
    --------
    >>> false_negatives(Binary(tp=6, fp=2, fn=3, tn=9))
    3
    """
    return b.fn


@measure(
    title="True negatives",
    aliases=("tn", "correct_rejections"),
    direction="up",
    bounds=(0, inf),
    formula=r"TN",
    undefined="",
    reference=FAWCETT,
    kind=Count(),
    reaches_best=False,
)
def true_negatives(b: Binary) -> Any:
    """Negative rows that are predicted negative.

    Examples
    --------
    >>> true_negatives(Binary(tp=6, fp=2, fn=3, tn=9))
    9
    """
    return b.tn


@measure(
    title="Positives",
    aliases=("support", "condition_positives"),
    direction="none",
    bounds=(0, inf),
    formula=r"P = TP + FN",
    undefined="",
    reference=FAWCETT,
    kind=Count(),
)
def positives(b: Binary) -> Any:
    """Rows whose truth is positive.

    Examples
    --------
    >>> positives(Binary(tp=6, fp=2, fn=3, tn=9))
    9
    """
    return b.positives


@measure(
    title="Negatives",
    aliases=("condition_negatives",),
    direction="none",
    bounds=(0, inf),
    formula=r"N = FP + TN",
    undefined="",
    reference=FAWCETT,
    kind=Count(),
)
def negatives(b: Binary) -> Any:
    """Rows whose truth is negative.

    Examples
    --------
    >>> negatives(Binary(tp=6, fp=2, fn=3, tn=9))
    11
    """
    return b.negatives


@measure(
    title="Correct predictions",
    aliases=("correctly_classified",),
    direction="up",
    bounds=(0, inf),
    formula=r"\sum_k n_{kk}",
    undefined="",
    reference=WITTEN,
    kind=Count(),
    reaches_best=False,
)
def correct(c: Confusion) -> Any:
    """Rows whose predicted class is the true one.

    Examples
    --------
    >>> int(correct(Confusion.from_matrix([[5, 1], [2, 2]])))
    7
    """
    return c.correct


@measure(
    title="Incorrect predictions",
    aliases=("incorrectly_classified", "mistakes"),
    direction="down",
    bounds=(0, inf),
    formula=r"n - \sum_k n_{kk}",
    undefined="",
    reference=WITTEN,
    kind=Count(),
)
def incorrect(c: Confusion) -> Any:
    """Rows whose predicted class is not the true one.

    Examples
    --------
    >>> int(incorrect(Confusion.from_matrix([[5, 1], [2, 2]])))
    3
    """
    return c.counts[..., c.truth != c.predicted].sum(axis=-1)


@measure(
    title="Rows",
    aliases=("rows", "n", "number_of_rows"),
    direction="none",
    bounds=(0, inf),
    formula=r"n",
    undefined="",
    reference=WITTEN,
    kind=Count(),
)
def row_count(c: Confusion) -> Any:
    """All rows that were judged, or their weight.

    Examples
    --------
    >>> int(row_count(Confusion.from_matrix([[5, 1], [2, 2]])))
    10
    """
    return c.total
