"""Procedures in scikit-learn's functions, and scikit-learn's splitters as procedures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn import model_selection as sk
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import heldout
from heldout.core.errors import InputError
from heldout.procedures.from_splitter import FromSplitter
from heldout.procedures.parse import parse_procedure
from heldout.procedures.splits import ListedSplits, PartitionSplits

X, y = load_iris(return_X_y=True)
GROUPS = np.arange(150) // 5

ALL = [
    heldout.KFold(5),
    heldout.KFold(3, repeats=2),
    heldout.Holdout(),
    heldout.Holdout("50:20:30", repeats=3),
    heldout.LeaveOneOut(),
    heldout.Bootstrap(4),
    heldout.TimeOrdered(3),
]


@pytest.mark.parametrize("procedure", ALL, ids=str)
def test_procedure_is_a_cv_of_scikit_learn(procedure: heldout.KFold) -> None:
    assert sk.check_cv(procedure, y, classifier=True) is procedure
    known = procedure.splits(150, truth=y)
    assert procedure.get_n_splits(X, y) == len(known)
    for (train, test), split in zip(procedure.split(X, y), known, strict=True):
        assert train.tolist() == split.train.tolist()
        assert test.tolist() == split.test.tolist()
    found = sk.cross_validate(DummyClassifier(), X, y, cv=procedure)
    assert len(found["test_score"]) == len(known)


@pytest.mark.parametrize("procedure", [heldout.KFold(5), heldout.LeaveOneOut()], ids=str)
def test_partition_predicts_every_row(procedure: heldout.KFold) -> None:
    model = make_pipeline(GaussianNB())
    some, labels = X[::5], y[::5]
    predicted = sk.cross_val_predict(model, some, labels, cv=procedure)
    for split in procedure.splits(30, truth=labels):
        model.fit(some[split.train], labels[split.train])
        assert (model.predict(some[split.test]) == predicted[split.test]).all()


def test_grid_search_takes_and_clones_a_procedure() -> None:
    search = clone(sk.GridSearchCV(Ridge(), {"alpha": [0.1, 10.0]}, cv=heldout.KFold(5, bins=4)))
    assert search.cv == heldout.KFold(5, bins=4)
    assert "KFold(folds=5" in repr(search)
    search.fit(*load_diabetes(return_X_y=True))
    assert search.n_splits_ == 5


def test_groups_reach_the_procedure_with_and_without_routing() -> None:
    for procedure in (heldout.KFold(5, grouped=True), heldout.LeaveOneGroupOut()):
        count = procedure.get_n_splits(X, y, GROUPS)
        found = sk.cross_validate(DummyClassifier(), X, y, cv=procedure, groups=GROUPS)
        assert len(found["test_score"]) == count
        with sklearn.config_context(enable_metadata_routing=True):
            found = sk.cross_validate(
                DummyClassifier(), X, y, cv=procedure, params={"groups": GROUPS}
            )
        assert len(found["test_score"]) == count


def test_target_that_is_a_number_is_not_stratified_by_default() -> None:
    _, numbers = load_diabetes(return_X_y=True)
    for train, test in heldout.KFold(10).split(numbers, numbers):
        assert len(train) + len(test) == 442
    labels = np.where(numbers > 140, "high", "low")
    shares = [(labels[test] == "low").sum() for _, test in heldout.KFold(10).split(labels, labels)]
    assert max(shares) - min(shares) <= 1
    two_columns = np.stack([numbers, numbers], axis=1)
    assert len(list(heldout.KFold(3).split(two_columns, two_columns))) == 3


def test_rows_of_leave_one_out_must_be_known_to_count_splits() -> None:
    with pytest.raises(InputError, match="depends on X"):
        heldout.LeaveOneOut().get_n_splits()


def test_folds_of_a_data_frame_are_found_by_name() -> None:
    frame = pd.DataFrame({"x": range(6), "fold": [1, 2, 3, 1, 2, 3]})
    procedure = heldout.PredefinedFolds("fold")
    assert procedure.get_n_splits(frame) == 3
    assert [test.tolist() for _, test in procedure.split(frame)] == [[0, 3], [1, 4], [2, 5]]
    with pytest.raises(InputError, match="no such column"):
        procedure.get_n_splits(X)


@pytest.mark.parametrize(
    ("splitter", "kind", "repeats", "folds"),
    [
        (sk.KFold(5), PartitionSplits, 1, 5),
        (sk.StratifiedKFold(5, shuffle=True), PartitionSplits, 1, 5),
        (sk.RepeatedStratifiedKFold(n_splits=3, n_repeats=4), PartitionSplits, 4, 3),
        (sk.LeaveOneOut(), PartitionSplits, 1, 150),
        (sk.ShuffleSplit(6, test_size=0.4), ListedSplits, 6, 1),
        (sk.TimeSeriesSplit(4), ListedSplits, 1, 4),
        (sk.GroupKFold(3), PartitionSplits, 1, 3),
        (sk.PredefinedSplit(np.arange(150) % 3), PartitionSplits, 1, 3),
    ],
    ids=lambda value: type(value).__name__,
)
def test_splitter_of_scikit_learn_is_a_procedure(
    splitter: object, kind: type, repeats: int, folds: int
) -> None:
    procedure = parse_procedure(splitter)
    splits = procedure.splits(150, truth=y, groups=GROUPS, seed=3)
    assert isinstance(splits, kind)
    assert max(s.repeat for s in splits) == repeats
    assert max(s.fold for s in splits) == folds
    assert procedure.splits(150, truth=y, groups=GROUPS, seed=3).fingerprint == splits.fingerprint
    assert procedure == FromSplitter(splitter)


def test_splitter_that_shuffles_is_given_the_seed_and_stays_as_it_was() -> None:
    splitter = sk.ShuffleSplit(2)
    splits = parse_procedure(splitter).splits(150, seed=8)
    assert splitter.random_state is None
    assert any("was given the seed 8" in text for text in splits.notes)
    other = next(iter(sk.ShuffleSplit(2, random_state=8).split(X)))
    assert splits[0].test.tolist() == np.sort(other[1]).tolist()


def test_splitter_that_parts_groups_or_warns_is_noted() -> None:
    notes = parse_procedure(sk.KFold(4)).splits(150, truth=y, groups=GROUPS).notes
    assert "trains on and tests the same group 6 times" in notes[-1]  # three groups in two folds
    assert any("groups parameter is ignored" in text for text in notes)
    assert parse_procedure(sk.GroupKFold(3)).splits(150, groups=GROUPS).notes == ()


def test_pairs_of_rows_are_a_procedure() -> None:
    pairs = [([0, 1], [2, 3]), (np.array([False, False, True, True]), [0, 1])]
    splits = parse_procedure(pairs).splits(4)
    assert isinstance(splits, PartitionSplits)
    assert splits.assignment.tolist() == [[1, 1, 0, 0]]
    assert str(parse_procedure(pairs)) == "2 given splits"


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([([0, 1], [1, 2])], "row 2 is in two parts"),
        ([([0, 1], [])], "has no row to test"),
        ([([0, 1], [9])], "row 10 is asked for, of 4 rows"),
        ([([0, 1], [-1])], "not among the 4 rows"),
        ([([0, 1], [2, 2])], "more than once"),
        ([], "there is no split"),
        ([([0.5], [1.5])], "whole numbers or a mask"),
    ],
)
def test_pairs_that_cannot_be_are_refused(pairs: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_procedure(pairs).splits(4)


def test_refusal_of_a_splitter_is_told() -> None:
    with pytest.raises(InputError, match=r"StratifiedKFold.*cannot split these rows"):
        parse_procedure(sk.StratifiedKFold(5)).splits(4, truth=np.array([0, 0, 1, 1]))


def test_folds_are_asked_for_as_in_scikit_learn() -> None:
    asked = heldout.KFold(n_splits=5, n_repeats=2, shuffle=True, random_state=3)
    assert str(asked) == "2x5-fold seed 3"
    assert str(parse_procedure(np.int64(4))) == "4-fold"
    search = heldout.SelectCV("knn", {"n_neighbors": [1, 3]}, cv=3).fit(np.eye(12), [0, 1, 1] * 4)
    assert search.selection_.splits.procedure == "3-fold"


def called(function: Any, **given: Any) -> Any:
    return function("knn", **given)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: heldout.KFold(n_splits=5, shuffle=False), "give sklearn.model_selection.KFold"),
        (lambda: parse_procedure(sk.KFold), r"KFold is a class.*: KFold\(\)"),
        (lambda: parse_procedure("5"), "write 5-fold"),
        (lambda: called(heldout.select, scoring="auc"), "did you mean measure"),
        (lambda: called(heldout.evaluate, seed=1), "did you mean random_state"),
        (lambda: called(heldout.evaluate, group=1), "did you mean groups"),
    ],
)
def test_other_ways_to_ask_are_refused_with_the_right_one(wrong: Any, said: str) -> None:
    with pytest.raises((heldout.InputError, TypeError), match=said):
        wrong()
