"""Friedman's test by counting: textbook tables, brute force, few data sets."""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.over_sets import ranks as rank_tests
from heldout.comparison.over_sets.post_hoc import least_pair_p, rank_differences
from heldout.comparison.over_sets.ranks import exact_friedman, friedman, least_p, ranks
from heldout.core.errors import InputError
from tests.comparison.tables import table


def p_at(models: int, sets: int, statistic: float) -> float:
    """The exact tail of chi squared at a value, over tables that reach it."""
    rng = np.random.default_rng(1)
    for _ in range(20_000):
        values = rng.random((sets, models))
        if friedman(values).statistic == pytest.approx(statistic, abs=0.006):
            found = exact_friedman(values)
            assert found is not None
            return found.p_value
    raise AssertionError("no table has this statistic")


@pytest.mark.parametrize(
    ("models", "sets", "statistic", "p_value"),
    [
        # Friedman's own table, as in Siegel and Castellan (1988), table M
        (3, 3, 6.0, 0.028),
        (3, 4, 6.5, 0.042),
        (3, 4, 8.0, 0.005),
        (3, 5, 6.4, 0.039),
        (3, 6, 7.0, 0.029),
        (4, 2, 6.0, 0.042),
        (4, 3, 7.4, 0.033),
        (4, 4, 7.8, 0.036),
    ],
)
def test_tails_are_those_of_textbook_tables(
    models: int, sets: int, statistic: float, p_value: float
) -> None:
    assert p_at(models, sets, statistic) == pytest.approx(p_value, abs=0.0006)


def by_brute_force(values: Any) -> float:
    """Every reordering of every data set's ranks, one by one."""
    table = ranks(values)
    seen = (table.sum(axis=0) ** 2).sum()
    orders = [list(permutations(row)) for row in table.tolist()]
    sums = [(np.sum(each, axis=0) ** 2).sum() for each in product(*orders)]
    return float(np.mean(np.array(sums) >= seen - 1e-9))


@pytest.mark.parametrize("shape", [(2, 3), (4, 3), (3, 4)])
@pytest.mark.parametrize("digits", [3, 1, 0])
def test_counting_is_brute_force_with_ties_and_without(shape: tuple[int, int], digits: int) -> None:
    values = np.round(np.random.default_rng(digits).normal(0.5, 0.3, shape), digits)
    found = exact_friedman(values)
    assert found is not None
    assert found.p_value == pytest.approx(by_brute_force(values))


def test_models_in_another_order_have_the_same_p_value() -> None:
    values = np.random.default_rng(3).random((7, 4))
    here, there = exact_friedman(values), exact_friedman(values[:, ::-1])
    # as text, since what is undefined in both does not equal itself
    assert repr(here) == repr(there)


def test_draws_come_near_what_counting_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(5).random((6, 4)) + 0.1 * np.arange(4)
    counted = exact_friedman(values)
    rank_tests._null.cache_clear()
    monkeypatch.setattr(rank_tests, "MOST_WORK", 10)
    drawn = exact_friedman(values, seed=3)
    rank_tests._null.cache_clear()
    assert counted is not None
    assert drawn is not None
    assert "100,000 orders of the ranks drawn, seed 3" in drawn.method
    error = np.sqrt(counted.p_value * (1 - counted.p_value) / 100_000)
    assert abs(drawn.p_value - counted.p_value) < 4 * error
    assert drawn.p_value != counted.p_value


def test_large_tables_are_left_to_the_approximations() -> None:
    values = np.random.default_rng(1).random((14, 15))
    assert exact_friedman(values) is None
    made = heldout.compare_results(table(15, 14), datasets="set")
    assert made.omnibus[-1].method.startswith("Iman-Davenport")
    assert heldout.compare_results(table(12, 60), datasets="set").models[0] == "l"


def test_verdict_reads_the_exact_test() -> None:
    made = heldout.compare_results(table(3, 4), datasets="set")
    assert made.omnibus[-1].method == "Friedman test (exact)"
    assert "(Friedman test (exact): p" in made.verdict.splitlines()[0]
    assert made.omnibus[0].statistic == made.omnibus[-1].statistic
    assert not any("approximation" in note for note in made.notes)
    rough = heldout.compare_results(table(5, 30), datasets="set")
    assert "Iman and Davenport's F is the one to read" in rough.notes[0]


def test_all_ties_have_p_one() -> None:
    found = exact_friedman(np.full((4, 3), 0.5))
    assert found is not None
    assert found.p_value == 1


@pytest.mark.parametrize(("models", "sets", "needed"), [(3, 2, 3), (4, 1, 2), (5, 1, 2)])
def test_data_sets_that_cannot_reach_the_level_are_refused(
    models: int, sets: int, needed: int
) -> None:
    assert least_p(models, sets) > 0.05 >= least_p(models, needed)
    words = f"{sets} data sets are too few for friedman.* take {needed} data sets"
    with pytest.raises(InputError, match=words):
        heldout.compare_results(table(models, sets), datasets="set")


def test_pairs_that_no_result_could_tell_apart_are_announced() -> None:
    made = heldout.compare_results(table(4, 2), datasets="set")
    assert any(
        "no two of 4 models could differ significantly by 2 data sets" in n for n in made.notes
    )
    enough = heldout.compare_results(table(4, 3), datasets="set")
    assert not any("no two" in note for note in enough.notes)


@pytest.mark.parametrize("correction", ["holm", "shaffer", "bergmann_hommel", "nemenyi", "none"])
def test_smallest_p_value_of_a_pair_is_that_of_first_and_last(correction: str) -> None:
    clear = np.arange(1.0, 6.0)
    found = rank_differences(clear, 4, correction=correction)
    assert least_pair_p(5, 4, correction) == pytest.approx(min(d.corrected for d in found))


def exhaustive_sets(models: int) -> set[frozenset[tuple[int, int]]]:
    """The sets of equal pairs that can be just the true ones, by giving each model a level."""
    pairs = list(combinations(range(models), 2))
    levels = product(range(models), repeat=models)
    return {frozenset((i, j) for i, j in pairs if own[i] == own[j]) for own in levels}


@pytest.mark.parametrize("seed", range(8))
def test_bergmann_and_hommel_judge_a_pair_by_the_worst_set_that_holds_it(seed: int) -> None:
    mean = np.random.default_rng(seed).normal(np.arange(1, 6), 0.8)
    pairs = rank_differences(mean, 8, correction="bergmann_hommel")
    p = {(d.first, d.second): d.p_value for d in pairs}
    sets = [own for own in exhaustive_sets(5) if own]
    worst = {q: max(len(s) * min(p[r] for r in s) for s in sets if q in s) for q in p}
    for d in pairs:
        up_to = max(worst[q] for q in p if p[q] <= d.p_value)
        assert d.corrected == pytest.approx(min(up_to, 1.0), rel=1e-12)
