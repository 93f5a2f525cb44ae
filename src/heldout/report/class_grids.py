"""Classes as grids: the confusion matrix or its largest cells, and measures of each class."""

from __future__ import annotations

from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.report.document import Column, Grid, Text
from heldout.report.measure_grids import with_interval
from heldout.report.names import AVERAGE_TITLES, bare_title, label_text, request_of, short_title
from heldout.report.numbers import count_text, counts_text
from heldout.report.remarks import absences, methods
from heldout.report.widths import Crossing, grids

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from heldout.assess.results import Result
    from heldout.report.document import Document
    from heldout.tally.confusion import Confusion

__all__ = [
    "FEW_CLASSES",
    "below_classes",
    "class_grid",
    "confusion_grid",
    "confusion_page",
    "value_grid",
    "worst_classes",
]

#: up to so many classes all are shown
FEW_CLASSES = 20
#: so many are shown where there are more
WORST = 10

Pooled = dict[tuple[str, str], "Result"]


def class_grid(
    title: str,
    results: Sequence[Result],
    support: Mapping[str, float],
    *,
    digits: int,
    width: int | None,
    notes: Sequence[str] = (),
) -> list[Grid]:
    """A row a class, a column a measure, then the averages; nothing without values of classes.

    ``support`` has the rows of each class, in the order of the classes; classes without
    results are not shown, and a note says how many they are. ``notes`` are said of all.
    """
    of_class = {(r.class_, r.measure): r for r in results if r.class_ and not r.fold}
    if not of_class:
        return []
    names = tuple(dict.fromkeys(name for _, name in of_class))
    given = dict.fromkeys(label for label, _ in of_class)
    shown = [label for label in support if label in given]
    if len(support) > FEW_CLASSES:
        shown = _worst(shown, names, of_class, support)
    whole = sum(support.values())
    *counts, in_all = counts_text([*(support[label] for label in shown), whole])
    rows = [(label_text(label), count) for label, count in zip(shown, counts, strict=True)]
    cells = [[of_class.get((label, name)) for name in names] for label in shown]
    for words, line in _averages(results, names):
        rows.append((words, in_all))
        cells.append(line)
    hidden = len(support) - len(shown)
    lacking = [
        (row, name, result)
        for (row, _), line in zip(rows, cells, strict=True)
        for name, result in zip(names, line, strict=True)
        if result is not None
    ]
    crossing = Crossing(
        title,
        "class",
        "measure",
        tuple(name for name, _ in rows),
        ("rows", *(short_title(name) for name in names)),
        tuple(
            (count, *(with_interval(result, digits) for result in line))
            for (_, count), line in zip(rows, cells, strict=True)
        ),
        (
            *((_on_hidden(hidden, names),) if hidden and len(shown) == WORST else ()),
            *absences(lacking),
            *methods([r for line in cells for r in line if r is not None], brackets=True),
            *notes,
        ),
        len(shown) if len(rows) > len(shown) else 0,
    )
    return grids(crossing, width)


def below_classes(results: Sequence[Result]) -> frozenset[str]:
    """The averages that stand below the classes they are of, so that they stand nowhere else."""
    names = {r.measure for r in results if r.class_ and not r.fold}
    return frozenset(
        r.measure
        for r in results
        if request_of(r.measure).average and _without_average(r.measure) in names
    )


def worst_classes(confusion: Confusion) -> list[int]:
    """The classes that a tally shows to be predicted worst, by the F score; absent ones last."""
    import numpy as np

    rows = confusion.actual + confusion.chosen
    badness = np.where(rows > 0, confusion.hits / np.maximum(rows, 1e-300), np.inf)
    worst: list[int] = np.lexsort((-confusion.actual, badness))[:WORST].tolist()
    return worst


def _on_hidden(hidden: int, names: Sequence[str]) -> str:
    return (
        f"the {WORST} worst classes by {bare_title(_judge(names))}; {hidden:,} others are not "
        "shown (--per-class --format csv gives all)"
    )


def _judge(names: Sequence[str]) -> str:
    """The measure that says which classes are worst."""
    return next((n for n in names if request_of(n).measure.name == "f_score"), names[0])


def _worst(
    labels: list[str], names: Sequence[str], of_class: Pooled, support: Mapping[str, float]
) -> list[str]:
    """The worst of many classes; of equals, those with most rows."""
    judge = _judge(names)
    sign = -1 if request_of(judge).measure.direction == "down" else 1

    def badness(label: str) -> tuple[bool, float, float]:
        result = of_class.get((label, judge))
        value = nan if result is None else sign * result.value
        return (isnan(value), 0.0 if isnan(value) else value, -support[label])

    return sorted(labels, key=badness)[:WORST]


def _averages(
    results: Sequence[Result], names: Sequence[str]
) -> Iterator[tuple[str, list[Result | None]]]:
    """A row for each kind of average that any of the measures has."""
    found = {
        (request_of(r.measure).average, _without_average(r.measure)): r
        for r in results
        if not r.class_ and not r.fold
    }
    for average, words in AVERAGE_TITLES.items():
        line = [found.get((average, name)) for name in names]
        if any(line):
            yield words, line


def _without_average(name: str) -> str:
    """The name of the measure that an average's name is made of."""
    average = request_of(name).average
    bare, bracket, rest = name.partition("[")
    return bare.removesuffix(f"_{average}").removeprefix(f"{average}_") + bracket + rest


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


def confusion_page(confusion: Confusion, width: int) -> Document:
    """A tally of counts by itself, which knows its classes by number."""
    if confusion.counts.ndim > 1 or not confusion.classes:  # of many draws there is no one matrix
        return (Text(repr(confusion)),)
    return (confusion_grid(confusion, range(confusion.classes), width=width),)


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
