"""The chart of ROC curves, with chance, hull, bands and the labels that were predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.core.ratio import ratio
from heldout.curves.hull import hull_curve
from heldout.curves.several import hull_of_models
from heldout.report.plots.frame import share_axis

if TYPE_CHECKING:
    from heldout.report.plots.frame import Chart

__all__ = ["draw_roc", "square"]

HULL = (0, (8, 2))


def square(chart: Chart) -> None:
    """Axes from 0 to 1, of equal length."""
    share_axis(chart.axes, "x")
    share_axis(chart.axes, "y")
    chart.axes.set_aspect("equal", adjustable="box")


def draw_roc(chart: Chart) -> None:
    """Sensitivity against false positive rate."""
    square(chart)
    drawn = chart.panel.drawn
    for series in drawn:
        chart.shade(series)
        chart.line(series, series.curve.x, series.curve.y)
        if series.predicted is not None:
            p = series.predicted
            chart.mark(series, ratio(p.fp, p.negatives), ratio(p.tp, p.positives))
    if drawn and not drawn[0].class_:
        counts = {series.model: series.counts for series in drawn}
        hull = hull_of_models(counts) if len(counts) > 1 else hull_curve(drawn[0].counts)
        text = "convex hull over the models" if len(counts) > 1 else "convex hull"
        chart.reference(hull.x, hull.y, text, linestyle=HULL, linewidth=0.9)
    chart.reference(np.array([0, 1]), np.array([0, 1]), "chance")
    chart.describe_bands()
    chart.explain_marks()
