"""What the cells of a confusion matrix are worth: read, earned or paid, and net benefit."""

from __future__ import annotations

from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.disk import attempt
from heldout.core.errors import InputError
from heldout.core.ratio import ratio
from heldout.measures.kinds import Mean, Sum
from heldout.measures.products import real
from heldout.measures.registry import measure
from heldout.predictions.options import ORIENTATIONS
from heldout.tables.json_files import json_of
from heldout.tables.text_files import csv_reader
from heldout.tally.confusion import Confusion
from heldout.tally.rows import ProbabilityRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.core.arrays import Floats

#: values whose squares can still be summed over any number of rows
LARGEST = 1e100


def parse_cells(
    text_or_path: str | Path,
    *,
    classes: int,
    orientation: str = "truth-rows",
    labels: Sequence[str] | None = None,
) -> tuple[tuple[float, ...], ...]:
    """A matrix of numbers, rows = truth, from text such as ``140,-140;-700,0`` or a CSV file.

    Parameters
    ----------
    text_or_path
        Rows parted by ``;`` or line ends, numbers by commas or spaces; or JSON; or the path
        of a file of that kind (in files, tabs part numbers too).
    classes
        How many rows and columns there must be.
    orientation
        ``truth-rows`` or ``prediction-rows``: what the rows are as written.
    labels
        The classes in order. A file whose rows and columns are named is brought into this
        order; without it a file with names is refused, because its order cannot be checked.

    Examples
    --------
    >>> parse_cells("140,-140;-700,0", classes=2)
    ((140.0, -140.0), (-700.0, 0.0))
    >>> parse_cells("140,-140;-700,0", classes=2, orientation="prediction-rows")
    ((140.0, -700.0), (-140.0, 0.0))
    """
    if orientation not in ORIENTATIONS:
        raise InputError(f"orientation is one of {', '.join(ORIENTATIONS)}, not {orientation!r}")
    text, where = _text_and_source(text_or_path)
    rows = _rows(text, where)
    if len(rows) == classes + 1 and {len(row) for row in rows} == {classes + 1}:
        rows = _in_order(rows, labels, where)  # a first row and column of names
    table = _square(
        [[_number(v, where, i) for v in row] for i, row in enumerate(rows)], classes, where
    )
    return tuple(map(tuple, (table.T if orientation == "prediction-rows" else table).tolist()))


def cells_of(matrix: Any, *, classes: int, where: str = "the matrix") -> Floats:
    """The same as an array, from text or from nested sequences whose rows are the truth."""
    if isinstance(matrix, str | Path):
        return np.array(parse_cells(matrix, classes=classes))
    try:
        rows = [[float(value) for value in row] for row in matrix]
    except (TypeError, ValueError):
        raise InputError(f"{where} is not rows of numbers: {matrix!r}") from None
    return _square(rows, classes, where)


def valued_cells(cells: Any, kind: str, *, classes: int) -> Floats:
    """The cells of a profit or a cost matrix, or an error that says which it is."""
    if kind not in ("profit", "cost"):
        raise InputError(f"the value of a cell is a profit or a cost, not a {kind!r}")
    return cells_of(cells, classes=classes, where=f"the {kind} matrix")


def _text_and_source(text_or_path: str | Path) -> tuple[str, str]:
    """The text, and how messages call it."""
    given = str(text_or_path).strip()
    if isinstance(text_or_path, str) and _is_matrix_text(given):
        return given, f"the matrix {given!r}" if len(given) <= 60 else "the matrix"
    path = Path(given)
    with attempt(f"read {path}"):
        try:
            return path.read_text(encoding="utf-8-sig"), str(path)
        except FileNotFoundError:
            raise InputError(
                f"{path}: no such file; a matrix is a file or text such as 140,-140;-700,0"
            ) from None
        except UnicodeDecodeError:
            raise InputError(f"{path}: cannot be read as text; it is not UTF-8") from None


