"""Results: one row a value, the same columns in every output."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from heldout.core.shown import Shown, visible
from heldout.curves.columns import ShownTable

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["COLUMNS", "Result", "Table"]

#: the columns of the long table, in order
COLUMNS = (
    "model",
    "procedure",
    "repeat",
    "fold",
    "slice",
    "class",
    "measure",
    "value",
    "low",
    "high",
    "level",
    "method",
    "n",
    "note",
)


@dataclass(frozen=True, slots=True, repr=False)
class Result(Shown):
    """One value of one measure, with all that says what it is.

    ``fold`` is empty for all folds pooled, a fold's name, or ``mean`` for the mean of the
    folds' values. ``value`` is NaN where the measure is undefined; ``note`` says why.
    ``low``, ``high``, ``level`` and ``method`` are the interval, None where there is none.
    """

    measure: str
    value: float
    n: int
    note: str = ""
    model: str = ""
    procedure: str = ""
    repeat: str = ""
    fold: str = ""
    slice: str = ""
    class_: str = ""
    low: float | None = None
    high: float | None = None
    level: float | None = None
    method: str = ""

    def __float__(self) -> float:
        return float(self.value)

    def __repr__(self) -> str:
        """One line: the measure, its value and interval, and of what it is."""
        about = {"model": self.model, "class": self.class_, "slice": self.slice, "fold": self.fold}
        where = "".join(f", {name} {text}" for name, text in about.items() if text)
        limits = ""
        if self.low is not None and self.high is not None and self.level is not None:
            limits = f" [{self.low:.4g}, {self.high:.4g}] at {self.level * 100:.10g}%"
        value = f"{self.value:.6g}" if self.is_defined else "undefined"
        note = f": {self.note}" if self.note else ""
        return visible(f"<{self.measure} {value}{limits}{where}, n = {self.n:,}{note}>")

    @property
    def is_defined(self) -> bool:
        """Whether there is a value."""
        return not isnan(self.value)

    def cells(self) -> tuple[Any, ...]:
        """The values in the order of ``COLUMNS``."""
        return tuple(getattr(self, "class_" if name == "class" else name) for name in COLUMNS)


assert {f.name.rstrip("_") for f in fields(Result)} == set(COLUMNS)


@dataclass(frozen=True, slots=True, repr=False)
class Table(ShownTable):
    """Results as a table, convertible to the user's own kind of data frame."""

    results: tuple[Result, ...]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def columns(self) -> dict[str, list[Any]]:
        """The table column by column; missing numbers are None, undefined values NaN."""
        rows = [result.cells() for result in self.results]
        return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame."""
        import pandas

        columns = self.columns()
        for name in ("low", "high", "level"):
            columns[name] = [nan if value is None else value for value in columns[name]]
        return pandas.DataFrame(columns)

    def to_polars(self) -> Any:
        """The table as a polars DataFrame."""
        import polars

        kinds = dict.fromkeys(("value", "low", "high", "level"), polars.Float64)
        return polars.DataFrame(self.columns(), schema_overrides=kinds)

    def to_arrow(self) -> Any:
        """The table as a PyArrow table."""
        import pyarrow

        columns: dict[str, Any] = dict(self.columns())
        for name in ("value", "low", "high", "level"):
            columns[name] = pyarrow.array(columns[name], pyarrow.float64())
        return pyarrow.table(columns)
