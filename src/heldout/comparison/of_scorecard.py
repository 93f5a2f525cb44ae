"""The models of a scorecard compared where nobody asked for it, as far as that is quick."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heldout.comparison.compare import compare_predictions
from heldout.comparison.options import CompareOptions
from heldout.core.errors import InputError
from heldout.core.memo import once
from heldout.measures.spec import parse_request
from heldout.measures.usual import USUAL

if TYPE_CHECKING:
    from collections.abc import Collection

    from heldout.assess.scorecard import Scorecard
    from heldout.comparison.comparison import Comparison

#: rows of all pairs of models that are compared unasked, and as how many a small pair counts
MOST_WORK, FEWEST_ROWS = 10_000_000, 2_000
#: measures by each of which the models of a table get letters
MOST_LETTERED = 15


@dataclass(frozen=True, slots=True)
class Standings:
    """Which models cannot be told apart: by measure the letters of each, and those that lead."""

    letters: dict[str, dict[str, str]]
    leading: dict[str, Collection[str]]
    alpha: float


def compare_scorecard(card: Scorecard, measure: str = "") -> Comparison | InputError:
    """The models compared by one measure, or the reason why they cannot be."""
    deciding = measure or USUAL[card.task].deciding

    def compared(own: Scorecard) -> Comparison | InputError:
        level = 0.95 if own.intervals is None else own.intervals.level
        try:
            return compare_predictions(own.predictions, [deciding], CompareOptions(level=level))
        except InputError as error:
            return error

    return once(card, (compare_scorecard.__name__, deciding), compared)


def is_quick(card: Scorecard, measures: int = 1) -> bool:
    """Whether few enough rows are read to compare every pair of models by so many measures."""
    pairs = len(card.models) * (len(card.models) - 1) // 2
    return measures * pairs * max(card.rows, FEWEST_ROWS) <= MOST_WORK


def standings(card: Scorecard, measures: Collection[str], deciding: str = "") -> Standings | None:
    """Who stands where by each measure; None where models cannot be compared, or not quickly.

    Where measures are many, or rows, the ``deciding`` one alone is looked at.
    """
    if len(card.models) < 2 or not is_quick(card):
        return None
    ranked = {m for m in measures if parse_request(m).measure.direction in ("up", "down")}
    if len(ranked) > MOST_LETTERED or not is_quick(card, len(ranked)):
        ranked &= {deciding or USUAL[card.task].deciding}
    compared = {measure: compare_scorecard(card, measure) for measure in sorted(ranked)}
    known = {m: c for m, c in compared.items() if not isinstance(c, InputError)}
    if not known:
        return None
    return Standings(
        {measure: c.standing(c.measures[0]) for measure, c in known.items()},
        {measure: c.leading(c.measures[0]) for measure, c in known.items()},
        next(iter(known.values())).options.alpha,
    )
