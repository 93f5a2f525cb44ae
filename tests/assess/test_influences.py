"""The influence of a row is how fast the value changes with the weight of the row."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.influences import of_class_areas, of_rows
from heldout.assess.values import overall
from heldout.engines.memory import Tallies
from heldout.measures.spec import parse_request
from heldout.uncertainty.areas import auc_variance

RNG = np.random.default_rng(6)
ROWS, STEP = 60, 1e-6
TRUTH = RNG.permutation(np.repeat([0, 1, 2], [30, 20, 10]))
SCORES = RNG.dirichlet(np.ones(3), ROWS) + 0.5 * np.eye(3)[TRUTH]
SCORES /= SCORES.sum(axis=1, keepdims=True)
VALUES = RNG.normal(size=ROWS)
GUESSES = VALUES + RNG.standard_t(4, ROWS)


def tallies_of(task: str, weight: Any) -> Tallies:
    given: dict[str, Any] = {"sample_weight": weight}
    if task == "classes":
        return heldout.score(TRUTH, y_score=SCORES, labels=[0, 1, 2], **given).tallies[0]
    return heldout.score(VALUES, GUESSES, task="regression", **given).tallies[0]


def by_weights(task: str, name: str, weight: Any) -> Any:
    """How the value changes with the logarithm of each weight, by small changes of it."""
    slopes = []
    for row in range(0, ROWS, 7):
        ends = []
        for step in (STEP, -STEP):
            moved = weight.copy()
            moved[row] *= 1 + step
            ends.append(overall(parse_request(name), tallies_of(task, moved)).value)
        slopes.append((ends[0] - ends[1]) / (2 * STEP))
    return np.array(slopes)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("classes", "auc_macro"),
        ("classes", "auc_weighted"),
        ("classes", "hand_till"),
        ("classes", "one_vs_one_auc_weighted"),
        ("values", "r2"),
        ("values", "correlation"),
        ("values", "concordance_correlation"),
        ("values", "ratio_of_performance_to_deviation"),
    ],
)
def test_influence_is_the_derivative_by_the_weight(task: str, name: str, is_weighted: bool) -> None:
    weight = RNG.uniform(0.5, 2, ROWS) if is_weighted else np.ones(ROWS)
    tallies, request = tallies_of(task, weight), parse_request(name)
    value = overall(request, tallies).value
    if task == "classes":
        influence = of_class_areas(request, tallies.class_scores)
    else:
        influence = of_rows(request, tallies, value)
    assert influence is not None
    assert influence.value == pytest.approx(value)
    apart = (by_weights(task, name, weight) - influence.shift[::7]) / weight[::7]
    # some measures depend a little on the number of rows, which every weight adds to
    assert apart == pytest.approx(apart.mean(), abs=1e-6)
    assert abs(apart.mean()) < 2e-4


def test_a_mean_of_two_areas_of_two_classes_has_the_error_of_delong() -> None:
    positive = TRUTH == 0
    score = SCORES[:, 0]
    two = heldout.score(positive, y_score=np.column_stack([1 - score, score]), labels=[False, True])
    influence = of_class_areas(parse_request("auc_macro"), two.tallies[0].class_scores)
    assert influence is not None
    delong = auc_variance(two.tallies[0].scores) ** 0.5
    assert influence.spread().error == pytest.approx(delong, rel=0.02)


def test_pairs_of_many_classes_take_no_memory_each() -> None:
    classes = 300
    truth = RNG.integers(0, classes, 1_500)
    scores = RNG.random((len(truth), classes))
    card = heldout.score(truth, y_score=scores, labels=range(classes))
    columns = card.tallies[0].class_scores
    tracemalloc.start()
    influence = of_class_areas(parse_request("hand_till"), columns)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert influence is not None
    assert peak < 10 * truth.nbytes + 50 * classes * 8


@pytest.mark.parametrize("name", ["auc_macro", "auc_weighted", "hand_till"])
@pytest.mark.parametrize("rows", [(30, 20, 10), (7, 5, 4), (23, 11, 6)])
def test_rankings_without_a_fault_keep_their_limits_below_1(
    name: str, rows: tuple[int, int, int]
) -> None:
    # the mean of areas of 1 may miss 1 by rounding, which is no spread
    truth = np.repeat([0, 1, 2], rows)
    scores = np.eye(3)[truth] * 0.8 + RNG.uniform(0, 0.1, (len(truth), 3))
    scores /= scores.sum(axis=1, keepdims=True)
    made = heldout.score(truth, y_score=scores)[name]
    assert made.value == pytest.approx(1, abs=1e-12)
    assert made.low is not None
    assert made.low < 0.999
    assert "influences" not in made.method
