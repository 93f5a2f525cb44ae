"""Folds and repeats as dots behind the value that is reported: how much one division is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.headline import chosen_results
from heldout.assess.results import Of
from heldout.core.errors import InputError
from heldout.core.specs import split_list
from heldout.report.names import label_text, title_of
from heldout.report.plots.chart import GREY, Axis, Chart, Dots, Line, Measured, Panel, Title
from heldout.report.plots.curve_panel import subtitle_of
from heldout.report.plots.looks import OKABE_ITO, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard

NAME = "folds"
#: measures and models that are drawn, folds that can be told apart
MOST_MEASURES, MOST_MODELS, MOST_FOLDS = 6, 20, 1000
#: inches of a panel and of a row
WIDTH, ROW = 3.6, 0.36
#: how far dots of a row are spread
SPREAD = 0.3
LONGEST = 28
RING: dict[str, Any] = {"marker": "o", "size": 4.5, "face": "none", "edge": OKABE_ITO[1]}
RING["edge_width"] = 1.2
#: what is drawn where no measure is named
USUAL = {
    "binary": ("accuracy", "auc"),
    "multiclass": ("accuracy", "log_loss"),
    "regression": ("rmse", "r2"),
}


def lack_of_dots(card: Scorecard) -> str:
    """Why folds cannot be drawn, as a clause; empty where they can."""
    tallies = card.tallies[0]
    splits = tallies.design.folds * tallies.design.repeats
    if tallies.is_counted or splits < 2:
        return "needs folds, and these rows have none"
    if tallies.design.is_leave_one_out:
        return "needs folds of several rows, and every fold is a single row"
    if splits > MOST_FOLDS or len(card.models) > MOST_MODELS:
        return f"has room for {MOST_FOLDS:,} folds and {MOST_MODELS} models"
    return ""


def folds_of_measures(card: Scorecard, measure: str = "") -> Chart:
    """The chart of the measure that is named (several with commas), or of the usual ones."""
    measures = split_list(str(measure)) or USUAL[card.task]
    if len(measures) > MOST_MEASURES:
        raise InputError(f"a {NAME} chart has room for {MOST_MEASURES} measures")
    if lack := lack_of_dots(card):
        raise InputError(f"a {NAME} chart {lack}")
    chart = folds_chart(card, measures)
    if chart is None:
        raise InputError(f"no fold has a value of {' or '.join(measures)}")
    return chart


def folds_chart(card: Scorecard, measures: Sequence[str]) -> Chart | None:
    """A panel per measure, a row per model; None where no fold has a value of any."""
    results = card.results(measures, per_class=False, per_fold=True)
    names = dict.fromkeys(result.measure for result in results)
    panels = tuple(filter(None, (_panel(results, name) for name in names)))
    if not panels:
        return None
    design = card.tallies[0].design
    panels[0].explain(Line([], [], dash="none", marker="o", size=3, face=GREY), "single folds")
    if design.repeats > 1:
        panels[0].explain(Line([], [], dash="none", **RING), "single repeats, their folds pooled")
    value = Line([], [], OKABE_ITO[0], marker="D", size=6.0, width=1.8)
    panels[0].explain(value, "the value that is reported, with its interval")
    size = (WIDTH, height_of(len(card.models)))
    return Chart("Folds behind the values", subtitle_of(card), panels, Measured(size))


def height_of(rows: int) -> float:
    """Inches of a panel of so many rows."""
    return ROW * rows + 0.2


def rows_axis(names: Sequence[str]) -> Axis:
    """Names below each other."""
    ticks = tuple(range(len(names)))
    return Axis("", len(names) - 0.45, -0.55, ticks, tuple(names), has_grid=False, has_line=False)


def _panel(results: Sequence[Result], measure: str) -> Panel | None:
    """The folds of each model below each other; None where no fold has a value."""
    own = [r for r in results if r.measure == measure and not r.class_ and not r.slice]
    known = [r for r in own if np.isfinite(r.value)]
    if not any(r.of is Of.FOLD for r in known):
        return None
    chosen = {model: c.result for (model, _), c in chosen_results(own).items()}
    title = title_of(measure)
    panel = Panel(title, title=Title(title))
    for row, (model, reported) in enumerate(chosen.items()):
        folds, repeats = (
            [r.value for r in known if r.model == model and r.of is of]
            for of in (Of.FOLD, Of.REPEAT)
        )
        panel.add(Dots(folds, row + _spread(len(folds)), GREY, 12.0, 0.5, order=1))
        if len(repeats) > 1:
            spread = row + _spread(len(repeats))
            panel.add(Line(repeats, spread, dash="none", order=2, **RING))
        draw_reported(panel, row, reported.value, (reported.low, reported.high))
    panel.y = rows_axis([shorten(label_text(m), LONGEST) if m else "" for m in chosen])
    panel.x = Axis(most=5)
    return panel


def _spread(count: int) -> Any:
    """How far each of some dots lies from the middle of its row."""
    return np.linspace(-SPREAD, SPREAD, count) if count > 1 else np.zeros(count)


def draw_reported(
    panel: Panel,
    row: int,
    value: float,
    limits: tuple[float | None, float | None],
    *,
    is_filled: bool = True,
) -> None:
    """A value with its interval, in a row."""
    colour = OKABE_ITO[0]
    if limits[0] is not None and limits[1] is not None:
        panel.add(Line(limits, [row] * 2, colour, width=1.8, order=3))
    face = colour if is_filled else "white"
    panel.add(Line([value], [row], colour, marker="D", size=6.0, face=face, order=4))
