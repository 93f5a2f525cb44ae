"""Comparisons as documents: the verdict, the models, every difference; of rows or of data sets."""

from __future__ import annotations

from math import isnan, nan
from typing import TYPE_CHECKING, Any

from heldout.core.shown import p_in_words
from heldout.report.names import bare_title, label_text, short_title
from heldout.report.numbers import number_text
from heldout.report.table import Column, Either, Estimate, Note, Number, Table, Text
from heldout.report.verdict import against_first, has_few_pairs, order_of, sets_verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from heldout.comparison.chance import ChanceResult
    from heldout.comparison.comparison import Comparison
    from heldout.comparison.difference import Difference
    from heldout.comparison.results_comparison import ResultsComparison, SetsDifference
    from heldout.report.table import Block, Cell, Document

    Compared = Comparison | ResultsComparison

__all__ = [
    "chance_table",
    "comparison_document",
    "comparison_page",
    "results_document",
    "results_page",
    "told_notes",
]

Labels = dict[str, str]
NUMBERED = "models are numbered as in the first table"


def told_notes(comparison: Comparison) -> list[str]:
    """The notes that say more than the headline does."""
    return [n for n in comparison.notes if not n.endswith(("by id", "is unpaired"))]


def comparison_document(
    comparison: Comparison,
    *,
    explain: bool = False,
    chance: Sequence[ChanceResult] = (),
    pairs: str = "",
    has_notes: bool = True,
) -> Document:
    """The verdict, the table of models, the differences; the reasons where asked for.

    ``pairs``: ``all``, or ``best``: the best model against each other; empty: all of few.
    Without ``has_notes`` somebody else tells them.
    """
    few = has_few_pairs(comparison, pairs)
    blocks: list[Block] = [
        Text(f"{len(comparison.models)} models, {comparison.design.words}", "quiet")
    ]
    if comparison.design.kind == "different test sets":
        which = (
            "by force, on the same rows"
            if comparison.is_forced
            else "the models were judged on different rows"
        )
        blocks.append(Text(f"UNPAIRED: {which}.", "strong"))
    notes = told_notes(comparison) if has_notes else ()
    blocks += [Text(f"Note: {note}", "quiet") for note in notes]
    blocks += [Text(line, "answer") for line in verdict(comparison)]
    blocks += [Text(line, "quiet") for line in comparison.subjects]

    def tables(labels: Labels, is_numbered: bool) -> tuple[Table, ...]:
        made = [_models(comparison, labels, is_numbered)]
        made.append(_differences(comparison, few, labels, is_numbered))
        if comparison.slices:
            made.append(_slices(comparison, few, labels))
        if comparison.options.rope is not None:
            made += _posteriors(_differences_of(comparison, few), labels)
        return tuple(made)

    blocks.append(_by_name_or_number(comparison.order(comparison.measures[0]), few, tables))
    blocks += [chance_table(chance)] if chance else []
    return (*blocks, *_explanation(comparison, explain))


def comparison_page(comparison: Comparison) -> Document:
    """A comparison as it shows itself in Python."""
    return comparison_document(comparison)


def results_document(
    comparison: ResultsComparison,
    *,
    explain: bool = False,
    pairs: str = "",
    has_notes: bool = True,
) -> Document:
    """The verdict over data sets, mean ranks with letters, pairs; see ``comparison_document``."""
    few = has_few_pairs(comparison, pairs)
    sets = len(comparison.results.sets)

    def tables(labels: Labels, is_numbered: bool) -> tuple[Table, ...]:
        ranks = _ranks(comparison, labels, is_numbered)
        return ranks, _sets_differences(comparison, few, labels, is_numbered)

    return (
        Text(f"{len(comparison.models)} models on {sets} data sets", "quiet"),
        *(Text(f"Note: {note}", "quiet") for note in comparison.notes if has_notes),
        *(Text(line, "answer") for line in sets_verdict(comparison)),
        _by_name_or_number(comparison.models, few, tables),
        *_explanation(comparison, explain),
    )


def results_page(comparison: ResultsComparison) -> Document:
    """A comparison over data sets as it shows itself in Python."""
    return results_document(comparison)


def _by_name_or_number(
    models: Sequence[str], few: bool, tables: Callable[[Labels, bool], tuple[Table, ...]]
) -> Either:
    """Tables that call models by their names, or by their numbers where pairs of names are long."""
    named = tables({model: label_text(model) for model in models}, False)
    if few:
        return Either((named,))
    numbers = {model: str(number) for number, model in enumerate(models, 1)}
    return Either((named, tables(numbers, True)), is_for_screens=True)


