"""The evaluation of one of several models: by name, by model, by estimator, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import heldout
from heldout.core.errors import InputError

Y = np.arange(60) % 2
X = np.random.default_rng(3).normal(size=(60, 2)) + Y[:, None]
BAYES, NEAR, TWICE = GaussianNB(), KNeighborsClassifier(3), KNeighborsClassifier(5)
MODELS = {"bayes": BAYES, "near": NEAR, "one": TWICE, "other": TWICE, "lda": "lda"}
MADE = heldout.evaluate(MODELS, X, Y, procedure="3-fold", training_error=True)


@pytest.mark.parametrize(
    "asked", ["near", NEAR, MADE.models[1]], ids=["name", "estimator", "model"]
)
def test_one_model_is_meant_by_name_by_itself_or_by_its_estimator(asked: Any) -> None:
    one = MADE.only(asked)
    assert [model.name for model in one.models] == ["near"]
    assert list(one.outcomes) == list(one.training) == ["near"]
    results = one.results(["accuracy"])
    assert results == tuple(r for r in MADE.results(["accuracy"]) if r.model == "near")


@pytest.mark.parametrize(
    "asked", [KNeighborsClassifier(3), KNeighborsClassifier, TWICE, 0, None, ["near"]]
)
def test_what_names_no_single_model_is_refused_with_what_is_taken(asked: Any) -> None:
    words = r"only: give the name of a model \(bayes, near, one, other, lda\), one of evaluation"
    with pytest.raises(InputError, match=words):
        MADE.only(asked)
    with pytest.raises(InputError, match=r"only: give the name of a model \(bayes, near, one, ot"):
        MADE.scorecard.only(asked)


def test_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match="no model is called 'nera'; did you mean near"):
        MADE.only("nera")
    with pytest.raises(InputError, match="'zzz'; there are bayes, near, one, other, lda"):
        MADE.only("zzz")
