"""Heads of columns stay short and lines of methods few; a title says what a value is of."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.assess.results import Result
from heldout.core.errors import InputError
from heldout.report.evaluation import evaluation_page
from heldout.report.layout import LINES, column_widths, few_lines, fold, note_text
from heldout.report.names import bare_title
from heldout.report.remarks import methods
from heldout.report.terminal import terminal_text

HEADS = ["model", "Area under the ROC curve ↑, mean of samples", "F score ↑, mean of samples"]


def test_heads_are_not_made_tall_while_there_is_room() -> None:
    cells = [["lda"], ["0.8200"], ["0.7342"]]
    plain = [False] * 3
    wide = column_widths(HEADS, cells, plain, plain, 60)
    assert wide is not None
    assert sum(wide) + 4 <= 60
    assert max(fold(h, w).count("\n") for h, w in zip(HEADS, wide, strict=True)) < LINES
    # where there is none, they give way
    narrow = column_widths(HEADS, cells, plain, plain, 26)
    assert narrow is not None
    assert narrow[1] < few_lines(HEADS[1])


def test_a_bootstrap_of_several_models_has_short_heads() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    made = heldout.evaluate("lda,nb", X, (X[:, 0] > 0).astype(int), procedure=".632+ 5")
    lines = terminal_text(evaluation_page(made), width=80).splitlines()
    start = lines.index("Measures by model")
    rule = next(i for i, line in enumerate(lines) if i > start and "──" in line)
    assert rule - start - 1 <= LINES


def result(method: str, model: str = "a") -> Result:
    return Result("accuracy", 0.5, 100, (), model, low=0.4, high=0.6, level=0.95, method=method)


def lines(results: list[Result]) -> tuple[str, ...]:
    return tuple(note_text(note, 4) for note in methods(results)[1:])


def test_one_method_of_several_models_is_one_line() -> None:
    of = [result("Wilson", model) for model in "ab"]
    assert lines(of) == ("  Wilson: Accuracy",)


def test_half_a_sum_says_so_wherever_it_stands() -> None:
    assert bare_title("half_sum_of_squares") == "Half the sum of squared errors"


def test_an_operating_point_asks_for_what_it_is_judged_by() -> None:
    card = heldout.score([0, 1, 0, 1], y_score=[0.2, 0.4, 0.6, 0.8], pos_label=1)
    with pytest.raises(InputError, match="give the value of each cell"):
        card.operating_point()
    with pytest.raises(InputError, match="give the value of each cell"):
        card.expected_profit()


def test_heads_of_letters_of_double_width_can_be_folded() -> None:
    assert fold("東京都 大阪府", few_lines("東京都 大阪府")).count("\n") < LINES
