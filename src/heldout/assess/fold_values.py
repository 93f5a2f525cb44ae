"""Values of all folds at once: counts and sums of each fold from one pass over the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.class_statistics import table_of
from heldout.assess.splits import is_mean_of_rows
from heldout.assess.values import is_split, losses_of
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.moments import Moments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request

__all__ = ["values_of_parts"]

#: cells of the tables of all folds that are made at once
MOST_CELLS = 4_000_000
RANKING = "ranking by scores"


def values_of_parts(
    request: Request, tallies: Tallies, codes: NDArray[np.int64], count: int
) -> NDArray[np.float64] | None:
    """The value of a measure in each part of the rows; None where parts are taken one by one.

    Parameters
    ----------
    codes
        The part of each row, from 0.

    Notes
    -----
    Measures of counts take a table a part. Means over rows are sums over sums, where every
    loss is finite; the prior of all parts is that of all rows where none is given.
    """
    p = tallies.predictions
    if request.average or request.label is not None or is_split(request, p.task):
        return None
    if request.measure.family == RANKING:  # whose values say at which default they are
        return None
    if request.measure.needs in ((Confusion,), (Binary,)):
        return _of_counts(request, tallies, codes, count)
    if request.measure.needs == (Moments,):
        return _of_means(request, tallies, codes, count)
    return None


def _of_counts(
    request: Request, tallies: Tallies, codes: NDArray[np.int64], count: int
) -> NDArray[np.float64] | None:
    p, measure = tallies.predictions, request.measure
    width = len(p.classes) ** 2
    is_alone = measure.is_test or measure.note is not None  # whose notes depend on the rows
    if is_alone or p.predicted is None or width * count > MOST_CELLS:
        return None
    key = ("counts of parts", count)
    if key not in tallies.memory:
        flat = (codes * len(p.classes) + p.truth) * len(p.classes) + p.predicted
        # in floating point, where products of counts cannot overflow
        dense = np.bincount(flat, p.weight, minlength=count * width).astype(np.float64)
        cells = np.arange(width, dtype=np.int64)
        tallies.memory[key] = Confusion(
            len(p.classes), cells, dense.reshape(count, width), p.positive, len(p)
        )
    tables = tallies.memory[key]
    with np.errstate(divide="ignore", invalid="ignore"):
        made = measure(table_of(request, tables), **request.values)
    found = np.asarray(made, dtype=np.float64)
    return found if found.shape == (count,) else None


def _of_means(
    request: Request, tallies: Tallies, codes: NDArray[np.int64], count: int
) -> NDArray[np.float64] | None:
    p, measure = tallies.predictions, request.measure
    is_regression = p.task == "regression"
    if not is_mean_of_rows(request, tallies):
        return None
    (found,) = losses_of(request)
    whole = tallies.moments(*found)
    if not np.isfinite(whole.mean) or (measure.note and measure.note(whole, **request.values)):
        return None
    rows: Any = tallies.value_rows if is_regression else tallies.probability_rows
    losses = np.asarray(found[0](rows, **found[1]), dtype=np.float64)
    weight = p.weight
    total = np.bincount(codes, weight, minlength=count).astype(np.float64)
    if not np.isfinite(losses).all() or (total == 0).any():
        return None
    sums = np.bincount(codes, losses if weight is None else losses * weight, minlength=count)
    return np.asarray(sums / total, dtype=np.float64)
