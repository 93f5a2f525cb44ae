"""The rule of one standard error inside of draws of the bias-corrected estimate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import heldout
from heldout.selection.bias_corrected import one_error_in_draws
from heldout.selection.choice import standard_errors
from heldout.selection.search import search


@pytest.mark.parametrize(
    ("measure", "aggregate", "data"),
    [("accuracy", "folds", "wine"), ("brier", "pooled", "wine"), ("rmse", "folds", "diabetes")],
)
def test_every_row_drawn_once_is_the_choice_itself(measure: str, aggregate: str, data: str) -> None:
    made = heldout.select(
        "knn", "n_neighbors=1..9; weights=uniform,distance", data=data, measure=measure,
        aggregate=aggregate, rule="one-se", procedure="5-fold", draws=20,
    )  # fmt: skip
    found = made.search
    rows = found.scores[0].outcome.rows
    rule = one_error_in_draws(found, range(len(found.settings)), rows)
    assert rule is not None
    goodness, error = rule._values(np.ones((1, len(made.dataset))))
    assert goodness[0] == pytest.approx(found.criterion.goodness(found.values), rel=1e-12)
    assert error[0] == pytest.approx(standard_errors(found.table), rel=1e-6)
    assert rule.choose(np.ones((1, len(made.dataset)))).tolist() == [made.choice.index]


def test_a_draw_is_a_search_of_the_rows_drawn() -> None:
    made = heldout.select(
        "tree", "max_depth=1..6", data="iris", rule="one-se", procedure="5-fold", draws=20
    )
    found = made.search
    rows = found.scores[0].outcome.rows
    rule = one_error_in_draws(found, range(6), rows)
    assert rule is not None
    counts = np.bincount(np.random.default_rng(4).integers(150, size=150), minlength=150)
    # weights count in measures alone, as rows do that are drawn again
    data = heldout.select(
        "tree", "max_depth=1..6", *iris(), sample_weight=counts.astype(float), procedure="5-fold",
        draws=20,
    ).dataset  # fmt: skip
    again = search(replace(found.setup, dataset=data), found.splits)
    assert rule.choose(counts[np.newaxis].astype(float)).tolist() == [again.choice.index]


def iris() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    return X, y


def test_the_note_names_the_rule_best_where_the_other_cannot_be_followed() -> None:
    how = {"data": "wdbc", "pos_label": "malignant", "procedure": "3-fold", "draws": 40}
    area = heldout.select("tree", "max_depth=1..3", measure="auc", rule="one-se", **how)
    assert "of the rule best, not one-se" in area.estimate.note
    share = heldout.select("tree", "max_depth=1..3", rule="one-se", **how)
    assert "of the rule" not in share.estimate.note
