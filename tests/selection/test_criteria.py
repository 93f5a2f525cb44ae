"""Measures as criteria: profits, single classes, sums; and races within outer folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout

CANCER: Any = {"data": "wdbc", "pos_label": "malignant"}


def test_a_profit_decides_and_is_judged_in_outer_folds() -> None:
    measure = "profit_per_row[matrix=10,-1;-5,0]"
    made = heldout.select("tree", "max_depth=1,2", measure=measure, nested="2x2-fold", **CANCER)
    assert made.nested is not None
    predicted = made.nested.score.outcome
    data = made.dataset
    assert data.classes == ("malignant", "benign")
    worth = np.array([[10, -1], [-5, 0]])[data.truth[predicted.rows], predicted.predicted]
    assert made.nested.pooled == pytest.approx(worth.mean())
    assert made.estimate.value == pytest.approx(worth.mean())


def test_a_single_class_decides_and_is_judged_in_outer_folds() -> None:
    measure = "precision[class=virginica]"
    made = heldout.select("tree", "max_depth=2,3", data="iris", measure=measure, nested="3x3-fold")
    assert made.nested is not None
    assert made.estimate.value == pytest.approx(made.nested.pooled)
    assert made.estimate.low is not None
    head = " ".join(repr(made).partition("What to expect")[2].split())
    assert head.startswith("Precision of estimate virginica")


@pytest.mark.parametrize(
    ("measure", "mean"),
    [
        ("profit[matrix=10,-1;-5,0]", ("profit[", "profit_per_row[")),
        ("log_score", ("log_score", "log_loss")),
    ],
)
def test_sums_over_rows_decide_by_their_mean(measure: str, mean: tuple[str, str]) -> None:
    made = heldout.select("tree", "max_depth=1,2", measure=measure, **CANCER)
    plain = heldout.select("tree", "max_depth=1,2", measure=measure.replace(*mean), **CANCER)
    assert np.array_equal(made.search.values, plain.search.values)
    assert any(", its mean, decides" in note for note in made.notes)


def test_outer_folds_judge_a_race_where_the_search_is_one() -> None:
    grid = {"max_depth": [1, 4]}
    made = heldout.select("tree", grid, data="iris", race=True, nested="2x8-fold")
    assert made.nested is not None
    assert all(fold.search.dropped for fold in made.nested.folds)
    plain = heldout.select("tree", grid, data="iris", nested="2x8-fold")
    assert plain.nested is not None
    assert not any(fold.search.dropped for fold in plain.nested.folds)
    assert np.array_equal(made.nested.values, plain.nested.values)
