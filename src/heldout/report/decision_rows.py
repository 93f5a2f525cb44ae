"""The long table, for formats that hold one: results, and decisions and slices as such."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from heldout.assess.results import COLUMNS, Result
from heldout.core.notes import as_notes
from heldout.report.table import Rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Record = Mapping[str, Any]

__all__ = ["decision_rows", "result_rows"]


def result_rows(results: Iterable[Result]) -> Rows:
    """The long table: a row a result, the same columns in every output."""
    return Rows(COLUMNS, tuple(result.cells() for result in results))


def decision_rows(
    tables: Mapping[str, Sequence[Record]], *, level: float | None, rows: Mapping[str, int]
) -> list[Result]:
    """A row for each number of the tables that ``heldout score`` was asked for.

    ``rows`` says how many each model was judged on, for tables that do not say it themselves.

    What the number is about stands in the column of slices (``best f_score``,
    ``prevalence=0.1``), what it is of a measure in front of it: ``rank[auc]``,
    ``corrected[recall]``, ``p_value[accuracy]``. Rows keep the order of their table.
    """
    made: list[Result] = []
    for name, records in tables.items():
        for record in records:
            n = rows.get(str(record.get("model", "")), max(rows.values()))
            made += MAKERS[name](record, _Row(record, level, n))
    return list(dict.fromkeys(made))  # two measures of one rule have the same threshold


class _Row:
    """Makes rows that are all about one record."""

    def __init__(self, record: Record, level: float | None, n: int) -> None:
        self.record, self.level, self.n = record, level, n

    def __call__(
        self, about: str, measure: str, value: Any, *, limits: str | None = None, note: str = ""
    ) -> Result:
        low = None if limits is None else self.record.get(f"{limits}low")
        high = None if limits is None else self.record.get(f"{limits}high")
        if low is None or high is None or isnan(low) or isnan(high):
            low = high = None
        rows = self.record.get("n")
        said = "; ".join(filter(None, (note, str(self.record.get("note") or ""))))
        return Result(
            measure,
            nan if value is None else float(value),
            self.n if rows is None else int(rows),
            as_notes(said),
            model=str(self.record.get("model", "")),
            slice=about,
            low=low,
            high=high,
            level=None if low is None else self.level,
            method=str(self.record.get("method", "")) if low is not None else "",
        )


def _slices(record: Record, row: _Row) -> Iterator[Result]:
    """The value stands among the other results already; the averages over slices do not."""
    about, measure = record["slice"], record["measure"]
    if record["kind"] != "slice":
        reason = f"no interval: {record['no_interval']}" if record["no_interval"] else ""
        made = row(about, measure, record["value"], limits="", note=reason)
        yield replace(made, method=record["interval_method"])
        return
    verdict = record["verdict"] or "not judged"
    said = "; ".join(filter(None, (verdict, record["method"])))
    for field in ("difference", "p_value", "corrected_p_value"):
        yield row(about, f"{field}[{measure}]", record[field], note=said)


def _ranking(record: Record, row: _Row) -> Iterator[Result]:
    measure = list(record)[2]
    yield row(f"rank by {measure}", f"rank[{measure}]", record["rank"])
    yield row(f"rank by {measure}", measure, record[measure], limits="")


def _thresholds(record: Record, row: _Row) -> Iterator[Result]:
    about, measure = record["rule"], record["measure"]
    yield row(about, "threshold", record["threshold"], limits="threshold_")
    yield row(about, measure, record["value"], note="on the rows that chose: optimistic")
    yield row(about, f"corrected[{measure}]", record["corrected"], limits="")


def _points(record: Record, row: _Row) -> Iterator[Result]:
    kind = "cost" if "cost_per_row" in record else "profit"
    about = f"best {kind} on the ROC hull, prevalence={record['prevalence']:.10g}"
    for field in ("threshold", "sensitivity", "specificity", f"{kind}_per_row"):
        yield row(about, field, record[field])
    for field in ("prevalence", "slope"):
        for end in ("low", "high"):
            yield row(about, f"{field}_{end}", record[f"{field}_{end}"])


def _tosses(record: Record, row: _Row) -> Iterator[Result]:
    about = f"coin toss, {record['rule']}"
    told = f"of {record['threshold_model']}" if record["threshold_model"] else ""
    other = f"of {record['else_model']}" if record["else_model"] else ""
    yield row(about, "threshold", record["threshold"], note=told)
    yield row(about, "probability", record["probability"], note="of taking that threshold")
    yield row(about, "else_threshold", record["else_threshold"], note=other)
    for field in ("sensitivity", "specificity"):
        yield row(about, field, record[field])


def _expected(record: Record, row: _Row) -> Iterator[Result]:
    kind = "cost" if "cost_per_row" in record else "profit"
    about = f"decision: {record['decision']}"
    yield row(about, kind, record[kind])
    yield row(about, f"{kind}_per_row", record[f"{kind}_per_row"], limits="")


def _prevalence(record: Record, row: _Row) -> Iterator[Result]:
    about = f"prevalence={record['prevalence']:.10g}"
    yield row(about, record["measure"], record["value"], limits="")


MAKERS = {
    "slices": _slices,
    "ranking": _ranking,
    "thresholds": _thresholds,
    "mixtures": _tosses,
    "operating_point": _points,
    "expected_profit": _expected,
    "prevalence": _prevalence,
}
