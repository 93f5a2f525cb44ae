"""The bootstrap's own estimate: a mean over rows, each judged by models that left it out."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.forms import has_row_losses, row_losses
from heldout.assess.results import Estimand, Of, Result
from heldout.assess.values import lacking
from heldout.core.notes import Kind, Note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.core.arrays import Floats, Integers
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request

OF_MEANS = "is for means over rows, and this measure is not one"
NO_INTERVAL = Note("none is known to be valid for this estimate", Kind.NO_INTERVAL)
HOW = Note("mean over rows of each row's out-of-bag mean", Kind.ESTIMATE)


def mean_out_of_bag(losses: Floats, rows: Integers, weight: Floats | None = None) -> float:
    """The mean over rows of the mean of each row's losses: the leave-one-out bootstrap.

    Parameters
    ----------
    losses, rows
        The loss of each prediction, and the number of the row that it is of.
    weight
        The weight of each row.

    Notes
    -----
    Efron and Tibshirani (1997), J. Am. Stat. Assoc. 92:548.

    Examples
    --------
    >>> mean_out_of_bag(np.array([0.0, 1.0, 1.0]), np.array([0, 0, 1]))
    0.75
    """
    times = np.bincount(rows)
    seen = np.flatnonzero(times)
    each = np.bincount(rows, losses)[seen] / times[seen]
    return float(np.average(each, weights=None if weight is None else weight[seen]))


def out_of_bag(request: Request, tallies: Tallies) -> float:
    """The estimate of a measure that is a mean over rows, of predictions that have ids."""
    assert tallies.judged_rows is not None
    return mean_out_of_bag(row_losses(request, tallies), *tallies.judged_rows)


def out_of_bag_results(tallies: Tallies, requests: Sequence[Request]) -> Iterator[Result]:
    """The estimate of each measure after a bootstrap of rows that have ids, or why it has none."""
    if not tallies.design.plan.is_bootstrap or tallies.judged_rows is None:
        return
    rows = len(tallies.judged_rows[1])
    for request in requests:
        if has_row_losses(request, tallies):
            value = out_of_bag(request, tallies)
            yield estimate_result(Of.OUT_OF_BAG, request, tallies, value, rows, (HOW,))
        else:
            yield from no_estimate((Of.OUT_OF_BAG,), request, tallies, rows)


def estimate_result(
    of: Of,
    request: Request,
    tallies: Tallies,
    value: float,
    rows: int,
    notes: tuple[Note, ...],
) -> Result:
    """An estimate of the bootstrap, for which no interval is known to be valid."""
    p = tallies.predictions
    known = (*notes, NO_INTERVAL)
    return Result(
        request.name,
        value,
        rows,
        known,
        p.model,
        p.design.procedure,
        of=of,
        estimand=Estimand.METHOD,
    )


def no_estimate(
    kinds: Sequence[Of], request: Request, tallies: Tallies, rows: int
) -> Iterator[Result]:
    """That a measure which is no mean over rows has no estimates of these kinds."""
    p = tallies.predictions
    if not may_be_estimated(request, tallies):
        return
    for of in kinds:
        note = Note(f"{of.value} {OF_MEANS}", Kind.NO_ESTIMATE)
        yield Result(request.name, nan, rows, (note,), p.model, p.design.procedure, of=of)


def may_be_estimated(request: Request, tallies: Tallies) -> bool:
    """Whether a reader may look for an estimate: counts and single classes have none at all."""
    is_plain = request.label is None and request.measure.has_interval
    return is_plain and not lacking(request, tallies)
