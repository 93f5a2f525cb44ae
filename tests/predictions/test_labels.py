"""Labels and classes, and what a careful reader would ask about them."""

from __future__ import annotations

import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.engines.public import read_predictions
from heldout.predictions.table import Predictions
from heldout.tables.column import RawColumn
from tests.predictions.tables import category, labels, one, table

#: the ways to write the classes 0 and 1
BITS: list[list[Any]] = [
    [0, 1, 1],
    [0.0, 1.0, 1.0],
    ["0", "1", "1"],
    [False, True, True],
    ["false", "true", "true"],
    ["0.0", "1.0", "1.0"],
]


def refusal(truth: Any, predicted: Any, **roles: Any) -> str:
    with pytest.raises(InputError) as caught:
        one(table(truth=truth, predicted=predicted), **roles)
    return str(caught.value)


@pytest.mark.parametrize(("truth", "predicted"), list(product(BITS, BITS)))
def test_zero_and_one_are_two_classes_or_an_error(truth: list[Any], predicted: list[Any]) -> None:
    made = table(truth=truth, predicted=predicted)
    if truth != predicted and isinstance(truth[0], str) and isinstance(predicted[0], str):
        # two texts that spell one value differently: 0 and 0.0, 1 and true
        with pytest.raises(InputError, match=r"spell one label in two ways|have none in common"):
            one(made)
        return
    predictions = one(made)
    assert len(predictions.classes) == 2
    assert predictions.truth.tolist() == [0, 1, 1]
    assert predictions.predicted is not None
    assert predictions.predicted.tolist() == [0, 1, 1]
    assert predictions.positive == 1


def test_numbers_and_texts_of_numbers_join_as_numbers() -> None:
    predictions = one(table(truth=["10", "2", "3"], predicted=[2.0, 10.0, 3.0]))
    assert predictions.classes == (2, 3, 10)
    assert labels(predictions) == ([10, 2, 3], [2, 10, 3])


def test_texts_of_one_number_in_two_ways_are_refused() -> None:
    assert refusal(["1", "2", "3"], ["1", "2.0", "3"]) == (
        "'2' (column 'truth' of a.csv, line 3 of a.csv) and '2.0' (column 'predicted' of a.csv, "
        "line 3 of a.csv) spell one label in two ways; use one spelling"
    )


def test_texts_that_happen_to_contain_numbers_stay_texts() -> None:
    predictions = one(table(truth=["1", "1.0", "x"], predicted=["1", "x", "x"]))
    assert predictions.classes == ("1", "1.0", "x")


def test_kinds_that_do_not_match_are_refused() -> None:
    assert refusal([1, 2, 3], ["a", "b", "c"]) == (
        "the labels of column 'truth' of a.csv (1, 2, 3) and of column 'predicted' of a.csv "
        "('a', 'b', 'c') are of different kinds; write both in one way"
    )
    assert refusal([True, False, True], [0, 1, 2]) == (
        "the labels of column 'truth' of a.csv (False, True) and of column 'predicted' of a.csv "
        "(0, 1, 2) are of different kinds; write both in one way"
    )


def test_disjoint_labels_are_refused() -> None:
    start = "the labels of column 'truth' of a.csv ('a', 'b') and of column 'predicted' of a.csv "
    assert refusal(["a", "b"], ["c", "d"]) == (
        f"{start}('c', 'd') have none in common; if they belong together, declare all classes with "
        "--labels"
    )
    assert refusal(["a", "b"], ["A", " B"]) == (
        f"{start}(' B', 'A') have none in common; they differ only in case, spaces or invisible "
        "characters, so write them alike"
    )
    declared = one(table(truth=["a", "b"], predicted=["c", "c"]), labels=("a", "b", "c"))
    assert labels(declared) == (["a", "b"], ["c", "c"])


def test_all_wrong_is_not_disjoint() -> None:
    assert labels(one(table(truth=[0, 0], predicted=[1, 1]))) == ([0, 0], [1, 1])


def test_numbers_with_fractions_are_no_labels() -> None:
    assert refusal([0, 1, 1], [0.2, 0.9, 1.0]) == (
        "column 'predicted': not a whole number, so not a class label, in 2 rows (first: line 2 of "
        "a.csv); a score goes to --score predicted, a numeric target needs --task regression"
    )


def test_order_is_sorted_by_value_or_code_point() -> None:
    assert one(table(truth=[10, 9, -1], predicted=[9, 9, 9])).classes == (-1, 9, 10)
    assert one(table(truth=["b", "B", "a"], predicted=["b", "é", "a"])).classes == (
        "B",
        "a",
        "b",
        "é",
    )


def test_declared_order_is_kept_with_classes_that_have_no_rows() -> None:
    made = table(truth=["low", "high"], predicted=["high", "low"])
    predictions = one(made, labels=("low", "mid", "high"))
    assert predictions.classes == ("low", "mid", "high")
    assert predictions.task == "multiclass"
    assert predictions.truth.tolist() == [0, 2]


