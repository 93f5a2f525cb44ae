"""The calibration slope and calibration in the large of models that are wrong: robust errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm

import heldout

NAMES = ("calibration_intercept", "calibration_slope")
LARGE = "calibration_in_the_large"


def rows(n: int, seed: int, times: float = 4.0) -> tuple[Any, Any]:
    """Truth, and scores whose logits are so many times too large."""
    rng = np.random.default_rng(seed)
    z = 1.5 * rng.standard_normal(n)
    return (rng.random(n) < 1 / (1 + np.exp(-z))).astype(int), 1 / (1 + np.exp(-times * z))


def widths(truth: Any, score: Any, names: Any = NAMES, **given: Any) -> list[float]:
    card = heldout.score(truth, y_score=score, pos_label=1, **given)
    found = [card[name] for name in names]
    return [result.high - result.low for result in found]  # type: ignore[operator]


def fitted(truth: Any, score: Any, **given: Any) -> Any:
    x = sm.add_constant(np.log(score / (1 - score)))
    return sm.Logit(truth, x).fit(disp=0, **given)


def sandwich(truth: Any, score: Any, **given: Any) -> list[float]:
    """The widths of statsmodels: robust ones, no smaller than those of maximum likelihood."""
    errors = [fitted(truth, score, **how).bse for how in (given, {})]
    return list(2 * 1.96 * np.maximum(*errors))


def test_the_interval_in_the_large_covers_where_the_slope_is_not_one() -> None:
    hits = 0
    for seed in range(60):  # the truth is 0, as everything is symmetric
        truth, score = rows(200, seed)
        made = heldout.score(truth, y_score=score, pos_label=1)[LARGE]
        assert made.low is not None
        assert made.high is not None
        hits += made.low <= 0 <= made.high
    assert hits >= 53  # by maximum likelihood 43


def test_errors_are_the_sandwich_of_statsmodels() -> None:
    truth, score = rows(4_000, 1)
    expected = sandwich(truth, score, cov_type="HC0")
    assert widths(truth, score) == pytest.approx(expected, rel=2e-3)


def test_groups_have_the_sandwich_of_their_sums() -> None:
    truth, score = rows(4_000, 2)
    group = np.arange(4_000) // 4  # of 1,000 groups, whose rows are told twice
    truth, score, group = (np.repeat(part, 2) for part in (truth, score, group))
    given = {"cov_type": "cluster", "cov_kwds": {"groups": group, "use_correction": False}}
    expected = 2 * 1.962 * fitted(truth, score, **given).bse
    assert widths(truth, score, groups=group) == pytest.approx(list(expected), rel=4e-3)
    card = heldout.score(truth, y_score=score, pos_label=1, groups=group)
    assert card[LARGE].method == "Wald, sandwich error of 1,000 groups"


def test_weights_count_by_their_squares() -> None:
    truth, score = rows(3_000, 3)
    weight = np.random.default_rng(4).lognormal(0, 0.8, 3_000)
    x = sm.add_constant(np.log(score / (1 - score)))
    made = sm.GLM(truth, x, family=sm.families.Binomial(), freq_weights=weight).fit()
    # freq_weights count rows, so that the meat is made here
    bread = np.linalg.inv((x * (weight * made.mu * (1 - made.mu))[:, None]).T @ x)
    spread = np.sqrt(made.mu * (1 - made.mu))
    meats = (x * (weight * off)[:, None] for off in (truth - made.mu, spread))
    each = [np.sqrt(np.diag(bread @ meat.T @ meat @ bread)) for meat in meats]
    expected = list(2 * 1.96 * np.maximum(*each))
    assert widths(truth, score, sample_weight=weight) == pytest.approx(expected, rel=1e-2)


@pytest.mark.parametrize("names", [(LARGE,), NAMES], ids=str)
def test_weights_of_one_size_change_nothing(names: Any) -> None:
    truth, score = rows(200, 5)
    alone = widths(truth, score, names)
    assert widths(truth, score, names, sample_weight=np.full(200, 3.0)) == pytest.approx(alone)


def test_rows_of_many_scores_are_joined_for_the_error_only() -> None:
    truth, score = rows(20_000, 6, times=1.5)
    expected = sandwich(truth, score, cov_type="HC0")
    assert widths(truth, score) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize("given", [{}, {"sample_weight": np.linspace(1, 2, 12)}], ids=str)
def test_a_class_that_is_apart_has_no_slope_and_no_interval(given: Any) -> None:
    truth = np.repeat(["a", "b", "c"], 4)
    score = np.full((12, 3), 0.3) + 0.1 * (truth[:, None] == ["a", "b", "c"])
    card = heldout.score(truth, y_score=score / score.sum(axis=1, keepdims=True), **given)
    made = card["calibration_slope", "a"]
    assert np.isnan(made.value)
    assert made.low is None
