"""Resampled score counts: the distribution of resampled rows, at less cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from heldout.core.errors import InputError
from heldout.core.random import generator
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty import rankings as score_bootstrap
from heldout.uncertainty.areas import auc_variance
from heldout.uncertainty.rankings import (
    ScoreBootstrap,
    ScoreSampler,
    coarse_scores,
)
from tests.uncertainty.auc_bootstrap import auc_jackknife, merged_runs, replicate_auc


def area(scores: ScoreCounts) -> float:
    if not scores.has_both:
        return np.nan
    pairs = float(scores.total_positives) * float(scores.total_negatives)
    return float(np.sum(scores.negatives * (scores.tp - scores.positives / 2.0))) / pairs


def average_precision(scores: ScoreCounts) -> float:
    if not scores.total_positives:
        return np.nan
    found = scores.positives / scores.total_positives
    return float(np.sum(found * scores.tp / (scores.tp + scores.fp)))


def problem(rows: int, digits: int = 1, seed: int = 1) -> tuple[Any, Any, ScoreCounts]:
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < 0.4
    score = np.round(rng.normal(size=rows) + truth, digits)
    return truth, score, ScoreCounts.of(truth, score)


small = st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=3, max_size=14)


@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("digits", [0, 3])
def test_drawing_counts_has_the_distribution_of_drawing_rows(stratified: bool, digits: int) -> None:
    truth, score, scores = problem(60, digits)
    rng, by_rows = generator(4), []
    for _ in range(2000):
        if stratified:
            sides = [np.flatnonzero(truth == side) for side in (True, False)]
            rows = np.concatenate([rng.choice(side, len(side)) for side in sides])
        else:
            rows = rng.integers(0, 60, 60)
        by_rows.append(area(ScoreCounts.of(truth[rows], score[rows])))
    sampler = ScoreSampler(scores, stratified=stratified)
    slow = sampler.replicate(area, replicates=2000, rng=generator(5))
    fast = replicate_auc(scores, replicates=2000, rng=generator(6), stratified=stratified)
    for made in (slow, fast):
        assert made.mean() == pytest.approx(np.mean(by_rows), abs=0.01)
        assert made.std() == pytest.approx(np.std(by_rows), rel=0.08)
        assert stats.ks_2samp(made, by_rows).pvalue > 0.001


def test_kinds_and_rows_are_drawn_with_the_same_distribution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, _, scores = problem(200, 0)
    by_kinds = replicate_auc(scores, replicates=2000, rng=generator(1))
    monkeypatch.setattr(score_bootstrap, "ROWS_PER_KIND", 1e9)
    by_rows = replicate_auc(scores, replicates=2000, rng=generator(2))
    assert stats.ks_2samp(by_kinds, by_rows).pvalue > 0.001
    assert by_kinds.std() == pytest.approx(by_rows.std(), rel=0.06)


def test_spread_of_the_areas_is_delongs() -> None:
    _, _, scores = problem(2000, 6)
    made = replicate_auc(scores, replicates=1500, rng=generator(2))
    assert made.std() ** 2 == pytest.approx(auc_variance(scores), rel=0.12)


@given(small)
def test_merging_runs_of_one_class_keeps_the_area_of_every_sample(
    rows: list[tuple[bool, int]],
) -> None:
    truth, score = (np.array(column) for column in zip(*rows, strict=True))
    scores = ScoreCounts.of(truth, score)
    merged = merged_runs(scores)
    assert merged.total_positives == scores.total_positives
    assert area(merged) == pytest.approx(area(scores), nan_ok=True)
    drawn = ScoreSampler(scores).draw_kinds(generator(1))
    sample = ScoreSampler(scores).counted(drawn)
    assert area(merged_runs(sample)) == pytest.approx(area(sample), nan_ok=True)
    assert sample.rows == len(rows)


def test_draws_keep_rows_and_strata_and_leave_out_scores_not_drawn() -> None:
    _, _, scores = problem(50, 2)
    for stratified in (True, False):
        sampler = ScoreSampler(scores, stratified=stratified)
        sample = sampler.counted(sampler.draw_kinds(generator(1)))
        assert sample.total == 50
        assert (sample.total_positives == scores.total_positives) == stratified
        assert (sample.positives + sample.negatives > 0).all()
        weighed = sampler.weigh(generator(1))
        assert weighed.total == pytest.approx(50)
        if stratified:
            assert weighed.total_positives == pytest.approx(scores.total_positives)


@given(small)
def test_left_out_rows_are_those_left_out_one_by_one(rows: list[tuple[bool, int]]) -> None:
    truth, score = (np.array(column) for column in zip(*rows, strict=True))
    scores = ScoreCounts.of(truth, score)
    expected = [
        area(ScoreCounts.of(np.delete(truth, i), np.delete(score, i))) for i in range(len(rows))
    ]
    general = ScoreSampler(scores).jackknife(area, rng=generator(1))
    made = np.repeat(general.values, general.multiplicity)
    assert np.sort(made) == pytest.approx(np.sort(expected), nan_ok=True)
    if 1 < truth.sum() < len(truth) - 1:
        quick = auc_jackknife(scores)
        assert np.sort(np.repeat(quick.values, quick.multiplicity)) == pytest.approx(
            np.sort(expected)
        )


def test_parts_left_out_tell_the_acceleration_of_rows_left_out() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(3000) < 0.05
    scores = ScoreCounts.of(truth, rng.normal(size=3000) + 2 * truth)
    by_parts = ScoreSampler(scores).jackknife(area, rng=generator(2))
    assert len(by_parts.values) == score_bootstrap.JACKKNIFE_PARTS
    exact = auc_jackknife(scores).acceleration
    assert by_parts.acceleration == pytest.approx(exact, abs=0.02)


def test_replicates_do_not_depend_on_the_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, _, scores = problem(300, 3)
    monkeypatch.setattr("heldout.uncertainty.sample.WORTH_A_THREAD", 1)
    made = []
    for count in (1, 3):
        monkeypatch.setattr("heldout.core.threads.workers", lambda count=count: count)
        made.append(replicate_auc(scores, replicates=80, rng=generator(1)))
    assert np.array_equal(*made)


def test_coarse_counts_keep_the_rows_and_nearly_all_of_the_spread() -> None:
    _, _, scores = problem(20_000, 9)
    coarse = coarse_scores(scores, 300)
    assert 200 < len(coarse.score) <= 300
    assert coarse.total_positives == scores.total_positives
    assert coarse.total_negatives == scores.total_negatives
    assert (np.diff(coarse.score) < 0).all()
    assert coarse.score[0] < scores.score[0]
    assert auc_variance(coarse) == pytest.approx(auc_variance(scores), rel=0.01)
    assert coarse_scores(coarse, 300) is coarse
    fine, rough = (
        ScoreBootstrap(scores, replicates=400, levels=levels).interval(average_precision)
        for levels in (None, 300)
    )
    assert rough.width == pytest.approx(fine.width, rel=0.2)
    assert rough.low == pytest.approx(fine.low, abs=0.002)
    assert f"draws of {len(coarse.score)} score bins" in rough.method
    assert rough.contains(average_precision(scores))


def test_replicates_of_very_coarse_counts_are_moved_to_the_estimate() -> None:
    _, _, scores = problem(20_000, 9)
    bootstrap = ScoreBootstrap(scores, replicates=200, levels=6)
    for kind in ("bayesian", "percentile"):
        made = bootstrap.interval(area, kind=kind)
        assert area(bootstrap.coarse) < made.low
        assert (made.low + made.high) / 2 == pytest.approx(area(scores), abs=made.width / 5)


@pytest.mark.parametrize("kind", ["bayesian", "percentile", "basic", "bca"])
def test_faultless_ranking_does_not_collapse_to_a_point(kind: str) -> None:
    scores = ScoreCounts.of(np.arange(30) < 12, -np.arange(30.0))
    bootstrap = ScoreBootstrap(scores, replicates=400)
    for statistic in (area, average_precision):
        made = bootstrap.interval(statistic, kind=kind, bounds=(0, 1))
        assert made.high == 1
        assert 0.6 < made.low < 0.99
        assert made.method.startswith("Bayesian bootstrap with a pseudo-row")


def test_several_measures_share_their_draws() -> None:
    _, _, scores = problem(80, 1)
    bootstrap = ScoreBootstrap(scores, replicates=200, seed=3)
    for kind in ("bayesian", "percentile", "bca"):
        both = bootstrap.replicated(lambda s: [area(s), average_precision(s)]).intervals(kind)
        assert both[0] == bootstrap.interval(area, kind=kind)
        assert both[1] == bootstrap.interval(average_precision, kind=kind)


def test_weighted_and_empty_counts_are_refused() -> None:
    weighted = ScoreCounts.of(np.array([True, False]), np.array([1.0, 2.0]), np.array([1.0, 2.0]))
    with pytest.raises(InputError, match="resample rows with their weights"):
        ScoreSampler(weighted)
    with pytest.raises(InputError, match="no rows to draw from"):
        ScoreSampler(ScoreCounts())
