"""Folds: the pooled curve is that of all rows, the average has the mean of the areas."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.core.random import generator
from heldout.curves.folds import average_band, pooled, vertical_average
from heldout.curves.hull import trapezoids
from heldout.curves.ranking import roc
from heldout.tally.scores import ScoreCounts
from tests.measures.scored_rows import Rows, scored_rows

ONE_CLASS = ScoreCounts.of(np.ones(2, bool), np.arange(2.0))


def some_folds(count: int = 4, size: int = 40) -> dict[str, ScoreCounts]:
    rng = generator(3)
    made = {}
    for i in range(count):
        truth = np.arange(size) % 2 == 0
        made[str(i)] = ScoreCounts.of(truth, rng.normal(size=size) + truth)
    return made


@given(folds=st.lists(scored_rows(), min_size=1, max_size=4))
def test_area_of_the_average_is_the_mean_of_the_areas(folds: list[Rows]) -> None:
    parts = {str(i): rows.counts for i, rows in enumerate(folds)}
    curve = vertical_average(parts)
    areas = [roc(counts).area for counts in parts.values()]
    assert curve.area == pytest.approx(np.mean(areas))
    assert trapezoids(curve.x, curve.y) == pytest.approx(curve.area, abs=1e-12)
    assert (np.diff(curve.x) >= 0).all()
    assert (np.diff(curve.y) >= -1e-12).all()
    assert (curve.y[0], curve.y[-1]) == (0, pytest.approx(1))
    where = np.linspace(0, 1, 19)
    mean = np.mean([roc(counts).at(where) for counts in parts.values()], axis=0)
    np.testing.assert_allclose(curve.at(where), mean, atol=1e-12)


def test_pooled_curve_is_that_of_all_rows() -> None:
    truth, score = np.array([1, 0, 1, 0], bool), np.array([0.9, 0.5, 0.3, 0.1])
    parts = {"a": ScoreCounts.of(truth[:2], score[:2]), "b": ScoreCounts.of(truth[2:], score[2:])}
    np.testing.assert_array_equal(pooled(parts).y, roc(ScoreCounts.of(truth, score)).y)
    assert pooled(parts).area == 0.75
    assert vertical_average(parts).area == 1.0


def test_fold_of_one_class_is_left_out_and_named() -> None:
    curve = vertical_average({"first": ONE_CLASS, **some_folds(2)})
    assert curve.note == "mean of 2 of 3 folds; no curve in first"
    none = vertical_average({"first": ONE_CLASS})
    assert none.is_empty
    assert none.reason == "no fold has both a positive and a negative row"


def test_band_of_the_average_holds_it_and_shrinks_with_more_folds() -> None:
    few, many = some_folds(3), some_folds(12)
    widths = []
    for folds in (few, many):
        band = average_band(folds, replicates=200)
        height = vertical_average(folds).at(band.x)
        assert (band.low[1:] <= height[1:] + 1e-9).all()
        assert (height <= band.high + 1e-9).all()
        widths.append(float((band.high - band.low).mean()))
    assert widths[1] < 0.75 * widths[0]
    whole = average_band(few, replicates=200, kind="simultaneous")
    assert (whole.high - whole.low).mean() > widths[0]


def test_spread_of_folds_claims_no_level() -> None:
    band = average_band(some_folds(), kind="spread")
    assert isnan(band.level)
    assert band.method == "± 1 standard deviation of 4 folds"


def test_band_of_separated_folds_does_not_collapse() -> None:
    truth = np.arange(10) % 2 == 0
    folds = {str(i): ScoreCounts.of(truth, truth.astype(float)) for i in range(3)}
    band = average_band(folds, replicates=100)
    assert (band.low[1:-1] < 0.9).all()


def test_band_of_one_fold_or_of_weights_is_absent() -> None:
    assert "fewer than two" in average_band({"a": some_folds(1)["0"], "b": ONE_CLASS}).note
    heavy = ScoreCounts.of(np.array([1, 0], bool), np.arange(2.0), np.ones(2))
    assert "weights" in average_band({"a": heavy, "b": heavy}).note
    assert not average_band({"a": heavy, "b": heavy}, kind="spread").is_absent
