"""A comparison over many data sets as a document: ranks, tests, pairs, the verdict in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.report.comparison import p_text, pair_text
from karat.report.document import Column, Grid, Text
from karat.report.names import label_text
from karat.report.numbers import number_text

if TYPE_CHECKING:
    from karat.comparison.results_comparison import ResultsComparison
    from karat.report.document import Block, Document

__all__ = ["results_document"]


def results_document(
    comparison: ResultsComparison, *, digits: int = 4, explain: bool = False
) -> Document:
    """Mean ranks with letters, every pair, the verdict; the reasons where asked for."""
    sets = len(comparison.results.sets)
    blocks: list[Block] = [
        Text(f"{len(comparison.models)} models on {sets} data sets", "quiet"),
        _ranks(comparison, digits),
        _pairs(comparison, digits),
    ]
    blocks.append(Text("Verdict", "strong"))
    blocks += [Text(f"- {line}") for line in comparison.verdict.splitlines()]
    blocks += [Text(f"Note: {note}", "quiet") for note in comparison.notes]
    if explain:
        blocks += [Text(""), Text("Why these tests", "strong")]
        blocks += [Text(f"- {line}") for line in comparison.reasoning]
    return tuple(blocks)


def _ranks(comparison: ResultsComparison, digits: int) -> Grid:
    letters = comparison.letters
    values = comparison.results.values
    names = comparison.results.models
    rows = tuple(
        (
            label_text(model),
            f"{comparison.ranks[model]:.3f}",
            letters[model],
            number_text(float(values[:, names.index(model)].mean()), digits=digits),
        )
        for model in comparison.models
    )
    columns = (
        Column("model", excess="cut"),
        Column("mean rank", "decimal"),
        Column("not apart"),
        Column(f"mean {comparison.results.measure}", "decimal"),
    )
    share = f"{100 * (1 - comparison.options.level):.10g}%"
    notes = [f"rank 1 is best; models that share a letter cannot be told apart at {share}"]
    notes += [
        f"{found.method}: {found.statistic:.4g}, p = {p_text(found.p_value)}"
        for found in comparison.omnibus
    ]
    if len(names) > 2:
        notes.append(f"critical difference of mean ranks (Nemenyi): {comparison.critical:.4g}")
    return Grid("Which model is better?", columns, rows, notes=tuple(notes))


def _pairs(comparison: ResultsComparison, digits: int) -> Grid:
    level = f"{100 * comparison.options.level:.10g}% interval"
    columns = [
        Column("pair", excess="cut"),
        Column("w/d/l"),
        Column("middle", "decimal"),
        Column(level),
        Column("p", "decimal"),
    ]
    several = len(comparison.differences) > 1
    if several:
        columns.append(Column("corrected p", "decimal"))
    columns.append(Column("better", excess="cut"))
    rows = []
    for d in comparison.differences:
        limits = "none"
        if not d.interval.is_absent:
            low, high = (
                number_text(v, digits=digits - 1) for v in (d.interval.low, d.interval.high)
            )
            limits = f"{low} to {high}"
        cells = [
            pair_text(d),
            f"{d.wins}/{d.draws}/{d.losses}",
            number_text(d.middle, digits=digits),
        ]
        cells += [limits, p_text(d.evidence.p_value)]
        if several:
            cells.append(p_text(d.corrected))
        rows.append(
            (*cells, label_text(d.better) if comparison.is_different(d) and d.better else "-")
        )
    first = comparison.differences[0]
    notes = ["w/d/l: data sets on which the first model is better, neither is, the second is"]
    notes += [f"test: {first.evidence.method}" + (f", {first.correction}" if several else "")]
    notes.append(f"middle and interval of the differences: {first.interval.method}")
    if first.interval.is_absent:
        notes.append(first.interval.note)
    return Grid("Differences", tuple(columns), tuple(rows), notes=tuple(notes))
