"""The value that stands for a measure: the same in Python and in the tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.assess.headline import chosen_results
from heldout.assess.out_of_bag import mean_out_of_bag
from heldout.core.errors import InputError


def test_value_by_name_is_the_one_of_the_table() -> None:
    made = heldout.evaluate("nb", data="wdbc", procedure="2x3-fold")
    for name in ("auc", "accuracy", "f_score"):
        shown = chosen_results(made.results((name,)))["nb", name]
        assert made[name] == shown.result
        assert made[name].low is not None
    assert made["auc"] == made["auc", "mean of folds"]
    assert made["auc", "pooled"].low is None
    assert made["auc"] == made.scorecard["auc"] == made["auc", "mean of folds"]
    assert made["auc", "pooled"] == made.scorecard["auc", "pooled"]
    assert made["auc", "pooled"].value != made["auc"].value


def test_a_class_is_still_asked_for_by_name_and_other_words_are_refused() -> None:
    made = heldout.evaluate("lda", data="iris", procedure="3-fold")
    assert made["recall", "setosa"].value == 1
    with pytest.raises(InputError, match="neither a class nor one of 'pooled'"):
        made["recall", "best"]
    with pytest.raises(InputError, match="has no value of the kind 'training'"):
        made["accuracy", "training"]
    with pytest.raises(InputError, match="ask for recall_macro"):
        made["recall"]


def test_bootstrap_stands_with_its_out_of_bag_value() -> None:
    made = heldout.evaluate("nb", data="wdbc", procedure="bootstrap 5", intervals=True)
    outcome = made.outcomes["nb"]
    right = (outcome.predicted == made.dataset.truth[outcome.rows]).astype(float)
    expected = mean_out_of_bag(right, outcome.rows)
    assert made["accuracy"].value == pytest.approx(expected)
    assert made["accuracy"].fold == "out-of-bag"
    assert made["accuracy", "mean of samples"].value != made["accuracy"].value
    text = repr(made)
    assert "out-of-bag" in text
    assert "mean of samples" in text


def test_632_plus_is_called_so_and_says_that_a_loss_is_infinite() -> None:
    X = np.arange(40.0)[:, None]
    y = (np.arange(40) % 5 == 0).astype(int)
    tree = DecisionTreeClassifier(random_state=0)
    made = heldout.evaluate({"tree": tree}, X, y, procedure=".632+ 5", pos_label=1)
    assert made["accuracy"].fold == ".632+"
    loss = made["log_loss", ".632+"]
    assert "infinite" in loss.note
    assert "too many rows" not in loss.note


class FailsOnFirstRow(DecisionTreeClassifier):  # type: ignore[misc]  # of no known type
    def fit(self, X: Any, y: Any, **more: Any) -> Any:
        if 0.0 not in np.asarray(X)[:, 0]:
            raise ValueError("the first row is needed")
        return super().fit(X, y, **more)


def test_a_model_that_failed_somewhere_has_values_without_intervals() -> None:
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    made = heldout.evaluate(
        {"bad": FailsOnFirstRow(), "good": DecisionTreeClassifier()},
        X,
        y,
        procedure="4-fold",
        pos_label=1,
    )
    found = {(r.model, r.fold): r for r in made.results(("accuracy",))}
    assert found["good", ""].low is not None
    assert found["bad", ""].low is None
    assert "of 3 of 4 splits, the others failed" in found["bad", ""].note
    assert "not a random sample" in found["bad", ""].note


class FailsAlways(DecisionTreeClassifier):  # type: ignore[misc]  # of no known type
    def fit(self, X: Any, y: Any, **more: Any) -> Any:
        raise ValueError("never")


def test_a_model_that_failed_everywhere_keeps_its_row() -> None:
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    models = {"bad": FailsAlways(), "good": DecisionTreeClassifier()}
    text = repr(heldout.evaluate(models, X, y, procedure="4-fold", pos_label=1))
    row = next(line for line in text.splitlines() if line.strip().startswith("bad "))
    assert "failed" in row
    assert "bad failed in every split: ValueError: never" in text
