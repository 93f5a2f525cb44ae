"""The confusion matrix as a chart: shaded by shares, with the counts in the cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.predictions.options import CELLS, ORIENTATIONS
from heldout.report.confusion_tables import CELL_TEXTS, View
from heldout.report.names import label_text
from heldout.report.numbers import count_text
from heldout.report.plots.chart import Chart, Heat, Layout, Panel, cell_words, cells_axis
from heldout.report.plots.looks import MOST_PANELS, first_of, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.assess.matrices import Matrix
    from heldout.assess.scorecard import Scorecard
    from heldout.predictions.options import Cells, Orientation

NAME = "confusion"
#: classes whose cells have numbers, and whose names stand at the axes
NUMBERED, NAMED = 12, 40
#: inches of a class, and of the smallest and the largest panel
CELL, SMALLEST, LARGEST = 0.7, 2.6, 6.0
NAME_LENGTH = 14
#: shares from which on letters are white
DARK = 0.55


#: what may be asked of the chart, and the values
OPTIONS: dict[str, tuple[str, ...]] = {"cells": CELLS[1:], "orientation": ORIENTATIONS}


def confusion_chart(
    card: Scorecard, *, cells: Cells = "truth", orientation: Orientation = "truth-rows"
) -> Chart:
    """The matrix of each model; cells are as dark as their share of the class is large.

    ``cells`` says of what the shares are: truth, predicted or all.
    """
    matrices = card.matrices()
    shown = matrices[:MOST_PANELS]
    view = View(orientation, cells)
    labels = [shorten(label_text(label), NAME_LENGTH) for label in card.classes]
    sizes = dict.fromkeys(count_text(float(matrix.counts.total)) for matrix in shown)
    shade = f"shaded by {CELL_TEXTS[view.cells]}"
    words = filter(None, (f"n = {' and '.join(sizes)}", shade, first_of(matrices)))
    side = min(max(CELL * len(labels), SMALLEST), LARGEST)
    panels = tuple(_panel(matrix, labels, view) for matrix in shown)
    return Chart("Confusion matrix", " · ".join(words), panels, Layout((side, side)))


def _panel(matrix: Matrix, labels: Sequence[str], view: View) -> Panel:
    count = len(labels)
    # the first class stands above, as in a table
    shares = view.turned(matrix.shares(view.cells))[::-1]
    counts = np.asarray(view.turned(matrix.counts.matrix()))[::-1]
    names = tuple(labels) if count <= NAMED else ()
    titles = {"truth": "True class", "predicted": "Predicted class"}
    rows, columns = (titles[axis] for axis in view.axes)
    is_long = max(map(len, labels)) * count > NUMBERED * 4
    panel = Panel(
        label_text(matrix.model),
        cells_axis(count, columns, names, is_turned=is_long),
        cells_axis(count, rows, names[::-1]),
    )
    panel.add(Heat(shares, CELL_TEXTS[view.cells], ends=(0.0, 1.0), has_bar=False))
    if count <= NUMBERED:
        texts = [list(map(_cell_text, *lines)) for lines in zip(counts, shares, strict=True)]
        panel.marks += cell_words(texts, shares > DARK)
    return panel


def _cell_text(count: float, share: float) -> str:
    """A count, and below it its share where it has one."""
    return count_text(float(count)) + ("" if np.isnan(share) else f"\n{share:.1%}")
