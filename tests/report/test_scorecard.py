"""A scorecard laid out: one model, several, slices, folds, many classes, undefined values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from heldout.assess.scorecard import score_predictions
from heldout.report.confusion_tables import confusion_table
from heldout.report.layout import Grid, lay_out
from heldout.report.scorecard import scorecard_document
from heldout.report.table import Text
from heldout.report.terminal import terminal_text
from heldout.tally.confusion import Confusion
from tests.report.cards import card, predictions

Page = tuple[Text | Grid, ...]


def page(*given: Any, **how: bool) -> Page:
    return lay_out(scorecard_document(*given, **how), width=80)


def confusion_grid(confusion: Confusion, names: Sequence[object], *, width: int | None) -> Grid:
    (grid,) = lay_out((confusion_table(confusion, names),), width=width)
    assert isinstance(grid, Grid)
    return grid


def titles(document: Page) -> list[str]:
    return [block.title for block in document if isinstance(block, Grid)]


def test_undefined_value_says_why_beside_it() -> None:
    made = card([0, 1, 1, 0], [0, 0, 0, 0])
    results = made.results(("precision", "recall"))
    assert (
        terminal_text(scorecard_document(made, results), width=80)
        == """\
made: 4 rows; classes no, yes; positive: yes
values describe this model

Confusion matrix (rows: truth, columns: predicted)
  truth  no  yes  total
  ─────────────────────
  no      2    0      2
  yes     2    0      2
  ─────────────────────
  total   4    0      4

Measures
  measure           value  name       remark
  ───────────────────────────────────────────────────────────────────────────
  Precision  ↑  undefined  precision  undefined: no row is predicted positive
  Recall     ↑          0  recall
"""
    )


def test_slices_of_one_model_are_rows_of_one_table() -> None:
    made = card([0, 1, 1, 0], [0, 0, 1, 1], slices=["x", "x", "y", "y"])
    document = page(made, made.results(("accuracy", "recall")))
    assert titles(document)[-1] == "By slice"
    grid = document[-1]
    assert isinstance(grid, Grid)
    assert [column.title for column in grid.columns] == ["slice", "n", "Accuracy ↑", "Recall ↑"]
    assert [row[:3] for row in grid.rows] == [
        ("all rows", "4", "0.5000"),
        ("part=x", "2", "0.5000"),
        ("part=y", "2", "0.5000"),
    ]


def test_slices_of_several_models_have_a_table_each() -> None:
    parts = ["x", "x", "y", "y"]
    made = score_predictions(
        [
            predictions([0, 1, 1, 0], [0, 0, 1, 1], slices=parts, model="a"),
            predictions([0, 1, 1, 0], [0, 1, 1, 1], slices=parts, model="b"),
        ],
        intervals=None,
    )
    document = page(made, made.results(("accuracy",)))
    assert titles(document) == [
        "Measures by model",
        "Slice part=x (2 rows)",
        "Slice part=y (2 rows)",
    ]
    last = document[-1]
    assert isinstance(last, Grid)
    assert last.rows == (("a", "0.5000"), ("b", "0.5000"))


def test_classes_of_several_models_are_shown_only_when_asked_for() -> None:
    both = [predictions([0, 1, 2], [0, 1, 1], ("a", "b", "c"), model=m) for m in ("m", "n")]
    made = score_predictions(both, intervals=None)
    results = made.results(("recall",))
    short = page(made, results)
    assert titles(short) == ["Measures by model"]
    grid = short[-1]
    assert isinstance(grid, Grid)
    assert [column.title for column in grid.columns] == ["model", "Recall (macro) ↑"]
    asked = page(made, results, is_short=False)
    assert titles(asked)[1:] == [f"Class {c} vs. rest" for c in "abc"]


def test_matrix_is_numbered_where_labels_are_too_long_and_listed_where_classes_are_too_many() -> (
    None
):
    confusion = Confusion.from_matrix(np.eye(8, dtype=int) * 5 + 1)
    names = [f"a rather long label {i}" for i in range(8)]
    whole = confusion_grid(confusion, names, width=None)
    assert [c.title for c in whole.columns] == ["truth", *names, "total"]
    numbered = confusion_grid(confusion, names, width=80)
    assert [c.title for c in numbered.columns][1:4] == ["1", "2", "3"]
    assert numbered.rows[2][0] == "3 a rather long label 2"
    assert numbered.rows[-1] == ("total", *["13"] * 8, "104")
    listed = confusion_grid(Confusion.from_matrix(np.eye(30, dtype=int) + 1), range(30), width=200)
    assert listed.title == "Most frequent confusions"
    assert len(listed.rows) == 10
    assert listed.notes == (
        "860 rarer pairs are not shown; 60 of 930 rows are predicted correctly",
    )


@pytest.mark.parametrize("count", [30, 60])  # with and without results of each class
def test_worst_of_many_classes_come_first(count: int) -> None:
    truth = list(range(count)) * 4
    predicted = [t + 1 if t in (7, 11) and i < 2 * count else t for i, t in enumerate(truth)]
    made = card(truth, predicted, tuple(f"c{i}" for i in range(count)))
    text = repr(made)
    lines = text[text.index("Each class") :].splitlines()
    assert [line.split()[0] for line in lines[3:8]] == ["c7", "c11", "c8", "c12", "c0"]
    assert f"{count - 10} others are not shown" in " ".join(lines)


def test_classes_without_rows_are_not_the_worst() -> None:
    made = card([0, 1, 1], [0, 1, 0], tuple(f"c{i}" for i in range(40)))
    text = repr(made)
    first = text[text.index("Each class") :].splitlines()[3]
    assert first.split()[0] in ("c0", "c1")


def test_hundred_thousand_classes_stay_readable() -> None:
    rng = np.random.default_rng(5)
    count = 100_000
    truth = rng.integers(0, count, 300_000)
    predicted = np.where(rng.random(len(truth)) < 0.7, truth, rng.integers(0, count, len(truth)))
    made = card(truth.tolist(), predicted.tolist(), tuple(f"c{i}" for i in range(count)))
    results = made.results(("accuracy", "recall", "precision", "f_score"))
    text = terminal_text(scorecard_document(made, results))
    assert len(text.splitlines()) < 60
    assert max(map(len, text.splitlines())) <= 80
    assert "99,990 others are not shown" in text


def test_weights_are_named() -> None:
    from dataclasses import replace

    weighted = replace(predictions([0, 1], [0, 1]), weight=np.array([0.5, 2.0]))
    text = repr(score_predictions([weighted], intervals=None))
    assert "rows weighted (sum of weights 2.500)" in text
    assert "  no     0.50  0.00   0.50" in text.splitlines()
    assert "  yes    0.00  2.00   2.00" in text.splitlines()
