"""Small tables as read, built by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from heldout.predictions.build import build
from heldout.predictions.options import Roles
from heldout.predictions.table import Predictions
from heldout.tables.column import RawColumn
from heldout.tables.frames import raw_column
from heldout.tables.table import RawTable


def column(name: str, values: Any) -> RawColumn:
    """A column of its values' kind; None is missing."""
    return values if isinstance(values, RawColumn) else raw_column(name, values)


def category(name: str, values: list[Any], levels: list[Any]) -> RawColumn:
    """A column whose levels are declared."""
    codes = np.array([levels.index(value) for value in values])
    return RawColumn(name, "category", codes, None, tuple(levels))


def table(source: str = "a.csv", /, **columns: Any) -> RawTable:
    """A table as a CSV with a header line would be read."""
    made = {name: column(name, values) for name, values in columns.items()}
    rows = len(next(iter(made.values())))
    return RawTable(made, source, rows, first_row=2, row_word="line")


def one(made: RawTable, **roles: Any) -> Predictions:
    """The predictions of a table of one model."""
    (predictions,) = build([made], Roles(**roles))
    return predictions


def labels(predictions: Predictions) -> tuple[list[Any], list[Any] | None]:
    """Truth and prediction as labels."""
    classes = predictions.classes
    predicted = predictions.predicted
    return (
        [classes[code] for code in predictions.truth],
        None if predicted is None else [classes[code] for code in predicted],
    )
