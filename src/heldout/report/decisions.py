"""Decisions and slices: what each kind of record is as tables for people and as rows of results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from heldout.assess.results import COLUMNS, Result
from heldout.core.notes import as_notes
from heldout.report.layout import few
from heldout.report.names import bare_title
from heldout.report.numbers import number_text
from heldout.report.table import Column, Estimate, Number, Rows, Table, table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heldout.report.table import Cell, Role
    from heldout.uncertainty.options import IntervalOptions

    Record = Mapping[str, Any]
    Records = Sequence[Record]

#: slices that a page shows of each column and measure, and thresholds; data formats have them all
MOST_SLICES, MOST_THRESHOLDS = 10, 40
TOSS = "toss anew for each row; on the rows that chose the thresholds: optimistic"


def result_rows(results: Iterable[Result]) -> Rows:
    """The long table: a row a result, the same columns in every output."""
    return Rows(COLUMNS, tuple(result.cells() for result in results))


def tables_document(
    tables: Mapping[str, Records], intervals: IntervalOptions | None
) -> Iterator[Table]:
    """The tables of all records, by the names of ``KINDS``."""
    words = "interval" if intervals is None else f"{intervals.level * 100:.10g}% interval"
    for name, records in tables.items():
        kind = KINDS[name]
        groups = _runs(records, "model") if kind.is_by_model else [("", list(records))]
        for model, own in groups if records else ():
            title = f"{kind.title} ({model})" if model else kind.title
            if callable(kind.shown):
                yield from kind.shown(title, own, words)
            else:
                yield _table(title, kind.shown, own, words, section=kind.section)


def decision_rows(
    tables: Mapping[str, Records], *, level: float | None, rows: Mapping[str, int]
) -> list[Result]:
    """A result for each number of the tables that ``heldout score`` was asked for.

    ``rows`` says how many each model was judged on, for tables that do not say it themselves.

    What the number is about stands in the column of slices (``best f_score``,
    ``prevalence=0.1``), what it is of a measure in front of it: ``rank[auc]``,
    ``corrected[recall]``, ``p_value[accuracy]``. Rows keep the order of their table.
    """
    results: list[Result] = []
    for name, records in tables.items():
        for record in records:
            n = rows.get(str(record.get("model", "")), max(rows.values()))
            results += KINDS[name].rows(record, _Row(record, level, n))
    return list(dict.fromkeys(results))  # two measures of one rule have the same threshold


def shown_slices(records: Records) -> frozenset[str] | None:
    """The slices that a page shows by the first measure of each model; None where it shows all."""
    first = [_worst(_runs(own, "measure")[0][1]) for _, own in _runs(records, "model")]
    if not any(more for _, more in first):
        return None
    return frozenset(record["slice"] for worst, _ in first for record in worst)


def _runs(records: Records, field: str) -> list[tuple[str, list[Record]]]:
    """The runs of records that have the same value of a field."""
    pairs = groupby(records, key=lambda record: record.get(field, ""))
    return [(value, list(own)) for value, own in pairs]


@dataclass(frozen=True, slots=True)
class Field:
    """A column of records; ``limits`` is what the names of its limits start with, if it has any."""

    name: str
    head: str = ""
    limits: str | None = None
    role: Role = "value"

    def columns(self, records: Records, words: str) -> Iterator[tuple[Column, Sequence[Cell]]]:
        """The column, and behind it that of the limits, whose head are ``words``."""
        values = [record[self.name] for record in records]
        is_number = any(isinstance(value, int | float) for value in values)
        head = Column(self.head or self.name.replace("_", " "), "decimal" if is_number else "left")
        yield head, [self._cell(record) for record in records]
        if self.limits is not None:
            yield Column(words), [_limits(record, self.name, self.limits) for record in records]

    def _cell(self, record: Record) -> Cell:
        """The value, with as many digits as show that it lies between its limits."""
        value = record[self.name]
        if self.limits is not None and isinstance(value, float) and not isnan(value):
            low, high = _ends(record, self.limits)
            if low is not None and high is not None:
                return Estimate(value, low, high)
        return _cell(value, self.role)


def _ends(record: Record, prefix: str) -> tuple[float | None, float | None]:
    return record.get(f"{prefix}low"), record.get(f"{prefix}high")


def _limits(record: Record, name: str, prefix: str) -> Cell:
    """The limits of a value, told apart from it."""
    low, high = _ends(record, prefix)
    if low is None or high is None or isnan(low) or isnan(high):
        return None
    value = record[name]
    if not isinstance(value, int | float) or isnan(value):
        value = (low + high) / 2
    return Estimate(value, low, high, "limits", fewer=1)


def _cell(value: Any, role: Role = "value") -> Cell:
    if value is None or value == "" or (isinstance(value, float) and isnan(value)):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return Number(value, "count" if isinstance(value, int) else role)


def _table(
    title: str,
    fields: Iterable[Field],
    records: Records,
    words: str,
    *,
    section: str = "",
    notes: Iterable[str] = (),
) -> Table:
    columns = [pair for field in fields for pair in field.columns(records, words)]
    sections: dict[int, str] = {}
    start = 0
    for heading, own in _runs(records, section) if section else ():
        sections[start] = heading
        start += len(own)
    below = (*_remarks(records), *_methods(records), *notes)
    return table_of(title, columns, sections=sections, notes=below)


def _remarks(records: Records) -> list[str]:
    """A line for each remark, naming what it is about where there is a choice."""
    about: dict[str, dict[str, None]] = {}
    subjects = {_subject(record) for record in records}
    for record in records:
        if record.get("note"):
            about.setdefault(str(record["note"]), {})[_subject(record)] = None
    names = [", ".join(filter(None, who)) if len(subjects) > 1 else "" for who in about.values()]
    return [f"{who or 'note'}: {text}" for who, text in zip(names, about, strict=True)]


def _methods(records: Records) -> list[str]:
    """Which methods were used; of several, for what each of them."""
    methods: dict[str, dict[str, None]] = {}
    for record in records:
        if record.get("method"):
            methods.setdefault(str(record["method"]), {})[_subject(record)] = None
    if len(methods) < 2 or any("" in who for who in methods.values()):
        return [f"by {'; '.join(methods)}"] if methods else []
    return [f"by {'; '.join(f'{how} ({few(list(who))})' for how, who in methods.items())}"]


def _subject(record: Record) -> str:
    """What a record is about."""
    names = (str(record[f]) for f in ("slice", "decision", "rule", "model") if record.get(f))
    return next(names, "")


class _Row:
    """Makes results that are all about one record."""

    def __init__(self, record: Record, level: float | None, n: int) -> None:
        self.record, self.level, self.n = record, level, n

    def __call__(
        self, about: str, measure: str, value: Any, *, limits: str | None = None, note: str = ""
    ) -> Result:
        low, high = (None, None) if limits is None else _ends(self.record, limits)
        if low is None or high is None or isnan(low) or isnan(high):
            low = high = None
        rows = self.record.get("n")
        notes = "; ".join(filter(None, (note, str(self.record.get("note") or ""))))
        return Result(
            measure,
            nan if value is None else float(value),
            self.n if rows is None else int(rows),
            as_notes(notes),
            model=str(self.record.get("model", "")),
            slice=about,
            low=low,
            high=high,
            level=None if low is None else self.level,
            method=str(self.record.get("method", "")) if low is not None else "",
        )


# slices


SLICES = (
    Field("slice"),
    Field("n"),
    Field("value", limits=""),
    Field("difference", "vs. rest"),
    Field("corrected_p_value", "p (Holm)", role="p"),
    Field("verdict"),
)


def _slice_tables(title: str, records: Records, words: str) -> Iterator[Table]:
    for measure, own in _runs(records, "measure"):
        worst, more = _worst(own)
        shown = [
            {**r, "note": "; ".join(filter(None, (r["note"], _lack_of_limits(r))))} for r in worst
        ]
        means = [r["interval_method"] for r in shown if r["kind"] == "macro"]
        of_means = dict.fromkeys(f"interval of the mean by {how}" for how in means if how)
        heading = f"{bare_title(measure)}: {title}"
        yield _table(heading, SLICES, shown, words, notes=(*of_means, *more))


def _lack_of_limits(record: Record) -> str:
    return f"no interval: {record['no_interval']}" if record["no_interval"] else ""


def _worst(records: Records) -> tuple[list[Record], list[str]]:
    """The worst slices of each column with what stands beside them, and how many there are more."""
    worst: list[Record] = []
    more: list[str] = []
    # the slices of a column stand together, and then its means
    for is_slice, run in groupby(records, key=lambda record: record["kind"] == "slice"):
        column = list(run)
        most = MOST_SLICES if is_slice else len(column)
        worst += column[:most]
        if rest := len(column[most:]):
            more.append(f"{rest:,} more of {len(column):,} slices: all are in CSV and JSON output")
    return worst, more


def _slice_rows(record: Record, row: _Row) -> Iterator[Result]:
    """The value stands among the other results already; the averages over slices do not."""
    about, measure = record["slice"], record["measure"]
    if record["kind"] != "slice":
        mean = row(about, measure, record["value"], limits="", note=_lack_of_limits(record))
        yield replace(mean, method=record["interval_method"])
        return
    verdict = "; ".join(filter(None, (record["verdict"] or "not judged", record["method"])))
    for field in ("difference", "p_value", "corrected_p_value"):
        yield row(about, f"{field}[{measure}]", record[field], note=verdict)


# rankings and thresholds


def _ranking_tables(title: str, records: Records, words: str) -> Iterator[Table]:
    fields = Field("rank"), Field("model"), Field(_ranked_by(records[0]), limits="")
    yield _table(title, fields, records, words)


def _ranked_by(record: Record) -> str:
    """The measure, which stands behind rank and model."""
    return list(record)[2]


def _ranking_rows(record: Record, row: _Row) -> Iterator[Result]:
    measure = _ranked_by(record)
    yield row(f"rank by {measure}", f"rank[{measure}]", record["rank"])
    yield row(f"rank by {measure}", measure, record[measure], limits="")


THRESHOLDS = (
    Field("measure"),
    Field("threshold", limits="threshold_"),
    Field("value"),
    Field("corrected", limits=""),
)


def _threshold_rows(record: Record, row: _Row) -> Iterator[Result]:
    about, measure = record["rule"], record["measure"]
    yield row(about, "threshold", record["threshold"], limits="threshold_")
    yield row(about, measure, record["value"], note="on the rows that chose: optimistic")
    yield row(about, f"corrected[{measure}]", record["corrected"], limits="")


def _cut_tables(title: str, records: Records, words: str) -> Iterator[Table]:
    """As many thresholds as a page shows, evenly spread, and how many there are."""
    fields = [Field(name) for name in records[0] if name != "model"]
    count = len(records)
    if count <= MOST_THRESHOLDS:
        yield _table(title, fields, records, words)
        return
    steps = [round(i * (count - 1) / (MOST_THRESHOLDS - 1)) for i in range(MOST_THRESHOLDS)]
    more = f"{MOST_THRESHOLDS} of {count:,} thresholds: all are in CSV and JSON output"
    yield _table(title, fields, [records[step] for step in steps], words, notes=(more,))


def _cut_rows(record: Record, row: _Row) -> Iterator[Result]:
    about = f"threshold={record['threshold']:.10g}"
    for field in record:
        if field not in ("model", "threshold"):
            yield row(about, field, record[field])


TOSSES = (
    Field("model"),
    Field("threshold"),
    Field("probability", "with probability"),
    Field("else_threshold"),
    Field("sensitivity"),
    Field("specificity"),
)


def _toss_tables(title: str, records: Records, words: str) -> Iterator[Table]:
    fields = TOSSES if len({r["model"] for r in records}) > 1 else TOSSES[1:]
    shown = [_with_words(record) | _models_of(record) for record in records]
    yield _table(title, fields, shown, words, section="rule", notes=(TOSS,))


def _with_words(record: Record) -> dict[str, Any]:
    """The record with a word for a threshold that does not exist, which its note explains."""
    ends = ("threshold", "else_threshold")
    lost = {end: "none" for end in ends if end in record and isnan(record[end])}
    return {**record, **lost}


def _models_of(record: Record) -> dict[str, str]:
    """The model of each threshold of a toss, where it is of the hull over all models."""
    models = dict.fromkeys(filter(None, (record["threshold_model"], record["else_model"])))
    is_over_all = models and not record["model"]
    return {"model": f"over all: {', else '.join(models)}"} if is_over_all else {}


def _toss_rows(record: Record, row: _Row) -> Iterator[Result]:
    about = f"coin toss, {record['rule']}"
    own, other = (
        f"of {record[name]}" if record[name] else "" for name in ("threshold_model", "else_model")
    )
    yield row(about, "threshold", record["threshold"], note=own)
    yield row(about, "probability", record["probability"], note="of taking that threshold")
    yield row(about, "else_threshold", record["else_threshold"], note=other)
    for field in ("sensitivity", "specificity"):
        yield row(about, field, record[field])


# profits and costs, and other prevalences


def _currency(record: Record) -> str:
    """Whether a record is about a profit or a cost."""
    return "cost" if "cost_per_row" in record else "profit"


def _point_tables(title: str, records: Records, words: str) -> Iterator[Table]:
    """A column a prevalence, with its fields below each other; the first: these rows."""
    for currency, own in groupby(records, key=_currency):
        points = [_with_words(record) for record in own]
        rows: list[tuple[Cell, ...]] = []
        for field in points[0]:
            if field.endswith("_low"):
                what = field.removesuffix("_low")
                cells = [_limits(point, what, f"{what}_") for point in points]
                rows.append((f"best for {what.replace('_', ' ')}", *cells))
            elif not field.endswith("_high"):
                cells = [_cell(point[field]) for point in points]
                if any(cell is not None for cell in cells):
                    rows.append((field.replace("_", " "), *cells))
        heads = ["what", "these rows", *(f"at {number_text(p['prevalence'])}" for p in points[1:])]
        yield Table(f"{title}, by {currency}", tuple(map(Column, heads)), tuple(rows))


def _point_rows(record: Record, row: _Row) -> Iterator[Result]:
    currency = _currency(record)
    about = f"best {currency} on the ROC hull, prevalence={record['prevalence']:.10g}"
    for field in ("threshold", "sensitivity", "specificity", f"{currency}_per_row"):
        yield row(about, field, record[field])
    for field in ("prevalence", "slope"):
        for end in ("low", "high"):
            yield row(about, f"{field}_{end}", record[f"{field}_{end}"])


def _profit_tables(title: str, records: Records, words: str) -> Iterator[Table]:
    for currency, own in groupby(records, key=_currency):
        fields = (
            Field("decision"),
            Field("n"),
            Field(currency),
            Field(f"{currency}_per_row", limits=""),
        )
        yield _table(title.replace("profit", currency, 1), fields, list(own), words)


def _profit_rows(record: Record, row: _Row) -> Iterator[Result]:
    currency = _currency(record)
    about = f"decision: {record['decision']}"
    yield row(about, currency, record[currency])
    yield row(about, f"{currency}_per_row", record[f"{currency}_per_row"], limits="")


PREVALENCES = Field("prevalence"), Field("measure"), Field("value", limits="")


def _prevalence_rows(record: Record, row: _Row) -> Iterator[Result]:
    about = f"prevalence={record['prevalence']:.10g}"
    yield row(about, record["measure"], record["value"], limits="")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record: its title on a page, its tables there, and its rows as results."""

    title: str
    #: the columns of its tables, or what makes them
    shown: tuple[Field, ...] | Callable[[str, Records, str], Iterator[Table]]
    rows: Callable[[Record, _Row], Iterator[Result]]
    is_by_model: bool = True
    section: str = ""


#: by their names in JSON
KINDS = {
    "slices": Kind("worst slices first", _slice_tables, _slice_rows),
    "ranking": Kind("Models, best first", _ranking_tables, _ranking_rows, is_by_model=False),
    "thresholds": Kind(
        "Thresholds (score >= threshold is positive)", THRESHOLDS, _threshold_rows, section="rule"
    ),
    "every_threshold": Kind(
        "Every threshold (score >= threshold is positive)", _cut_tables, _cut_rows
    ),
    "mixtures": Kind(
        "A rate reached exactly by randomising between two thresholds",
        _toss_tables,
        _toss_rows,
        is_by_model=False,
    ),
    "operating_point": Kind(
        "Best point on the ROC hull", _point_tables, _point_rows, is_by_model=False
    ),
    "expected_profit": Kind("Deciding by expected profit", _profit_tables, _profit_rows),
    "prevalence": Kind("At other prevalences (first: this data)", PREVALENCES, _prevalence_rows),
}
