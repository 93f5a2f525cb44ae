"""The chart of precision-recall curves, curved between points as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.core.ratio import ratio
from heldout.curves.precision_recall import interpolated
from heldout.report.numbers import number_text
from heldout.report.plots.roc import square

if TYPE_CHECKING:
    from heldout.report.plots.frame import Chart

__all__ = ["draw_precision_recall"]


def draw_precision_recall(chart: Chart) -> None:
    """Precision against recall; chance is the share of positives."""
    square(chart)
    shares = set()
    for series in chart.panel.drawn:
        chart.shade(series)
        own = interpolated(series.curve)
        chart.line(series, own.x, own.y, marker=None)
        chart.points(series)
        if series.predicted is not None:
            p = series.predicted
            chart.mark(series, ratio(p.tp, p.positives), ratio(p.tp, p.predicted_positives))
        shares.add(round(series.curve.prevalence, 12))
    for i, share in enumerate(sorted(shares)):
        text = f"chance (share of positives, {number_text(share, digits=3)})"
        ends = np.array([0.0, 1.0]), np.array([share, share])
        chart.reference(*ends, text if len(shares) == 1 else ("chance (shares)" if not i else ""))
    chart.describe_bands()
    chart.explain_marks()
