"""What a careful reader would ask about labels: missing ones spelled out, amounts, disagreement."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.predictions.table import Predictions
from tests.predictions.tables import one, table


def said(predictions: Predictions, word: str) -> list[str]:
    return [note for note in predictions.notes if word in note]


@pytest.mark.parametrize("spelled", ["NA", "nan", "NaN", "null", "N/A", "<NA>", '""'])
def test_a_missing_value_that_is_spelled_out_is_no_class(tmp_path: Path, spelled: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"truth,pred\nham,ham\n{spelled},ham\nspam,spam\n")
    text = spelled.strip('"')
    with pytest.raises(heldout.InputError) as caught:
        heldout.read_predictions(path)
    assert str(caught.value) == (
        f"column 'truth': {text!r}, which spells a missing value, in 1 row (first: line 3 of "
        f"{path}); fill in the truth of these rows or remove them (if it is a class, name all "
        "classes with labels=)"
    )
    (made,) = heldout.read_predictions(path, labels=["ham", "spam", text])
    assert made.classes == ("ham", "spam", text)


def test_a_missing_prediction_that_is_spelled_out_is_no_class_either() -> None:
    with pytest.raises(heldout.InputError, match="fill in the prediction of these rows"):
        heldout.from_arrays(np.array(["a", "b"]), np.array(["a", np.nan]), pos_label="a")


def test_none_and_words_that_hold_na_are_classes() -> None:
    made = heldout.from_arrays(["none", "nature", "banana"], ["none", "nature", "none"])
    assert made.classes == ("banana", "nature", "none")


def test_many_whole_numbers_are_taken_as_classes_with_a_word() -> None:
    values = list(range(13))
    made = heldout.from_arrays(values, values)
    assert said(made, "task:") == [
        "task: classification (guessed: y_true has 13 distinct whole numbers, each taken as a "
        "class; if they are amounts, say task='regression')"
    ]
    told = one(table(y=values, pred=values))
    assert "say --task regression)" in said(told, "task:")[0]
    few = heldout.from_arrays(values[:12], values[:12])
    assert said(few, "task:") == [
        "task: classification (guessed: y_true has whole numbers, each taken as a class)"
    ]
    assert not said(heldout.from_arrays(values, values, task="classification"), "amounts")


def test_labels_other_than_the_largest_probability_are_counted() -> None:
    scores = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.1, 0.2, 0.7]]
    made = heldout.from_arrays(["a", "b", "b", "c"], ["a", "c", "b", "a"], scores)
    assert said(made, "predicted label") == [
        "2 rows have predicted labels other than the class with the largest probability "
        "(first: position 1)"
    ]
    assert not said(
        heldout.from_arrays(["a", "b", "b", "c"], ["a", "b", "b", "c"], scores), "predicted label"
    )


@pytest.mark.parametrize(
    ("predicted", "note"),
    [
        ([0, 0, 1, 1], []),
        (
            [0, 1, 1, 1],
            [
                "predicted labels are those of a threshold above 0.1 and up to 0.4, not 0.5 "
                "(1 row differs)"
            ],
        ),
        (
            [1, 0, 1, 1],
            [
                "1 row has a predicted label other than score >= 0.5 says, and no other threshold "
                "gives them (first: position 0)"
            ],
        ),
        (
            [1, 1, 0, 1],
            [
                "3 rows have predicted labels other than score >= 0.5 says, and no other threshold "
                "gives them (first: position 0); is the score that of 1?"
            ],
        ),
    ],
)
def test_labels_of_two_classes_are_compared_with_thresholds(
    predicted: list[int], note: list[str]
) -> None:
    made = heldout.from_arrays([0, 0, 1, 1], predicted, [0.1, 0.4, 0.6, 0.9])
    assert said(made, "predicted label") == note


def test_margins_are_compared_with_any_threshold() -> None:
    margins = [-2.0, -1.0, 1.0, 2.0]
    assert not said(heldout.from_arrays([0, 0, 1, 1], [0, 0, 0, 1], margins), "predicted label")
    assert said(heldout.from_arrays([0, 0, 1, 1], [1, 0, 0, 1], margins), "no threshold")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"pred": ["a", "b", "c"], "p_a": [0.5, 0.2, 0.3], "p_b": [0.2, 0.5, 0.3]},
            "probabilities: columns 'p_a', 'p_b' are not used, because class 'c' has no such "
            "column; add 'p_c'",
        ),
    ],
)
def test_a_class_without_a_probability_column_is_named(
    columns: dict[str, Any], message: str
) -> None:
    made = one(table(y=["a", "b", "c"], **columns))
    assert message in made.notes
    del columns["pred"]
    with pytest.raises(heldout.InputError) as caught:
        one(table(y=["a", "b", "c"], **columns))
    assert message in str(caught.value)
    with pytest.raises(
        heldout.InputError, match=r"no probability column for class 'c' .*add a col"
    ):
        one(table(y=["a", "b", "c"], **columns), score_prefix="p_")


def test_classes_that_differ_in_case_or_spaces_are_two_with_a_word() -> None:
    made = heldout.from_arrays(["yes", "no", "Yes"], ["yes", "no", "yes"])
    assert made.classes == ("Yes", "no", "yes")
    assert said(made, "differ") == [
        "classes 'Yes' and 'yes' differ in case or spaces alone, and are counted as two"
    ]
    declared = heldout.from_arrays(["a", "A"], ["a", "a"], labels=["a", "A"], pos_label="a")
    assert not said(declared, "differ")


@pytest.mark.parametrize(
    ("spelled", "fix"),
    [
        ("35.6%", "write 35.6% as 0.356"),
        ("0,356", "write decimals with a point, and thousands without a sign: 1234.5"),
        ("[0.1, 0.9]", "a list is no number; give a column for each class"),
        ("much", "the score must be a number in every row"),
    ],
)
def test_a_score_that_is_text_says_how_to_write_it(spelled: str, fix: str) -> None:
    made = table(y=[0, 1], y_score=["0.5", spelled])
    with pytest.raises(heldout.InputError) as caught:
        one(made, score="y_score")
    assert str(caught.value) == (
        f"column 'y_score': no number ({spelled!r}) in 1 row (first: line 3 of a.csv); {fix}"
    )
    with pytest.raises(heldout.InputError) as unasked:
        one(made)
    assert str(unasked.value).endswith(
        f"column 'y_score': no number ({spelled!r}) in 1 row (first: line 3 of a.csv), so it is no "
        "score"
    )


def test_the_line_that_is_for_excel_alone_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("sep=;\r\ny_true;y_score\r\n1;0.5\r\n", newline="")
    with pytest.raises(
        heldout.InputError, match="starts with the line 'sep=;', which is for Excel"
    ):
        heldout.read_predictions(path)


def test_long_labels_are_cut_in_messages() -> None:
    with pytest.raises(heldout.InputError) as caught:
        heldout.from_arrays(["x" * 500 + "a", "x" * 500 + "b"], ["x" * 500 + "a"] * 2)
    assert "say which one is positive" in str(caught.value)
    assert "x" * 100 not in str(caught.value).partition(": say")[0]
