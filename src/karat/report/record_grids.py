"""Tables of decisions and slices as grids: a record a row, only the columns that say something."""

from __future__ import annotations

from itertools import groupby
from math import isnan
from typing import TYPE_CHECKING, Any

from karat.report.document import Column, Grid
from karat.report.names import bare_title
from karat.report.numbers import count_text, number_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["record_grids"]

#: a column's head, the field (or the two limits) it shows
Columns = tuple[tuple[str, str], ...]
SLICES: Columns = (
    ("slice", "slice"),
    ("n", "n"),
    ("value", "value"),
    ("{level}", "low"),
    ("less the rest", "difference"),
    ("p (Holm)", "corrected_p_value"),
    ("verdict", "verdict"),
)
THRESHOLDS: Columns = (
    ("measure", "measure"),
    ("threshold", "threshold"),
    ("{level}", "threshold_low"),
    ("value", "value"),
    ("corrected", "corrected"),
    ("{level}", "low"),
)
#: one digit fewer, so that the limits fit beside the value
FEWER = 1


def record_grids(
    name: str,
    title: str,
    records: Sequence[Mapping[str, Any]],
    *,
    digits: int,
    level: float | None,
) -> Iterator[Grid]:
    """The grids of one table, which ``karat score`` calls by a name."""
    words = "interval" if level is None else f"{level * 100:.10g}% interval"
    together = name in ("ranking", "operating_point")
    for model, own in groupby(records, key=lambda r: "" if together else r.get("model", "")):
        rows = list(own)
        head = f"{title} ({model})" if model else title
        if name == "slices":
            for measure, same in groupby(rows, key=lambda record: record["measure"]):
                part = list(same)
                yield _grid(f"{bare_title(measure)}: {head}", SLICES, part, digits, words)
        elif name == "thresholds":
            yield _grid(head, THRESHOLDS, rows, digits, words, section="rule")
        elif name == "operating_point":
            yield from (_upright(head, record, digits) for record in rows)
        else:
            fields = [
                field for field in rows[0] if field not in ("high", "method", "note", "model")
            ]
            if name == "ranking":
                fields.insert(1, "model")
            columns = tuple(
                ("{level}" if field == "low" else field.replace("_", " "), field)
                for field in fields
            )
            yield _grid(head, columns, rows, digits, words)


def _grid(
    title: str,
    columns: Columns,
    records: Sequence[Mapping[str, Any]],
    digits: int,
    words: str,
    *,
    section: str = "",
) -> Grid:
    shown: list[tuple[Column, list[str]]] = []
    for head, field in columns:
        text = head.replace("{level}", words)
        if field.endswith("low"):
            high = field.removesuffix("low") + "high"
            cells = [_limits(record[field], record[high], digits - FEWER) for record in records]
            shown.append((Column(text), cells))
        else:
            cells = [_cell(record[field], digits) for record in records]
            numeric = any(isinstance(record[field], int | float) for record in records)
            shown.append((Column(text, "decimal" if numeric else "left"), cells))
    shown = [(column, cells) for column, cells in shown if any(cells)]
    sections: dict[int, str] = {}
    if section:
        for row, record in enumerate(records):
            if not row or record[section] != records[row - 1][section]:
                sections[row] = str(record[section])
    return Grid(
        title,
        tuple(column for column, _ in shown),
        tuple(zip(*(cells for _, cells in shown), strict=True)),
        sections=sections,
        notes=(*_remarks(records), *_methods(records)),
    )


def _upright(title: str, record: Mapping[str, Any], digits: int) -> Grid:
    """One record with its fields below each other."""
    rows = []
    for field, value in record.items():
        if field.endswith("_low"):
            what = field.removesuffix("_low").replace("_", " ")
            high = record[field.removesuffix("low") + "high"]
            rows.append((f"best for {what}", _limits(value, high, digits)))
        elif not field.endswith("_high") and _cell(value, digits):
            rows.append((field.replace("_", " "), _cell(value, digits)))
    return Grid(title, (Column("what"), Column("value")), tuple(rows))


def _remarks(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each remark, naming what it is about."""
    about: dict[str, list[str]] = {}
    for record in records:
        if record.get("note"):
            subject = next(
                (str(record[f]) for f in ("slice", "model", "rule") if record.get(f)), ""
            )
            about.setdefault(str(record["note"]), []).append(subject)
    return [f"{', '.join(filter(None, who)) or 'note'}: {text}" for text, who in about.items()]


def _methods(records: Sequence[Mapping[str, Any]]) -> list[str]:
    methods = {str(record["method"]): None for record in records if record.get("method")}
    return [f"by {'; '.join(methods)}"] if methods else []


def _cell(value: Any, digits: int) -> str:
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return count_text(value) if isinstance(value, int) else number_text(value, digits=digits)


def _limits(low: Any, high: Any, digits: int) -> str:
    if low is None or high is None or isnan(low) or isnan(high):
        return ""
    return f"{number_text(low, digits=digits)} to {number_text(high, digits=digits)}"
