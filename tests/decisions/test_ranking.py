"""Models in order of a measure: directions, ties, undefined values, the payday loans."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.core.errors import InputError
from heldout.decisions.ranking import ranking
from heldout.measures.accuracy import average_class_accuracy_harmonic
from heldout.measures.profit import profit
from heldout.tally.confusion import Confusion

PAYDAY = ((140, -140), (-700, 0))
MODELS = {
    "knn": Confusion.from_matrix([[57, 3], [10, 30]]),
    "decision tree": Confusion.from_matrix([[43, 17], [3, 37]]),
}


def test_more_accurate_model_earns_less() -> None:
    accuracy = {name: average_class_accuracy_harmonic(c) for name, c in MODELS.items()}
    earned = {name: profit(c, matrix=PAYDAY) for name, c in MODELS.items()}
    assert accuracy["knn"] == pytest.approx(0.83824, abs=1e-5)
    assert accuracy["decision tree"] == pytest.approx(0.80761, abs=1e-5)
    assert earned == {"knn": 560.0, "decision tree": 1540.0}
    assert ranking(accuracy, "average_class_accuracy_harmonic").best == ("knn",)
    assert ranking(earned, "profit").best == ("decision tree",)


def test_small_is_best_where_the_measure_falls() -> None:
    found = ranking({"a": 0.3, "b": 0.1, "c": 0.2}, "log_loss")
    assert [r.model for r in found.models] == ["b", "c", "a"]
    assert [r.rank for r in found.models] == [1, 2, 3]


def test_nearest_to_the_target_is_best() -> None:
    found = ranking({"flat": 0.6, "right": 0.95, "steep": 1.5}, "calibration_slope")
    assert [r.model for r in found.models] == ["right", "flat", "steep"]


def test_equal_values_share_a_rank_and_the_next_is_left_out() -> None:
    found = ranking({"a": 0.1 + 0.2, "b": 0.3, "c": 0.9, "d": 0.1}, "accuracy")
    assert [(r.rank, r.model) for r in found.models] == [(1, "c"), (2, "a"), (2, "b"), (4, "d")]


def test_undefined_is_last_without_a_rank_and_says_why() -> None:
    found = ranking({"a": nan, "b": 0.0}, "precision")
    assert [(r.rank, r.model) for r in found.models] == [(1, "b"), (None, "a")]
    assert found.models[1].note == "undefined: no row is predicted positive"


def test_infinite_loss_is_worst_but_ranked() -> None:
    found = ranking({"a": inf, "b": 1.0, "c": inf}, "log_loss")
    assert [(r.rank, r.model) for r in found.models] == [(1, "b"), (2, "a"), (2, "c")]


def test_measure_that_only_describes_ranks_nothing() -> None:
    with pytest.raises(InputError, match="has no direction in which it is better"):
        ranking({"a": 0.5}, "prevalence")


@given(values=st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_rank_is_one_more_than_the_number_of_better_models(values: list[int]) -> None:
    named = {str(i): float(v) for i, v in enumerate(values)}
    for r in ranking(named, "auc").models:
        assert r.rank == 1 + sum(v > r.value for v in values)


def test_table_has_the_measure_as_a_column() -> None:
    columns = ranking({"a": 0.1, "b": 0.2}, "f_score[beta=2]").columns()
    assert columns["f_score[beta=2]"] == [0.2, 0.1]
    assert columns["low"] == [None, None]
