"""Confusion matrices on a page: shaded by shares of each true class, most confused pairs first."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.shown import visible
from heldout.report.class_tables import confusion_pairs
from heldout.report.numbers import count_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heldout.report.table import Table
    from heldout.tally.confusion import Confusion

__all__ = ["Matrix", "confusion_html"]

#: more classes make a matrix that nobody reads: their most confused pairs are listed alone
MOST_CLASSES = 60
#: shades of a cell
SHADES = 10


@dataclass(frozen=True, slots=True)
class Matrix:
    """The counts of a model, and the names of the classes."""

    model: str
    labels: tuple[str, ...]
    counts: Confusion


def confusion_html(matrices: Sequence[Matrix], pairs: Callable[[Table], str]) -> str:
    """The matrices of all models, with a choice of what their cells show.

    ``pairs`` writes the table of those classes that are confused most often.
    """
    chooser = (
        '<p class="tool needs-script"><label>Cells show <select id="cells">'
        '<option value="count">counts</option><option value="row">% of the true class</option>'
        '<option value="column">% of the predicted class</option></select></label>'
        '<label><input type="checkbox" id="turned"> predicted classes as rows</label></p>'
    )
    parts = [chooser]
    for matrix in matrices:
        if len(matrices) > 1:
            parts.append(f"<h3>{_text(matrix.model)}</h3>")
        if len(matrix.labels) <= MOST_CLASSES:
            parts.append(_table(matrix))
        if len(matrix.labels) > 2:
            parts.append(pairs(confusion_pairs(matrix.counts, matrix.labels)))
    return "".join(parts)


def _table(matrix: Matrix) -> str:
    counts = np.asarray(matrix.counts.matrix(), float)
    of_truth = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    heads = "".join(
        f'<th scope="col" class="number">{_text(label)}</th>' for label in matrix.labels
    )
    rows = []
    for label, line, shares in zip(matrix.labels, counts, of_truth, strict=True):
        cells = "".join(
            f'<td class="number h{min(int(SHADES * share), SHADES - 1)}" data-count="{count:.10g}">'
            f"{count_text(float(count))}</td>"
            for count, share in zip(line.tolist(), shares.tolist(), strict=True)
        )
        rows.append(f'<tr><th scope="row">{_text(label)}</th>{cells}</tr>')
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Confusion matrix">'
        '<table class="matrix"><caption>rows: truth, columns: predicted</caption>'
        f'<thead><tr><th scope="col">truth</th>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _text(text: str) -> str:
    return escape(visible(text), quote=True)
