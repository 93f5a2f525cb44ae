"""What a search says of failed settings, empty grids, models named twice and the positive class."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import heldout
from heldout.core.errors import InputError

RANDOM = np.random.default_rng(4)
X = RANDOM.normal(size=(60, 2))
Y = np.where(X[:, 0] + RANDOM.normal(size=60) > 0, "b", "a")


class Failing(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """A model that fails in the way that is asked for."""

    def __init__(self, mode: str = "") -> None:
        self.mode = mode

    def fit(self, X: Any, y: Any) -> Failing:
        self.classes_ = np.unique(y)
        if self.mode == "raise":
            raise RuntimeError("boom")
        if self.mode == "exit":
            sys.exit(3)
        if self.mode == "some" and X[0, 0] == FIRST:
            raise RuntimeError("not these rows")
        return self

    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), 2), np.nan if self.mode == "nan" else 0.5)

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[:1], len(X))


FIRST = X[0, 0]


def failures(estimator: Any, grid: Any) -> list[str]:
    made = heldout.select(estimator, grid, X, Y, procedure="3-fold")
    return [one for one in made.notes if "failed" in one]


def test_every_reason_of_failures_is_told_with_its_settings_and_splits() -> None:
    said = failures(Failing(), {"mode": ["", "raise", "exit", "nan", "some"]})
    assert said == [
        "1 of 5 settings failed in every split: RuntimeError: boom (Failing[mode=raise])",
        "1 of 5 settings failed in every split: SystemExit: 3 (Failing[mode=exit])",
        "1 of 5 settings failed in every split: predict_proba gave NaN in 20 of 20 "
        "rows (first: row 2 of data) (Failing[mode=nan])",
        "1 of 5 settings failed in 2 of 3 splits: RuntimeError: not these rows "
        "(Failing[mode=some])",
    ]


def test_one_reason_with_other_numbers_is_one_line_that_blames_no_single_setting() -> None:
    (said,) = failures("knn", "n_neighbors=1,41..46")
    assert said.startswith("6 of 7 settings failed in every split: ValueError: ")
    assert said.endswith("(so knn[n_neighbors=41]; 5 others similarly, with other numbers)")


def test_where_all_settings_fail_all_reasons_are_given() -> None:
    with pytest.raises(InputError, match="no setting has a value of accuracy") as caught:
        failures(Failing(), {"mode": ["raise", "nan"]})
    lines = str(caught.value).split("\n")
    assert len(lines) == 3
    assert "1 of 2 settings failed in every split: RuntimeError: boom" in lines[1]
    assert "1 of 2 settings failed in every split: predict_proba" in lines[2]
    with pytest.raises(InputError, match=r"of accuracy: failed: RuntimeError: boom$"):
        failures(Failing(), {"mode": ["raise"]})


@pytest.mark.parametrize("grid", [None, {}, [], "", ";", [";"]])
def test_an_empty_grid_of_one_model_is_refused(grid: Any) -> None:
    with pytest.raises(InputError, match="is empty"):
        heldout.select("knn", grid, X, Y, procedure="3-fold")


def test_several_models_are_chosen_from_without_a_grid() -> None:
    made = heldout.select("knn,lda", None, X, Y, procedure="3-fold")
    assert [one.name for one in made.search.settings] == ["knn", "lda"]
    single = heldout.select("knn", [{}], X, Y, procedure="3-fold")
    assert [one.name for one in single.search.settings] == ["knn"]


def test_a_model_that_is_named_twice_is_tried_once() -> None:
    made = heldout.select(["knn", "knn", "lda"], "knn: n_neighbors=1,3", X, Y, procedure="3-fold")
    names = [one.name for one in made.search.settings]
    assert names == ["knn[n_neighbors=1]", "knn[n_neighbors=3]", "lda"]
    assert "knn was named more than once and is tried once" in made.notes
    both = heldout.select({"one": "knn", "two": "knn"}, "n_neighbors=1", X, Y, procedure="3-fold")
    assert len(both.search.settings) == 2


@pytest.mark.parametrize(
    ("how", "aside"),
    [
        ({"procedure": "3-fold"}, "does not depend on it"),
        ({"procedure": "holdout 50:20:30"}, "that depend on it are not given without pos_label=)"),
        ({"nested": "2x2-fold"}, "that depend on it are not given without pos_label=)"),
    ],
)
def test_other_measures_are_spoken_of_where_there_are_any(how: Any, aside: str) -> None:
    made = heldout.select("lda", {"solver": ["svd"]}, X, Y, **how)
    (note,) = [one for one in made.notes if "no positive class was named" in one]
    assert note.endswith(aside)
