"""A comparison as a document: which model is better, every difference, the verdict in words."""

from __future__ import annotations

from math import isnan, nan
from typing import TYPE_CHECKING

from heldout.core.shown import p_in_words
from heldout.report.comparison_pairs import (
    PairNames,
    against_best,
    has_summary,
    is_short,
    left_out,
    order_of,
    summary,
)
from heldout.report.names import bare_title, label_text, short_title
from heldout.report.table import Column, Estimate, Note, Number, Table, Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.comparison.chance import ChanceResult
    from heldout.comparison.comparison import Comparison
    from heldout.comparison.difference import Difference
    from heldout.comparison.results_comparison import SetsDifference
    from heldout.report.table import Block, Cell, Document

__all__ = [
    "chance_table",
    "comparison_document",
    "comparison_page",
    "limits_of",
    "told_notes",
]

SHARED = "models that share a letter cannot be told apart"


def told_notes(comparison: Comparison) -> list[str]:
    """The notes that say more than the headline does."""
    return [n for n in comparison.notes if not n.endswith(("by id", "is unpaired"))]


def comparison_document(
    comparison: Comparison,
    *,
    explain: bool = False,
    chance: Sequence[ChanceResult] = (),
    pairs: str = "",
    room: int = 0,
    has_notes: bool = True,
) -> Document:
    """The table of models, the differences, the verdict; the reasons where asked for.

    ``pairs``: ``all``, or ``best``: the best model against each other; empty: all of few.
    ``room``: letters in a line, beyond which models are numbered; 0: no end. Without
    ``has_notes`` somebody else tells them.
    """
    short = is_short(comparison, pairs)
    # slices have two columns more
    room = 0 if short or not room else room - (16 if comparison.slices else 0)
    names = PairNames(comparison.order(comparison.measures[0]), room)
    blocks: list[Block] = [Text(_headline(comparison), "quiet")]
    if comparison.design.kind == "different test sets":
        which = (
            "by force, on the same rows"
            if comparison.is_forced
            else "the models were judged on different rows"
        )
        blocks.append(Text(f"UNPAIRED: {which}.", "strong"))
    told = told_notes(comparison) if has_notes else ()
    blocks += [Text(f"Note: {note}", "quiet") for note in told]
    blocks.append(_models(comparison, names))
    blocks.append(_differences(comparison, short, names))
    if comparison.slices:
        blocks.append(_slices(comparison, short, names))
    if comparison.options.rope is not None:
        blocks += _posteriors(_differences_of(comparison, short), names)
    if chance:
        blocks.append(chance_table(chance))
    blocks.append(Text("Verdict", "strong"))
    is_brief = has_summary(comparison, pairs)
    lines = summary(comparison) if is_brief else comparison.verdict.splitlines()
    blocks += [Text(f"- {line}") for line in lines]
    if explain:
        blocks += [Text(""), Text("Why these tests", "strong")]
        blocks += [Text(f"- {line}") for line in comparison.reasoning]
    return tuple(blocks)


def comparison_page(comparison: Comparison) -> Document:
    """A comparison as it shows itself in Python."""
    return comparison_document(comparison)


def _headline(comparison: Comparison) -> str:
    count = len(comparison.models)
    return f"{count} models, {comparison.design.words}"


def _models(comparison: Comparison, names: PairNames) -> Table:
    """A row a model, best first by the first measure, with letters beside each value."""
    standings = {m: comparison.standing(m) for m in comparison.measures}
    rows = []
    for model in standings[comparison.measures[0]]:
        values = (
            Estimate(comparison.values[m][model], mark=standings[m][model], measure=m)
            for m in comparison.measures
        )
        number = (names.of(model),) if names.is_numbered else ()
        rows.append((*number, label_text(model), *values))
    columns = (
        *((Column("no.", "right"),) if names.is_numbered else ()),
        Column("model", excess="cut"),
        *(Column(short_title(m)) for m in comparison.measures),
    )
    share = f"{100 * (1 - comparison.options.level):.10g}%"
    said = f"better, worse: than the control at {share}; neither: not told apart from it"
    said = said if comparison.control else f"{SHARED} at {share}"
    notes = [f"{said}; best first by {bare_title(comparison.measures[0])}"]
    for measure, found in comparison.omnibus.items():
        p = p_in_words(found.p_value)
        notes.append(f"all models at once, {measure}: {found.method}, p {p}")
    title = f"Which model is better?{f' ({comparison.of})' if comparison.of else ''}"
    return Table(title, columns, tuple(rows), notes=tuple(notes))


def _differences_of(comparison: Comparison, short: bool, name: str = "") -> list[Difference]:
    """The differences that are shown of all rows, or of a slice: a measure after the other."""
    every = [d for d in (*comparison.differences, *comparison.slices) if d.slice == name]
    if not short:
        return every
    return [
        d
        for measure in comparison.measures
        for d in against_best(
            [one for one in every if one.measure == measure], order_of(comparison, measure)
        )
    ]


