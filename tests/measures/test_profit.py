"""Profit and cost by cell, and the reading of such values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from heldout.core.errors import InputError
from heldout.measures.profit import (
    cells_of,
    cost,
    cost_per_row,
    parse_cells,
    profit,
    profit_cells,
    profit_per_row,
)
from heldout.measures.registry import find
from heldout.tally.confusion import Confusion

#: payday loans of a lecture, rows = target (good, bad), columns = prediction
LOANS = ((140.0, -140.0), (-700.0, 0.0))
NEIGHBOURS = Confusion.from_matrix([[57, 3], [10, 30]])
TREE = Confusion.from_matrix([[43, 17], [3, 37]])


def test_more_accurate_model_earns_less() -> None:
    assert profit(NEIGHBOURS, matrix=LOANS) == 560
    assert profit(TREE, matrix=LOANS) == 1540
    assert profit_cells(NEIGHBOURS, LOANS).tolist() == [[7980, -420], [-7000, 0]]
    assert profit_cells(TREE, LOANS).tolist() == [[6020, -2380], [-2100, 0]]
    assert profit_per_row(TREE, matrix=LOANS) == 15.4


def test_cost_of_plain_errors_is_their_number() -> None:
    assert cost(NEIGHBOURS, matrix=((0, 1), (1, 0))) == 13
    assert cost_per_row(NEIGHBOURS, matrix=((0, 1), (1, 0))) == find("error_rate")(NEIGHBOURS)


def test_rows_of_the_matrix_are_the_truth() -> None:
    lopsided = Confusion.from_matrix([[0, 3], [0, 0]])
    assert cost(lopsided, matrix=((0, 7), (100, 0))) == 21


def test_replicates_along_a_leading_axis_give_the_value_of_each() -> None:
    both = Confusion(2, np.arange(4), np.array([[57, 3, 10, 30], [43, 17, 3, 37]]))
    assert profit(both, matrix=LOANS).tolist() == [560, 1540]
    assert profit_per_row(both, matrix=LOANS).tolist() == [5.6, 15.4]
    assert profit_cells(both, LOANS).shape == (2, 2, 2)


def test_no_rows_earn_nothing() -> None:
    empty = Confusion.from_matrix(np.zeros((2, 2), int))
    assert profit(empty, matrix=LOANS) == 0
    assert np.isnan(profit_per_row(empty, matrix=LOANS))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (None, "profit needs the value of each cell, rows = truth"),
        (((1, 2, 3), (4, 5, 6)), "the matrix of profit is 2 x 3, and 2 classes need 2 x 2"),
        (((1, 2), (3,)), "the matrix of profit is 2 x 1 or 2, and 2 classes need 2 x 2"),
        (((1, 2), (3, float("nan"))), "row 2 has a value that is not finite"),
        (((1, 2), (3, "x")), "the matrix of profit is not rows of numbers"),
        (7, "the matrix of profit is not rows of numbers: 7"),
        ("1,2,3;4,5,6;7,8,9", "is 3 x 3, and 2 classes need 2 x 2"),
    ],
)
def test_matrix_that_does_not_fit_is_refused(matrix: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        profit(NEIGHBOURS, matrix=matrix)


@pytest.mark.parametrize(
    "text",
    [
        "140,-140;-700,0",
        " 140 -140 ; -700 0 ",
        "140, -140\n-700, 0",
        "140\t-140\n-700\t0",
        "[[140, -140], [-700, 0]]",
        "1.4e2,-1.4E+2;-7e2,0",
    ],
)
def test_text_of_every_usual_kind_is_read(text: str, tmp_path: Path) -> None:
    assert parse_cells(text, classes=2) == LOANS
    path = tmp_path / "loans.csv"
    path.write_text(f"{text}\n")
    assert parse_cells(path, classes=2) == LOANS
    assert parse_cells(str(path), classes=2) == LOANS
    assert cells_of(path, classes=2).tolist() == [list(row) for row in LOANS]


def test_rows_that_are_predictions_are_turned() -> None:
    turned = parse_cells("140,-700;-140,0", classes=2, orientation="prediction-rows")
    assert turned == LOANS
    with pytest.raises(InputError, match="orientation is one of truth-rows, prediction-rows"):
        parse_cells("1,2;3,4", classes=2, orientation="columns")


def test_named_rows_and_columns_are_brought_into_the_order_of_the_classes(tmp_path: Path) -> None:
    path = tmp_path / "loans.csv"
    path.write_text("truth,bad,good\nbad,0,-700\ngood,-140,140\n")
    assert parse_cells(path, classes=2, labels=["good", "bad"]) == LOANS
    with pytest.raises(InputError, match=r"loans.csv is 3 x 3, .*: leave out the names"):
        parse_cells(path, classes=2)
    with pytest.raises(InputError, match="its columns are named bad, good, the classes are a, b"):
        parse_cells(path, classes=2, labels=["a", "b"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("140,-140;-700", "'140,-140;-700' is 2 x 1 or 2, and 2 classes need 2 x 2"),
        ("140,x;-700,0", "'x' in row 1 is not a number"),
        ("140,-140;,0", "'' in row 2 is not a number"),
        ("nan,1;1,1", "row 1 has a value that is not finite"),
        ("[[1, 2], 3]", "looks like JSON and is not a list of rows"),
        ("loans.csv", "loans.csv: no such file; a matrix is a file or text such as"),
    ],
)
def test_text_that_is_no_matrix_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_cells(text, classes=2)


def test_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "loans.csv"
    path.write_bytes(b"\xff\xfe\x00PAR1\x80")
    with pytest.raises(InputError, match=r"loans.csv: cannot be read as text"):
        parse_cells(path, classes=2)
    with pytest.raises(InputError, match=r"cannot read .*: Is a directory"):
        parse_cells(tmp_path, classes=2)
