"""Confusion matrices on a page: shaded by shares of each true class, most confused pairs first."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.shown import visible
from heldout.report.confusion_tables import confusion_pairs
from heldout.report.numbers import count_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heldout.report.table import Table
    from heldout.tally.confusion import Confusion

#: more classes make a matrix that nobody reads: their most confused pairs are listed alone
MOST_CLASSES = 60
#: cells of the matrices of all folds of a model, which are left out where there are more
MOST_CELLS = 400
#: of more classes the pairs that are confused most often come before the matrix
FEW_CLASSES = 10
SHADED = "The stronger the colour of a cell, the larger its share of the true class."
#: shades of a cell
SHADES = 10


@dataclass(frozen=True, slots=True)
class Matrix:
    """The counts of a model, and the names of the classes."""

    model: str
    labels: tuple[str, ...]
    counts: Confusion
    #: those of each fold, by its name
    folds: tuple[tuple[str, Confusion], ...] = ()


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
    parts = []
    for matrix in matrices:
        classes = len(matrix.labels)
        own = []
        if classes <= MOST_CLASSES:
            own += [_scrolling(_table(matrix.labels, matrix.counts)), _folds(matrix)]
        if classes > 2:
            frequent = pairs(confusion_pairs(matrix.counts, matrix.labels))
            own.insert(0 if classes > FEW_CLASSES else len(own), frequent)
        head = f"<h3>{_text(matrix.model)}</h3>" if len(matrices) > 1 else ""
        parts.append(f"<div>{head}{''.join(own)}</div>")
    has_cells = len(matrices[0].labels) <= MOST_CLASSES
    above = f'<p class="quiet">{SHADED}</p>{chooser}' if has_cells else ""
    return f'{above}<div class="panels">{"".join(parts)}</div>'


def _folds(matrix: Matrix) -> str:
    """The matrices of folds, which a reader opens."""
    if not matrix.folds:
        return ""
    figures = "".join(
        f'<figure class="panel"><figcaption>{_text(name)}</figcaption>'
        f"{_table(matrix.labels, counts)}</figure>"
        for name, counts in matrix.folds
    )
    return f'<details><summary>Each fold</summary><div class="panels">{figures}</div></details>'


def _scrolling(table: str) -> str:
    label = 'role="region" aria-label="Confusion matrix"'
    return f'<div class="scroll" tabindex="0" {label}>{table}</div>'


def _table(labels: Sequence[str], confusion: Confusion) -> str:
    counts = np.asarray(confusion.matrix(), float)
    of_truth = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    heads = "".join(f'<th scope="col" class="number">{_text(label)}</th>' for label in labels)
    rows = []
    for label, line, shares in zip(labels, counts, of_truth, strict=True):
        cells = "".join(
            f'<td class="number h{min(int(SHADES * share), SHADES - 1)}" data-count="{count:.10g}">'
            f"{count_text(float(count))}</td>"
            for count, share in zip(line.tolist(), shares.tolist(), strict=True)
        )
        rows.append(f'<tr><th scope="row">{_text(label)}</th>{cells}</tr>')
    return (
        '<table class="matrix"><caption>rows: truth, columns: predicted</caption>'
        f'<thead><tr><th scope="col">truth</th>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _text(text: str) -> str:
    return escape(visible(text), quote=True)
