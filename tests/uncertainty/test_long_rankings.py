"""Intervals of measures of long rankings: fine enough joined scores, few draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.random import generator
from heldout.measures.registry import find
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.rankings import MANY_OF_A_CLASS, ScoreBootstrap, coarse_scores, fine_levels

ROWS = 60_000
NAMES = ("average_precision", "sensitivity_at_specificity", "h_measure")


def problem(rows: int = ROWS, seed: int = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < 0.4
    return truth, rng.normal(size=rows) + 1.2 * truth


def values(names: tuple[str, ...]) -> Any:
    measures = [find(name) for name in names]
    given = [{p.name: p.default for p in measure.parameters} for measure in measures]
    return lambda s: [m(s, **g) for m, g in zip(measures, given, strict=True)]


def test_spread_on_joined_scores_is_that_of_drawing_rows() -> None:
    truth, score = problem()
    rng, statistic = generator(5), values(NAMES)
    drawn = []
    for _ in range(120):
        rows = rng.integers(0, ROWS, ROWS)
        drawn.append(statistic(ScoreCounts.of(truth[rows], score[rows])))
    spread = np.std(drawn, axis=0)
    counts = ScoreCounts.of(truth, score)
    bootstrap = ScoreBootstrap(counts, levels=fine_levels(counts))
    made = bootstrap.normal_intervals(statistic, bounds=[(0, 1)] * 3)
    widths = np.array([one.width for one in made if one is not None])
    assert len(widths) == 3
    # both standard deviations are known to 7 %
    assert widths / (2 * 1.98) == pytest.approx(spread, rel=0.3)


def test_a_point_of_the_curve_needs_finer_scores_than_an_area() -> None:
    truth, score = problem(1_000_000)
    counts, statistic = ScoreCounts.of(truth, score), values(("sensitivity_at_specificity",))
    # the sensitivity at a specificity: its own binomial error, and that of the threshold,
    # which is the slope of the curve there times the error of the specificity
    (rate,) = statistic(counts)
    step = 2_000
    place = int(np.searchsorted(counts.fp, 0.1 * counts.total_negatives))
    rise = (counts.tp[place + step] - counts.tp[place - step]) / counts.total_positives
    run = (counts.fp[place + step] - counts.fp[place - step]) / counts.total_negatives
    error = rate * (1 - rate) / counts.total_positives
    error += (rise / run) ** 2 * 0.09 / counts.total_negatives
    (fine,) = ScoreBootstrap(counts, levels=fine_levels(counts)).normal_intervals(
        statistic, bounds=[(0, 1)]
    )
    assert fine is not None
    assert fine.width / (2 * 1.98) == pytest.approx(error**0.5, rel=0.3)


def test_levels_grow_with_the_root_of_the_rows() -> None:
    counts = ScoreCounts.of(*problem())
    assert fine_levels(counts) == int(10.8 * float(counts.total_positives) ** 0.5)
    assert fine_levels(ScoreCounts.of(*problem(1000))) == 1000


def test_joined_counts_are_the_sums_of_their_rows_with_and_without_ties() -> None:
    truth, score = problem(20_000)
    for rounded in (score, np.round(score, 3)):
        counts = ScoreCounts.of(truth, rounded)
        weighted = ScoreCounts.of(truth, rounded, np.ones(len(score)))
        one, other = coarse_scores(counts, 200), coarse_scores(weighted, 200)
        assert np.array_equal(one.positives, other.positives)
        assert np.array_equal(one.negatives, other.negatives)
        assert one.score == pytest.approx(other.score, rel=1e-12)


def test_few_rows_of_a_class_have_no_normal_limits() -> None:
    rng = np.random.default_rng(1)
    truth = np.arange(50_000) < MANY_OF_A_CLASS - 1
    counts = ScoreCounts.of(truth, rng.normal(size=50_000) + truth)
    made = ScoreBootstrap(counts).normal_intervals(values(NAMES[:1]), bounds=[(0, 1)])
    assert made == [None]


def card(**options: Any) -> Any:
    truth, score = problem(40_000)
    return heldout.score(truth.astype(int), y_score=1 / (1 + np.exp(-score)), **options)


def test_method_says_that_limits_are_normal_and_how_many_draws_there_were() -> None:
    (smooth, point, best) = card().results(
        ["average_precision", "sensitivity_at_specificity", "kolmogorov_smirnov"]
    )
    assert smooth.method.startswith("normal limits of a bootstrap, 100 random weightings of")
    assert "score bins, seed 1" in smooth.method
    assert "1,3" in point.method  # finer bins
    assert best.method.startswith("normal limits of a bootstrap without bias, 100 draws of")


def test_draws_that_are_asked_for_are_made() -> None:
    (asked,) = card(replicates=300).results(["average_precision"])
    assert "300 draws" in asked.method
    assert "normal" not in asked.method
    (other,) = card(interval="percentile").results(["average_precision"])
    assert other.method.startswith("bootstrap percentile, 400 draws")
    (few,) = card().results(["average_precision"])
    assert few.high - few.low == pytest.approx(asked.high - asked.low, rel=0.35)


def test_an_interval_does_not_depend_on_what_else_is_asked_for() -> None:
    (alone,) = card().results(["h_measure"])
    among = card().results(["average_precision", "h_measure", "precision_at_recall"])[1]
    assert (alone.low, alone.high, alone.method) == (among.low, among.high, among.method)
    other = card(random_state=2).results(["h_measure"])[0]
    assert other.low != alone.low
