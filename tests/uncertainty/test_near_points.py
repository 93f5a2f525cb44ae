"""Methods that would give a point, or nearly one, give another interval or none at all levels."""

from __future__ import annotations

import numpy as np
import pytest

import heldout


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_draws_of_which_most_agree_give_way_at_every_level(method: str) -> None:
    truth = np.repeat([1, 0], 30)
    noise = np.random.default_rng(0).normal(size=(4, 60))[3]
    score = np.round(1 / (1 + np.exp(-(noise + (truth - 0.5) * 5))), 3)
    name = "sensitivity_at_specificity"
    made = [
        heldout.score(truth, y_score=score, level=level, interval=method)[name]
        for level in (0.8, 0.9, 0.95, 0.99)
    ]
    assert all("Bayesian bootstrap" in result.method for result in made)
    low = [result.low for result in made if result.low is not None]
    assert len(low) == len(made)
    assert low == sorted(low, reverse=True)
    assert low[2] < 0.97


def test_a_method_that_makes_a_point_is_said_to() -> None:
    truth = np.repeat([1, 0], [20, 7])
    found = heldout.score(truth, np.zeros(27, int), pos_label=1, interval="wald")["recall"]
    assert found.low is None
    assert "this method gives an interval of zero width" in found.note
