"""``--require "auc >= 0.8"``: what a measure must reach, for use in continuous integration."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

from karat.core.errors import InputError
from karat.measures.spec import AVERAGES, parse_request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from karat.assess.results import Result
    from karat.assess.scorecard import Scorecard

__all__ = ["Requirement", "parse_requirement", "unmet"]

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}
# the measure may hold [class=a>b]: the operator is the last one, before a number
EXPRESSION = re.compile(r"\s*(.*[^<>=!\s])\s*(>=|<=|==|>|<)\s*([^<>=\s]+)\s*", re.DOTALL)
BRACKETS = re.compile(r"\[.*\]", re.DOTALL)
BOUND = re.compile(r"(lower|upper|low|high)\s*\(\s*(.+?)\s*\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A measure, a comparison and the number it is compared with."""

    measure: str
    sign: str
    bound: float
    text: str

    def holds(self, value: float) -> bool:
        """Whether a value meets it; an undefined one never does."""
        return OPERATORS[self.sign](value, self.bound)


def parse_requirement(text: str) -> Requirement:
    """The requirement behind a text; an unknown measure or a malformed text is an error.

    Examples
    --------
    >>> parse_requirement("auc >= 0.8").holds(0.9)
    True
    """
    match = EXPRESSION.fullmatch(text)
    if match is None or set("<>=") & set(BRACKETS.sub("", match[1])):
        raise InputError(
            f'--require {text!r} is not understood: write it as "auc >= 0.8" '
            "(with >=, >, <=, < or ==), one comparison in each --require"
        )
    measure, sign, number = match.groups()
    if bound := BOUND.fullmatch(measure):
        raise InputError(
            f"--require {text!r}: bounds of intervals are not available yet; "
            f'require the value itself: "{bound[2]} {sign} {number}"'
        )
    try:
        limit = float(number)
    except ValueError:
        raise InputError(f"--require {text!r}: {number!r} is not a number") from None
    if isnan(limit):
        raise InputError(f"--require {text!r}: nothing compares with {number}")
    parse_request(measure)
    return Requirement(measure, sign, limit, text.strip())


def unmet(card: Scorecard, requirements: Sequence[Requirement]) -> list[str]:
    """A line for each requirement and model that fails it, over all of a model's rows."""
    return [line for requirement in requirements for line in _failures(card, requirement)]


def _failures(card: Scorecard, requirement: Requirement) -> Iterator[str]:
    results = card.results((requirement.measure,), per_class=False)
    asked = parse_request(requirement.measure)
    judged = [r for r in results if r.measure == asked.name and not r.fold and not r.slice]
    if not judged or any(r.class_ != (asked.label or "") for r in judged):
        raise InputError(_which_class(card, requirement))
    for result in judged:
        if not requirement.holds(result.value):
            of = f" of {result.model}" if result.model else ""
            yield f"{requirement.measure}{of} is {_said(result)}, required: {requirement.text}"


def _which_class(card: Scorecard, requirement: Requirement) -> str:
    name = requirement.measure
    ways = [f"{name}_{average}" for average in AVERAGES] if "[" not in name else []
    ways.append(f"{name.partition('[')[0]}[class={card.classes[0]}]")
    choice = " or ".join(ways)
    return f"--require {requirement.text!r}: {name} has a value for each class; say {choice}"


def _said(result: Result) -> str:
    if result.is_defined:
        return f"{result.value:.6g}"
    return result.note or "undefined"