def _explanation(comparison: Compared, explain: bool) -> tuple[Text, ...]:
    """Every pair in a sentence, and why it was tested so."""
    if not explain:
        return ()
    lines = [f"- {line}" for line in comparison.verdict.splitlines()]
    lines = ["Every pair", *lines, ""] if len(comparison.pairs) > 1 else []
    lines += ["Why these tests", *(f"- {line}" for line in comparison.reasoning)]
    heads = ("Every pair", "Why these tests")
    return (Text(""), *(Text(line, "strong" if line in heads else "plain") for line in lines))


def _shared_letters(comparison: Compared) -> str:
    """What the marks beside models say."""
    share = f"{100 * comparison.options.alpha:.10g}%"
    if comparison.control:
        return f"better, worse: than the control at {share}; neither: no clear difference"
    return f"models that share a letter do not differ significantly at {share}"


def _models(comparison: Comparison, labels: Labels, is_numbered: bool) -> Table:
    """A row a model, best first by the first measure, with letters beside each value."""
    standings = {m: comparison.standing(m) for m in comparison.measures}
    rows = []
    for model in standings[comparison.measures[0]]:
        values = (
            Estimate(comparison.values[m][model], mark=standings[m][model], measure=m)
            for m in comparison.measures
        )
        rows.append((*((labels[model],) if is_numbered else ()), label_text(model), *values))
    columns = (
        *((Column("no.", "right"),) if is_numbered else ()),
        Column("model", excess="cut"),
        *(Column(short_title(m)) for m in comparison.measures),
    )
    notes = [f"{_shared_letters(comparison)}; best first by {bare_title(comparison.measures[0])}"]
    for measure, test in comparison.omnibus.items():
        notes.append(f"all models at once, {measure}: {test.method}, p {p_in_words(test.p_value)}")
    title = f"Models{f' ({comparison.of})' if comparison.of else ''}"
    return Table(title, columns, tuple(rows), notes=tuple(notes))


def _differences_of(comparison: Comparison, few: bool, name: str = "") -> list[Difference]:
    """The differences that are shown of all rows, or of a slice: a measure after the other."""
    every = [d for d in (*comparison.differences, *comparison.slices) if d.slice == name]
    if not few:
        return every
    return [
        d
        for measure in comparison.measures
        for d in against_first(
            [other for other in every if other.measure == measure], order_of(comparison, measure)
        )
    ]


def _pair(d: Any, few: bool, labels: Mapping[str, str]) -> str:
    """The pair in the order in which it is subtracted; of few pairs the second model."""
    return label_text(d.second) if few else f"{labels[d.first]} - {labels[d.second]}"


def _of_pairs(comparison: Compared, few: bool) -> str:
    """The head of the column of pairs."""
    return f"{'control' if comparison.control else 'best'} minus" if few else "pair"


def _outcome(comparison: Compared, few: bool) -> Column:
    """The head of the column that says who is better."""
    head = "is" if comparison.control else "differs"
    return Column(head if few else "better", excess="cut")


def _outcome_of(comparison: Compared, d: Any, few: bool, labels: Mapping[str, str]) -> str:
    if not comparison.is_different(d):
        return "-"
    if few:
        return comparison.standing_of(d) if comparison.control else "yes"
    return labels.get(d.better, "-") if d.better else "yes"


def _level(comparison: Compared) -> str:
    return f"{100 * comparison.options.level:.10g}% interval"


def _hidden_pairs(comparison: Compared, few: bool) -> list[str]:
    """A note on the pairs that are not shown."""
    if not few or comparison.control:
        return []
    return [
        f"the best model against each other one, of {len(comparison.pairs)} pairs; --pairs all "
        "shows all, and JSON and CSV hold them"
    ]


