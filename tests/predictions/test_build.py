"""From tables and roles to predictions: scores, labels, weights, models, priors, regression."""

from __future__ import annotations

import numpy as np

from heldout.predictions.build import build
from heldout.predictions.roles import Roles
from tests.predictions.tables import category, labels, one, table

THREE = {
    "y": ["a", "b", "c", "a"],
    "p_a": [0.5, 0.2, 0.3, 0.4],
    "p_b": [0.3, 0.4, 0.3, 0.4],
    "p_c": [0.2, 0.4, 0.4, 0.2],
}


def test_probabilities_alone_give_labels_at_one_half() -> None:
    predictions = one(table(y=["ham", "spam", "ham"], p=[0.5, 0.49, 0.1]), positive="spam")
    assert labels(predictions)[1] == ["spam", "ham", "ham"]
    assert predictions.threshold == 0.5
    assert predictions.notes[-1] == "labels: score >= 0.5 is 'spam' (by default)"


def test_labels_follow_a_positive_that_is_the_first_class() -> None:
    predictions = one(table(y=["ham", "spam", "ham"], p=[0.5, 0.49, 0.1]), positive="ham")
    assert predictions.positive == 0
    assert labels(predictions)[1] == ["ham", "spam", "spam"]


def test_a_given_threshold_cuts_any_finite_score() -> None:
    predictions = one(table(y=[0, 1, 1], score=[-3.0, 2.0, 7.0]), threshold=2)
    assert labels(predictions)[1] == [0, 1, 1]
    assert predictions.notes[-1] == "labels: score >= 2 is 1"


def test_scores_that_are_no_probabilities_give_no_labels() -> None:
    predictions = one(table(y=[0, 1, 1], score=[-3.0, 2.0, 7.0]))
    assert predictions.predicted is None
    assert predictions.threshold is None
    assert predictions.score_problem == (
        "column 'score': score outside [0, 1] (-3) in 3 rows (first: line 2 of a.csv)"
    )
    assert predictions.notes[-1] == (
        "no labels: scores that are no probabilities need --threshold, so confusion measures are "
        "not given"
    )


def test_given_labels_stay_beside_scores() -> None:
    predictions = one(table(y=[0, 1], pred=[1, 0], p=[0.1, 0.9]))
    assert labels(predictions)[1] == [1, 0]
    assert predictions.threshold is None
    assert predictions.scores is not None


def test_several_classes_take_the_largest_probability_and_count_ties() -> None:
    predictions = one(table(**THREE))
    assert predictions.classes == ("a", "b", "c")
    assert labels(predictions)[1] == ["a", "b", "c", "a"]
    assert predictions.notes[-1] == (
        "2 rows tie for the largest probability; the first class in order was taken"
    )


def test_probability_columns_are_matched_by_name_not_by_place() -> None:
    mixed = {name: THREE[name] for name in ("p_c", "y", "p_a", "p_b")}
    for roles in ({}, {"score_prefix": "p_"}, {"scores": {"c": "p_c", "a": "p_a", "b": "p_b"}}):
        predictions = one(table(**mixed), **roles)
        assert predictions.scores is not None
        assert predictions.scores[0].tolist() == [0.5, 0.3, 0.2]


def test_a_class_of_a_probability_column_alone_is_kept() -> None:
    made = {**THREE, "y": ["a", "b", "a", "a"]}
    for roles in ({}, {"score_prefix": "p_"}):
        predictions = one(table(**made), **roles)
        assert predictions.classes == ("a", "b", "c")


def test_a_further_class_stands_in_its_sorted_place() -> None:
    made = table(y=["a", "c"], p_b=[0.5, 0.5], p_c=[0.0, 0.5], p_a=[0.5, 0.0])
    assert one(made, score_prefix="p_").classes == ("a", "b", "c")
    order = category("y", ["c", "a"], ["c", "a"])
    made = table(y=order, p_b=[0.5, 0.5], p_c=[0.0, 0.5], p_a=[0.5, 0.0])
    assert one(made, score_prefix="p_").classes == ("c", "a", "b")


def test_one_score_beside_the_probabilities_of_several_classes_is_not_taken() -> None:
    predictions = one(table(**THREE, score=[0.5, 0.4, 0.4, 0.4]))
    assert predictions.scores is not None
    assert predictions.scores.shape == (4, 3)


def test_columns_named_like_the_classes_are_probabilities_if_they_sum_to_one() -> None:
    named = {name.removeprefix("p_"): values for name, values in THREE.items()}
    predictions = one(table(obs=named.pop("y"), **named))
    assert "probabilities: columns 'a', 'b', 'c' (guessed by their names)" in predictions.notes
    other = table(obs=[1, 2], pred=[1, 2], **{"1": [3.0, 4.0], "2": [5.0, 6.0]})
    assert one(other, positive=1).scores is None


def test_two_probability_columns_give_the_score_of_the_positive() -> None:
    made = table(y=["ham", "spam"], p_ham=[0.9, 0.3], p_spam=[0.1, 0.7])
    predictions = one(made, positive="spam")
    assert predictions.scores is not None
    assert predictions.scores.tolist() == [0.1, 0.7]
    assert predictions.score_problem == ""


def test_sums_away_from_one_are_a_problem_told_from_rounding() -> None:
    rounded = table(y=["a", "b"], p_a=[0.9, 0.3333], p_b=[0.1, 0.6666])
    assert one(rounded, positive="a").score_problem == (
        "columns 'p_a', 'p_b': probabilities do not sum to 1 (0.9999) in 1 row (first: line 3 of "
        "a.csv); the largest deviation, 0.0001, looks like rounding: write more digits, "
        "or say --normalise to divide each row by its sum"
    )
    wrong = table(y=["a", "b"], p_a=[0.9, 0.3], p_b=[0.2, 0.7])
    assert one(wrong, positive="a").score_problem == (
        "columns 'p_a', 'p_b': probabilities do not sum to 1 (1.1) in 1 row (first: line 2 of "
        "a.csv)"
    )
    six_digits = table(y=["a", "b"], p_a=[0.333333, 0.636962], p_b=[0.666666, 0.363039])
    assert one(six_digits, positive="a").score_problem == ""


