"""Tables of an evaluation: intervals say of which value they are, values what they are of."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.evaluation.evaluation import Evaluation
from heldout.report.evaluation import evaluation_document, evaluation_page
from heldout.report.layout import Grid, lay_out
from heldout.report.terminal import terminal_text

RNG = np.random.default_rng(5)
TRUTH = np.repeat([0, 1], [25, 35])
X = RNG.normal(size=(60, 2)) + 0.8 * TRUTH[:, None]
NUMBERS = X @ [1.0, 2.0] + RNG.normal(size=60)


def grid_of(made: Evaluation, title: str, *measures: str) -> Grid:
    document = lay_out(evaluation_document(made, made.results(measures)))
    (found,) = [b for b in document if isinstance(b, Grid) and b.title == title]
    return found


def cells(grid: Grid, head: str) -> list[str]:
    place = [column.title for column in grid.columns].index(head)
    return [row[place] for row in grid.rows]


def test_interval_of_the_mean_of_folds_says_so_even_where_all_rows_agree() -> None:
    made = heldout.evaluate("nb", X, TRUTH, procedure="2x3-fold")
    grid = grid_of(made, "Measures", "auc", "gini")
    assert cells(grid, "of") == ["mean", "mean"]
    assert cells(grid_of(made, "Measures", "auc", "f_score"), "of") == ["mean", "pooled"]


def test_interval_of_the_first_value_needs_no_word() -> None:
    made = heldout.evaluate("nb", X, TRUTH, procedure="3-fold")
    grid = grid_of(made, "Measures", "accuracy", "f_score")
    heads = [column.title for column in grid.columns]
    assert heads == ["measure", "", "pooled", "95% interval", "mean of folds", "name"]


def test_value_beside_the_training_error_is_the_one_of_the_table_above() -> None:
    made = heldout.evaluate("nb", X, TRUTH, procedure="3-fold", training_error=True)
    grid = grid_of(made, "Training error and out-of-fold values", "auc", "accuracy")
    area, accuracy = made["auc"].value, made["accuracy"].value
    assert area != made["auc", "pooled"].value
    assert cells(grid, "out of fold") == [f"{area:.4f}", f"{accuracy:.4f}"]
    assert cells(grid, "measure") == ["Area under the ROC curve, mean of folds ↑", "Accuracy ↑"]


@pytest.mark.parametrize("models", ["nb", ["nb", "lda"]])
def test_area_of_leave_two_out_says_of_which_splits_it_is_the_mean(models: object) -> None:
    made = heldout.evaluate(models, X[20:34], TRUTH[20:34], procedure="leave-2-out")
    text = " ".join(terminal_text(evaluation_page(made), width=60).split())
    # 5 rows of one class and 9 of the other: 45 of 91 pairs
    assert "Area under the ROC curve: mean of 45 of 91 splits: the others test rows of one" in text


def test_errors_that_cancel_have_no_bias() -> None:
    values = RNG.normal(size=50)
    made = heldout.evaluate("mean", X[:50], values, procedure="10-fold")
    assert made["bias"].value == 0.0
    assert made["bias", "mean of folds"].value == 0.0
    real = heldout.evaluate("median", X[:50], values, procedure="10-fold")
    assert abs(real["bias"].value) > 1e-6


@pytest.mark.parametrize("models", ["nb", ["nb", "lda"]])
def test_slices_of_a_measure_shown_as_mean_of_folds_say_that_they_are_pooled(
    models: object,
) -> None:
    side = np.resize(["left", "right"], 60)
    data = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "side": side, "y": TRUTH})
    made = heldout.evaluate(models, data=data, target="y", procedure="3-fold", by=["side"])
    first = "By slice" if isinstance(models, str) else "By slice: nb"
    grid = grid_of(made, first, "auc", "accuracy")
    heads = [column.title for column in grid.columns]
    assert heads == ["slice", "n", "Area under the ROC curve, pooled ↑", "Accuracy ↑"]


def test_models_that_cannot_be_told_apart_share_letters_by_each_measure() -> None:
    """As ``heldout compare`` has them, and none by a measure that it refuses."""
    models = ["nb", "lda", "majority"]
    apart = X + 1.2 * TRUTH[:, None]
    made = heldout.evaluate(models, apart, TRUTH, procedure="5-fold", pos_label=1)
    grid = grid_of(made, "Measures by model", "accuracy", "auc", "prevalence")
    comparisons = {
        measure: heldout.compare(*made.predictions, measures=[measure])
        for measure in ("accuracy", "auc")
    }
    assert set(comparisons["auc"].letters("auc").values()) == {"a", "b"}
    for measure, (title, *row) in zip(comparisons, grid.rows, strict=False):
        letters = comparisons[measure].letters(measure)
        for model, text in zip(models, row, strict=True):
            assert f" {letters[model]}" in text.replace("[", " ["), (title, model)
    # neither direction of a prevalence is better
    assert not any(letter in text for text in grid.rows[2][1:] for letter in "ab")
    assert "models that share a letter do not differ significantly at 5%" in grid.notes
