"""Decisions whose numbers have intervals: chosen thresholds, other prevalences, expected profit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.count_cases import CELL_WORK, DrawnCells
from heldout.assess.decide import needs_cells, needs_scores
from heldout.assess.parts import repeat_parts, weights_of_repeats
from heldout.assess.resampling import Resampling
from heldout.assess.rows import Rows
from heldout.assess.split_cases import IN_ONE_REPEAT, NO_SHARE, RowsOnce
from heldout.assess.uncertainty import Uncertainty
from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.memo import once
from heldout.curves.sources import GROUPS, Units, class_index, ranked_rows, units_of
from heldout.decisions.expected_profit import expected_profit
from heldout.decisions.prevalence import prevalence_table
from heldout.decisions.records import as_given
from heldout.decisions.rules import parse_rule
from heldout.decisions.thresholds import best_thresholds
from heldout.engines.memory import Tallies
from heldout.measures.spec import parse_request
from heldout.predictions.split_design import places_of
from heldout.predictions.table import Design
from heldout.tables.column import Column
from heldout.uncertainty.cross_validation import corrected_t_interval, wider_interval
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.means import ONE_GROUP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.assess.scorecard import Scorecard
    from heldout.decisions.records import Record
    from heldout.measures.spec import Request
    from heldout.tally.confusion import Confusion
    from heldout.uncertainty.options import IntervalOptions

LIMITS = ("low", "high", "threshold_low", "threshold_high")


@dataclass(frozen=True, slots=True, eq=False)
class DrawnRows:
    """The rows of a model as they may be resampled.

    Parameters
    ----------
    tallies
        Those of the model. Where a row is judged several times its group (or else its
        identifier) is all that the design says.
    units
        What is drawn whole.
    """

    tallies: Tallies
    units: Units

    @property
    def lack(self) -> str:
        """Why nothing may be drawn; empty where something may."""
        return self.units.reason or (ONE_GROUP if self.units.groups == 1 else "")

    @property
    def groups(self) -> NDArray[Any] | None:
        """The group of each row; None where rows stand alone."""
        return self.tallies.predictions.design.groups

    def said(self, records: Sequence[Record], *, asked: bool) -> list[Record]:
        """The records with the reason why they have no limits, or with what their groups are."""
        explained = [dict(record) for record in records]
        for record in explained if asked else ():
            if self.lack:
                ends = (key for key in record if key in LIMITS)
                record.update(dict.fromkeys(ends, float("nan")))
                lacks = "not corrected, no interval" if "corrected" in record else "no interval"
                said = (record["note"], f"{lacks}: {self.lack}")
                record["note"] = "; ".join(filter(None, said))
            else:
                record["method"] = record["method"].replace(" groups", f" {self.units.words}")
        return explained


def drawn_rows(tallies: Tallies) -> DrawnRows:
    """The rows of a model as they may be resampled, found once.

    Groups are drawn whole. A row that is judged in several repeats or folds is one row: its
    identifier makes it a group, and without identifiers nothing can be drawn.
    """
    return once(tallies, "drawn rows", _drawn_rows)


def _drawn_rows(tallies: Tallies) -> DrawnRows:
    p, design = tallies.predictions, tallies.design
    units = units_of(p)
    drawn = DrawnRows(tallies, units)
    if drawn.lack or (design.repeats == 1 and not design.is_often):
        return drawn
    # measures of all repeats are refused: of a plain table with these groups they are not
    group = None if units.codes is None else Column(units.words, units.codes, ())
    return DrawnRows(Tallies(replace(p, design=Design(group=group))), units)


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedProfit:
    """What decisions earn, and how much more one has than another, over the splits of repeats.

    Both are means over rows, and have the corrected t interval that such measures have, no
    narrower than the rows of one repeat make it.
    """

    tallies: Tallies
    options: IntervalOptions
    request: Request

    def of_decision(self, choice: NDArray[Any], value: float) -> Interval:
        """The interval that the measure has where these are the predicted classes."""
        p, level = self.tallies.predictions, self.options.level
        result = Rows(self.options).one(Tallies(replace(p, predicted=choice)), self.request)
        if (limits := result.interval) is None:
            return absent(result.lack, level=level)
        # rows of a large repeat count as much as others here: by a last digit another centre
        moved = value - result.value
        return Interval(limits.low + moved, limits.high + moved, level, limits.method)

    def of_difference(self, gained: NDArray[Any]) -> Interval:
        """The interval of the mean of what each row gains by another decision."""
        level, design = self.options.level, self.tallies.design
        share = design.test_share
        if share is None:
            return absent(NO_SHARE, level=level)
        p = self.tallies.predictions
        mass = self.tallies.row_weights
        _, split = np.unique(places_of(p), return_inverse=True)
        total = np.bincount(split, mass)
        means = np.bincount(split, gained * mass)[total > 0] / total[total > 0]
        centre = float(np.average(gained, weights=mass))
        given: dict[str, Any] = {"level": level, "centre": centre, "folds": design.folds}
        corrected = corrected_t_interval(means, share, **given)
        rows = RowsOnce(self.tallies, self.options, is_by_rows=True).mean(gained, has_tails=True)
        if rows.is_absent and self.tallies.design.cuts_groups:
            return rows  # groups make all splits err alike, which their spread cannot show
        if rows.is_absent:
            return corrected
        return wider_interval(replace(rows, method=f"{rows.method}{IN_ONE_REPEAT}"), corrected)


#: numbers that differ by no more than rounding, relative to them, are the same
SAME = 1e-12


def chosen_thresholds(card: Scorecard, rules: Sequence[str]) -> list[Record]:
    """The threshold each rule chooses, what it earns, and how optimistic that is."""
    needs_scores(card, "a threshold is chosen")
    asked = [parse_rule(rule, profit=card.profit, cost=card.cost) for rule in rules]
    tables: list[Record] = []
    for tallies in card.tallies:
        p, drawn = tallies.predictions, drawn_rows(tallies)
        draws = _draws(card, drawn, 1000)
        rows = None
        if p.weight is not None or drawn.groups is not None:
            stratified = draws.get("stratified", False) and drawn.groups is None
            ranked = ranked_rows(tallies, class_index(p, None))
            rows = ranked.draws(drawn.groups, stratified=stratified)
        choices = best_thresholds(
            tallies.scores, asked, positive=p.positive or 0, rows=rows, **draws
        )
        records = [record for choice in choices for record in choice.rows()]
        tables += _of_model(card, drawn, records)
    return tables


def at_prevalences(card: Scorecard, shares: Sequence[float]) -> list[Record]:
    """Precision, NPV, accuracy and profit at other shares of positives."""
    for share in shares:
        if not 0 < share < 1:
            raise InputError(f"prevalence {as_given(share)} is not between 0 and 1")
    if card.task != "binary":
        raise InputError("other prevalences are for two classes")
    tables: list[Record] = []
    for tallies in card.tallies:
        if not tallies.has_labels:
            raise InputError(
                f"other prevalences need predicted labels ({argument('predicted')}, or a threshold)"
            )
        drawn = drawn_rows(tallies)
        given: dict[str, Any] = {}
        is_divided = tallies.is_counted and tallies.confusion.counts.dtype.kind == "f"
        if card.intervals is not None and not drawn.lack and not is_divided:
            # the prevalence is given: only the two rates are uncertain
            options = replace(card.intervals, stratified=True)
            cells = DrawnCells(Resampling(drawn.tallies, options))
            given = {"bootstrap": cells.replicates(), "limits": cells.kind}
            given["level"] = options.level
        table = prevalence_table(
            tallies.confusion,
            shares,
            profit=card.profit,
            cost=card.cost,
            repeats=_repeats(tallies),
            **given,
        )
        tables += _of_model(card, drawn, _each_once(table.rows()))
    return tables


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
    weights, parts = weights_of_repeats(tallies), repeat_parts(tallies)
    return [(part.tallies.confusion, weights.get(part.repeat, 1.0)) for part in parts]


def expected_profits(card: Scorecard) -> list[Record]:
    """What deciding by expected profit earns beside deciding for the likeliest class."""
    needs_cells(card, "expected profit is that of a decision")
    tables: list[Record] = []
    for tallies in card.tallies:
        p, drawn = tallies.predictions, drawn_rows(tallies)
        if tallies.design.repeats > 1 and not drawn.units.is_hopeless:
            drawn = DrawnRows(tallies, Units(words=GROUPS))  # splits tell how much such means vary
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
            tables += _of_model(card, drawn, both.rows())
    return tables


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
        profit = RepeatedProfit(tallies, options, request)
        return {"intervals": profit.of_decision, "of_difference": profit.of_difference}
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
    own = drawn.said(records, asked=card.intervals is not None)
    return [{"model": model, **record} for record in own]
