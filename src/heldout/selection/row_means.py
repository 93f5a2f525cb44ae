"""Measures that follow from the mean of a loss of each row: the mean itself, or its root."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import is_share_of_rows
from heldout.tally.moments import Moments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.measures.spec import Request

__all__ = ["Transform", "value_of_mean"]

#: means of row losses to values of a measure
Transform = Callable[[Any], Any]

#: means at which a measure is looked at, to know it as a function of the mean
MEANS = np.array([0.09, 0.5, 2.0, 30.0])
#: how far rows lie from their mean, which must not change a value
SPREADS = (0.0, 0.05)


def value_of_mean(request: Request) -> Transform | None:
    """What makes values of the measure from means of its row losses; None where nothing does.

    Examples
    --------
    >>> from heldout.measures.spec import parse_request
    >>> means = np.array([0.25, 4.0])
    >>> value_of_mean(parse_request("rmse"))(means).tolist()
    [0.5, 2.0]
    >>> value_of_mean(parse_request("accuracy"))(means).tolist()
    [0.25, 4.0]
    >>> value_of_mean(parse_request("auc")) is None
    True
    """
    if request.average or request.label is not None or request.measure.is_sum:
        return None
    if is_share_of_rows(request):
        return _same
    if request.measure.needs != (Moments,) or len(request.measure.losses) != 1:
        return None

    def of(mean: float, spread: float = 0.0) -> float:
        rows = Moments.of(np.array([mean - spread, mean + spread]))
        return float(request.measure(rows, **request.values))

    line = partial(_line, of(0.0), of(1.0) - of(0.0))
    for known in (_same, np.sqrt, line):
        wanted = known(MEANS)
        if all(np.allclose(wanted, [of(m, s) for m in MEANS], rtol=1e-12, atol=0) for s in SPREADS):
            return known
    return None


def _same(means: Any) -> NDArray[np.float64]:
    return np.asarray(means, np.float64)


def _line(first: float, rise: float, means: Any) -> NDArray[np.float64]:
    return np.asarray(first + rise * means, np.float64)
