"""The answer of a comparison in a sentence a measure, and which pairs of many models are shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from heldout.comparison.difference import margin_verdict
from heldout.comparison.of_scorecard import compare_scorecard, standings
from heldout.comparison.over_sets.sets_difference import sets_against_interval
from heldout.comparison.words import FORCED, limits_in_words, size_in_words, size_with_limits
from heldout.core.errors import InputError
from heldout.core.shown import p_in_words
from heldout.core.significance import correction_title
from heldout.core.wording import values_by_key
from heldout.report.names import bare_title, label_text, title_in_sentence
from heldout.report.table import Estimate, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from heldout.assess.scorecard import Scorecard
    from heldout.comparison.comparison import Comparison
    from heldout.comparison.difference import Difference
    from heldout.comparison.over_sets.sets_comparison import ResultsComparison
    from heldout.report.table import Cell, Table

#: pairs of models that are read one by one: those of six models
MOST_PAIRS = 15
#: models named in one line, and those whose intervals stand beside their names
NAMED, WITH_LIMITS = 8, 3


def has_few_pairs(comparison: Comparison | ResultsComparison, pairs: str) -> bool:
    """Whether only pairs with the best model, or with the control, are shown.

    ``pairs``: all, best, or empty.
    """
    many = len(comparison.pairs)
    if comparison.control:
        if pairs == "best":
            raise InputError(
                f"pairs: with a control ({comparison.control}) there are only its own pairs"
            )
        return many > 1
    return many > 1 and (pairs == "best" or (not pairs and many > MOST_PAIRS))


def order_of(comparison: Comparison, measure: str) -> list[str]:
    """The models, best first; before them the control, where there is one."""
    order, control = comparison.order(measure), comparison.control
    return [control, *(m for m in order if m != control)] if control else order


def against_first(differences: Iterable[Any], order: Sequence[str]) -> list[Any]:
    """The first model of the order (the best, the control) minus each other one, in that order."""
    best = order[0]
    given = list(differences)
    known = {d.first: d.mirrored for d in given if d.second == best}
    known |= {d.second: d for d in given if d.first == best}
    return [known[name] for name in order[1:] if name in known]


def verdict(comparison: Comparison) -> list[str]:
    """The answer: a sentence a measure; of slices those where models differ."""
    lines = [FORCED] if comparison.is_forced else []
    margin = comparison.options.margin
    for measure in comparison.measures:
        own = [d for d in comparison.differences if d.measure == measure]
        if len(own) > 1 and margin is not None:
            shown = against_first(own, order_of(comparison, measure))
            lines += map(comparison.in_words, shown)
        else:
            lines.append(
                comparison.in_words(own[0]) if len(own) == 1 else best_by(comparison, measure)
            )
    for name in dict.fromkeys(d.slice for d in comparison.slices):
        lines += _of_slice(comparison, name)
    if comparison.slices and not any(d.is_significant for d in comparison.slices):
        whom = (
            "does a model differ from the control" if comparison.control else "do two models differ"
        )
        lines.append(f"in none of the slices {whom} significantly")
    return [*lines, *comparison.disagreement]


def verdict_on(card: Scorecard, measure: str = "") -> Text:
    """Which model of a scorecard is best, in one sentence: that of ``heldout compare`` of many."""
    comparison = compare_scorecard(card, measure)
    if isinstance(comparison, InputError):
        return Text(f"No comparison of the models: {comparison}", "quiet")
    return Text(f"Verdict: {best_by(comparison, comparison.measures[0])}", "answer")


def with_letters(table: Table, card: Scorecard, deciding: str = "") -> Table:
    """A table of models with the letters of those that cannot be told apart by each measure."""
    cells = (cell for row in table.rows for cell in row)
    measures = {cell.measure for cell in cells if isinstance(cell, Estimate)}
    known = standings(card, measures, deciding)
    if known is None:
        return table
    models = dict(zip(map(label_text, card.models), card.models, strict=True))
    if len(known.letters) == 1:
        table = _lettered_first(table, known.letters)
    rows, strong = [], set()
    for number, (name, *others) in enumerate(table.rows):
        own = models.get(str(name), "")
        marked: list[Cell] = [name]
        for at, cell in enumerate(others, 1):
            if isinstance(cell, Estimate) and cell.measure in known.letters:
                marked.append(replace(cell, mark=known.letters[cell.measure].get(own, "")))
                strong |= {(number, at)} if own in known.leading[cell.measure] else set()
            else:
                marked.append(cell)
        rows.append(tuple(marked))
    note = f"models that share a letter do not differ significantly at {100 * known.alpha:.10g}%"
    return replace(table, rows=tuple(rows), strong=frozenset(strong), notes=(note, *table.notes))


def _lettered_first(table: Table, letters: Collection[str]) -> Table:
    """The columns that get letters in sight: before those that models were not compared by."""

    def is_lettered(at: int) -> bool:
        return any(getattr(row[at], "measure", "") in letters for row in table.rows)

    places = [0, *sorted(range(1, len(table.columns)), key=lambda at: not is_lettered(at))]
    return replace(
        table,
        columns=tuple(table.columns[at] for at in places),
        rows=tuple(tuple(row[at] for at in places) for row in table.rows),
    )


def best_by(comparison: Comparison, measure: str) -> str:
    """Which model is best, and which of the others it is better than."""
    own = [d for d in comparison.differences if d.measure == measure]
    title = title_in_sentence(measure)
    if not any(d.test.is_given for d in own):
        return f"{bare_title(measure)}: no test of the models: {own[0].test.note or own[0].lack}"
    if comparison.control:
        return f"{bare_title(measure)}: {_of_control(comparison, own)}"
    order = order_of(comparison, measure)
    equal = comparison.equal_best(measure)
    if len(own) == 1 and not own[0].is_significant and len(equal) == 1:
        (d,) = against_first(own, order)
        names = f"{label_text(d.first)} and {label_text(d.second)}"
        return f"no clear difference between {names} by {title}{limits_aside(d)}"
    word = "is best by" if own[0].direction in {"up", "down"} else "has the greatest"
    lead = f"{label_text(order[0])} {word} {title}"
    if len(equal) > 1:
        lead = f"{_names_text(equal)} are equal by {title}"
    apart = sum(d.is_significant for d in own)
    better = "better than" if own[0].direction in {"up", "down"} else "different from"
    beside = against_first(own, order)
    lead += _beside_best(beside, equal, f"{better} ", lambda d: f" by {size_with_limits(d)}")
    return f"{lead}{_count(apart, len(own))}"


def _count(apart: int, pairs: int) -> str:
    return f"; {apart} of {pairs} pairs differ significantly" if pairs > MOST_PAIRS else ""


def _of_slice(comparison: Comparison, name: str) -> list[str]:
    lines = []
    for measure in comparison.measures:
        own = [d for d in comparison.slices if d.slice == name and d.measure == measure]
        apart = [d for d in own if d.is_significant]
        if apart and len(own) == 1:
            lines.append(f"{name}: {comparison.in_words(own[0])}")
        elif apart:
            lines.append(
                f"{name}: {measure}: {len(apart)} of {len(own)} pairs differ significantly"
            )
        lines += _not_shown(own, comparison.options.margin)
    return lines


def _not_shown(differences: Sequence[Difference], margin: float | None) -> list[str]:
    """A line on the pairs of a slice about which a margin shows nothing."""
    if margin is None:
        return []
    unshown = [d for d in differences if not margin_verdict(d, margin).is_shown]
    if not unshown:
        return []
    d, count = unshown[0], f" for {len(unshown)} of {len(differences)} pairs"
    return [
        f"{d.slice}: {d.measure}: neither equivalence nor non-inferiority within "
        f"{size_in_words(margin, d)} is shown{count if len(differences) > 1 else ''}"
    ]


def sets_verdict(comparison: ResultsComparison) -> list[str]:
    """The answer over data sets: whether the models differ at all, and how the best does."""
    pairs = comparison.differences
    if len(pairs) == 1:
        return comparison.verdict.splitlines()
    of_all = comparison.of_all
    if comparison.control:
        return [
            *of_all,
            f"{_of_control(comparison, pairs)} ({correction_title(pairs[0].correction)})",
        ]
    order = comparison.models
    least = comparison.ranks[order[0]]
    equal = [m for m in order if abs(comparison.ranks[m] - least) < 1e-9]
    lead = f"{label_text(order[0])} has the best mean rank"
    if len(equal) > 1:
        lead = f"{_names_text(equal)} share the best mean rank"
    lead += _beside_best(against_first(pairs, order), equal, "better than ", limits_aside)
    apart = sum(d.is_significant for d in pairs)
    lines = [
        *of_all,
        f"{lead}{_count(apart, len(pairs))} ({correction_title(pairs[0].correction)})",
    ]
    against = sum(bool(sets_against_interval(d)) for d in pairs)
    if against:
        lines.append(
            f"on {against} pairs interval and verdict disagree: intervals "
            f"give the size of a single pair's difference, verdicts compare ranks among "
            f"all models, corrected for all pairs"
        )
    return lines


def _of_control(comparison: Any, differences: Sequence[Any]) -> str:
    """Who is better than the control, who is worse, and how many do not clearly differ from it."""
    by_word = values_by_key((comparison.standing_of(d), d.second) for d in differences)
    rest = len(by_word.pop("", []))
    name = label_text(comparison.control)
    words = {"better": "better than", "worse": "worse than", "apart": "different from"}
    parts = [
        f"{len(by_word[word])} of {len(differences)} models are {words[word]} the control {name}: "
        f"{_names_text(by_word[word])}"
        for word in words
        if word in by_word
    ]
    if not parts:
        return f"no model clearly differs from the control {name}"
    return "; ".join(parts) + (f"; {rest} do not clearly differ from it" if rest else "")


def _beside_best(
    differences: Sequence[Any], equal: Sequence[str], word: str, size: Callable[[Any], str]
) -> str:
    """How the best model differs from the others; ``equal`` share the best value.

    ``size`` says how large a difference is that is significant.
    """
    apart = [d for d in differences if d.is_significant]
    rest = [d for d in differences if not d.is_significant and d.second not in equal]
    said = ""
    if apart:
        is_all = len(apart) > WITH_LIMITS and not rest
        said = f"; {word}{'all others' if is_all else _each(apart, size, 'and')}"
    return f"{said}; no clear difference from {_each(rest, limits_aside, 'or')}" if rest else said


def _each(differences: Sequence[Any], size: Callable[[Any], str], word: str) -> str:
    """The second models by name; few of them with the size of their difference."""
    if len(differences) > WITH_LIMITS:
        return _names_text([d.second for d in differences], word)
    return _joined([label_text(d.second) + size(d) for d in differences], word)


def _joined(texts: Sequence[str], word: str) -> str:
    """Texts with commas, and a word before the last: "a, b and c"."""
    *others, last = texts
    return f"{', '.join(others)} {word} {last}" if others else last


def limits_aside(d: Difference) -> str:
    """The interval of a difference in parentheses; nothing where it has no two limits.

    One without 0 beside a difference that is not significant is that of the pair alone, and the
    verdict is corrected for all pairs.
    """
    if d.interval.is_absent or d.test.alternative != "two-sided":
        return ""
    limits = limits_in_words(d.interval, d)
    if not d.is_significant and not d.interval.low <= 0 <= d.interval.high:
        return f" (uncorrected {limits}; corrected p {p_in_words(d.p_value)})"
    return f" ({limits})"


def _names_text(names: Sequence[str], word: str = "and") -> str:
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    return _joined([*map(label_text, names[:NAMED]), *more], word)
