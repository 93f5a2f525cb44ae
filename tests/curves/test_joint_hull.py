"""The hull over several models as a table: whose each point and each stretch is."""

from __future__ import annotations

from math import inf, isnan
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.scorecard import Scorecard, score_predictions
from heldout.core.errors import InputError
from heldout.curves.sources import best_models, largest_classes
from heldout.measures.spec import parse_request

TRUTH = [1, 1, 0, 0]
SCORES = {"cautious": [0.9, 0.1, 0.2, 0.3], "lavish": [0.7, 0.8, 0.9, 0.1]}


def two_models(**more: Any) -> Scorecard:
    return heldout.score(
        [heldout.from_arrays(TRUTH, y_score=s, model=name) for name, s in SCORES.items()], **more
    )


def test_table_says_whose_each_point_and_each_stretch_is() -> None:
    table = two_models().curve("joint_hull").table()
    assert table.names == (
        "false_positive_rate", "sensitivity", "threshold", "model", "stretch", "slope",
    )  # fmt: skip
    assert table["threshold"].tolist() == [inf, 0.9, 0.7, 0.1]
    assert table["model"].tolist() == ["cautious", "cautious", "lavish", "lavish"]
    assert table["stretch"].tolist() == ["cautious", "cautious / lavish", "lavish", ""]
    assert table["slope"].tolist()[:3] == [inf, 1.0, 0.0]
    assert isnan(table["slope"][-1])


def test_ends_have_the_model_that_is_next_to_them_and_its_own_threshold() -> None:
    made = [
        heldout.from_arrays(TRUTH, y_score=[0.9, 0.1, 0.2, 0.3], model="steep"),
        heldout.from_arrays(TRUTH, y_score=[7.0, 8.0, np.inf, -2.0], model="wide"),
    ]
    for models in (made, made[::-1]):
        card = heldout.score(models)
        table = card.curve("joint_hull").table()
        assert table["model"].tolist() == ["steep", "steep", "wide", "wide"]
        assert table["threshold"].tolist() == [inf, 0.9, 7.0, -2.0]
        toss = card.mixture(fpr=0.75)[-1]
        assert (toss["threshold_model"], toss["threshold"]) == ("wide", -2.0)


def test_ends_of_a_hull_no_better_than_chance_are_those_of_the_first_model() -> None:
    made = {"one": [0.5] * 4, "other": [0.2] * 4}
    models = [heldout.from_arrays(TRUTH, y_score=s, model=name) for name, s in made.items()]
    table = heldout.score(models).curve("joint_hull").table()
    assert table["model"].tolist() == ["one", "one"]
    assert table["threshold"].tolist() == [inf, 0.5]


def test_hull_of_several_models_says_where_the_joint_one_is() -> None:
    with pytest.raises(InputError, match=r"there are 2 models: name one.*or take 'joint_hull'"):
        two_models().curve("hull")
    with pytest.raises(InputError, match="no model is called 'x'") as found:
        two_models().curve("hull", model="x")
    assert "joint_hull" not in str(found.value)


def test_joint_hull_of_one_model_is_its_hull() -> None:
    card = two_models().only("lavish")
    joint, own = card.curve("joint_hull"), card.curve("hull")
    for part in ("x", "y", "threshold"):
        np.testing.assert_array_equal(getattr(joint, part), getattr(own, part))
    assert joint.area == own.area


def test_joint_hull_of_a_class_against_the_rest() -> None:
    truth = [0, 1, 2] * 4
    score = np.eye(3)[truth] * 0.4 + 0.2
    made = heldout.score(truth, y_score=score).curve("joint_hull", class_=1)
    assert (made.class_, made.area) == ("1", 1.0)


@pytest.mark.parametrize("option", [{"model": "lavish"}, {"corners": True}, {"band": "pointwise"}])
def test_options_that_are_not_those_of_all_models_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="is over all models and has no option"):
        two_models().curve("joint_hull", **option)


def test_model_without_scores_is_named() -> None:
    labels = heldout.from_arrays(TRUTH, y_pred=TRUTH, model="labels")
    scored = heldout.from_arrays(TRUTH, y_score=SCORES["lavish"], model="lavish")
    with pytest.raises(InputError, match="joint_hull curve of model 'labels' needs scores"):
        heldout.score([scored, labels]).curve("joint_hull")


def test_rows_of_one_class_have_no_points_and_say_so() -> None:
    made = heldout.score([1, 1], y_score=[0.2, 0.9], labels=[0, 1], pos_label=1).curve("joint_hull")
    assert made.is_empty
    assert "no negative row" in made.reason
    assert len(made.table()) == 0


def test_best_models_and_largest_classes_are_chosen_by_value_and_rows() -> None:
    truth = np.array([1, 0] * 50)
    noise = np.random.default_rng(3).normal(size=(4, 100))
    scores = [truth * shift + own for shift, own in zip((0.0, 2.0, 1.0, 4.0), noise, strict=True)]
    named = zip("abcd", scores, strict=True)
    models = [heldout.from_arrays(truth, y_score=own, model=name) for name, own in named]
    card = score_predictions(models)
    best = best_models(card, parse_request("auc"), most=2)
    assert [tallies.predictions.model for tallies in best] == ["b", "d"]
    labels = ["x"] * 3 + ["y"] * 5 + ["z"] * 4
    (several,) = score_predictions([heldout.from_arrays(labels, labels)]).tallies
    assert largest_classes(several, most=2) == ["y", "z"]
