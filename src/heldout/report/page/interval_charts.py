"""Values with their intervals below each other: of models, of folds behind them, of slices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.headline import chosen_results
from heldout.assess.results import Of
from heldout.report.names import label_text, title_of
from heldout.report.plots.chart import (
    GREY,
    Axis,
    Chart,
    Dots,
    Line,
    Measured,
    Panel,
    Rule,
    Title,
)
from heldout.report.plots.looks import OKABE_ITO, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard

#: measures and models that are drawn, folds that can be told apart, slices of a panel
MOST_MEASURES, MOST_MODELS, MOST_FOLDS, MOST_SLICES = 6, 20, 1000, 40
#: inches of a panel and of a row
WIDTH, ROW = 3.6, 0.3
#: how far dots of a row are spread
SPREAD = 0.3
#: from here on a difference is more than noise
ALPHA = 0.05
LONGEST = 28
#: an axis of shares in a small panel
HALVES = Axis(low=0, high=1, ticks=(0, 0.5, 1))


def part_charts(
    card: Scorecard, measures: Sequence[str], slices: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, Chart]]:
    """The charts of folds and of slices that there are, by name."""
    splits = card.tallies[0].design.folds * card.tallies[0].design.repeats
    is_counted = card.tallies[0].is_counted
    if not is_counted and 1 < splits <= MOST_FOLDS and len(card.models) <= MOST_MODELS:
        results = card.results(measures[:MOST_MEASURES], per_class=False, per_fold=True)
        panels = tuple(filter(None, (_folds(results, m) for m in measures[:MOST_MEASURES])))
        if panels:
            words = "dots: single folds; diamond: the value that is reported, with its interval"
            size = (WIDTH, height_of(len(card.models)))
            yield "folds", Chart("Folds behind the values", words, panels, Measured(size))
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
        yield f"slices-{measure}", Chart(title, words, (_forest(shown, value),), Measured(size))


def rows_panel(
    rows: Sequence[tuple[str, Result]], *, title: str = "", is_share: bool = False
) -> Panel:
    """Results below each other, each beside its name; shares on an axis of per cent."""
    panel = Panel(title=Title(title) if title else None)
    for place, (_, result) in enumerate(rows):
        _reported(panel, place, result.value, result.low, result.high, is_filled=True)
    panel.y = _rows_axis([name for name, _ in rows])
    lowest = min((r.value if r.low is None else r.low for _, r in rows), default=0.0)
    panel.x = replace(HALVES, format=_percent_text) if is_share and lowest >= 0 else Axis(most=4)
    return panel


def _percent_text(value: float) -> str:
    return f"{100 * value:.0f}%"


def height_of(rows: int) -> float:
    """Inches of a panel of so many rows."""
    return ROW * rows + 0.2


def _rows_axis(names: Sequence[str]) -> Axis:
    """Names below each other."""
    ticks = tuple(range(len(names)))
    return Axis("", len(names) - 0.45, -0.55, ticks, tuple(names), has_grid=False, has_line=False)


def _folds(results: Sequence[Result], measure: str) -> Panel | None:
    """The folds of each model below each other; None where no fold has a value."""
    own = [r for r in results if r.measure == measure and not r.class_ and not r.slice]
    known = [r for r in own if r.of is Of.FOLD and np.isfinite(r.value)]
    if not known:
        return None
    chosen = {model: c.result for (model, _), c in chosen_results(own).items()}
    panel = Panel(title=Title(title_of(measure)))
    for place, (model, reported) in enumerate(chosen.items()):
        values = [r.value for r in known if r.model == model]
        spread = np.linspace(-SPREAD, SPREAD, len(values)) if len(values) > 1 else np.zeros(1)
        panel.add(Dots(values, place + spread[: len(values)], GREY, 12.0, 0.5, order=1))
        _reported(panel, place, reported.value, reported.low, reported.high, is_filled=True)
    panel.y = _rows_axis([shortened(label_text(m), LONGEST) if m else "" for m in chosen])
    panel.x = Axis(most=5)
    return panel


def _forest(rows: Sequence[Mapping[str, Any]], value: float | None) -> Panel:
    """Slices below each other, and a line at the value of all rows."""
    panel = Panel()
    if value is not None and np.isfinite(value):
        panel.add(Rule(value, width=1.0, dash=(0, (4, 3)), colour=GREY), "all rows")
    for place, row in enumerate(rows):
        p = row["corrected_p_value"]
        is_apart = p is not None and p <= ALPHA
        _reported(panel, place, row["value"], row["low"], row["high"], is_filled=is_apart)
    names = (f"{r['model']} {r['slice']} (n = {r['n']:,})".strip() for r in rows)
    panel.y = _rows_axis([shortened(name, LONGEST) for name in names])
    panel.x = Axis(most=5)
    return panel


def _reported(
    panel: Panel,
    place: int,
    value: float,
    low: float | None,
    high: float | None,
    *,
    is_filled: bool,
) -> None:
    """A value with its interval."""
    colour = OKABE_ITO[0]
    if low is not None and high is not None:
        panel.add(Line([low, high], [place] * 2, colour, width=1.8, order=3))
    face = colour if is_filled else "white"
    panel.add(Line([value], [place], colour, marker="D", size=6.0, face=face, order=4))
