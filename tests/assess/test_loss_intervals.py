"""Intervals of measures made of several means of losses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.engines.memory import moments_of_losses
from heldout.uncertainty.row_bootstrap import MANY_ROWS


def problem(rows: int, seed: int = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(rows) < 0.2).astype(int)
    odds = rng.normal(size=rows) + 1.5 * truth - 2
    return truth, 1 / (1 + np.exp(-odds))


def test_means_vary_together_in_the_interval_of_a_skill() -> None:
    truth, score = problem(MANY_ROWS + 5_000)
    skill: Any = heldout.score(truth, y_score=score, prior={0: 0.7, 1: 0.3})["brier_skill"]
    own, prior = (truth - score) ** 2, (truth - 0.3) ** 2
    assert skill.value == pytest.approx(1 - own.mean() / prior.mean())
    # the delta method for a ratio of two means
    lean = own - (1 - skill.value) * prior
    error = lean.std() / prior.mean() / len(truth) ** 0.5
    apart = np.hypot(own.std(), (1 - skill.value) * prior.std()) / prior.mean() / len(truth) ** 0.5
    found = (skill.high - skill.low) / (2 * 1.96)
    assert found == pytest.approx(error, rel=1e-3)
    assert skill.method == "normal, delta method for means of losses"
    drawn: Any = heldout.score(truth, y_score=score, prior={0: 0.7, 1: 0.3}, replicates=400)
    drawn = drawn["brier_skill"]
    assert "400 draws of rows" in drawn.method
    assert (drawn.high - drawn.low) / (2 * 1.96) == pytest.approx(error, rel=0.2)
    assert apart > 1.3 * error  # what it would be if they did not


def test_many_and_few_rows_have_intervals_of_the_same_kind() -> None:
    widths = []
    for rows in (MANY_ROWS, MANY_ROWS + 1):
        truth, score = problem(rows)
        made: Any = heldout.score(truth, y_score=score, prior={0: 0.7, 1: 0.3})["log_skill"]
        widths.append(made.high - made.low)
    assert widths[0] == pytest.approx(widths[1], rel=0.3)


def test_values_and_joint_moments_cost_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []

    def counted(*given: Any, **named: Any) -> Any:
        passes.append(len(given[1]))
        return moments_of_losses(*given, **named)

    monkeypatch.setattr("heldout.engines.memory.moments_of_losses", counted)
    truth, score = problem(MANY_ROWS + 1)
    heldout.score(truth, y_score=score).results(["log_loss", "log_skill", "brier_skill"])
    assert passes == [4]


def test_groups_that_balance_each_other_do_not_narrow_the_interval_of_a_loss() -> None:
    rng = np.random.default_rng(5)
    truth, pairs = np.tile([0, 1], 50), np.repeat(np.arange(50), 2)
    score = np.where(truth == 1, 0.9, 0.6) + 0.01 * rng.random(100)
    errors = {"task": "regression"}
    for names, given in (
        (("brier", "log_loss"), {"y_score": score}),
        (("mae", "rmse"), {"y_pred": truth + 1 - score, **errors}),
    ):
        alone: Any = heldout.score(truth, **given)
        paired: Any = heldout.score(truth, **given, groups=pairs)
        for name in names:
            assert paired[name].high - paired[name].low > alone[name].high - alone[name].low
            assert "vary less than single rows" in paired[name].note


def test_groups_that_differ_keep_their_own_spread() -> None:
    rng = np.random.default_rng(6)
    groups = np.repeat(np.arange(20), 10)
    truth = rng.normal(size=200)
    errors = rng.normal(size=20)[groups] + 0.1 * rng.normal(size=200)
    alone: Any = heldout.score(truth, truth + errors, task="regression")["mae"]
    grouped: Any = heldout.score(truth, truth + errors, task="regression", groups=groups)["mae"]
    assert grouped.high - grouped.low > 2 * (alone.high - alone.low)
    assert "differ less" not in grouped.note


def test_brier_score_of_two_classes_ends_at_one() -> None:
    two: Any = heldout.score([1, 0, 1, 0], y_score=[1.0, 1.0, 0.0, 0.0], pos_label=1)["brier"]
    assert (two.value, two.low, two.high) == (0.5, 0.0, 1.0)
    assert "upper limit truncated at 1" in two.note
