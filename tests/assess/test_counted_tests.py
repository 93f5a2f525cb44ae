"""Tests count rows: groups and weights have none, and a unit of weight changes nothing."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import pytest

import karat
from karat.measures.catalogue import measures

TESTS = [m.name for m in measures() if m.is_test and "binary" in m.tasks]
INDEXES = ["discrimination_index", "unreliability_index", "quality_index"]
#: measures of predicted numbers that count rows: a divisor of n - 1, quartiles between rows
OF_NUMBERS = ["adjusted_r2[features=2]", "rpd", "rpiq", "ccc"]


def rows(count: int = 80) -> dict[str, Any]:
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 2, count)
    return {"y_true": truth, "y_score": np.clip(0.25 * truth + 0.7 * rng.random(count), 0, 1)}


def values(names: list[str], **given: Any) -> list[float]:
    return [r.value for r in karat.score(**given, intervals=False).results(names)]


def test_rows_in_groups_have_no_test_and_say_why() -> None:
    given = {name: np.repeat(column, 10) for name, column in rows().items()}
    card = karat.score(**given, groups=np.repeat(np.arange(80), 10))
    for made in card.results(TESTS):
        assert isnan(made.value)
        assert "rows of a group depend on each other" in made.note
    # a group of its own for each row is none
    alone = karat.score(**rows(), groups=np.arange(80)).results(TESTS)
    assert [r.value for r in alone] == values(TESTS, **rows())


@pytest.mark.parametrize("unit", [1000.0, 1e-6])
def test_a_weight_that_all_rows_share_does_not_change_a_p_value(unit: float) -> None:
    known = values(TESTS, **rows())
    assert len(known) >= 9
    assert not any(map(isnan, known))
    assert values(TESTS, **rows(), sample_weight=np.full(80, unit)) == pytest.approx(known)


def test_rows_that_differ_in_weight_have_no_test_and_say_why() -> None:
    card = karat.score(**rows(), sample_weight=np.linspace(1, 2, 80))
    for made in card.results(TESTS):
        assert isnan(made.value)
        assert "rows differ in weight" in made.note
    three = np.random.default_rng(2).dirichlet([1, 1, 1], 60)
    several = karat.score(np.arange(60) % 3, y_score=three, sample_weight=1.0 + np.arange(60))
    found = several.results(["hosmer_lemeshow_p_value"], per_class=True)
    assert len(found) == 3
    assert all(isnan(r.value) and "rows differ in weight" in r.note for r in found)


def test_counts_are_rows_and_keep_their_tests() -> None:
    card = karat.score(confusion=[[30, 5], [12, 33]], orientation="truth-rows", pos_label="first")
    assert card["mcnemar_p_value"].value == pytest.approx(0.1456, abs=1e-4)


def test_indexes_per_row_are_those_of_rows_and_free_of_units() -> None:
    unweighted = values(INDEXES, **rows())
    assert values(INDEXES, **rows(), sample_weight=np.full(80, 1e-6)) == pytest.approx(unweighted)
    for made in karat.score(**rows(), sample_weight=np.linspace(1, 3, 80)).results(INDEXES):
        assert isnan(made.value)
        assert "rows differ in weight" in made.note


def numbers(**given: Any) -> Any:
    rng = np.random.default_rng(3)
    truth = rng.normal(size=60)
    predicted = truth + 0.5 * rng.normal(size=60)
    return karat.score(truth, predicted, replicates=100, **given)


@pytest.mark.parametrize("unit", [1000.0, 1e-6])
def test_fits_that_count_rows_are_free_of_units_with_their_intervals_and_slices(
    unit: float,
) -> None:
    slices = {"half": np.arange(60) % 2}
    plain, same = (
        numbers(slices=slices, **given) for given in ({}, {"sample_weight": np.full(60, unit)})
    )
    for one, other in zip(plain.results(OF_NUMBERS), same.results(OF_NUMBERS), strict=True):
        known = (one.value, one.low, one.high)
        assert (other.value, other.low, other.high) == pytest.approx(known), one.measure
    for name in ("rpd", "rpiq", "ccc"):
        tests = [[r["p_value"] for r in card.slices(name)] for card in (plain, same)]
        assert tests[0] == pytest.approx(tests[1], nan_ok=True, abs=1e-9)


def test_fits_that_count_rows_are_undefined_where_rows_differ_in_weight() -> None:
    card = numbers(sample_weight=np.linspace(1, 2, 60), slices={"half": np.arange(60) % 2})
    for made in card.results(OF_NUMBERS):
        assert isnan(made.value)
        assert "rows differ in weight" in made.note
    assert "concordance_correlation[bias=true] takes weights" in card["ccc"].note
    assert all(isnan(r["difference"]) for r in card.slices("rpd"))


def test_concordance_of_n_takes_weights_of_any_unit() -> None:
    weight = np.linspace(1, 2, 60)
    found = [numbers(sample_weight=unit * weight)["ccc[bias=true]"] for unit in (1.0, 1000.0, 1e-6)]
    for made in found[1:]:
        assert (made.value, made.low) == pytest.approx((found[0].value, found[0].low))
    assert found[0].value != pytest.approx(numbers()["ccc[bias=true]"].value)
