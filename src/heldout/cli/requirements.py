"""``--require "auc >= 0.8"``: what a measure must reach, for use in continuous integration."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING, Any, Protocol

from heldout.core.errors import InputError
from heldout.core.notes import Kind
from heldout.core.ratio import at_least
from heldout.core.specs import brackets_of, name_of, positions_of, split_list
from heldout.measures.spec import AVERAGES, parse_request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from heldout.assess.results import Result
    from heldout.comparison.comparison import Comparison

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": at_least,
    "<=": lambda value, bound: at_least(bound, value),
    "==": lambda value, bound: at_least(value, bound) and at_least(bound, value),
    ">": lambda value, bound: not at_least(bound, value),
    "<": lambda value, bound: not at_least(value, bound),
}
# the measure may hold [class=a>b]: the operator is the last one, before a number
EXPRESSION = re.compile(r"\s*(.*[^<>=!\s])\s*(>=|<=|==|>|<)\s*([^<>=\s]+)\s*", re.DOTALL)
BOUND = re.compile(r"(lower|upper|low|high)\s*\(\s*(.+?)\s*\)", re.DOTALL)
DIFFERENCE = re.compile(r"difference\s*(?:\((.*)\))?", re.DOTALL)

SIDES = {"lower": "lower", "low": "lower", "upper": "upper", "high": "upper"}


@dataclass(frozen=True, slots=True)
class Requirement:
    """A measure, a comparison and the number it is compared with."""

    #: empty: every measure by which models are compared
    measure: str
    sign: str
    bound: float
    text: str
    #: which limit of the interval is meant; empty: the value itself
    limit: str = ""
    #: whether it is about the differences of models, not about their values
    is_difference: bool = False
    #: the two models whose difference is meant; empty: every pair
    pair: tuple[str, ...] = ()

    def holds(self, value: float) -> bool:
        """Whether a value meets it; an undefined one never does."""
        return not isnan(value) and OPERATORS[self.sign](value, self.bound)


def parse_requirement(text: str) -> Requirement:
    """The requirement behind a text; an unknown measure or a malformed text is an error.

    Examples
    --------
    >>> parse_requirement("auc >= 0.8").holds(0.9)
    True
    >>> parse_requirement("lower(difference(auc, new, old)) >= -0.02").pair
    ('new', 'old')
    """
    match = EXPRESSION.fullmatch(text)
    if match is None or any(positions_of(sign, match[1]) for sign in "<>="):
        raise InputError(
            f'--require {text!r} is not understood: write it as "auc >= 0.8" '
            "(with >=, >, <=, < or ==), one comparison in each --require"
        )
    measure, sign, number = match.groups()
    side = ""
    if limited := BOUND.fullmatch(measure):
        side, measure = SIDES[limited[1]], limited[2]
    try:
        limit = float(number)
    except ValueError:
        raise InputError(f"--require {text!r}: {number!r} is not a number") from None
    if isnan(limit):
        raise InputError(f"--require {text!r}: nothing compares with {number}")
    difference = DIFFERENCE.fullmatch(measure)
    measure, *pair = (split_list(difference[1] or "") or [""]) if difference else [measure]
    if len(pair) not in (0, 2):
        raise InputError(
            f"--require {text!r}: write difference, difference(auc), or with the two models "
            "difference(auc, first, second)"
        )
    if measure or not difference:
        parse_request(measure)
    return Requirement(measure, sign, limit, text.strip(), side, bool(difference), tuple(pair))


def requirements_of(given: Mapping[str, Any]) -> list[Requirement]:
    """All that is required; of a limit an error where no intervals are made."""
    requirements = [parse_requirement(text) for text in given["requirements"]]
    for requirement in requirements:
        if requirement.limit and given.get("no_intervals"):
            raise InputError(
                f"--require {requirement.text!r} asks for a limit, and --no-intervals makes none: "
                "leave out one of the two"
            )
    return requirements


class Card(Protocol):
    """What can be held to requirements: a scorecard or an evaluation."""

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes in their order."""

    def results(self, measures: Sequence[str], /, *, per_class: bool | None) -> Sequence[Result]:
        """The values of measures."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A requirement, and what a model, or a pair, has of it over all rows or in a slice."""

    requirement: Requirement
    result: Result

    @property
    def value(self) -> float:
        """The value, or the limit, that is compared; NaN where there is none."""
        result, limit = self.result, self.requirement.limit
        value = {"": result.value, "lower": result.low, "upper": result.high}[limit]
        return nan if value is None else value

    @property
    def is_met(self) -> bool:
        """Whether the requirement holds."""
        return self.requirement.holds(self.value)

    @property
    def record(self) -> dict[str, Any]:
        """What was required of whom, what the value is, and whether that is met."""
        names = {"model": self.result.model, "slice": self.result.slice}
        known = {"requirement": self.requirement.text, **names, "value": self.value}
        return {**known, "met": self.is_met}

    @property
    def line(self) -> str:
        """What the value is, or the limit, and what was required."""
        return f"{_description(self)}, required: {self.requirement.text}"


