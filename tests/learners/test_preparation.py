"""Preparation is built by what the columns are, and fitted on the training part alone."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import Pipeline

from heldout.core.errors import InputError
from heldout.datasets.arrays import dataset_of
from heldout.datasets.dataset import Dataset
from heldout.learners.fit import fit_and_predict, fresh
from heldout.learners.mixed_naive_bayes import MixedNaiveBayes
from heldout.learners.named import MODELS
from heldout.learners.request import models_for
from heldout.procedures.splits import Split

ROWS = 60
RNG = np.random.Generator(np.random.PCG64(5))


def mixed(target: object = None, *, gaps: bool = True) -> Dataset:
    """Numbers and names, with gaps in both."""
    number = RNG.normal(size=ROWS)
    other = RNG.normal(size=ROWS)
    name = RNG.choice(["red", "green", "blue"], ROWS).astype(object)
    if gaps:
        number[::7] = np.nan
        name[::11] = None
    frame = pd.DataFrame({"number": number, "other": other, "name": name})
    y = (np.nan_to_num(number) + other > 0).astype(int) if target is None else target
    return dataset_of(frame, y)


MIXED = mixed()
TRAIN, TEST = np.arange(0, 40), np.arange(40, 60)


@pytest.mark.parametrize("name", [m.name for m in MODELS if m.classifier and m.name != "ripper"])
def test_every_named_classifier_takes_names_and_gaps(name: str) -> None:
    small = {
        "boosting": "[max_iter=2]",
        "forest": "[n_estimators=3]",
        "bagging": "[n_estimators=3]",
    }
    (model,) = models_for(name + small.get(name, ""), MIXED)
    (outcome,) = fit_and_predict(model, MIXED, Split(1, 1, TRAIN, TEST))
    assert outcome.predicted.shape == (20,)
    assert model.takes == "matrix"
    assert model.preparation


@pytest.mark.parametrize("name", [m.name for m in MODELS if m.regressor])
def test_every_named_regressor_takes_names_and_gaps(name: str) -> None:
    data = mixed(RNG.normal(size=ROWS))
    small = {
        "boosting": "[max_iter=2]",
        "forest": "[n_estimators=3]",
        "bagging": "[n_estimators=3]",
    }
    (model,) = models_for(name + small.get(name, ""), data)
    (outcome,) = fit_and_predict(model, data, Split(1, 1, TRAIN, TEST))
    assert np.isfinite(outcome.predicted).all()


@pytest.mark.parametrize("name", ["lda", "nb", "tree", "forest", "prior", "boosting"])
def test_bare_estimator_is_enough_for_plain_numbers(name: str) -> None:
    data = dataset_of(RNG.normal(size=(ROWS, 3)), np.arange(ROWS) % 2)
    (model,) = models_for(name, data)
    assert not isinstance(model.estimator, Pipeline)
    assert model.preparation[0].startswith("none needed")


def test_median_that_fills_gaps_is_that_of_the_training_part() -> None:
    (model,) = models_for("logistic", MIXED)
    for train in (TRAIN, TEST):
        estimator = fresh(model, 0, 1, 1).fit(MIXED.matrix[train], MIXED.truth[train])
        numbers = estimator.named_steps["columns"].named_transformers_["numbers"]
        wanted = np.nanmedian(MIXED.matrix[train][:, :2], axis=0)
        assert numbers.named_steps["impute"].statistics_ == pytest.approx(wanted)
        assert numbers.named_steps["scale"].n_samples_seen_ == len(train)


def test_level_that_the_training_part_lacks_is_no_error() -> None:
    names = np.array(["a", "b"] * 20 + ["new", "a"] * 10, object)
    frame = pd.DataFrame({"name": names, "x": np.arange(60.0)})
    data = dataset_of(frame, np.arange(60) % 2)
    for name in ("knn", "nb", "logistic", "tree", "boosting[max_iter=2]"):
        (model,) = models_for(name, data)
        (outcome,) = fit_and_predict(model, data, Split(1, 1, TRAIN, TEST))
        assert len(outcome.predicted) == 20


def test_column_without_values_in_the_training_part_is_no_error() -> None:
    number = np.full(60, np.nan)
    number[40:] = 1.0
    data = dataset_of(np.column_stack([number, np.arange(60.0)]), np.arange(60) % 2)
    for name in ("knn", "lda", "nb", "tree"):
        (model,) = models_for(name, data)
        (outcome,) = fit_and_predict(model, data, Split(1, 1, TRAIN, TEST))
        assert len(outcome.predicted) == 20


def test_naive_bayes_is_chosen_by_the_kinds_of_the_features() -> None:
    y = np.arange(ROWS) % 2
    names = pd.DataFrame({"a": list("xyz") * 20, "b": list("pq") * 30})
    (model,) = models_for("nb", dataset_of(names, y))
    assert type(model.estimator) is CategoricalNB
    assert model.estimator.min_categories == [3, 2]
    assert (
        type(models_for("nb", dataset_of(RNG.normal(size=(ROWS, 2)), y))[0].estimator) is GaussianNB
    )
    assert type(models_for("nb", MIXED)[0].estimator) is MixedNaiveBayes


def test_boosting_is_told_which_columns_are_names() -> None:
    (model,) = models_for("boosting", MIXED)
    assert type(model.estimator) is HistGradientBoostingClassifier
    assert model.estimator.categorical_features == [2]


def test_constant_column_does_not_break_the_quadratic_discriminant() -> None:
    X = np.column_stack([RNG.normal(size=(ROWS, 2)), np.ones(ROWS)])
    data = dataset_of(X, np.arange(ROWS) % 2)
    (model,) = models_for("qda", data)
    assert "constant in the training part" in model.preparation[-1]
    (outcome,) = fit_and_predict(model, data, Split(1, 1, TRAIN, TEST))
    assert outcome.scores is not None


def test_rare_levels_of_many_are_joined() -> None:
    names = [f"n{number % 150}" for number in range(300)]
    data = dataset_of(pd.DataFrame({"name": names, "x": np.arange(300.0)}), np.arange(300) % 2)
    (model,) = models_for("logistic", data)
    assert any("more than 100 levels" in words for words in model.preparation)
    (outcome,) = fit_and_predict(model, data, Split(1, 1, np.arange(200), np.arange(200, 300)))
    assert len(outcome.predicted) == 100


def test_sparse_matrix_goes_to_learners_that_take_it_and_others_are_refused() -> None:
    X = sparse.random(ROWS, 20, density=0.3, rng=RNG, format="csr")
    data = dataset_of(X, np.arange(ROWS) % 2)
    for name in ("logistic", "knn", "tree", "majority"):
        (model,) = models_for(name, data)
        assert model.takes == "given"
        (outcome,) = fit_and_predict(model, data, Split(1, 1, TRAIN, TEST))
        assert len(outcome.predicted) == 20
    for name in ("lda", "nb", "nb[var_smoothing=0.1]"):
        with pytest.raises(InputError, match=f"^{re.escape(name)} takes no sparse matrix"):
            models_for(name, data)


def test_names_and_aliases_are_unique_and_every_model_says_what_to_take_instead() -> None:
    known = [alias for model in MODELS for alias in (model.name, *model.aliases)]
    assert len(set(known)) == len(known)
    names = {model.name for model in MODELS}
    for model in MODELS:
        if not (model.classifier and model.regressor):
            assert model.instead in names
