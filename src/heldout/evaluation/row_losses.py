"""The loss of each row behind a measure that is a mean over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.splits import is_mean_of_rows
from heldout.assess.values import lacking, losses_of
from heldout.tally.confusion import Confusion
from heldout.tally.moments import Moments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request

__all__ = ["has_row_losses", "is_share_of_rows", "row_losses"]


def has_row_losses(request: Request, tallies: Tallies) -> bool:
    """Whether the measure is the mean of a loss that each row has."""
    if lacking(request, tallies) or request.average or request.label is not None:
        return False
    if is_share_of_rows(request):
        return tallies.has_labels
    return request.measure.needs == (Moments,) and is_mean_of_rows(request, tallies)


def is_share_of_rows(request: Request) -> bool:
    """Whether the measure counts rows that are right, or wrong, of whichever class."""
    share = request.measure.share
    return request.measure.needs == (Confusion,) and share is not None


def row_losses(request: Request, tallies: Tallies) -> NDArray[np.float64]:
    """The loss of each row; its mean is the measure's value."""
    p = tallies.predictions
    share = request.measure.share
    if is_share_of_rows(request) and share is not None and share.of_right is not None:
        right = np.asarray(p.truth == p.predicted, dtype=np.float64)
        return np.asarray(share.of_right(right))
    (found,) = losses_of(request)
    loss, given = found
    rows: Any = tallies.value_rows if p.task == "regression" else tallies.probability_rows
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(loss(rows, **given), dtype=np.float64)