def _differences(comparison: Comparison, few: bool, labels: Labels, is_numbered: bool) -> Table:
    corrected = any(d.corrected is not None for d in comparison.differences)
    # many pairs: the corrected p-value alone, so that a line holds a row
    alone = not (few and corrected)
    columns = (
        Column(_of_pairs(comparison, few), excess="cut"),
        Column("difference", "decimal"),
        Column(_level(comparison)),
        *((Column("p", "decimal"),) if alone else ()),
        *((Column("p (Holm)", "decimal"),) if corrected else ()),
        _outcome(comparison, few),
    )
    rows: list[tuple[Cell, ...]] = []
    sections: dict[int, str] = {}
    shown = _differences_of(comparison, few)
    for measure in comparison.measures:
        own = [d for d in shown if d.measure == measure]
        sections[len(rows)] = f"{bare_title(measure)}, {own[0].test.method}"
        if few:
            equal = comparison.equal_best(measure)
            word = "best" if len(equal) == 1 else "equal to the best"
            word = "control" if comparison.control else word
            sections[len(rows)] += f"; {word}: {label_text(own[0].first)}"
        rows += (
            (
                _pair(d, few, labels),
                Number(d.value),
                limits_of(d),
                *((Number(d.test.p_value, "p"),) if alone else ()),
                *((Number(d.p_value, "p"),) if corrected else ()),
                _outcome_of(comparison, d, few, labels),
            )
            for d in own
        )
    return Table(
        "Differences",
        columns,
        tuple(rows),
        sections,
        frozenset((row, len(columns) - 1) for row, line in enumerate(rows) if line[-1] != "-"),
        (
            *_hidden_pairs(comparison, few),
            *((NUMBERED,) if is_numbered else ()),
            *_remarks(comparison, shown),
        ),
    )


def _slices(comparison: Comparison, few: bool, labels: Labels) -> Table:
    """The differences in slices of the rows, a section a slice; of many models and measure."""
    whom = "control" if comparison.control else "best"
    whole = whom if comparison.control else "best of all rows"
    is_corrected = comparison.options.correction == "holm"
    columns: tuple[Column, ...] = (
        Column("measure"),
        Column(_of_pairs(comparison, few), excess="cut"),
        Column("n", "decimal"),
        Column("difference", "decimal"),
        Column(_level(comparison)),
        Column("p (Holm)" if is_corrected else "p", "decimal"),
        Column(f"{whom} is" if few else "better", excess="cut"),
    )
    rows: list[tuple[Cell, ...]] = []
    sections: dict[int, str] = {}
    slices = dict.fromkeys(d.slice for d in comparison.slices)
    shown = [d for name in slices for d in _differences_of(comparison, few, name)]
    for number, d in enumerate(shown):
        heading = f"{d.slice}, {bare_title(d.measure)}; {whole}: {label_text(d.first)}"
        heading = heading if few else d.slice
        if heading not in sections.values():
            sections[number] = heading
        better = labels.get(d.better, "")
        if few:
            better = {d.first: "better", d.second: "worse"}.get(d.better, "different")
        rows.append(
            (
                d.measure,
                _pair(d, few, labels),
                Number(d.n, "count"),
                Number(d.value),
                limits_of(d),
                Number(d.p_value, "p"),
                better if comparison.is_different(d) else "-",
            )
        )
    reasons = dict.fromkeys(
        f"{d.slice}: {d.measure}: {note}"
        for d in shown
        for note in (d.interval.note, d.test.note)
        if note and (isnan(d.value) or d.interval.is_absent or isnan(d.p_value))
    )
    if few:
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
        pair = f"{label_text(d.first)} - {label_text(d.second)}"
        for note in filter(None, dict.fromkeys((d.note, d.interval.note, d.test.note))):
            said.setdefault((d.measure, note), []).append(pair)
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
    is_of = any(r.of for r in results)
    columns = (
        Column("model", excess="cut"),
        Column("measure"),
        *((Column("of", tone="quiet"),) if is_of else ()),
        *(Column(head, "decimal") for head in ("value", "by chance", "p")),
    )
    rows, sections = [], {}
    for number, r in enumerate(results):
        if not number or results[number - 1].test != r.test:
            sections[number] = r.test
        named = (label_text(r.model), r.measure, *((r.of,) if is_of else ()))
        rows.append((*named, Number(r.value), Number(r.by_chance), Number(r.p_value, "p")))
    notes = dict.fromkeys(text for r in results for text in (r.question, r.note) if text)
    return Table("Against chance", columns, tuple(rows), sections, notes=tuple(notes))


def limits_of(d: Difference | SetsDifference) -> Cell:
    """The cell of the limits of a difference."""
    if d.interval.is_absent:
        return "none"
    low, high = d.interval.low, d.interval.high
    return Estimate(nan, low, high, "limits", fewer=1, is_apart=False, method=d.interval.method)


