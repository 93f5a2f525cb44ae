"""Decisions and slices: what each kind of record is as tables for people and as rows of results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from math import isnan, nan
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from heldout.assess.results import COLUMNS, Result
from heldout.core.notes import as_notes
from heldout.core.wording import values_by_key
from heldout.report.layout import few
from heldout.report.names import bare_title
from heldout.report.numbers import number_text
from heldout.report.table import Column, Estimate, Number, Rows, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from heldout.report.table import Cell, Role
    from heldout.uncertainty.options import IntervalOptions

    Record = Mapping[str, Any]
    Records = Sequence[Record]

#: slices that a page shows of each column and measure, and thresholds; data formats have them all
MOST_SLICES, MOST_THRESHOLDS = 10, 40
TOSS = "toss a coin for each row; evaluated on the rows that chose the thresholds, so optimistic"


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
            yield from kind.tables(kind, title, own, words)


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
            results += KINDS[name].results(record, level, n)
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
    """What records have under a name: a column of their table, and a row of the results.

    ``limits`` is what the names of its limits start with, if it has any; ``row`` the measure of
    its results and ``note`` what is said of them (without a measure it is no result).
    """

    name: str
    head: str = ""
    limits: str | None = None
    role: Role = "value"
    row: str = ""
    note: str = ""
    #: the field that has the method of its limits
    method: str = "method"
    is_shown: bool = True

    def columns(
        self, records: Records, words: str
    ) -> Iterator[tuple[Column, Callable[[Record], Cell]]]:
        """The column, and behind it that of the limits, whose head are ``words``."""
        is_number = any(isinstance(record[self.name], int | float) for record in records)
        head = self.head or self.name.replace("_", " ")
        yield Column(head, "decimal" if is_number else "left"), self._cell
        if (prefix := self.limits) is not None:
            yield Column(words), lambda record: _limits(record, self.name, prefix)

    def _cell(self, record: Record) -> Cell:
        """The value, with as many digits as show that it lies between its limits."""
        value = record[self.name]
        if self.limits is not None and isinstance(value, float) and not isnan(value):
            low, high = _ends(record, self.limits)
            if low is not None and high is not None:
                return Estimate(value, low, high)
        return _cell(value, self.role)

    def result(self, record: Record, about: str, level: float | None, n: int) -> Result:
        """The value as a result, which says in the place of a slice what it is about."""
        low, high = (None, None) if self.limits is None else _ends(record, self.limits)
        if low is None or high is None or isnan(low) or isnan(high):
            low = high = None
        value, rows = record[self.name], record.get("n")
        notes = "; ".join(filter(None, (self.note, str(record.get("note") or ""))))
        return Result(
            self.row,
            nan if value is None else float(value),
            n if rows is None else int(rows),
            as_notes(notes),
            model=str(record.get("model", "")),
            slice=about,
            low=low,
            high=high,
            level=None if low is None else level,
            method=str(record.get(self.method, "")) if low is not None else "",
        )


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
    shown = (field for field in fields if field.is_shown)
    columns = [pair for field in shown for pair in field.columns(records, words)]
    below = (*_remarks(records), *_methods(records), *notes)
    heading = itemgetter(section) if section else None
    return Table.of(title, columns, records, section=heading, has_empty=False, notes=below)


def _remarks(records: Records) -> list[str]:
    """A line for each remark, naming what it is about where there is a choice."""
    about = values_by_key((str(r["note"]), _subject(r)) for r in records if r.get("note"))
    is_choice = len({_subject(record) for record in records}) > 1
    names = [", ".join(filter(None, who)) if is_choice else "" for who in about.values()]
    return [f"{who or 'note'}: {text}" for who, text in zip(names, about, strict=True)]


def _methods(records: Records) -> list[str]:
    """Which methods were used; of several, for what each of them."""
    methods = values_by_key((str(r["method"]), _subject(r)) for r in records if r.get("method"))
    if len(methods) < 2 or any("" in who for who in methods.values()):
        return [f"by {'; '.join(methods)}"] if methods else []
    return [f"by {'; '.join(f'{how} ({few(who)})' for how, who in methods.items())}"]


def _subject(record: Record) -> str:
    """What a record is about."""
    names = (str(record[f]) for f in ("slice", "decision", "rule", "model") if record.get(f))
    return next(names, "")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record: its title on a page, its fields, and what its results are about."""

    title: str
    fields: Callable[[Record], tuple[Field, ...]]
    about: Callable[[Record], str]
    tables: Callable[[Kind, str, Records, str], Iterator[Table]]
    is_by_model: bool = True
    #: the field whose values are headings
    section: str = ""

    def results(self, record: Record, level: float | None, n: int) -> Iterator[Result]:
        """The numbers of a record that are results."""
        about = self.about(record)
        fields = (field for field in self.fields(record) if field.row)
        return (field.result(record, about, level, n) for field in fields)


