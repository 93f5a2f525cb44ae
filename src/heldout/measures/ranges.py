"""The range of a measure for the classes and parameters at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.measures.probability_losses import squared_distances

if TYPE_CHECKING:
    from heldout.measures.spec import Request

__all__ = ["range_of"]


def range_of(request: Request, classes: int) -> tuple[float, float]:
    """The least and the greatest value that a measure can have here.

    Examples
    --------
    >>> from heldout.measures.spec import parse_request
    >>> range_of(parse_request("brier"), 3), range_of(parse_request("brier"), 2)
    ((0, 2), (0, 1.0))
    """
    least, most = request.measure.bounds
    # of two classes one column is judged, which holds half of the sum over both
    is_half = classes == 2 or bool(request.values.get("half"))
    is_sum = request.measure.losses == (squared_distances,)
    return (least, most / 2) if is_sum and is_half else (least, most)
