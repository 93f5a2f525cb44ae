"""Decisions whose numbers have intervals: chosen thresholds, other prevalences, expected profit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.count_intervals import CELL_WORK
from heldout.assess.decide import needs_cells, needs_scores
from heldout.assess.drawn_rows import DrawnRows, drawn_rows
from heldout.assess.parts import incomplete_repeats, repeat_parts, weights_of_repeats
from heldout.assess.repeated_profit import RepeatedProfit
from heldout.assess.uncertainty import Uncertainty
from heldout.core.errors import InputError
from heldout.decisions.expected_profit import expected_profit
from heldout.decisions.prevalence import prevalence_table
from heldout.decisions.records import as_given
from heldout.decisions.rules import parse_rule
from heldout.decisions.thresholds import best_thresholds
from heldout.engines.memory import Tallies
from heldout.intervals.score_rows import ScoreRows
from heldout.measures.spec import parse_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.assess.options import IntervalOptions
    from heldout.assess.scorecard import Scorecard
    from heldout.decisions.records import Record
    from heldout.intervals.interval import Interval
    from heldout.tally.confusion import Confusion

__all__ = ["at_prevalences", "chosen_thresholds", "expected_profits"]

#: numbers that differ by no more than rounding, relative to them, are the same
SAME = 1e-12


def chosen_thresholds(card: Scorecard, rules: Sequence[str]) -> list[Record]:
    """The threshold each rule chooses, what it earns, and how optimistic that is."""
    needs_scores(card, "a threshold is chosen")
    asked = [parse_rule(rule, profit=card.profit, cost=card.cost) for rule in rules]
    found: list[Record] = []
    for tallies in card.tallies:
        p, drawn = tallies.predictions, drawn_rows(tallies)
        draws = _draws(card, drawn, 1000)
        rows = None
        if p.weight is not None or drawn.groups is not None:
            rows = ScoreRows(
                p.truth == p.positive,
                np.asarray(p.scores),
                p.weight,
                groups=drawn.groups,
                stratified=draws.get("stratified", False) and drawn.groups is None,
            )
        made = best_thresholds(tallies.scores, asked, positive=p.positive or 0, rows=rows, **draws)
        records = [record for one in made for record in one.rows()]
        found += _of_model(card, drawn, records)
    return found


def at_prevalences(card: Scorecard, shares: Sequence[float]) -> list[Record]:
    """Precision, NPV, accuracy and profit at other shares of positives."""
    for share in shares:
        if not 0 < share < 1:
            raise InputError(f"prevalence {as_given(share)} is not between 0 and 1")
    if card.task != "binary":
        raise InputError("other prevalences are for two classes")
    found: list[Record] = []
    for tallies in card.tallies:
        if not tallies.has_labels:
            raise InputError(
                "other prevalences need predicted labels (--predicted, y_pred; or a threshold)"
            )
        drawn = drawn_rows(tallies)
        given: dict[str, Any] = {"replicates": 0}
        is_divided = tallies.is_counted and tallies.confusion.counts.dtype.kind == "f"
        if card.intervals is not None and not drawn.lack and not is_divided:
            # the prevalence is given: only the two rates are uncertain
            options = replace(card.intervals, stratified=True)
            counts = Uncertainty(drawn.tallies, options).counts
            given = {"bootstrap": counts.cells, "limits": counts.kind, "level": options.level}
        table = prevalence_table(
            tallies.confusion,
            shares,
            profit=card.profit,
            cost=card.cost,
            repeats=_repeats(tallies),
            **given,
        )
        found += _of_model(card, drawn, _each_once(table.rows()))
    return found


def _each_once(records: Sequence[Record]) -> list[Record]:
    """The records without those that repeat one before: at the prevalence of the rows itself."""
    kept: list[Record] = []
    for record in records:
        same = (r for r in kept if r["measure"] == record["measure"])
        if not any(
            np.allclose(
                (record["prevalence"], record["value"]),
                (other["prevalence"], other["value"]),
                rtol=SAME,
                atol=0,
                equal_nan=True,
            )
            for other in same
        ):
            kept.append(record)
    return kept


def _repeats(tallies: Tallies) -> list[tuple[Confusion, float]]:
    """The counts of each repeat and what it weighs; none where the measures are not means."""
    design = tallies.design
    if design.repeats == 1 or design.plan.is_leave_some_out:
        return []
    weights = {}
    if incomplete_repeats(tallies):
        weights = weights_of_repeats(tallies.predictions)
    parts = repeat_parts(tallies)
    return [(part.tallies.confusion, weights.get(part.repeat, 1.0)) for part in parts]


def expected_profits(card: Scorecard) -> list[Record]:
    """What deciding by expected profit earns beside deciding for the likeliest class."""
    needs_cells(card, "expected profit is that of a decision")
    found: list[Record] = []
    for tallies in card.tallies:
        p, drawn = tallies.predictions, drawn_rows(tallies)
        if tallies.design.repeats > 1 and not drawn.is_hopeless:
            drawn = DrawnRows(tallies)  # splits tell how much such means vary
        if p.scores is None or p.score_problem:
            raise InputError(
                f"expected profit needs probabilities: {p.score_problem or 'there are no scores'}"
            )
        draws = _draws(card, drawn, 2000)
        draws.pop("stratified", None)
        for kind, cells in (("profit", card.profit), ("cost", card.cost)):
            if cells is None:
                continue
            both = expected_profit(
                p.truth,
                p.scores,
                cells,
                kind=kind,
                weight=p.weight,
                groups=drawn.groups,
                positive=p.positive if p.scores.ndim == 1 else None,
                **_as_measured(tallies, card.intervals, f"{kind}_per_row", cells),
                **draws,
            )
            found += _of_model(card, drawn, both.rows())
    return found


def _as_measured(
    tallies: Tallies, options: IntervalOptions | None, name: str, cells: Any
) -> dict[str, Any]:
    """What makes the interval of a decision: just as the measure of that name has its own.

    Nothing where classes are too many for their cells to be drawn.
    """
    p = tallies.predictions
    if options is None:
        return {}
    request = parse_request(name).with_parameter("matrix", cells)
    if tallies.design.repeats > 1:
        made = RepeatedProfit(tallies, options, request)
        return {"intervals": made.of_decision, "of_difference": made.of_difference}
    if len(p.classes) ** 2 * options.of_counts > CELL_WORK:
        return {}

    def of_decision(choice: NDArray[Any], value: float) -> Interval:
        # draws that the measures made of the same labels serve again
        is_same = p.predicted is not None and np.array_equal(choice, p.predicted)
        own = tallies if is_same else Tallies(replace(p, predicted=choice))
        return Uncertainty(own, options).of(request, value)

    return {"intervals": of_decision}


def _draws(card: Scorecard, drawn: DrawnRows, default: int) -> dict[str, Any]:
    options = card.intervals
    if options is None or drawn.lack:
        return {"replicates": 0}
    return {
        "replicates": default if options.replicates is None else options.replicates,
        "seed": options.seed,
        "level": options.level,
        "stratified": options.stratified,
    }


def _of_model(card: Scorecard, drawn: DrawnRows, records: Sequence[Record]) -> list[Record]:
    """The records with the model's name, and with why they have no limits where they have none."""
    model = drawn.tallies.predictions.model
    made = drawn.said(records, asked=card.intervals is not None)
    return [{"model": model, **record} for record in made]
