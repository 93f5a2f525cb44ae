"""The convex hull of the ROC curve, and the coin toss that reaches a point on it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.curves.curve import CurveKind
from heldout.curves.points import ONE_CLASS
from heldout.curves.ranking import FALSE_POSITIVE_RATE, SENSITIVITY
from heldout.tally.hull import hull

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.curves.curve import Curve
    from heldout.tally.scores import ScoreCounts

HULL = CurveKind("hull", "Convex hull of the ROC curve", FALSE_POSITIVE_RATE, SENSITIVITY)


@dataclass(frozen=True, slots=True)
class Mixture:
    """Two thresholds and how often to take each.

    A row is called positive if its score reaches ``lower``, with probability ``share``
    (tossed anew for each row), and else if it reaches ``upper``.
    """

    upper: float
    lower: float
    share: float
    false_positive_rate: float
    sensitivity: float
    #: whose thresholds they are, where the hull is over several models
    upper_model: str = ""
    lower_model: str = ""

    @property
    def is_single(self) -> bool:
        """Whether one threshold alone reaches the point."""
        return self.share in (0.0, 1.0)


def hull_curve(counts: ScoreCounts) -> Curve:
    """The upper convex hull of the ROC curve: its vertices are best for some pair of costs.

    Every point of the ROC curve lies on the hull or below it. A point of the hull between two
    vertices is reached by tossing a coin between their thresholds: see ``mixture``.

    Notes
    -----
    Exact in integers for plain counts. Provost & Fawcett (2001), Mach. Learn. 42:203.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.5, 0.3, 0.1])
    >>> curve = hull_curve(ScoreCounts.of(truth, score))
    >>> curve.x, curve.y, curve.threshold
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]), array([inf, 0.9, 0.3, 0.1]))
    >>> curve.area
    0.875
    """
    if not counts.has_both:
        return HULL.empty(counts, ONE_CLASS)
    vertex = hull(counts)
    x, y = vertex.fp / counts.total_negatives, vertex.tp / counts.total_positives
    threshold = np.where(vertex.position < 0, counts.above_all, counts.score[vertex.position])
    columns = {"tp": vertex.tp, "fp": vertex.fp}
    return HULL.of(counts, x, y, threshold, area=min(trapezoids(x, y), 1.0), columns=columns)


def trapezoids(x: NDArray[Any], y: NDArray[Any]) -> float:
    """The area under straight lines through points.

    Examples
    --------
    >>> trapezoids(np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0, 1.0]))
    2.5
    """
    return float(np.einsum("i,i->", np.diff(x), y[1:] + y[:-1]) / 2)


def slopes(curve: Curve) -> NDArray[np.float64]:
    """The slope of each edge of a hull, falling; infinite for a vertical one."""
    run, rise = np.diff(curve.x), np.diff(curve.y)
    return np.divide(rise, run, out=np.full(len(run), inf), where=run > 0)


def mixture(
    curve: Curve, false_positive_rate: float | None = None, *, sensitivity: float | None = None
) -> Mixture:
    """The coin toss between two thresholds of a hull that reaches a rate.

    Give the one rate or the other; the best value of the other comes with it.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.5, 0.3, 0.1])
    >>> toss = mixture(hull_curve(ScoreCounts.of(truth, score)), 0.125)
    >>> toss.upper, toss.lower, toss.share, toss.sensitivity
    (0.9, 0.3, 0.25, 0.625)
    """
    if (false_positive_rate is None) == (sensitivity is None):
        raise InputError("a mixture needs one rate: false_positive_rate or sensitivity")
    if curve.is_empty:
        raise InputError(f"there is no hull to mix on: {curve.reason}")
    # one of the two is there
    rate: float = sensitivity if false_positive_rate is None else false_positive_rate  # type: ignore[assignment]
    if not 0 <= rate <= 1:
        raise InputError(f"a rate must be between 0 and 1, not {rate!r}")
    known, other = (curve.x, curve.y) if sensitivity is None else (curve.y, curve.x)
    # of several vertices with the same rate the best: the last along x, the first along y
    if sensitivity is None:
        left = int(np.searchsorted(known, rate, side="right")) - 1
        right = min(left + 1, len(known) - 1)
        share = 0.0 if known[left] == rate else (rate - known[left]) / (known[right] - known[left])
    else:
        right = int(np.searchsorted(known, rate, side="left"))
        left = max(right - 1, 0)
        share = 1.0 if known[right] == rate else (rate - known[left]) / (known[right] - known[left])
    reached = float(other[left] + share * (other[right] - other[left]))
    models = curve.columns.get("model")
    return Mixture(
        float(curve.threshold[left]),
        float(curve.threshold[right]),
        float(share),
        rate if sensitivity is None else reached,
        reached if sensitivity is None else rate,
        *((str(models[left]), str(models[right])) if models is not None else ()),
    )
