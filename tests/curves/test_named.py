"""Curves by name: of models, classes, folds and designs, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.scorecard import Scorecard
from heldout.core.errors import InputError
from heldout.curves.columns import Columns
from heldout.curves.named import CURVES, curve
from heldout.curves.ranking import roc

TRUTH = [1, 0, 1, 1, 0, 0, 1, 0]
SCORE = [0.9, 0.8, 0.7, 0.6, 0.55, 0.4, 0.3, 0.1]


def two_classes(**more: Any) -> Scorecard:
    return heldout.score(TRUTH, y_score=SCORE, **more)


def several(name: str) -> Scorecard:
    roles: dict[str, Any] = {
        "models": {"truth": "label", "score": "p_spam", "positive": "spam", "model": "model"},
        "iris_predictions": {"truth": "truth", "score_prefix": "p_", "fold": "fold"},
    }
    return heldout.score(heldout.read_predictions(heldout.example(name), **roles[name]))


@pytest.mark.parametrize("name", [*CURVES, "thresholds:f_score[beta=2]", "precision-recall", "ROC"])
def test_every_name_gives_a_curve_of_the_card_and_of_its_tallies(name: str) -> None:
    card = two_classes()
    made = curve(card, name)
    assert len(made) > 1
    assert made.rows == 8
    np.testing.assert_array_equal(made.y, curve(card.tallies[0], name).y)


def test_area_is_the_value_of_the_scorecard() -> None:
    card = two_classes()
    for name, options in (("roc", {}), ("pr", {}), ("pr", {"steps": True})):
        made = curve(card, name, **options)
        assert made.area == card[made.measure].value


def test_model_is_named_where_there_are_several() -> None:
    card = several("models")
    with pytest.raises(InputError, match="there are 3 models: name one, such as model='forest'"):
        curve(card, "roc")
    with pytest.raises(InputError, match="no model is called 'forrest'; did you mean forest"):
        curve(card, "roc", model="forrest")
    made = curve(card, "roc", model="rules")
    assert (made.model, made.rows) == ("rules", 300)
    assert made.area == card.only("rules")["auc"].value


def test_class_is_named_where_there_are_several() -> None:
    card = several("iris_predictions")
    with pytest.raises(InputError, match=r"there are 3 classes: name one as class_ .setosa"):
        curve(card, "roc")
    with pytest.raises(InputError, match="no class is called 'virginia'; did you mean virginica"):
        curve(card, "roc", class_="virginia")
    made = curve(card, "roc", class_="virginica")
    assert made.class_ == "virginica"
    assert made.area == card["auc[class=virginica]", "pooled"].value


def test_other_class_of_two_ranks_the_other_way_round() -> None:
    card = two_classes()
    made = curve(card, "roc", class_=0)
    assert made.area == pytest.approx(card["auc"].value)
    assert curve(card, "pr", class_=0).area == pytest.approx(card["area_under_pr", 0].value)
    ranks = heldout.score(TRUTH, y_score=[10 * s for s in SCORE])
    assert curve(ranks, "roc", class_=0).threshold[-1] == -9.0


def test_average_of_folds_and_its_band() -> None:
    card = two_classes(folds=[1, 1, 1, 1, 2, 2, 2, 2])
    made = curve(card, "roc_average", band="spread")
    assert made.note == "mean of 2 of 2 folds"
    assert made.band is not None
    assert made.band.kind == "spread"
    with pytest.raises(InputError, match="needs folds"):
        curve(two_classes(), "roc_average")


def test_band_goes_with_the_design() -> None:
    def method(**more: Any) -> str:
        band = curve(two_classes(**more), "roc", band="pointwise", replicates=200).band
        assert band is not None
        return band.method or band.note

    assert "rows of each class" in method()
    assert "200 draws of rows," in method(sample_weight=np.arange(1.0, 9.0))
    assert "draws of groups" in method(groups=list("aabbccdd"))
    assert "once per repeat" in method(repeats=[1, 1, 1, 1, 2, 2, 2, 2])


def test_table_with_a_band_has_its_limits() -> None:
    table = curve(two_classes(), "roc", band="pointwise", replicates=200).table()
    assert table.names[-2:] == ("low", "high")
    assert (table["low"] <= table["high"]).all()


def test_profit_takes_the_matrix_of_the_card() -> None:
    card = two_classes(profit=[[1, -2], [-4, 8]])
    made = curve(card, "thresholds:profit")
    assert made.at(0.5) == card["profit"].value
    with pytest.raises(InputError, match="needs a profit or cost matrix"):
        curve(two_classes(), "thresholds:profit")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("rock", {}, "no curve is called 'rock'; did you mean roc"),
        ("gain", {"band": "pointwise"}, "a gain curve has no band"),
        ("roc", {"bins": 4}, r"a roc curve has no option 'bins' \(it has corners, band, "),
        ("thresholds:f1", {"bins": 4}, r"'bins' \(it has corners, model, class\)"),
        ("thresholds:auc", {}, "a measure of confusion counts"),
        ("roc", {"method": "ks"}, "that of a band"),
    ],
)
def test_what_cannot_be_is_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        curve(two_classes(), name, **options)


def test_average_over_folds_refuses_options_of_other_curves() -> None:
    card = heldout.score([0, 1, 0, 1], y_score=[0.2, 0.7, 0.4, 0.3], folds=[0, 0, 1, 1])
    with pytest.raises(InputError, match=r"no option 'bins' \(it has band, level, replicates"):
        card.curve("roc_average", bins=4)


def test_rows_without_scores_or_probabilities_are_refused() -> None:
    with pytest.raises(InputError, match="a roc curve needs scores"):
        curve(heldout.score(TRUTH, y_pred=TRUTH), "roc")
    with pytest.raises(InputError, match="this problem is a regression"):
        curve(heldout.score([1.5, 2.5], [1.0, 2.0], task="regression"), "roc")
    with pytest.raises(InputError, match="a calibration curve needs probabilities"):
        curve(heldout.score(TRUTH, y_score=[9.0 * s for s in SCORE]), "calibration")


def test_curves_of_models_stack_into_one_table() -> None:
    card = several("models")
    parts = [({"model": m}, curve(card, "roc", model=m).table()) for m in card.models]
    table = Columns.stacked(parts)
    assert len(table) == sum(len(part) for _, part in parts)
    assert table.to_pandas().groupby("model").size().to_dict()["rules"] == 5
    assert len(Columns.stacked([])) == 0


def test_empty_curve_of_the_card_says_why() -> None:
    made = curve(heldout.score([1, 1], y_score=[0.1, 0.2], labels=[0, 1]), "roc")
    assert made.is_empty
    assert made.reason
    assert roc(two_classes().tallies[0].scores).reason == ""
