"""A row of weight 0 trains and is not judged, in an evaluation as in a scored table of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.predictions.table import only_weighing

LOST = "rows of weight 0 left out"


def rows() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(90, 2))
    y = np.where(X[:, 0] + rng.normal(size=90) > 0, "yes", "no")
    return X, y, rng.integers(0, 4, 90).astype(float)


def evaluated(procedure: str, **more: Any) -> Any:
    X, y, weight = rows()
    given = {"procedure": procedure, "pos_label": "yes", "sample_weight": weight, **more}
    return heldout.evaluate({"nb": "nb"}, X, y, **given)


def told(results: Any) -> dict[Any, Any]:
    return {
        (r.measure, r.repeat, r.fold, r.class_): (r.value, r.low, r.high, r.n)
        for r in results
        if not np.isnan(r.value)
    }


@pytest.mark.parametrize("procedure", ["5-fold", "2x5-fold", "3x holdout 70:30", "holdout 70:30"])
def test_a_scored_table_says_what_the_evaluation_says(procedure: str, tmp_path: Path) -> None:
    made = evaluated(procedure)
    path = tmp_path / "predictions.csv"
    made.predictions.write(path)
    card = heldout.score(heldout.read_predictions(path))
    own, read = told(made.results(per_fold=True)), told(card.results(per_fold=True))
    shared = own.keys() & read.keys()
    assert len(shared) >= 14
    for key in shared:
        first, second = (
            [np.nan if number is None else number for number in one[key]] for one in (own, read)
        )
        assert first == pytest.approx(second, rel=1e-9, abs=1e-12, nan_ok=True), key


def test_rows_of_weight_0_are_counted_nowhere_and_said() -> None:
    _, _, weight = rows()
    made = evaluated("5-fold")
    assert made["accuracy"].n == np.count_nonzero(weight) < 90
    assert any(LOST in note for note in made.notes)
    assert sum(made.folds["n_test"]) == 90


def test_values_are_those_without_such_rows_in_the_same_splits() -> None:
    _, y, weight = rows()
    made = evaluated("5-fold")
    (p,) = made.predictions
    assert p.weight is not None
    assert (p.weight > 0).all()
    assert len(p) == np.count_nonzero(weight)
    right = y[np.asarray(p.identifier) - 1] == np.asarray(p.classes)[p.predicted]
    known = np.average(right, weights=weight[np.asarray(p.identifier) - 1])
    assert made["accuracy"].value == pytest.approx(known)


def test_bootstrap_estimates_leave_them_out_too() -> None:
    _, y, weight = rows()
    made = evaluated("bootstrap 5")
    result = made["accuracy"]
    (p,) = made.predictions
    row = np.asarray(p.identifier) - 1
    right = y[row] == np.asarray(p.classes)[p.predicted]
    seen = np.unique(row)
    assert (weight[seen] > 0).all()
    assert result.n == len(seen)
    each = [right[row == one].mean() for one in seen]
    assert result.value == pytest.approx(np.average(each, weights=weight[seen]))


def test_slices_leave_them_out_too() -> None:
    X, y, weight = rows()
    part = np.arange(90) % 2
    data = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y, "part": part, "w": weight})
    asked = {"target": "y", "sample_weight": "w", "by": "part", "pos_label": "yes"}
    made = heldout.evaluate({"nb": "nb"}, data=data, procedure="5-fold", **asked)
    sizes = {r.slice: r.n for r in made.results(("accuracy",)) if r.slice}
    for k in (0, 1):
        assert sizes[f"part={k}"] == np.count_nonzero(weight[part == k])


def test_rows_that_all_weigh_something_stay_as_they_are() -> None:
    X, y, weight = rows()
    (p,) = heldout.evaluate(
        {"nb": "nb"}, X, y, procedure="3-fold", sample_weight=weight + 1
    ).predictions
    assert only_weighing(p) is p
    assert len(p) == 90
