"""Expected profit of rows with weights or in groups: limits are those of the measure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.decisions.expected_profit import expected_profit, interval_of_gains

COST = ((0, 1), (5, 0))
GROUPS, SIZE = 40, 8


def rows_of(seed: int = 5, classes: int = 2) -> tuple[Any, Any, Any]:
    """Rows whose groups have one class each, and much the same probabilities."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, GROUPS)
    lean = 1.2 * np.eye(classes)[truth] + rng.normal(size=(GROUPS, classes))
    group = np.repeat(np.arange(GROUPS), SIZE)
    lean = lean[group] + 0.05 * rng.normal(size=(len(group), classes))
    probability = np.exp(lean) / np.exp(lean).sum(axis=1, keepdims=True)
    return truth[group], probability[:, 1] if classes == 2 else probability, group


def limits(found: Any) -> tuple[Any, ...]:
    return found["low"], found["high"], found["method"]


@pytest.mark.parametrize("method", ["", "percentile", "bca", "basic"])
@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("more", ["nothing", "groups", "weights", "both"])
def test_likeliest_class_has_the_interval_of_its_measure(
    more: str, stratified: bool, method: str
) -> None:
    truth, score, group = rows_of()
    given: dict[str, Any] = {}
    if more in ("groups", "both"):
        given["groups"] = group
    if more in ("weights", "both"):
        given["sample_weight"] = np.random.default_rng(1).gamma(1.0, 1.0, len(truth)) + 0.01
    card = heldout.score(
        truth, y_score=score, cost=COST, replicates=200, interval=method,
        stratified=stratified, **given,
    )  # fmt: skip
    likeliest, least, difference = card.expected_profit()
    measured = card["cost_per_row"]
    assert likeliest["cost_per_row"] == pytest.approx(measured.value)
    assert limits(likeliest) == (measured.low, measured.high, measured.method)
    # the other decision is a threshold of its own: from 1/6 on a row is called positive
    other = heldout.score(
        truth, y_score=score, cost=COST, replicates=200, interval=method,
        stratified=stratified, threshold=1 / 6, **given,
    )["cost_per_row"]  # fmt: skip
    assert limits(least) == (other.low, other.high, other.method)
    if more in ("groups", "both"):
        assert f"effective rows of {GROUPS} groups, 200 draws of cells" in difference["method"]
    else:
        assert difference["method"] == "Student's t"


def test_several_classes_in_groups_have_the_interval_of_their_measure() -> None:
    truth, score, group = rows_of(classes=3)
    cost = ((0, 1, 2), (3, 0, 1), (9, 2, 0))
    card = heldout.score(truth, y_score=score, cost=cost, groups=group, replicates=200)
    measured = card["cost_per_row"]
    assert limits(card.expected_profit()[0]) == (measured.low, measured.high, measured.method)


def test_groups_widen_all_limits_of_rows_that_are_alike() -> None:
    truth, score, group = rows_of()
    alone = heldout.score(truth, y_score=score, cost=COST).expected_profit()
    together = heldout.score(truth, y_score=score, cost=COST, groups=group).expected_profit()
    for one, other in zip(alone, together, strict=True):
        assert other["high"] - other["low"] > 2 * (one["high"] - one["low"])


def test_difference_of_many_like_groups_is_about_that_of_their_means() -> None:
    from scipy import stats

    truth, score, group = rows_of()
    found = expected_profit(truth, score, COST, kind="cost", positive=1, groups=group)
    cost = np.array(COST)
    gained = cost[truth, (score >= 1 / 6).astype(int)] - cost[truth, (score >= 0.5).astype(int)]
    means = gained.reshape(GROUPS, SIZE).mean(axis=1)
    low, high = stats.t.interval(0.95, GROUPS - 1, means.mean(), stats.sem(means))
    assert found.interval is not None
    # kinds of rows are drawn, with a pseudo-row: of effects that are seen often much the same
    assert found.interval.width == pytest.approx(high - low, rel=0.05)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=0.1)


