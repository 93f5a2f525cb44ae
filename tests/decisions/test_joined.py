"""Joined scores: cuts at the kept scores stay exact."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from heldout.curves.cuts import Cuts, evaluated
from heldout.decisions.joined import ends_of, joined, joined_at
from heldout.tally.confusion import Confusion
from heldout.tally.scores import ScoreCounts
from tests.measures.scored_rows import Rows, scored_rows


@given(rows=scored_rows(), keep=st.sets(st.integers(0, 11)))
def test_cuts_at_kept_scores_are_those_of_all_scores(rows: Rows, keep: set[int]) -> None:
    counts = rows.counts
    last = len(counts.score) - 1
    ends = np.array(sorted({min(k, last) for k in keep} | {last}))
    short = joined(counts, ends)
    assert np.array_equal(short.score, counts.score[ends])
    assert np.allclose(short.tp, counts.tp[ends])
    assert np.allclose(short.fp, counts.fp[ends])
    again = joined_at(counts, short.score)
    assert np.allclose(again.tp, short.tp)
    assert np.allclose(again.fp, short.fp)


def test_many_scores_are_joined_to_about_as_many_as_asked_for() -> None:
    rng = np.random.default_rng(1)
    counts = ScoreCounts.of(rng.random(50_000) < 0.01, rng.random(50_000))
    ends = ends_of(counts, 900, near=[20_000])
    assert 600 <= len(ends) <= 910
    assert 20_000 in ends
    assert ends[-1] == len(counts.score) - 1
    # the rare class is cut as finely as the common one
    assert np.diff(counts.tp[ends]).max() <= 2
    assert np.diff(counts.fp[ends]).max() <= 50_000 / 290


@given(rows=scored_rows(weighted=False), positive=st.sampled_from([0, 1]))
def test_tallies_of_cuts_are_those_of_the_general_tally(rows: Rows, positive: int) -> None:
    counts = rows.counts
    cuts = Cuts.of_called(
        counts.tp, counts.fp, counts.total_positives, counts.total_negatives, positive=positive
    )
    plain = Confusion(2, cuts.cells, np.ascontiguousarray(cuts.counts), positive)
    for name in ("total", "correct", "actual", "chosen", "hits"):
        assert np.array_equal(getattr(cuts, name), getattr(plain, name)), name
    for name in ("binary", "one_vs_rest"):
        one, other = getattr(cuts, name), getattr(plain, name)
        for cell in ("tp", "fp", "fn", "tn"):
            assert np.array_equal(getattr(one, cell), getattr(other, cell)), (name, cell)
    assert evaluated(counts, lambda c: c.correct, positive=positive)[1:].tolist() == (
        cuts.correct.tolist()
    )