def _plain_table(kind: Kind, title: str, records: Records, words: str) -> Iterator[Table]:
    yield _table(title, kind.fields(records[0]), records, words, section=kind.section)


# slices


SLICES = (
    Field("slice"),
    Field("n"),
    Field("value", limits="", method="interval_method"),
    Field("difference", "vs. rest"),
    Field("p_value", is_shown=False),
    Field("corrected_p_value", "p (Holm)", role="p"),
    Field("verdict"),
)


def _slice_fields(record: Record) -> tuple[Field, ...]:
    """Values of slices stand among the other results already; the means over slices do not."""
    measure = record["measure"]
    tests = ("difference", "p_value", "corrected_p_value")
    verdict = "; ".join(filter(None, (record["verdict"] or "not judged", record["method"])))
    rows, note = {name: f"{name}[{measure}]" for name in tests}, verdict
    if record["kind"] != "slice":
        rows, note = {"value": measure}, _lack_of_limits(record)
    return tuple(replace(field, row=rows.get(field.name, ""), note=note) for field in SLICES)


def _slice_tables(kind: Kind, title: str, records: Records, words: str) -> Iterator[Table]:
    for measure, own in _runs(records, "measure"):
        worst, more = _worst(own)
        shown = [
            {**r, "note": "; ".join(filter(None, (r["note"], _lack_of_limits(r))))} for r in worst
        ]
        means = [r["interval_method"] for r in shown if r["kind"] == "macro"]
        of_means = dict.fromkeys(f"interval of the mean by {how}" for how in means if how)
        heading = f"{bare_title(measure)}: {title}"
        yield _table(heading, kind.fields(own[0]), shown, words, notes=(*of_means, *more))


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


# rankings and thresholds


def _ranked_by(record: Record) -> str:
    """The measure, which stands behind rank and model."""
    return list(record)[2]


def _ranking_fields(record: Record) -> tuple[Field, ...]:
    measure = _ranked_by(record)
    rank = Field("rank", row=f"rank[{measure}]")
    return rank, Field("model"), Field(measure, limits="", row=measure)


def _threshold_fields(record: Record) -> tuple[Field, ...]:
    measure = record["measure"]
    return (
        Field("measure"),
        Field("threshold", limits="threshold_", row="threshold"),
        Field("value", row=measure, note="evaluated on the rows that chose it: optimistic"),
        Field("corrected", limits="", row=f"corrected[{measure}]"),
    )


def _cut_fields(record: Record) -> tuple[Field, ...]:
    names = (name for name in record if name != "model")
    return tuple(Field(name, row="" if name == "threshold" else name) for name in names)


def _cut_tables(kind: Kind, title: str, records: Records, words: str) -> Iterator[Table]:
    """As many thresholds as a page shows, evenly spread, and how many there are."""
    count = len(records)
    if count <= MOST_THRESHOLDS:
        yield from _plain_table(kind, title, records, words)
        return
    steps = [round(i * (count - 1) / (MOST_THRESHOLDS - 1)) for i in range(MOST_THRESHOLDS)]
    more = f"{MOST_THRESHOLDS} of {count:,} thresholds: all are in CSV and JSON output"
    shown = [records[step] for step in steps]
    yield _table(title, kind.fields(records[0]), shown, words, notes=(more,))


