"""Values with their intervals below each other: of models, of folds behind them, of slices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.report.names import title_of
from heldout.report.plots.chart import GREY, Axis, Chart, Measured, Panel, Rule, Title
from heldout.report.plots.folds import (
    LONGEST,
    MOST_MEASURES,
    NAME,
    WIDTH,
    draw_reported,
    folds_chart,
    height_of,
    lack_of_dots,
    rows_axis,
)
from heldout.report.plots.looks import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard

#: slices of a panel
MOST_SLICES = 40
#: from here on a difference is more than noise
ALPHA = 0.05
#: an axis of shares in a small panel, with room for marks at its ends
HALVES = Axis(low=-0.04, high=1.04, ticks=(0, 0.5, 1))


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
        yield f"slices-{measure}", Chart(title, words, (_forest(shown, value),), Measured(size))


def rows_panel(
    rows: Sequence[tuple[str, Result]], *, title: str = "", is_share: bool = False
) -> Panel:
    """Results below each other, each beside its name; shares on an axis of per cent."""
    panel = Panel(title=Title(title) if title else None)
    for place, (_, result) in enumerate(rows):
        draw_reported(panel, place, result.value, (result.low, result.high))
    panel.y = rows_axis([name for name, _ in rows])
    lowest = min((r.value if r.low is None else r.low for _, r in rows), default=0.0)
    panel.x = replace(HALVES, format=_percent_text) if is_share and lowest >= 0 else Axis(most=4)
    return panel


def _percent_text(value: float) -> str:
    return f"{100 * value:.0f}%"


def _forest(rows: Sequence[Mapping[str, Any]], value: float | None) -> Panel:
    """Slices below each other, and a line at the value of all rows."""
    panel = Panel()
    if value is not None and np.isfinite(value):
        panel.add(Rule(value, width=1.0, dash=(0, (4, 3)), colour=GREY), "all rows")
    for place, row in enumerate(rows):
        p = row["corrected_p_value"]
        is_apart = p is not None and p <= ALPHA
        draw_reported(panel, place, row["value"], (row["low"], row["high"]), is_filled=is_apart)
    names = (f"{r['model']} {r['slice']} (n = {r['n']:,})".strip() for r in rows)
    panel.y = rows_axis([shorten(name, LONGEST) for name in names])
    panel.x = Axis(most=5)
    return panel
