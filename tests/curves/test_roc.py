"""ROC, gain, lift and DET: worked examples by hand, other tools' curves, and the laws of each."""

from __future__ import annotations

from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given

from heldout.curves.curve import Curve
from heldout.curves.hull import trapezoids
from heldout.curves.ranking import det, gain, lift, roc
from heldout.measures.operating_points import gain_at, lift_at
from heldout.measures.ranking import area_under_roc
from heldout.tally.scores import ScoreCounts
from tests.measures.scored_rows import Rows, scored_rows

TEN_DISTINCT = ScoreCounts.of(
    np.array([1, 1, 0, 1, 1, 0, 0, 1, 0, 0], bool),
    np.array([0.99, 0.98, 0.72, 0.7, 0.65, 0.51, 0.39, 0.24, 0.11, 0.01]),
)
TEN_TIES = ScoreCounts.of(
    np.array([1, 1, 0, 0, 0, 1, 0, 1, 0, 1], bool),
    np.array([0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25]),
)


def points(curve: Curve) -> list[list[float]]:
    return np.column_stack([curve.x, curve.y]).tolist()


def test_corners_of_ten_distinct_scores_are_where_the_class_changes() -> None:
    curve = roc(TEN_DISTINCT, corners=True)
    expected = [[0, 0], [0, 0.4], [0.2, 0.4], [0.2, 0.8], [0.6, 0.8], [0.6, 1.0], [1.0, 1.0]]
    np.testing.assert_allclose(points(curve), expected, rtol=0, atol=1e-15)
    assert curve.threshold.tolist() == [inf, 0.98, 0.72, 0.65, 0.39, 0.24, 0.01]
    assert curve.area == 0.8
    assert len(roc(TEN_DISTINCT)) == 11


def test_tied_scores_share_one_point() -> None:
    curve = roc(TEN_TIES)
    assert curve.threshold.tolist() == [inf, 0.95, 0.93, 0.87, 0.85, 0.76, 0.53, 0.43, 0.25]
    assert curve.y.tolist() == [0, 0.2, 0.4, 0.4, 0.6, 0.6, 0.8, 0.8, 1.0]
    assert curve.x.tolist() == [0, 0.0, 0.0, 0.2, 0.6, 0.8, 0.8, 1.0, 1.0]
    assert curve.area == 0.56


def test_height_at_a_rate_is_the_best_there_and_straight_between() -> None:
    curve = roc(TEN_TIES)
    assert curve.at(0.0) == 0.4
    assert curve.at(0.8) == 0.8
    assert curve.at(0.4) == pytest.approx(0.5)
    assert np.isnan(curve.at([-0.1, 1.1, np.nan])).all()


@pytest.mark.parametrize("truth", [[True, True], [False, False], []])
def test_curve_of_one_class_is_empty_and_says_why(truth: list[bool]) -> None:
    counts = ScoreCounts.of(np.array(truth, bool), np.linspace(0.2, 0.3, len(truth)))
    for curve in (roc(counts), det(counts), roc(counts, corners=True)):
        assert curve.is_empty
        assert curve.reason == "there is no positive row, or no negative row"
        assert len(curve.table()) == 0
        assert isnan(curve.at(0.5))
        assert "empty: there is no positive row" in repr(curve)


@pytest.mark.parametrize(
    ("truth", "score", "false_positive_rate", "false_negative_rate"),
    [
        ([1, 0, 0], [0, 0.5, 1], [1, 1, 0.5, 0], [0, 1, 1, 1]),
        ([0, 1, 0], [0, 0.5, 1], [0.5, 0.5, 0], [0, 1, 1]),
    ],
)
def test_det_has_the_points_of_scikit_learn(
    truth: list[int],
    score: list[float],
    false_positive_rate: list[float],
    false_negative_rate: list[float],
) -> None:
    curve = det(ScoreCounts.of(np.array(truth, bool), np.array(score, float)))
    # scikit-learn goes by rising threshold and starts at the last point without a miss
    start = int(np.argmin(curve.y))
    assert curve.x[: start + 1][::-1].tolist() == false_positive_rate
    assert curve.y[: start + 1][::-1].tolist() == false_negative_rate


def test_gain_and_lift_by_hand() -> None:
    counts = ScoreCounts.of(np.array([1, 0, 1, 0], bool), np.array([0.9, 0.6, 0.5, 0.1]))
    assert points(gain(counts)) == [[0, 0], [0.25, 0.5], [0.5, 0.5], [0.75, 1], [1, 1]]
    assert lift(counts).y[:2].tolist() == [2.0, 2.0]
    assert lift(counts).at(0.625) == pytest.approx(0.75 / 0.625)
    none = ScoreCounts.of(np.zeros(2, bool), np.array([0.1, 0.2]))
    assert gain(none).reason == lift(none).reason == "there is no positive row"


@given(rows=scored_rows())
def test_curves_rise_and_their_areas_are_the_measures(rows: Rows) -> None:
    counts = rows.counts
    auc = area_under_roc(counts)
    for curve in (roc(counts), roc(counts, corners=True), gain(counts), det(counts)):
        falls = curve.name == "det"
        assert (np.diff(curve.x) >= 0).all()
        assert (np.diff(-curve.y if falls else curve.y) >= 0).all()
        assert (np.diff(curve.threshold) < 0).all()
        assert points(curve)[0] == ([0, 1] if falls else [0, 0])
        assert points(curve)[-1] == ([1, 0] if falls else [1, 1])
        assert curve.area == pytest.approx(trapezoids(curve.x, curve.y), abs=1e-12)
    assert roc(counts).area == auc
    assert roc(counts).measure == "auc"


@given(rows=scored_rows())
def test_corners_give_the_same_line(rows: Rows) -> None:
    where = np.linspace(0, 1, 37)
    for make in (roc, gain, lift):
        every, few = make(rows.counts), make(rows.counts, corners=True)
        assert len(few) <= len(every)
        np.testing.assert_allclose(every.at(where), few.at(where), rtol=0, atol=1e-12)


@given(rows=scored_rows())
def test_gain_and_lift_at_a_fraction_are_the_measures(rows: Rows) -> None:
    for fraction in (0.1, 0.25, 0.5, 0.8, 1.0):
        counts = rows.counts
        assert gain(counts).at(fraction) == pytest.approx(gain_at(counts, fraction=fraction))
        assert lift(counts).at(fraction) == pytest.approx(lift_at(counts, fraction=fraction))


def test_table_becomes_the_users_kind_of_frame() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    table = roc(TEN_TIES).table()
    names = ["false_positive_rate", "sensitivity", "threshold", "tp", "fp", "fn", "tn"]
    assert isinstance(table.to_pandas(), pandas.DataFrame)
    assert isinstance(table.to_polars(), polars.DataFrame)
    assert list(table.to_pandas().columns) == table.to_arrow().column_names == names
    assert table.to_polars()["tp"].to_list() == [0, 1, 2, 2, 3, 3, 4, 4, 5]
    with pytest.raises(ValueError, match="no column is called 'treshold'; did you mean threshold"):
        table["treshold"]
