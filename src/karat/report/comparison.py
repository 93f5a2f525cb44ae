"""A comparison as a document: which model is better, every difference, the verdict in words."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

from karat.comparison.words import p_in_words
from karat.report.comparison_pairs import against_best, is_short, left_out, summary
from karat.report.document import Column, Grid, Text
from karat.report.names import bare_title, label_text, short_title
from karat.report.numbers import number_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from karat.comparison.chance import ChanceResult
    from karat.comparison.comparison import Comparison
    from karat.comparison.difference import Difference
    from karat.report.document import Block, Document

__all__ = ["chance_grid", "comparison_document", "p_text", "pair_text"]

SHARED = "models that share a letter cannot be told apart"


def comparison_document(
    comparison: Comparison,
    *,
    digits: int = 4,
    explain: bool = False,
    chance: Sequence[ChanceResult] = (),
    pairs: str = "",
) -> Document:
    """The table of models, the differences, the verdict; the reasons where asked for.

    ``pairs``: ``all``, or ``best``: the best model against each other; empty: all of few.
    """
    short = is_short(comparison, pairs)
    blocks: list[Block] = [Text(_headline(comparison), "quiet")]
    if comparison.design.kind.startswith("different"):
        blocks.append(Text("UNPAIRED: the models were judged on different rows.", "strong"))
    told = [n for n in comparison.notes if not n.endswith(("by id", "is unpaired"))]
    blocks += [Text(f"Note: {note}", "quiet") for note in told]
    blocks.append(models_grid(comparison, digits))
    blocks.append(_differences(comparison, digits, short))
    if comparison.slices:
        blocks.append(_slices(comparison, digits, short))
    blocks += _posteriors(comparison, short)
    if chance:
        blocks.append(chance_grid(chance, digits))
    blocks.append(Text("Verdict", "strong"))
    lines = summary(comparison) if short else comparison.verdict.splitlines()
    blocks += [Text(f"- {line}") for line in lines]
    if explain:
        blocks += [Text(""), Text("Why these tests", "strong")]
        blocks += [Text(f"- {line}") for line in comparison.reasoning]
    return tuple(blocks)


def _headline(comparison: Comparison) -> str:
    count = len(comparison.models)
    return f"{count} models, {comparison.design.words}"


def models_grid(comparison: Comparison, digits: int) -> Grid:
    """A row a model, best first by the first measure, with letters beside each value."""
    letters = {m: comparison.letters(m) for m in comparison.measures}
    order = list(letters[comparison.measures[0]])
    rows = [
        (
            label_text(model),
            *(
                f"{number_text(comparison.values[m][model], digits=digits)} {letters[m][model]}"
                for m in comparison.measures
            ),
        )
        for model in order
    ]
    columns = (
        Column("model", excess="cut"),
        *(Column(short_title(m)) for m in comparison.measures),
    )
    notes = [
        f"{SHARED} at {100 * (1 - comparison.options.level):.10g}%; best first by "
        f"{bare_title(comparison.measures[0])}"
    ]
    for measure, found in comparison.omnibus.items():
        p = p_in_words(found.p_value)
        notes.append(f"all models at once, {measure}: {found.method}, p {p}")
    return Grid("Which model is better?", columns, tuple(rows), notes=tuple(notes))


def _shown(comparison: Comparison, short: bool, name: str = "") -> list[Difference]:
    """The differences that are shown of all rows, or of a slice: a measure after the other."""
    every = [d for d in (*comparison.differences, *comparison.slices) if d.slice == name]
    if not short:
        return every
    return [
        d
        for measure in comparison.measures
        for d in against_best(
            [one for one in every if one.measure == measure], list(comparison.letters(measure))
        )
    ]


def _differences(comparison: Comparison, digits: int, short: bool) -> Grid:
    level = f"{100 * comparison.options.level:.10g}% interval"
    corrected = any(d.corrected is not None for d in comparison.differences)
    heads = [
        Column("best minus" if short else "pair", excess="cut"),
        Column("difference", "decimal"),
        Column(level),
    ]
    # many pairs: the corrected p-value alone, so that a line holds a row
    alone = not (short and corrected)
    heads += [Column("p", "decimal")] if alone else []
    if corrected:
        heads.append(Column("p (Holm)", "decimal"))
    heads.append(Column("apart" if short else "better", excess="cut"))
    rows: list[tuple[str, ...]] = []
    sections: dict[int, str] = {}
    strong = set()
    shown = _shown(comparison, short)
    for measure in comparison.measures:
        mine = [d for d in shown if d.measure == measure]
        sections[len(rows)] = f"{bare_title(measure)}, {mine[0].evidence.method}"
        if short:
            sections[len(rows)] += f"; best: {label_text(mine[0].first)}"
        for d in mine:
            named = label_text(d.second) if short else pair_text(d)
            cells = [named, number_text(d.value, digits=digits), _limits(d, digits)]
            cells += [p_text(d.evidence.p_value)] if alone else []
            if corrected:
                cells.append(p_text(d.p_value))
            word = "yes" if short else label_text(d.better)
            cells.append(word if comparison.is_different(d) else "-")
            if comparison.is_different(d):
                strong.add((len(rows), len(cells) - 1))
            rows.append(tuple(cells))
    return Grid(
        "Differences",
        tuple(heads),
        tuple(rows),
        sections,
        frozenset(strong),
        (*([left_out(comparison)] if short else []), *_remarks(comparison, shown)),
    )


def _slices(comparison: Comparison, digits: int, short: bool) -> Grid:
    """The differences in slices of the rows, a section a slice; of many models and measure."""
    columns: tuple[Column, ...] = (
        Column("measure"),
        Column("best minus" if short else "pair", excess="cut"),
        Column("n", "decimal"),
        Column("difference", "decimal"),
        Column(f"{100 * comparison.options.level:.10g}% interval"),
        Column("p (Holm)" if comparison.options.correction == "holm" else "p", "decimal"),
        Column("best is" if short else "better", excess="cut"),
    )
    rows: list[tuple[str, ...]] = []
    sections: dict[int, str] = {}
    names = dict.fromkeys(d.slice for d in comparison.slices)
    shown = [d for name in names for d in _shown(comparison, short, name)]
    for number, d in enumerate(shown):
        heading = f"{d.slice}, {bare_title(d.measure)}; best of all rows: {label_text(d.first)}"
        heading = heading if short else d.slice
        if heading not in sections.values():
            sections[number] = heading
        better = label_text(d.better)
        if short:
            better = {d.first: "better", d.second: "worse"}.get(d.better, "apart")
        named = label_text(d.second) if short else pair_text(d)
        value = number_text(d.value, digits=digits)
        cells = (d.measure, named, f"{d.n:,}", value, _limits(d, digits), p_text(d.p_value))
        rows.append((*cells, better if comparison.is_different(d) else "-"))
    reasons = dict.fromkeys(
        f"{d.slice}: {d.measure}: {note}"
        for d in shown
        for note in (d.interval.note, d.evidence.note)
        if note and (isnan(d.value) or d.interval.is_absent or isnan(d.p_value))
    )
    if short:
        columns, rows = columns[1:], [row[1:] for row in rows]
    return Grid("Differences in slices", columns, tuple(rows), sections, notes=tuple(reasons))


def _remarks(comparison: Comparison, shown: Sequence[Difference]) -> Iterator[str]:
    methods: dict[str, list[str]] = {}
    for d in comparison.differences:
        if not d.interval.is_absent:
            methods.setdefault(d.interval.method, []).append(d.measure)
    for method, measures in methods.items():
        yield f"interval of {', '.join(dict.fromkeys(measures))}: {method}"
    said: dict[tuple[str, str], list[str]] = {}
    for d in shown:
        for note in filter(None, dict.fromkeys((d.note, d.interval.note, d.evidence.note))):
            said.setdefault((d.measure, note), []).append(pair_text(d))
    for (measure, note), pairs in said.items():
        # what holds for every pair of a measure is said once
        every = len(pairs) == sum(d.measure == measure for d in shown)
        yield f"{measure}: {note}" if every else f"{measure}, {', '.join(pairs)}: {note}"
    side = comparison.options.alternative
    if side != "two-sided":
        yield (
            f"one-sided: p is against 'the first model's value is not {side}', and models that "
            "share a letter are not shown to differ in that direction"
        )


def _posteriors(comparison: Comparison, short: bool) -> list[Block]:
    mine = [d for d in _shown(comparison, short) if d.posterior is not None]
    if not mine or comparison.options.rope is None:
        return []
    rows, sections = [], {}
    for number, d in enumerate(mine):
        q = d.posterior
        assert q is not None
        if not number or mine[number - 1].measure != d.measure:
            sections[number] = bare_title(d.measure)
        shares = q.first_better, q.equivalent, q.second_better
        if d.direction == "down":
            shares = q.second_better, q.equivalent, q.first_better
        rows.append((pair_text(d), *(f"{share:.4f}" for share in shares)))
    first = mine[0].posterior
    assert first is not None
    columns = (
        Column("pair", excess="cut"),
        Column("first better", "decimal"),
        Column("equivalent", "decimal"),
        Column("second better", "decimal"),
    )
    title = f"Probabilities, differences up to {first.rope:g} being equivalent"
    methods: dict[str, list[str]] = {}
    for d in mine:
        assert d.posterior is not None
        said = "; ".join(filter(None, (d.posterior.method, d.posterior.note)))
        methods.setdefault(said, []).append(d.measure)
    notes = [f"{', '.join(dict.fromkeys(of))}: {method}" for method, of in methods.items()]
    return [Grid(title, columns, tuple(rows), sections, notes=tuple(notes))]


def chance_grid(results: Sequence[ChanceResult], digits: int = 4) -> Grid:
    """What each model does against chance, and which question each p-value answers."""
    columns = (
        Column("model", excess="cut"),
        Column("measure"),
        Column("value", "decimal"),
        Column("by chance", "decimal"),
        Column("p", "decimal"),
    )
    rows, sections = [], {}
    is_of = any(r.of for r in results)
    columns = (*columns[:2], *((Column("of", tone="quiet"),) if is_of else ()), *columns[2:])
    for number, r in enumerate(results):
        if not number or results[number - 1].test != r.test:
            sections[number] = r.test
        value, chance = (number_text(v, digits=digits) for v in (r.value, r.by_chance))
        named = (label_text(r.model), r.measure, *((r.of,) if is_of else ()))
        rows.append((*named, value, chance, p_text(r.p_value)))
    notes = dict.fromkeys(text for r in results for text in (r.question, r.note) if text)
    return Grid("Against chance", columns, tuple(rows), sections, notes=tuple(notes))


def pair_text(difference: Difference | Any) -> str:
    """The pair in the order in which it is subtracted."""
    return f"{label_text(difference.first)} - {label_text(difference.second)}"


def _limits(d: Difference, digits: int) -> str:
    if d.interval.is_absent:
        return "none"
    low, high = (number_text(v, digits=digits - 1) for v in (d.interval.low, d.interval.high))
    return f"{low} to {high}"


def p_text(value: float) -> str:
    """A p-value in a table.

    Examples
    --------
    >>> p_text(0.04321), p_text(1e-7), p_text(float("nan"))
    ('0.043', '<0.0001', 'none')
    """
    if isnan(value):
        return "none"
    return f"{value:.2g}" if value >= 1e-4 and value < 1 else "1" if value >= 1 else "<0.0001"
