"""A confusion matrix as input, in every form, with its orientation stated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from heldout.core.errors import InputError
from heldout.predictions.matrix import ConfusionInput, read_matrix

#: 85 true positives, 4 false positives, 2 false negatives, 9 true negatives
TRUTH_ROWS = [[85, 2], [4, 9]]


def read(given: Any, **options: Any) -> ConfusionInput:
    return read_matrix(given, **({"orientation": "prediction-rows", "positive": "first"} | options))


def refusal(given: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(given, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    "given",
    ["85,4;2,9", "85 4; 2 9;", "[[85,4],[2,9]]", [[85, 4], [2, 9]], np.array([[85.0, 4], [2, 9]])],
)
def test_a_matrix_in_place_is_turned_to_truth_rows(given: Any) -> None:
    matrix = read(given)
    assert matrix.counts.tolist() == TRUTH_ROWS
    assert matrix.counts.dtype == np.int64
    assert (matrix.classes, matrix.positive) == (("1", "2"), 0)
    assert matrix.notes == (
        "confusion matrix: rows = prediction, as stated",
        "classes: '1', '2' (the matrix names none)",
    )


def test_truth_rows_are_kept() -> None:
    assert read("85,2;4,9", orientation="truth-rows").counts.tolist() == TRUTH_ROWS


@pytest.mark.parametrize(
    "text",
    [
        ",spam,ham\nspam,85,4\nham,2,9\n",
        "spam,ham\n85,4\n2,9\n",
        "spam,85,4\nham,2,9\n",
        "spam,ham\nspam,85,4\nham,2,9\n",
        "\tspam\tham\nspam\t85\t4\nham\t2\t9\n",
        "predicted;spam;ham\n\nspam;85;4\nham;2;9\n",
        ",ham,spam\nspam,4,85\nham,9,2\n",
    ],
)
def test_labels_around_the_counts_are_found(tmp_path: Path, text: str) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(text)
    matrix = read(path, positive="spam")
    assert matrix.classes == ("spam", "ham")
    assert matrix.counts.tolist() == TRUTH_ROWS
    assert matrix.positive == 0
    assert matrix.source == str(path)


def test_a_file_of_numbers_alone_has_no_labels(tmp_path: Path) -> None:
    path = tmp_path / "matrix.tsv"
    path.write_text("85\t4\n2\t9\n")
    assert read(str(path)).classes == ("1", "2")


def test_numeric_labels_need_an_empty_corner(tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(",0,1\n0,9,2\n1,4,85\n")
    matrix = read(path, positive=None, orientation="truth-rows")
    assert (matrix.classes, matrix.positive) == (("0", "1"), 1)
    assert matrix.counts.tolist() == [[9, 2], [4, 85]]


def test_a_data_frame_brings_its_labels() -> None:
    frame = pd.DataFrame([[4, 85], [9, 2]], index=["spam", "ham"], columns=["ham", "spam"])
    matrix = read(frame, positive="ham")
    assert matrix.counts.tolist() == TRUTH_ROWS
    assert matrix.classes[matrix.positive or 0] == "ham"


def test_labels_name_or_order_the_classes() -> None:
    assert read("85,4;2,9", labels=["yes", "no"], positive="yes").classes == ("yes", "no")
    frame = pd.DataFrame([[85, 4], [2, 9]], index=["spam", "ham"], columns=["spam", "ham"])
    matrix = read(frame, labels="ham,spam", positive="spam")
    assert matrix.classes == ("ham", "spam")
    assert matrix.counts.tolist() == [[9, 4], [2, 85]]


def test_shares_are_taken_as_weights_and_said() -> None:
    matrix = read("0.85,0.04;0.02,0.09")
    assert matrix.counts.dtype == np.float64
    assert matrix.notes[-1] == "counts with fractions are taken as weights"


def test_several_classes_need_no_positive() -> None:
    assert read("5,1,0;2,6,1;0,1,7", positive=None).positive is None


@pytest.mark.parametrize(("positive", "index"), [("first", 0), ("second", 1), ("2", 1), (1, 0)])
def test_the_positive_of_two_is_a_label_or_a_place(positive: Any, index: int) -> None:
    assert read("85,4;2,9", positive=positive).positive == index


def test_a_label_called_second_is_a_label() -> None:
    assert read("85,4;2,9", labels=["second", "third"], positive="second").positive == 0


def test_the_orientation_must_be_stated() -> None:
    with pytest.raises(InputError) as caught:
        read_matrix([[85, 4], [2, 9]], positive="first")
    assert str(caught.value) == (
        "the orientation of the confusion matrix must be stated: orientation='truth-rows' if a row "
        "holds the cases of one true class,\norientation='prediction-rows' if a row holds the "
        "cases predicted as one class"
    )
    assert "'rows' is none" in refusal("85,4;2,9", orientation="rows")


SHAPE = "a confusion matrix is square, with a row and a column for each of at least two classes"


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ([[1, 2, 3], [4, 5, 6]], {}, f"matrix: 2 rows of 3 counts; {SHAPE}"),
        ([[1, 2], [3]], {}, f"matrix: row 1 has 2 counts and row 2 has 1; {SHAPE}"),
        ([[1]], {}, f"matrix: 1 row of 1 count; {SHAPE}"),
        (
            "85,4;2,-9",
            {},
            "matrix '85,4;2,-9': '-9' in row 2, column 2 of the counts; a count is a number that "
            "is 0 or more",
        ),
        (
            "85,x;2,9",
            {},
            "matrix '85,x;2,9': 'x' in row 1, column 2 of the counts; a count is a number that is "
            "0 or more",
        ),
        ("0,0;0,0", {}, "matrix '0,0;0,0': all counts are 0; at least one case is needed"),
        ("[[85,4],[2,9]", {}, "matrix '[[85,4],[2,9]': not of the form [[85,4],[2,9]]"),
        (
            "85,4;2,9",
            {"labels": ["a", "b", "c"]},
            "matrix '85,4;2,9': 3 labels ('a', 'b', 'c') for a matrix of 2 classes",
        ),
        (
            "85,4;2,9",
            {"labels": ["a", "a"]},
            "matrix '85,4;2,9': a class comes twice among the labels 'a', 'a'",
        ),
        (
            "85,4;2,9",
            {"positive": "spam"},
            "matrix '85,4;2,9': no class 'spam' (classes: '1', '2'); pos_label= is one of them, or "
            "first or second",
        ),
        (
            "85,4;2,9",
            {"positive": None},
            "matrix '85,4;2,9': two classes, '1', '2': choose the positive one with "
            "pos_label='first' or pos_label='second'",
        ),
        (
            "85,4;2,9",
            {"positive": None, "labels": ["no", "yes"]},
            "matrix '85,4;2,9': two classes, 'no', 'yes': choose the positive one with "
            "pos_label='no' or pos_label='yes'",
        ),
        (
            "1,2,3;4,5,6;7,8,9",
            {"positive": "2"},
            "matrix '1,2,3;4,5,6;7,8,9': pos_label='2' is for two classes, and the matrix has 3: "
            "'1', '2', '3'",
        ),
        (
            "no such file.csv",
            {},
            "no such file.csv: no such file; a matrix in place is written 85,4;2,9 (rows apart by "
            ";)",
        ),
        (
            "1e300,1;1,2",
            {},
            "matrix '1e300,1;1,2': '1e300' in row 1, column 1 of the counts; a count is a number "
            "below 1e+60",
        ),
        (5, {}, "the confusion matrix must be a list of rows, or a path or text"),
    ],
)
def test_a_bad_matrix_is_refused(given: Any, options: dict[str, Any], message: str) -> None:
    assert refusal(given, **options) == message


def test_labels_of_rows_and_columns_must_agree(tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(",a,b\na,85,4\nc,2,9\n")
    assert refusal(path) == (
        f"{path}: the rows are called 'a', 'c' and the columns 'a', 'b'; both must name the same "
        "classes"
    )
    path.write_text("")
    assert refusal(path) == f"{path}: empty; a confusion matrix has a row for each class"
    path.write_bytes(b"\xff\xfe\x00\x81")
    assert refusal(path) == f"{path}: not UTF-8 text; a confusion matrix is a CSV or TSV"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "must be stated: orientation='truth-rows' if a row"),
        (
            {"orientation": "truth-rows"},
            "choose the positive one with pos_label='first' or pos_lab",
        ),
        ({"orientation": "truth-rows", "pos_label": "x"}, "pos_label= is one of them, or first"),
        ({"orientation": "truth-rows", "threshold": 0.5}, "counts, not rows: leave out threshold="),
    ],
)
def test_python_is_told_of_its_own_arguments(options: dict[str, Any], message: str) -> None:
    import heldout

    with pytest.raises(InputError) as caught:
        heldout.score(confusion=[[85, 4], [2, 9]], **options)
    assert message in str(caught.value)
    assert "--" not in str(caught.value)
