"""Support vector machines under leave-one-out: the labels of refitting, with fewer fits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tests.learners.exact.comparing import (
    assert_equals_refit,
    blobs,
    leave_one_out,
    path_of_arrays,
    refusal,
    repeated_folds,
)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "settings",
    [
        {"kernel": "linear"},
        {"kernel": "linear", "C": 0.1, "decision_function_shape": "ovo"},
        {"kernel": "rbf", "gamma": 0.2},
        {"kernel": "poly", "gamma": "auto", "degree": 2},
    ],
    ids=str,
)
def test_labels_equal_refitting_and_decisions_to_the_tolerance(settings: Any, classes: Any) -> None:
    X, y = blobs(80, 3, classes)
    path = assert_equals_refit(SVC(**settings), X, y, leave_one_out(80), tolerance=0.02)
    assert "solver's tolerance" in path.name


def test_rows_with_weight_equal_refitting_exactly() -> None:
    X, y = blobs(80, 3, 3)
    path = path_of_arrays(SVC(kernel="linear"), X, y, leave_one_out(80))
    assert not isinstance(path, str)
    learner: Any = path.learner
    _, supports = learner._whole
    model = SVC(kernel="linear", decision_function_shape="ovo")
    row = int(np.flatnonzero(supports.sum(axis=1) == 2)[0])
    others = np.arange(80) != row
    wanted = model.fit(X[others], y[others]).decision_function(X[row : row + 1])[0]
    for pair in np.flatnonzero(supports[row]):
        assert learner._refit(row, int(pair)) == wanted[pair]


def test_machines_of_other_pairs_are_not_refitted(monkeypatch: Any) -> Any:
    X, y = blobs(90, 2, 3, seed=6)
    path = path_of_arrays(SVC(kernel="linear"), X, y, leave_one_out(90))
    assert not isinstance(path, str)
    seen: list[int] = []
    learner: Any = path.learner
    kept = type(learner)._refit

    def counted(self: Any, row: Any, place: Any) -> Any:
        seen.append(row)
        return kept(self, row, place)

    monkeypatch.setattr(type(learner), "_refit", counted)
    list(path.run())
    _, supports = learner._whole
    assert len(seen) == supports.sum() < 90 * 3 // 2


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        (SVC(), "gamma"),
        (SVC(kernel="linear", class_weight="balanced"), "class_weight"),
        (SVC(kernel="linear", max_iter=5), "max_iter"),
        (SVC(kernel="linear", break_ties=True), "break_ties"),
        (make_pipeline(StandardScaler(), SVC(kernel="linear")), "scaled"),
    ],
    ids=str,
)
def test_what_is_not_known_is_refused(estimator: Any, reason: Any) -> None:
    X, y = blobs()
    assert reason in refusal(estimator, X, y, leave_one_out(120))


def test_parts_of_several_rows_are_refused() -> None:
    X, y = blobs()
    reason = path_of_arrays(SVC(kernel="linear"), X, y, repeated_folds(120, 10))
    assert isinstance(reason, str)
    assert "one by one" in reason


def test_machine_whose_intercept_no_row_fixes_is_refitted() -> None:
    # all weights are C: without the first row, which has none, the intercept moves by 0.66
    X = np.array([[0.9], [-0.7], [-1.3], [-0.6], [0.0], [-2.3], [-0.2]])
    y = np.arange(7) % 2
    model = SVC(kernel="linear", C=0.1).fit(X, y)
    assert np.abs(model.dual_coef_).min() == pytest.approx(0.1)
    assert 0 not in model.support_
    assert_equals_refit(SVC(kernel="linear", C=0.1), X, y, leave_one_out(7), tolerance=1e-6)
