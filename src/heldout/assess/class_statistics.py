"""Measures of confusion counts as functions of many replicates of the counts at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.tally.confusion import Binary

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request
    from heldout.tally.confusion import Confusion

__all__ = ["count_statistic", "of_share_right", "table_of", "tables_of_classes"]


def table_of(request: Request, counts: Confusion) -> Any:
    """What a measure of counts is taken of: the table of all classes, or of the positive one."""
    return counts.binary if request.measure.needs[0] is Binary else counts


def tables_of_classes(request: Request, counts: Confusion) -> Any:
    """The same for each class against the rest."""
    return counts.one_vs_rest if request.measure.needs == (Binary,) else counts.versus_rest


def count_statistic(request: Request, tallies: Tallies) -> Callable[[Confusion], Any]:
    """The overall value, an average over classes, or the value of one class."""
    measure, values = request.measure, request.values

    def each(counts: Confusion) -> Any:
        """The value of each class against the rest, on the last axis."""
        return measure(tables_of_classes(request, counts), **values)

    if request.label is not None:
        index = [str(c) for c in tallies.predictions.classes].index(request.label)
        return lambda counts: each(counts)[..., index]
    if request.average == "micro":
        return lambda counts: measure(_pooled(counts.one_vs_rest), **values)
    if request.average:
        # the classes that have a say are those of the data, not of each replicate
        kept = np.flatnonzero(~np.isnan(np.asarray(each(tallies.confusion), float)))
        if request.average == "macro":
            return lambda counts: each(counts)[..., kept].mean(axis=-1)
        return lambda counts: _weighted(each(counts)[..., kept], counts.actual[..., kept])
    return lambda counts: measure(table_of(request, counts), **values)


def of_share_right(request: Request, classes: int) -> Callable[[float], float] | None:
    """An average over classes as a monotone function of the accuracy; None where it is none.

    Of a share ``a`` of right answers the pooled counts of ``classes`` classes are ``a`` true
    positives, as many false positives as false negatives, and the rest true negatives.

    Examples
    --------
    >>> from heldout.measures.spec import parse_request
    >>> of_share_right(parse_request("f_score_micro"), 3)(0.75)
    0.75
    >>> of_share_right(parse_request("specificity_micro"), 3)(0.75)
    0.875
    """
    measure = request.measure
    if request.average == "weighted":
        return None if measure.share is None else measure.share.of_right
    # what describes and does not judge is no function of the right answers
    if request.average != "micro" or measure.direction not in ("up", "down"):
        return None

    def value(right: float) -> float:
        wrong = 1 - right
        return float(measure(Binary(right, wrong, wrong, classes - 1 - wrong), **request.values))

    return value


def _pooled(one: Binary) -> Binary:
    return Binary(*(np.asarray(f).sum(axis=-1) for f in (one.tp, one.fp, one.fn, one.tn)))


def _weighted(values: Any, rows: Any) -> Any:
    # a class of which nothing was drawn has no weight, whatever its value
    return np.where(rows > 0, values * rows, 0.0).sum(axis=-1) / rows.sum(axis=-1)