def test_difference_knows_of_dear_errors_that_no_group_shows() -> None:
    # where both differ there was no error so far: a miss would cost 50
    truth, group = np.zeros(100, int), np.repeat(np.arange(20), 5)
    truth[:30] = 1
    probability = np.where(truth == 1, 0.9, 0.01)
    probability[90:] = 0.1
    found = expected_profit(
        truth, probability, ((0, 1), (50, 0)), kind="cost", positive=1, groups=group
    )
    assert found.difference == pytest.approx(0.1)
    assert found.interval is not None
    assert found.interval.low < 0 < found.interval.high


def test_swapped_decisions_gain_what_the_others_lose() -> None:
    truth, score, group = rows_of()
    one, other = (score >= 0.5).astype(int), (score >= 1 / 6).astype(int)
    first, second = (
        interval_of_gains(truth, *pair, np.array(COST, float), group, replicates=8000)
        for pair in ((one, other), (other, one))
    )
    assert (first.low, first.high) == pytest.approx((-second.high, -second.low), abs=0.05)


def test_prevalence_and_groups_without_weights_draw_whole_groups() -> None:
    truth, score, group = rows_of()
    made = heldout.score(truth, y_score=score, groups=group).at_prevalence(0.1)
    alone = heldout.score(truth, y_score=score).at_prevalence(0.1)
    for one, other in zip(alone, made, strict=True):
        assert f"{GROUPS} groups" in other["method"]
        assert other["high"] - other["low"] > 1.5 * (one["high"] - one["low"])


def test_few_groups_stretch_what_a_threshold_earns_and_say_so() -> None:
    truth, score, group = rows_of()
    (few,) = heldout.score(truth, y_score=score, groups=group % 8).thresholds("youden")
    assert few["method"].endswith("1000 draws of 8 groups, seed 1, stretched for 8 groups")
    assert "only 8 groups: the variation between groups is poorly estimated" in few["note"]
    assert few["low"] >= -1
    assert few["high"] <= 1
    (alone,) = heldout.score(truth, y_score=score).thresholds("youden")
    assert "stretched" not in alone["method"]


def test_weights_and_classes_that_keep_their_numbers_go_together() -> None:
    truth, score, _ = rows_of()
    weight = 1 + np.arange(len(truth)) % 3
    card = heldout.score(truth, y_score=score, sample_weight=weight, stratified=True, replicates=50)
    (made,) = card.thresholds("youden")
    assert f"50 draws of {len(truth)} rows within true classes" in made["method"]
    free = heldout.score(truth, y_score=score, sample_weight=weight, replicates=50)
    assert free.thresholds("youden")[0]["low"] != made["low"]


def test_one_group_says_nothing_of_the_spread() -> None:
    truth, score, group = rows_of()
    card = heldout.score(truth, y_score=score, groups=np.zeros_like(group), cost=COST)
    for record in (*card.expected_profit(), *card.at_prevalence(0.1), *card.thresholds("youden")):
        assert np.isnan(record["low"])
        assert (
            "no interval: all rows are of one group, which cannot show how groups differ"
            in record["note"]
        )


def test_interval_of_grouped_cost_covers() -> None:
    covered = []
    cost = ((0, 1), (2, 0))
    # what a row costs in truth, from many groups
    rng = np.random.default_rng(0)
    everything = [rows_of(int(seed)) for seed in rng.integers(10**6, 10**9, 300)]
    values = np.array(cost)
    true = np.mean([values[t, (s >= 1 / 3).astype(int)].mean() for t, s, _ in everything])
    for seed in range(150):
        truth, score, group = rows_of(seed)
        card = heldout.score(truth, y_score=score, cost=cost, groups=group, replicates=200)
        least = card.expected_profit()[1]
        covered.append(least["low"] <= true <= least["high"])
    assert 0.88 <= np.mean(covered) <= 0.99
