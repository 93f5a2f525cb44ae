"""The ROC curve as geometry: areas and strips by their definitions, corners, shared ties."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.tally.roc import area, corners, highest, is_exact, partial_area, strip, top_rows
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


def test_corners_of_ten_distinct_scores_are_where_the_class_changes() -> None:
    found = corners(TEN_DISTINCT)
    points = np.column_stack([TEN_DISTINCT.fp[found], TEN_DISTINCT.tp[found]]) / 5
    expected = [[0, 0.4], [0.2, 0.4], [0.2, 0.8], [0.6, 0.8], [0.6, 1.0], [1.0, 1.0]]
    np.testing.assert_allclose(points, expected, rtol=0, atol=1e-15)
    assert area(TEN_DISTINCT) == 0.8


def test_tied_scores_share_one_point() -> None:
    assert TEN_TIES.score.tolist() == [0.95, 0.93, 0.87, 0.85, 0.76, 0.53, 0.43, 0.25]
    assert (TEN_TIES.tp / 5).tolist() == [0.2, 0.4, 0.4, 0.6, 0.6, 0.8, 0.8, 1.0]
    assert (TEN_TIES.fp / 5).tolist() == [0.0, 0.0, 0.2, 0.6, 0.8, 0.8, 1.0, 1.0]
    assert area(TEN_TIES) == 0.56


@given(rows=scored_rows())
def test_area_counts_pairs_and_half_the_ties(rows: Rows) -> None:
    wins = 0.0
    for i in np.flatnonzero(rows.truth):
        for j in np.flatnonzero(~rows.truth):
            share = float(rows.score[i] > rows.score[j]) + 0.5 * (rows.score[i] == rows.score[j])
            wins += rows.weights[i] * rows.weights[j] * share
    expected = wins / (rows.positives * rows.negatives)
    assert area(rows.counts) == pytest.approx(expected, abs=1e-14)


def test_area_of_counts_beyond_64_bits_is_right() -> None:
    many = 3_000_000_000
    counts = ScoreCounts(
        np.array([3.0, 2.0, 1.0]), np.array([many, many, 0]), np.array([0, many, many]), 4 * many
    )
    assert not is_exact(counts)
    assert area(counts) == pytest.approx(0.875, abs=1e-15)
    assert partial_area(counts, 0, 1, of_sensitivity=False) == pytest.approx(0.875, abs=1e-15)


@given(rows=scored_rows(), ends=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_strips_agree_with_a_fine_grid(rows: Rows, ends: tuple[float, float]) -> None:
    low, high = sorted(ends)
    counts = rows.counts
    for of_sensitivity in (False, True):
        x, y = np.append(0, counts.fp / rows.negatives), np.append(0, counts.tp / rows.positives)
        x, y = (y, x) if of_sensitivity else (x, y)
        grid = np.unique(np.concatenate([[low, high], x[(x > low) & (x < high)]]))
        middle = (grid[1:] + grid[:-1]) / 2  # where no step of the curve is vertical
        heights = np.array([_height(x, y, at) for at in middle])
        under = float(np.sum(np.diff(grid) * heights))
        expected = high - low - under if of_sensitivity else under
        found = partial_area(counts, low, high, of_sensitivity=of_sensitivity)
        assert found == pytest.approx(expected, abs=1e-12)


def _height(x: np.ndarray, y: np.ndarray, at: float) -> float:
    after = int(np.argmax(x >= at))
    share = (at - x[after - 1]) / (x[after] - x[after - 1])
    return float(y[after - 1] + share * (y[after] - y[after - 1]))


@given(rows=scored_rows())
def test_two_strips_make_the_whole(rows: Rows) -> None:
    counts = rows.counts
    parts = [partial_area(counts, a, b, of_sensitivity=False) for a, b in ((0, 0.3), (0.3, 1))]
    assert sum(parts) == pytest.approx(area(counts), abs=1e-14)
    assert partial_area(counts, 0, 1, of_sensitivity=True) == pytest.approx(area(counts), abs=1e-14)


def test_empty_strip_and_one_class() -> None:
    assert strip(np.array([1, 2]), np.array([1, 2]), 1.0, 1.0) == 0.0
    single = ScoreCounts.of(np.array([True, True]), np.array([0.1, 0.2]))
    assert isnan(area(single))
    assert isnan(partial_area(single, 0, 1, of_sensitivity=False))
    assert len(corners(ScoreCounts())) == 0


@given(rows=scored_rows())
def test_lines_between_corners_are_the_curve(rows: Rows) -> None:
    counts = rows.counts
    found = corners(counts)
    x, y = (np.append(0, part[found]) for part in (counts.fp, counts.tp))
    under = float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))
    assert under / (rows.positives * rows.negatives) == pytest.approx(area(counts), abs=1e-14)
    rise, run = np.diff(y), np.diff(x)
    if rows.weight is None:  # each corner left turns
        assert np.all(rise[1:] * run[:-1] != rise[:-1] * run[1:])


def test_rounded_weights_in_the_midst_of_a_line_are_no_corner() -> None:
    truth = np.array([True, False, True, True, False, False])
    score = np.array([3.0, 3.0, 2.0, 2.0, 2.0, 1.0])
    counts = ScoreCounts.of(truth, score, np.array([0.3, 0.9, 0.1, 0.2, 0.9, 0.7]))
    assert counts.positives[0] != counts.positives[1]  # 0.3 and 0.1 + 0.2
    assert corners(counts).tolist() == [1, 2]
    # a turn that is no rounding stays, be it small
    counts = ScoreCounts.of(truth, score, np.array([0.3, 0.9, 0.1, 0.2 + 1e-8, 0.9, 0.7]))
    assert corners(counts).tolist() == [0, 1, 2]


def test_corner_with_a_row_of_weight_zero_on_it_stays() -> None:
    truth, score = np.array([True, True, False]), np.array([3.0, 2.0, 1.0])
    counts = ScoreCounts.of(truth, score, np.array([1.0, 0.0, 1.0]))
    found = corners(counts)
    points = (counts.fp[found].tolist(), counts.tp[found].tolist())
    assert points == ([0, 1], [1, 1])


@given(rows=scored_rows(weighted=False), asked=st.floats(0, 14))
def test_top_rows_are_the_mean_over_the_orders_of_ties(rows: Rows, asked: float) -> None:
    expected, left = 0.0, asked
    for score in sorted(set(rows.score.tolist()), reverse=True):
        here = rows.truth[rows.score == score]
        taken = min(left, len(here))
        expected += here.sum() * taken / len(here)
        left -= taken
    assert top_rows(rows.counts, asked) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("start", [0, 1, 700, 4999])
def test_highest_of_a_long_curve_is_that_of_all_points(start: int) -> None:
    rng = np.random.default_rng(5)
    truth = rng.random(5000) < 0.4
    counts = ScoreCounts.of(truth, rng.normal(size=5000) + truth)
    p, n = counts.total_positives, counts.total_negatives
    for value in (lambda tp, fp: tp / p - fp / n, lambda tp, fp: tp / (tp + fp)):
        reached = value(counts.tp[start:], counts.fp[start:])
        best = highest(counts, value, start)
        assert best == (reached.max(), start + int(np.argmax(reached)))
