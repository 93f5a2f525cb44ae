"""Quade's test and aligned ranks as tests of several models over data sets."""

from __future__ import annotations

import numpy as np
import pytest

from heldout import compare_results
from heldout.comparison.methods import METHODS
from heldout.comparison.over_sets.post_hoc import rank_error
from heldout.comparison.over_sets.ranks import (
    aligned_table,
    exchange_error,
    quade,
    quade_table,
    ranks,
)
from heldout.core.errors import InputError
from tests.comparison.tables import table


@pytest.mark.parametrize("test", ["quade", "aligned-ranks"])
def test_pairs_are_by_the_ranks_of_the_test(test: str) -> None:
    wide = table(4, 12)
    made = compare_results(wide, datasets="set", test=test, correction="none")
    values = np.column_stack([wide[m] for m in "abcd"])
    found = METHODS[test].function(values)
    assert [made.ranks[m] for m in "abcd"] == pytest.approx(list(found.mean))
    assert len(made.omnibus) == 1
    d = made["a", "d"]
    assert d.test.statistic == pytest.approx((found.mean[0] - found.mean[3]) / found.error)
    assert d.test.method == found.method
    assert made.critical == pytest.approx(2.569 * found.error, rel=1e-3)
    assert np.mean(found.mean) == pytest.approx(2.5)
    turned = {"set": wide["set"], **{m: [-v for v in wide[m]] for m in "abcd"}}
    other = compare_results(
        turned, datasets="set", test=test, correction="none", higher_is_better=False
    )
    assert other.ranks == pytest.approx(made.ranks)


def test_error_of_plain_ranks_is_that_of_friedman() -> None:
    values = np.random.default_rng(1).normal(size=(9, 5))
    assert exchange_error(ranks(values)) == pytest.approx(rank_error(5, 9))


@pytest.mark.parametrize("test", ["quade", "aligned-ranks"])
def test_false_alarms_of_a_pair_are_at_the_level(test: str) -> None:
    rng = np.random.default_rng(2)
    alarms = []
    for _ in range(400):
        spread = rng.exponential(1, (15, 1))
        values = rng.normal(size=(15, 5)) * spread + rng.normal(0, 3, (15, 1))
        found = METHODS[test].function(values)
        alarms.append(abs(found.mean[0] - found.mean[1]) / found.error > 1.96)
    assert 0.02 < np.mean(alarms) < 0.09


def test_sets_on_which_models_lie_far_apart_decide() -> None:
    # the first model wins narrowly four times and loses clearly three times
    gaps = [0.001, 0.002, 0.001, 0.002, -0.2, -0.3, -0.1]
    values = np.array([[0.8 + g, 0.8, 0.8 + g / 2] for g in gaps])
    assert ranks(values).mean(axis=0)[0] < ranks(values).mean(axis=0)[1]
    assert quade_table(values).mean(axis=0)[0] > quade_table(values).mean(axis=0)[1]
    assert aligned_table(values).mean(axis=0)[0] > aligned_table(values).mean(axis=0)[1]
    assert quade(values).p_value > 0.05


def test_controls_and_equal_models_are_no_trouble() -> None:
    made = compare_results(table(4), datasets="set", test="quade", control="b")
    assert made.pairs == [("b", "a"), ("b", "c"), ("b", "d")]
    same = {"set": list(range(6)), **{m: [0.5, 0.6, 0.7, 0.8, 0.9, 0.4] for m in "abc"}}
    for test in ("quade", "aligned-ranks"):
        found = compare_results(same, datasets="set", test=test)
        assert [d.corrected for d in found.differences] == [1.0, 1.0, 1.0]
        assert found.omnibus[0].p_value == 1.0


def test_tests_of_several_models_are_refused_for_two() -> None:
    with pytest.raises(InputError, match="quade is for three models or more"):
        compare_results(table(2), datasets="set", test="quade")
    with pytest.raises(InputError, match="2 data sets are too few for aligned-ranks"):
        compare_results(table(3, 2), datasets="set", test="aligned-ranks")


def test_sign_test_has_the_posterior_of_signs() -> None:
    wide = table(2, 12)
    made = compare_results(wide, datasets="set", test="sign", rope=0.01)
    d = made["a", "b"]
    assert d.posterior is not None
    assert d.posterior.method.startswith("Bayesian sign test")
    gains = np.array(wide["a"]) - np.array(wide["b"])
    beta = np.random.default_rng(1).dirichlet(
        [(gains > 0.01).sum(), (abs(gains) <= 0.01).sum() + 1, (gains < -0.01).sum()], 20_000
    )
    assert d.posterior.second_better == pytest.approx(
        float(np.mean(beta.argmax(axis=1) == 2)), abs=0.02
    )
    assert len(made.plot("posterior").axes) == 1
