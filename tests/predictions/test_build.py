"""From tables to predictions, on the same rows, whatever the order of rows and columns."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import heldout
from heldout.predictions.build import build
from heldout.predictions.options import Roles
from heldout.predictions.table import Predictions
from heldout.tables.table import RawTable
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


def judged(*tables: dict[str, Any], **roles: Any) -> tuple[Predictions, ...]:
    made = [table(f"{name}.csv", **one) for name, one in zip("ab", tables, strict=False)]
    return build(made, Roles(**{"positive": "y", **roles}), models=list("ab")[: len(made)])


def refusal(*tables: dict[str, Any], **roles: Any) -> str:
    with pytest.raises(heldout.InputError) as caught:
        judged(*tables, **roles)
    return str(caught.value)


FIRST: dict[str, Any] = {"id": [1, 2, 3], "truth": ["n", "y", "y"], "pred": ["n", "y", "n"]}


def test_an_id_with_two_truths_in_two_files_names_both() -> None:
    other = {"id": [3, 1, 2], "truth": ["y", "n", "n"], "pred": ["n", "y", "n"]}
    assert refusal(FIRST, other) == (
        "id 2 has two truths: 'y' for model 'a' (line 3 of a.csv) and 'n' for model 'b' (line 4 of "
        "b.csv); one row has one truth, so correct one of them or give different rows different ids"
    )


def test_an_id_with_two_truths_in_one_file_of_two_models_is_refused() -> None:
    both = {
        "model": ["m", "m", "k", "k"],
        "id": ["r1", "r2", "r1", "r2"],
        "truth": ["n", "y", "n", "n"],
        "pred": ["n", "y", "n", "y"],
    }
    assert refusal(both).startswith(
        "id 'r2' has two truths: 'n' for model 'k' (line 5 of a.csv) and 'y' for model 'm' (line 3"
    )


def test_an_id_has_one_truth_over_the_repeats_of_one_model() -> None:
    repeated = {
        "id": [1, 2, 1, 2],
        "repeat": [1, 1, 2, 2],
        "truth": ["n", "y", "y", "y"],
        "pred": ["n", "y", "n", "y"],
    }
    assert refusal(repeated).startswith("id 1 has two truths: ")


def test_targets_that_differ_by_rounding_alone_are_one_truth() -> None:
    first = {"id": [1, 2], "truth": [0.1 + 0.2, 1.5], "pred": [0.5, 1.0]}
    second = {"id": [1, 2], "truth": [0.3, 1.5], "pred": [0.5, 1.0]}
    assert len(judged(first, second, positive=None)) == 2
    third = {"id": [1, 2], "truth": [0.31, 1.5], "pred": [0.5, 1.0]}
    assert "id 1 has two truths: 0.30000000000000004 for model 'a'" in refusal(
        first, third, positive=None
    )


def test_different_ids_are_counted_in_a_note() -> None:
    other = {"id": [3, 4, 5], "truth": ["y", "n", "n"], "pred": ["n", "y", "n"]}
    for model in judged(FIRST, other):
        assert model.notes[-1] == (
            "models 'a' and 'b' are evaluated on different rows: 2 ids only in 'a', 2 only in 'b', "
            "1 in both"
        )
    same = judged(FIRST, {**FIRST, "pred": ["y", "y", "y"]})
    assert not [note for one in same for note in one.notes if "judged on" in note]


def test_numbers_and_texts_may_name_the_same_rows() -> None:
    texts = {**FIRST, "id": ["1", "2", "3"]}
    assert "judged on different rows" not in str([one.notes for one in judged(FIRST, texts)])


def test_different_numbers_of_rows_without_ids_are_noted() -> None:
    first = {name: values for name, values in FIRST.items() if name != "id"}
    short = {name: values[:2] for name, values in first.items()}
    assert judged(first, short)[0].notes[-1] == (
        "the models have from 2 to 3 rows and no ids, so they are evaluated "
        "on different rows, and it is unknown which (--id tells)"
    )


def test_predictions_put_together_in_python_are_compared_too(tmp_path: Path) -> None:
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for path, truth in zip(paths, ("1", "0"), strict=True):
        path.write_text(f"id,truth,pred\n7,{truth},1\n8,0,0\n9,1,1\n")
    (one,), (two,) = (heldout.read_predictions(path) for path in paths)
    with pytest.raises(heldout.InputError, match="id 7 has two truths: 1 "):
        heldout.score((one, two))


def test_rows_in_the_same_order_are_compared_too() -> None:
    other = {**FIRST, "truth": ["n", "y", "n"]}
    assert refusal(FIRST, other).startswith("id 3 has two truths: 'y' for model 'a' (line 4 of a")


NAMES = st.lists(st.text("abcxyz0189.-é ", min_size=1, max_size=4), min_size=3, max_size=5)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[Any]]:
    """Three or more classes with probabilities, a design, weights, several models."""
    names = [f"c{name}" for name in draw(NAMES.filter(lambda names: len(set(names)) == len(names)))]
    rows = draw(st.integers(1, 12))
    pick = st.lists(st.sampled_from(names), min_size=rows, max_size=rows)
    shares = draw(
        st.lists(
            st.lists(st.integers(1, 9), min_size=len(names), max_size=len(names)),
            min_size=rows,
            max_size=rows,
        )
    )
    few = st.lists(st.integers(1, 3), min_size=rows, max_size=rows)
    columns: dict[str, list[Any]] = {"truth": draw(pick), "predicted": draw(pick)}
    for i, name in enumerate(names):
        columns[f"p_{name}"] = [row[i] / sum(row) for row in shares]
    columns |= {"fold": draw(few), "model": draw(few)}
    columns["sample_weight"] = [float(w) for w in draw(few)]
    columns |= {"id": [f"row {i}" for i in range(rows)], "site": draw(pick)}
    return columns


def rows_of(predictions: Predictions) -> list[tuple[Any, ...]]:
    """Each row with everything it has, in the order of the ids."""
    truth, predicted = labels(predictions)
    fold = predictions.design.fold
    assert predicted is not None
    assert fold is not None
    assert predictions.identifier is not None
    assert predictions.weight is not None
    assert predictions.scores is not None
    site = predictions.slices[0]
    return sorted(
        zip(
            predictions.identifier.tolist(),
            truth,
            predicted,
            [fold.levels[code] for code in fold.codes],
            predictions.weight.tolist(),
            map(tuple, predictions.scores.tolist()),
            [site.levels[code] for code in site.codes],
            strict=True,
        )
    )


def placeless(predictions: Predictions) -> list[str]:
    """The notes without the row they name first, which is a matter of order."""
    return [re.sub(r" \(first: .*\)", "", note) for note in predictions.notes]


def outcome(made: RawTable) -> list[Any]:
    """What a table gives, but for the order of its rows."""
    roles = Roles(by=("site",), score_prefix="p_")
    return [
        (one_.model, one_.classes, one_.task, one_.score_problem, placeless(one_), rows_of(one_))
        for one_ in build([made], roles)
    ]


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_says_nothing(
    columns: dict[str, list[Any]], random: Any
) -> None:
    rows = list(range(len(columns["truth"])))
    random.shuffle(rows)
    names = list(columns)
    random.shuffle(names)
    shuffled = {name: [columns[name][row] for row in rows] for name in names}
    first = {name: columns[name] for name in columns}
    assert outcome(table(**shuffled)) == outcome(table(**first))


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=20),
    st.permutations(["zeta", "Eta", "10", "9x", "éa"]),
)
def test_renaming_the_classes_permutes_their_codes_and_nothing_else(
    pairs: list[tuple[int, int]], names: list[str]
) -> None:
    declared = tuple(names)
    truth, predicted = [list(side) for side in zip(*pairs, strict=True)]
    numbers = one(table(truth=truth, predicted=predicted), labels=(0, 1, 2, 3, 4))
    texts = one(
        table(truth=[names[i] for i in truth], predicted=[names[i] for i in predicted]),
        labels=declared,
    )
    assert numbers.truth.tolist() == texts.truth.tolist() == truth
    assert numbers.predicted is not None
    assert texts.predicted is not None
    assert numbers.predicted.tolist() == texts.predicted.tolist() == predicted
    assert texts.classes == declared


@given(st.lists(st.sampled_from([0, 1]), min_size=2, max_size=30).filter(lambda y: len(set(y)) > 1))
def test_every_way_of_writing_two_classes_gives_the_same_predictions(truth: list[int]) -> None:
    scores = np.linspace(0, 1, len(truth))
    reference = one(table(truth=truth, score=scores))
    for write in (bool, float, str, lambda y: f"{y}.0", lambda y: 2 * y - 1):
        other = one(table(truth=[write(y) for y in truth], score=scores))
        for field in fields(Predictions):
            if field.name in ("truth", "predicted", "scores"):
                assert np.array_equal(getattr(other, field.name), getattr(reference, field.name))
        assert other.positive == reference.positive
