"""Differences of calibration errors: intervals that cover, tests that cry wolf rarely."""

from __future__ import annotations

from dataclasses import replace
from math import hypot
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.score_formulas import gap_statistic, gaps_of
from heldout.comparison.compare import compare
from heldout.comparison.gap_pair import ErrorCurve
from heldout.core.errors import InputError
from heldout.engines.memory import Tallies
from heldout.measures.spec import parse_request
from heldout.uncertainty.gap_differences import gap_difference_p_value
from tests.comparison.models import binary, classes

FAST = {"replicates": 100, "permutations": 100}


def pair(rows: int, seed: int, first: tuple[float, float], second: tuple[float, float]) -> Any:
    """Two models that see one half each; slope and shift of their logits make them wrong."""
    from scipy.special import expit, logit, ndtr

    rng = np.random.default_rng(seed)
    one, two = rng.normal(size=(2, rows))
    truth = (rng.random(rows) < ndtr(one + two)).astype(int)
    made = []
    for name, half, (slope, shift) in (("a", one, first), ("b", two, second)):
        score = expit(slope * logit(np.clip(ndtr(half / np.sqrt(2)), 1e-9, 1 - 1e-9)) + shift)
        made.append(heldout.from_arrays(truth, y_score=score, pos_label=1, model=name))
    return made


def test_the_interval_covers_where_one_model_is_calibrated_and_the_other_is_not() -> None:
    # the errors of ten million rows are 0 and 0.1024
    found = [compare(*pair(300, seed, (1, 0), (2, 0)), measures="ece")["ece"] for seed in range(30)]
    covered = [d.interval.contains(-0.1024) for d in found]
    assert np.mean(covered) > 0.8
    assert np.mean([d.p_value <= 0.05 for d in found]) > 0.3
    # noise raises the calibrated model's error: the values differ by too little
    assert np.mean([d.value for d in found]) > -0.085


def test_a_difference_from_an_error_that_may_be_0_says_how_it_covers() -> None:
    said = "one of the errors may be 0"
    assert said in compare(*pair(600, 1, (1, 0), (2, 0)), measures="ece")["ece"].interval.note
    apart = compare(*pair(600, 1, (1, 0.8), (1, -0.8)), measures="ece")["ece"]
    assert said not in apart.interval.note


def test_equal_errors_in_opposite_directions_are_no_difference() -> None:
    found = [
        compare(*pair(300, seed, (1, 0.8), (1, -0.8)), measures="ece")["ece"] for seed in range(30)
    ]
    assert np.mean([d.p_value <= 0.05 for d in found]) < 0.2
    assert np.mean([d.interval.contains(0) for d in found]) > 0.8


@pytest.mark.parametrize(("shift", "wider"), [(-0.8, True), (0.8, False)])
def test_errors_that_rows_move_apart_have_wider_limits(shift: float, wider: bool) -> None:
    models = pair(400, 2, (1, 0.8), (1, shift))
    request = parse_request("ece")
    reaches = [
        ErrorCurve(
            gaps_of(Tallies(p).scores, request.values), gap_statistic(request), seed=1
        ).reaches(0.025)
        for p in models
    ]
    (_, below, above), (_, under, over) = reaches
    alone = hypot(below, over) + hypot(above, under)
    width = compare(*models, measures="ece")["ece"].interval.width
    assert (width > 1.15 * alone) == wider
    assert wider or width == pytest.approx(alone)


@pytest.mark.parametrize("measure", ["ece", "ece[norm=l2]", "reliability[bins=5]"])
def test_test_and_interval_agree_and_mirror(measure: str) -> None:
    first, second = pair(200, 3, (1, 0), (2.5, 0))
    here = compare(first, second, measures=measure)[measure]
    there = compare(second, first, measures=measure)[measure]
    assert here.p_value == there.p_value
    assert here.interval.low == pytest.approx(-there.interval.high)
    assert "inverted tests of gaps" in here.test.method
    sides = [
        compare(first, second, measures=measure, alternative=side)[measure].p_value
        for side in ("greater", "less")
    ]
    assert sum(sides) == pytest.approx(1)
    assert here.p_value == pytest.approx(2 * min(sides))
    for level in (1 - here.p_value - 0.01, 1 - here.p_value + 0.001):
        made = compare(first, second, measures=measure, level=level)[measure]
        assert made.interval.contains(0) == (level > 1 - here.p_value)


