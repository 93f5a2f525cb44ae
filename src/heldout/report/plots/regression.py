"""The charts of a regression: predicted against true values, and residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.curves.points import bars_of
from heldout.predictions.roles import ROLES
from heldout.report.names import label_text
from heldout.report.numbers import count_text, number_text
from heldout.report.plots.chart import (
    BAR,
    INK,
    Axis,
    Bars,
    Chart,
    Density,
    Dots,
    Layout,
    Line,
    Panel,
)
from heldout.report.plots.curve_panel import subtitle_of
from heldout.report.plots.looks import MOST_PANELS, first_of, look_of
from heldout.tables.roles import usual

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.assess.scorecard import Scorecard
    from heldout.predictions.table import Predictions

#: from so many rows on points hide each other, and a count by cell says more
CROWDED = 3000
SIZE = (4.3, 4.3)
TITLES = {
    "predicted": "Predicted against true values",
    "residuals": "Residuals",
    "errors": "Distribution of the residuals",
}
#: bars of a histogram
BARS = 30
#: a line to compare with, over the points
ABOVE: dict[str, Any] = {"colour": INK, "dash": (0, (5, 2)), "width": 1.1, "order": 5}


def regression_chart(card: Scorecard, name: str) -> Chart:
    """A chart of a regression by its name.

    ``predicted``: predicted against true values, beside the line of perfect predictions.
    ``residuals``: true minus predicted value against the predicted one, with their mean.
    ``errors``: how often residuals of each size are. One panel per model; more than 3,000 rows
    are counted by cell.
    """
    shown = card.predictions[:MOST_PANELS]
    panels = [REGRESSION_PLOTS[name](card, p, look_of(i).colour) for i, p in enumerate(shown)]
    words = " · ".join(filter(None, (subtitle_of(card), first_of(card.predictions))))
    is_counted = name != "errors" and any(len(p) > CROWDED for p in shown)
    layout = Layout(SIZE, right=BAR) if is_counted else Layout(SIZE)
    return Chart(TITLES[name], words, tuple(panels), layout)


def _predicted(_: Scorecard, p: Predictions, colour: str) -> Panel:
    truth, predicted = _values(p)
    low, high = min(truth.min(), predicted.min()), max(truth.max(), predicted.max())
    room = 0.04 * max(float(high - low), 1e-12)
    ends = (low - room, high + room)
    what = _subject(p)
    panel = Panel(label_text(p.model), is_square=True)
    panel.x, panel.y = Axis(f"True {what}", *ends), Axis(f"Predicted {what}", *ends)
    panel.add(_points(truth, predicted, colour, (*ends, *ends)))
    panel.add(Line(ends, ends, **ABOVE), "perfect predictions")
    return panel


def _residuals(card: Scorecard, p: Predictions, colour: str) -> Panel:
    truth, predicted = _values(p)
    residual = truth - predicted
    reach = 1.06 * max(float(np.abs(residual).max()), 1e-12)
    room = 0.04 * max(float(np.ptp(predicted)), 1e-12)
    span = float(predicted.min()) - room, float(predicted.max()) + room
    what = _subject(p)
    panel = Panel(label_text(p.model), Axis(f"Predicted {what}", *span))
    panel.y = Axis(f"Residual: true minus predicted {what}", -reach, reach)
    panel.add(_points(predicted, residual, colour, (*span, -reach, reach)))
    bias = (card.only(p.model) if len(card.models) > 1 else card)["bias", "pooled"]
    mean = -bias.value  # of true minus predicted values
    # the mean below and wide, the zero above and thin: both are seen where they meet
    panel.add(Line(span, np.zeros(2), **ABOVE), "no error")
    wide = Line(span, np.full(2, mean), "#E69F00", width=3.2, order=4)
    panel.add(wide, f"mean residual {number_text(mean)}")
    return panel


def _errors(_: Scorecard, p: Predictions, colour: str) -> Panel:
    edges, heights = bars_of(np.subtract(*_values(p)), BARS, weight=p.weight)
    what = _subject(p)
    panel = Panel(label_text(p.model), Axis(f"Residual: true minus predicted {what}"))
    panel.y = Axis("Rows" if p.weight is None else "Weight", 0, 1.05 * float(heights.max()))
    panel.add(Bars(edges, heights, colour, alpha=0.75, edge="white"))
    panel.add(Line(np.zeros(2), np.array([0, panel.y.high]), **ABOVE), "no error")
    return panel


def _subject(p: Predictions) -> str:
    """What was predicted; a column that is only called the truth says nothing of it."""
    is_named = bool(p.target) and usual(p.target or "") not in ROLES["truth"].guesses
    return label_text(p.target) if is_named else "value"


REGRESSION_PLOTS: dict[str, Callable[[Scorecard, Predictions, str], Panel]] = {
    "predicted": _predicted,
    "residuals": _residuals,
    "errors": _errors,
}


def _values(p: Predictions) -> tuple[Any, Any]:
    assert p.predicted is not None
    return np.asarray(p.truth, float), np.asarray(p.predicted, float)


def _points(
    x: Any, y: Any, colour: str, extent: tuple[float, float, float, float]
) -> Dots | Density:
    if len(x) <= CROWDED:
        return Dots(x, y, colour, size=14, alpha=0.55)
    return Density(x, y, extent, f"rows in a cell, of {count_text(len(x))}")
