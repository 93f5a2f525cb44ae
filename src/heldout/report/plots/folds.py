"""The chart of cross-validation: the folds' ROC curves, their vertical average, the pooled one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.curves.folds import pooled
from heldout.curves.roc import roc
from heldout.curves.sources import folds_of, tallies_of
from heldout.measures.spec import of_class
from heldout.report.numbers import number_text, with_limits
from heldout.report.plots.asked import MOST_BANDS
from heldout.report.plots.roc import square
from heldout.report.plots.style import LIGHT
from heldout.report.plots.thin import thinned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.report.plots.frame import Chart
    from heldout.report.plots.panels import Series
    from heldout.tally.scores import ScoreCounts

__all__ = ["draw_folds"]

DASHES = (0, (5, 1.6))


def draw_folds(chart: Chart) -> None:
    """The average of each series with its band and the pooled curve; of a single one its folds."""
    square(chart)
    drawn = chart.panel.drawn
    for series in drawn:
        chart.shade(series)
        made = chart.line(series, series.curve.x, series.curve.y, label=False, marker=None)
        chart.legend.append((made, f"{_mean_text(chart, series)}; {series.curve.note}"))
    for series in drawn if len(drawn) <= MOST_BANDS else ():
        folds = folds_of(tallies_of(chart.card, series.model), series.class_ or None)
        if len(drawn) == 1:
            _draw_singles(chart, folds)
        together = pooled(folds)
        x, y = thinned(together.x, together.y)
        colour = "#111111" if len(drawn) == 1 else series.look.colour
        name = "" if len(drawn) == 1 else series.name
        text = f"folds pooled: {chart.text_of(replace(series, curve=together, name=name))}"
        chart.reference(x, y, text, color=colour, linestyle=DASHES, linewidth=1.2)
    chart.reference(np.array([0, 1]), np.array([0, 1]), "chance")
    chart.describe_bands()


def _draw_singles(chart: Chart, folds: Mapping[str, ScoreCounts]) -> None:
    """The curve of each fold, lightly."""
    curves = [c for counts in folds.values() if not (c := roc(counts)).is_empty]
    for number, own in enumerate(curves):
        text = f"single folds ({len(curves)})" if not number else ""
        x, y = thinned(own.x, own.y)
        chart.reference(x, y, text, color=LIGHT, linestyle="-", linewidth=0.7, zorder=1)


def _mean_text(chart: Chart, series: Series) -> str:
    """A series in the legend, with the interval of the mean of the folds where there is one."""
    text = chart.text_of(series, has_interval=False).replace("AUC", "mean AUC", 1)
    if getattr(chart.card, "intervals", None) is None:
        return text
    card = chart.card.only(series.model) if len(chart.card.models) > 1 else chart.card
    asked = of_class("auc", series.class_) if series.class_ else "auc"
    for result in card.results((asked,)):
        if result.fold == "mean" and result.low is not None:
            plain = f"mean AUC {number_text(series.curve.area, digits=3)}"
            limits = (result.low, result.high)
            shown, low, high = with_limits(series.curve.area, *limits, digits=3)
            chart.levels[result.level, result.method] = "mean AUC"
            return text.replace(plain, f"mean AUC {shown} [{low}, {high}]", 1)
    return text
