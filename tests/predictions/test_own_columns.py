"""Models of one table are read each by the score columns that it has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from heldout.core.errors import InputError
from heldout.predictions.read import read_predictions

NAN = float("nan")


def table(**more: Any) -> dict[str, Any]:
    """Two models of four rows: one has probabilities, the other decision values."""
    columns: dict[str, Any] = {
        "model": ["b"] * 4 + ["a"] * 4,
        "truth": ["x", "y", "x", "y"] * 2,
        "predicted": ["x", "y", "y", "y"] * 2,
        "p_x": [0.9, 0.2, 0.4, 0.1] + [NAN] * 4,
        "p_y": [0.1, 0.8, 0.6, 0.9] + [NAN] * 4,
        "score_x": [NAN] * 4 + [2.0, -1.0, -0.5, -3.0],
        "score_y": [NAN] * 4 + [-2.0, 1.0, 0.5, 3.0],
    }
    return columns | more


def test_each_model_has_its_own_scores_in_the_order_of_the_names() -> None:
    a, b = read_predictions(table(), positive="y")
    assert (a.model, b.model) == ("a", "b")
    assert a.scores is not None
    assert b.scores is not None
    assert a.scores.tolist() == [-2.0, 1.0, 0.5, 3.0]
    assert b.scores.tolist() == [0.1, 0.8, 0.6, 0.9]
    assert (bool(a.score_problem), bool(b.score_problem)) == (True, False)
    assert "scores: columns 'score_x', 'score_y' (guessed by their names)" in a.notes


def test_model_without_any_score_has_its_labels() -> None:
    columns = {k: v for k, v in table().items() if not k.startswith("score_")}
    a, b = read_predictions(columns, positive="y")
    assert a.scores is None
    assert b.scores is not None


def test_single_missing_scores_are_still_refused() -> None:
    columns = table(p_x=[0.9, NAN, 0.4, 0.1] + [NAN] * 4)
    with pytest.raises(InputError, match="p_x"):
        read_predictions(columns, positive="y")


def test_scores_that_the_reader_names_are_meant_for_every_model() -> None:
    with pytest.raises(InputError, match="p_x"):
        read_predictions(table(), positive="y", score_prefix="p_")


def test_weights_go_with_their_rows() -> None:
    a, b = read_predictions(table(sample_weight=np.arange(8.0)), positive="y")
    assert a.weight is not None
    assert b.weight is not None
    assert a.weight.tolist() == [4, 5, 6, 7]
    assert b.weight.tolist() == [1, 2, 3]


def test_table_says_which_class_is_positive_unless_the_reader_does() -> None:
    columns = table(positive_class=["x"] * 8)
    assert {one.positive for one in read_predictions(columns)} == {0}
    assert {one.positive for one in read_predictions(columns, positive="y")} == {1}
    with pytest.raises(InputError, match="say which one is positive"):
        read_predictions(table(positive_class=["x", "y"] * 4))


def test_groups_are_taken_from_tables_of_heldout_alone() -> None:
    columns = table(group=[1, 1, 2, 2] * 2, positive_class=["y"] * 8)
    assert read_predictions(columns)[0].design.group is None
    own = {"procedure": ["loo"] * 8, "seed": [0] * 8}
    own |= {"fit_seconds": [0.5] * 8, "predict_seconds": [0.5] * 8}
    assert read_predictions(columns | own)[0].design.group is not None