def _rows(text: str, where: str) -> list[list[str]]:
    """The written cells, row by row."""
    if text.lstrip().startswith("["):
        try:
            nested = json_of(text)
            return [[str(value) for value in row] for row in nested]
        except (TypeError, ValueError):
            raise InputError(f"{where} looks like JSON and is not a list of rows") from None
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) == 1:
        lines = [line for line in lines[0].split(";") if line.strip()]
    mark = next((m for m in ("\t", ",", ";") if any(m in line for line in lines)), " ")
    parts = csv_reader((line.strip(" ") for line in lines), delimiter=mark, skipinitialspace=True)
    return [[cell.strip() for cell in row] for row in parts]


def _is_matrix_text(given: str) -> bool:
    """Whether a text is numbers and what parts them, and so no path."""
    return ";" in given or "\n" in given or not set(given.lower()) - set("0123456789+-.e, \t[]")


def _in_order(rows: list[list[str]], labels: Sequence[str] | None, where: str) -> list[list[str]]:
    """The numbers of a table with names, in the order of the classes."""
    columns, names = rows[0][1:], [row[0] for row in rows[1:]]
    if labels is None:
        raise InputError(
            f"{where} is {len(rows)} x {len(rows)}, and {len(names)} classes need"
            f" {len(names)} x {len(names)}: leave out the names of rows and columns"
        )
    for kind, names_there in (("columns", columns), ("rows", names)):
        if sorted(names_there) != sorted(labels):
            raise InputError(
                f"{where}: its {kind} are named {', '.join(names_there)},"
                f" the classes are {', '.join(labels)}"
            )
    return [[rows[1 + names.index(r)][1 + columns.index(c)] for c in labels] for r in labels]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _number(text: str, where: str, row: int) -> float:
    if not _is_number(text):
        raise InputError(f"{where}: {text!r} in row {row + 1} is not a number")
    return float(text)


def _square(rows: list[list[float]], classes: int, where: str) -> Floats:
    """The rows as an array of the right shape, all finite."""
    widths = sorted({len(row) for row in rows})
    if len(rows) != classes or widths != [classes]:
        width = str(widths[0]) if len(widths) == 1 else " or ".join(map(str, widths)) or "0"
        raise InputError(
            f"{where} is {len(rows)} x {width}, and {classes} classes need {classes} x {classes}"
        )
    table = np.array(rows)
    if not np.isfinite(table).all():
        row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
        raise InputError(f"{where}: row {row + 1} has a value that is not finite")
    if np.abs(table).max(initial=0.0) > LARGEST:
        row, column = np.argwhere(np.abs(table) > LARGEST)[0].tolist()
        raise InputError(
            f"{where}: {table[row, column]:g} in row {row + 1} is too large to be summed "
            f"over rows: give values up to {LARGEST:g}, in larger units"
        )
    return table


KELLEHER = "Kelleher, Mac Namee and D'Arcy (2015), Fundamentals of Machine Learning, ch. 8"
ELKAN = "Elkan (2001), IJCAI, 973"


#: what the cells of a matrix are worth
of_cells = partial(measure, averaged=False, reaches_best=False)


@of_cells(
    aliases=("total_profit",),
    direction="up",
    formula=r"\sum_{ij} n_{ij} v_{ij}",
    reference=KELLEHER,
    kind=Sum("profit_per_row"),
)
def profit(c: Confusion, *, matrix: Any = None) -> Any:
    """Total profit of all predictions.

    Parameters
    ----------
    matrix
        The profit of each cell, rows = truth, columns = predicted; or the same as text.

    Examples
    --------
    >>> profit(Confusion.from_matrix([[57, 3], [10, 30]]), matrix=((140, -140), (-700, 0)))
    560.0
    """
    return _total(c, matrix, "profit")


@of_cells(
    aliases=("mean_profit", "average_profit"),
    direction="up",
    formula=r"\frac{1}{n} \sum_{ij} n_{ij} v_{ij}",
    undefined="there are no rows",
    reference=KELLEHER,
    kind=Mean(),
)
def profit_per_row(c: Confusion, *, matrix: Any = None) -> Any:
    """Mean profit of a prediction.

    Examples
    --------
    >>> profit_per_row(Confusion.from_matrix([[57, 3], [10, 30]]), matrix="140,-140;-700,0")
    5.6
    """
    return ratio(_total(c, matrix, "profit_per_row"), c.total)


