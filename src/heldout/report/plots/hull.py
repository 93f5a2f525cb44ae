"""The chart of the ROC hull: which model holds which stretch, and the thresholds at its corners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.curves.hull import hull_curve
from heldout.curves.several import hull_of_models, stretches
from heldout.report.numbers import number_text
from heldout.report.plots.roc import square
from heldout.report.plots.style import shortened

if TYPE_CHECKING:
    from heldout.curves.curve import Curve
    from heldout.report.plots.frame import Chart
    from heldout.report.plots.panels import Series

__all__ = ["draw_hull"]

#: labels of corners nearer to each other than this would overlap
APART = 0.04
#: further right a label stands left of its corner, or it would leave the picture
RIGHTMOST = 0.88
MOST_STRETCHES = 8
#: with more corners than this a hull is a smooth line
MOST_CORNERS = 60


def draw_hull(chart: Chart) -> None:
    """The curves, thin, and over them their hull with a threshold at each corner."""
    from matplotlib.lines import Line2D

    square(chart)
    drawn = chart.panel.drawn
    for series in drawn:
        chart.line(series, series.curve.x, series.curve.y, linewidth=1.0, alpha=0.75, marker=None)
    if drawn and not drawn[0].class_:
        owners = {series.model: series for series in drawn}
        if len(owners) > 1:
            hull = hull_of_models({name: series.counts for name, series in owners.items()})
            names = hull.columns["model"].tolist()
        else:
            hull = hull_curve(drawn[0].counts)
            names = [drawn[0].model] * len(hull)
        text = "convex hull over the models" if len(owners) > 1 else "convex hull"
        text += f": area {number_text(hull.area, digits=3)}"
        text += "; corners with their thresholds" if len(hull) <= MOST_CORNERS else ""
        chart.reference(hull.x, hull.y, text, **_bold())
        _corners(chart, hull, [owners.get(name) for name in names])
        if len(owners) > 1:
            _stretches(chart, hull)
    else:
        for series in drawn:
            hull = hull_curve(series.counts)
            chart.axes.plot(hull.x, hull.y, color=series.look.colour, linewidth=1.6, zorder=3)
        if drawn:
            text = "convex hull of each, in its colour"
            chart.legend.append((Line2D([], [], color="#222222", linewidth=1.6), text))
    chart.reference(np.array([0, 1]), np.array([0, 1]), "chance")


def _bold() -> dict[str, Any]:
    return {"linestyle": "-", "color": "#222222", "linewidth": 1.5, "zorder": 3}


def _stretches(chart: Chart, hull: Curve) -> None:
    """Which model holds which stretch, in words below the legend's lines."""
    from matplotlib.lines import Line2D

    parts = []
    for part in stretches(hull):
        names = " with ".join(shortened(name, 20) for name in part.models) or "chance"
        ends = [number_text(round(x, 3), digits=2) for x in (part.start, part.stop)]
        where = f"at {ends[0]}" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
        parts.append(f"{where} {names}")
    more = f"; and {len(parts) - MOST_STRETCHES} more" if len(parts) > MOST_STRETCHES else ""
    text = f"hull held, by false positive rate: {'; '.join(parts[:MOST_STRETCHES])}{more}"
    chart.legend.append((Line2D([], [], alpha=0), text))


def _corners(chart: Chart, hull: Curve, owners: list[Series | None]) -> None:
    """A dot for each corner in its model's colour, and thresholds where there is room."""
    if len(hull) > MOST_CORNERS:
        return
    said: list[tuple[float, float]] = []
    for x, y, threshold, owner in zip(hull.x, hull.y, hull.threshold, owners, strict=True):
        if owner is None or not np.isfinite(threshold):
            continue
        style: dict[str, Any] = {"color": owner.look.colour, "marker": owner.look.marker}
        chart.axes.plot(
            [x], [y], markersize=4.5, linestyle="none", zorder=5, clip_on=False, **style
        )
        if x >= 0.999 or any(abs(x - a) < 0.16 and abs(y - b) < APART for a, b in said):
            continue
        said.append((float(x), float(y)))
        chart.axes.annotate(
            number_text(float(threshold), digits=3),
            (x, y),
            xytext=(-6, -9) if x > RIGHTMOST else (6, -9),
            textcoords="offset points",
            horizontalalignment="right" if x > RIGHTMOST else "left",
            fontsize=7.5,
            color="#222222",
            zorder=6,
            bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.6},
        )
