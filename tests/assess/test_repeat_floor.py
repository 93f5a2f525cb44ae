"""Repeats make no interval narrower than the rows allow, weighted and grouped rows included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout


def width(given: dict[str, Any], procedure: str, measure: str) -> tuple[float, str]:
    found = heldout.evaluate({"nb": "nb"}, procedure=procedure, **given)[measure]
    assert found.low is not None
    assert found.high is not None
    return found.high - found.low, found.method


def grouped() -> dict[str, Any]:
    """Thirty groups of ten rows that share features and label."""
    draw = np.random.default_rng(3)
    groups = np.repeat(np.arange(30), 10)
    X = draw.normal(size=(30, 2))[groups] + 0.1 * draw.normal(size=(300, 2))
    return {"X": X, "y": (X[:, 0] + draw.normal(size=30)[groups] > 0).astype(int), "groups": groups}


def weighted() -> dict[str, Any]:
    """Rows of which few weigh much."""
    draw = np.random.default_rng(3)
    X = draw.normal(size=(300, 2))
    y = (X[:, 0] + draw.normal(size=300) > 0).astype(int)
    return {"X": X, "y": y, "sample_weight": draw.lognormal(0, 1.2, 300)}


@pytest.mark.parametrize("given", [grouped(), weighted()], ids=["groups", "weights"])
@pytest.mark.parametrize("measure", ["accuracy", "brier"])
def test_ten_repeats_are_no_narrower_than_one(given: dict[str, Any], measure: str) -> None:
    once, _ = width(given, "5-fold", measure)
    often, method = width(given, "10x5-fold", measure)
    assert often > 0.85 * once
    assert "as in one repeat" in method or "corrected t" in method


def test_interval_of_one_repeat_says_what_it_is() -> None:
    _, method = width(grouped(), "10x5-fold", "accuracy")
    assert method == "corrected t over 50 splits (Nadeau and Bengio 2003)"
    _, method = width(grouped(), "2x5-fold", "accuracy")
    groups, _, corrected = method.partition(", wider than the ")
    assert groups.startswith("Wilson on ")
    assert groups.endswith("of 30 groups, folds pooled (Bayle et al. 2020), as in one repeat")
    assert corrected == "corrected t over 10 splits (Nadeau and Bengio 2003)"
    # folds that cut the groups say too little by their spread
    _, method = width(grouped(), "10x5-fold ungrouped", "accuracy")
    assert method.startswith("Wilson on ")
    assert "as in one repeat, wider than the corrected t" in method
