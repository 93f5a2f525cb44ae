"""Exact paths of models on data sets: recognition, order of classes, blocks, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from heldout.datasets.arrays import dataset_of
from heldout.learners.exact import path as parts
from heldout.learners.exact.paths import exact_path
from heldout.learners.fit import fit_and_predict
from heldout.learners.model import Model
from heldout.procedures.splits import ListedSplits, Split
from tests.learners.exact.comparing import (
    blobs,
    holdouts,
    leave_one_out,
    path_of_arrays,
    reason_of,
    refusal,
    repeated_folds,
    slope,
)
from tests.learners.exact.crossed import exact_predictions


def assert_outcomes_equal(model: Any, dataset: Any, splits: Any) -> None:
    path = exact_path(model, dataset, splits)
    assert not isinstance(path, str), path
    (outcome,) = path.run()
    assert np.array_equal(outcome.splits, np.arange(len(splits)))
    assert outcome.path == path.name
    for place in range(0, len(splits), 3):
        here = outcome.split_of == place
        split = splits.split(place)
        (wanted,) = fit_and_predict(model, dataset, split, position=place)
        assert np.array_equal(outcome.rows[here], wanted.rows)
        assert np.allclose(outcome.predicted[here], wanted.predicted, atol=1e-8)
        assert outcome.score_kind == wanted.score_kind
        if wanted.scores is not None:
            assert outcome.scores is not None
            assert np.allclose(outcome.scores[here], wanted.scores, atol=1e-8)
        if wanted.train_counts is not None:
            assert outcome.train_counts is not None
            assert np.array_equal(outcome.train_counts[place], wanted.train_counts[0])
        assert outcome.train_rows is not None
        assert wanted.train_rows is not None
        assert outcome.train_rows[place] == wanted.train_rows[0]


@pytest.mark.parametrize("takes", ["matrix", "given"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "estimator", [LinearDiscriminantAnalysis(), RidgeClassifier(), "priors", "ties"]
)
def test_classes_in_another_order_than_sorted_come_out_right(
    takes: Any, classes: Any, estimator: Any
) -> None:
    if estimator == "priors":
        estimator = GaussianNB(priors=[0.1, 0.9] if classes == 2 else [0.1, 0.3, 0.6])
    elif estimator == "ties":
        # the vote of two neighbours is often one to one: the first class in order wins
        estimator = KNeighborsClassifier(2)
    X, y = blobs(70, 3, classes)
    names = np.array(["ash", "birch", "cedar"])[y]
    labels = ["cedar", "ash", "birch"] if classes == 3 else ["birch", "ash"]
    positive = "ash" if classes == 2 else None
    dataset = dataset_of(X, names, labels=labels, pos_label=positive)
    assert dataset.classes == tuple(labels)
    model = Model("model", estimator, dataset.task, takes, "")
    assert_outcomes_equal(model, dataset, leave_one_out(70))


@pytest.mark.parametrize("estimator", [GaussianNB(), RidgeClassifier()], ids=str)
def test_a_class_without_rows_gets_nothing(estimator: Any) -> None:
    X, y = blobs(70, 3, 2)
    names = np.array(["ash", "birch"])[y]
    dataset = dataset_of(X, names, labels=["birch", "oak", "ash"])
    model = Model("model", estimator, dataset.task, "given", "")
    assert_outcomes_equal(model, dataset, leave_one_out(70))


def test_a_data_frame_of_numbers_is_recognised_and_others_are_not() -> None:
    X, y = slope(60)
    frame = pd.DataFrame(X, columns=list("abcd"))
    dataset = dataset_of(frame, y)
    model = Model("model", Ridge(), dataset.task, "given", "")
    assert_outcomes_equal(model, dataset, repeated_folds(60, 8, 1))
    mixed = dataset_of(frame.assign(a=frame["a"].astype("float32")), y)
    assert "not plain numbers" in reason_of(exact_path(model, mixed, leave_one_out(60)))


def test_blocks_are_small_and_add_up(monkeypatch: Any) -> None:
    X, y = blobs(90)
    splits = leave_one_out(90)
    path = path_of_arrays(LinearDiscriminantAnalysis(), X, y, splits)
    assert not isinstance(path, str)
    (whole,) = path.run()
    monkeypatch.setattr(parts, "FLOATS", 7 * path.learner.width)
    pieces = list(path.run(slice(10, 60)))
    assert [len(piece.splits) for piece in pieces] == [7, 7, 7, 7, 7, 7, 7, 1]
    assert np.array_equal(np.concatenate([piece.splits for piece in pieces]), np.arange(10, 60))
    scores = np.concatenate([piece.scores for piece in pieces])
    assert whole.scores is not None
    assert np.allclose(scores, whole.scores[10:60], atol=1e-12)


def test_parts_of_repeats_are_cut_where_asked() -> None:
    splits = repeated_folds(30, 4, 3)
    tested = parts.TestParts(splits)
    for start, stop in [(0, 12), (3, 9), (5, 6), (7, 8)]:
        wanted = [splits.split(position).test for position in range(start, stop)]
        assert np.array_equal(tested.rows(start, stop), np.concatenate(wanted))


def test_splits_that_keep_or_repeat_rows_are_refused() -> Any:
    X, y = blobs(40)
    rows = np.arange(40)

    def reason(train: Any, test: Any, validation: Any = None) -> Any:
        split = Split(1, 1, np.asarray(train), np.asarray(test), validation)
        splits = ListedSplits("listed", 40, 0, (), (split,))
        return refusal(GaussianNB(), X, y, splits)

    assert "settings" in reason(rows[20:], rows[:10], rows[10:20])
    assert "all rows but" in reason(np.repeat(rows[:20], 2), rows[20:])
    assert "all rows but" in reason(rows[20:], rows[:10])
    assert "all rows but" in reason(np.repeat(rows[20:30], 2), rows[:20])


class Subclass(GaussianNB):  # type: ignore[misc]  # of no known type
    """Might do anything."""


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        (Subclass(), "Subclass has no exact path"),
        (LogisticRegression(), "no exact path"),
        (make_pipeline(PCA(2), GaussianNB()), "PCA must be refitted"),
        (make_pipeline(StandardScaler(with_mean=False), GaussianNB()), "in full"),
        (make_pipeline(StandardScaler(), StandardScaler(), GaussianNB()), "must be refitted"),
        (make_pipeline(GaussianNB(), memory="cache"), "cache"),
        (Ridge(), "not for this task"),
        (LinearDiscriminantAnalysis(tol=None), "cannot be prepared"),
    ],
    ids=str,
)
def test_models_without_an_exact_path_say_why(estimator: Any, reason: Any) -> None:
    X, y = blobs()
    dataset = dataset_of(X, y)
    model = Model("model", estimator, dataset.task, "matrix", "")
    assert reason in reason_of(exact_path(model, dataset, leave_one_out(120)))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda X: np.where(X > 2.5, np.nan, X), "missing"),
        (lambda X: X.astype(np.float32), "float32"),
        (lambda X: X.astype(object), "object"),
        (lambda X: X[:, 0], "array of numbers"),
        (lambda X: X[:50], "other rows"),
    ],
)
def test_data_without_an_exact_path_say_why(change: Any, reason: Any) -> None:
    X, y = blobs()
    assert reason in refusal(GaussianNB(), change(X), y[: len(change(X))], leave_one_out(120))


def test_an_imputer_of_complete_data_does_nothing() -> None:
    X, y = blobs()
    model = make_pipeline(SimpleImputer(), StandardScaler(), GaussianNB())
    path = path_of_arrays(model, X, y, leave_one_out(120))
    plain = path_of_arrays(model[1:], X, y, leave_one_out(120))
    assert not isinstance(path, str)
    assert not isinstance(plain, str)
    assert np.array_equal(next(path.run()).scores, next(plain.run()).scores)


@pytest.mark.parametrize("splits", [leave_one_out(60), repeated_folds(60, 6), holdouts(60)])
def test_predictions_are_complete_with_what_must_be_refitted(splits: Any) -> None:
    X, y = blobs(60)
    y[11] = 7
    names = np.array(list("abcdefgh"))[y]
    made = exact_predictions(GaussianNB(), X, names, splits)
    for position in range(len(splits)):
        split = splits.split(position)
        here = made.split_of == position
        fitted = GaussianNB().fit(X[split.train], names[split.train])
        assert np.array_equal(made.predicted[here], fitted.predict(X[split.test]))
        known = np.searchsorted(np.unique(names), fitted.classes_)
        wanted = fitted.predict_proba(X[split.test])
        assert made.scores is not None
        assert np.allclose(made.scores[here][:, known], wanted, atol=1e-8)
    assert made.path == "Gaussian naive Bayes: updated sums"
    assert len(made.refitted) == (1 if splits.rows == len(splits) else len(made.refitted))
    assert 0 < len(made.refitted) < len(splits)


def test_predictions_without_a_path_say_so() -> None:
    X, y = blobs(30)
    made = exact_predictions(LogisticRegression(), X, y, repeated_folds(30, 3, 1))
    assert (made.path, len(made.refitted)) == ("refit", 3)
    assert "no exact path" in made.reason
