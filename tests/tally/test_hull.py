"""The convex hull of the ROC curve, exactly, on small and on long curves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.tally.hull import best_on_hull, hull
from heldout.tally.scores import ScoreCounts
from tests.measures.scored_rows import Rows, scored_rows


def vertices(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The upper hull of points (FP, TP) with the origin, by the plain algorithm."""
    kept: list[tuple[int, int]] = []
    for x, y in sorted({(0, 0), *points}):
        while len(kept) > 1:
            (x0, y0), (x1, y1) = kept[-2:]
            if (y1 - y0) * (x - x1) > (y - y1) * (x1 - x0):
                break
            kept.pop()
        kept.append((x, y))
    return kept


def test_hull_of_ten_scores_is_that_of_rocr() -> None:
    score = np.array([0.02495517, 0.92535646, 0.86251887, 0.80946685, 0.70922858])
    score = np.append(score, [0.69762824, 0.50604485, 0.2544681, 0.10837728, 0.07250349])
    truth = np.array([0, 1, 1, 0, 1, 1, 0, 1, 0, 0], bool)
    found = hull(ScoreCounts.of(truth, score))
    assert (found.fp / 5).tolist() == [0, 0, 0.2, 0.4, 1]
    assert (found.tp / 5).tolist() == [0, 0.4, 0.8, 1, 1]
    assert found.position.tolist() == [-1, 1, 4, 6, 9]


@given(rows=scored_rows(most=40, weighted=False))
def test_hull_is_that_of_the_plain_algorithm(rows: Rows) -> None:
    found = hull(rows.counts)
    expected = vertices([(int(fp), int(tp)) for tp, fp in rows.points])
    assert list(zip(found.fp.tolist(), found.tp.tolist(), strict=True)) == expected


@settings(max_examples=10)
@given(
    seed=st.integers(0, 10**6),
    skill=st.sampled_from([-1.0, 0.0, 0.3, 3.0]),
    digits=st.integers(2, 9),
)
def test_hull_of_a_long_curve_is_that_of_the_plain_algorithm(
    seed: int, skill: float, digits: int
) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.random(6000) < rng.choice([0.02, 0.5])
    counts = ScoreCounts.of(truth, np.round(rng.normal(size=6000) + skill * truth, digits))
    found = hull(counts)
    expected = vertices(list(zip(counts.fp.tolist(), counts.tp.tolist(), strict=True)))
    assert list(zip(found.fp.tolist(), found.tp.tolist(), strict=True)) == expected
    inner = found.position[1:]
    assert np.array_equal(counts.tp[inner], found.tp[1:])
    assert np.array_equal(counts.fp[inner], found.fp[1:])


def test_collinear_points_are_left_out_of_a_long_straight_curve() -> None:
    steps = np.ones(5000, np.int64)
    found = hull(ScoreCounts(np.arange(5000.0)[::-1], steps, steps, 10_000))
    assert found.position.tolist() == [-1, 4999]


def test_hull_of_huge_counts_is_exact_in_python_integers() -> None:
    big = 2**40
    positives, negatives = np.array([big, big - 1, big, 1]), np.array([big, big, big, big])
    found = hull(ScoreCounts(np.array([4.0, 3.0, 2.0, 1.0]), positives, negatives, 8 * big))
    points = list(zip(np.cumsum(negatives).tolist(), np.cumsum(positives).tolist(), strict=True))
    assert list(zip(found.fp.tolist(), found.tp.tolist(), strict=True)) == vertices(points)


def test_rows_of_weight_zero_leave_no_trace() -> None:
    truth = np.array([True, False, True, False, True] * 300)
    rng = np.random.default_rng(0)
    score = rng.normal(size=1500) + truth
    weight = rng.choice([0.0, 0.0, 1.0], size=1500)
    kept = weight > 0
    found = hull(ScoreCounts.of(truth, score, weight))
    expected = hull(ScoreCounts.of(truth[kept], score[kept]))
    assert np.array_equal(found.fp, expected.fp)
    assert np.array_equal(found.tp, expected.tp)


def test_rows_of_weight_zero_before_and_after_all_leave_no_trace() -> None:
    truth, score = np.array([True, True, False, False]), np.array([4.0, 3.0, 2.0, 1.0])
    found = hull(ScoreCounts.of(truth, score, np.array([0.0, 1.0, 1.0, 0.0])))
    assert (found.tp.tolist(), found.fp.tolist()) == ([0, 1, 1], [0, 0, 1])


def test_one_class_is_a_line_and_no_rows_a_point() -> None:
    single = hull(ScoreCounts.of(np.array([True, True]), np.array([0.1, 0.2])))
    assert (single.tp.tolist(), single.fp.tolist()) == ([0, 2], [0, 0])
    assert hull(ScoreCounts()).position.tolist() == [-1]


@pytest.mark.parametrize("cost", [0.01, 1.0, 20.0])
def test_best_on_hull_is_best_of_all_thresholds(cost: float) -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(3000) < 0.3
    counts = ScoreCounts.of(truth, rng.normal(size=3000) + truth)
    value, position = best_on_hull(counts, lambda tp, fp: tp - cost * fp)
    every = counts.tp - cost * counts.fp
    assert value == max(every.max(), 0.0)
    assert position == (int(np.argmax(every)) if every.max() > 0 else -1)