def verdicts_of(card: Card, requirements: Sequence[Requirement]) -> list[Verdict]:
    """Each requirement with each model that it is asked of, over all rows and in the slices."""
    return [verdict for requirement in requirements for verdict in _verdicts(card, requirement)]


def difference_verdicts(
    comparison: Comparison, requirements: Sequence[Requirement]
) -> list[Verdict]:
    """Each requirement with each difference that it is asked of, in the slices too."""
    verdicts = []
    for requirement in requirements:
        measure = requirement.measure and parse_request(requirement.measure).name
        verdicts += [Verdict(requirement, d) for d in comparison.select(measure, requirement.pair)]
        # a slice that could not be compared meets nothing
        verdicts += [Verdict(requirement, result) for result in comparison.uncompared]
    return verdicts


def _verdicts(card: Card, requirement: Requirement) -> Iterator[Verdict]:
    if requirement.is_difference:
        raise InputError(
            f"--require {requirement.text!r}: a difference is one of two models; heldout compare "
            "has them"
        )
    results = card.results((requirement.measure,), per_class=False)
    asked = parse_request(requirement.measure)
    judged = [r for r in results if r.headline and r.measure == asked.name]
    if not judged or any(r.class_ != (asked.label or "") for r in judged):
        raise InputError(_which_class(card, requirement))
    yield from (Verdict(requirement, result) for result in judged)


def _which_class(card: Card, requirement: Requirement) -> str:
    name = requirement.measure
    ways = [f"{name}_{average}" for average in AVERAGES] if not brackets_of(name) else []
    ways.append(f"{name_of(name)}[class={card.classes[0]}]")
    choice = " or ".join(ways)
    return f"--require {requirement.text!r}: {name} has a value for each class; say {choice}"


def _description(verdict: Verdict) -> str:
    """What the value is, or the limit; where there is none, why."""
    requirement, result, value = verdict.requirement, verdict.result, verdict.value
    of = f" of {result.model}" if result.model else ""
    of += f" in the slice {result.slice}" if result.slice else ""
    name = requirement.measure
    if requirement.is_difference:
        name = f"{result.measure} difference".strip()
    name += of
    if requirement.limit and isnan(value):
        shown = f"{result.value:.6g}".replace("nan", "undefined").replace("inf", "infinite")
        reasons = [n.words if n.kind is Kind.UNDEFINED else str(n) for n in result.notes]
        why = f" ({'; '.join(reasons)})" if reasons else ""
        return f"{name} is {shown} and has no {requirement.limit} limit{why}"
    what = f"{requirement.limit} limit of " if requirement.limit else ""
    return f"{what}{name} is {result.note or 'undefined' if isnan(value) else f'{value:.6g}'}"
