"""Rules of choice: the best, the simplest within one standard error, what is simpler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.report.plots.selection import text_of_chosen
from heldout.selection.choice import choose
from heldout.selection.criterion import criterion_for
from heldout.selection.simpler import parse_simpler
from tests.selection.making import search_of

NEIGHBOURS = [{"n_neighbors": k} for k in (1, 5, 9, 30)]
#: means 0.80, 0.84, 0.83, 0.82; the standard error of the best is 0.02 / sqrt(4) * 1.1547
TABLE = [
    [0.80, 0.80, 0.80, 0.80],
    [0.82, 0.86, 0.82, 0.86],
    [0.83, 0.83, 0.83, 0.83],
    [0.82, 0.82, 0.82, 0.82],
]


def test_the_best_is_the_largest_mean_or_the_smallest_loss() -> None:
    assert search_of(TABLE, NEIGHBOURS).choice.index == 1
    assert search_of(TABLE, NEIGHBOURS, "error_rate").choice.index == 0


def test_one_standard_error_takes_the_simplest_within_noise() -> None:
    made = search_of(TABLE, NEIGHBOURS, rule="one-se").choice
    assert made.index == 2
    assert "larger n_neighbors" in made.reason
    assert search_of(TABLE, NEIGHBOURS, rule="one-se", simpler="n_neighbors:down").choice.index == 1
    # 0.01 below the best and within 0.0115; without any spread only the best is within
    flat = [[0.8] * 4, [0.84] * 4, [0.83] * 4, [0.82] * 4]
    assert search_of(flat, NEIGHBOURS, rule="one-se").choice.index == 1


def test_losses_have_one_standard_error_too() -> None:
    losses = [[1 - value for value in line] for line in TABLE]
    assert search_of(losses, NEIGHBOURS, "error_rate", rule="1se").choice.index == 2


def test_names_have_no_order_unless_one_is_declared() -> None:
    kernels = [{"kernel": one} for one in ("rbf", "linear", "poly", "sigmoid")]
    made = search_of(TABLE, kernels, rule="one-se").choice
    assert made.index == 1
    assert "kernel has no order and stays as in the best" in made.reason
    order = "kernel:poly,linear,rbf,sigmoid"
    assert search_of(TABLE, kernels, rule="one-se", simpler=order).choice.index == 2
    with pytest.raises(InputError, match="no parameter 'kernl'; did you mean kernel"):
        choose(search_of(TABLE, kernels, rule="one-se", simpler="kernl:up"))


def test_settings_of_another_name_are_never_simpler() -> None:
    both = [
        {"C": 0.1, "kernel": "linear"},
        {"C": 10.0, "kernel": "rbf"},
        {"C": 0.1, "kernel": "linear"},
        {"C": 1.0, "kernel": "rbf"},
    ]
    near = [*TABLE[:3], [0.835, 0.83, 0.835, 0.83]]
    # the linear one has the smaller C and lies within, and is of another kind than the best
    made = search_of(near, both, rule="one-se").choice
    assert made.index == 3
    assert made.reason.endswith("(smaller C; kernel has no order and stays as in the best)")


def test_numbers_of_which_nothing_is_known_must_be_declared() -> None:
    ratios = [{"l1_ratio": one} for one in (0.1, 0.5, 0.7, 0.9)]
    with pytest.raises(InputError, match="which l1_ratio is simpler"):
        choose(search_of(TABLE, ratios, rule="one-se"))
    assert search_of(TABLE, ratios, rule="one-se", simpler="l1_ratio:up").choice.index == 2
    seeds = [{"random_state": one} for one in (1, 2, 3, 4)]
    assert search_of(TABLE, seeds, rule="one-se").choice.index == 1


def test_a_rule_that_cannot_choose_says_so_before_anything_is_fitted(tmp_path: Path) -> None:
    how: Any = {"data": "iris", "procedure": "3-fold", "store": tmp_path}
    with pytest.raises(InputError, match="which tol is simpler"):
        heldout.select("logistic", {"tol": [0.1, 0.01]}, rule="one-se", **how)
    with pytest.raises(InputError, match="no rule is called 'beste'"):
        heldout.select("logistic", {"C": [0.1, 1.0]}, rule="beste", **how)
    assert not list(tmp_path.iterdir())


def test_of_equal_values_the_first_is_taken_and_that_is_said() -> None:
    made = search_of([[0.5] * 4, [0.8] * 4, [0.8] * 4, [0.8] * 4], NEIGHBOURS).choice
    assert made.index == 1
    assert made.reason == "the best value, the first of 3 equal ones"


def test_no_limit_on_depth_is_the_most_complex() -> None:
    depths = [{"max_depth": one} for one in (None, None, 3, 2)]
    assert search_of(TABLE, depths, rule="one-se").choice.index == 2


def test_an_order_is_written_as_direction_or_as_values() -> None:
    assert parse_simpler({"k": "up", "kernel": ["a", "b"]}) == {"k": "up", "kernel": ("a", "b")}
    assert parse_simpler(None) == {}
    with pytest.raises(InputError, match="is not an order"):
        parse_simpler("k")


def test_undefined_values_are_never_best() -> None:
    criterion = criterion_for("accuracy", "binary")
    assert criterion.best([np.nan, 0.5]) == 1
    assert criterion.best([np.nan, np.nan]) == -1


def test_measures_that_say_nothing_of_better_are_refused() -> None:
    with pytest.raises(InputError, match="has no direction in which it is better"):
        criterion_for("prevalence", "binary")
    with pytest.raises(InputError, match="precision_macro"):
        criterion_for("precision", "multiclass")
    with pytest.raises(InputError, match="regression"):
        criterion_for("rmse", "binary")


def test_settings_far_behind_are_told_from_the_best() -> None:
    made = heldout.select("tree", {"max_depth": [1, 4, 5]}, data="iris", procedure="3x10-fold")
    same, p_values, reason = made.same
    assert reason == ""
    assert same.tolist() == [False, True, True]
    assert p_values[0] < 0.001
    one = heldout.select("tree", {"max_depth": [1, 4]}, data="iris", procedure="holdout 70:30")
    assert "single split" in one.same[2]


def test_a_target_is_approached_from_both_sides() -> None:
    criterion = criterion_for("bias", "regression")
    assert criterion.best([-3.0, 0.5, 1.0]) == 1


def test_the_rule_speaks_of_the_chosen_models_parameters_and_marks_the_best() -> None:
    grid = ["n_neighbors=1..10", "max_depth=1"]
    made = heldout.select("knn,tree", grid, data="iris", rule="one-se")
    assert made.setting.base == "knn"
    assert made.best.reason.endswith("(larger n_neighbors)")
    assert made.choice.index != made.search.best
    marked = [line.split() for line in repr(made).split("\n") if "n_neighbors=6 " in line]
    assert marked[0][-2:] == ["1", "best"]


def test_of_values_that_only_rounding_tells_apart_the_first_is_chosen() -> None:
    made = heldout.select(
        "knn",
        "n_neighbors=7,8,10,13,15",
        data="iris",
        procedure="10-fold",
        random_state=2,
        aggregate="folds",
    )
    values = made.search.values
    assert 0 < values[4] - values[1] < 1e-12, "rounding has no part here"
    equal = np.flatnonzero(np.abs(values - values.max()) < 1e-9)
    assert made.choice.index == equal[0] == 1
    assert made.best.reason == f"the best value, the first of {len(equal)} equal ones"
    ranks = made.table["rank"]
    assert [ranks[place] for place in equal] == [1] * len(equal)


@pytest.mark.parametrize(
    ("procedure", "reason", "measure"),
    [
        ("bootstrap 10", "bootstrap samples", "accuracy"),
        (".632+ 10", "bootstrap samples", "accuracy"),
        ("time 4", "depend on each other", "accuracy"),
        ("bootstrap 4", "bootstrap samples", "auc"),
    ],
)
def test_no_test_and_no_interval_where_none_is_valid(
    procedure: str, reason: str, measure: str
) -> None:
    generator = np.random.default_rng(0)
    y = generator.permutation(np.repeat([0, 1], 60))
    X = generator.normal(size=(120, 3)) + y[:, np.newaxis]
    made = heldout.select("tree", "max_depth=1..3", X, y, procedure=procedure, measure=measure)
    same, p_values, why = made.same
    assert reason in why
    assert same.sum() == 1
    assert np.isnan(p_values).all()
    assert "~ best" not in repr(made)
    assert made.bias_corrected.low is None
    assert np.isfinite(made.bias_corrected.value)
    assert reason in made.bias_corrected.note


def test_a_race_needs_splits_along_which_a_test_is_valid() -> None:
    with pytest.raises(InputError, match=r"race=True .* along time 4 rows in time order"):
        heldout.select("tree", "max_depth=1..3", data="iris", procedure="time 4", race=True)


def test_the_best_is_optimistic_under_either_rule() -> None:
    made = heldout.select(
        "knn", {"n_neighbors": [1, 140]}, data="iris", procedure="3-fold", rule="one-se", draws=20
    )
    said = " ".join(repr(made).split())
    assert "the best value; no simpler one within one standard error" in said
    assert "optimistic: the same value was used to choose" in said
    assert "no estimate for new rows" not in said
    assert "its value is optimistic" in text_of_chosen(made)
