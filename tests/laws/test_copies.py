"""A law of results: at any time they can be copied and pickled, and say the same after it."""

from __future__ import annotations

import copy
import pickle
from threading import Lock
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

import heldout
from heldout.measures.registry import measures
from heldout.runner.state import Silent

X, Y = (part[:120] for part in load_breast_cancer(return_X_y=True))
X = X[:, :4]
GROUPS = np.arange(len(Y)) % 30


class Watched(Silent):
    """Progress that cannot be pickled, as one with a lock or a screen cannot."""

    def __init__(self) -> None:
        self.lock = Lock()


def nested(measure: str) -> Any:
    grid = {"n_neighbors": [1, 7]}
    return heldout.select(
        "knn", grid, X, Y, measure=measure, nested="3x3-fold", progress=Watched(), draws=40
    )


def regression() -> Any:
    rows, values = (part[:80] for part in load_diabetes(return_X_y=True))
    return heldout.select("ridge", {"alpha": [0.1, 1.0]}, rows, values, training_error=True)


def by_race() -> Any:
    return heldout.select("tree", {"max_depth": [1, 3]}, X, Y, race=True, procedure="5-fold")


def by_test_part() -> Any:
    return heldout.select("svm", {"C": [0.1, 1]}, X, Y, procedure="holdout 50:20:30")


def by_groups() -> Any:
    weight = 1.0 + GROUPS % 3
    return heldout.evaluate("lda", X, Y, groups=GROUPS, sample_weight=weight, procedure="5-fold")


def two() -> Any:
    return heldout.evaluate("lda,knn", X, Y, procedure="2x3-fold")


MADE = {
    "nested accuracy": lambda: nested("accuracy"),
    "nested f1": lambda: nested("f1"),
    "regression": regression,
    "race": by_race,
    "test part": by_test_part,
    "groups": by_groups,
    "bootstrap": lambda: heldout.evaluate("nb", X, Y, procedure=".632+ 20"),
    "two models": two,
    "comparison": lambda: heldout.compare(two()),
    "scorecard": lambda: heldout.score(Y, (X[:, 0] < 14).astype(int), profit=[[1, -1], [-2, 3]]),
    "scores": lambda: heldout.score(Y, y_score=1 / X[:, 0]),
}


@pytest.mark.parametrize("name", MADE)
def test_a_result_can_be_copied_before_and_after_it_was_shown(name: str) -> None:
    made = MADE[name]()
    fresh = pickle.loads(pickle.dumps(made))
    shown = repr(made)
    made._repr_html_()
    for again in (fresh, pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
        assert repr(again) == shown


def test_a_measure_is_copied_by_its_name() -> None:
    for one in measures():
        assert pickle.loads(pickle.dumps(one)) is one
        assert copy.deepcopy(one) is one
