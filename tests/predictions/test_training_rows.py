"""Rows that a model was trained on are never judged together with those that it was not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import heldout

TABLE: dict[str, Any] = {
    "model": ["a"] * 6 + ["b"] * 2,
    "part": ["train", "Training", "train", "test", "test", "test", "test", "test"],
    "truth": [0, 1, 1, 0, 1, 1, 0, 1],
    "predicted": [0, 1, 1, 1, 1, 0, 0, 1],
}


def test_training_rows_are_left_out_and_counted() -> None:
    a, b = heldout.read_predictions(TABLE)
    assert (len(a), len(b)) == (3, 2)
    assert "3 training rows left out (column 'part'): values with them are optimistic" in a.notes
    assert heldout.score(a)["accuracy"].value == pytest.approx(1 / 3)


def test_a_model_without_other_rows_is_named() -> None:
    made = heldout.read_predictions(TABLE | {"part": ["train"] * 6 + ["test"] * 2})
    assert [one.model for one in made] == ["b"]
    assert "nothing but training rows, and left out: a" in made[0].notes


@pytest.mark.parametrize(("name", "word"), [("part", "train"), ("procedure", "training")])
def test_training_rows_alone_are_called_optimistic(name: str, word: str) -> None:
    table = {k: v for k, v in TABLE.items() if k != "part"} | {name: [word] * 8}
    made = heldout.read_predictions(table)
    assert sum(len(one) for one in made) == 8
    assert any("all rows are training rows; every value is optimistic" in n for n in made[0].notes)


def test_rows_of_a_training_procedure_are_left_out_beside_others() -> None:
    table = {k: v for k, v in TABLE.items() if k not in ("part", "model")}
    (made,) = heldout.read_predictions(table | {"procedure": ["training"] * 3 + ["5-fold"] * 5})
    assert (len(made), made.design.procedure) == (5, "5-fold")


@pytest.mark.parametrize("values", [[0, 0, 0, 0, 1, 1, 1, 1], ["a", "b"] * 4])
def test_another_column_of_that_name_means_nothing(values: Any) -> None:
    made = heldout.read_predictions(TABLE | {"part": values})
    assert sum(len(one) for one in made) == 8


def test_a_column_with_a_role_means_what_the_role_says() -> None:
    table = {k: v for k, v in TABLE.items() if k != "model"}
    assert len(heldout.read_predictions(table, model="part")) == 3


def test_a_value_that_is_missing_is_no_training_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("part,truth,predicted\ntrain,0,0\n,1,1\ntest,1,0\n,0,0\n")
    (made,) = heldout.read_predictions(path)
    assert len(made) == 3
