"""Confusion matrices on a page: shaded by shares of each true class, most confused pairs first."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.parts import fold_parts
from heldout.core.shown import visible
from heldout.report.confusion_tables import confusion_pairs
from heldout.report.names import label_text
from heldout.report.numbers import count_text
from heldout.report.page.frame import opened
from heldout.report.plots.looks import shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from heldout.assess.scorecard import Scorecard
    from heldout.engines.memory import Tallies
    from heldout.report.table import Table
    from heldout.tally.confusion import Confusion

#: more classes make a matrix that nobody reads: their most confused pairs are listed alone
MOST_CLASSES = 60
#: cells of the matrices of all folds of a model, which are left out where there are more
MOST_CELLS = 400
#: models whose matrices stand open
MOST_MODELS = 10
#: of more classes the pairs that are confused most often come before the matrix
FEW_CLASSES = 10
SHADED = "The stronger the colour of a cell, the larger its share of the true class."
#: shades of a cell, and characters of the name above a column
SHADES, LONGEST = 10, 30


@dataclass(frozen=True, slots=True)
class Matrix:
    """The counts of a model, and the names of the classes."""

    model: str
    labels: tuple[str, ...]
    counts: Confusion
    #: those of each fold, by its name
    folds: tuple[tuple[str, Confusion], ...] = ()
    #: what a row in each cell earns or costs, and which of both it is
    worth: Sequence[Sequence[float]] | None = None
    kind: str = ""


def matrices_of(card: Scorecard, order: Sequence[str]) -> Iterator[Matrix]:
    """The matrices of the models: those in an order, best first, and then the others."""
    labels = tuple(map(label_text, card.classes))
    kind = "profit" if card.profit is not None else "cost"
    cells = getattr(card, kind)
    worth = None if cells is None else np.asarray(cells, float).tolist()
    known = {tallies.predictions.model: tallies for tallies in card.tallies}
    for model in dict.fromkeys((*order, *known)):
        if (counts := card.confusion(model)) is not None:
            folds = tuple(_counts_of_folds(known[model]))
            yield Matrix(label_text(model), labels, counts, folds, worth, kind)


def _counts_of_folds(tallies: Tallies) -> Iterator[tuple[str, Confusion]]:
    """The counts of each fold, as long as a reader can look at them."""
    count = tallies.design.folds * tallies.design.repeats
    if tallies.is_counted or count * len(tallies.predictions.classes) ** 2 > MOST_CELLS:
        return
    for part in fold_parts(tallies):
        repeat = f"repeat {part.repeat}, " if part.repeat else ""
        yield f"{repeat}fold {part.fold}", part.tallies.confusion


def confusion_html(matrices: Sequence[Matrix], pairs: Callable[[Table], str]) -> str:
    """The matrices of all models, with a choice of what their cells show.

    ``pairs`` writes the table of those classes that are confused most often.
    """
    worth, kind = matrices[0].worth, matrices[0].kind
    ways = {"count": "counts", "row": "% of the true class", "column": "% of the predicted class"}
    if worth is not None:
        ways["worth"] = kind
    options = "".join(f'<option value="{way}">{text}</option>' for way, text in ways.items())
    chooser = (
        '<p class="tool needs-script"><label>Cells show '
        f"<select id=\"cells\" data-worth='{json.dumps(worth)}'>{options}</select></label>"
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
    shown, rest = ("".join(own) for own in (parts[:MOST_MODELS], parts[MOST_MODELS:]))
    more = f"{len(parts) - MOST_MODELS} more models"
    others = opened(more, f'<div class="panels">{rest}</div>', is_printed=False) if rest else ""
    return f'{above}<div class="panels">{shown}</div>{others}'


def _folds(matrix: Matrix) -> str:
    """The matrices of folds, which a reader opens."""
    if not matrix.folds:
        return ""
    figures = "".join(
        f'<figure class="panel"><figcaption>{_text(name)}</figcaption>'
        f"{_table(matrix.labels, counts)}</figure>"
        for name, counts in matrix.folds
    )
    return opened("Each fold", f'<div class="panels">{figures}</div>', is_printed=False)


def _scrolling(table: str) -> str:
    label = 'role="region" aria-label="Confusion matrix"'
    return f'<div class="scroll" tabindex="0" {label}>{table}</div>'


def _table(labels: Sequence[str], confusion: Confusion) -> str:
    counts = np.asarray(confusion.matrix(), float)
    of_truth = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    heads = "".join(
        f'<th scope="col" class="number"{_whole(label)}>{_text(shorten(label, LONGEST))}</th>'
        for label in labels
    )
    rows = []
    for label, line, shares in zip(labels, counts, of_truth, strict=True):
        cells = "".join(map(_cell, line.tolist(), shares.tolist()))
        rows.append(f'<tr><th scope="row">{_text(label)}</th>{cells}</tr>')
    return (
        '<table class="matrix"><caption>rows: truth, columns: predicted</caption>'
        f'<thead><tr><th scope="col">truth</th>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _cell(count: float, share: float) -> str:
    """A count on its shade; one that is rounded is there in full for the script."""
    text, whole = count_text(count), f"{count:.10g}"
    known = "" if text.replace(",", "") == whole else f' data-count="{whole}"'
    return f'<td class="h{min(int(SHADES * share), SHADES - 1)}"{known}>{text}</td>'


def _whole(label: str) -> str:
    """A long name in full, for whoever points at it."""
    return f' title="{_text(label)}"' if len(label) > LONGEST else ""


def _text(text: str) -> str:
    return escape(visible(text), quote=True)
