"""Models whose scores are of one kind in some splits and of another in others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.utils.metaestimators import available_if

import heldout
from heldout.runner.export import table_of_run
from heldout.runner.store import Store

X = np.random.default_rng(0).normal(size=(16, 3))
ONE_POSITIVE = np.array([1] + [0] * 15)
ONE_OF_A_THIRD = np.array([2] + [0] * 7 + [1] * 8)
HALVES = np.arange(16) % 2
NO_SCORES = "m gave decision values in some splits and no scores in others: only its classes count"


class Sometimes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """Naive Bayes with probabilities where it trained on the first row, and else with less."""

    def __init__(self, other: str = "") -> None:
        self.other = other

    def fit(self, X_: Any, y: Any) -> Sometimes:
        self.inner_ = GaussianNB().fit(X_, y)
        self.classes_ = self.inner_.classes_
        self.kind_ = "probability" if (X[0] == X_).all(axis=1).any() else self.other
        return self

    def predict(self, X_: Any) -> Any:
        return self.inner_.predict(X_)

    @available_if(lambda self: self.kind_ == "probability")
    def predict_proba(self, X_: Any) -> Any:
        return self.inner_.predict_proba(X_)

    @available_if(lambda self: self.kind_ == "decision")
    def decision_function(self, X_: Any) -> Any:
        return np.log(self.inner_.predict_proba(X_)[:, 1])


def evaluated(model: Any, y: Any, **options: Any) -> heldout.Evaluation:
    models = {"m": model, "d": DummyClassifier()}
    return heldout.evaluate(models, X, y, procedure="loo", **options)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("model", "y"),
    [
        (RidgeClassifier(), ONE_POSITIVE),
        (SVC(decision_function_shape="ovo"), ONE_OF_A_THIRD),
    ],
    ids=["ridge, one class", "ovo, two of three classes"],
)
def test_decision_values_in_some_splits_only_leave_all_classes(
    model: Any, y: Any, exact: bool
) -> None:
    made = evaluated(model, y, exact=exact)
    outcome = made.outcomes["m"]
    assert outcome.failures == ()
    assert outcome.scores is None
    refitted = cross_val_predict(model, X, y, cv=LeaveOneOut())
    assert np.array(made.dataset.classes)[outcome.predicted].tolist() == refitted.tolist()
    assert NO_SCORES in made.notes
    (why,) = {r.note for r in made.results(["auc"]) if r.model == "m" and not r.fold}
    assert NO_SCORES in why
    # the others have what they always had
    alone = heldout.evaluate({"d": DummyClassifier()}, X, y, procedure="loo", exact=exact)
    beside, own = (done.outcomes["d"].scores for done in (made, alone))
    assert beside is not None
    assert own is not None
    assert beside.tobytes() == own.tobytes()


@pytest.mark.parametrize(("other", "named"), [("", "no scores"), ("decision", "decision values")])
def test_probabilities_in_some_splits_only_leave_all_classes(other: str, named: str) -> None:
    made = evaluated(Sometimes(other), HALVES)
    assert made.outcomes["m"].scores is None
    assert len(made.outcomes["m"].splits) == len(X)
    assert any(
        f"m gave probabilities in some splits and {named} in others" in n for n in made.notes
    )


def test_mixed_scores_from_the_store_are_those_of_the_run(tmp_path: Path) -> None:
    first = evaluated(RidgeClassifier(), ONE_POSITIVE, store=tmp_path)
    again = evaluated(RidgeClassifier(), ONE_POSITIVE, store=tmp_path)
    assert again.outcomes.reused == 32  # type: ignore[attr-defined]  # a run's outcomes
    for made in (first, again):
        assert made.outcomes["m"].mixed_kinds == ("", "decision")
        assert NO_SCORES in made.notes
    assert again.outcomes["m"].predicted.tolist() == first.outcomes["m"].predicted.tolist()
    notes: list[str] = []
    table = table_of_run(Store(tmp_path), 1, notes)
    assert notes == [NO_SCORES]
    assert (table["model"] == "m").sum() == len(X)


def test_choice_goes_on_where_a_setting_gives_scores_in_some_splits_only() -> None:
    grid = {"other": ["", "decision", "probability"]}
    made = heldout.select(Sometimes(), grid, X, HALVES, procedure="loo", measure="accuracy")
    values = {one.value for one in made.search.scores}
    assert len(made.search.scores) == 3
    assert len(values) == 1
    assert np.isfinite(values.pop())
