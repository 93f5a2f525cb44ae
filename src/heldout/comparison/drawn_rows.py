"""The rows of a bootstrap sample: weighted by how often they were drawn, or written out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions

__all__ = ["drawn_rows"]


def drawn_rows(request: Request, p: Predictions, times: NDArray[Any]) -> Predictions:
    """The rows, each as often as it was drawn; rows not drawn are left out.

    Written out where a measure counts rows, to which a row of weight 2 is not two rows.
    """
    if request.counts_rows:
        return p.take(np.repeat(np.arange(len(p)), times))
    drawn = np.flatnonzero(times)
    kept = p.take(drawn)
    repeated = times[drawn].astype(float)
    return replace(kept, weight=repeated if kept.weight is None else kept.weight * repeated)