def _differences(comparison: Comparison, short: bool, names: PairNames) -> Table:
    level = f"{100 * comparison.options.level:.10g}% interval"
    corrected = any(d.corrected is not None for d in comparison.differences)
    heads = [
        Column(_of_pairs(comparison, short), excess="cut"),
        Column("difference", "decimal"),
        Column(level),
    ]
    # many pairs: the corrected p-value alone, so that a line holds a row
    alone = not (short and corrected)
    heads += [Column("p", "decimal")] if alone else []
    if corrected:
        heads.append(Column("p (Holm)", "decimal"))
    control = comparison.control if short else ""
    last = "is" if control else "apart" if short else "better"
    heads.append(Column(last, excess="cut"))
    rows: list[tuple[Cell, ...]] = []
    sections: dict[int, str] = {}
    strong = set()
    shown = _differences_of(comparison, short)
    for measure in comparison.measures:
        mine = [d for d in shown if d.measure == measure]
        sections[len(rows)] = f"{bare_title(measure)}, {mine[0].test.method}"
        if short:
            equal = comparison.equal_best(measure)
            word = "control" if control else "best" if len(equal) == 1 else "equal to the best"
            sections[len(rows)] += f"; {word}: {label_text(mine[0].first)}"
        for d in mine:
            named = label_text(d.second) if short else names.pair(d)
            cells: list[Cell] = [named, Number(d.value), limits_of(d)]
            cells += [Number(d.test.p_value, "p")] if alone else []
            if corrected:
                cells.append(Number(d.p_value, "p"))
            word = "yes" if short else names.of(d.better)
            word = comparison.standing_of(d) if control else word
            cells.append(word if comparison.is_different(d) else "-")
            if comparison.is_different(d):
                strong.add((len(rows), len(cells) - 1))
            rows.append(tuple(cells))
    return Table(
        "Differences",
        tuple(heads),
        tuple(rows),
        sections,
        frozenset(strong),
        (
            *([left_out(comparison)] if short and not control else []),
            *filter(None, [names.note]),
            *_remarks(comparison, shown),
        ),
    )


def _of_pairs(comparison: Comparison, short: bool) -> str:
    """The head of the column of pairs."""
    return f"{'control' if comparison.control else 'best'} minus" if short else "pair"


def _slices(comparison: Comparison, short: bool, names: PairNames) -> Table:
    """The differences in slices of the rows, a section a slice; of many models and measure."""
    whom = "control" if comparison.control else "best"
    whole = whom if comparison.control else "best of all rows"
    columns: tuple[Column, ...] = (
        Column("measure"),
        Column(_of_pairs(comparison, short), excess="cut"),
        Column("n", "decimal"),
        Column("difference", "decimal"),
        Column(f"{100 * comparison.options.level:.10g}% interval"),
        Column("p (Holm)" if comparison.options.correction == "holm" else "p", "decimal"),
        Column(f"{whom} is" if short else "better", excess="cut"),
    )
    rows: list[tuple[Cell, ...]] = []
    sections: dict[int, str] = {}
    slices = dict.fromkeys(d.slice for d in comparison.slices)
    shown = [d for name in slices for d in _differences_of(comparison, short, name)]
    for number, d in enumerate(shown):
        heading = f"{d.slice}, {bare_title(d.measure)}; {whole}: {label_text(d.first)}"
        heading = heading if short else d.slice
        if heading not in sections.values():
            sections[number] = heading
        better = names.of(d.better)
        if short:
            better = {d.first: "better", d.second: "worse"}.get(d.better, "apart")
        named = label_text(d.second) if short else names.pair(d)
        n, p = Number(d.n, "count"), Number(d.p_value, "p")
        cells = (d.measure, named, n, Number(d.value), limits_of(d), p)
        rows.append((*cells, better if comparison.is_different(d) else "-"))
    reasons = dict.fromkeys(
        f"{d.slice}: {d.measure}: {note}"
        for d in shown
        for note in (d.interval.note, d.test.note)
        if note and (isnan(d.value) or d.interval.is_absent or isnan(d.p_value))
    )
    if short:
        columns, rows = columns[1:], [row[1:] for row in rows]
    return Table("Differences in slices", columns, tuple(rows), sections, notes=tuple(reasons))


def _remarks(comparison: Comparison, shown: Sequence[Difference]) -> Iterator[str | Note]:
    methods: dict[str, list[str]] = {}
    for d in comparison.differences:
        if not d.interval.is_absent:
            methods.setdefault(d.interval.method, []).append(d.measure)
    for method, measures in methods.items():
        yield Note((f"interval of {', '.join(dict.fromkeys(measures))}: {method}",), "method")
    said: dict[tuple[str, str], list[str]] = {}
    for d in shown:
        for note in filter(None, dict.fromkeys((d.note, d.interval.note, d.test.note))):
            said.setdefault((d.measure, note), []).append(_pair(d))
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


def chance_table(results: Sequence[ChanceResult]) -> Table:
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
        named = (label_text(r.model), r.measure, *((r.of,) if is_of else ()))
        rows.append((*named, Number(r.value), Number(r.by_chance), Number(r.p_value, "p")))
    notes = dict.fromkeys(text for r in results for text in (r.question, r.note) if text)
    return Table("Against chance", columns, tuple(rows), sections, notes=tuple(notes))


def _pair(difference: Difference) -> str:
    return f"{label_text(difference.first)} - {label_text(difference.second)}"


def limits_of(d: Difference | SetsDifference) -> Cell:
    """The cell of the limits of a difference."""
    if d.interval.is_absent:
        return "none"
    low, high = d.interval.low, d.interval.high
    return Estimate(nan, low, high, "limits", fewer=1, is_apart=False, method=d.interval.method)


def _posteriors(differences: Sequence[Difference], names: PairNames) -> list[Block]:
    """A row a pair and measure that has a posterior, in the order given; none: no table."""
    mine = [d for d in differences if d.posterior is not None]
    if not mine:
        return []
    rows: list[tuple[Cell, ...]] = []
    sections: dict[int, str] = {}
    for number, d in enumerate(mine):
        q = d.posterior
        assert q is not None
        if not number or mine[number - 1].measure != d.measure:
            sections[number] = bare_title(d.measure)
        shares = q.first_better, q.equivalent, q.second_better
        if d.direction == "down":
            shares = q.second_better, q.equivalent, q.first_better
        rows.append((names.pair(d), *(Number(share, "share") for share in shares)))
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
    return [Table(title, columns, tuple(rows), sections, notes=tuple(notes))]
