"""The chart of cross-validation: the folds' ROC curves, their vertical average, the pooled one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from karat.curves.folds import pooled
from karat.curves.roc import roc
from karat.curves.sources import folds_of, tallies_of
from karat.report.plots.roc import square
from karat.report.plots.style import LIGHT
from karat.report.plots.thin import thinned

if TYPE_CHECKING:
    from karat.report.plots.frame import Chart

__all__ = ["draw_folds"]


def draw_folds(chart: Chart) -> None:
    """The average of each series with its band; of a single one its folds and pooled curve."""
    square(chart)
    drawn = chart.panel.drawn
    for series in drawn:
        chart.shade(series)
        made = chart.line(series, series.curve.x, series.curve.y, label=False, marker=None)
        text = chart.text_of(series, has_interval=False).replace("AUC", "mean AUC", 1)
        chart.legend.append((made, f"{text}; {series.curve.note}"))
    if len(drawn) == 1:
        series = drawn[0]
        folds = folds_of(tallies_of(chart.card, series.model), series.class_ or None)
        curves = [c for counts in folds.values() if not (c := roc(counts)).is_empty]
        for number, own in enumerate(curves):
            text = f"single folds ({len(curves)})" if not number else ""
            x, y = thinned(own.x, own.y)
            chart.reference(x, y, text, color=LIGHT, linestyle="-", linewidth=0.7, zorder=1)
        together = pooled(folds)
        x, y = thinned(together.x, together.y)
        text = f"folds pooled: {chart.text_of(replace(series, curve=together, name=''))}"
        chart.reference(x, y, text, color="#111111", linestyle=(0, (5, 1.6)), linewidth=1.2)
    chart.reference(np.array([0, 1]), np.array([0, 1]), "chance")
    chart.describe_bands()
