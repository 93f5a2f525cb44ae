"""The charts of measures against the threshold: one of several models, or several of one."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.curves.named import THRESHOLDS, curve
from heldout.measures.spec import parse_request
from heldout.report.names import label_text
from heldout.report.plots.frame import share_axis
from heldout.report.plots.panels import MOST_PANELS, Panel, panels_of
from heldout.report.plots.style import look_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.assess.scorecard import Scorecard
    from heldout.curves.curve import Curve
    from heldout.report.plots.frame import Chart
    from heldout.report.plots.panels import Series

__all__ = ["draw_thresholds", "threshold_panels"]

#: what is shown where no measure is named
SHOWN = ("recall", "specificity", "precision", "f_score")


def draw_thresholds(chart: Chart) -> None:
    """Each series over the thresholds, held from each up to the next."""
    drawn = chart.panel.drawn
    scores = [series.curve.threshold[1:] for series in drawn]
    finite = [x[np.isfinite(x)] for x in scores]
    low = min((float(x.min()) for x in finite if len(x)), default=0.0)
    high = max((float(x.max()) for x in finite if len(x)), default=1.0)
    if low >= 0 and high <= 1:
        share_axis(chart.axes, "x")
        low, high = 0.0, 1.0
    else:
        room = 0.03 * (high - low or abs(high) or 1.0)
        low, high = low - room, high + room
        chart.axes.set_xlim(low, high)
    _heights(chart)
    for series in drawn:
        x, y = _steps(series.curve, low, high)
        chart.line(series, x, y, marker=None)
    for number, place in enumerate(_thresholds_of(chart)):
        ends = np.array([place, place]), np.array(chart.axes.get_ylim())
        text = "threshold of the predicted labels" if not number else ""
        chart.reference(*ends, text, linestyle=(0, (8, 3)), linewidth=0.8)
    if not all(np.isfinite(x).all() for x in scores):
        from matplotlib.lines import Line2D

        chart.legend.append((Line2D([], [], alpha=0), "infinite scores lie beyond the axis"))


def _thresholds_of(chart: Chart) -> list[float]:
    """The thresholds that made the labels of these models, where they were made so."""
    models = {series.model for series in chart.panel.series}
    found = {p.threshold for p in chart.card.predictions if p.model in models}
    return sorted(float(threshold) for threshold in found if threshold is not None)


def _heights(chart: Chart) -> None:
    """The vertical axis: the measures' bounds where both are finite, else what is reached.

    Of bounds below 0 only where some value is: no half of a chart stays empty.
    """
    bounds = [parse_request(s.curve.y_axis.name).measure.bounds for s in chart.panel.drawn]
    reached = [series.curve.y[np.isfinite(series.curve.y)] for series in chart.panel.drawn]
    values = np.concatenate([*reached, np.zeros(1)])
    if bounds and all(isfinite(low) and isfinite(high) for low, high in bounds):
        low, high = min(b[0] for b in bounds), max(b[1] for b in bounds)
        chart.axes.set_ylim(low if values.min() < 0 else max(low, 0.0), high)
        return
    room = 0.04 * (float(values.max() - values.min()) or 1.0)
    chart.axes.set_ylim(float(values.min()) - room, float(values.max()) + room)


def _steps(
    curve: Curve, low: float, high: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The curve in rising threshold, with both ends of each step, out to the ends of the axis."""
    # what holds only down to an infinite score has no place on the axis
    last = len(curve) - int(np.isneginf(curve.threshold[-1]))
    edges = np.clip(np.append(low, curve.threshold[:last][::-1]), low, high)
    x = np.repeat(edges, 2)[1:-1]
    y = np.repeat(curve.y[:last][::-1], 2)
    return x, np.where(np.isfinite(y), y, np.nan)


def threshold_panels(card: Scorecard, class_: Any) -> tuple[Panel, ...]:
    """A panel for each model (and class), a line for each of a few measures.

    Of more than have room, a class of each model comes before the next class of any.
    """
    found: list[tuple[int, Series]] = []
    first = replace(card, tallies=card.tallies[:MOST_PANELS])
    for panel in panels_of(first, f"{THRESHOLDS}{SHOWN[0]}", class_=class_):
        found.extend(enumerate(panel.series))
    each = len(card.classes) if card.task == "multiclass" and class_ is None else 1
    count = len(card.tallies) * each
    note = ""
    if count > len(found[:MOST_PANELS]):
        if each > 1:
            found.sort(key=lambda one: one[0])
        what = "models" if each == 1 else "classes"
        if each > 1 and len(card.tallies) > 1:
            what = "pairs of a model and a class"
        option = "class=NAME" if each > 1 else "model=NAME"
        note = f"{MOST_PANELS} of {count} {what}; others by name: thresholds[{option}]"
    shown = [_panel(card, series) for _, series in found[:MOST_PANELS]]
    return (replace(shown[0], note=note), *shown[1:])


def _panel(card: Scorecard, series: Series) -> Panel:
    """The few measures of one model and class."""
    lines = []
    for number, measure in enumerate(SHOWN):
        own = series.curve
        if number:  # the first is the series itself
            name, label = f"{THRESHOLDS}{measure}", series.class_ or None
            own = curve(card, name, model=series.model, class_=label)
        look = look_of(number)
        lines.append(replace(series, name=own.title, curve=own, look=look, is_measure=True))
    words = [label_text(w) for w in (series.model, series.class_) if w]
    return Panel(", ".join(words), tuple(lines))
