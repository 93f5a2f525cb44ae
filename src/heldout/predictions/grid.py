"""A small table of cells, from text, a file or Python, with the labels around it if it has any."""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.disk import attempt
from heldout.core.errors import InputError
from heldout.predictions.header import long_fields
from heldout.predictions.json_files import json_of
from heldout.predictions.label_values import plain_labels
from heldout.predictions.part import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.predictions.table import Label

__all__ = ["Grid", "grid_of"]


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells by row; the classes of the rows, which are those of the columns in one order."""

    source: str
    cells: list[list[Any]]
    labels: tuple[Label, ...] | None = None


def grid_of(given: Any) -> Grid:
    """The cells of a matrix in any form."""
    if isinstance(given, (str, Path)):
        return _text(given)
    labels = None
    if hasattr(given, "index") and hasattr(given, "columns"):
        labels = (list(given.index), list(given.columns))
    try:
        cells = np.asarray(given).tolist()
    except ValueError:
        cells = [list(row) for row in given]
    if not isinstance(cells, list) or not all(isinstance(row, list) for row in cells):
        raise InputError("the confusion matrix must be a list of rows, or a path or text")
    return Grid("matrix", cells) if labels is None else _labelled("matrix", cells, *labels)


def _text(given: str | Path) -> Grid:
    text = str(given)
    inline = isinstance(given, str) and (text.lstrip().startswith("[") or ";" in text)
    if inline and not _exists(text):
        return Grid(f"matrix {text!r}", _inline(text))
    if given == "-":
        text = "standard input"
    with attempt(f"read {text}"):
        try:
            read = sys.stdin.buffer.read if given == "-" else Path(given).read_bytes
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
    with long_fields():
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=sign)]
    header = None
    # a first cell alone that is no number: the corner of a square, else the label of a row
    corner = not _is_number(rows[0][0]) and len(rows) == len(rows[0])
    if corner or not all(_is_number(cell) for cell in rows[0][1:]):
        header, rows = rows[0], rows[1:]
    first = None
    has_corner = header is not None and len(header) == len(rows) + 1
    if has_corner or any(row and not _is_number(row[0]) for row in rows):
        first, rows = [row[0] for row in rows], [row[1:] for row in rows]
        # some writers leave the corner out
        header = header[1:] if header is not None and has_corner else header
    if header is None and first is None:
        return Grid(source, rows)
    return _labelled(source, rows, first or header or [], header or first or [])


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _labelled(
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
