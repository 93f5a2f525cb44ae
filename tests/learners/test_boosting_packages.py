"""Boosting packages of others: text labels, and heldout's preparation in front of them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import cross_val_predict
from sklearn.svm import LinearSVC

import heldout
from tests.cli.running import call

#: a class, and settings that make it quick and silent
PACKAGES = {
    "lightgbm": ("LGBMClassifier", {"n_estimators": 5, "verbose": -1, "n_jobs": 1}),
    "xgboost": ("XGBClassifier", {"n_estimators": 5, "n_jobs": 1}),
    "catboost": (
        "CatBoostClassifier",
        {"iterations": 5, "verbose": 0, "allow_writing_files": False, "thread_count": 1},
    ),
}
ROWS = 90
GENERATOR = np.random.default_rng(5)
LABELS = GENERATOR.choice(["maybe", "no", "yes"], ROWS)
FRAME = pd.DataFrame(
    {
        "size": np.where(LABELS == "yes", 2.0, 0.0) + GENERATOR.normal(size=ROWS),
        "kind": np.where(LABELS == "no", "u", GENERATOR.choice(["v", "w"], ROWS)),
        "answer": LABELS,
    }
)
FRAME.loc[3, "size"] = np.nan


def estimator_of(package: str) -> Any:
    try:
        module = import_module(package)
    except (ImportError, OSError) as error:  # OSError: a library of the system is missing
        pytest.skip(f"{package} cannot be loaded: {error}")
    name, settings = PACKAGES[package]
    return getattr(module, name)(**settings)


@pytest.mark.parametrize("package", PACKAGES)
def test_classifier_of_a_boosting_package_takes_text_labels(package: str) -> None:
    X = FRAME[["size"]].fillna(0.0).to_numpy()
    made = heldout.evaluate(estimator_of(package), X, LABELS, procedure="3-fold")
    assert made.outcomes[made.models[0].name].failures == ()
    assert made["accuracy"].value > 0.4
    assert made["log_loss"].value < 1.2


@pytest.mark.parametrize("package", PACKAGES)
def test_prepared_classifier_takes_names_and_gaps(package: str) -> None:
    model = heldout.prepared(estimator_of(package))
    made = heldout.evaluate(model, data=FRAME, target="answer", procedure="3-fold")
    assert made.outcomes[made.models[0].name].failures == ()
    assert made["accuracy"].value > 0.6


@pytest.mark.parametrize("package", PACKAGES)
def test_prepared_classifier_of_the_command_line(
    package: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    estimator_of(package)
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("answers.csv", index=False)
    name, settings = PACKAGES[package]
    inside = ", ".join(f"{key}={value}" for key, value in settings.items())
    asked = f"prepare:{package}:{name}[{inside}]"
    run = ("--procedure", "holdout 70:30", "--no-store", "--fail-on-error")
    done = call(capsys, "evaluate", "answers.csv", "--models", asked, *run)
    assert done.code == 0, done.err
    assert f"prepare:{package}:{name}" in "".join(done.out.split())


def test_labels_of_a_training_part_without_a_class_leave_no_gap() -> None:
    labels = ["a"] * 20 + ["b"] * 20 + ["c"] * 4
    X = np.arange(44.0)[:, np.newaxis]
    folds = ["one"] * 10 + ["two"] * 10 + ["one"] * 10 + ["two"] * 10 + ["two"] * 4
    made = heldout.evaluate(estimator_of("xgboost"), X, labels, folds=folds)
    assert made.outcomes["XGBClassifier"].failures == ()


def test_chosen_model_that_needs_numbers_answers_with_labels() -> None:
    X = FRAME[["size"]].fillna(0.0)
    made = heldout.select(
        estimator_of("xgboost"), {"max_depth": [1, 2]}, X, LABELS, procedure="holdout 70:30"
    )
    assert set(made.model.predict(X)) <= {"maybe", "no", "yes"}


class Asking(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """Refuses labels that are no text."""

    def fit(self, X: Any, y: Any) -> Asking:
        assert np.asarray(y).dtype.kind in "UO"
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[:1], len(X))


def test_other_classifiers_are_given_the_labels_themselves() -> None:
    made = heldout.evaluate(Asking(), FRAME[["size"]], LABELS, procedure="3-fold")
    assert made.outcomes["Asking"].failures == ()


def test_preparation_in_front_of_any_estimator_is_fitted_in_each_training_part() -> None:
    made = heldout.evaluate(
        heldout.prepared(LinearSVC(), scale=True), data=FRAME, target="answer", procedure="3-fold"
    )
    (model,) = made.models
    assert model.name == "prepared LinearSVC"
    assert [step for step in model.preparation if "median" in step]
    assert [step for step in model.preparation if "categorical (1 column)" in step]
    again = cross_val_predict(model.estimator, made.dataset.matrix, made.dataset.truth, cv=3)
    assert len(again) == ROWS
    assert made["accuracy"].value > 0.6


def test_model_that_fails_on_names_is_told_of_the_preparation() -> None:
    made = heldout.evaluate(LinearSVC(), data=FRAME, target="answer", procedure="3-fold")
    assert any("heldout.prepared(estimator)" in note for note in made.notes)
