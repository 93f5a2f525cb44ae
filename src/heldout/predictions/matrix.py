"""A confusion matrix itself as input: inline, from a file, or from Python; orientation stated."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.dialect import argument
from heldout.core.disk import attempt
from heldout.core.errors import InputError
from heldout.core.wording import listed, plural, shown
from heldout.predictions.classes import Classes, usual_positive
from heldout.predictions.options import ORIENTATIONS
from heldout.tables.checks import LARGEST_WEIGHT
from heldout.tables.json_files import json_of
from heldout.tables.labels import number_or_none, plain_label, plain_labels
from heldout.tables.text_files import csv_reader

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.core.arrays import Array
    from heldout.tables.column import Label


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionInput:
    """Counts of true class (rows) against predicted class (columns)."""

    counts: Array
    classes: tuple[Label, ...]
    positive: int | None
    source: str
    notes: tuple[str, ...] = ()
    #: whose counts they are, where there are several
    model: str = ""


def read_matrices(
    matrices: Mapping[str, Any],
    *,
    orientation: str | None = None,
    labels: Sequence[Label] | str | None = None,
    positive: Label | None = None,
) -> tuple[ConfusionInput, ...]:
    """The confusion matrices of several models by their names, all of the same classes.

    Where they name their classes, those stand in the order of the first matrix.
    """
    if not matrices:
        raise InputError("no confusion matrix is given: name at least one")
    how: dict[str, Any] = {
        "orientation": _orientation_of(orientation),
        "labels": labels,
        "positive": positive,
    }
    inputs: list[ConfusionInput] = []
    for model, matrix in matrices.items():
        grid = _grid_of(matrix)
        if inputs and labels is None and grid.labels is not None:
            how["labels"] = inputs[0].classes
        inputs.append(replace(_turn(grid, **how), model=model))
        first, last = inputs[0], inputs[-1]
        if len(last.classes) != len(first.classes):
            raise InputError(
                f"{last.source}: {len(last.classes)} classes, but the matrix of {first.model!r} "
                f"has {len(first.classes)}; all must have the same"
            )
    return tuple(inputs)


def read_matrix(
    matrix: Any,
    *,
    orientation: str | None = None,
    labels: Sequence[Label] | str | None = None,
    positive: Label | None = None,
) -> ConfusionInput:
    """The confusion matrix, turned so that its rows are the truth.

    Parameters
    ----------
    matrix
        ``"85,4;2,9"``, ``"[[85,4],[2,9]]"``, a path of a CSV or TSV with or without labels
        in its first row and column, ``"-"`` for standard input, nested lists, an array, or
        a data frame.
    orientation
        ``"truth-rows"`` or ``"prediction-rows"``: both are usual, so it must be said.
    labels
        The classes in the order of the rows, where the matrix does not name them; else the
        order to put them in.
    positive
        The class of interest of two: a label, or ``"first"`` or ``"second"``.

    Examples
    --------
    >>> given = read_matrix("85,4;2,9", orientation="prediction-rows", positive="first")
    >>> given.counts.tolist(), given.classes[given.positive]
    ([[85, 2], [4, 9]], '1')
    """
    return _turn(_grid_of(matrix), _orientation_of(orientation), labels, positive)


def _orientation_of(orientation: str | None) -> str:
    if not isinstance(orientation, str) or orientation not in ORIENTATIONS:
        wrong = "" if orientation is None else f" {shown(orientation)} is none;"
        ways = [argument("orientation", way) for way in ORIENTATIONS]
        raise InputError(
            f"the orientation of the confusion matrix must be stated:{wrong} {ways[0]} if a row "
            f"holds the cases of one true class,\n{ways[1]} if a row holds the cases predicted as "
            "one class"
        )
    return orientation


def _turn(
    grid: Grid, orientation: str, labels: Sequence[Label] | str | None, positive: Label | None
) -> ConfusionInput:
    """The counts of a grid with its rows the truth, its classes and what was guessed of them."""
    counts = _counts(grid)
    notes = [f"confusion matrix: rows = {orientation.partition('-')[0]}, as stated"]
    classes, order = _classes(grid, labels)
    counts = counts[np.ix_(order, order)]
    if orientation == "prediction-rows":
        counts = counts.T
    if grid.labels is None and labels is None:
        notes.append(f"classes: {listed(classes, most=4)} (the matrix names none)")
    if counts.dtype.kind == "f":
        notes.append("counts with fractions are taken as weights")
    named = not (grid.labels is labels is None)
    index, note = _positive(grid, classes, positive, named=named)
    notes += [note] if note else []
    return ConfusionInput(np.ascontiguousarray(counts), classes, index, grid.source, tuple(notes))


def _counts(grid: Grid) -> Array:
    """The cells as whole numbers where they all are; square, none negative, not all zero."""
    rows, source = grid.cells, grid.source
    width = max((len(row) for row in rows), default=0)
    if len(rows) < 2 or any(len(row) != len(rows) for row in rows):
        counted = f"{plural(len(rows), 'row')} of {plural(width, 'count')}"
        short = next((i for i, row in enumerate(rows) if len(row) != len(rows[0])), 0)
        if short:
            counted = (
                f"row 1 has {plural(len(rows[0]), 'count')} and row {short + 1} has "
                f"{len(rows[short])}"
            )
        raise InputError(
            f"{source}: {counted}; a confusion matrix is square, with a row and a column for "
            "each of at least two classes"
        )
    values = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            number = number_or_none(cell)
            values[i, j] = np.nan if number is None else number
            if not 0 <= values[i, j] < LARGEST_WEIGHT:
                is_large = values[i, j] >= LARGEST_WEIGHT
                count = f"below {LARGEST_WEIGHT:g}" if is_large else "that is 0 or more"
                raise InputError(
                    f"{source}: {cell!r} in row {i + 1}, column {j + 1} of the counts; a count is "
                    f"a number {count}"
                )
    if not values.any():
        raise InputError(f"{source}: all counts are 0; at least one case is needed")
    whole = bool((values == np.floor(values)).all()) and values.max() < 2**53
    return values.astype(np.int64) if whole else values


def _classes(
    grid: Grid, labels: Sequence[Label] | str | None
) -> tuple[tuple[Label, ...], list[int]]:
    """The classes, and which row of the matrix each is."""
    size = len(grid.cells)
    known = grid.labels
    if labels is None:
        labels_of_rows = tuple(str(i + 1) for i in range(size)) if known is None else known
        return labels_of_rows, list(range(size))
    asked = plain_labels(labels)
    if len(asked) != size:
        raise InputError(
            f"{grid.source}: {plural(len(asked), 'label')} ({listed(asked)}) for a matrix of "
            f"{size} classes"
        )
    if len(set(asked)) < size:
        raise InputError(f"{grid.source}: a class comes twice among the labels {listed(asked)}")
    if known is None:
        return asked, list(range(size))
    positions = [_family(known).find(label) for label in asked]
    if None in positions or len(set(positions)) < size:
        raise InputError(
            f"{grid.source}: the labels {listed(asked)} are not those of the matrix, "
            f"{listed(known)}"
        )
    order = [position for position in positions if position is not None]
    return tuple(known[position] for position in order), order


def _family(classes: tuple[Label, ...]) -> Classes:
    return Classes(classes, "text" if isinstance(classes[0], str) else "number")


def _positive(
    grid: Grid, classes: tuple[Label, ...], positive: Label | None, *, named: bool
) -> tuple[int | None, str]:
    positive = None if positive is None else plain_label(positive)
    if positive is not None and len(classes) != 2:
        raise InputError(
            f"{grid.source}: {argument('positive', positive)} is for two classes, and the "
            f"matrix has {len(classes)}: {listed(classes)}"
        )
    if len(classes) != 2:
        return None, ""
    if positive is not None:
        position = _family(classes).find(positive)
        if position is None and positive in ("first", "second"):
            position = int(positive == "second")
        if position is None:
            raise InputError(
                f"{grid.source}: no class {positive!r} (classes: {listed(classes)}); "
                f"{argument('positive')} is one of them, or first or second"
            )
        return position, ""
    if named and (label := usual_positive(classes)) is not None:
        return classes.index(label), f"positive: {label!r} (the labels are {listed(classes)})"
    ways = ("first", "second") if not named else classes
    raise InputError(
        f"{grid.source}: two classes, {listed(classes)}: choose the positive one with "
        f"{argument('positive', ways[0])} or {argument('positive', ways[1])}"
    )


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells by row; the classes of the rows, which are those of the columns in one order."""

    source: str
    cells: list[list[Any]]
    labels: tuple[Label, ...] | None = None


