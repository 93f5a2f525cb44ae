"""Which pairs of many models a document shows, under which names, and what it says of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.comparison.words import FORCED
from heldout.core.errors import InputError
from heldout.report.names import label_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heldout.comparison.comparison import Comparison
    from heldout.comparison.results_comparison import ResultsComparison

__all__ = [
    "PairNames",
    "against_best",
    "has_summary",
    "is_short",
    "left_out",
    "order_of",
    "results_summary",
    "summary",
]

#: letters that a row of a table of pairs needs beside its three names
BESIDE = 44


class PairNames:
    """The models of a comparison as its tables of pairs have them.

    ``room``: letters in a line; 0: no end.

    Examples
    --------
    >>> names = PairNames(["logistic-regression", "random-forest"], 80)
    >>> names.of("random-forest"), names.note
    ('2', 'models are numbered as in the first table')
    """

    def __init__(self, models: Sequence[str], room: int = 0) -> None:
        longest = max(len(label_text(m)) for m in models)
        self.is_numbered = bool(room) and 3 * longest > room - BESIDE
        self._names = {m: label_text(m) for m in models}
        if self.is_numbered:
            self._names = {m: str(number) for number, m in enumerate(models, 1)}

    def of(self, model: str) -> str:
        """One model; nothing where there is none."""
        return self._names.get(model, label_text(model) if model else "")

    def pair(self, difference: Any) -> str:
        """The pair in the order in which it is subtracted."""
        return f"{self.of(difference.first)} - {self.of(difference.second)}"

    @property
    def note(self) -> str:
        """What a table says of it; empty where names are names."""
        return "models are numbered as in the first table" if self.is_numbered else ""


#: pairs of models that are read one by one: those of six models
MOST_PAIRS = 15
#: models named in one line
NAMED = 8


def is_short(comparison: Comparison | ResultsComparison, pairs: str) -> bool:
    """Whether only pairs with the best model, or with the control, are shown.

    ``pairs``: all, best, or empty.
    """
    many = len(comparison.pairs)
    if comparison.control:
        if pairs == "best":
            raise InputError(
                f"pairs: with a control ({comparison.control}) there are no others than its own"
            )
        return many > 1
    return many > 1 and (pairs == "best" or (not pairs and many > MOST_PAIRS))


def has_summary(comparison: Comparison | ResultsComparison, pairs: str) -> bool:
    """Whether the verdict is in few lines, and not a line a pair."""
    if comparison.control:
        return not pairs and len(comparison.pairs) > MOST_PAIRS
    return is_short(comparison, pairs)


def order_of(comparison: Comparison, measure: str) -> list[str]:
    """The models, best first; before them the control, where there is one."""
    order, control = comparison.order(measure), comparison.control
    return [control, *(m for m in order if m != control)] if control else order


def against_best(differences: Iterable[Any], order: Sequence[str]) -> list[Any]:
    """The first model of the order (the best, the control) minus each other one, in that order."""
    best = order[0]
    given = list(differences)
    found = {d.first: d.mirrored for d in given if d.second == best}
    found |= {d.second: d for d in given if d.first == best}
    return [found[name] for name in order[1:] if name in found]


def left_out(comparison: Comparison | ResultsComparison) -> str:
    """A note on the pairs that are not shown."""
    return (
        f"the best model against each other one, of {len(comparison.pairs)} pairs; --pairs all "
        "shows all, and JSON and CSV hold them"
    )


def summary(comparison: Comparison) -> list[str]:
    """The verdict on many models: a line a measure; of slices those where the best differs."""
    lines = []
    if comparison.is_forced:
        lines.append(FORCED)
    margin = comparison.options.margin
    for measure in comparison.measures:
        order = order_of(comparison, measure)
        own = [d for d in comparison.differences if d.measure == measure]
        shown = against_best(own, order)
        if margin is not None:
            lines += [comparison.in_words(d) for d in shown]
            continue
        if comparison.control:
            lines.append(f"{measure}: {_of_control(comparison.control, comparison, own)}")
            continue
        apart = [d for d in own if comparison.is_different(d)]
        told = [d.second for d in shown if comparison.is_different(d)]
        lines.append(
            f"{measure}: {_of_best(order, told, own[0].direction, comparison.equal_best(measure))}"
        )
        lines[-1] += f"; {len(apart)} of {len(own)} pairs are told apart"
    for name in dict.fromkeys(d.slice for d in comparison.slices):
        lines += _of_slice(comparison, name)
    return [*lines, *comparison.disagreement]


def _of_slice(comparison: Comparison, name: str) -> list[str]:
    made = []
    for measure in comparison.measures:
        own = [d for d in comparison.slices if d.slice == name and d.measure == measure]
        apart = sum(comparison.is_different(d) for d in own)
        if apart:
            made.append(f"{name}: {measure}: {apart} of {len(own)} pairs are told apart")
    return made


def results_summary(comparison: ResultsComparison) -> list[str]:
    """The verdict on many models over data sets in few lines."""
    lines = comparison.verdict.splitlines()
    if comparison.control:
        said = _of_control(comparison.control, comparison, comparison.differences)
        said += f" ({comparison.differences[0].correction})"
        return [*lines[: len(lines) - len(comparison.differences)], said]
    order = comparison.models
    shown = against_best(comparison.differences, order)
    told = [d.second for d in shown if comparison.is_different(d)]
    apart = sum(comparison.is_different(d) for d in comparison.differences)
    correction = comparison.differences[0].correction
    least = comparison.ranks[order[0]]
    equal = [m for m in order if abs(comparison.ranks[m] - least) < 1e-9]
    said = _of_best(order, told, "up", equal)
    said += f"; {apart} of {len(comparison.pairs)} pairs are told apart"
    made = [*lines[: len(lines) - len(comparison.differences)], f"{said} ({correction})"]
    against = sum(bool(comparison.against_interval(d)) for d in comparison.differences)
    if against:
        made.append(
            f"on {against} pairs interval and verdict differ: intervals are of how much a pair "
            "differs on its own, verdicts of ranks among all models, corrected for all pairs"
        )
    return made


def _of_control(control: str, comparison: Any, differences: Sequence[Any]) -> str:
    """Who is better than the control, who is worse, and how many cannot be told apart from it."""
    found: dict[str, list[str]] = {}
    for d in differences:
        word = comparison.standing_of(d)
        found.setdefault(word, []).append(d.second)
    rest = len(found.pop("", []))
    name = label_text(control)
    words = {"better": "better than", "worse": "worse than", "apart": "told apart from"}
    parts = [
        f"{len(found[word])} of {len(differences)} models are {words[word]} the control {name}: "
        f"{_names_text(found[word])}"
        for word in words
        if word in found
    ]
    if not parts:
        return f"no model can be told apart from the control {name}"
    return "; ".join(parts) + (f"; {rest} cannot be told apart from it" if rest else "")


def _of_best(
    order: Sequence[str], told: Sequence[str], direction: str, equal: Sequence[str]
) -> str:
    """Who is best, and from whom it can be told apart; ``equal`` share the best value."""
    rest = [name for name in order[1:] if name not in told]
    if len(equal) > 1:
        apart = [name for name in told if name not in equal]
        said = f"none is best, for {_names_text(equal)} are equal"
        return f"{said}; {label_text(order[0])} is told apart from {_names_text(apart) or 'none'}"
    best = label_text(order[0])
    word = "is best" if direction in {"up", "down"} else "has the greatest value"
    if not told:
        return f"{best} {word}, and cannot be told apart from any other"
    if not rest:
        return f"{best} {word}, and told apart from all others"
    return f"{best} {word}, and cannot be told apart from {_names_text(rest)}"


def _names_text(names: Sequence[str]) -> str:
    shown = ", ".join(label_text(name) for name in names[:NAMED])
    return shown + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
