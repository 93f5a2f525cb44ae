"""The confusion matrix as a grid that names its orientation, or its largest confusions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.report.document import Column, Grid
from heldout.report.names import label_text
from heldout.report.numbers import count_text, counts_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.tally.confusion import Confusion

__all__ = ["ORIENTATION", "confusion_grid", "value_grid"]

ORIENTATION = "rows: truth, columns: predicted"
#: more classes than this are not drawn as a matrix, however wide the page
MOST_CLASSES = 20
#: so many confusions are listed where the matrix is too large
MOST_PAIRS = 10


def confusion_grid(
    confusion: Confusion, classes: Sequence[Any], *, title: str = "", width: int | None
) -> Grid:
    """The matrix with totals, where it fits; else the pairs that are confused most often."""
    names = [label_text(label) for label in classes]
    heading = f"Confusion matrix{f' of {title}' if title else ''} ({ORIENTATION})"
    if len(names) <= MOST_CLASSES:
        cells = _cells(confusion.matrix())
        for heads in (names, [str(i + 1) for i in range(len(names))]):
            is_numbered = heads is not names
            rows = [f"{i + 1} {name}" for i, name in enumerate(names)] if is_numbered else names
            if width is None or _width(rows, heads, cells) <= width:
                return _matrix(heading, rows, heads, cells)
    return _pairs(confusion, names, title)


def value_grid(
    title: str, matrix: NDArray[Any], classes: Sequence[Any], *, width: int | None
) -> Grid | None:
    """What each cell earns or costs in all, with sums; None where that does not fit."""
    names = [label_text(label) for label in classes]
    cells = _cells(matrix)
    if len(names) > MOST_CLASSES or (width and _width(names, names, cells) > width):
        return None
    return _matrix(f"{title} ({ORIENTATION})", names, names, cells)


def _cells(matrix: NDArray[Any]) -> list[list[str]]:
    """The cells with their sums, as text."""
    whole = np.zeros((len(matrix) + 1, len(matrix) + 1), matrix.dtype)
    whole[:-1, :-1] = matrix
    whole[:-1, -1], whole[-1, :-1] = matrix.sum(axis=1), matrix.sum(axis=0)
    whole[-1, -1] = matrix.sum()
    texts = counts_text(whole.ravel().tolist())
    wide = len(whole)
    return [texts[start : start + wide] for start in range(0, len(texts), wide)]


def _width(rows: Sequence[str], heads: Sequence[str], cells: list[list[str]]) -> int:
    columns = zip(*cells, strict=True)
    wide = [
        max(map(len, (head, *line))) for head, line in zip([*heads, "total"], columns, strict=True)
    ]
    return 2 + max(map(len, (*rows, "truth"))) + sum(wide) + 2 * len(wide)


def _matrix(
    heading: str, rows: Sequence[str], heads: Sequence[str], cells: list[list[str]]
) -> Grid:
    count = len(rows)
    return Grid(
        heading,
        (
            Column("truth", excess="cut"),
            *(Column(h, "decimal") for h in heads),
            Column("total", "decimal", "quiet"),
        ),
        tuple((name, *line) for name, line in zip([*rows, "total"], cells, strict=True)),
        sections={count: ""},
        strong=frozenset((i, i + 1) for i in range(count)),
    )


def _pairs(confusion: Confusion, names: Sequence[str], title: str) -> Grid:
    """The cells off the diagonal with the largest counts."""
    wrong = np.flatnonzero(confusion.truth != confusion.predicted)
    order = wrong[np.argsort(-confusion.counts[wrong], kind="stable")][:MOST_PAIRS]
    counts = counts_text(confusion.counts[order].tolist())
    of_class = counts_text(confusion.actual[confusion.truth[order]].tolist())
    rows = tuple(
        (names[confusion.truth[i]], names[confusion.predicted[i]], count, whole)
        for i, count, whole in zip(order, counts, of_class, strict=True)
    )
    hidden = len(wrong) - len(order)
    more = f"{hidden:,} rarer pairs are not shown; " if hidden else ""
    total, correct = confusion.total.item(), confusion.correct.item()
    return Grid(
        f"Most frequent confusions{f' of {title}' if title else ''}",
        (
            Column("truth", excess="cut"),
            Column("predicted", excess="cut"),
            Column("rows", "decimal"),
            Column("of class", "decimal", "quiet"),
        ),
        rows,
        notes=(f"{more}{count_text(correct)} of {count_text(total)} rows are predicted right",),
    )
