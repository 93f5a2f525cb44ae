"""Bootstraps of rows: the kind that is asked for is the kind that is made, or the note says not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout

DRAWS = 100


def numbers() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    truth = rng.normal(size=60)
    return {"y_true": truth, "y_pred": truth + rng.standard_t(4, 60)}


def classes() -> dict[str, Any]:
    rng = np.random.default_rng(2)
    truth = np.arange(60) % 3
    odds = np.exp(rng.normal(size=(60, 3)) + np.eye(3)[truth])
    return {"y_true": truth, "y_score": odds / odds.sum(axis=1, keepdims=True)}


def weighted() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 60)
    score = 0.25 * truth + 0.7 * rng.random(60)
    return {"y_true": truth, "y_score": score, "sample_weight": 1 + rng.random(60)}


CASES = [
    (numbers, "r2"),
    (numbers, "median_absolute_error"),
    (numbers, "relative_absolute_error"),
    (classes, "hand_till"),
    (classes, "log_skill"),
    (classes, "average_precision_macro"),
    (weighted, "average_precision"),
]


@pytest.mark.parametrize(("rows", "name"), CASES)
def test_each_kind_is_made_as_asked(rows: Any, name: str) -> None:
    made = {
        kind: heldout.score(**rows(), interval=kind, replicates=DRAWS)[name]
        for kind in ("percentile", "basic", "bca", "bayesian")
    }
    for kind, title in (("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")):
        assert made[kind].method.startswith(f"bootstrap {title}, {DRAWS} draws of rows")
    drawn, mirrored = made["percentile"], made["basic"]
    assert drawn.low is not None
    assert drawn.high is not None
    if "cut" not in mirrored.note:
        assert mirrored.low == pytest.approx(2 * drawn.value - drawn.high)
        assert mirrored.high == pytest.approx(2 * drawn.value - drawn.low)
    assert (made["bca"].low, made["bca"].high) != (drawn.low, drawn.high)
    assert (made["bayesian"].low, made["bayesian"].high) == (drawn.low, drawn.high)
    assert "no Bayesian bootstrap" in made["bayesian"].note
    assert not drawn.note.count("Bayesian")


def test_strata_stand_in_the_method() -> None:
    card = heldout.score(**classes(), stratified=True, replicates=DRAWS)
    for name in ("hand_till", "log_skill"):
        assert "draws of rows within true classes" in card[name].method
    rows = heldout.score(**weighted(), stratified=True, replicates=DRAWS)
    assert "within true classes" in rows["average_precision"].method


def test_strata_do_not_freeze_predicted_numbers() -> None:
    card = heldout.score(**numbers(), stratified=True, replicates=DRAWS)
    assert card["median_absolute_error"].low is not None
    assert "within" not in card["median_absolute_error"].method


def test_bias_of_maxima_of_weighted_rows_is_taken_off_twice_too() -> None:
    card = heldout.score(**weighted(), replicates=DRAWS)
    for name in ("ks", "h_measure"):
        assert card[name].method.startswith("bootstrap with its bias taken off twice")


def test_one_row_of_a_class_says_nothing_of_a_ranking() -> None:
    rng = np.random.default_rng(8)
    for truth in (np.arange(20) == 0, np.arange(20) > 0):
        card = heldout.score(truth, y_score=rng.random(20))
        for name in ("auc", "average_precision", "kolmogorov_smirnov", "h_measure", "gain"):
            made = card[name]
            assert made.low is None
            assert "at least two of each class are needed" in made.note
    two = heldout.score(np.arange(20) < 2, y_score=rng.random(20))["average_precision"]
    assert two.low is not None


def test_measures_of_drawn_rankings_have_the_same_limits_alone_and_together() -> None:
    names = ["average_precision", "h_measure", "kolmogorov_smirnov"]
    weight = np.random.default_rng(4).random(60) + 0.5
    for given in (weighted(), classes() | {"sample_weight": weight}):
        card = heldout.score(**given, replicates=DRAWS)
        alone = [r for name in names for r in card.results([name])]
        together = heldout.score(**given, replicates=DRAWS).results(names)
        assert [(r.measure, r.low, r.high) for r in alone] == [
            (r.measure, r.low, r.high) for r in together
        ]
        assert any(r.low is not None for r in alone)
