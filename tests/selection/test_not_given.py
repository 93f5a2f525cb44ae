"""Settings that do not give what the measure needs have no value, and the others go on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import RidgeClassifier
from sklearn.svm import SVC, LinearSVC

import heldout
from heldout.core.errors import InputError

RNG = np.random.default_rng(2)
X = RNG.normal(size=(90, 2))
Y = (X[:, 0] + RNG.normal(size=90) > 0).astype(int)


class LabelsOnly(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Says a class and nothing else."""

    def __init__(self, cut: float = 0.0) -> None:
        self.cut = cut

    def fit(self, X: Any, y: Any) -> LabelsOnly:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[(np.asarray(X)[:, 0] > self.cut).astype(int)]


MODELS: Any = {"labels": LabelsOnly(), "lda": "lda", "nb": "nb"}


@pytest.mark.parametrize(
    "how",
    [
        {"procedure": "3-fold"},
        {"procedure": "5-fold", "race": True, "training_error": True},
        {"procedure": "3-fold", "aggregate": "pooled"},
        {"nested": "2x3-fold"},
        {"procedure": "holdout 50:20:30"},
    ],
)
def test_a_setting_without_scores_leaves_the_others_as_they_are(how: Any) -> None:
    made = heldout.select(MODELS, "labels: cut=0,1", X, Y, measure="auc", **how)
    alone = heldout.select(["lda", "nb"], None, X, Y, measure="auc", **how)
    assert made.setting.name == alone.setting.name
    assert made.best.value == alone.best.value
    rows = {row["setting"]: row for row in made.table}
    lost = rows["labels[cut=0]"]
    assert (lost["rank"], lost["status"]) == (None, "undefined")
    assert lost["note"].startswith("not given: needs scores: labels[cut=0] gives only classes")
    line = "2 of 4 settings have no auc: needs scores: labels[cut=0] gives only classes"
    assert any(note.startswith(line) and note.endswith("and 1 more like it") for note in made.notes)


def test_what_is_left_out_of_the_corrected_estimate_has_no_value() -> None:
    made = heldout.select(MODELS, "labels: cut=0,1", X, Y, measure="auc", procedure="3-fold")
    assert "left out: 2 settings without a value" in made.bias_corrected.note


def test_probabilities_may_be_a_matter_of_the_grid() -> None:
    grid = {"probability": [True, False]}
    made = heldout.select(SVC(random_state=0), grid, X, Y, measure="log_loss", procedure="3-fold")
    first, second = made.search.values
    assert np.isfinite(first)
    assert np.isnan(second)
    assert made.setting.parameters == {"probability": True}


@pytest.mark.parametrize(
    ("models", "measure", "said"),
    [
        ({"labels": LabelsOnly()}, "auc", "auc: needs scores: labels[cut=0] gives only classes"),
        (SVC(), "log_loss", "log_loss needs probabilities, and SVC gives decision values"),
        (
            {"ridge": RidgeClassifier(), "line": LinearSVC()},
            "log_loss",
            "log_loss needs probabilities, and ridge, line give decision values",
        ),
    ],
)
def test_a_search_is_refused_where_no_setting_is_left(models: Any, measure: str, said: str) -> None:
    grids: Any = {"labels": {"cut": [0, 1]}, "ridge": None}
    grid = {"C": [1, 2]} if isinstance(models, SVC) else grids[next(iter(models))]
    with pytest.raises(InputError) as caught:
        heldout.select(models, grid, X, Y, measure=measure, procedure="3-fold")
    assert said in str(caught.value)


def test_models_without_probabilities_are_told_beside_those_with() -> None:
    models: Any = {"ridge": RidgeClassifier(), "lda": "lda"}
    made = heldout.select(models, None, X, Y, measure="log_loss", procedure="3-fold")
    assert made.setting.name == "lda"
    assert made.table["note"][0].endswith(
        "needs probabilities: the scores of ridge are decision values"
    )
