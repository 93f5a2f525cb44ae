"""Which column plays which role, and what a column of slices may be."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.predictions.options import Roles
from heldout.predictions.roles import assign
from heldout.tables.table import Part
from tests.predictions.tables import one, table

BINARY = {"y_true": [0, 1, 1], "y_pred": [0, 1, 0]}


def message(**roles: object) -> str:
    made = table(**BINARY, p=[0.1, 0.2, 0.3], w=[1.0, 2.0, 1.0])
    with pytest.raises(InputError) as caught:
        one(made, **roles)
    return str(caught.value)


@pytest.mark.parametrize("name", ["y_true", "truth", "Target", "LABEL", "actual", "class", "Obs"])
def test_truth_is_guessed_from_usual_names_in_any_case(name: str) -> None:
    made = table(**{name: [0, 1], "pred": [0, 1]})
    assert one(made).notes[0] == f"truth: column {name!r} (guessed by its name)"


@pytest.mark.parametrize("name", ["y_pred", "Predicted", "prediction", "yhat", ".pred_class"])
def test_predicted_is_guessed_from_usual_names(name: str) -> None:
    made = table(**{"y": [0, 1], name: [0, 1]})
    assert f"predicted: column {name!r} (guessed by its name)" in one(made).notes


@pytest.mark.parametrize("name", ["y_score", "score", "proba", "P", "p_1", "prob_1"])
def test_score_is_guessed_from_usual_names(name: str) -> None:
    predictions = one(table(**{"y": [0, 1], name: [0.1, 0.7]}))
    assert f"score: column {name!r} (guessed by its name)" in predictions.notes
    assert predictions.scores is not None
    assert predictions.scores.tolist() == [0.1, 0.7]


def test_design_is_guessed_but_never_the_group() -> None:
    made = table(
        **BINARY,
        sample_weight=[1, 2, 3],
        Fold=[1, 1, 2],
        Repeat=[1, 1, 1],
        row=[7, 8, 9],
        group=[1, 2, 2],
    )
    predictions = one(made)
    design = predictions.design
    assert design.fold is not None
    assert design.fold.levels == (1, 2)
    assert design.repeat is not None
    assert predictions.weight is not None
    assert predictions.weight.tolist() == [1, 2, 3]
    assert predictions.identifier is not None
    assert predictions.identifier.tolist() == [7, 8, 9]
    assert design.group is None


def test_given_columns_are_not_guessed_again_and_leave_no_note() -> None:
    made = table(**BINARY, label=["x", "y", "x"])
    predictions = one(made, truth="y_true", predicted="y_pred", positive=1, task="classification")
    assert predictions.notes == ()


def test_a_column_that_has_a_role_is_no_candidate_for_another() -> None:
    made = table(**BINARY, id=["p", "q", "q"])
    predictions = one(made, group="id")
    assert predictions.identifier is None
    assert predictions.design.group is not None
    assert predictions.design.group.levels == ("p", "q")


def test_the_group_may_also_be_the_fold() -> None:
    predictions = one(table(**BINARY, site=[1, 2, 2]), group="site", fold="site", by=("site",))
    assert predictions.design.fold is not None
    assert [column.name for column in predictions.slices] == ["site"]


def test_two_columns_that_fit_one_role_are_refused() -> None:
    made = table(**BINARY, label=[1, 1, 1])
    with pytest.raises(InputError) as caught:
        one(made)
    assert str(caught.value) == (
        "a.csv: columns 'y_true', 'label' could each be the truth; say which, for example "
        "--truth y_true"
    )


def test_two_columns_that_could_be_the_id_leave_rows_without_one() -> None:
    predictions = one(table(**BINARY, id=["f1", "f1", "f2"], row=[1, 2, 3]))
    assert predictions.identifier is None
    assert "id: columns 'id', 'row' could each be it, so none is used (--id says which)" in (
        predictions.notes
    )
    named = one(table(**BINARY, id=["f1", "f1", "f2"], row=[1, 2, 3]), id="row")
    assert named.identifier is not None


def test_probabilities_called_p_and_the_number_of_the_class_are_found() -> None:
    predictions = one(table(actual=[0, 1], predict=[0, 1], p0=[0.9, 0.3], p1=[0.1, 0.7]))
    assert predictions.scores is not None
    assert predictions.scores.tolist() == [0.1, 0.7]
    # two measurements are no probabilities
    none = one(table(actual=[0, 1], predict=[0, 1], p0=[9.0, 3.0], p1=[1.0, 7.0]))
    assert none.scores is None


def test_two_sets_of_scores_are_refused() -> None:
    made = table(y=[0, 1], score=[0.1, 0.3], p_0=[0.9, 0.7], p_1=[0.1, 0.3])
    with pytest.raises(InputError) as caught:
        one(made)
    assert str(caught.value) == (
        "a.csv: columns 'p_0', 'p_1', 'score' could each be the scores; say which, with --score "
        "or --score-prefix"
    )


def test_a_column_that_does_not_exist_is_refused_with_the_nearest() -> None:
    assert message(truth="y_tru") == (
        "a.csv: no column 'y_tru' (--truth); did you mean y_true?\n"
        "columns: 'y_true', 'y_pred', 'p', 'w'"
    )


def test_a_prefix_that_no_column_has_is_refused() -> None:
    assert message(score_prefix="prob_") == (
        "a.csv: no column starts with 'prob_' (--score-prefix); "
        "columns: 'y_true', 'y_pred', 'p', 'w'"
    )


def test_one_column_in_two_roles_is_refused() -> None:
    assert message(predicted="p", score="p") == (
        "a.csv: column 'p' is given as both --predicted and --score; it can play only one of the "
        "two"
    )


def test_no_usual_name_for_the_truth_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        one(table(x=[1, 0], z=[1, 0]))
    assert str(caught.value) == (
        "a.csv: no column has a usual name for the truth; say which it is with --truth "
        "(columns: 'x', 'z')"
    )


def test_nothing_to_compare_with_the_truth_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        one(table(y=[1, 0], z=[1, 0]))
    assert str(caught.value) == (
        "a.csv: no column of predictions was named or has a usual name; say --predicted or "
        "--score (columns: 'y', 'z')"
    )


def test_two_ways_of_naming_scores_are_refused() -> None:
    assert message(score="p", scores={0: "w", 1: "y_pred"}) == (
        "--score and --scores both name scores; give one of them"
    )


def test_a_threshold_takes_the_place_of_a_guessed_prediction() -> None:
    predictions = one(table(**BINARY, p=[0.1, 0.2, 0.3]), threshold=0.15)
    assert predictions.predicted is not None
    assert predictions.predicted.tolist() == [0, 1, 1]
    assert "predicted: column 'y_pred' is not used, the threshold makes labels" in predictions.notes


def test_keywords_are_named_as_such_where_the_reader_speaks_python() -> None:
    part = Part(table(x=[1], z=[2]), "keywords")
    with pytest.raises(InputError, match=r"say which it is with truth= \(columns"):
        assign(part, Roles())


TRUTH = np.arange(2000) % 2


def test_a_hundred_whole_numbers_with_rows_enough_are_slices() -> None:
    made = heldout.from_arrays(TRUTH, TRUTH, pos_label=1, slices={"site": np.arange(2000) // 20})
    assert len(made.slices[0].levels) == 100


def test_an_amount_is_refused() -> None:
    with pytest.raises(InputError, match="different numbers"):
        heldout.from_arrays(TRUTH, TRUTH, pos_label=1, slices={"age": np.arange(2000) / 7})
