"""Which measures are the same whichever of two classes is called positive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.tally.confusion import Confusion
from heldout.tally.moments import Moments

if TYPE_CHECKING:
    from heldout.measures.spec import Request

__all__ = ["depends_on_positive"]

#: the same for either class, though made of the counts or the ranking of one
EITHER = {
    "auc",
    "calibration_slope",
    "diagnostic_odds_ratio",
    "discrimination_chi_square",
    "discrimination_index",
    "gini",
    "informedness",
    "kolmogorov_smirnov",
    "markedness",
    "nagelkerke_r2",
    "phi_coefficient",
    "quality_index",
    "spiegelhalter_p_value",
    "spiegelhalter_z",
    "uncertainty",
    "unreliability_chi_square",
    "unreliability_index",
    "unreliability_p_value",
}


def depends_on_positive(request: Request) -> bool:
    """Whether a measure may have another value for the other of two classes.

    Examples
    --------
    >>> from heldout.measures.spec import parse_request
    >>> [depends_on_positive(parse_request(name)) for name in ("auc", "log_loss", "mcc")]
    [False, False, False]
    >>> names = ("recall", "recall_macro", "recall[class=a]")
    >>> [depends_on_positive(parse_request(name)) for name in names]
    [True, False, False]
    """
    if request.label is not None or request.average:
        return False
    chosen = request.measure
    is_of_all = set(chosen.needs) <= {Confusion, Moments}
    has_cells = any(one.is_required for one in chosen.parameters)
    return has_cells or not (is_of_all or chosen.name in EITHER)
