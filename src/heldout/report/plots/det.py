"""The chart of detection error trade-off, both axes in normal deviates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.ratio import ratio
from heldout.report.plots.chart import Axis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.curves.curve import Curve
    from heldout.report.plots.curve_panel import CurvePanel

#: rates that get a tick
TICKS = (
    *(1e-5, 1e-4, 0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4),
    *(0.6, 0.8, 0.9, 0.98, 0.995, 0.999),
)
#: points that a straight piece in rates is bent by: in even steps, and in steps of deviates,
#: as it runs to infinity where it ends in a rate of 0 or 1
PIECES = 16
FURTHEST = 5.0
#: of the axis, for a label
ROOM = 0.1


def draw_det(curves: CurvePanel) -> None:
    """Misses against false alarms; a rate of 0 or 1 lies infinitely far, off the chart."""
    from heldout.core.special import ndtri

    drawn = curves.drawn
    least = min((_smallest(series.curve) for series in drawn), default=0.01)
    low = max((tick for tick in TICKS if tick < min(least, 0.1)), default=TICKS[0])
    most = max((_largest(series.curve) for series in drawn), default=0.9)
    high = min((tick for tick in TICKS if tick > max(most, 0.8)), default=TICKS[-1])
    limits = float(ndtri(low)), float(ndtri(high))
    ticks = _apart([tick for tick in TICKS if low <= tick <= high])
    labels = tuple(f"{rate * 100:g}%" for rate in ticks)
    curves.panel.x = curves.panel.y = Axis("", *limits, tuple(ndtri(ticks).tolist()), labels)
    curves.panel.is_square = True
    beyond = limits[0] - 1, limits[1] + 1
    for series in drawn:
        across, up = (np.clip(ndtri(rates), *beyond) for rates in _bent(series.curve))
        text = curves.text_of(series)
        text += "" if _is_seen(across, up, limits) else "; off the chart"
        curves.line(series, across, up, text=text, is_clipped=True, marker="")
        own = np.clip(ndtri(series.curve.x), *beyond), np.clip(ndtri(series.curve.y), *beyond)
        curves.points(series, *own, is_clipped=True)
        if (p := series.predicted) is not None:
            rates = ratio(p.fp, p.negatives), ratio(p.fn, p.positives)
            curves.mark(series, *(float(ndtri(rate)) for rate in rates))
    ends = np.array(limits)
    curves.reference(ends, -ends, "chance")
    curves.reference(ends, ends, "equal errors", dash=(0, (8, 3)), width=0.7)
    curves.explain_marks()


def _apart(ticks: list[float]) -> list[float]:
    """The ticks, from the lowest up, that leave room for each other's labels."""
    from heldout.core.special import ndtri

    room = ROOM * float(ndtri(ticks[-1]) - ndtri(ticks[0]))
    kept = [ticks[0]]
    for tick in ticks[1:]:
        if ndtri(tick) - ndtri(kept[-1]) >= room:
            kept.append(tick)
    return kept


def _inner(rates: NDArray[Any]) -> NDArray[Any]:
    return rates[(rates > 0) & (rates < 1)]


def _smallest(curve: Curve) -> float:
    inner = np.concatenate([_inner(curve.x), _inner(curve.y)])
    return float(inner.min()) if len(inner) else 0.01


def _largest(curve: Curve) -> float:
    """The largest rate worth room: beyond the middle only as far as a curve still moves."""
    inner = np.minimum(np.concatenate([_inner(curve.x), _inner(curve.y)]), 0.95)
    return float(inner.max()) if len(inner) else 0.9


def _is_seen(x: NDArray[Any], y: NDArray[Any], limits: tuple[float, float]) -> bool:
    """Whether some piece of a falling line lies within the square of the limits."""
    low, high = limits
    inside = (np.maximum(x[:-1], low) <= np.minimum(x[1:], high)) & (
        np.maximum(y[1:], low) <= np.minimum(y[:-1], high)
    )
    return bool(inside.any())


def _bent(curve: Curve) -> tuple[NDArray[Any], NDArray[Any]]:
    """The curve with points on its slanting pieces, which are straight in rates only."""
    from heldout.core.special import ndtr

    slanting = (np.diff(curve.x) != 0) & (np.diff(curve.y) != 0)
    if len(curve) > 5000 or not slanting.any():
        return curve.x, curve.y
    tails = ndtr(np.linspace(-FURTHEST, FURTHEST, 3 * PIECES))
    inner = np.unique(np.concatenate([np.arange(PIECES) / PIECES, tails]))
    count = np.where(slanting, len(inner), 1)
    piece = np.repeat(np.arange(len(count)), count)
    share = inner[np.arange(len(piece)) - np.repeat(np.cumsum(count) - count, count)]
    x = curve.x[:-1][piece] + share * np.diff(curve.x)[piece]
    y = curve.y[:-1][piece] + share * np.diff(curve.y)[piece]
    return np.append(x, curve.x[-1]), np.append(y, curve.y[-1])
