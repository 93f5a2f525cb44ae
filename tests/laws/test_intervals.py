"""What must hold for the interval of every measure."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.results import Result
from heldout.measures.spec import parse_request
from tests.laws.problems import TASKS, Problem

Key = tuple[str, str]


def sample(task: str, n: int = 80, seed: int = 4) -> Problem:
    """Rows on which nearly every measure is defined."""
    rng = np.random.default_rng(seed)
    if task == "regression":
        values = rng.gamma(3, 2, n) + 0.5
        return {
            "y_true": values,
            "y_pred": np.abs(values + rng.normal(size=n)) + 0.1,
            "naive": np.abs(values + 2 * rng.normal(size=n)),
            "task": task,
        }
    if task == "binary":
        truth = rng.integers(0, 2, n)
        score = 1 / (1 + np.exp(-(rng.normal(size=n) + 1.5 * truth - 0.7)))
        return {"y_true": truth, "y_score": score, "pos_label": 1}
    truth = rng.integers(0, 3, n)
    raw = rng.gamma(1, 1, (n, 3)) + 2 * np.eye(3)[truth]
    return {"y_true": truth, "y_score": raw / raw.sum(axis=1, keepdims=True), "labels": [0, 1, 2]}


def results(problem: Problem, **more: Any) -> dict[Key, Result]:
    card = heldout.score(**problem, replicates=60, **more)
    return {(r.measure, r.class_): r for r in card.results(everything=True)}


@pytest.fixture(scope="module", params=TASKS)
def task(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def found(task: str) -> dict[Key, Result]:
    return results(sample(task))


def test_interval_holds_the_value_within_the_bounds_or_says_why(found: dict[Key, Result]) -> None:
    for key, result in found.items():
        if isnan(result.value):
            assert result.low is None, key
            continue
        if result.low is None:
            assert "no interval: " in result.note, key
            continue
        assert result.high is not None
        low, high = parse_request(key[0].partition("[")[0]).measure.bounds
        assert low - 1e-9 <= result.low <= result.high <= high + 1e-9, key
        inside = result.low - 1e-9 <= result.value <= result.high + 1e-9
        assert inside or "outside" in result.note, (key, result)
        assert result.method, key
        assert result.level == 0.95, key


def test_most_measures_have_an_interval(found: dict[Key, Result]) -> None:
    defined = [r for r in found.values() if not isnan(r.value)]
    spared = ("a count", "if asked for by name", "a result of a test", "so few rows", "to cover")
    counted = [r for r in defined if not any(words in r.note for words in spared)]
    assert sum(r.low is not None for r in counted) >= 0.85 * len(counted)


def test_lower_level_is_no_wider(task: str, found: dict[Key, Result]) -> None:
    for key, narrow in results(sample(task), level=0.7).items():
        wide = found[key]
        if narrow.low is None or wide.low is None or narrow.high is None or wide.high is None:
            continue
        assert narrow.high - narrow.low <= wide.high - wide.low + 1e-9, key


def test_same_seed_gives_the_same_limits_whatever_else_is_asked(task: str) -> None:
    names = {
        "binary": ("mcc", "average_precision", "brier_skill"),
        "multiclass": ("mcc", "hand_till", "top_label_calibration_error"),
        "regression": ("r2", "median_absolute_error"),
    }[task]
    everything = results(sample(task))
    for name in names:
        alone = heldout.score(**sample(task), replicates=60)[name]
        assert (alone.low, alone.high) == (everything[name, ""].low, everything[name, ""].high), (
            name
        )


def test_error_rate_mirrors_accuracy() -> None:
    card = heldout.score(**sample("binary"))
    right, wrong = card["accuracy"], card["error_rate"]
    assert right.low is not None
    assert wrong.high is not None
    assert wrong.high == pytest.approx(1 - right.low)


@pytest.mark.parametrize(
    "name", ["accuracy", "f_score", "mcc", "kappa", "auc", "average_precision"]
)
def test_faultless_predictions_do_not_collapse_to_a_point(name: str) -> None:
    truth = np.arange(20) % 2
    result = heldout.score(truth, y_score=truth * 0.5 + 0.25 + np.arange(20) / 1000)[name]
    assert result.value == 1
    assert result.low is not None
    assert 0.5 < result.low < 0.99
    assert result.high == 1


def test_repeats_have_no_interval_that_takes_them_for_rows() -> None:
    problem = sample("binary")
    twice = {k: np.concatenate([v, v]) for k, v in problem.items() if isinstance(v, np.ndarray)}
    card = heldout.score(**twice, pos_label=1, repeats=np.repeat([1, 2], 80))
    assert card["auc"].low is None
    assert "several repeats" in card["auc"].note


def test_groups_widen_the_interval_of_rows_that_repeat_each_other() -> None:
    rng = np.random.default_rng(1)
    truth, group = np.repeat(rng.integers(0, 2, 30), 10), np.repeat(np.arange(30), 10)
    predicted = np.where(np.repeat(rng.random(30) < 0.75, 10), truth, 1 - truth)
    rows = heldout.score(truth, predicted, pos_label=1)["accuracy"]
    groups = heldout.score(truth, predicted, pos_label=1, groups=group)["accuracy"]
    assert rows.low is not None
    assert groups.low is not None
    assert groups.high - groups.low > 2 * (rows.high - rows.low)  # type: ignore[operator]  # all known
