"""Models over many data sets: tables of results, ranks, signed ranks, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heldout
from heldout.comparison.over_sets.bayesian import bayesian_signed_rank, posterior_shares
from heldout.comparison.over_sets.post_hoc import critical_difference
from heldout.comparison.over_sets.ranks import average_ranks, exact_friedman, friedman
from heldout.comparison.over_sets.results import read_results
from heldout.comparison.over_sets.signed_ranks import pseudomedian, walsh_average, walsh_interval
from heldout.core.errors import InputError
from tests.comparison.tables import longer, table


def test_long_and_wide_tables_are_the_same_results(tmp_path: Path) -> None:
    wide = table(4)
    here = read_results(wide, datasets="set")
    there = read_results(longer(wide), datasets="set", models="model", value="value")
    np.testing.assert_array_equal(here.values, there.values)
    assert here.models == there.models
    file = tmp_path / "results.csv"
    lines = [",".join(wide)]
    lines += [",".join(str(wide[name][i]) for name in wide) for i in range(12)]
    file.write_text("\n".join(lines))
    np.testing.assert_array_equal(read_results(file, datasets="set").values, here.values)


def test_ranks_and_tests_are_those_of_scipy() -> None:
    from scipy.stats import friedmanchisquare, wilcoxon

    wide = table(4)
    made = heldout.compare_results(wide, datasets="set")
    columns = [wide[m] for m in "abcd"]
    assert made.omnibus[0].statistic == pytest.approx(friedmanchisquare(*columns).statistic)
    assert made.models[0] == "d"
    assert made.ranks["a"] > made.ranks["d"]
    two = heldout.compare_results({k: wide[k] for k in ("set", "a", "b")}, datasets="set")
    expected = wilcoxon(wide["a"], wide["b"]).pvalue
    assert two["a", "b"].corrected == pytest.approx(expected)


def test_lower_is_better_turns_ranks_and_wins_but_not_differences() -> None:
    wide = table(3)
    up = heldout.compare_results(wide, datasets="set")
    down = heldout.compare_results(wide, datasets="set", higher_is_better=False)
    for pair in (("a", "b"), ("a", "c")):
        assert up[pair].wins == down[pair].losses
        assert up[pair].value == down[pair].value
        assert up[pair].ranks == pytest.approx(-down[pair].ranks)
    assert up.models[0] == "c"
    assert down.models[0] == "a"
    two = {k: wide[k] for k in ("set", "a", "c")}
    up2 = heldout.compare_results(two, datasets="set")["a", "c"].posterior
    down2 = heldout.compare_results(two, datasets="set", higher_is_better=False)["a", "c"].posterior
    assert up2
    assert down2
    assert up2.first_better == pytest.approx(down2.second_better, abs=0.02)


def test_exchanged_models_mirror_the_comparison() -> None:
    wide = table(2, step=0.01)
    here = heldout.compare_results(wide, datasets="set", models="a,b", rope=0.005)["a", "b"]
    there = heldout.compare_results(wide, datasets="set", models="b,a", rope=0.005)["b", "a"]
    assert here.corrected == pytest.approx(there.corrected)
    assert here.value == pytest.approx(-there.value)
    assert here.interval.low == pytest.approx(-there.interval.high)
    assert here.better == there.better
    assert here.posterior
    assert there.posterior
    q, r = here.posterior, there.posterior
    assert q.first_better + q.equivalent + q.second_better == pytest.approx(1)
    assert q.first_better == pytest.approx(r.second_better, abs=0.02)


def test_identical_models_do_not_differ() -> None:
    wide = table(1)
    same = {**wide, "b": wide["a"], "c": wide["a"]}
    made = heldout.compare_results(same, datasets="set")
    assert all(d.corrected == 1 for d in made.differences)
    assert set(made.letters.values()) == {"a"}
    two = heldout.compare_results(same, datasets="set", models="a,b")
    assert two["a", "b"].corrected == 1
    assert two["a", "b"].value == 0


def test_float_noise_breaks_no_tie() -> None:
    values = np.array([[0.1 + 0.2, 0.3, 0.1], [0.7, 0.1 * 7, 0.2], [0.5, 0.5, 0.4]])
    np.testing.assert_array_equal(average_ranks(values), [1.5, 1.5, 3])
    assert friedman(values).statistic == pytest.approx(friedman(np.round(values, 3)).statistic)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-40, 60), min_size=7, max_size=14, unique=True))
def test_interval_holds_what_wilcoxon_does_not_reject(gaps: list[int]) -> None:
    from scipy.stats import wilcoxon

    values = np.array(gaps, float)
    interval = walsh_interval(values)
    assert interval.contains(pseudomedian(values))
    for shift in (interval.low - 0.3, interval.low + 0.3, interval.high - 0.3, interval.high + 0.3):
        moved = values - shift
        if (moved == 0).any() or len(np.unique(np.abs(moved))) < len(moved):
            continue
        p_value = wilcoxon(moved, method="exact").pvalue
        inside = interval.low < shift < interval.high
        assert (p_value > 0.05) == inside or p_value == pytest.approx(0.05, abs=1e-9)


def test_too_few_data_sets_have_no_interval_and_say_why() -> None:
    made = walsh_interval(np.array([1.0, 2.0, 3.0]))
    assert made.is_absent
    assert "too few" in made.note


@pytest.mark.parametrize("rope", [0.0, 0.02])
@pytest.mark.parametrize("test", ["Bayesian signed-rank test", "Bayesian sign test"])
def test_order_of_data_sets_and_of_models_moves_no_draw(test: str, rope: float) -> None:
    rng = np.random.default_rng(4)
    gaps = np.round(rng.normal(0.01, 0.02, 15), 2)
    shares = posterior_shares(test, gaps, rope, draws=100)
    mirrored = posterior_shares(test, -rng.permutation(gaps), rope, draws=100)
    np.testing.assert_allclose(mirrored[:, ::-1], shares, atol=1e-15)


def test_order_of_data_sets_and_of_models_moves_no_drawn_rank_test() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(9, 7))
    test = exact_friedman(values)
    assert test is not None
    assert "drawn" in test.method
    moved = exact_friedman(rng.permutation(rng.permutation(values), axis=1))
    assert moved is not None
    assert (moved.method, moved.statistic, moved.p_value) == (
        test.method,
        test.statistic,
        test.p_value,
    )


def test_shares_of_the_posterior_sum_to_one() -> None:
    gaps = np.random.default_rng(1).normal(0.01, 0.02, 15)
    shares = posterior_shares("Bayesian signed-rank test", gaps, 0.01, draws=500)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    whole = bayesian_signed_rank(gaps, 0.01, draws=500)
    assert whole.first_better == pytest.approx((shares.argmax(axis=1) == 0).mean(), abs=0.01)


@pytest.mark.parametrize("rope", [0.0, 0.02])
def test_shares_of_the_posterior_are_those_of_all_pairs(rope: float) -> None:
    from heldout.core.random import stream

    gaps = np.sort(np.round(np.random.default_rng(1).normal(0.01, 0.02, 15), 2))
    assert (gaps == 0).any()
    (pairs,) = posterior_shares("Bayesian signed-rank test", gaps, rope, draws=1)
    # a data set without a difference, and the prior's, is half a win of each where there is no rope
    none = [0.0, *gaps[gaps == 0]] if not rope else []
    kept = [*gaps[gaps != 0]] if not rope else [0.0, *gaps]
    values = [*((v, 0) for v in kept), *((0.0, 1) for _ in none), *((0.0, -1) for _ in none)]
    shape = [1.0] * len(kept) + [0.5] * 2 * len(none)
    weights = stream(1, "bayesian signed rank").standard_gamma(shape)
    weights /= weights.sum()
    shares = np.zeros(3)
    for (value, least), weight in zip(values, weights, strict=True):
        for (other, other_least), other_weight in zip(values, weights, strict=True):
            total, leaning = value + other, least + other_least
            side = np.sign(total) if abs(total) > 2 * rope + 1e-9 else np.sign(leaning)
            shares[1 - int(side)] += weight * other_weight
    np.testing.assert_allclose(pairs, shares, atol=1e-12)


def test_corrections_by_number_of_models_and_by_name() -> None:
    few = heldout.compare_results(table(4), datasets="set")
    many = heldout.compare_results(table(11), datasets="set")
    assert few.differences[0].correction == "bergmann_hommel"
    assert many.differences[0].correction == "shaffer"
    nemenyi = heldout.compare_results(table(4), datasets="set", correction="nemenyi")
    for d in nemenyi.differences:
        apart = abs(d.ranks) > critical_difference(4, 12)
        assert d.is_significant == apart
    assert nemenyi.critical == pytest.approx(critical_difference(4, 12))
    with pytest.raises(InputError, match="shaffer"):
        heldout.compare_results(table(11), datasets="set", correction="bergmann_hommel")


def test_missing_values_are_named_by_model_and_data_set() -> None:
    wide = table(3)
    wide["b"][4] = float("nan")
    with pytest.raises(InputError, match="b on set 4"):
        heldout.compare_results(wide, datasets="set")
    long = longer(table(3))
    shorter = {name: values[:-1] for name, values in long.items()}
    with pytest.raises(InputError, match="c on set 11"):
        heldout.compare_results(shorter, datasets="set", models="model", value="value")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"models": "a,b", "test": "t-over-sets"}, "no common scale"),
        ({"models": "a,b", "test": "friedman"}, "three models"),
        ({"test": "wilcoxon"}, "for two models"),
        ({"test": "mcnemar"}, "wilcoxon for two models"),
        ({"alternative": "greater"}, "no direction"),
        ({"correction": "tukey"}, "no correction is called"),
        ({"models": "a"}, "value="),
        ({"models": "a,z"}, "no column 'z'"),
    ],
)
def test_what_cannot_be_compared_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        heldout.compare_results(table(3), datasets="set", **change)


def test_t_over_data_sets_runs_by_force_and_says_that_it_is_not_valid() -> None:
    from scipy.stats import ttest_rel

    wide = table(2)
    made = heldout.compare_results(wide, datasets="set", test="t-over-sets", force=True)
    assert made["a", "b"].corrected == pytest.approx(ttest_rel(wide["a"], wide["b"]).pvalue)
    assert "NOT VALID" in made["a", "b"].test.note
    assert "NOT VALID" in made.notes[0]


@pytest.mark.parametrize(("models", "sets"), [(2, 5), (3, 2)])
def test_fewer_data_sets_than_a_test_needs_are_refused(models: int, sets: int) -> None:
    with pytest.raises(InputError, match=f"{sets} data sets are too few"):
        heldout.compare_results(table(models, sets), datasets="set")


def test_one_model_and_twofold_values_are_refused() -> None:
    with pytest.raises(InputError, match="one model only"):
        heldout.compare_results(table(1), datasets="set")
    long = longer(table(2))
    twice = {name: values + values[:1] for name, values in long.items()}
    with pytest.raises(InputError, match="second value on data set 'set 0'"):
        heldout.compare_results(twice, datasets="set", models="model", value="value")


def test_the_middle_of_pairs_is_that_of_all_pairs_however_many_tie() -> None:
    rng = np.random.default_rng(5)
    for values in (
        rng.normal(size=300),
        np.round(rng.normal(size=300), 1),
        np.concatenate([np.zeros(250), rng.normal(size=50)]),
        np.full(300, 0.1),
    ):
        rows, columns = np.triu_indices(len(values))
        averages = np.sort((values[rows] + values[columns]) / 2)
        for place in (0, 7, len(averages) // 3, len(averages) - 1):
            assert walsh_average(values, place) == pytest.approx(averages[place], abs=1e-15)
        assert pseudomedian(values) == pytest.approx(np.median(averages), abs=1e-15)


def test_fifty_thousand_differences_need_no_room_for_all_their_pairs() -> None:
    # the means of all pairs alone would be 10 GB
    assert abs(pseudomedian(np.random.default_rng(6).normal(size=50_000))) < 0.02