def test_declared_labels_are_read_as_the_data_writes_them() -> None:
    assert one(table(truth=[2, 1], predicted=[1, 1]), labels=("2", "1"), positive="1").classes == (
        2,
        1,
    )
    made = table(truth=["2", "1"], predicted=["1", "1"])
    assert one(made, labels=(2, 1, 3)).classes == ("2", "1", "3")


def test_a_label_that_is_not_declared_is_refused() -> None:
    assert refusal(["a", "b"], ["a", "c"], labels=("a", "b")) == (
        "column 'predicted' of a.csv: label 'c' (first: line 3 of a.csv) is not among --labels "
        "'a', 'b'; add it there"
    )
    assert refusal(["a", "b"], ["a", "b"], labels=("a", "b", "a")) == (
        "--labels names the class 'a' twice"
    )
    assert refusal([1, 2], [1, 2], labels=("1", "two")) == (
        "--labels: 'two' is not of the kind of the labels of column 'truth' of a.csv (1, 2)"
    )


def test_a_category_keeps_its_order_and_its_empty_levels() -> None:
    levels = ["low", "mid", "high"]
    made = table(truth=category("truth", ["high", "low"], levels), predicted=["low", "low"])
    predictions = one(made)
    assert predictions.classes == ("low", "mid", "high")
    assert predictions.truth.tolist() == [2, 0]
    assert "classes without rows: 'mid' (levels of column 'truth' of a.csv)" in predictions.notes


def test_labels_leave_out_a_level_that_no_row_has() -> None:
    made = table(
        truth=category("truth", ["b", "a"], ["c", "b", "a"]),
        predicted=category("predicted", ["b", "b"], ["a", "b", "c"]),
    )
    predictions = one(made, labels=("a", "b"), positive="b")
    assert labels(predictions) == (["b", "a"], ["b", "b"])


def test_a_class_of_predictions_alone_is_kept() -> None:
    for texts in (["a", "c"], ["a", "c", "a", "c"] * 20):
        # texts that repeat are read as a category, which declares no order
        predicted = ["b" if text == "c" else text for text in texts]
        assert one(table(truth=texts, predicted=predicted)).classes == ("a", "b", "c")


def test_a_category_of_mixed_kinds_is_refused() -> None:
    assert refusal(category("truth", [1, "a"], [1, "a"]), ["1", "a"]) == (
        "column 'truth' of a.csv mixes texts with numbers (1, 'a'); write all labels in one way"
    )


def test_a_hundred_thousand_classes_are_fast() -> None:
    names = np.array([f"class {i}" for i in range(100_000)], object)
    order = np.random.default_rng(3).permutation(len(names))
    made = table(
        truth=RawColumn("truth", "text", names),
        predicted=RawColumn("predicted", "text", names[order]),
    )
    start = time.process_time()
    predictions = one(made)
    assert time.process_time() - start < 5
    assert len(predictions.classes) == 100_000
    assert predictions.predicted is not None
    assert np.array_equal(predictions.predicted, predictions.truth[order])


@pytest.mark.parametrize(
    ("truth", "positive"), [([0, 1], 1), ([-1, 1], 1), ([False, True], 1), (["True", "False"], 1)]
)
def test_the_positive_of_numbers_and_truth_values_is_clear(truth: list[Any], positive: int) -> None:
    predictions = one(table(truth=truth, predicted=truth))
    assert predictions.positive == positive
    assert any(note.startswith("positive: ") for note in predictions.notes)


@pytest.mark.parametrize("truth", [["no", "yes"], [1, 2], ["ham", "spam"]])
def test_any_other_positive_must_be_said(truth: list[Any]) -> None:
    a, b = truth
    assert refusal(truth, truth) == (
        f"column 'truth' of a.csv has two classes, {a!r}, {b!r}: choose the positive one with "
        f"--positive {a} or --positive {b}"
    )


def test_a_score_column_named_after_a_class_does_not_decide() -> None:
    with pytest.raises(InputError, match="--positive spam or --positive ham"):
        one(table(label=["ham", "spam"], p_spam=[0.1, 0.9]), score="p_spam")


def test_a_positive_that_does_not_occur_is_refused_unless_declared() -> None:
    assert refusal(["a", "b"], ["a", "b"], positive="c") == (
        "--positive c: no such label in column 'truth' of a.csv (labels: 'a', 'b')"
    )
    made = table(truth=["a", "a"], predicted=["a", "a"])
    assert one(made, positive="c", labels=("a", "c")).positive == 1


def test_a_positive_of_three_classes_is_refused() -> None:
    assert refusal(["a", "b", "c"], ["a", "b", "c"], positive="c") == (
        "--positive c is for two classes, and column 'truth' of a.csv has 3: 'a', 'b', 'c'"
    )


