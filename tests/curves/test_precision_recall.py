"""Precision against recall: curved between points, with the areas of the measures."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given

from heldout.core.errors import InputError
from heldout.curves.hull import trapezoids
from heldout.curves.ranking import interpolated, lift, precision_recall
from heldout.measures.precision_recall import area_under_pr, average_precision
from heldout.tally.scores import ScoreCounts
from tests.measures.scored_rows import Rows, scored_rows

# Davis & Goadrich (2006), figure 6: 20 positives, 2000 negatives, points at 5, 10 of them
DAVIS = ScoreCounts(np.array([3.0, 2.0]), np.array([5, 5]), np.array([5, 25]), 40)


def test_between_points_precision_is_that_of_the_counts_between() -> None:
    curve = precision_recall(ScoreCounts(DAVIS.score, DAVIS.positives, DAVIS.negatives, 40))
    # their table: tp 5, 6, 7, 8, 9, 10 with fp 5, 10, 15, 20, 25, 30
    recall = np.arange(5, 11) / 10
    expected = [0.5, 0.375, 0.318, 0.286, 0.265, 0.25]
    np.testing.assert_allclose(curve.at(recall), expected, rtol=0, atol=0.0005)
    np.testing.assert_allclose(interpolated(curve).y[1:], expected, rtol=0, atol=0.0005)


def test_height_at_a_recall_is_the_best_precision_there() -> None:
    counts = ScoreCounts.of(np.array([1, 0, 0, 1], bool), np.array([0.9, 0.8, 0.7, 0.6]))
    curve = precision_recall(counts)
    assert curve.at([0.5, 1.0]).tolist() == [1.0, 0.5]
    steps = precision_recall(counts, steps=True)
    assert steps.at([0.0, 0.5, 0.6, 1.0]).tolist() == [1.0, 1.0, 0.5, 0.5]


def test_first_point_is_the_limit_or_one() -> None:
    counts = ScoreCounts.of(np.array([0, 1, 1], bool), np.array([0.9, 0.5, 0.5]))
    limit, one = precision_recall(counts), precision_recall(counts, first="one")
    assert limit.y.tolist() == [0, 0, 2 / 3]
    assert one.y.tolist() == [1, 0, 2 / 3]
    assert limit.threshold[0] == inf
    assert limit.area == one.area
    with pytest.raises(InputError, match="first"):
        precision_recall(counts, first="zero")


def test_curve_without_positives_is_empty_and_without_negatives_is_one() -> None:
    scores = np.array([0.1, 0.2])
    none = precision_recall(ScoreCounts.of(np.zeros(2, bool), scores))
    assert none.is_empty
    assert none.reason == "there is no positive row"
    every = precision_recall(ScoreCounts.of(np.ones(2, bool), scores))
    assert every.y.tolist() == [1, 1, 1]
    assert every.area == 1


@given(rows=scored_rows())
def test_area_is_the_measure(rows: Rows) -> None:
    counts = rows.counts
    curve, steps = precision_recall(counts), precision_recall(counts, steps=True)
    assert curve.area == area_under_pr(counts)
    assert steps.area == average_precision(counts)
    assert np.sum(np.diff(steps.x) * steps.y[1:]) == pytest.approx(steps.area)
    if counts.positives.dtype.kind == "i":
        drawn = interpolated(curve)
        assert trapezoids(drawn.x, drawn.y) == pytest.approx(curve.area, abs=1e-12)


@given(rows=scored_rows())
def test_curve_never_rises_above_the_straight_line_to_a_better_point(rows: Rows) -> None:
    curve = precision_recall(rows.counts, corners=True)
    every = precision_recall(rows.counts)
    where = np.linspace(0, 1, 23)
    np.testing.assert_allclose(curve.at(where), every.at(where), rtol=0, atol=1e-12)
    assert (curve.y >= 0).all()
    assert (curve.y <= 1).all()


def test_large_tie_is_drawn_by_a_few_hundred_points() -> None:
    counts = ScoreCounts(np.array([2.0, 1.0]), np.array([10, 10**6]), np.array([0, 10**6]), 0)
    drawn = interpolated(precision_recall(counts))
    assert len(drawn) < 300
    assert trapezoids(drawn.x, drawn.y) == pytest.approx(area_under_pr(counts), abs=1e-4)


def test_steps_need_every_point() -> None:
    with pytest.raises(InputError, match="corners"):
        precision_recall(DAVIS, steps=True, corners=True)


@given(rows=scored_rows())
def test_drawn_curve_of_weights_is_close_to_the_curve_at_any_scale(rows: Rows) -> None:
    counts = rows.counts
    small = ScoreCounts(counts.score, counts.positives / 512, counts.negatives / 512, counts.rows)
    for curve in (precision_recall(small), lift(small)):
        drawn = interpolated(curve)
        where = np.setdiff1d(np.linspace(0, 1, 97), curve.x)
        away = np.interp(where, drawn.x, drawn.y) - curve.at(where)
        assert np.abs(away).max(initial=0) <= 0.001 * max(1.0, float(curve.y.max()))
