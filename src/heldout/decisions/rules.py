"""Rules by which a threshold is chosen: the best of a measure, of a profit, at a wanted rate."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.ratio import at_least
from heldout.curves.cuts import value_of
from heldout.decisions.records import as_given
from heldout.measures.profit import cells_of, valued_cells
from heldout.measures.spec import Request, parse_request
from heldout.tally.confusion import Binary, Confusion

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.core.arrays import Array, Booleans


#: what is made best where a rate is only to be kept, by the rows that it is a share of
COMPANIONS = {
    "positives": "specificity",
    "negatives": "recall",
    "predicted_positives": "recall",
    "predicted_negatives": "specificity",
}
CONDITION = re.compile(r"(?:(?P<goal>.+?)\s+where\s+)?(?P<rate>.+?)\s*(?P<sign>>=|<=)\s*(?P<at>.+)")
#: signs that are not taken: of scores with finitely many values "more than" has no best threshold
OTHER_SIGN = re.compile(r"(?P<rate>[^<>=]+?)\s*(?P<sign>[<>]|==?)\s*(?P<at>[-+.\w]+)")


@dataclass(frozen=True, slots=True)
class Goal:
    """A number that follows from confusion counts, and which way it is good.

    ``value`` takes a tally of two classes, also one with a leading axis of thresholds.
    """

    request: Request
    value: Callable[[Any], Any]
    bounds: tuple[float, float] = (-inf, inf)

    @property
    def name(self) -> str:
        """The measure as it was asked for."""
        return self.request.name

    @property
    def undefined(self) -> str:
        """When it has no value."""
        return self.request.measure.undefined

    def merit(self, values: Array) -> Array:
        """The values so that larger is better, and undefined is worse than anything."""
        return np.where(np.isnan(values), -inf, self.request.measure.goodness(values))


@dataclass(frozen=True, slots=True)
class Condition:
    """A rate that must be kept: at least, or at most, a given value."""

    goal: Goal
    sign: str
    bound: float

    @property
    def name(self) -> str:
        """The condition as it is written."""
        return f"{self.goal.name} {self.sign} {as_given(self.bound)}"

    def holds(self, values: Array) -> Booleans:
        """Where it is kept; not where the rate is undefined."""
        sign = 1 if self.sign == ">=" else -1
        return np.asarray(at_least(sign * values, sign * self.bound, size=1))


@dataclass(frozen=True, slots=True)
class Rule:
    """The threshold is the one that makes ``goal`` best, among those that keep ``condition``.

    Thresholds that are equally good are told apart by the highest, which calls the fewest
    rows positive.
    """

    goal: Goal
    condition: Condition | None = None

    @property
    def name(self) -> str:
        """The rule in words."""
        if self.condition is None:
            return f"best {self.goal.name}"
        return f"best {self.goal.name} where {self.condition.name}"

    @property
    def goals(self) -> tuple[Goal, ...]:
        """What the rule looks at: its goal, and the rate it keeps."""
        return (self.goal,) if self.condition is None else (self.goal, self.condition.goal)

    def merit(self, values: tuple[Array, ...]) -> Array:
        """How good each threshold is, from the values of ``goals`` there."""
        merit = self.goal.merit(values[0])
        return (
            merit
            if self.condition is None
            else np.where(self.condition.holds(values[1]), merit, -inf)
        )

    @property
    def undefined(self) -> str:
        """Why no threshold may be found."""
        if self.condition is None:
            return self.goal.undefined or "there are no rows"
        return f"no threshold meets {self.condition.name}"


def first_best(merit: Array) -> tuple[Array, Booleans]:
    """The first of the best along the last axis, and whether any is defined.

    Examples
    --------
    >>> cut, is_known = first_best(np.array([[0.1, 0.5, 0.5], [-np.inf, -np.inf, -np.inf]]))
    >>> cut, is_known
    (array([1, 0]), array([ True, False]))
    """
    best = merit.max(axis=-1, keepdims=True)
    return np.argmax(at_least(merit, best, size=1), axis=-1), best[..., 0] > -inf


def goal_of(request: Request | str) -> Goal:
    """The goal of a measure of confusion counts, by name or spec (``f_score[beta=2]``).

    Examples
    --------
    >>> goal_of("youden").value(Confusion.from_matrix([[8, 2], [1, 9]], positive=1))
    0.7
    """
    asked = parse_request(request) if isinstance(request, str) else request
    measure = asked.measure
    if measure.direction == "none":
        raise InputError(
            f"{asked.name} has no direction in which it is better, so no threshold is best for it"
        )
    if measure.needs not in ((Binary,), (Confusion,)) or asked.label is not None:
        raise InputError(
            f"{asked.name} has no value at a single threshold of two classes: "
            "ask for a measure of the confusion matrix (f_score, mcc, youden)"
        )
    if measure.needs == (Confusion,) and asked.average:
        raise InputError(
            f"{measure.name} has one value for two classes: ask for it without an average"
        )
    if any(p.is_required and asked.values[p.name] is None for p in measure.parameters):
        kind, other = ("cost", "profit") if "cost" in asked.name else ("profit", "cost")
        raise InputError(
            f"{asked.name} needs the value of each cell: give {argument(kind)}; beside "
            f"{argument(other)} ask for {argument('best', other)}"
        )
    return Goal(asked, value_of(asked), _bounds_of(asked))


def _companion(request: Request) -> str | None:
    """What is made best where only this rate is to be kept; None where nothing is meant."""
    share = request.measure.share
    return None if share is None else COMPANIONS.get(share.whole)


def _bounds_of(request: Request) -> tuple[float, float]:
    """The range of a measure; what rows earn lies between the least and the most of a cell."""
    if not request.measure.cells or request.measure.is_sum:
        return request.bounds
    cells = cells_of(request.values["matrix"], classes=2)
    return float(cells.min()), float(cells.max())


def rule_for_cells(cells: Any, *, kind: str = "profit") -> Rule:
    """The rule that earns most (or costs least) a row; ``cells`` has the truth as rows.

    Examples
    --------
    >>> rule = rule_for_cells(((0, -1), (-5, 0)))
    >>> rule.name, rule.goal.value(Confusion.from_matrix([[8, 2], [1, 9]], positive=1))
    ('best profit_per_row', -0.35)
    """
    matrix = tuple(map(tuple, valued_cells(cells, kind, classes=2).tolist()))
    return Rule(goal_of(parse_request(f"{kind}_per_row").with_parameter("matrix", matrix)))


def parse_rule(text: str, *, profit: Any = None, cost: Any = None) -> Rule:
    """The rule behind a text.

    ``f_score[beta=2]``, ``youden``: best of a measure. ``profit``, ``cost``: of the matrix
    given. ``recall >= 0.9``: the rate is kept, and specificity made best (for a wanted
    specificity or precision: recall). ``precision where recall >= 0.9``: another goal.

    Examples
    --------
    >>> parse_rule("sensitivity >= 0.9").name
    'best specificity where sensitivity >= 0.9'
    """
    match = CONDITION.fullmatch(text.strip())
    if match is not None:
        kept = parse_request(match["rate"])
        goal = match["goal"] or _companion(kept)
        if goal is None:
            raise InputError(f"{text!r}: name what to optimise: youden where {text.strip()}")
        condition = Condition(goal_of(kept), match["sign"], _bound(match["at"]))
        _refuse_vain(condition, is_alone=match["goal"] is None)
        return Rule(goal_of(goal), condition)
    if other := OTHER_SIGN.fullmatch(text.strip()):
        sign = "<=" if "<" in other["sign"] else ">="
        raise InputError(
            f"{text.strip()!r}: a wanted rate is written with >= or <=: "
            f"{other['rate']} {sign} {other['at']}"
        )
    request = parse_request(text)
    for kind, cells in (("profit", profit), ("cost", cost)):
        if request.measure.cells == kind and cells is not None:
            return rule_for_cells(cells, kind=kind)
    return Rule(goal_of(request))


def _refuse_vain(condition: Condition, *, is_alone: bool) -> None:
    """An error for a condition that nothing keeps, or that asks for a bad rate."""
    low, high = condition.goal.bounds
    if not low <= condition.bound <= high:
        raise InputError(
            f"{condition.name!r}: {condition.goal.name} lies between {low:g} and {high:g}"
        )
    direction = condition.goal.request.measure.direction
    right = {"up": ">=", "down": "<="}.get(direction, condition.sign)
    if is_alone and condition.sign != right:
        better = "larger" if right == ">=" else "smaller"
        raise InputError(
            f"{condition.name!r}: {better} is better, so give the bound it must keep: "
            f"{condition.goal.name} {right} {as_given(condition.bound)}"
        )


def _bound(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"{text!r} is not a number: write a wanted rate as recall >= 0.9"
        ) from None
