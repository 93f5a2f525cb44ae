"""The charts of a regression: predicted against true values, and residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.core.nearest import did_you_mean
from karat.report.names import label_text
from karat.report.numbers import count_text, number_text
from karat.report.plots.frame import subtitle_of
from karat.report.plots.save import checked_path, save
from karat.report.plots.style import GREY, look_of, shortened, styled

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from karat.assess.scorecard import Scorecard
    from karat.predictions.table import Predictions

__all__ = ["REGRESSION_PLOTS", "plot_regression"]

#: from so many rows on points hide each other, and a count by cell says more
CROWDED = 3000
MOST_PANELS = 6
PANEL = 3.6


def plot_regression(
    card: Scorecard, name: str, *, path: Any = None, ax: Any = None, model: str = ""
) -> Figure:
    """A chart of a regression by its name, saved where a path is given.

    ``predicted``: predicted against true values, beside the line of perfect predictions.
    ``residuals``: predicted less true value against the predicted one, with the bias. A panel
    a model; more than 3,000 rows are counted by cell.
    """
    known = name.strip().lower()
    if known not in REGRESSION_PLOTS:
        hint = did_you_mean(known, REGRESSION_PLOTS)
        raise InputError(
            f"a regression has no chart {name!r}{hint or '; there are '}"
            f"{'' if hint else ', '.join([*REGRESSION_PLOTS, 'all'])}"
        )
    target = None if path is None else checked_path(path)
    chosen = card.only(model) if model else card
    shown = chosen.predictions[:MOST_PANELS]
    if ax is not None and len(shown) > 1:
        raise InputError(
            f"this chart has {len(shown)} panels, more than one ax holds: name a model"
        )
    with styled():
        figure, places = _places(len(shown), ax)
        for number, (axes, p) in enumerate(zip(places, shown, strict=True)):
            REGRESSION_PLOTS[known](axes, p, number)
            if len(shown) > 1:
                axes.set_title(shortened(label_text(p.model), 34), fontsize=9.5)
        words = subtitle_of(chosen)
        if len(shown) < len(chosen.predictions):
            words += f" · {len(shown)} of {len(chosen.predictions)} models"
        title = {"predicted": "Predicted against true values", "residuals": "Residuals"}[known]
        if ax is None:
            figure.suptitle(title, x=0.02, ha="left", fontsize=11)
            figure.text(0.02, 0.925, words, ha="left", va="top", fontsize=8, color=GREY)
            figure.tight_layout(rect=(0, 0, 1, 0.92))
        else:
            ax.set_title(title)
    if target is not None:
        save(figure, target)
    return figure


def _places(count: int, ax: Any) -> tuple[Any, list[Any]]:
    if ax is not None:
        return ax.figure, [ax]
    from matplotlib.figure import Figure

    across = min(count, 3)
    down = -(-count // across)
    # the first panel is wider, so that title and subtitle have room above a single one
    figure = Figure(figsize=(PANEL * across + 0.9, PANEL * down + 0.9))
    return figure, [figure.add_subplot(down, across, i + 1) for i in range(count)]


def _draw_predicted(axes: Any, p: Predictions, number: int) -> None:
    truth, predicted = _values(p)
    ends = np.array([min(truth.min(), predicted.min()), max(truth.max(), predicted.max())])
    room = 0.04 * max(float(ends[1] - ends[0]), 1e-12)
    ends = np.array([ends[0] - room, ends[1] + room])
    axes.set(xlim=ends, ylim=ends, aspect="equal", xlabel="True value", ylabel="Predicted value")
    _points(axes, truth, predicted, number, (*ends, *ends))
    axes.plot(ends, ends, color=GREY, linestyle=(0, (5, 2)), linewidth=1.1, label="perfect")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2)


def _draw_residuals(axes: Any, p: Predictions, number: int) -> None:
    truth, predicted = _values(p)
    residual = predicted - truth
    reach = 1.06 * max(float(np.abs(residual).max()), 1e-12)
    room = 0.04 * max(float(np.ptp(predicted)), 1e-12)
    span = float(predicted.min()) - room, float(predicted.max()) + room
    axes.set(xlim=span, ylim=(-reach, reach))
    axes.set(xlabel="Predicted value", ylabel="Predicted less true value")
    _points(axes, predicted, residual, number, (*span, -reach, reach))
    axes.axhline(0, color=GREY, linestyle=(0, (5, 2)), linewidth=1.1, label="no error")
    bias = float(np.average(residual, weights=p.weight))
    axes.axhline(bias, color="#D55E00", linewidth=1.2, label=f"bias {number_text(bias)}")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2)


REGRESSION_PLOTS: dict[str, Callable[[Any, Predictions, int], None]] = {
    "predicted": _draw_predicted,
    "residuals": _draw_residuals,
}


def _values(p: Predictions) -> tuple[Any, Any]:
    assert p.predicted is not None
    return np.asarray(p.truth, float), np.asarray(p.predicted, float)


def _points(
    axes: Any, x: Any, y: Any, number: int, extent: tuple[float, float, float, float]
) -> None:
    if len(x) <= CROWDED:
        axes.scatter(x, y, s=14, color=look_of(number).colour, alpha=0.55, linewidths=0, zorder=3)
        return
    made = axes.hexbin(x, y, gridsize=45, mincnt=1, bins="log", cmap="viridis", extent=extent)
    bar = axes.figure.colorbar(made, ax=axes, shrink=0.8, pad=0.02)
    # the style draws no formulas, which the bar's own powers of ten are
    bar.ax.yaxis.set_major_formatter(lambda value, _: count_text(round(value)))
    bar.ax.yaxis.set_minor_formatter(lambda *_: "")
    bar.set_label(f"rows in a cell, of {count_text(len(x))}")
