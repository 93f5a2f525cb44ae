"""Comparisons as documents: the verdict, the models, every difference; of rows or of data sets."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from heldout.comparison.difference import margin_verdict
from heldout.core.notes import Topic, without
from heldout.core.shown import p_in_words
from heldout.report.comparison_record import chance_record
from heldout.report.names import bare_title, label_text, short_title
from heldout.report.numbers import number_text
from heldout.report.table import Column, Either, Estimate, Note, Number, Table, Text
from heldout.report.verdict import against_first, has_few_pairs, order_of, sets_verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.comparison.comparison import Comparison
    from heldout.comparison.difference import Difference
    from heldout.comparison.results_comparison import ResultsComparison
    from heldout.report.table import Block, Cell, Document

    Compared = Comparison | ResultsComparison

Labels = dict[str, str]
NUMBERED = "models are numbered as in the first table"


def told_notes(comparison: Comparison) -> tuple[str, ...]:
    """The notes that say more than the headline does."""
    return without(comparison.notes, Topic.MATCHING)


def comparison_document(
    comparison: Comparison,
    *,
    explain: bool = False,
    chance: Sequence[Result] = (),
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
            slices = dict.fromkeys(d.slice for d in comparison.slices)
            shown = [d for name in ("", *slices) for d in _differences_of(comparison, few, name)]
            made += _posteriors(shown, labels)
        return tuple(made)

    blocks.append(_by_name_or_number(comparison.order(comparison.measures[0]), few, tables))
    blocks += [chance_table(chance)] if chance else []
    return (*blocks, *_explanation(comparison, explain))


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


def _number_of(labels: Labels, is_numbered: bool) -> Any:
    """The column of numbers by which other tables call models."""
    return (Column("no.", "right"), lambda model: labels[model]) if is_numbered else None


def _models(comparison: Comparison, labels: Labels, is_numbered: bool) -> Table:
    """A row a model, best first by the first measure, with letters beside each value."""
    standings = {m: comparison.standing(m) for m in comparison.measures}

    def value_by(m: str) -> Any:
        values, marks = comparison.values[m], standings[m]
        return Column(short_title(m)), lambda own: Estimate(values[own], mark=marks[own], measure=m)

    notes = [f"{_shared_letters(comparison)}; best first by {bare_title(comparison.measures[0])}"]
    for measure, test in comparison.omnibus.items():
        notes.append(f"all models at once, {measure}: {test.method}, p {p_in_words(test.p_value)}")
    table = Table.of(
        f"Models{f' ({comparison.of})' if comparison.of else ''}",
        [
            _number_of(labels, is_numbered),
            (Column("model", excess="cut"), label_text),
            *map(value_by, comparison.measures),
        ],
        standings[comparison.measures[0]],
        notes=tuple(notes),
    )
    first = len(table.columns) - len(comparison.measures)
    strong = (
        (row, first + place)
        for place, measure in enumerate(comparison.measures)
        for row, model in enumerate(standings[comparison.measures[0]])
        if model in comparison.leading(measure)
    )
    return replace(table, strong=frozenset(strong))


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


def _pair_column(comparison: Compared, few: bool, labels: Labels) -> Any:
    head = f"{'control' if comparison.control else 'best'} minus" if few else "pair"
    return Column(head, excess="cut"), lambda d: _pair(d, few, labels)


def _limits_column(comparison: Compared) -> Any:
    return Column(f"{100 * comparison.options.level:.10g}% interval"), limits_of


def _p_column(head: str, p_value: Callable[[Any], float]) -> Any:
    return Column(head, "decimal"), lambda d: Number(p_value(d), "p")


def _outcome_column(comparison: Compared, few: bool, labels: Labels) -> Any:
    """Who is better, or whether the pair differs."""

    def outcome(d: Any) -> str:
        if not d.is_significant:
            return "-"
        if few:
            return comparison.standing_of(d) if comparison.control else "yes"
        return labels.get(d.better, "-") if d.better else "yes"

    head = "is" if comparison.control else "differs"
    return Column(head if few else "better", excess="cut"), outcome


def _margin_column(comparison: Comparison, labels: Labels) -> Any:
    """What is shown about the margin, where there is one."""
    margin = comparison.options.margin
    if margin is None:
        return None

    def shown(d: Difference) -> str:
        verdict = margin_verdict(d, margin)
        return verdict.word(labels.get(verdict.not_worse, verdict.not_worse))

    return Column(f"within {margin:g}", excess="wrap"), shown


def _hidden_pairs(comparison: Compared, few: bool) -> list[str]:
    """A note on the pairs that are not shown."""
    if not few or comparison.control:
        return []
    return [
        f"the best model against each other one, of {len(comparison.pairs)} pairs; --pairs all "
        "shows all, and JSON and CSV hold them"
    ]


def _differences(comparison: Comparison, few: bool, labels: Labels, is_numbered: bool) -> Table:
    is_corrected = any(d.corrected is not None for d in comparison.differences)
    shown = _differences_of(comparison, few)
    sections: dict[int, str] = {}
    for number, d in enumerate(shown):
        if not number or shown[number - 1].measure != d.measure:
            sections[number] = f"{bare_title(d.measure)}, {d.test.method}"
            if few:
                equal = comparison.equal_best(d.measure)
                word = "best" if len(equal) == 1 else "equal to the best"
                word = "control" if comparison.control else word
                sections[number] += f"; {word}: {label_text(d.first)}"
    table = Table.of(
        "Differences",
        [
            _pair_column(comparison, few, labels),
            (Column("difference", "decimal"), lambda d: Number(d.value)),
            _limits_column(comparison),
            # many pairs: the corrected p-value alone, so that a line holds a row
            None if few and is_corrected else _p_column("p", lambda d: d.test.p_value),
            _p_column("p (Holm)", lambda d: d.p_value) if is_corrected else None,
            _outcome_column(comparison, few, labels),
        ],
        shown,
        sections=sections,
        notes=(
            *_hidden_pairs(comparison, few),
            *((NUMBERED,) if is_numbered else ()),
            *_remarks(comparison, shown),
        ),
    )
    last = len(table.columns) - 1
    strong = ((row, last) for row, line in enumerate(table.rows) if line[-1] != "-")
    return replace(table, strong=frozenset(strong))


def _slices(comparison: Comparison, few: bool, labels: Labels) -> Table:
    """The differences in slices of the rows, a section a slice; of many models and measure."""
    whom = "control" if comparison.control else "best"
    whole = whom if comparison.control else "best of all rows"
    is_corrected = comparison.options.correction == "holm"
    has_margin = comparison.options.margin is not None
    slices = dict.fromkeys(d.slice for d in comparison.slices)
    shown = [d for name in slices for d in _differences_of(comparison, few, name)]
    sections: dict[int, str] = {}
    for number, d in enumerate(shown):
        heading = f"{d.slice}, {bare_title(d.measure)}; {whole}: {label_text(d.first)}"
        if not few:
            heading = f"{d.slice}, {bare_title(d.measure)}" if has_margin else d.slice
        if heading not in sections.values():
            sections[number] = heading

    def outcome(d: Difference) -> str:
        if not d.is_significant:
            return "-"
        words = {d.first: "better", d.second: "worse"}
        return words.get(d.better, "different") if few else labels.get(d.better, "")

    reasons = dict.fromkeys(
        f"{d.slice}: {d.measure}: {note}"
        for d in shown
        for note in d.remark_lines
        if (isnan(d.value) or d.interval.is_absent or isnan(d.p_value))
    )
    return Table.of(
        "Differences in slices",
        [
            # beside a margin there is no room for the measure, which stands in the headings
            None if few or has_margin else (Column("measure"), lambda d: d.measure),
            _pair_column(comparison, few, labels),
            (Column("n", "decimal"), lambda d: Number(d.n, "count")),
            (Column("difference", "decimal"), lambda d: Number(d.value)),
            _limits_column(comparison),
            _p_column("p (Holm)" if is_corrected else "p", lambda d: d.p_value),
            (Column(f"{whom} is" if few else "better", excess="cut"), outcome),
            _margin_column(comparison, labels),
        ],
        shown,
        sections=sections,
        notes=tuple(reasons),
    )


def _remarks(comparison: Comparison, shown: Sequence[Difference]) -> Iterator[str | Note]:
    methods: dict[str, list[str]] = {}
    for d in comparison.differences:
        if not d.interval.is_absent:
            methods.setdefault(d.method, []).append(d.measure)
    for method, measures in methods.items():
        yield Note((f"interval of {', '.join(dict.fromkeys(measures))}: {method}",), "method")
    said: dict[tuple[str, str], list[str]] = {}
    for d in shown:
        pair = f"{label_text(d.first)} - {label_text(d.second)}"
        for note in d.remark_lines:
            said.setdefault((d.measure, note), []).append(pair)
    for (measure, note), pairs in said.items():
        # what holds for every pair of a measure is said once
        every = len(pairs) == sum(d.measure == measure for d in shown)
        yield f"{measure}: {note}" if every else f"{measure}, {', '.join(pairs)}: {note}"
    if comparison.options.primary and comparison.options.correction == "holm":
        first = comparison.measures[0]
        yield f"primary measure: {first}; p-values of all others are corrected apart from it"
    side = comparison.options.alternative
    if side != "two-sided":
        yield (
            f"one-sided: p is against 'the first model's value is not {side}', and models that "
            "share a letter are not shown to differ in that direction"
        )


def chance_table(results: Sequence[Result]) -> Table:
    """What each model does against chance, and which question each p-value answers."""
    records = [chance_record(result) for result in results]
    is_of = any(r["of"] for r in records)
    sections = {
        number: r["test"]
        for number, r in enumerate(records)
        if not number or records[number - 1]["test"] != r["test"]
    }
    notes = dict.fromkeys(text for r in records for text in (r["question"], r["note"]) if text)
    return Table.of(
        "Against chance",
        [
            (Column("model", excess="cut"), lambda r: label_text(r["model"])),
            (Column("measure"), lambda r: r["measure"]),
            (Column("of", tone="quiet"), lambda r: r["of"]) if is_of else None,
            (Column("value", "decimal"), lambda r: Number(r["value"])),
            (Column("by chance", "decimal"), lambda r: Number(r["by_chance"])),
            _p_column("p", lambda r: r["p_value"]),
        ],
        records,
        sections=sections,
        notes=tuple(notes),
    )


def limits_of(d: Difference) -> Cell:
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
        heading = f"{d.slice}, {bare_title(d.measure)}" if d.slice else bare_title(d.measure)
        if heading not in sections.values():
            sections[len(rows)] = heading
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
    ranks, standing, means = comparison.ranks, comparison.standing, comparison.means
    mean = f"mean {comparison.results.measure}"
    return Table.of(
        "Models",
        [
            _number_of(labels, is_numbered),
            (Column("model", excess="cut"), label_text),
            (Column("mean rank", "decimal"), lambda model: Number(ranks[model], "rank")),
            (Column("is" if comparison.control else "group"), standing.__getitem__),
            (Column(mean, "decimal"), lambda model: Number(means[model])),
        ],
        comparison.models,
        notes=tuple(notes),
    )


def _sets_differences(
    comparison: ResultsComparison, few: bool, labels: Labels, is_numbered: bool
) -> Table:
    """A row a pair: on how many data sets either is better, and by how much in the median."""
    control = comparison.control if few else ""
    shown = comparison.differences
    is_several, first = len(shown) > 1, shown[0]
    if few:
        rest = (m for m in comparison.models if m != control)
        shown = tuple(against_first(shown, [control, *rest] if control else comparison.models))
    whom = f"{'control' if control else 'best'}: {label_text(control or comparison.models[0])}"
    notes = [
        *([whom] if few else []),
        *_hidden_pairs(comparison, few),
        "w/d/l: data sets on which the first model is better, neither is, the second is",
        *([NUMBERED] if is_numbered else []),
        f"test: {first.test.method}",
    ]
    if is_several:
        notes.append(f"p (all): corrected for all pairs, {first.correction}")
    notes.append(f"median difference and its interval: {first.method or first.lack}")
    return Table.of(
        "Differences",
        [
            _pair_column(comparison, few, labels),
            (Column("w/d/l"), lambda d: f"{d.wins}/{d.draws}/{d.losses}"),
            (Column("median difference", "decimal"), lambda d: Number(d.value)),
            _limits_column(comparison),
            _p_column("p", lambda d: d.test.p_value),
            _p_column("p (all)", lambda d: d.p_value) if is_several else None,
            _outcome_column(comparison, few, labels),
        ],
        shown,
        notes=tuple(notes),
    )
