"""Verdicts over data sets: who is better, and what is said where the interval disagrees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.over_sets.sets_difference import sets_against_interval
from heldout.core.errors import InputError
from tests.comparison.tables import table


def two(gaps: Any, **options: Any) -> Any:
    first = np.linspace(0.7, 0.9, len(gaps))
    columns = {"a": first.tolist(), "b": (first - np.asarray(gaps)).tolist()}
    sets = [f"set {i}" for i in range(len(gaps))]
    return heldout.compare_results({"set": sets, **columns}, datasets="set", **options)


def few_large_wins() -> Any:
    rng = np.random.default_rng(1)
    return np.r_[rng.uniform(0.05, 0.1, 27), -rng.uniform(0.001, 0.03, 33)]


def test_better_is_who_the_test_favours_not_who_wins_more_often() -> None:
    made = two(few_large_wins())
    d = made["a", "b"]
    assert (d.wins, d.losses) == (27, 33)
    assert d.is_significant
    assert d.better == "a"
    assert "a is better than b" in made.verdict
    assert "by larger differences on fewer of them" in made.verdict
    down = two(few_large_wins(), higher_is_better=False)
    assert down["a", "b"].better == "b"


def test_sign_test_against_the_interval_says_why() -> None:
    made = two(few_large_wins(), test="sign")
    d = made["a", "b"]
    assert not d.is_significant
    assert d.interval.low > 0
    said = sets_against_interval(d)
    assert "the interval excludes 0" in said
    assert "only who wins" in said
    assert said in made.verdict
    assert next(iter(made.table))["note"].endswith(said)


def test_ranks_of_several_models_against_the_interval_say_why() -> None:
    rng = np.random.default_rng(4)
    base = rng.normal(0.8, 0.05, 12)
    columns = {"a": base, "b": base - rng.uniform(0.0005, 0.002, 12)}
    columns |= {name: base + rng.normal(0, 0.05, 12) for name in "cdef"}
    wide = {"set": list(range(12)), **{k: v.tolist() for k, v in columns.items()}}
    made = heldout.compare_results(wide, datasets="set")
    d = made["a", "b"]
    assert d.interval.low > 0
    assert not d.is_significant
    assert "ranks among all models, and corrected for all pairs" in sets_against_interval(d)
    rows = [row for row in made.table if (row["first"], row["second"]) == ("a", "b")]
    assert "the interval excludes 0" in rows[0]["note"]


def test_agreement_is_not_commented_on() -> None:
    made = two(np.full(12, 0.03) + 0.001 * np.arange(12))
    assert sets_against_interval(made["a", "b"]) == ""
    assert "interval" not in made.verdict


def test_pairs_named_the_other_way_round_are_mirrored() -> None:
    made = two(np.array([3, 1, -2, 5, 4, 6, -0.5, 7, 8]) / 100, rope=0.01)
    here, there = made["a", "b"], made["b", "a"]
    assert (there.wins, there.losses) == (here.losses, here.wins)
    assert there.interval.low == -here.interval.high
    assert there.better == here.better
    assert here.test.statistic + there.test.statistic == 45
    assert there.posterior.first_better == here.posterior.second_better
    # as text, since what is undefined in both does not equal itself
    assert repr(replace(there.mirrored, posterior=None)) == repr(replace(here, posterior=None))
    with pytest.raises(InputError, match="the models are a, b"):
        made["a", "z"]


def test_designs_count_data_sets_not_rows() -> None:
    with pytest.raises(InputError, match="after 12 data sets"):
        heldout.compare_results(table(2), datasets="set", test="t-over-sets")
    made = heldout.compare_results(table(3), datasets="set")
    assert repr(made).startswith("3 models on 12 data sets\n")
    assert "Design: 12 data sets." in made.explanation


def test_unknown_corrections_are_refused_for_two_models_too() -> None:
    with pytest.raises(InputError, match="no correction is called"):
        heldout.compare_results(table(2), datasets="set", correction="tukey")


def test_forced_tests_are_called_invalid_in_the_verdict() -> None:
    made = heldout.compare_results(table(2), datasets="set", test="t-over-sets", force=True)
    assert made.verdict.startswith("NOT VALID for this design")


def test_doubts_are_part_of_what_a_comparison_shows_of_itself() -> None:
    wide = {**table(3), "rows": [100 + 7 * i for i in range(12)]}
    assert "WARNING: is 'rows'" in repr(heldout.compare_results(wide, datasets="set"))
