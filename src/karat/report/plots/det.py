"""The chart of detection error trade-off, both axes in normal deviates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.ratio import ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.curves.curve import Curve
    from karat.report.plots.frame import Chart

__all__ = ["draw_det"]

#: rates that get a tick
TICKS = (
    1e-5,
    1e-4,
    0.001,
    0.005,
    0.02,
    0.05,
    0.1,
    0.2,
    0.4,
    0.6,
    0.8,
    0.9,
    0.98,
    0.995,
    0.999,
)
#: points that a straight piece in rates is bent by
PIECES = 12
#: of the axis, for a label
ROOM = 0.1


def draw_det(chart: Chart) -> None:
    """Misses against false alarms; a rate of 0 or 1 lies infinitely far, off the chart."""
    from scipy.special import ndtri

    drawn = chart.panel.drawn
    least = min((_smallest(series.curve) for series in drawn), default=0.01)
    low = max((tick for tick in TICKS if tick < min(least, 0.1)), default=TICKS[0])
    most = max((_largest(series.curve) for series in drawn), default=0.9)
    high = min((tick for tick in TICKS if tick > max(most, 0.8)), default=TICKS[-1])
    limits = float(ndtri(low)), float(ndtri(high))
    ticks = _apart([tick for tick in TICKS if low <= tick <= high])
    for axis in (chart.axes.xaxis, chart.axes.yaxis):
        axis.set_ticks(ndtri(ticks), [_percent(tick) for tick in ticks])
    chart.axes.set_xlim(*limits)
    chart.axes.set_ylim(*limits)
    chart.axes.set_aspect("equal", adjustable="box")
    beyond = limits[0] - 1, limits[1] + 1
    for series in drawn:
        x, y = _bent(series.curve)
        across, up = (np.clip(ndtri(rates), *beyond) for rates in (x, y))
        chart.line(series, across, up, clip_on=True)
        if series.predicted is not None:
            p = series.predicted
            rates = ratio(p.fp, p.negatives), ratio(p.fn, p.positives)
            if all(low <= rate <= high for rate in rates):
                chart.mark(series, *(float(ndtri(rate)) for rate in rates))
    ends = np.array(limits)
    chart.reference(ends, -ends, "chance", clip_on=True)
    chart.reference(ends, ends, "equal errors", linestyle=(0, (8, 3)), linewidth=0.7)
    chart.explain_marks()


def _apart(ticks: list[float]) -> list[float]:
    """The ticks, from the lowest up, that leave room for each other's labels."""
    from scipy.special import ndtri

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


def _bent(curve: Curve) -> tuple[NDArray[Any], NDArray[Any]]:
    """The curve with points on its slanting pieces, which are straight in rates only."""
    slanting = (np.diff(curve.x) != 0) & (np.diff(curve.y) != 0)
    if len(curve) > 5000 or not slanting.any():
        return curve.x, curve.y
    count = np.where(slanting, PIECES, 1)
    piece = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(piece)) - np.repeat(np.cumsum(count) - count, count)
    share = place / count[piece]
    x = curve.x[:-1][piece] + share * np.diff(curve.x)[piece]
    y = curve.y[:-1][piece] + share * np.diff(curve.y)[piece]
    return np.append(x, curve.x[-1]), np.append(y, curve.y[-1])


def _percent(rate: float) -> str:
    return f"{rate * 100:g}%"