@pytest.mark.parametrize(
    ("only", "classes"), [(0, (0, 1)), (1, (0, 1)), (-1, (-1, 1)), ("1", ("0", "1"))]
)
def test_one_class_of_a_clear_pair_is_completed_where_scores_say_two(
    only: Any, classes: tuple[Any, ...]
) -> None:
    predictions = one(table(truth=[only, only], score=[0.1, 0.7]))
    assert predictions.classes == classes
    assert predictions.positive == 1
    assert one(table(truth=[only, only], predicted=[only, only]), positive=1).classes == classes


def test_the_positive_says_which_pair_a_single_class_belongs_to() -> None:
    assert one(table(truth=[1, 1], predicted=[1, 1]), positive=-1).classes == (-1, 1)
    assert one(table(truth=[1, 1], predicted=[1, 1]), positive=0).classes == (0, 1)


def test_truth_values_are_two_classes_even_if_one_occurs() -> None:
    assert one(table(truth=[True, True], predicted=[True, True])).classes == (False, True)


def test_a_label_of_weight_zero_does_not_decide_the_kind() -> None:
    made = table(truth=["1", "2", "?"], predicted=[2, 2, 1], sample_weight=[1, 1, 0])
    assert one(made, positive=1).classes == (1, 2)


def test_one_class_of_labels_alone_stays_one_class() -> None:
    predictions = one(table(truth=["x", "x"], predicted=["x", "x"]))
    assert predictions.classes == ("x",)
    assert predictions.positive is None


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
                "1 row has a predicted label contrary to score >= 0.5 and "
                "to every other threshold on the score (first: position 0)"
            ],
        ),
        (
            [1, 1, 0, 1],
            [
                "3 rows have predicted labels contrary to score >= 0.5 and "
                "to every other threshold on the score (first: position 0); is the score "
                "that of 1?"
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
        "classes 'Yes' and 'yes' differ only in case, spaces or invisible characters, and are "
        "counted as two"
    ]
    composed = heldout.from_arrays(["\u00e9", "b", "e\u0301"], ["b", "b", "b"])
    assert said(composed, "differ only in case, spaces or invisible characters")
    hidden = heldout.from_arrays(["a", "b", "a\u200b"], ["b", "b", "b"])
    assert said(hidden, "differ only in case, spaces or invisible characters")
    declared = heldout.from_arrays(["a", "A"], ["a", "a"], labels=["a", "A"], pos_label="a")
    assert not said(declared, "differ")


@pytest.mark.parametrize(
    ("spelled", "fix"),
    [
        ("35.6%", "write 35.6% as 0.356"),
        ("0,356", "write decimals with a point, and thousands without a sign: 1234.5"),
        ("[0.1, 0.9]", "a list is not a number; give a column for each class"),
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
        f"column 'y_score': no number ({spelled!r}) in 1 row (first: line 3 of a.csv), so it is "
        "not a score"
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
    assert "choose the positive one" in str(caught.value)
    assert "x" * 100 not in str(caught.value).partition(": say")[0]


@pytest.mark.parametrize("name", ["p", "score"])
def test_first_value_that_is_no_number_is_shown_with_its_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "slip.csv"
    path.write_text(f"y,{name},w\n0,0.1,1\n1,abc,1\n0,0.3,1\n1,xyz,1\n")
    with pytest.raises(InputError) as caught:
        read_predictions(path, truth="y")
    message = str(caught.value)
    assert f"column '{name}': no number ('abc') in 2 rows (first: line 3 of " in message
    assert "0.1" not in message


def test_column_of_texts_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("y,p\n0,low\n1,high\n0,low\n1,high\n")
    with pytest.raises(InputError, match=r"holds texts \('high'\), so it is not a score"):
        read_predictions(path, truth="y")


@pytest.mark.parametrize("name", ["p", "score", "p_1", "prob_1"])
def test_slip_is_named_where_labels_are_judged_and_scores_asked_for(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "slip.csv"
    path.write_text(f"truth,predicted,{name}\n0,0,0.1\n1,1,abc\n0,1,0.3\n1,1,0.9\n")
    said = f"column '{name}': no number ('abc') in 1 row (first: line 3 of {path})"
    (rows,) = read_predictions(path)
    assert rows.lack_of_scores == f"needs scores: {said}"
    assert f"scores: {said}" in rows.notes
    with pytest.raises(InputError, match=r"auc needs scores: .*line 3 of"):
        heldout.score([rows])["auc"]


def test_slip_in_one_of_several_probabilities_is_named(tmp_path: Path) -> None:
    path = tmp_path / "slip.csv"
    rows = "a,a,.8,.1,.1\nb,b,.1,.8,.1\nc,c,.1,x,.8\n"
    path.write_text(f"truth,predicted,p_a,p_b,p_c\n{rows}")
    (made,) = read_predictions(path)
    assert "column 'p_b': no number ('x') in 1 row (first: line 4" in made.lack_of_scores
    assert not any("add 'p_b'" in note for note in made.notes)


def test_text_beside_labels_is_no_slip(tmp_path: Path) -> None:
    path = tmp_path / "words.csv"
    path.write_text("truth,predicted,score\n0,0,low\n1,1,high\n")
    (made,) = read_predictions(path)
    assert made.why_no_scores == ""