def test_identical_models_do_not_differ() -> None:
    first, second = binary("a", 0.8, seed=1), binary("b", 0.8, seed=1)
    made = compare(first, second, measures="ece")["ece"]
    assert made.p_value == 1
    assert made.interval.contains(0)


def test_where_no_interval_covers_there_is_none_and_the_reason_is_given() -> None:
    groups = np.arange(120) // 3
    two = binary("a", 0.8, seed=1, groups=groups), binary("b", 0.6, seed=2, groups=groups)
    made = compare(*two, measures="ece", **FAST)["ece"]
    assert made.interval.is_absent
    assert "groups" in made.remarks
    assert "exchanges of groups" in made.test.method
    assert "more than equal errors" in made.remarks
    largest = compare(binary("a", 0.8, seed=1), binary("b", 0.6, seed=2), measures="mce", **FAST)
    assert largest["mce"].interval.is_absent
    rope = compare(binary("a", 1, seed=1), binary("b", 1, seed=2), measures="ece", rope=0.1)
    assert rope["ece"].posterior is None
    assert "no posterior is known" in rope["ece"].note


def test_top_labels_of_several_classes_are_compared() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 200)
    models = []
    for name, sharp in (("a", 1.0), ("b", 3.0)):
        weight = np.exp(sharp * (rng.normal(size=(200, 3)) + np.eye(3)[truth]))
        scores = weight / weight.sum(axis=1, keepdims=True)
        models.append(heldout.from_arrays(truth, y_score=scores, model=name))
    made = compare(*models, measures="top_label_ece")["top_label_ece"]
    assert made.test.method.startswith("inverted tests of gaps")
    assert made.better == "a"
    assert made.p_value < 0.05


def test_gaps_are_refused_for_other_measures() -> None:
    two = binary("a", 0.8, seed=1), binary("b", 0.6, seed=2)
    with pytest.raises(InputError, match="gaps is for calibration errors"):
        compare(*two, measures="auc", test="gaps")
    with pytest.raises(InputError, match="largest gaps"):
        compare(*two, measures="mce", test="gaps")
    with pytest.raises(InputError, match="gaps is for calibration errors"):
        compare(classes("a", 0.8, seed=1), classes("b", 0.8, seed=2), measures="kappa", test="gaps")


def test_errors_of_different_rows_have_the_test_of_slices() -> None:
    one, other = pair(300, 1, (1, 0), (1, 0))[0], pair(400, 2, (2, 0), (2, 0))[1]
    d = compare(one, other, measures="ece", unpaired=True)["ece"]
    assert d.test.method.startswith("inverted tests of gaps, different rows")
    assert "bootstrap" not in d.interval.method
    sides = [gaps_of(Tallies(p).scores, parse_request("ece").values) for p in (one, other)]
    p_value = gap_difference_p_value(sides[0], sides[1], gap_statistic(parse_request("ece")))
    assert d.p_value == p_value
    assert d.interval.high < 0
    less, greater = (
        compare(one, other, measures="ece", unpaired=True, alternative=side)["ece"].p_value
        for side in ("less", "greater")
    )
    assert less == pytest.approx(p_value / 2)
    assert greater == pytest.approx(1 - p_value / 2)
    turned = compare(other, one, measures="ece", unpaired=True)["ece"]
    assert turned.p_value == pytest.approx(p_value)
    assert turned.interval.low == pytest.approx(-d.interval.high)


def test_errors_of_different_rows_are_alike_where_models_are() -> None:
    found = [
        compare(
            pair(200, seed, (2, 0), (2, 0))[0],
            pair(300, 100 + seed, (2, 0), (2, 0))[1],
            measures="ece",
            unpaired=True,
        )["ece"]
        for seed in range(30)
    ]
    assert np.mean([d.p_value <= 0.05 for d in found]) < 0.2
    assert np.mean([d.interval.contains(0) for d in found]) > 0.8


def test_errors_of_different_rows_with_weights_have_no_test() -> None:
    one, other = pair(200, 1, (1, 0), (2, 0))
    weight = np.linspace(1, 2, 200)
    made = compare(one, replace(other, weight=weight), measures="ece", unpaired=True)
    d = made["ece"]
    assert np.isnan(d.p_value)
    assert d.interval.is_absent
    assert "no test of a and b was possible: weights or groups" in made.verdict
