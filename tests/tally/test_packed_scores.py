"""Score counts that are taken apart late are the counts of the rows."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.core.threads import WORTH_A_THREAD
from heldout.tally.packed_scores import DistinctScores
from heldout.tally.roc import area
from heldout.tally.scores import ScoreCounts

finite = st.floats(allow_nan=False, allow_infinity=False)


def by_argsort(truth: Any, score: Any) -> ScoreCounts:
    """The counts made the slow way, which takes weights."""
    return ScoreCounts.of(truth, score, np.ones(len(score)))


@given(st.lists(st.tuples(st.booleans(), finite), max_size=30))
def test_counts_of_any_scores_are_those_of_a_plain_sort(rows: list[tuple[bool, float]]) -> None:
    truth = np.array([t for t, _ in rows], bool)
    score = np.array([s for _, s in rows], float)
    made = ScoreCounts.of(truth, score)
    assert made == by_argsort(truth, score)
    if isinstance(made, DistinctScores):  # but not of numbers that span 300 orders of magnitude
        assert len(np.unique(score)) == len(score)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("ties", [0, 1])
def test_rows_sorted_by_several_threads_are_counted_alike(signed: bool, ties: int) -> None:
    rng = np.random.default_rng(3)
    rows = WORTH_A_THREAD + 50_003
    score = rng.permutation(rows) / rows - (0.5 if signed else 0.0)
    score[:ties] = score[-1]
    truth = rng.random(rows) < 0.3
    made, slow = ScoreCounts.of(truth, score), by_argsort(truth, score)
    assert isinstance(made, DistinctScores) is not bool(ties)
    assert area(made) == pytest.approx(area(slow), rel=1e-12)
    assert made.total_positives == int(truth.sum())
    assert np.array_equal(made.tp, slow.tp)
    assert np.array_equal(made.fp, slow.fp)
    assert made == slow


@pytest.mark.parametrize("pair", [(True, True), (True, False), (False, False)])
def test_two_rows_of_one_score_share_it_whatever_their_truth(pair: tuple[bool, bool]) -> None:
    truth, score = np.array([*pair, True, False]), np.array([0.5, 0.5, 0.9, 0.1])
    made = ScoreCounts.of(truth, score)
    assert made.score.tolist() == [0.9, 0.5, 0.1]
    assert made.positives.tolist() == [1, sum(pair), 0]
    assert made == by_argsort(truth, score)


def test_area_of_distinct_scores_needs_no_scores() -> None:
    made = ScoreCounts.of(np.array([True, False, True, False]), np.array([4.0, 3.0, 2.0, 1.0]))
    assert area(made) == 0.75
    assert not {"score", "positives", "negatives", "tp"} & set(made.__dict__)
    assert made.score.tolist() == [4.0, 3.0, 2.0, 1.0]
    assert "_packed" not in made.__dict__  # keys are let go once taken apart


def test_copies_with_other_counts_are_plain_counts() -> None:
    made = ScoreCounts.of(np.array([True, False]), np.array([2.0, 1.0]))
    other = replace(made, positives=np.array([5, 2]))
    assert type(made) is DistinctScores
    assert type(other) is ScoreCounts
    assert type(type(made)(made.score, made.positives, made.negatives, 2)) is ScoreCounts
    assert area(other) == 6 / 7  # five pairs in order, two tied
    assert made + made == by_argsort(np.array([1, 0] * 2, bool), np.array([2.0, 1.0] * 2))


def test_copied_and_pickled_counts_are_equal_before_and_after_they_are_taken_apart() -> None:
    truth, score = np.array([True, False, True]), np.array([0.2, 0.9, 0.4])
    for touched in (False, True):
        made = ScoreCounts.of(truth, score)
        if touched:
            assert len(made.score) == 3
        assert copy.copy(made) == pickle.loads(pickle.dumps(made)) == by_argsort(truth, score)
