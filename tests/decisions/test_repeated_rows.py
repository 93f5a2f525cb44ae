"""Decisions on rows that were judged several times: a row counts once, or has no interval."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import isnan
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.resampled_decisions import drawn_rows
from heldout.assess.scorecard import Scorecard

COST = ((0, 1), (5, 0))
ROWS, REPEATS = 150, 4
TABLES = ("thresholds", "at_prevalence")
#: groups of other rows are drawn otherwise, so limits agree but for what so many draws differ by
MANY = 6000


@cache
def card_of(
    *,
    repeats: int = 1,
    ids: bool = True,
    groups: bool = False,
    weights: bool = False,
    replicates: int = 400,
) -> Scorecard:
    """The same rows as often as said, as repeats in which every prediction is the same."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, ROWS)
    score = 1 / (1 + np.exp(-1.5 * (truth - 0.5) - rng.normal(size=ROWS)))
    number = np.tile(np.arange(ROWS), repeats)
    given: dict[str, Any] = {"folds": np.tile(np.arange(ROWS) % 5, repeats)}
    if repeats > 1:
        given["repeats"] = np.repeat(np.arange(repeats), ROWS)
    if groups:
        given["groups"] = number
    if weights:
        given["sample_weight"] = np.tile(1 + np.arange(ROWS) % 3 / 2, repeats)
    given["replicates"] = replicates
    card = heldout.score(truth[number], y_score=score[number], cost=COST, **given)
    if ids:
        (tallies,) = card.tallies
        named = replace(tallies.predictions, identifier=number)
        card = replace(card, tallies=(type(tallies)(named),))
    return card


def records_of(card: Scorecard, table: str) -> list[dict[str, Any]]:
    asked = {"thresholds": ("youden", "recall >= 0.9"), "at_prevalence": (0.1,)}
    found: list[dict[str, Any]] = getattr(card, table)(*asked.get(table, ()))
    return found


def limits_in(records: list[dict[str, Any]]) -> list[float]:
    ends = ("low", "high", "threshold_low", "threshold_high")
    return [record[end] for record in records for end in ends if end in record]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("weights", [False, True])
def test_rows_judged_again_tell_nothing_new(table: str, weights: bool) -> None:
    # where each row is a group of its own, whole groups are drawn once as well
    once = records_of(card_of(groups=True, weights=weights, replicates=MANY), table)
    often = records_of(card_of(repeats=REPEATS, weights=weights, replicates=MANY), table)
    assert limits_in(often) == pytest.approx(limits_in(once), rel=0.04)
    assert not any(map(isnan, limits_in(often)))


@pytest.mark.parametrize("table", TABLES)
def test_groups_are_drawn_with_all_their_repeats(table: str) -> None:
    once = records_of(card_of(groups=True, replicates=MANY), table)
    often = records_of(card_of(repeats=REPEATS, ids=False, groups=True, replicates=MANY), table)
    assert limits_in(often) == pytest.approx(limits_in(once), rel=0.04)
    assert not any("repeats" in record["method"] for record in often)


@pytest.mark.parametrize("table", TABLES)
def test_without_identifiers_there_are_no_limits_and_the_fix_is_named(table: str) -> None:
    made = records_of(card_of(repeats=REPEATS, ids=False), table)
    assert all(map(isnan, limits_in(made)))
    for record in made:
        assert "no interval: rows occur once per repeat" in record["note"]
        assert "(ids=)" in record["note"]
        assert not record["method"]
    if table == "thresholds":  # halves of such rows share theirs: no honest correction either
        assert all(isnan(r["optimism"]) and isnan(r["corrected"]) for r in made)
    plain = records_of(card_of(), table)
    assert [r["value"] for r in made] == pytest.approx([r["value"] for r in plain])


@pytest.mark.parametrize("table", TABLES)
def test_nothing_is_said_of_intervals_that_were_not_asked_for(table: str) -> None:
    made = records_of(replace(card_of(repeats=REPEATS, ids=False), intervals=None), table)
    assert set(limits_in(made)) == {None}
    assert not any("no interval" in record["note"] for record in made)


@pytest.mark.parametrize("ids", [False, True])
@pytest.mark.parametrize("weights", [False, True])
def test_line_of_these_rows_is_the_mean_over_repeats_that_the_measures_are(
    ids: bool, weights: bool
) -> None:
    rng = np.random.default_rng(5)
    cut = 2 * ROWS + 40  # the last of three repeats is cut short
    number, repeat = np.tile(np.arange(ROWS), 3)[:cut], np.repeat(np.arange(3), ROWS)[:cut]
    truth = (number % 3 == 0) * 1
    score = np.clip(0.5 + 0.25 * (truth - 0.5) * (1 + repeat) + rng.normal(0, 0.2, cut), 0, 1)
    more = {"sample_weight": 1 + number % 4 / 2} if weights else {}
    card = heldout.score(
        truth, y_score=score, cost=COST, folds=number % 5, repeats=repeat, replicates=200, **more
    )
    if ids:
        (tallies,) = card.tallies
        named = replace(tallies.predictions, identifier=number)
        card = replace(card, tallies=(type(tallies)(named),))
    made = card.at_prevalence(0.1)
    for record in made[:4]:
        assert record["value"] == pytest.approx(card[record["measure"]].value), record["measure"]
    for record in made:
        assert record["note"].startswith("mean over 3 repeats")
        assert isnan(record["low"]) != ids
        assert not ids or record["low"] < record["value"] < record["high"]


