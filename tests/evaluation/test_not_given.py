"""Models that lack what a measure needs, or that failed everywhere: rows that say so, not none."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.assess.results import Result
from heldout.core.errors import InputError

RNG = np.random.default_rng(4)
TRUTH = np.repeat([0, 1], 30)
X = RNG.normal(size=(60, 2)) + TRUTH[:, None]


class LabelsOnly(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """A tree of which nothing but classes is to be had."""

    def fit(self, X: Any, y: Any) -> LabelsOnly:
        self.classes_ = np.unique(y)
        self.tree_ = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.tree_.predict(X)


class Never(LabelsOnly):
    """Fails in every fit."""

    def fit(self, X: Any, y: Any) -> Never:
        raise RuntimeError("bad luck")


MADE = heldout.evaluate(
    {"svm": "svm", "lda": "lda", "labels": LabelsOnly(), "never": Never()},
    X,
    TRUTH,
    procedure="3-fold",
    training_error=True,
)


def row(results: tuple[Result, ...], model: str, measure: str) -> Result:
    (found,) = [r for r in results if (r.model, r.measure, r.fold) == (model, measure, "")]
    return found


def test_model_without_probabilities_keeps_its_row_with_the_reason() -> None:
    results = MADE.results(("accuracy", "brier", "auc"))
    svm, labels = row(results, "svm", "brier"), row(results, "labels", "auc")
    assert isnan(svm.value)
    assert svm.note == "not given: needs probabilities: the scores of svm are decision values"
    assert svm.n == 60
    assert labels.note.startswith("not given: needs scores: labels gives only classes")
    # in the order that was asked for, though the first model lacks the second measure
    pooled = [r.measure for r in results if r.model == "svm" and not r.fold]
    assert pooled == ["accuracy", "brier", "auc"]
    assert not any(r.fold == "training" and r.is_not_given for r in results)


def test_model_that_failed_everywhere_has_a_row_a_measure_with_the_reason() -> None:
    for results in (MADE.results(("accuracy", "brier")), MADE.results(everything=True)):
        failed = [r for r in results if r.model == "never"]
        others = {r.measure for r in results if r.model == "lda" and not (r.fold or r.class_)}
        assert {r.measure for r in failed} >= others
        assert len(failed) == len({r.measure for r in failed})
        for r in failed:
            assert (isnan(r.value), r.n, r.fold) == (True, 0, "")
            assert r.note == "not given: failed in every split: RuntimeError: bad luck"


def test_tables_show_none_and_failed_with_the_reason_below() -> None:
    text = " ".join(repr(MADE).split())
    assert "none" in text
    assert "Brier score (svm): not given: needs probabilities" in text
    assert text.count("never failed in every split: RuntimeError: bad luck") == 1
    assert "not given: failed" not in text


def test_what_no_model_has_is_shown_after_fitting_and_refused_by_name() -> None:
    made = MADE.only("labels")
    accuracy, area = (
        row(made.results(("accuracy", "auc")), "labels", m) for m in ("accuracy", "auc")
    )
    assert accuracy.is_defined
    assert area.is_not_given
    with pytest.raises(InputError, match="auc needs scores: labels gives only classes"):
        made["auc"]
    with pytest.raises(InputError, match="rmse is for regression problems"):
        made.results(("rmse",))


def test_scorecard_refuses_only_what_no_model_has() -> None:
    card = MADE.scorecard
    assert row(card.results(("brier",)), "svm", "brier").is_not_given
    with pytest.raises(InputError, match="brier needs probabilities"):
        card.only("svm").results(("brier",))


def test_note_on_scores_names_the_models_without() -> None:
    assert any(note.startswith("no scores of labels: rankings") for note in MADE.notes)
    alone = MADE.only("labels").notes
    assert any(note.startswith("no scores: rankings") for note in alone)


def test_predictions_print_in_a_line_a_model() -> None:
    assert repr(MADE.predictions).splitlines() == [
        "<predictions of svm: 60 rows, binary, 3-fold, with decision values>",
        "<predictions of lda: 60 rows, binary, 3-fold, with probabilities>",
        "<predictions of labels: 60 rows, binary, 3-fold, labels only>",
    ]


def test_predictions_of_models_that_all_failed_have_columns_and_no_rows() -> None:
    made = MADE.only("never").predictions
    assert repr(made) == "<no predictions>"
    frame = made.to_pandas()
    assert len(frame) == 0
    assert {"model", "procedure", "fold", "id", "truth", "predicted"} <= set(frame.columns)
