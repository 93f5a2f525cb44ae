"""Halves of the rows: their counts, and how honest the value is that they correct."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.core.random import generator
from heldout.decisions.optimism import (
    HALVED,
    _of_counts,
    _of_rows,
    lost_to_new_rows,
    lost_to_the_other_half,
)
from heldout.decisions.rules import parse_rule
from heldout.decisions.thresholds import best_thresholds
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.rankings import ScoreRows
from tests.measures.scored_rows import Rows, scored_rows


@given(rows=scored_rows(weighted=False), seed=st.integers(0, 99), stratified=st.booleans())
def test_halves_part_the_rows(rows: Rows, seed: int, stratified: bool) -> None:
    counts = rows.counts
    whole = np.stack([counts.positives, counts.negatives])
    one, other = _of_counts(whole, generator(seed), stratified=stratified)
    assert (one >= 0).all()
    assert (other >= 0).all()
    assert (one + other == whole).all()
    sides = zip(one.sum(axis=1), other.sum(axis=1), strict=True)
    sizes = list(sides) if stratified else [(one.sum(), other.sum())]
    assert all(abs(int(a) - int(b)) <= 1 for a, b in sizes)


def test_groups_and_weights_stay_whole() -> None:
    rng = np.random.default_rng(0)
    truth, score, weight = rng.random(40) < 0.5, rng.random(40), rng.integers(1, 5, 40) * 1.0
    group = np.arange(40) // 4
    counts = ScoreCounts.of(truth, score, weight)
    drawn = ScoreRows(truth, score, weight, groups=group)
    one, other = _of_rows(counts, drawn, generator(1))
    np.testing.assert_allclose(one + other, np.stack([counts.positives, counts.negatives]))
    kept = {g for g in range(10) if one[:, np.isin(counts.score, score[group == g])].sum() > 0}
    left = {g for g in range(10) if other[:, np.isin(counts.score, score[group == g])].sum() > 0}
    assert not kept & left
    assert len(kept) == len(left) == 5


def test_loss_does_not_depend_on_the_other_rules() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random(80) < 0.5
    counts = ScoreCounts.of(truth, rng.normal(size=80) + truth)
    rules = [parse_rule("youden"), parse_rule("f_score")]
    both = lost_to_the_other_half(counts, rules)
    assert lost_to_the_other_half(counts, rules[1:]) == both[1:]
    assert all(lost > 0 for (lost,) in both)


def few_scores(rng: Any, rows: int) -> ScoreCounts:
    truth = rng.random(rows) < 0.3
    return ScoreCounts.of(truth, rng.binomial(2, 0.35 + 0.25 * truth) * 1.0)


def test_of_few_scores_the_loss_falls_faster_as_rows_grow() -> None:
    rules, rng = [parse_rule("f_score")], np.random.default_rng(2)
    fast, slow = [], []
    for seed in range(12):
        counts = few_scores(rng, 1000)
        ((half,),) = lost_to_the_other_half(counts, rules, seed=seed)
        ((new,),) = lost_to_new_rows(counts, rules, levels=3, seed=seed)
        fast.append(new)
        slow.append(HALVED * half)
        # scores that are joined, and smooth in truth, keep the factor of smooth ones
        assert lost_to_new_rows(counts, rules, levels=900, seed=seed) == [(HALVED * half,)]
    assert all(new <= half for new, half in zip(fast, slow, strict=True))
    # one score is the best for certain
    assert np.median(fast) < 0.5 * np.median(slow)


SCORES: dict[str, Any] = {
    "equal": lambda rng, truth: rng.normal(size=len(truth)) + truth,
    "unequal": lambda rng, truth: rng.normal(size=len(truth)) * (1 + truth) + truth,
    "skewed": lambda rng, truth: np.where(
        truth, rng.beta(2, 2, len(truth)), rng.beta(1, 4, len(truth))
    ),
    "ten levels": lambda rng, truth: rng.binomial(9, 0.4 + 0.15 * truth) * 1.0,
}


@pytest.mark.parametrize("name", SCORES)
def test_corrected_value_is_nearly_what_the_threshold_earns_on_new_rows(name: str) -> None:
    rng = np.random.default_rng(3)
    fresh = np.arange(200_000) % 2 == 0
    new = SCORES[name](rng, fresh)
    looks, corrected = [], []
    for seed in range(60):
        truth = rng.random(80) < 0.5
        counts = ScoreCounts.of(truth, SCORES[name](rng, truth))
        (best,) = best_thresholds(counts, ["youden"], replicates=2, seed=seed)
        called = new >= best.threshold
        earns = called[fresh].mean() - called[~fresh].mean()
        looks.append(best.value - earns)
        corrected.append(best.earned[0].corrected - earns)
    error = float(np.std(looks) / np.sqrt(len(looks)))
    assert np.mean(looks) > 3 * error, "a chosen threshold looks better than it is"
    assert abs(np.mean(corrected)) < 3 * error
    assert abs(np.mean(corrected)) < 0.6 * np.mean(looks)