def test_a_score_above_one_is_a_problem() -> None:
    assert one(table(y=[0, 1, 1], score=[0.5, 1.5, 1.0])).score_problem == (
        "column 'score': score outside [0, 1] (1.5) in 1 row (first: line 3 of a.csv)"
    )


def test_rows_of_weight_zero_leave_no_trace() -> None:
    made = table(
        y=["a", "b", "gone", "gone"],
        pred=["a", "a", "b", "b"],
        p=[0.2, 0.3, np.nan, 0.5],
        sample_weight=[2.0, 0.5, 0.0, 0.0],
        site=["n", "s", "e", "w"],
    )
    predictions = one(made, positive="b", by=("site",))
    assert predictions.classes == ("a", "b")
    assert predictions.weight is not None
    assert predictions.weight.tolist() == [2.0, 0.5]
    assert predictions.slices[0].levels == ("n", "s")
    assert predictions.slices[0].codes.tolist() == [0, 1]
    assert "2 rows of weight 0 left out" in predictions.notes


def test_models_are_split_by_their_column_over_one_set_of_classes() -> None:
    made = table(
        y=["a", "b", "a", "b"],
        pred=["a", "b", "c", "b"],
        model=["tree", "tree", "bayes", "bayes"],
        id=[1, 2, 1, 2],
        fold=[1, 2, 1, 2],
    )
    bayes, tree = build([made], Roles())
    assert (bayes.model, tree.model) == ("bayes", "tree")
    assert bayes.classes == tree.classes == ("a", "b", "c")
    assert labels(bayes) == (["a", "b"], ["c", "b"])
    assert tree.design.fold is not None
    assert tree.design.fold.codes.tolist() == [0, 1]
    assert tree.identifier is not None
    assert tree.identifier.tolist() == [1, 2]


def test_scores_are_judged_model_by_model() -> None:
    made = table(y=[0, 1, 0, 1], score=[0.1, 0.9, -2.0, 3.0], model=["p", "p", "margin", "margin"])
    margin, probability = build([made], Roles())
    assert probability.score_problem == ""
    assert probability.threshold == 0.5
    assert margin.score_problem.endswith("in 2 rows (first: line 4 of a.csv)")
    assert margin.predicted is None


def test_tables_of_several_models_share_their_classes() -> None:
    a = table("a.csv", y=["x", "y"], pred=["x", "z"])
    b = table("b.csv", truth=["x", "y"], prediction=["y", "y"])
    first, second = build([a, b], Roles(), models=["tree", "bayes"])
    assert first.classes == second.classes == ("x", "y", "z")
    assert (second.model, second.source) == ("bayes", "b.csv")
    assert second.notes[0] == "truth: column 'truth' (guessed by its name)"


def test_slices_give_missing_values_a_level_of_their_own() -> None:
    made = table(y=[0, 1, 1], pred=[0, 1, 1], sex=["m", None, "f"], age=[1.0, np.nan, 2.5])
    sex, age = one(made, by=("sex", "age")).slices
    assert (sex.name, sex.levels, sex.codes.tolist()) == ("sex", ("f", "m", "(missing)"), [1, 2, 0])
    assert (age.levels, age.codes.tolist()) == ((1, 2.5, "(missing)"), [0, 2, 1])
    nothing = table(y=[0, 1], pred=[0, 1], age=[np.nan, np.nan])
    assert one(nothing, by=("age",)).slices[0].levels == ("(missing)",)


def test_levels_of_the_design_are_sorted_or_as_declared() -> None:
    made = table(
        y=[0, 1, 1],
        pred=[0, 1, 1],
        fold=[10, 9, 10],
        site=category("site", ["n", "s", "n"], ["s", "n"]),
    )
    predictions = one(made, group="site")
    assert predictions.design.fold is not None
    assert predictions.design.fold.levels == (9, 10)
    assert predictions.design.group is not None
    assert predictions.design.group.levels == ("s", "n")


def test_regression_is_told_by_fractions() -> None:
    predictions = one(table(y=[1.5, 2.0], pred=[1.0, 2.0], mean=[1.0, 2.0]), train_mean="mean")
    assert predictions.task == "regression"
    assert predictions.truth.tolist() == [1.5, 2.0]
    assert predictions.train_mean is not None
    assert predictions.train_mean.tolist() == [1.0, 2.0]
    by_prediction = one(table(y=[1, 2, 5], pred=[1.0, 2.5, 4.0]), train_mean="2.5")
    assert by_prediction.task == "regression"
    assert by_prediction.train_mean is not None
    assert by_prediction.train_mean.tolist() == [2.5, 2.5, 2.5]
    assert "task: regression (guessed: column 'pred' has numbers with fractions)" in (
        by_prediction.notes
    )


def test_whole_numbers_are_labels_unless_the_task_is_said() -> None:
    made = table(y=[1, 2, 5], pred=[1, 2, 4], last=[0, 1, 2])
    assert one(made).task == "multiclass"
    predictions = one(made, task="regression", naive="last")
    assert predictions.task == "regression"
    assert predictions.naive is not None
    assert predictions.naive.tolist() == [0.0, 1.0, 2.0]
    assert not any(note.startswith("task") for note in predictions.notes)
