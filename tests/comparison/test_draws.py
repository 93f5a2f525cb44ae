"""Data sets on which models draw or tie: exact signed ranks, and posteriors that are not sure."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

import heldout
from heldout.comparison.over_sets.bayesian import bayesian_sign, bayesian_signed_rank
from heldout.comparison.over_sets.signed_ranks import wilcoxon

FIVE = np.array([0.71, 0.72, 0.73, 0.74, 0.75, 0.7, 0.7])
BASE = np.full(7, 0.7)


def counted(gaps: Any, side: str) -> float:
    """The p-value of every assignment of signs, listed one by one."""
    ranks = rankdata(np.abs(gaps))[gaps != 0]
    signs = gaps[gaps != 0] > 0
    sums = np.array([ranks[list(s)].sum() for s in product([True, False], repeat=len(ranks))])
    seen = ranks[signs].sum()
    above, below = float((sums >= seen).mean()), float((sums <= seen).mean())
    if side == "two-sided":
        return min(1.0, 2 * min(above, below))
    return above if side == "greater" else below


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-4, 6), min_size=3, max_size=9).filter(any),
    st.sampled_from(["two-sided", "greater", "less"]),
)
def test_wilcoxon_counts_every_sign_with_ties_and_draws(gaps: list[int], side: str) -> None:
    values = np.array(gaps, float)
    found = wilcoxon(values, np.zeros(len(values)), alternative=side)
    assert found.p_value == pytest.approx(counted(values, side), abs=1e-12)


def test_draws_and_ties_name_no_winner_that_signs_cannot() -> None:
    assert wilcoxon(FIVE, BASE).p_value == 0.0625
    assert wilcoxon(FIVE, BASE, alternative="greater").p_value == 0.03125
    assert wilcoxon(BASE[:6] + 0.01, BASE[:6]).p_value == 0.03125


def test_exact_ranks_go_over_into_the_approximation() -> None:
    gaps = np.random.default_rng(4).integers(-5, 7, 61).astype(float)
    gaps[gaps == 0] = 6.0
    many, fewer = wilcoxon(gaps, np.zeros(61)), wilcoxon(gaps[1:], np.zeros(60))
    assert "normal" in many.method
    assert "exact" in fewer.method
    assert fewer.p_value == pytest.approx(many.p_value, rel=0.25)


def test_only_data_sets_that_differ_count_for_wilcoxon() -> None:
    table = {"name": list("abcdefg"), "A": FIVE, "B": BASE}
    made = heldout.compare_results(table, datasets="name")
    assert not made["A", "B"].is_significant
    assert any("differ on 5 of 7 data sets" in n and "needs 6" in n for n in made.notes)
    full = {**table, "A": BASE + 0.01 * np.arange(1, 8)}
    assert not any("Wilcoxon" in n for n in heldout.compare_results(full, datasets="name").notes)


@pytest.mark.parametrize("test", [bayesian_signed_rank, bayesian_sign])
def test_one_win_among_draws_is_far_from_certain(test: Any) -> None:
    found = test(np.array([0.01, *[0.0] * 7]))
    assert 0.5 < found.first_better < 0.9
    turned = test(-np.array([0.01, *[0.0] * 7]))
    assert turned.second_better == pytest.approx(found.first_better, abs=0.02)
    assert test(np.zeros(6)).first_better == pytest.approx(0.5, abs=0.02)
    assert test(np.full(6, 0.01)).first_better > 0.95


def test_a_probability_is_never_said_to_be_one() -> None:
    table = {"name": list("abcdefgh"), "A": np.arange(8) + 5.0, "B": np.arange(8) + 1.0}
    said = heldout.compare_results(table, datasets="name").verdict
    assert "1.000" not in said
    assert "that A is better >0.999" in said


@pytest.mark.parametrize("test", [bayesian_signed_rank, bayesian_sign])
def test_float_noise_at_the_edge_of_the_rope_decides_nothing(test: Any) -> None:
    one, other = np.array([71.2, 70.0, 73.1, 70.9, 72.3]), np.array([70.2, 69.0, 72.1, 69.9, 71.3])
    percent = test(one - other, 1.0, draws=2000)
    shares = test(one / 100 - other / 100, 0.01, draws=2000)
    assert (percent.first_better, percent.equivalent) == (shares.first_better, shares.equivalent)
    assert percent.equivalent == 1.0


def test_a_rope_beyond_all_values_is_refused() -> None:
    table = {"name": list("abcdefg"), "A": FIVE, "B": BASE}
    with pytest.raises(heldout.InputError, match=r"rope 3 .* write 0.03 for 3 points"):
        heldout.compare_results(table, datasets="name", rope=3)