def _grid_of(source: Any) -> Grid:
    """The cells of a matrix in any form."""
    if isinstance(source, (str, Path)):
        return _text(source)
    labels = None
    if hasattr(source, "index") and hasattr(source, "columns"):
        labels = (list(source.index), list(source.columns))
    try:
        cells = np.asarray(source).tolist()
    except ValueError:
        cells = [list(row) for row in source]
    if not isinstance(cells, list) or not all(isinstance(row, list) for row in cells):
        raise InputError("the confusion matrix must be a list of rows, or a path or text")
    return Grid("matrix", cells) if labels is None else _with_labels("matrix", cells, *labels)


def _text(source: str | Path) -> Grid:
    text = str(source)
    inline = isinstance(source, str) and (text.lstrip().startswith("[") or ";" in text)
    if inline and not _exists(text):
        return Grid(f"matrix {text!r}", _inline(text))
    if source == "-":
        text = "standard input"
    with attempt(f"read {text}"):
        try:
            read = sys.stdin.buffer.read if source == "-" else Path(source).read_bytes
            return _file(text, read().decode("utf-8-sig"))
        except FileNotFoundError:
            raise InputError(
                f"{text}: no such file; a matrix in place is written 85,4;2,9 (rows apart by ;)"
            ) from None
        except UnicodeDecodeError:
            raise InputError(
                f"{text}: not UTF-8 text; a confusion matrix is a CSV or TSV"
            ) from None


