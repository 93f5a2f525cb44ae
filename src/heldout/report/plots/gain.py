"""The charts of gain and of lift."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.core.ratio import ratio
from heldout.curves.precision_recall import interpolated
from heldout.report.plots.frame import share_axis

if TYPE_CHECKING:
    from heldout.report.plots.frame import Chart

__all__ = ["draw_gain", "draw_lift"]


def draw_gain(chart: Chart) -> None:
    """The share of positives found in the top fraction, between chance and perfection."""
    share_axis(chart.axes, "x")
    share_axis(chart.axes, "y")
    for series in chart.panel.drawn:
        chart.line(series, series.curve.x, series.curve.y)
        if series.predicted is not None:
            p = series.predicted
            chart.mark(series, ratio(p.predicted_positives, p.total), ratio(p.tp, p.positives))
    shares = {round(series.curve.prevalence, 12) for series in chart.panel.drawn}
    if len(shares) == 1:
        best = np.array([0.0, shares.pop(), 1.0])
        chart.reference(best, np.array([0.0, 1.0, 1.0]), "perfect ranking", linestyle=(0, (8, 2)))
    chart.reference(np.array([0, 1]), np.array([0, 1]), "random choice")
    chart.explain_marks()


def draw_lift(chart: Chart) -> None:
    """How many times as many positives the top fraction holds as a random choice."""
    drawn = chart.panel.drawn
    highest = max((float(np.nanmax(series.curve.y)) for series in drawn), default=1.0)
    share_axis(chart.axes, "x")
    chart.axes.set_ylim(0, 1.06 * max(highest, 1.0))
    for series in drawn:
        own = interpolated(series.curve)
        chart.line(series, own.x, own.y, marker=None)
        chart.points(series)
        if series.predicted is not None:
            p = series.predicted
            called = ratio(p.predicted_positives, p.total)
            chart.mark(series, called, ratio(ratio(p.tp, p.positives), called))
    chart.reference(np.array([0, 1]), np.array([1, 1]), "random choice")
    chart.explain_marks()
