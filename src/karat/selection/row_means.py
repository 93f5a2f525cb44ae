"""Measures that follow from the mean of a loss of each row: the mean itself, or its root."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.values import lacking
from karat.evaluation.row_losses import has_row_losses
from karat.tally.moments import Moments

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from karat.engines.memory import Tallies
    from karat.measures.spec import Request

    Transform = Callable[[NDArray[np.float64]], NDArray[np.float64]]

__all__ = ["value_of_mean"]


def value_of_mean(request: Request, tallies: Tallies) -> Transform | None:
    """What makes values of the measure from means of its row losses; None where nothing does."""
    if has_row_losses(request, tallies):
        return _same
    measure = request.measure
    if lacking(request, tallies) or request.average or request.label is not None:
        return None
    if measure.needs != (Moments,) or len(measure.losses) != 1:
        return None
    from karat.assess.values import arguments_of

    (moments,) = arguments_of(request, tallies)
    values = request.values

    def of(mean: float) -> float:
        return float(measure(Moments.of(np.array([mean, mean])), **values))

    # a root of the mean depends on nothing else; a ratio of spread to mean would
    if not np.isclose(of(moments.mean), float(measure(moments, **values)), rtol=1e-12):
        return None
    return np.vectorize(of, otypes=[np.float64])


def _same(means: Any) -> NDArray[np.float64]:
    return np.asarray(means, np.float64)
