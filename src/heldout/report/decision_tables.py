"""Decisions and slices as tables: a record a row, only the columns that say something."""

from __future__ import annotations

from itertools import groupby
from math import isnan
from typing import TYPE_CHECKING, Any

from heldout.report.layout import few
from heldout.report.names import bare_title
from heldout.report.numbers import number_text
from heldout.report.table import Column, Estimate, Note, Number, Table, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heldout.report.table import Cell

__all__ = ["decision_tables", "shown_slices"]

#: a column's head, the field (or the two limits) it shows
Columns = tuple[tuple[str, str], ...]
SLICES: Columns = (
    ("slice", "slice"),
    ("n", "n"),
    ("value", "value"),
    ("{level}", "low"),
    ("vs. rest", "difference"),
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
TOSSES: Columns = (
    ("model", "model"),
    ("threshold", "threshold"),
    ("with probability", "probability"),
    ("else threshold", "else_threshold"),
    ("sensitivity", "sensitivity"),
    ("specificity", "specificity"),
)
TOSS = "toss anew for each row; on the rows that chose the thresholds: optimistic"
#: slices that a page shows of each column and measure; data formats have them all
MOST_SLICES = 10


def decision_tables(
    name: str,
    title: str,
    records: Sequence[Mapping[str, Any]],
    *,
    level: float | None,
) -> Iterator[Table]:
    """The tables of records that ``heldout score`` calls by one name."""
    words = "interval" if level is None else f"{level * 100:.10g}% interval"
    if name in ("ranking", "operating_point", "mixtures"):
        yield from _of_all_models(name, title, records, words)
        return
    for model, own in groupby(records, key=lambda r: r.get("model", "")):
        rows = list(own)
        head = f"{title} ({model})" if model else title
        if name == "slices":
            for measure, same in groupby(rows, key=lambda record: record["measure"]):
                worst, more = _worst(list(same))
                told = [_with_reason(record) for record in worst]
                text = f"{bare_title(measure)}: {head}"
                yield _table(text, SLICES, told, words, notes=(*_of_means(told), *more))
        elif name == "thresholds":
            yield _table(head, THRESHOLDS, rows, words, section="rule")
        elif name == "expected_profit":
            for kind, same in groupby(rows, key=_kind):
                part = list(same)
                text = head.replace("profit", kind, 1)
                yield _table(text, _columns(part[0]), part, words)
        else:
            yield _table(head, _columns(rows[0]), rows, words)


def shown_slices(records: Sequence[Mapping[str, Any]]) -> frozenset[str] | None:
    """The slices that a page shows by the first measure of each model; None where it shows all."""
    first = [
        _worst(list(next(groupby(own, key=lambda record: record["measure"]))[1]))
        for _, own in groupby(records, key=lambda record: record["model"])
    ]
    if not any(more for _, more in first):
        return None
    return frozenset(record["slice"] for worst, _ in first for record in worst)


def _worst(records: Sequence[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], list[str]]:
    """The worst slices of each column with what stands beside them, and how many there are more."""
    worst: list[Mapping[str, Any]] = []
    more: list[str] = []
    # the slices of a column stand together, and then its means
    for is_slice, run in groupby(records, key=lambda record: record["kind"] == "slice"):
        column = list(run)
        most = MOST_SLICES if is_slice else len(column)
        worst += column[:most]
        if rest := len(column[most:]):
            more.append(f"{rest:,} more of {len(column):,} slices: all are in CSV and JSON output")
    return worst, more


def _with_reason(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a slice with the reason why it has no interval in its note."""
    reason = f"no interval: {record['no_interval']}" if record["no_interval"] else ""
    return {**record, "note": "; ".join(filter(None, (record["note"], reason)))}


def _of_means(records: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """How the intervals of means over slices were made."""
    means = [r for r in records if r["kind"] == "macro" and r["interval_method"]]
    made = dict.fromkeys(f"interval of the mean by {r['interval_method']}" for r in means)
    return tuple(made)


def _of_all_models(
    name: str, title: str, records: Sequence[Mapping[str, Any]], words: str
) -> Iterator[Table]:
    """The tables whose records speak of several models."""
    if name == "ranking":
        yield _table(title, _columns(records[0], model=1), records, words)
    elif name == "mixtures":
        columns = TOSSES if len({r["model"] for r in records}) > 1 else TOSSES[1:]
        yield _table(title, columns, _with_models(records), words, section="rule", notes=(TOSS,))
    else:
        for kind, same in groupby(records, key=_kind):
            yield _upright(f"{title}, by {kind}", [_with_words(record) for record in same])


def _kind(record: Mapping[str, Any]) -> str:
    """Whether a record is about a profit or a cost."""
    return "cost" if "cost_per_row" in record else "profit"


def _columns(record: Mapping[str, Any], *, model: int = -1) -> Columns:
    """A column for each field that says something in every such table."""
    fields = [field for field in record if field not in ("high", "method", "note", "model")]
    if model >= 0:
        fields.insert(model, "model")
    return tuple(
        ("{level}" if field == "low" else field.replace("_", " "), field) for field in fields
    )


def _with_words(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record with a word for a threshold that does not exist, which its note explains."""
    ends = ("threshold", "else_threshold")
    lost = {end: "none" for end in ends if end in record and isnan(record[end])}
    return {**record, **lost}


def _with_models(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Tosses with the model of each threshold, where they are of the hull over all models."""
    made = []
    for record in records:
        own = _with_words(record)
        if not record["model"] and record["threshold_model"] + record["else_model"]:
            pair = dict.fromkeys(filter(None, (record["threshold_model"], record["else_model"])))
            own["model"] = f"over all: {', else '.join(pair)}"
        made.append(own)
    return made


def _table(
    title: str,
    columns: Columns,
    records: Sequence[Mapping[str, Any]],
    words: str,
    *,
    section: str = "",
    notes: tuple[str | Note, ...] = (),
) -> Table:
    shown: list[tuple[Column, Sequence[Cell]]] = []
    for head, field in columns:
        text = head.replace("{level}", words)
        if field.endswith("low"):
            of = "threshold" if field == "threshold_low" else None
            shown.append((Column(text), [_limits(record, field, of) for record in records]))
        else:
            numeric = any(isinstance(record[field], int | float) for record in records)
            cells = [_value(record, field) for record in records]
            shown.append((Column(text, "decimal" if numeric else "left"), cells))
    sections: dict[int, str] = {}
    if section:
        for row, record in enumerate(records):
            if not row or record[section] != records[row - 1][section]:
                sections[row] = str(record[section])
    below = (*_remarks(records), *_methods(records), *notes)
    return table_of(title, shown, sections=sections, notes=below)


def _upright(title: str, records: Sequence[Mapping[str, Any]]) -> Table:
    """A column a record (a prevalence), with its fields below each other; the first: these rows."""
    rows: list[tuple[Cell, ...]] = []
    for field in records[0]:
        if field.endswith("_low"):
            what = field.removesuffix("_low")
            cells = [_limits(record, field, what) for record in records]
            rows.append((f"best for {what.replace('_', ' ')}", *cells))
        elif not field.endswith("_high"):
            cells = [_cell(record[field]) for record in records]
            if any(cell is not None for cell in cells):
                rows.append((field.replace("_", " "), *cells))
    heads = ["these rows", *(f"at {number_text(r['prevalence'])}" for r in records[1:])]
    return Table(title, (Column("what"), *map(Column, heads)), tuple(rows))


def _remarks(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each remark, naming what it is about where there is a choice."""
    about: dict[str, dict[str, None]] = {}
    subjects: set[str] = set()
    for record in records:
        subject = _subject(record)
        subjects.add(subject)
        if record.get("note"):
            about.setdefault(str(record["note"]), {})[subject] = None
    lines = []
    for text, who in about.items():
        names = ", ".join(filter(None, who)) if len(subjects) > 1 else ""
        lines.append(f"{names or 'note'}: {text}")
    return lines


def _methods(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Which methods were used; of several, for what each of them."""
    methods: dict[str, dict[str, None]] = {}
    for record in records:
        if record.get("method"):
            methods.setdefault(str(record["method"]), {})[_subject(record)] = None
    if len(methods) < 2 or any("" in who for who in methods.values()):
        return [f"by {'; '.join(methods)}"] if methods else []
    return [f"by {'; '.join(f'{how} ({few(list(who))})' for how, who in methods.items())}"]


def _subject(record: Mapping[str, Any]) -> str:
    """What a record is about."""
    found = (str(record[f]) for f in ("slice", "decision", "rule", "model") if record.get(f))
    return next(found, "")


def _cell(value: Any, role: Any = "value") -> Cell:
    if value is None or value == "" or (isinstance(value, float) and isnan(value)):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return Number(value, "count" if isinstance(value, int) else role)


def _limits(record: Mapping[str, Any], field: str, of: str | None) -> Cell:
    """The limits of a record, of the value that stands before them, told apart from it."""
    low, high = record[field], record[field.removesuffix("low") + "high"]
    if low is None or high is None or isnan(low) or isnan(high):
        return None
    value = record.get(of or _estimate(record))
    if not isinstance(value, int | float) or isnan(value):
        value = (low + high) / 2
    return Estimate(value, low, high, "limits", fewer=1)


def _estimate(record: Mapping[str, Any]) -> str:
    """The field whose limits the record has: the one before them."""
    fields = list(record)
    return fields[fields.index("low") - 1] if "low" in fields else ""


def _value(record: Mapping[str, Any], field: str) -> Cell:
    """A field's cell, with as many digits as show that it lies between its limits."""
    if field.endswith("p_value"):
        return _cell(record[field], "p")
    prefix = "" if field == _estimate(record) else f"{field}_"
    value, low, high = (record.get(key) for key in (field, f"{prefix}low", f"{prefix}high"))
    if isinstance(value, float) and not isnan(value) and low is not None and high is not None:
        return Estimate(value, low, high)
    return _cell(value)
