"""Charts of parts of the rows: folds as dots behind what is reported, slices as a forest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.report.names import title_of
from heldout.report.plots.chart import GREY, Axis, Chart, Measured, Panel, Rule
from heldout.report.plots.folds import (
    MOST_MEASURES,
    NAME,
    WIDTH,
    draw_reported,
    folds_chart,
    lack_of_dots,
    row_height,
    rows_axis,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heldout.assess.scorecard import Scorecard

#: slices of a panel
MOST_SLICES = 40
#: from here on a difference is more than noise
ALPHA = 0.05


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
        size = (WIDTH, row_height(len(shown)))
        value = None if len(card.models) > 1 else card[measure].value
        yield f"slices-{measure}", Chart(title, words, (_forest(shown, value),), Measured(size))


def _forest(rows: Sequence[Mapping[str, Any]], value: float | None) -> Panel:
    """Slices below each other, and a line at the value of all rows."""
    panel = Panel()
    if value is not None and np.isfinite(value):
        panel.add(Rule(value, width=1.0, dash=(0, (4, 3)), colour=GREY), "all rows")
    for place, row in enumerate(rows):
        p = row["corrected_p_value"]
        is_apart = p is not None and p <= ALPHA
        limits = (row["low"], row["high"])
        draw_reported(panel, place, row["value"], limits, is_filled=is_apart)
    panel.y = rows_axis([f"{r['model']} {r['slice']} (n = {r['n']:,})".strip() for r in rows])
    panel.x = Axis(most=5)
    return panel
