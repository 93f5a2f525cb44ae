"""The operating point on the hull: slopes, ranges, several models."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.core.errors import InputError
from heldout.decisions.operating_point import CellValues, operating_point
from heldout.decisions.rules import rule_for_cells
from heldout.decisions.thresholds import best_thresholds
from heldout.tally.scores import ScoreCounts
from tests.measures.scored_rows import Rows, scored_rows

COST = ((0, 1), (5, 0))
TRUTH = np.array([True, True, False, True, False, False])
SCORES = ScoreCounts.of(TRUTH, np.array([0.9, 0.8, 0.7, 0.6, 0.2, 0.1]))


def test_slope_follows_from_costs_and_prevalence() -> None:
    values = CellValues.of(COST, kind="cost")
    assert values.slope(0.1) == pytest.approx(1 * 0.9 / (5 * 0.1))
    assert values.probability == pytest.approx(1 / 6)


def test_correct_answers_may_cost_too() -> None:
    # a treatment (call positive) costs 2 in any case, a missed case 12, nobody treated 0
    values = CellValues.of(((0, 2), (12, 2)), kind="cost")
    assert values.of_positive == 10
    assert values.of_negative == 2
    assert values.slope(0.5) == pytest.approx(0.2)


def test_hand_computed_point_and_range() -> None:
    best = operating_point(SCORES, COST, kind="cost", prevalence=0.05)
    # hull: (0, 0), (0, 2/3), (1/3, 1), (1, 1); slope 0.95 / 0.25 = 3.8 is steeper than 1
    assert (best.threshold, best.tpr, best.fpr) == pytest.approx((0.8, 2 / 3, 0.0))
    assert best.slope == pytest.approx(3.8)
    assert (best.slope_low, best.slope_high) == pytest.approx((1.0, inf))
    assert best.per_row == pytest.approx(0.05 * 5 / 3)
    # slope 1 at these costs: 1 (1 - p) = 5 p
    assert best.prevalence_high == pytest.approx(1 / 6)
    assert best.prevalence_low == 0.0


def test_points_on_a_line_of_equal_cost_are_all_named() -> None:
    best = operating_point(SCORES, COST, kind="cost", prevalence=1 / 6)
    assert best.threshold == 0.8
    assert best.also == (("", 0.6),)


@given(
    rows=scored_rows(),
    cells=st.tuples(*[st.integers(-5, 5)] * 4),
    prevalence=st.floats(0.01, 0.99),
)
def test_no_threshold_earns_more(rows: Rows, cells: Any, prevalence: float) -> None:
    matrix = (cells[:2], cells[2:])
    gain, loss = cells[3] - cells[2], cells[0] - cells[1]
    if gain <= 0 and loss <= 0:
        said = "pays for wrong answers" if min(gain, loss) < 0 else "right and wrong answers alike"
        with pytest.raises(InputError, match=said):
            operating_point(rows.counts, matrix, prevalence=prevalence)
        return
    best = operating_point(rows.counts, matrix, prevalence=prevalence)
    for tp, fp in [(0.0, 0.0), *rows.points]:
        tpr, fpr = tp / rows.positives, fp / rows.negatives
        of_positives = cells[2] + gain * tpr
        earned = prevalence * of_positives + (1 - prevalence) * (cells[0] - loss * fpr)
        assert earned <= best.per_row + 1e-9
    assert best.slope_low <= best.slope <= best.slope_high


@given(rows=scored_rows(), fp_cost=st.integers(1, 9), fn_cost=st.integers(1, 9))
def test_at_the_rows_own_prevalence_it_is_the_best_threshold(
    rows: Rows, fp_cost: int, fn_cost: int
) -> None:
    cost = ((0, fp_cost), (fn_cost, 0))
    point = operating_point(rows.counts, cost, kind="cost")
    (best,) = best_thresholds(rows.counts, [rule_for_cells(cost, kind="cost")], replicates=0)
    assert point.per_row == pytest.approx(best.value, abs=1e-12)


@given(rows=scored_rows(), prevalence=st.floats(0.05, 0.95))
def test_point_stays_best_within_its_range_of_prevalences(rows: Rows, prevalence: float) -> None:
    best = operating_point(rows.counts, COST, kind="cost", prevalence=prevalence)
    assert best.prevalence_low - 1e-12 <= prevalence <= best.prevalence_high + 1e-12
    inside = (max(best.prevalence_low, 1e-6) + min(best.prevalence_high, 1 - 1e-6)) / 2
    again = operating_point(rows.counts, COST, kind="cost", prevalence=inside)
    assert (again.tpr, again.fpr) == pytest.approx((best.tpr, best.fpr))


def test_of_two_models_each_is_best_in_its_part() -> None:
    truth = np.array([True] * 4 + [False] * 4)
    careful = ScoreCounts.of(truth, np.array([9, 8, 1, 1, 5, 4, 3, 2.0]))  # finds two for nothing
    eager = ScoreCounts.of(truth, np.array([9, 8, 7, 6, 9.5, 9.4, 1, 0.0]))  # all four for two
    models = {"careful": careful, "eager": eager}
    rare = operating_point(models, COST, kind="cost", prevalence=0.01)
    common = operating_point(models, COST, kind="cost", prevalence=0.5)
    assert (rare.model, rare.tpr, rare.fpr) == ("careful", 0.5, 0.0)
    assert (common.model, common.tpr, common.fpr) == ("eager", 1.0, 0.5)
    # between the two points the hull of both models has slope 1: 1 - p = 5 p
    assert rare.slope_low == pytest.approx(1.0)
    assert common.prevalence_low == pytest.approx(1 / 6)


def test_rows_of_one_class_are_refused() -> None:
    scores = ScoreCounts.of(np.array([True, True]), np.array([0.1, 0.2]))
    with pytest.raises(InputError, match="the rows are of one class"):
        operating_point(scores, COST, kind="cost")


@pytest.mark.parametrize("prevalence", [0.0, 1.0, 1.5])
def test_prevalence_that_leaves_one_class_is_refused(prevalence: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        operating_point(SCORES, COST, kind="cost", prevalence=prevalence)


def test_record_names_the_kind_of_value() -> None:
    table = operating_point(SCORES, ((0, -1), (-5, 0)), prevalence=0.05).columns()
    assert table["profit_per_row"] == pytest.approx([-0.05 * 5 / 3])
    assert table["specificity"] == [1.0]
