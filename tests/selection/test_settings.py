"""Settings: parameters set on copies, names, and parts of data that keep their groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import heldout
from heldout.core.errors import InputError
from heldout.learners.fingerprint import fingerprint_of
from heldout.selection.settings import with_parameters

PIPELINE = make_pipeline(StandardScaler(), SVC())
MIXED = make_pipeline(ColumnTransformer([("s", StandardScaler(), [0])]), LogisticRegression())


@pytest.mark.parametrize(
    ("estimator", "values"),
    [
        (SVC(), {"C": 2.0, "kernel": "linear"}),
        (PIPELINE, {"svc__C": 3, "standardscaler__with_mean": False}),
        (CalibratedClassifierCV(PIPELINE, ensemble=False), {"estimator__svc__C": 3}),
        (MIXED, {"columntransformer__s__with_std": False, "logisticregression__C": 5.0}),
        (PIPELINE, {"svc": LogisticRegression(), "memory": None}),
        (SVC(), {}),
    ],
)
def test_copies_with_parameters_are_clones_with_parameters(
    estimator: Any, values: dict[str, Any]
) -> None:
    before = fingerprint_of(estimator)
    made = with_parameters(estimator, values)
    expected = clone(estimator).set_params(**values)
    assert fingerprint_of(made) == fingerprint_of(expected)
    assert made is not estimator
    assert fingerprint_of(estimator) == before


def test_parameters_of_pipelines_have_long_names_or_those_of_the_last_step() -> None:
    how: Any = {"data": "iris", "procedure": "3-fold"}
    long = heldout.select(PIPELINE, {"svc__C": [0.1, 1.0]}, **how)
    short = heldout.select(PIPELINE, {"C": [0.1, 1.0]}, **how)
    named = heldout.select("svm", {"C": [0.1, 1.0]}, **how)
    assert np.array_equal(long.search.table, short.search.table)
    assert np.array_equal(long.search.table, named.search.table)
    with pytest.raises(InputError, match="no parameter 'svc__Cc'; did you mean svc__C"):
        heldout.select(PIPELINE, {"svc__Cc": [1.0]}, **how)


def test_names_say_what_differs_and_are_the_ones_given() -> None:
    made = heldout.select({"mine": "knn[weights=distance]"}, "n_neighbors=1,3", data="iris")
    assert [one.name for one in made.search.settings] == [
        "mine[weights=distance, n_neighbors=1]",
        "mine[weights=distance, n_neighbors=3]",
    ]


def test_scaling_of_a_named_model_is_a_parameter() -> None:
    made = heldout.select("knn", "scale=true,false; n_neighbors=5", data="wine", procedure="5-fold")
    assert made.best.parameters["scale"] is True
    assert made.search.values[0] > made.search.values[1] + 0.1


def test_a_value_that_is_written_twice_is_tried_once_and_said() -> None:
    made = heldout.select("knn", "n_neighbors=1,1,3", data="iris", procedure="2-fold")
    assert len(made.search.settings) == 2
    assert "1 setting came twice; it is tried once" in made.notes


def test_settings_that_are_the_same_are_tried_once() -> None:
    grid = [{"n_neighbors": [1, 3]}, {"n_neighbors": [3, 5]}]
    made = heldout.select("knn", grid, data="iris", procedure="3-fold")
    assert len(made.search.settings) == 3
    assert any("came twice" in note for note in made.notes)


def test_inner_folds_keep_groups_whole() -> None:
    generator = np.random.default_rng(1)
    groups = np.repeat(np.arange(24), 5)
    X, y = generator.normal(size=(120, 3)), np.tile([0, 1], 60)
    made = heldout.select("tree", {"max_depth": [1, 2]}, X, y, groups=groups, nested="3x4-fold")
    assert made.nested is not None
    for fold, outer in zip(made.nested.folds, made.nested.splits, strict=True):
        inside = np.asarray(groups)[np.unique(outer.train)]
        assert not set(inside) & set(groups[outer.test])
        for split in fold.search.splits:
            assert not set(inside[split.train]) & set(inside[split.test])


def test_an_undefined_measure_says_what_to_do() -> None:
    with pytest.raises(InputError, match="aggregate='pooled'"):
        heldout.select("knn", "n_neighbors=1,3", data="wdbc", measure="auc", procedure="loo",
                     aggregate="folds", pos_label="malignant")  # fmt: skip


def test_rows_in_time_order_have_no_interval() -> None:
    X = np.arange(60.0)[:, np.newaxis]
    y = np.sin(X[:, 0])
    made = heldout.select("knn", "n_neighbors=1,3", X, y, time=X[:, 0], procedure="time 4")
    assert made.estimate.low is None
    assert "time order" in made.estimate.note
