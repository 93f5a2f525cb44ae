"""Confusion matrices as tables: of a model, of its parts, or the pairs that are confused most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.matrices import Matrix, matrices_of
from heldout.measures.profit import profit_cells
from heldout.report.names import label_text
from heldout.report.numbers import count_text
from heldout.report.table import MOST_ROWS, Column, Either, Number, Table, Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.assess.scorecard import Scorecard
    from heldout.predictions.options import Cells, Orientation
    from heldout.report.table import Block, Cell, Document
    from heldout.tally.confusion import Confusion

#: more classes than this are not drawn as a matrix, however wide the page
MOST_CLASSES = 20
#: with more, data has the cells that are not zero
MOST_WHOLE = 2000
#: so many confusions are listed where the matrix is too large
MOST_PAIRS = 10

#: what the cells are where they are not counts
CELL_TEXTS = {
    "truth": "% of the true class",
    "predicted": "% of the predicted class",
    "all": "% of all rows",
}


@dataclass(frozen=True, slots=True)
class View:
    """How a matrix is shown: what its rows are, and what its cells; totals are always counts."""

    orientation: Orientation = "truth-rows"
    cells: Cells = "counts"

    @property
    def axes(self) -> tuple[str, str]:
        """What rows and columns are."""
        return (
            ("truth", "predicted") if self.orientation == "truth-rows" else ("predicted", "truth")
        )

    @property
    def text(self) -> str:
        """The view in words."""
        rows, columns = self.axes
        cells = f"; cells: {CELL_TEXTS[self.cells]}" if self.cells != "counts" else ""
        return f"rows: {rows}, columns: {columns}{cells}"

    def turned(self, matrix: NDArray[Any]) -> NDArray[Any]:
        """A matrix whose rows are the truth, as this view has it."""
        return matrix if self.orientation == "truth-rows" else matrix.T

    def lines(self, matrix: Matrix) -> list[list[Cell]]:
        """The cells with totals at the right and below."""
        counts = self.turned(matrix.counts.matrix())
        lines = _with_totals(counts)
        if self.cells != "counts":
            shares = self.turned(matrix.shares(self.cells))
            for line, of_row in zip(lines, shares.tolist(), strict=False):
                line[: len(of_row)] = [Number(share, "percent") for share in of_row]
        return lines


PLAIN = View()


def _with_totals(matrix: NDArray[Any]) -> list[list[Cell]]:
    whole = np.vstack([matrix, matrix.sum(axis=0)])
    whole = np.column_stack([whole, whole.sum(axis=1)])
    return [[Number(value, "rows") for value in line] for line in whole.tolist()]


def confusion_table(
    confusion: Confusion, classes: Sequence[Any], *, repeats: int = 0, view: View = PLAIN
) -> Table | Either:
    """The matrix with totals, where it fits; else the pairs that are confused most often.

    ``repeats``: of how many it is the sum.
    """
    names = [label_text(label) for label in classes]
    more = f", {repeats} repeats in sum" if repeats else ""
    pairs = confusion_pairs(confusion, names, more)
    if len(names) > MOST_CLASSES:
        return pairs
    title, lines = f"Confusion matrix ({view.text}){more}", view.lines(Matrix(confusion))
    whole, numbered = (
        _matrix_table(title, view.axes[0], *heads, [("", lines)]) for heads in _heads(names)
    )
    return Either(((whole,), (numbered,), (pairs,)))


def _heads(names: Sequence[str]) -> tuple[tuple[Sequence[str], Sequence[str]], ...]:
    """Names of rows and columns: whole, and columns by number for narrow pages."""
    numbers = [str(i) for i, _ in enumerate(names, 1)]
    numbered = [f"{number} {name}" for number, name in zip(numbers, names, strict=True)]
    return (names, names), (numbered, numbers)


def parts_table(
    title: str,
    head: str,
    matrices: Sequence[tuple[str, Matrix]],
    classes: Sequence[Any],
    view: View,
) -> Block:
    """The matrices of several models, folds or slices below each other, each under its name."""
    names = [label_text(label) for label in classes]
    count = len(matrices) * (len(names) + 1)
    if len(names) > MOST_CLASSES or count > MOST_ROWS:
        which = f"the {len(matrices):,} confusion matrices by {head}"
        return Text(f"{which} are not shown (--format json has them)", "quiet")
    of_parts = [(name, view.lines(matrix)) for name, matrix in matrices]
    return Either(
        tuple(
            (_matrix_table(f"{title} ({view.text})", view.axes[0], *heads, of_parts, head=head),)
            for heads in _heads(names)
        )
    )


def _matrix_table(
    title: str,
    axis: str,
    rows: Sequence[str],
    heads: Sequence[str],
    of_parts: Sequence[tuple[str, list[list[Cell]]]],
    *,
    head: str = "",
) -> Table:
    """A matrix with its totals; those of several parts below each other, under ``head``."""
    lines: list[tuple[Cell, ...]] = []
    strong = set()
    for name, cells in of_parts:
        for i, (row, line) in enumerate(zip([*rows, "total"], cells, strict=True)):
            if i < len(rows):
                strong.add((len(lines), i + 1 + bool(head)))
            part = (label_text(name) if not i else "",) if head else ()
            lines.append((*part, row, *line))
    columns = [Column(axis, excess="cut"), *(Column(name, "decimal") for name in heads)]
    columns = [Column(head, excess="cut"), *columns] if head else columns
    # a line above the totals, or between the parts
    size = len(rows) + 1
    borders = range(size, len(lines), size) if head else (len(rows),)
    return Table(
        title,
        (*columns, Column("total", "decimal", "quiet")),
        tuple(lines),
        sections=dict.fromkeys(borders, ""),
        strong=frozenset(strong),
        is_confusion=True,
    )


def matrix_blocks(
    card: Scorecard, view: View, *, folds: bool = False, is_asked: bool = False
) -> Iterator[Block]:
    """The matrices of folds; where all are asked for also those of several models and slices."""
    matrices = list(matrices_of(card.tallies, folds=folds, slices=is_asked))
    is_one = len({matrix.model for matrix in matrices}) < 2
    kinds: dict[str, list[tuple[str, Matrix]]] = {"model": [], "slice": [], "fold": []}
    for matrix in matrices:
        head = "slice" if matrix.slice else "fold" if matrix.part else "model"
        model = "" if is_one and matrix.part else matrix.model
        kinds[head].append((", ".join(filter(None, (model, matrix.part))), matrix))
    if is_one or not is_asked:  # of one model it stands above
        del kinds["model"]
    for head, of_kind in kinds.items():
        if of_kind:
            yield parts_table(f"Confusion matrix by {head}", head, of_kind, card.classes, view)


def confusion_record(
    card: Scorecard, *, view: View = PLAIN, folds: bool = False, is_asked: bool = False
) -> dict[str, Any]:
    """The counts of each model, with those of its slices and folds where they are asked for."""
    models: dict[str, dict[str, Any]] = {}
    values = {"profit": card.profit, "cost": card.cost}
    rows, columns = view.axes
    for matrix in matrices_of(card.tallies, folds=folds, slices=is_asked):
        counts = _counts(matrix, card.classes, view)
        if matrix.part:
            kind = "slices" if matrix.slice else "folds" if matrix.fold else "repeats"
            names = {name: getattr(matrix, name) for name in ("slice", "repeat", "fold")}
            part = {name: value for name, value in names.items() if value} | counts
            models[matrix.model].setdefault(kind, []).append(part)
            continue
        models[matrix.model] = {
            "orientation": f"rows = {rows}, columns = {columns}",
            "labels": list(card.classes),
            **counts,
            **{
                name: view.turned(profit_cells(matrix.counts, cells)).tolist()
                for name, cells in values.items()
                if cells is not None
            },
        }
    return next(iter(models.values()), {}) if len(card.models) == 1 else {"models": models}


def _counts(matrix: Matrix, classes: Sequence[Any], view: View) -> dict[str, Any]:
    """The counts, and their shares where they are asked for; of very many classes the cells."""
    counts = matrix.counts
    if counts.classes > MOST_WHOLE:
        columns = (counts.truth, counts.predicted, counts.counts)
        cells = zip(*(column.tolist() for column in columns), strict=True)
        return {"cells": [[classes[t], classes[p], count] for t, p, count in cells]}
    record = {"matrix": view.turned(counts.matrix()).tolist()}
    if view.cells != "counts":
        record[f"shares_of_{view.cells}"] = view.turned(matrix.shares(view.cells)).tolist()
    return record


def confusion_page(confusion: Confusion) -> Document:
    """A tally of counts by itself, which knows its classes by number."""
    if confusion.counts.ndim > 1 or not confusion.classes:  # of many draws there is no one matrix
        return (Text(repr(confusion)),)
    return (confusion_table(confusion, range(confusion.classes)),)


def value_table(
    title: str, matrix: NDArray[Any], classes: Sequence[Any], view: View = PLAIN
) -> Either:
    """What each cell earns or costs in all, with sums; nothing where that does not fit."""
    names = [label_text(label) for label in classes]
    if len(names) > MOST_CLASSES:
        return Either(((),))
    view = View(view.orientation)
    lines = [("", _with_totals(view.turned(matrix)))]
    table = _matrix_table(f"{title} ({view.text})", view.axes[0], names, names, lines)
    return Either(((table,), ()))


def confusion_pairs(confusion: Confusion, names: Sequence[str], more: str = "") -> Table:
    """The cells off the diagonal with the largest counts."""
    shown, hidden = confusion.frequent_errors(MOST_PAIRS)
    rows = tuple(
        (names[truth], names[predicted], Number(count, "rows"), Number(whole, "rows"))
        for truth, predicted, count, whole in shown
    )
    rest = f"{hidden:,} rarer pairs are not shown; " if hidden else ""
    total, correct = confusion.total.item(), confusion.correct.item()
    return Table(
        f"Most frequent confusions{more}",
        (
            Column("truth", excess="cut"),
            Column("predicted", excess="cut"),
            Column("rows", "decimal"),
            Column("of class", "decimal", "quiet"),
        ),
        rows,
        notes=(f"{rest}{count_text(correct)} of {count_text(total)} rows are predicted correctly",),
        is_confusion=True,
    )