def _toss_fields(record: Record) -> tuple[Field, ...]:
    own, other = (
        f"of {record[name]}" if record[name] else "" for name in ("threshold_model", "else_model")
    )
    return (
        Field("model"),
        Field("threshold", row="threshold", note=own),
        Field(
            "probability", "with probability", row="probability", note="of taking that threshold"
        ),
        Field("else_threshold", row="else_threshold", note=other),
        Field("sensitivity", row="sensitivity"),
        Field("specificity", row="specificity"),
    )


def _toss_tables(kind: Kind, title: str, records: Records, words: str) -> Iterator[Table]:
    is_one = len({record["model"] for record in records}) < 2
    fields = kind.fields(records[0])[is_one:]
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


# profits and costs, and other prevalences


def _currency(record: Record) -> str:
    """Whether a record is about a profit or a cost."""
    return "cost" if "cost_per_row" in record else "profit"


def _point_fields(record: Record) -> tuple[Field, ...]:
    names = ["threshold", "sensitivity", "specificity", f"{_currency(record)}_per_row"]
    names += [f"{what}_{end}" for what in ("prevalence", "slope") for end in ("low", "high")]
    return tuple(Field(name, row=name) for name in names)


def _point_tables(_: Kind, title: str, records: Records, words: str) -> Iterator[Table]:
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


def _profit_fields(record: Record) -> tuple[Field, ...]:
    amount = _currency(record)
    each = f"{amount}_per_row"
    names = Field("decision"), Field("n")
    return *names, Field(amount, row=amount), Field(each, limits="", row=each)


def _profit_tables(kind: Kind, title: str, records: Records, words: str) -> Iterator[Table]:
    for currency, run in groupby(records, key=_currency):
        own = list(run)
        yield _table(title.replace("profit", currency, 1), kind.fields(own[0]), own, words)


def _prevalence_fields(record: Record) -> tuple[Field, ...]:
    value = Field("value", limits="", row=record["measure"])
    return Field("prevalence"), Field("measure"), value


#: by their names in JSON
KINDS = {
    "slices": Kind("worst slices first", _slice_fields, itemgetter("slice"), _slice_tables),
    "ranking": Kind(
        "Models, best first",
        _ranking_fields,
        lambda record: f"rank by {_ranked_by(record)}",
        _plain_table,
        is_by_model=False,
    ),
    "thresholds": Kind(
        "Thresholds (score >= threshold is positive)",
        _threshold_fields,
        itemgetter("rule"),
        _plain_table,
        section="rule",
    ),
    "every_threshold": Kind(
        "Counts at each threshold (score >= threshold is positive)",
        _cut_fields,
        # in full: rounded up, it would leave out the row whose score it is
        lambda record: f"threshold={float(record['threshold'])!r}",
        _cut_tables,
    ),
    "mixtures": Kind(
        "A rate reached exactly by randomising between two thresholds",
        _toss_fields,
        "coin toss, {rule}".format_map,
        _toss_tables,
        is_by_model=False,
    ),
    "operating_point": Kind(
        "Best point on the ROC hull",
        _point_fields,
        lambda record: (
            f"best {_currency(record)} on the ROC hull, prevalence={record['prevalence']:.10g}"
        ),
        _point_tables,
        is_by_model=False,
    ),
    "expected_profit": Kind(
        "Decisions by expected profit",
        _profit_fields,
        "decision: {decision}".format_map,
        _profit_tables,
    ),
    "prevalence": Kind(
        "At other prevalences (first: this data)",
        _prevalence_fields,
        "prevalence={prevalence:.10g}".format_map,
        _plain_table,
    ),
}
