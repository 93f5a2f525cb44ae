"""Values with intervals below each other: of models, the folds behind them as dots, of slices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.headline import chosen_results
from heldout.assess.results import Of
from heldout.core.errors import InputError
from heldout.core.specs import split_list
from heldout.evaluation.evaluation import possible
from heldout.report.names import label_text, title_of
from heldout.report.plots.chart import GREY, Axis, Chart, Dots, Layout, Line, Panel, Rule
from heldout.report.plots.curve_panel import subtitle_of
from heldout.report.plots.looks import OKABE_ITO, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
#: slices of a panel, and from where on a difference is more than noise
MOST_SLICES, ALPHA = 40, 0.05
#: an axis of shares in a small panel, with room for marks at its ends
HALVES = Axis(low=-0.04, high=1.04, ticks=(0, 0.5, 1))
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
    """The chart of the measure that is named (several with commas), or of usual ones there are."""
    measures = split_list(str(measure)) or possible(card, USUAL[card.task])
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
    panels = tuple(filter(None, (_folds_panel(results, name) for name in names)))
    if not panels:
        return None
    design = card.tallies[0].design
    panels[0].explain(Line([], [], dash="none", marker="o", size=3, face=GREY), "single folds")
    if design.repeats > 1:
        panels[0].explain(Line([], [], dash="none", **RING), "single repeats, their folds pooled")
    value = Line([], [], OKABE_ITO[0], marker="D", size=6.0, width=1.8)
    panels[0].explain(value, "the value that is reported, with its interval")
    size = (WIDTH, height_of(len(card.models)))
    of = f" of {panels[0].name}" if len(panels) == 1 else ""
    return Chart(f"Folds behind the values{of}", subtitle_of(card), panels, Layout(size))


def height_of(rows: int) -> float:
    """Inches of a panel of so many rows."""
    return ROW * rows + 0.2


#: the name of a row, its value and limits, and whether its mark is filled
Row = tuple[str, float, tuple[float | None, float | None], bool]


def _interval_panel(rows: Sequence[Row], title: str = "") -> Panel:
    """Values with their intervals below each other, each beside its name."""
    panel = Panel(title)
    colour = OKABE_ITO[0]
    for row, (_, value, limits, is_filled) in enumerate(rows):
        if limits[0] is not None and limits[1] is not None:
            panel.add(Line(limits, [row] * 2, colour, width=1.8, order=3))
        face = colour if is_filled else "white"
        panel.add(Line([value], [row], colour, marker="D", size=6.0, face=face, order=4))
    names = tuple(name for name, *_ in rows)
    ends: dict[str, Any] = {"low": len(rows) - 0.45, "high": -0.55}
    ticks = tuple(range(len(rows)))
    panel.y = Axis("", **ends, ticks=ticks, labels=names, has_grid=False, has_line=False)
    panel.x = Axis(most=5)
    return panel


def rows_panel(
    rows: Sequence[tuple[str, Result]], *, title: str = "", is_share: bool = False
) -> Panel:
    """Results below each other, each beside its name; shares on an axis of per cent."""
    panel = _interval_panel([(name, r.value, (r.low, r.high), True) for name, r in rows], title)
    lowest = min((r.value if r.low is None else r.low for _, r in rows), default=0.0)
    panel.x = replace(HALVES, format="{:.0%}".format) if is_share and lowest >= 0 else Axis(most=4)
    return panel


def _folds_panel(results: Sequence[Result], measure: str) -> Panel | None:
    """The folds of each model below each other; None where no fold has a value."""
    own = [r for r in results if r.measure == measure and not r.class_ and not r.slice]
    known = [r for r in own if np.isfinite(r.value)]
    if not any(r.of is Of.FOLD for r in known):
        return None
    chosen = {model: c.result for (model, _), c in chosen_results(own).items()}
    rows = [
        (shorten(label_text(model), LONGEST) if model else "", r.value, (r.low, r.high), True)
        for model, r in chosen.items()
    ]
    panel = _interval_panel(rows, title_of(measure))
    for row, model in enumerate(chosen):
        folds, repeats = (
            [r.value for r in known if r.model == model and r.of is of]
            for of in (Of.FOLD, Of.REPEAT)
        )
        panel.add(Dots(folds, row + _spread(len(folds)), GREY, 12.0, 0.5, order=1))
        if len(repeats) > 1:
            spread = row + _spread(len(repeats))
            panel.add(Line(repeats, spread, dash="none", order=2, **RING))
    return panel


def _spread(count: int) -> Any:
    """How far each of some dots lies from the middle of its row."""
    return np.linspace(-SPREAD, SPREAD, count) if count > 1 else np.zeros(count)


def part_charts(
    card: Scorecard, measures: Sequence[str], slices: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, Chart]]:
    """The charts of folds and of slices that there are, by name."""
    if not lack_of_dots(card) and (chart := folds_chart(card, measures[:MOST_MEASURES])):
        yield NAME, chart
    rows = [row for row in slices if row["kind"] == "slice"]
    for measure in dict.fromkeys(row["measure"] for row in rows):
        own = [row for row in rows if row["measure"] == measure]
        shown = own[:MOST_SLICES]
        more = f"; the worst {MOST_SLICES} of {len(own):,}" if len(own) > MOST_SLICES else ""
        is_tested = any(row["corrected_p_value"] is not None for row in own)
        tested = f"filled: differs from the other rows (p <= {ALPHA} after Holm)"
        words = (tested if is_tested else "without a test: slices have no interval here") + more
        title = f"Slices: {title_of(measure)}"
        size = (WIDTH, height_of(len(shown)))
        value = None if len(card.models) > 1 else card[measure].value
        yield (
            f"slices-{measure}",
            Chart(title, words, (_slices_panel(shown, value),), Layout(size)),
        )


def _slices_panel(slices: Sequence[Mapping[str, Any]], value: float | None) -> Panel:
    """Slices below each other, and a line at the value of all rows."""
    rows: list[Row] = []
    for own in slices:
        name = f"{own['model']} {own['slice']} (n = {own['n']:,})".strip()
        p = own["corrected_p_value"]
        limits = own["low"], own["high"]
        rows.append((shorten(name, LONGEST), own["value"], limits, p is not None and p <= ALPHA))
    panel = _interval_panel(rows)
    if value is not None and np.isfinite(value):
        panel.add(Rule(value, width=1.0, dash=(0, (4, 3)), colour=GREY, order=1), "all rows")
    return panel
