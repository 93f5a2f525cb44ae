"""Plain means of rows take Student's t, shares of rows Wilson, and say of how many rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import skew
from scipy.stats import t as student

import heldout
from heldout.uncertainty.proportions import proportion_interval


def test_bias_has_students_interval() -> None:
    rng = np.random.default_rng(1)
    truth = rng.normal(size=50)
    error = 0.3 + rng.normal(size=50)
    card = heldout.score(truth, truth + error)
    # Hall's transform of t, whose skewness over the root of n is ``lean``, meets the quantiles
    lean, spread = skew(error) / 50**0.5, error.std(ddof=1) / 50**0.5
    assert card["bias"].method == "Student's t without skewness (Hall 1992)"
    assert card["bias"].value == pytest.approx(error.mean())
    for end, side in ((card["bias"].low, 1), (card["bias"].high, -1)):
        t = (error.mean() - end) / spread
        hall = t + lean * t**2 / 3 + lean**2 * t**3 / 27 + lean / 6
        assert hall == pytest.approx(side * student.ppf(0.975, 49))


def test_overconfidence_has_students_interval() -> None:
    rng = np.random.default_rng(2)
    scores = rng.dirichlet([1, 1, 1], 60)
    truth = rng.integers(0, 3, 60)
    card = heldout.score(truth, y_score=scores)
    excess = scores.max(axis=1) - (scores.argmax(axis=1) == truth)
    reach = student.ppf(0.975, 59) * excess.std(ddof=1) / 60**0.5
    found = card["top_label_overconfidence"]
    assert found.method == "Student's t"
    assert found.low == pytest.approx(excess.mean() - reach)


def test_shares_of_losses_have_wilsons_interval_also_at_one() -> None:
    scores = np.full((40, 3), 1 / 3)
    card = heldout.score(np.arange(40) % 3, y_score=scores)
    for name in ("coverage_of_region", "top_k_accuracy[k=3]"):
        found, wilson = card[name], proportion_interval(40, 40)
        assert found.value == 1
        assert found.low == pytest.approx(wilson.low)
        assert found.high == 1
        assert found.method == "Wilson"
    exact = heldout.score(np.arange(40) % 3, y_score=scores, interval="clopper_pearson")
    assert exact["coverage_of_region"].method == "Clopper-Pearson"


def test_shares_of_losses_of_weights_and_groups_count_effective_rows() -> None:
    rng = np.random.default_rng(3)
    scores, truth = rng.dirichlet([1, 1, 1], 60), rng.integers(0, 3, 60)
    weights = heldout.score(truth, y_score=scores, sample_weight=1 + rng.random(60))
    assert "effective rows" in weights["top_k_accuracy"].method
    groups = heldout.score(truth, y_score=scores, groups=np.arange(60) // 4)
    assert "effective rows of 15 groups" in groups["top_k_accuracy"].method


def test_shares_of_some_rows_say_of_how_many() -> None:
    truth = np.array([1] * 30 + [0] * 70)
    predicted = np.array([1] * 20 + [0] * 70 + [1] * 10)
    card = heldout.score(truth, predicted)
    assert card["recall"].method == "Wilson on 30 rows"
    assert card["specificity"].method == "Wilson on 70 rows"
    assert card["accuracy"].method == "Wilson"
    several = heldout.score(np.arange(90) % 3, np.arange(90) % 4 % 3)
    assert {r.method for r in several.results(["recall"]) if r.class_} == {"Wilson on 30 rows"}