@of_cells(
    aliases=("total_cost", "misclassification_cost"),
    direction="down",
    formula=r"\sum_{ij} n_{ij} c_{ij}",
    reference=ELKAN,
    kind=Sum("cost_per_row"),
)
def cost(c: Confusion, *, matrix: Any = None) -> Any:
    """Total cost of all predictions.

    Examples
    --------
    >>> cost(Confusion.from_matrix([[57, 3], [10, 30]]), matrix=((0, 1), (5, 0)))
    53.0
    """
    return _total(c, matrix, "cost")


@of_cells(
    aliases=("mean_cost", "average_cost", "expected_cost"),
    direction="down",
    formula=r"\frac{1}{n} \sum_{ij} n_{ij} c_{ij}",
    undefined="there are no rows",
    reference=ELKAN,
    kind=Mean(),
)
def cost_per_row(c: Confusion, *, matrix: Any = None) -> Any:
    """Mean cost of a prediction.

    Examples
    --------
    >>> cost_per_row(Confusion.from_matrix([[57, 3], [10, 30]]), matrix=((0, 1), (5, 0)))
    0.53
    """
    return ratio(_total(c, matrix, "cost_per_row"), c.total)


def profit_cells(c: Confusion, matrix: Any) -> Floats:
    """What each cell of the confusion matrix earns in all, rows = truth.

    Examples
    --------
    >>> profit_cells(Confusion.from_matrix([[57, 3], [10, 30]]), ((140, -140), (-700, 0)))
    array([[ 7980.,  -420.],
           [-7000.,     0.]])
    """
    earned: Floats = c.matrix() * cells_of(matrix, classes=c.classes)
    return earned


def _total(c: Confusion, matrix: Any, name: str) -> Any:
    if matrix is None:
        raise InputError(
            f"{name} needs the value of each cell, rows = truth: matrix=140,-140;-700,0"
        )
    values = cells_of(matrix, classes=c.classes, where=f"the matrix of {name}")
    sums = (real(c.counts) * values.ravel()[c.cells]).sum(axis=-1)
    return sums if sums.ndim else float(sums)


VICKERS = "Vickers and Elkin (2006), Med. Decis. Making 26:565"


def odds_of(threshold: Any) -> Any:
    """What a false positive costs in true positives, where a threshold is the right one.

    Examples
    --------
    >>> odds_of(0.2)
    0.25
    """
    return threshold / (1 - threshold)


@measure(
    direction="up",
    bounds=(-inf, 1),
    formula=r"\frac{TP}{n} - \frac{FP}{n} \cdot \frac{t}{1 - t}",
    reference=VICKERS,
    tasks=("binary",),
    needs_probability=True,
    reaches_best=False,
    symmetric=False,
)
def net_benefit(rows: ProbabilityRows, *, threshold: float = 0.5) -> Any:
    """True positives a row, less the false positives weighted by the odds of the threshold.

    Rows whose probability is at least ``threshold`` are treated. The threshold is the
    probability from which on treating is worth its harm: at 0.2 one true positive is worth
    four false ones. No model is of use that is not above treating all rows and above treating
    none, which has 0: see the curve ``decision``.

    Examples
    --------
    >>> truth, probability = np.array([1, 0, 1, 0]), np.array([0.9, 0.3, 0.1, 0.1])
    >>> rows = ProbabilityRows(truth, probability, None, 2, positive=1)
    >>> net_benefit(rows, threshold=0.2)  # 1/4 - 1/4 * 0.25
    array([ 1.  , -0.25,  0.  ,  0.  ])
    """
    if not 0 <= threshold < 1:
        raise InputError(f"threshold is a probability from 0 to below 1, not {threshold:g}")
    worth = np.where(rows.is_positive, 1.0, -odds_of(threshold))
    return np.where(rows.of_positive >= threshold, worth, 0.0)
