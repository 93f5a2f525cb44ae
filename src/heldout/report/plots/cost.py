"""The chart of cost curves: the lower envelope of all thresholds, and the labels predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.curves.cost import cost_line
from heldout.decisions.operating_point import CellValues
from heldout.report.numbers import number_text
from heldout.report.plots.frame import share_axis

if TYPE_CHECKING:
    from heldout.report.plots.frame import Chart

__all__ = ["draw_cost"]

AREAS = "areas without intervals: they take the best thresholds of these rows, so are optimistic"


def draw_cost(chart: Chart) -> None:
    """Normalised expected cost against probability cost, between nothing and the trivial."""
    drawn = chart.panel.drawn
    share_axis(chart.axes, "x")
    lines = {series: cost_line(s) for series in drawn if (s := series.predicted) is not None}
    ends = [float(line.y.max()) for line in lines.values() if not line.is_empty]
    chart.axes.set_ylim(0, min(1.0, 1.08 * max([0.5, *ends])))
    for series in drawn:
        made = chart.line(series, series.curve.x, series.curve.y, label=False)
        area = number_text(series.curve.area, digits=3)
        chart.legend.append((made, f"{chart.text_of(series)}, area {area}"))
        if series in lines and not lines[series].is_empty:
            x, y = lines[series].x, lines[series].y
            chart.line(series, x, y, label=False, linewidth=0.8, marker=None, alpha=0.8)
    from matplotlib.lines import Line2D

    if drawn:
        chart.legend.append((Line2D([], [], alpha=0), AREAS))
    if lines:
        thin = Line2D([], [], color="#333333", linewidth=0.8)
        chart.legend.append((thin, "thin: labels as predicted"))
    trivial = np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 0.0])
    chart.reference(*trivial, "no row, or every row, called positive")
    shares = {round(series.curve.prevalence, 12) for series in drawn}
    if len(shares) == 1:
        here = shares.pop()
        across = np.array([here, here]), np.array([0.0, 1.0])
        text = "errors of equal cost, at the share of positives of these rows"
        chart.reference(*across, text, linestyle=(0, (8, 3)), linewidth=0.8, clip_on=True)
        _mark_given(chart, here)


def _mark_given(chart: Chart, share: float) -> None:
    """Where the reader's own costs (or profits) put these rows, on every curve."""
    from matplotlib.lines import Line2D

    for kind in ("cost", "profit"):
        cells = getattr(chart.card, kind, None)
        if cells is None or chart.panel.series[0].class_:
            continue
        values = CellValues.of(cells, positive=chart.card.predictions[0].positive, kind=kind)
        missed, false = share * values.of_positive, (1 - share) * values.of_negative
        if missed < 0 or false < 0:  # wrong answers that pay have no place on this axis
            continue
        place = missed / (missed + false)
        ends = np.array([place, place]), np.array([0.0, 1.0])
        style: dict[str, Any] = {
            "color": "#333333",
            "linestyle": (0, (4, 1.5, 1, 1.5)),
            "linewidth": 0.9,
        }
        chart.reference(*ends, "", clip_on=True, **style)
        for series in chart.panel.drawn:
            height = float(np.interp(place, series.curve.x, series.curve.y))
            look: dict[str, Any] = {"marker": "*", "markersize": 9, "markeredgecolor": "white"}
            chart.axes.plot([place], [height], color=series.look.colour, zorder=5, **look)
        star = Line2D([], [], marker="*", markersize=9, **style)
        text = f"with the {kind}s given, at that share: {number_text(place, digits=3)}"
        chart.legend.append((star, text))
