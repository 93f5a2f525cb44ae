"""The charts of a regression: predicted against true values, and residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.report.names import label_text
from heldout.report.numbers import count_text, number_text
from heldout.report.plots.frame import Chart, subtitle_of
from heldout.report.plots.layout import arrange, figure_of, name_charts, share_legend
from heldout.report.plots.panels import Panel
from heldout.report.plots.save import TITLE
from heldout.report.plots.style import look_of, styled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from heldout.assess.scorecard import Scorecard
    from heldout.predictions.table import Predictions

__all__ = ["REGRESSION_PLOTS", "regression_figure"]

#: from so many rows on points hide each other, and a count by cell says more
CROWDED = 3000
MOST_PANELS = 6
SIZE = (4.3, 4.3)
#: inches beside the axes for the bar that says what colours mean
BAR = 1.05
TITLES = {"predicted": "Predicted against true values", "residuals": "Residuals"}
#: a line to compare with, over the points
ABOVE: dict[str, Any] = {
    "color": "#333333",
    "linestyle": (0, (5, 2)),
    "linewidth": 1.1,
    "zorder": 5,
}


def regression_figure(card: Scorecard, name: str, ax: Any) -> Figure:
    """A chart of a regression by its name.

    ``predicted``: predicted against true values, beside the line of perfect predictions.
    ``residuals``: predicted less true value against the predicted one, with the bias. A panel
    a model; more than 3,000 rows are counted by cell.
    """
    if name not in REGRESSION_PLOTS:
        names = ", ".join([*REGRESSION_PLOTS, "all"])
        raise InputError(f"a regression has no chart {name!r}; there are {names}")
    shown = card.predictions[:MOST_PANELS]
    if ax is not None and len(shown) > 1:
        raise InputError(
            f"this chart has {len(shown)} panels, more than one ax holds: name a model"
        )
    with styled():
        return _figure(card, shown, name, ax)


def _figure(card: Scorecard, shown: Sequence[Predictions], name: str, ax: Any) -> Figure:
    """A panel a model, in the frame that all charts have."""
    figure, places = figure_of(len(shown), has_below=False, ax=ax)
    title = TITLES[name]
    charts = []
    for number, ((axes, _), p) in enumerate(zip(places, shown, strict=True)):
        chart = Chart(axes, Panel(label_text(p.model), ()), card)
        chart.is_inside = ax is not None
        REGRESSION_PLOTS[name](chart, p, number)
        charts.append(chart)
    share_legend(charts, SIZE[0])
    for chart in charts:
        chart.finish(SIZE[0])
    if ax is not None:
        ax.set_title(title, gid=TITLE)
        return figure
    words = subtitle_of(card)
    if len(shown) < len(card.predictions):
        words += f" · the first {len(shown)} of {len(card.predictions)} models"
    right = {"right": BAR} if any(_is_crowded(p) for p in shown) else {}
    above = name_charts(figure, charts, title, words, SIZE[0])
    arrange(figure, charts, size=SIZE, lower=0, above=above, heading=(title, words), **right)
    return figure


def _draw_predicted(chart: Chart, p: Predictions, number: int) -> None:
    truth, predicted = _values(p)
    ends = np.array([min(truth.min(), predicted.min()), max(truth.max(), predicted.max())])
    room = 0.04 * max(float(ends[1] - ends[0]), 1e-12)
    ends = np.array([ends[0] - room, ends[1] + room])
    chart.axes.set(xlim=ends, ylim=ends, aspect="equal")
    what = label_text(p.target or "value")
    chart.axes.set(xlabel=f"True {what}", ylabel=f"Predicted {what}")
    _points(chart.axes, truth, predicted, number, (*ends, *ends))
    chart.reference(ends, ends, "perfect predictions", **ABOVE)


def _draw_residuals(chart: Chart, p: Predictions, number: int) -> None:
    truth, predicted = _values(p)
    residual = predicted - truth
    reach = 1.06 * max(float(np.abs(residual).max()), 1e-12)
    room = 0.04 * max(float(np.ptp(predicted)), 1e-12)
    span = float(predicted.min()) - room, float(predicted.max()) + room
    chart.axes.set(xlim=span, ylim=(-reach, reach))
    what = label_text(p.target or "value")
    chart.axes.set(xlabel=f"Predicted {what}", ylabel=f"Predicted less true {what}")
    _points(chart.axes, predicted, residual, number, (*span, -reach, reach))
    bias = float(np.average(residual, weights=p.weight))
    # the bias below and wide, the zero above and thin: both are seen where they meet
    wide: dict[str, Any] = {"color": "#E69F00", "linestyle": "-", "linewidth": 3.2, "zorder": 4}
    across = np.array(span)
    chart.reference(across, np.zeros(2), "no error", **ABOVE)
    chart.reference(across, np.full(2, bias), f"bias {number_text(bias)}", **wide)


REGRESSION_PLOTS: dict[str, Callable[[Chart, Predictions, int], None]] = {
    "predicted": _draw_predicted,
    "residuals": _draw_residuals,
}


def _values(p: Predictions) -> tuple[Any, Any]:
    assert p.predicted is not None
    return np.asarray(p.truth, float), np.asarray(p.predicted, float)


def _is_crowded(rows: Any) -> bool:
    return len(rows) > CROWDED


def _points(
    axes: Any, x: Any, y: Any, number: int, extent: tuple[float, float, float, float]
) -> None:
    if not _is_crowded(x):
        axes.scatter(x, y, s=14, color=look_of(number).colour, alpha=0.55, linewidths=0, zorder=3)
        return
    made = axes.hexbin(x, y, gridsize=45, mincnt=1, bins="log", cmap="viridis", extent=extent)
    bar = axes.figure.colorbar(made, cax=axes.inset_axes((1.03, 0.1, 0.035, 0.8)))
    bar.ax.grid(visible=False)
    # the style draws no formulas, which the bar's own powers of ten are
    bar.ax.yaxis.set_major_formatter(lambda value, _: count_text(round(value)))
    bar.ax.yaxis.set_minor_formatter(lambda *_: "")
    bar.set_label(f"rows in a cell, of {count_text(len(x))}")
