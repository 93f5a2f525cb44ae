"""Tests of two models against the formulas of their papers, written out plainly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heldout
from heldout.comparison.compare import compare
from heldout.comparison.posterior import correlated_t
from heldout.comparison.share_tests import mcnemar
from heldout.comparison.split_tests import (
    alpaydin_f,
    corrected_t,
    dietterich_t,
)

COUNTS = st.integers(0, 80)


@settings(max_examples=60)
@given(COUNTS, COUNTS)
def test_exact_mcnemar_is_the_binomial_test_and_mid_p_takes_half_a_point_off(
    first: int, second: int
) -> None:
    from scipy.stats import binom, binomtest

    if not first + second:
        return
    for side in ("two-sided", "greater", "less"):
        exact = mcnemar(first, second, alternative=side).p_value
        theirs = binomtest(first, first + second, 0.5, alternative=side).pvalue
        assert exact == pytest.approx(theirs)
        half = binom.pmf(first, first + second, 0.5) / 2
        middle = mcnemar(first, second, kind="mid-p", alternative=side).p_value
        if side != "two-sided":
            assert middle == pytest.approx(exact - half)
        elif first != second:
            assert middle == pytest.approx(exact - 2 * half)
        else:
            assert middle == pytest.approx(1)


def test_corrected_t_is_the_formula_of_nadeau_and_bengio() -> None:
    from scipy.stats import t

    gaps = np.random.default_rng(1).normal(0.01, 0.02, 15)
    error = np.sqrt(gaps.var(ddof=1) * (1 / 15 + 3 / 7))
    found = corrected_t(gaps, 3 / 7)[1]
    assert found.statistic == pytest.approx(gaps.mean() / error)
    assert found.p_value == pytest.approx(2 * t.sf(abs(gaps.mean() / error), 14))
    posterior = correlated_t(gaps, 3 / 7, 0.01)
    assert posterior.first_better == pytest.approx(t.sf(0.01, 14, gaps.mean(), error))
    assert posterior.second_better == pytest.approx(t.cdf(-0.01, 14, gaps.mean(), error))


def test_five_by_two_tests_are_the_formulas_of_their_papers() -> None:
    table = np.random.default_rng(2).normal(0.02, 0.02, (5, 2))
    variances = [((row - row.mean()) ** 2).sum() for row in table]
    assert dietterich_t(table)[1].statistic == pytest.approx(
        table[0, 0] / np.sqrt(sum(variances) / 5)
    )
    assert alpaydin_f(table)[1].statistic == pytest.approx((table**2).sum() / (2 * sum(variances)))


def test_holdouts_of_unequal_sizes_have_the_mean_of_their_shares() -> None:
    sizes, trained = [20, 30, 40, 25], [80, 70, 60, 75]
    rng = np.random.default_rng(3)
    truth = np.concatenate([rng.permutation(np.arange(size) % 2) for size in sizes])
    repeat = np.repeat(np.arange(4), sizes)
    seen = np.repeat(trained, sizes)
    counts = np.stack([seen // 2, seen - seen // 2], axis=1)
    models = [
        heldout.from_arrays(
            truth,
            np.where(rng.random(len(truth)) < right, truth, 1 - truth),
            pos_label=1,
            repeats=repeat,
            train_counts=counts,
            model=name,
        )
        for name, right in (("a", 0.9), ("b", 0.7))
    ]
    made = compare(*models, measures="accuracy")
    assert made.design.kind == "repeated holdout"
    assert made.design.test_share == pytest.approx(np.mean(np.divide(sizes, trained)))
    right = [np.asarray(p.predicted) == truth for p in models]
    gaps = [np.mean(right[0][repeat == r]) - np.mean(right[1][repeat == r]) for r in range(4)]
    expected = corrected_t(np.array(gaps), made.design.test_share)[1]
    assert made["accuracy"].test.p_value == pytest.approx(expected.p_value)