def _posteriors(differences: Sequence[Difference], labels: Labels) -> list[Table]:
    """A row a pair and measure that has a posterior, in the order given; none: no table."""
    rows: list[tuple[Cell, ...]] = []
    sections: dict[int, str] = {}
    methods: dict[str, list[str]] = {}
    title = ""
    for d in differences:
        q = d.posterior
        if q is None:
            continue
        if bare_title(d.measure) not in sections.values():
            sections[len(rows)] = bare_title(d.measure)
        shares = q.first_better, q.equivalent, q.second_better
        if d.direction == "down":
            shares = shares[::-1]
        rows.append((_pair(d, False, labels), *(Number(share, "share") for share in shares)))
        title = title or f"Probabilities, differences up to {q.rope:g} being equivalent"
        methods.setdefault("; ".join(filter(None, (q.method, q.note))), []).append(d.measure)
    heads = ("first better", "equivalent", "second better")
    columns = (Column("pair", excess="cut"), *(Column(head, "decimal") for head in heads))
    notes = tuple(f"{', '.join(dict.fromkeys(of))}: {method}" for method, of in methods.items())
    return [Table(title, columns, tuple(rows), sections, notes=notes)] if rows else []


def _ranks(comparison: ResultsComparison, labels: Labels, is_numbered: bool) -> Table:
    """A row a model with its mean rank, and which models do not differ."""
    rows = tuple(
        (
            *((labels[model],) if is_numbered else ()),
            label_text(model),
            Number(comparison.ranks[model], "rank"),
            comparison.standing[model],
            Number(comparison.means[model]),
        )
        for model in comparison.models
    )
    columns = (
        *((Column("no.", "right"),) if is_numbered else ()),
        Column("model", excess="cut"),
        Column("mean rank", "decimal"),
        Column("is" if comparison.control else "group"),
        Column(f"mean {comparison.results.measure}", "decimal"),
    )
    tests = [
        f"{test.method}: {number_text(test.statistic)}, p {p_in_words(test.p_value)}"
        for test in comparison.omnibus
    ]
    if len(tests) > 2:
        # the last is exact, and what the others come near to
        tests = [tests[-1], f"approximations: {'; '.join(tests[:-1])}"]
    notes = [f"rank 1 is best; {_shared_letters(comparison)}", *tests]
    if comparison.has_critical:
        whose = "Bonferroni and Dunn" if comparison.control else "Nemenyi"
        notes.append(f"critical difference of mean ranks ({whose}): {comparison.critical:.4g}")
    return Table("Models", columns, rows, notes=tuple(notes))


def _sets_differences(
    comparison: ResultsComparison, few: bool, labels: Labels, is_numbered: bool
) -> Table:
    """A row a pair: on how many data sets either is better, and by how much in the median."""
    control = comparison.control if few else ""
    several = len(comparison.differences) > 1
    columns = (
        Column(_of_pairs(comparison, few), excess="cut"),
        Column("w/d/l"),
        Column("median difference", "decimal"),
        Column(_level(comparison)),
        Column("p", "decimal"),
        *((Column("p (all)", "decimal"),) if several else ()),
        _outcome(comparison, few),
    )
    shown = comparison.differences
    if few:
        rest = (m for m in comparison.models if m != control)
        shown = tuple(against_first(shown, [control, *rest] if control else comparison.models))
    rows = tuple(
        (
            _pair(d, few, labels),
            f"{d.wins}/{d.draws}/{d.losses}",
            Number(d.middle),
            limits_of(d),
            Number(d.test.p_value, "p"),
            *((Number(d.corrected, "p"),) if several else ()),
            _outcome_of(comparison, d, few, labels),
        )
        for d in shown
    )
    first = comparison.differences[0]
    whom = f"{'control' if control else 'best'}: {label_text(control or comparison.models[0])}"
    notes = [
        *([whom] if few else []),
        *_hidden_pairs(comparison, few),
        "w/d/l: data sets on which the first model is better, neither is, the second is",
        *([NUMBERED] if is_numbered else []),
        f"test: {first.test.method}",
    ]
    if several:
        notes.append(f"p (all): corrected for all pairs, {first.correction}")
    notes.append(f"median difference and its interval: {first.interval.method}")
    if first.interval.is_absent:
        notes.append(first.interval.note)
    return Table("Differences", columns, rows, notes=tuple(notes))
