"""Comparisons as documents: the verdict, the models, every difference; of rows or of data sets."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from heldout.comparison.difference import margin_verdict
from heldout.core.notes import Topic, without
from heldout.core.shown import p_in_words
from heldout.core.significance import correction_title
from heldout.core.wording import values_by_key
from heldout.report.comparison_record import chance_record, posterior_records
from heldout.report.names import bare_title, label_text, short_title, title_in_sentence
from heldout.report.numbers import number_text
from heldout.report.remarks import methods
from heldout.report.table import (
    Column,
    Either,
    Estimate,
    Note,
    Number,
    Strong,
    Table,
    Text,
    column,
    estimate_of,
)
from heldout.report.verdict import against_first, has_few_pairs, order_of, sets_verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from heldout.assess.results import Result
    from heldout.comparison.comparison import Comparison
    from heldout.comparison.difference import Difference
    from heldout.comparison.over_sets.sets_comparison import ResultsComparison
    from heldout.report.table import Block, Cell, Document

    Compared = Comparison | ResultsComparison

Labels = dict[str, str]
NUMBERED = "models are numbered as in the first table"


def further_notes(comparison: Comparison) -> tuple[str, ...]:
    """The notes that say more than the headline does."""
    return without(comparison.notes, Topic.MATCHING)


def comparison_document(
    comparison: Comparison,
    *,
    explain: bool = False,
    chance: Sequence[Result] = (),
    pairs: str = "",
    has_notes: bool = True,
    has_limits: bool = False,
) -> Document:
    """The verdict, the table of models, the differences; the reasons where asked for.

    ``pairs``: ``all``, or ``best``: the best model against each other; empty: all of few.
    Without ``has_notes`` somebody else tells them. ``has_limits``: values have their intervals.
    """
    few = has_few_pairs(comparison, pairs)
    blocks: list[Block] = [
        Text(f"{len(comparison.models)} models, {comparison.design.words}", "quiet")
    ]
    if comparison.design.kind == "different test sets":
        which = (
            "by force, on the same rows"
            if comparison.is_forced
            else "the models were evaluated on different rows"
        )
        blocks.append(Text(f"UNPAIRED: {which}.", "strong"))
    notes = further_notes(comparison) if has_notes else ()
    blocks += [Text(f"Note: {note}", "quiet") for note in notes]
    blocks += [Text(line, "answer") for line in verdict(comparison)]
    blocks += [Text(line, "quiet") for line in comparison.subjects]

    def tables(labels: Labels, is_numbered: bool) -> tuple[Table, ...]:
        tables = [_models(comparison, labels, is_numbered, has_limits)]
        tables.append(_differences(comparison, few, labels, is_numbered))
        if comparison.slices:
            tables.append(_slices(comparison, few, labels))
        if comparison.options.rope is not None:
            slices = dict.fromkeys(d.slice for d in comparison.slices)
            shown = [d for name in ("", *slices) for d in _differences_of(comparison, few, name)]
            tables += _posteriors(shown, labels)
        return tuple(tables)

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


def _models(comparison: Comparison, labels: Labels, is_numbered: bool, has_limits: bool) -> Table:
    """A row per model, best first by the first measure, with letters beside each value."""
    standings = {m: comparison.standing(m) for m in comparison.measures}

    def value_by(m: str) -> Any:
        values, marks, leading = comparison.values[m], standings[m], comparison.leading(m)

        def cell(model: str) -> Cell | Strong:
            value = Estimate(values[model], mark=marks[model], measure=m)
            if has_limits:
                own = estimate_of(comparison.estimates[m][model], "both", fewer=1)
                value = replace(own, mark=marks[model]) if isinstance(own, Estimate) else value
            return Strong(value) if model in leading else value

        return Column(short_title(m)), cell

    first = comparison.measures[0]
    notes: list[str | Note] = [
        f"{_shared_letters(comparison)}; best first by {title_in_sentence(first)}"
    ]
    for measure, test in comparison.omnibus.items():
        notes.append(f"all models together, {measure}: {test.method}, p {p_in_words(test.p_value)}")
    if has_limits:
        notes.append("intervals are for single values; those of the differences are below")
        estimates = (r for of in comparison.estimates.values() for r in of.values())
        notes += methods(estimates, brackets=True)
    return Table.of(
        f"Models{f' ({comparison.of})' if comparison.of else ''}",
        [
            _number_of(labels, is_numbered),
            (Column("model", excess="cut"), label_text),
            *map(value_by, comparison.measures),
        ],
        standings[first],
        notes=tuple(notes),
    )


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


def _pair_column(comparison: Compared, few: bool, labels: Labels) -> Any:
    """The pair in the order in which it is subtracted; of few pairs the second model."""
    if few:
        head = f"{'control' if comparison.control else 'best'} minus"
        return Column(head, excess="cut"), lambda d: label_text(d.second)
    return Column("pair", excess="cut"), lambda d: f"{labels[d.first]} - {labels[d.second]}"


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
        f"only pairs with the best model are shown, of "
        f"{len(comparison.pairs)}; --pairs all shows all, as do JSON and CSV"
    ]


def _differences(comparison: Comparison, few: bool, labels: Labels, is_numbered: bool) -> Table:
    is_corrected = any(d.corrected is not None for d in comparison.differences)
    shown = _differences_of(comparison, few)
    test_of = {d.measure: d.test.method for d in reversed(shown)}
    head, outcome = _outcome_column(comparison, few, labels)

    def heading(d: Difference) -> str:
        title = f"{bare_title(d.measure)}, {test_of[d.measure]}"
        equal = comparison.equal_best(d.measure)
        word = "best" if len(equal) == 1 else "equal to the best"
        word = "control" if comparison.control else word
        return f"{title}; {word}: {label_text(d.first)}" if few else title

    return Table.of(
        "Differences",
        [
            _pair_column(comparison, few, labels),
            column("value", "difference", role="value"),
            _limits_column(comparison),
            # many pairs: the corrected p-value alone, so that a line holds a row
            None if few and is_corrected else _p_column("p", lambda d: d.test.p_value),
            _p_column("p (Holm)", lambda d: d.p_value) if is_corrected else None,
            (head, lambda d: Strong(text) if (text := outcome(d)) != "-" else text),
        ],
        shown,
        section=heading,
        notes=(
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
    has_margin = comparison.options.margin is not None
    slices = dict.fromkeys(d.slice for d in comparison.slices)
    shown = [d for name in slices for d in _differences_of(comparison, few, name)]

    def heading(d: Difference) -> str:
        if few:
            return f"{d.slice}, {bare_title(d.measure)}; {whole}: {label_text(d.first)}"
        return f"{d.slice}, {bare_title(d.measure)}" if has_margin else d.slice

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
            None if few or has_margin else column("measure"),
            _pair_column(comparison, few, labels),
            column("n", role="count", align="decimal"),
            column("value", "difference", role="value"),
            _limits_column(comparison),
            _p_column("p (Holm)" if is_corrected else "p", lambda d: d.p_value),
            (Column(f"{whom} is" if few else "better", excess="cut"), outcome),
            _margin_column(comparison, labels),
        ],
        shown,
        section=heading,
        notes=tuple(reasons),
    )


def _remarks(comparison: Comparison, shown: Sequence[Difference]) -> Iterator[str | Note]:
    given = (d for d in comparison.differences if not d.interval.is_absent)
    methods = values_by_key((d.method, d.measure) for d in given)
    for method, measures in methods.items():
        yield Note((f"interval of {', '.join(measures)}: {method}",), "method")
    notes = values_by_key(
        ((d.measure, note), f"{label_text(d.first)} - {label_text(d.second)}")
        for d in shown
        for note in d.remark_lines
    )
    for (measure, note), pairs in notes.items():
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
    notes = dict.fromkeys(text for r in records for text in (r["question"], r["note"]) if text)
    return Table.of(
        "Against chance",
        [
            (Column("model", excess="cut"), lambda r: label_text(r["model"])),
            column("measure"),
            column("of", tone="quiet") if is_of else None,
            column("value", role="value"),
            column("by_chance", role="value"),
            column("p_value", "p", role="p"),
        ],
        records,
        section=itemgetter("test"),
        notes=tuple(notes),
    )


def limits_of(d: Difference) -> Cell:
    """The cell of the limits of a difference."""
    if d.interval.is_absent:
        return "none"
    low, high = d.interval.low, d.interval.high
    return Estimate(nan, low, high, "limits", fewer=1, is_apart=False, method=d.interval.method)


def _posteriors(differences: Sequence[Difference], labels: Labels) -> list[Table]:
    """A row per pair and measure that has a posterior, in the order given; none: no table."""
    records = posterior_records(differences)
    if not records:
        return []
    pairs = [(d.posterior, d.measure) for d in differences if d.posterior is not None]
    methods = values_by_key(("; ".join(filter(None, (q.method, q.note))), m) for q, m in pairs)
    shares = ("first_better", "equivalent", "second_better")
    pair = Column("pair", excess="cut")
    table = Table.of(
        f"Probabilities, differences up to {pairs[0][0].rope:g} being equivalent",
        [
            (pair, lambda r: f"{labels[r['first']]} - {labels[r['second']]}"),
            *(column(share, role="share") for share in shares),
        ],
        records,
        section=lambda r: ", ".join(filter(None, (r["slice"], bare_title(r["measure"])))),
        notes=tuple(f"{', '.join(of)}: {method}" for method, of in methods.items()),
    )
    return [table]


def _ranks(comparison: ResultsComparison, labels: Labels, is_numbered: bool) -> Table:
    """A row per model with its mean rank, and which models do not differ."""
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
    """A row per pair: on how many data sets either is better, and by how much in the median."""
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
        "w/d/l: wins, draws and losses of the first model over the data sets",
        *([NUMBERED] if is_numbered else []),
        f"test: {first.test.method}",
    ]
    if is_several:
        notes.append(f"p (all): corrected for all pairs, {correction_title(first.correction)}")
    notes.append(f"median difference and its interval: {first.method or first.lack}")
    return Table.of(
        "Differences",
        [
            _pair_column(comparison, few, labels),
            (Column("w/d/l"), lambda d: f"{d.wins}/{d.draws}/{d.losses}"),
            column("value", "median difference", role="value"),
            _limits_column(comparison),
            _p_column("p", lambda d: d.test.p_value),
            _p_column("p (all)", lambda d: d.p_value) if is_several else None,
            _outcome_column(comparison, few, labels),
        ],
        shown,
        notes=tuple(notes),
    )
