"""Decisions by expected profit: the definition, both decisions, their difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import heldout
from heldout.core.errors import InputError
from heldout.decisions.expected_profit import expected_profit, profitable_classes

VALUES = np.array([[10.0, -2.0, -2.0], [-5.0, 20.0, 0.0], [-50.0, -1.0, 5.0]])


def rows_of(count: int, seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    probability = rng.dirichlet([1.0, 1.0, 1.0], count)
    truth = np.array([rng.choice(3, p=line) for line in probability])
    return truth, probability


@given(seed=st.integers(0, 1000))
def test_decision_is_that_of_the_double_loop(seed: int) -> None:
    truth, probability = rows_of(20, seed)
    chosen, best, ties = profitable_classes(probability, VALUES)
    total = 0.0
    for row in range(20):
        expected = [sum(probability[row, i] * VALUES[i, j] for i in range(3)) for j in range(3)]
        assert chosen[row] == int(np.argmax(expected))
        assert best[row] == pytest.approx(max(expected))
        total += VALUES[truth[row], int(np.argmax(expected))]
    assert ties == 0
    found = expected_profit(truth, probability, VALUES, replicates=0)
    assert found.profitable.total == pytest.approx(total)
    assert found.believed == pytest.approx(best.mean())


@given(seed=st.integers(0, 1000))
def test_cells_add_up_and_the_difference_is_that_of_both(seed: int) -> None:
    truth, probability = rows_of(30, seed)
    found = expected_profit(truth, probability, VALUES, replicates=0)
    for decided in (found.likeliest, found.profitable):
        assert decided.confusion.total == 30
        assert decided.cells.sum() == pytest.approx(30 * decided.per_row)
    assert (
        found.likeliest.confusion.chosen.tolist()
        == np.bincount(probability.argmax(axis=1), minlength=3).tolist()
    )
    assert found.difference == pytest.approx(found.profitable.per_row - found.likeliest.per_row)


def test_true_probabilities_earn_more_by_expected_profit_and_what_they_believe() -> None:
    truth, probability = rows_of(4000, 1)
    found = expected_profit(truth, probability, VALUES)
    assert found.difference > 0
    assert found.interval is not None
    assert found.interval.low > 0
    assert found.profitable.interval is not None
    assert found.profitable.interval.contains(found.profitable.per_row)
    assert found.profitable.interval.contains(found.believed)
    rows = found.rows()
    assert [r["decision"] for r in rows] == [
        "likeliest class",
        "largest expected profit",
        "difference",
    ]
    assert rows[2]["n"] == found.changed


def test_paired_interval_is_that_of_the_differences_of_rows() -> None:
    from scipy import stats

    truth, probability = rows_of(200, 3)
    found = expected_profit(truth, probability, VALUES)
    best = (probability @ VALUES).argmax(axis=1)
    lost = VALUES[truth, best] - VALUES[truth, probability.argmax(axis=1)]
    error = stats.sem(lost)
    low, high = stats.t.interval(0.95, 199, lost.mean(), error)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))


def test_costs_are_made_small_and_keep_their_sign() -> None:
    truth, probability = np.array([0, 1, 0, 1]), np.array([0.1, 0.3, 0.4, 0.9])
    found = expected_profit(truth, probability, ((0, 1), (5, 0)), kind="cost", positive=1)
    # from 1/6 on a row is called positive: the second and third too
    assert found.profitable.confusion.matrix().tolist() == [[1, 1], [0, 2]]
    assert (found.likeliest.total, found.profitable.total) == (5.0, 1.0)
    assert found.believed == pytest.approx((0.1 * 5 + 0.7 + 0.6 + 0.1) / 4)


def test_positive_class_may_be_the_first() -> None:
    truth, probability = np.array([0, 1]), np.array([0.8, 0.4])
    found = expected_profit(truth, probability, ((1, -1), (-1, 1)), positive=0, replicates=0)
    assert found.profitable.confusion.matrix().tolist() == [[1, 0], [0, 1]]


def test_matrix_that_pays_for_right_answers_alone_leaves_the_likeliest_class() -> None:
    truth, probability = rows_of(50, 5)
    found = expected_profit(truth, probability, np.eye(3))
    assert found.changed == 0
    assert found.difference == 0
    assert found.interval is not None
    assert found.interval.is_absent
    assert "the decisions agree on every row" in found.interval.note


def test_ties_go_to_the_first_class_and_are_counted() -> None:
    probability = np.array([[0.5, 0.5], [0.2, 0.8]])
    found = expected_profit(np.array([0, 1]), probability, ((1, 0), (0, 1)), replicates=0)
    assert found.likeliest.ties == found.profitable.ties == 1
    assert found.profitable.confusion.chosen.tolist() == [1, 1]


def test_integer_weights_count_as_repetition() -> None:
    truth, probability = rows_of(40, 6)
    weight = np.arange(40) % 3 + 1.0
    heavy = expected_profit(truth, probability, VALUES, weight=weight)
    often = weight.astype(int)
    light = expected_profit(
        np.repeat(truth, often), np.repeat(probability, often, axis=0), VALUES, replicates=0
    )
    assert heavy.profitable.total == pytest.approx(light.profitable.total)
    assert heavy.difference == pytest.approx(light.difference)
    assert heavy.profitable.interval is not None
    assert heavy.profitable.interval.method == "Student's t"


@pytest.mark.parametrize(
    ("probability", "message"),
    [
        (np.array([[0.5, 0.5], [1.5, -0.5]]), r"those of row 1 outside \[0, 1\] \(1.5\)"),
        (np.array([[0.5, 0.4], [0.5, 0.5]]), r"those of row 0 do not sum to 1 \(0.9\)"),
        (np.array([[0.5, np.nan], [0.5, 0.5]]), "needs probabilities: row 0"),
        (np.array([0.5, 0.4]), "say which class it is of"),
    ],
)
def test_scores_that_are_no_probabilities_are_refused(probability: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        expected_profit(np.array([0, 1]), probability, ((1, 0), (0, 1)))


@given(places=st.lists(st.integers(0, 8), min_size=4, max_size=30), positive=st.booleans())
def test_likeliest_class_is_the_label_that_scores_imply_ties_and_all(
    places: list[int], positive: bool
) -> None:
    truth, scores = np.arange(len(places)) % 2, np.array(places) / 8

    def scored(threshold: float | None) -> Any:
        cost = ((0, 1), (3, 0))
        how: dict[str, Any] = {"pos_label": int(positive), "cost": cost, "intervals": False}
        return heldout.score(truth, y_score=scores, threshold=threshold, **how)

    card = scored(None)
    likeliest, least, _ = card.expected_profit()
    assert likeliest["cost"] == card["cost"].value
    # the other decision is a threshold too: calling class 1 is worth it from 1/4 on
    cut = scored(0.25 if positive else 0.75)
    assert least["cost"] == cut["cost"].value


def test_tie_of_two_classes_goes_to_the_positive_one_and_says_so() -> None:
    truth, probability = np.array([0, 1, 1]), np.array([0.5, 0.5, 0.9])
    same = ((0, 1), (1, 0))
    for positive in (0, 1):
        found = expected_profit(truth, probability, same, kind="cost", positive=positive)
        assert found.likeliest.confusion.chosen[positive] >= 2
        assert found.likeliest.said == "2 ties decided for the positive class"
        assert found.changed == 0
