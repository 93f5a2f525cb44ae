"""Rankings without a fault of grouped or weighted rows: limits that are no point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.random import generator
from heldout.uncertainty.rankings import ScoreRows

TRUTH = [1] * 10 + [0] * 10
SCORE = np.linspace(0.99, 0.01, 20)
GROUPS = list(range(10)) * 2
RANKINGS = ("auc", "gini", "average_precision", "kolmogorov_smirnov", "h_measure")


@pytest.mark.parametrize("measure", RANKINGS)
def test_flawless_ranking_of_groups_has_limits(measure: str) -> None:
    made = heldout.score(TRUTH, y_score=SCORE, groups=GROUPS)[measure]
    assert (made.value, made.high) == (1, 1)
    assert made.low is not None
    assert 0.1 < made.low < 0.9


@pytest.mark.parametrize("measure", ["average_precision", "kolmogorov_smirnov"])
def test_flawless_ranking_of_weighted_rows_has_limits(measure: str) -> None:
    weight = np.linspace(0.5, 1.5, 20)
    made = heldout.score(TRUTH, y_score=SCORE, sample_weight=weight)[measure]
    assert (made.value, made.high) == (1, 1)
    assert made.low is not None
    assert 0.3 < made.low < 0.95
    assert made.method.startswith("Bayesian bootstrap with a pseudo-row, 400 draws of rows")


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca"])
def test_kinds_that_would_give_a_point_are_replaced_and_say_so(kind: str) -> None:
    made = heldout.score(TRUTH, y_score=SCORE, groups=GROUPS, interval=kind)["auc"]
    assert made.method.startswith("Bayesian bootstrap with a pseudo-row, 400 draws of groups")
    assert "most draws agree" in made.note


def test_more_groups_narrow_the_limits_and_more_rows_of_a_group_do_not() -> None:
    def low(groups: int, rows: int) -> float:
        truth = [1] * (groups * rows) + [0] * (groups * rows)
        score = np.linspace(0.99, 0.01, len(truth))
        which = np.repeat(np.arange(groups), rows).tolist() * 2
        made = heldout.score(truth, y_score=score, groups=which)["average_precision"].low
        assert made is not None
        return made

    assert low(40, 1) > low(10, 1) + 0.1
    assert low(10, 8) == pytest.approx(low(10, 1), abs=0.1)


def test_weights_of_a_group_are_one_number_and_1_on_average() -> None:
    positive, score = np.array(TRUTH, bool), SCORE
    rows = ScoreRows(positive, score, groups=np.array(GROUPS))
    drawn = np.array([rows.sampler.weights(generator(seed)) for seed in range(500)])
    assert drawn.mean() == pytest.approx(1, abs=0.05)
    np.testing.assert_array_equal(drawn[:, :10], drawn[:, 10:])
    extra = [rows.weigh(generator(seed)) for seed in range(500)]
    # the pseudo-group has as many rows as a group has on average: half of each class
    totals: Any = np.mean([[t.total_positives, t.total_negatives] for t in extra], axis=0)
    assert totals == pytest.approx([11, 11], abs=0.5)


def test_stratified_weights_keep_the_total_of_each_class() -> None:
    weight = np.linspace(0.5, 1.5, 20)
    rows = ScoreRows(np.array(TRUTH, bool), SCORE, weight, stratified=True)
    drawn = rows.weigh(generator(1))
    assert drawn.total_positives == pytest.approx(weight[:10].sum())
    assert drawn.total_negatives == pytest.approx(weight[10:].sum())


def test_limits_cover_areas_near_one() -> None:
    """Scores of groups with an effect of their own; the true area is 0.99."""
    rng, hits = np.random.default_rng(5), 0
    which = np.repeat(np.arange(10), 4)
    truth = np.arange(40) % 2
    for _ in range(40):
        score = truth * 2.3263 * np.sqrt(2.5) + rng.normal(0, 0.5, 10)[which] + rng.normal(size=40)
        made = heldout.score(truth, y_score=score, pos_label=1, groups=which, threshold=3.0)["auc"]
        assert made.low is not None
        assert made.high is not None
        hits += made.low <= 0.99 <= made.high
    assert hits >= 35


@pytest.mark.parametrize("measure", ["hand_till", "auc_macro", "auc_weighted"])
@pytest.mark.parametrize("design", ["plain", "groups", "weights"])
def test_flawless_rankings_of_several_classes_have_limits(measure: str, design: str) -> None:
    truth = np.arange(24) % 3
    score = 0.2 + 0.4 * np.eye(3)[truth]
    designs: dict[str, dict[str, Any]] = {
        "plain": {},
        "groups": {"groups": np.arange(24) // 2},
        "weights": {"sample_weight": np.linspace(0.5, 1.5, 24)},
    }
    made = heldout.score(truth, y_score=score, replicates=100, **designs[design])[measure]
    assert made.value == pytest.approx(1)
    assert made.low is not None
    assert made.high == pytest.approx(1)
    assert 0.4 < made.low < 0.99
    assert "most draws agree" in made.note
