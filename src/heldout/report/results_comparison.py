"""A comparison over many data sets as a document: ranks, tests, pairs, the verdict in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.core.shown import p_in_words
from heldout.report.comparison import limits_of
from heldout.report.comparison_pairs import (
    PairNames,
    against_best,
    has_summary,
    is_short,
    left_out,
    results_summary,
)
from heldout.report.names import label_text
from heldout.report.numbers import number_text
from heldout.report.table import Column, Number, Table, Text

if TYPE_CHECKING:
    from heldout.comparison.results_comparison import ResultsComparison
    from heldout.report.table import Block, Cell, Document

__all__ = ["results_document", "results_page"]


def results_document(
    comparison: ResultsComparison,
    *,
    explain: bool = False,
    pairs: str = "",
    room: int = 0,
    has_notes: bool = True,
) -> Document:
    """Mean ranks with letters, pairs, the verdict; the reasons where asked for.

    ``pairs``: ``all``, or ``best``: the best model against each other; empty: all of few.
    ``room``: letters in a line, beyond which models are numbered; 0: no end. Without
    ``has_notes`` somebody else tells them.
    """
    short = is_short(comparison, pairs)
    names = PairNames(comparison.models, 0 if short else room)
    sets = len(comparison.results.sets)
    blocks: list[Block] = [
        Text(f"{len(comparison.models)} models on {sets} data sets", "quiet"),
        *(Text(f"Note: {note}", "quiet") for note in comparison.notes if has_notes),
        _ranks(comparison, names),
        _pairs(comparison, short, names),
    ]
    blocks.append(Text("Verdict", "strong"))
    is_brief = has_summary(comparison, pairs)
    lines = results_summary(comparison) if is_brief else comparison.verdict.splitlines()
    blocks += [Text(f"- {line}") for line in lines]
    if explain:
        blocks += [Text(""), Text("Why these tests", "strong")]
        blocks += [Text(f"- {line}") for line in comparison.reasoning]
    return tuple(blocks)


def results_page(comparison: ResultsComparison) -> Document:
    """A comparison over data sets as it shows itself in Python."""
    return results_document(comparison)


def _ranks(comparison: ResultsComparison, numbers: PairNames) -> Table:
    standings = comparison.standing
    values = comparison.results.values
    names = comparison.results.models
    rows = tuple(
        (
            *((numbers.of(model),) if numbers.is_numbered else ()),
            label_text(model),
            Number(comparison.ranks[model], "rank"),
            standings[model],
            Number(float(values[:, names.index(model)].mean())),
        )
        for model in comparison.models
    )
    control = comparison.control
    columns = (
        *((Column("no.", "right"),) if numbers.is_numbered else ()),
        Column("model", excess="cut"),
        Column("mean rank", "decimal"),
        Column("is" if control else "not apart"),
        Column(f"mean {comparison.results.measure}", "decimal"),
    )
    share = f"{100 * (1 - comparison.options.level):.10g}%"
    said = f"better, worse: than the control at {share}; neither: not told apart from it"
    said = said if control else f"models that share a letter cannot be told apart at {share}"
    notes = [f"rank 1 is best; {said}"]
    tests = [
        f"{found.method}: {number_text(found.statistic, digits=4)}, p {p_in_words(found.p_value)}"
        for found in comparison.omnibus
    ]
    if len(tests) > 2:
        # the last is exact, and what the others come near to
        tests = [tests[-1], f"approximations: {'; '.join(tests[:-1])}"]
    notes += tests
    if comparison.has_critical:
        whose = "Bonferroni and Dunn" if control else "Nemenyi"
        notes.append(f"critical difference of mean ranks ({whose}): {comparison.critical:.4g}")
    return Table("Which model is better?", columns, rows, notes=tuple(notes))


def _pairs(comparison: ResultsComparison, short: bool, names: PairNames) -> Table:
    control = comparison.control if short else ""
    level = f"{100 * comparison.options.level:.10g}% interval"
    columns = [
        Column("control minus" if control else "best minus" if short else "pair", excess="cut"),
        Column("w/d/l"),
        Column("middle", "decimal"),
        Column(level),
        Column("p", "decimal"),
    ]
    several = len(comparison.differences) > 1
    if several:
        columns.append(Column("p (all)", "decimal"))
    columns.append(Column("is" if control else "apart" if short else "better", excess="cut"))
    rows = []
    shown = comparison.differences
    if short:
        rest = (m for m in comparison.models if m != control)
        shown = tuple(against_best(shown, [control, *rest] if control else comparison.models))
    for d in shown:
        cells: list[Cell] = [
            label_text(d.second) if short else names.pair(d),
            f"{d.wins}/{d.draws}/{d.losses}",
            Number(d.middle),
            limits_of(d),
            Number(d.test.p_value, "p"),
        ]
        if several:
            cells.append(Number(d.corrected, "p"))
        word = "yes" if short else names.of(d.better)
        word = comparison.standing_of(d) if control else word
        rows.append((*cells, word if comparison.is_different(d) and d.better else "-"))
    first = comparison.differences[0]
    notes = ["w/d/l: data sets on which the first model is better, neither is, the second is"]
    if control:
        notes.insert(0, f"control: {label_text(control)}")
    elif short:
        notes.insert(0, f"best: {label_text(comparison.models[0])}; {left_out(comparison)}")
    notes += filter(None, [names.note])
    notes.append(f"test: {first.test.method}")
    if several:
        notes.append(f"p (all): corrected for all pairs, {first.correction}")
    notes.append(f"middle and interval of the differences: {first.interval.method}")
    if first.interval.is_absent:
        notes.append(first.interval.note)
    return Table("Differences", tuple(columns), tuple(rows), notes=tuple(notes))
