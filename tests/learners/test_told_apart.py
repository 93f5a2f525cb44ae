"""Estimators of one kind have names of their own: what they differ in, else a number."""

from __future__ import annotations

from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from heldout.datasets.arrays import dataset_of
from heldout.learners.model_names import named_once
from heldout.learners.request import models_for

DATA = dataset_of([[1.0], [2.0], [3.0]], [0, 1, 1])


class Opaque:
    """An estimator of a kind that tells no parameters."""

    def __init__(self, number: int) -> None:
        self.number = number

    def fit(self, X: object, y: object) -> None:
        """Nothing."""

    def predict(self, X: object) -> None:
        """Nothing."""


def names(*models: object) -> list[str]:
    return [model.name for model in models_for(list(models), DATA)]


def test_estimators_are_named_by_the_parameters_they_differ_in() -> None:
    made = names(KNeighborsClassifier(1), KNeighborsClassifier(3))
    assert made == [f"KNeighborsClassifier[n_neighbors={k}]" for k in (1, 3)]
    several = names(KNeighborsClassifier(1, weights="distance"), KNeighborsClassifier(3))
    assert several[0] == "KNeighborsClassifier[n_neighbors=1, weights=distance]"


def test_pipelines_are_named_by_the_parameters_of_their_steps() -> None:
    made = names(*(make_pipeline(StandardScaler(), KNeighborsClassifier(k)) for k in (1, 3)))
    assert made == [f"StandardScaler+KNeighborsClassifier[n_neighbors={k}]" for k in (1, 3)]


def test_what_differs_in_nothing_is_numbered_and_what_is_alone_keeps_its_name() -> None:
    same = names(KNeighborsClassifier(3), KNeighborsClassifier(3), "lda", "lda")
    assert same == ["KNeighborsClassifier", "KNeighborsClassifier (2)", "lda", "lda (2)"]
    assert names(KNeighborsClassifier(7)) == ["KNeighborsClassifier"]


def test_model_that_was_named_before_is_kept_once_with_a_note() -> None:
    kept, notes = named_once(models_for(["lda", KNeighborsClassifier(3), "lda", "lda"], DATA))
    assert [model.name for model in kept] == ["lda", "KNeighborsClassifier"]
    assert notes == ("lda was named more than once and is judged once",)


def test_names_that_the_caller_gave_stay_though_the_models_are_the_same() -> None:
    kept, notes = named_once(models_for({"first": "lda", "second": "lda"}, DATA))
    assert [model.name for model in kept] == ["first", "second"]
    assert notes == ()


def test_models_of_one_name_that_differ_stay() -> None:
    one, other = Opaque(1), Opaque(2)
    kept, notes = named_once(models_for([one, other], DATA))
    assert [model.name for model in kept] == ["Opaque", "Opaque (2)"]
    assert notes == ()