def _exists(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False


def _inline(text: str) -> list[list[Any]]:
    if not text.lstrip().startswith("["):
        rows = (row for row in text.split(";") if row.strip())
        return [row.replace(",", " ").split() for row in rows]
    try:
        cells = json_of(text)
    except ValueError:
        cells = None
    if not isinstance(cells, list) or not all(isinstance(row, list) for row in cells):
        raise InputError(f"matrix {text!r}: not of the form [[85,4],[2,9]]")
    return cells


def _file(source: str, content: str) -> Grid:
    """The cells of a delimited text, freed of labels in its first row and column."""
    lines = [line for line in content.splitlines() if line.strip()]
    if not lines:
        raise InputError(f"{source}: empty; a confusion matrix has a row for each class")
    sign = next((sign for sign in ("\t", ";", ",") if sign in lines[0]), ",")
    rows = [[cell.strip() for cell in row] for row in csv_reader(lines, delimiter=sign)]
    header = None
    # a first cell alone that is not a number: the corner of a square, else the label of a row
    corner = number_or_none(rows[0][0]) is None and len(rows) == len(rows[0])
    if corner or any(number_or_none(cell) is None for cell in rows[0][1:]):
        header, rows = rows[0], rows[1:]
    first = None
    has_corner = header is not None and len(header) == len(rows) + 1
    if has_corner or any(row and number_or_none(row[0]) is None for row in rows):
        first, rows = [row[0] for row in rows], [row[1:] for row in rows]
        # some writers leave the corner out
        header = header[1:] if header is not None and has_corner else header
    if header is None and first is None:
        return Grid(source, rows)
    return _with_labels(source, rows, first or header or [], header or first or [])


def _with_labels(
    source: str, cells: list[list[Any]], rows: Sequence[Any], columns: Sequence[Any]
) -> Grid:
    """The cells with columns in the order of the rows."""
    names, others = plain_labels(rows), plain_labels(columns)
    if len(set(names)) < len(names):
        raise InputError(f"{source}: a class comes twice in the rows ({listed(names)})")
    if sorted(map(str, names)) != sorted(map(str, others)):
        raise InputError(
            f"{source}: the rows are called {listed(names)} and the columns {listed(others)}; "
            "both must name the same classes"
        )
    order = [others.index(name) for name in names]
    if any(len(row) != len(names) for row in cells) or len(cells) != len(names):
        return Grid(source, cells, names)
    return Grid(source, [[row[i] for i in order] for row in cells], names)
