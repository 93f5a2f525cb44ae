"""A law of single classes: a class of several is its own table of two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout

#: rows = truth; the last class is never right
COUNTS = np.array([[20, 3, 2, 0], [1, 30, 4, 0], [2, 2, 40, 1], [3, 2, 1, 0]])
TRUTH, PREDICTED = (np.repeat(part, COUNTS.ravel()) for part in np.divmod(np.arange(16), 4))
CHANCE = np.random.default_rng(1)
WEIGHT = CHANCE.integers(1, 4, len(TRUTH)).astype(float)
GROUP = CHANCE.integers(0, 12, len(TRUTH))
MEASURES = (
    "f_score",
    "jaccard",
    "kappa",
    "matthews_corrcoef",
    "recall",
    "youden",
    "fowlkes_mallows",
)


@pytest.mark.parametrize("place", [0, 3])
@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"sample_weight": WEIGHT},
        {"groups": GROUP},
        {"groups": GROUP, "sample_weight": WEIGHT},
        {"interval": "percentile"},
        {"interval": "bayesian", "groups": GROUP},
        {"stratified": True},
    ],
    ids=str,
)
def test_equal_counts_have_equal_intervals(given: Any, positive: int, place: int) -> None:
    several = heldout.score(TRUTH, PREDICTED, **given)
    labels = [(part == place) == (positive == 1) for part in (TRUTH, PREDICTED)]
    two = heldout.score(*(part.astype(int) for part in labels), pos_label=positive, **given)
    for name in MEASURES:
        one, other = several[name, place], two[name]
        assert (one.value, one.low, one.high) == pytest.approx(
            (other.value, other.low, other.high), nan_ok=True
        )


def test_a_class_without_hits_is_as_uncertain_as_one_of_two() -> None:
    # 29 rows of the class, 14 predicted as it, none rightly; 18 other classes
    rest = np.arange(20) % 18 + 2
    truth = np.concatenate([np.zeros(29, int), np.resize(rest, 820)])
    predicted = np.concatenate([np.resize(rest, 29), np.zeros(14, int), np.resize(rest, 806)])
    made = heldout.score(truth, predicted)["f_score", 0]
    assert made.low == 0
    assert made.high is not None
    assert made.high > 0.05  # a class with one hit in 22 is well possible
