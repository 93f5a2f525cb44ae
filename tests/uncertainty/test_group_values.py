"""What rows in groups earn or cost: cells of as many rows as the groups are worth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.measures.profit import cost_per_row
from heldout.tally.confusion import Confusion
from heldout.uncertainty.cell_values import group_value_interval
from heldout.uncertainty.cells import Cells, ConfusionBootstrap, GroupCells
from heldout.uncertainty.sample import Sample

COST = np.array([[0.0, 1.0], [20.0, 0.0]])


def rows_of(rng: Any, groups: int, size: int = 10) -> tuple[Any, Any, Any]:
    """Truth, decision and group; misses are rare, and some groups have several."""
    group = np.repeat(np.arange(groups), size)
    truth = (rng.random(len(group)) < 0.3).astype(np.int64)
    missed = rng.random(len(group)) < rng.beta(0.1, 3, groups)[group]
    alarm = rng.random(len(group)) < 0.2
    return truth, np.where(truth == 1, ~missed, alarm).astype(np.int64), group


TRUE = 0.3 * 20 * 0.1 / 3.1 + 0.7 * 0.2


def made_of(truth: Any, choice: Any, group: Any, cost: Any = COST, **given: Any) -> Any:
    whole = Confusion.of(truth, choice, classes=len(cost), positive=1)
    sums = Sample.of_cells(group, truth, choice, whole)
    return whole, sums, group_value_interval(whole, sums, cost, **given)


def test_rare_expensive_errors_of_few_groups_are_covered_which_draws_of_groups_do_not() -> None:
    rng, hits, drawn = np.random.default_rng(1), 0, 0
    for turn in range(250):
        whole, sums, made = made_of(*rows_of(rng, 12), replicates=400, seed=turn)
        hits += made.contains(TRUE)
        bootstrap = ConfusionBootstrap(GroupCells(whole, sums), replicates=400, seed=turn)
        drawn += bootstrap.interval(
            lambda c: cost_per_row(c, matrix=COST), kind="percentile"
        ).contains(TRUE)
    assert drawn < 220
    assert hits > 230


def test_groups_of_one_row_are_rows() -> None:
    truth, choice, _ = rows_of(np.random.default_rng(2), 60)
    whole, _, made = made_of(truth, choice, np.arange(len(truth)), replicates=20_000)
    rows = ConfusionBootstrap(Cells.of_counts(whole), replicates=20_000).interval(
        lambda c: cost_per_row(c, matrix=COST)
    )
    assert (made.low, made.high) == pytest.approx((rows.low, rows.high), rel=0.03)
    assert made.note == ""


def test_rows_that_are_copies_are_worth_one() -> None:
    truth, choice, _ = rows_of(np.random.default_rng(3), 30)
    cost = np.array([[0.0, 1.0], [2.0, 0.0]])
    given: dict[str, Any] = {"cost": cost, "replicates": 20_000}
    _, _, alone = made_of(truth, choice, np.arange(len(truth)), **given)
    again = (np.repeat(part, 7) for part in (truth, choice, np.arange(len(truth))))
    _, _, made = made_of(*again, **given)
    # of many errors the spread between groups is known as well as that of rows
    assert made.width == pytest.approx(alone.width, rel=0.1)
    worth = float(made.method.split(" on ")[1].split(" ")[0].replace(",", ""))
    assert 200 < worth < 300


def test_limits_follow_the_values_of_cells() -> None:
    truth, choice, group = rows_of(np.random.default_rng(4), 20)
    _, _, one = made_of(truth, choice, group)
    _, _, other = made_of(truth, choice, group, cost=7 - 3 * COST)
    assert (other.low, other.high) == pytest.approx((7 - 3 * one.high, 7 - 3 * one.low))
    narrow = made_of(truth, choice, group, level=0.8)[2]
    assert one.low < narrow.low < narrow.high < one.high


def test_nothing_went_wrong_counts_each_group_as_a_row() -> None:
    truth = np.tile([0, 1], 60)
    _, _, made = made_of(truth, truth, np.arange(120) // 6)
    assert made.low == 0
    assert 0.2 < made.high < 3
    worth = made.method.split(" on ")[1]
    assert worth.startswith("17.5 effective rows of 20 groups")
    assert made_of(truth, truth, np.arange(120) // 20)[2].high > made.high


def test_few_groups_are_remarked_and_one_is_refused() -> None:
    truth, choice, group = rows_of(np.random.default_rng(5), 4)
    assert "only 4 groups" in made_of(truth, choice, group)[2].note
    one = made_of(truth, choice, np.zeros_like(group))[2]
    assert one.note == "all rows are of one group, which cannot show how groups differ"
    # every group has one row of each kind: groups differ less than rows would
    pairs = made_of(np.tile([0, 0], 30), np.tile([0, 1], 30), np.arange(60) // 2)[2]
    assert pairs.note == ""
    nearly = np.append(np.tile([0, 1], 29), [0, 0])
    assert "vary less" in made_of(np.zeros(60, int), nearly, np.arange(60) // 2)[2].note


def test_scorecard_has_it_for_profit_and_cost_and_their_totals() -> None:
    truth, choice, group = rows_of(np.random.default_rng(6), 20)
    given: dict[str, Any] = {"y_pred": choice, "groups": group, "cost": COST, "pos_label": 1}
    card = heldout.score(truth, **given, profit=-COST)
    each, total, earned = (card[name] for name in ("cost_per_row", "cost", "profit_per_row"))
    _, _, made = made_of(truth, choice, group)
    assert (each.low, each.high, each.method) == (made.low, made.high, made.method)
    assert (total.low, total.high) == pytest.approx((200 * made.low, 200 * made.high))
    assert (earned.low, earned.high) == pytest.approx((-made.high, -made.low))
    drawn = heldout.score(truth, **given, interval="percentile")["cost_per_row"]
    assert "draws of 20 groups" in drawn.method
    # a method for shares leaves the others as they are
    shares = heldout.score(truth, **given, interval="jeffreys")
    assert shares["cost_per_row"].low == each.low
    assert shares["kappa"].low == card["kappa"].low


def test_weights_of_any_scale_count_as_kishs_number_of_rows() -> None:
    truth, choice, group = rows_of(np.random.default_rng(7), 20)
    given: dict[str, Any] = {"y_pred": choice, "groups": group, "cost": COST, "pos_label": 1}
    weight = np.random.default_rng(1).gamma(1.0, size=len(truth))
    one, other = (
        heldout.score(truth, sample_weight=scale * weight, **given)["cost_per_row"]
        for scale in (1.0, 1e4)
    )
    assert (one.low, one.high) == pytest.approx((other.low, other.high))
    plain = heldout.score(truth, **given)["cost_per_row"]
    widths = [np.ptp(np.array([made.low, made.high], float)) for made in (plain, one)]
    assert widths[0] < widths[1]
    assert "effective rows of 20 groups" in one.method


def test_spread_that_one_group_makes_up_is_hardly_known() -> None:
    group, truth = np.repeat(np.arange(40), 10), np.tile([0, 0, 0, 0, 0, 0, 0, 1, 1, 1], 40)
    choice = np.where(group == 7, 0, truth)
    choice[::37] = 1 - choice[::37]
    whole, sums, made = made_of(truth, choice, group)
    value = COST[truth, choice]
    means = value.reshape(40, 10).mean(axis=1)
    by_student = value.var() / means.var(ddof=1) * 40 * (1.96 / 2.0227) ** 2
    worth = float(made.method.split(" on ")[1].split(" ")[0])
    assert worth < 0.9 * by_student
    assert sums.units == 40
    assert made.contains(float(cost_per_row(whole, matrix=COST)))