def test_method_says_what_a_group_is_where_none_was_given() -> None:
    for record in card_of(repeats=REPEATS).at_prevalence(0.1):
        assert f"{ROWS} rows with all their repeats" in record["method"]
        assert "group" not in record["method"]


@pytest.mark.parametrize(
    ("procedure", "reason"),
    [
        ("time 5", "rows in time order depend on each other"),
        ("bootstrap 4", "training parts are bootstrap samples"),
        ("leave-2-out", "test parts of leave-p-out overlap"),
    ],
)
def test_designs_without_intervals_of_measures_have_none_of_decisions(
    procedure: str, reason: str
) -> None:
    (tallies,) = card_of(repeats=REPEATS).tallies
    p = tallies.predictions
    changed = replace(p, design=replace(p.design, procedure=procedure))
    assert drawn_rows(type(tallies)(changed)).lack.startswith(reason)


def test_row_judged_in_several_folds_of_one_run_is_one_row() -> None:
    (tallies,) = card_of(repeats=REPEATS).tallies
    p = tallies.predictions
    design = replace(p.design, procedure="5-fold", repeat=None)
    drawn = drawn_rows(type(tallies)(replace(p, design=design)))
    assert drawn.groups is not None
    assert len(np.unique(drawn.groups)) == ROWS


@pytest.mark.parametrize("ids", [False, True])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("groups", [False, True])
def test_repeated_decision_has_the_interval_of_its_measure(
    ids: bool, weights: bool, groups: bool
) -> None:
    card = card_of(repeats=REPEATS, ids=ids, weights=weights, groups=groups)
    likeliest, least, _ = card.expected_profit()
    measured = card["cost_per_row"]
    assert (likeliest["low"], likeliest["high"]) == pytest.approx((measured.low, measured.high))
    assert likeliest["method"] == measured.method
    assert "corrected t over 20 splits" in measured.method
    (ranked,) = card.ranking("cost_per_row")
    assert (ranked["low"], ranked["high"]) == (measured.low, measured.high)
    once = card_of(weights=weights, groups=groups).expected_profit()
    for one, often in zip(once, (likeliest, least), strict=False):
        assert often["high"] - often["low"] > 0.9 * (one["high"] - one["low"])


def test_repeated_difference_is_the_corrected_t_of_the_splits() -> None:
    from scipy import stats

    card = card_of(repeats=REPEATS, ids=False)
    made = card.expected_profit()[2]
    p = card.predictions[0]
    assert p.scores is not None
    assert p.design.fold is not None
    cost = np.array(COST)
    gained = cost[p.truth, (p.scores >= 1 / 6) * 1] - cost[p.truth, (p.scores >= 0.5) * 1]
    folds = [gained[:ROWS][p.design.fold.codes[:ROWS] == fold].mean() for fold in range(5)]
    means = np.tile(folds, REPEATS)
    reach = stats.t.ppf(0.975, 10) * np.sqrt((1 / 20 + 1 / 4) * np.var(means, ddof=1))
    centre = gained.mean()
    assert (made["low"], made["high"]) == pytest.approx((centre - reach, centre + reach))


def test_repeats_never_narrow_the_difference_below_the_rows_of_one() -> None:
    rng = np.random.default_rng(4)
    truth, score = np.tile([0, 1], 100), np.empty(200)
    # every fold has the same rows but for their order: splits show no spread at all
    score = np.tile(rng.permutation([0.2, 0.3, 0.4, 0.6] * 5), 10)
    card = heldout.score(
        np.tile(truth, 2), y_score=np.tile(score, 2), cost=COST,
        folds=np.tile(np.repeat(np.arange(10), 20), 2), repeats=np.repeat([0, 1], 200),
    )  # fmt: skip
    once = heldout.score(truth, y_score=score, cost=COST).expected_profit()
    often = card.expected_profit()
    assert often[2]["low"] == pytest.approx(once[2]["low"])
    assert often[2]["high"] == pytest.approx(once[2]["high"])
    assert "as in one repeat" in often[2]["method"]
    for one, other in zip(once[:2], often[:2], strict=True):
        assert other["high"] - other["low"] > 0.9 * (one["high"] - one["low"])
        assert other["method"] == "Wald on 200 rows"


def test_ranking_says_why_a_value_has_no_limits() -> None:
    (record,) = card_of(repeats=REPEATS).ranking("average_precision")
    assert record["low"] is None
    assert "no interval" in record["note"]
    (plain,) = card_of().ranking("accuracy")
    assert plain["low"] < plain["accuracy"] < plain["high"]
    assert not plain["note"]


def test_long_table_has_no_level_where_there_are_no_limits() -> None:
    from heldout.report.decisions import decision_rows

    made = card_of(repeats=REPEATS, ids=False).at_prevalence(0.1)
    for row in decision_rows({"prevalence": made}, level=0.95, rows={"": ROWS}):
        assert (row.low, row.high, row.level) == (None, None, None)
