"""Rounded probabilities: divided by their sum where asked, never silently, and never far off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from tests.predictions.tables import one, table

THREE = np.array([[0.333, 0.333, 0.333], [0.2, 0.3, 0.502], [0.5, 0.25, 0.25]])


def refusal(scores: Any, **options: Any) -> str:
    with pytest.raises(heldout.InputError) as caught:
        heldout.from_arrays(["a", "b", "c"], None, scores, normalise=True, **options)
    return str(caught.value)


def test_rounded_probabilities_are_not_used_unasked_and_the_way_out_is_named() -> None:
    made = heldout.from_arrays(["a", "b", "c"], None, THREE)
    assert made.score_problem == (
        "y_score: probabilities do not sum to 1 (0.999) in 2 rows (first: position 0); the largest "
        "deviation, 0.002, looks like rounding: write more digits, or say normalise=True to divide "
        "each row by its sum"
    )
    assert made.scores is not None
    assert made.scores.tolist() == THREE.tolist()


def test_rows_are_divided_by_their_sum_and_the_change_is_told() -> None:
    made = heldout.from_arrays(["a", "b", "c"], None, THREE, normalise=True)
    assert made.score_problem == ""
    assert made.scores is not None
    np.testing.assert_allclose(made.scores, THREE / THREE.sum(axis=1, keepdims=True), rtol=1e-15)
    assert (
        "probabilities of each row divided by their sum: 2 rows of 3 were off, by at most 0.002 "
        "(position 1)" in made.notes
    )
    assert heldout.score(made)["log_loss"].value == pytest.approx(
        -np.log([1 / 3, 0.3 / 1.002, 0.25]).mean()
    )


def test_sums_that_are_far_off_are_refused_with_their_row() -> None:
    far = THREE.copy()
    far[1] = [0.2, 0.3, 0.6]
    assert refusal(far) == (
        "y_score: scores sum to 1.1 in 1 row (first: position 1); normalise= mends sums that are "
        "off by 0.05 at most: these are no rounded probabilities"
    )
    far[1] = [-0.01, 0.4, 0.61]
    assert refusal(far).startswith("y_score: a negative score in 1 row (first: position 1)")


def test_one_score_has_no_sum() -> None:
    with pytest.raises(heldout.InputError, match="is the score of one; leave it out"):
        heldout.from_arrays([0, 1], None, [0.2, 0.8], normalise=True)
    with pytest.raises(heldout.InputError, match="for a probability column of each class"):
        heldout.from_arrays([0, 1], [0, 1], normalise=True)


def test_exact_sums_are_left_as_they_are() -> None:
    exact = np.array([[0.5, 0.25, 0.25]] * 3)
    made = heldout.from_arrays(["a", "b", "c"], None, exact, normalise=True)
    assert made.scores is not None
    assert made.scores.tolist() == exact.tolist()
    assert "the probabilities of every row sum to 1 already; none changed" in made.notes[-2]


def test_two_columns_of_a_table_are_divided_before_the_positive_one_is_taken() -> None:
    made = one(table(y=["a", "b"], p_a=[0.33, 0.5], p_b=[0.66, 0.5]), positive="b", normalise=True)
    assert made.scores is not None
    assert made.scores.tolist() == [0.66 / 0.99, 0.5]


def test_columns_named_like_the_classes_are_found_though_they_are_rounded() -> None:
    made = one(table(y=["a", "b", "c"], a=[0.34, 0.3, 0.3], b=[0.34, 0.3, 0.3], c=[0.33, 0.4, 0.4]))
    assert made.scores is not None
    assert "0.01, looks like rounding" in made.score_problem


ABOVE = 1 + 2.0**-52  # the next number above 1, as sums of a decision tree's shares are


@pytest.mark.parametrize("normalise", [False, True])
def test_a_probability_beyond_its_border_by_rounding_is_taken_as_the_border(
    normalise: bool,
) -> None:
    scores = np.array([[ABOVE, 0.0, -(2.0**-60)], [0.25, 0.5, 0.25], [0.0, 0.0, 1.0000005]])
    made = heldout.score(["a", "b", "c"], y_score=scores, normalise=normalise, intervals=False)
    assert made["log_loss"].value == pytest.approx(np.log(2) / 3)
    (note,) = [note for note in made.notes if "by rounding" in note]
    assert note == (
        "probabilities of 2 rows lie outside [0, 1] by rounding, at most by 5e-07: taken as 0 or 1"
    )


def test_one_score_beyond_its_border_by_rounding_is_taken_as_the_border() -> None:
    made = heldout.score([0, 1, 1], y_score=[-1e-17, ABOVE, 0.5], intervals=False)
    assert made["brier"].value == pytest.approx(0.25 / 3)
    assert any("2 rows lie outside [0, 1] by rounding" in note for note in made.notes)


def test_small_decision_values_are_not_taken_for_rounded_probabilities() -> None:
    made = heldout.score([0, 0, 1, 1], y_score=[-3e-7, -2e-7, -1e-7, 1e-7], intervals=False)
    assert made["auc"].value == 1.0
    assert any("measures of probabilities are not given" in note for note in made.notes)
