"""Tests count rows: groups and weights have none, and a unit of weight changes nothing."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.measures.registry import measures

TESTS = [m.name for m in measures() if m.is_test and "binary" in m.tasks]
INDEXES = ["discrimination_index", "unreliability_index", "quality_index"]


def rows(count: int = 80) -> dict[str, Any]:
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 2, count)
    return {"y_true": truth, "y_score": np.clip(0.25 * truth + 0.7 * rng.random(count), 0, 1)}


def values(names: list[str], **given: Any) -> list[float]:
    return [r.value for r in heldout.score(**given, intervals=False).results(names)]


def test_rows_in_groups_have_no_test_and_say_why() -> None:
    given = {name: np.repeat(column, 10) for name, column in rows().items()}
    card = heldout.score(**given, groups=np.repeat(np.arange(80), 10))
    for made in card.results(TESTS):
        assert isnan(made.value)
        assert "rows of a group depend on each other" in made.note
    # a group of its own for each row is none
    alone = heldout.score(**rows(), groups=np.arange(80)).results(TESTS)
    assert [r.value for r in alone] == values(TESTS, **rows())


@pytest.mark.parametrize("unit", [1000.0, 1e-6])
def test_a_weight_that_all_rows_share_does_not_change_a_p_value(unit: float) -> None:
    known = values(TESTS, **rows())
    assert len(known) >= 9
    assert not any(map(isnan, known))
    assert values(TESTS, **rows(), sample_weight=np.full(80, unit)) == pytest.approx(known)


def test_rows_that_differ_in_weight_have_no_test_and_say_why() -> None:
    card = heldout.score(**rows(), sample_weight=np.linspace(1, 2, 80))
    for made in card.results(TESTS):
        assert isnan(made.value)
        assert "rows have different weights" in made.note
    three = np.random.default_rng(2).dirichlet([1, 1, 1], 60)
    several = heldout.score(np.arange(60) % 3, y_score=three, sample_weight=1.0 + np.arange(60))
    found = several.results(["hosmer_lemeshow_p_value"], per_class=True)
    assert len(found) == 3
    assert all(isnan(r.value) and "rows have different weights" in r.note for r in found)


def test_counts_are_rows_and_keep_their_tests() -> None:
    card = heldout.score(confusion=[[30, 5], [12, 33]], orientation="truth-rows", pos_label="first")
    assert card["mcnemar_p_value"].value == pytest.approx(0.1456, abs=1e-4)


def test_indexes_per_row_are_those_of_rows_and_free_of_units() -> None:
    unweighted = values(INDEXES, **rows())
    assert values(INDEXES, **rows(), sample_weight=np.full(80, 1e-6)) == pytest.approx(unweighted)
    for made in heldout.score(**rows(), sample_weight=np.linspace(1, 3, 80)).results(INDEXES):
        assert isnan(made.value)
        assert "rows have different weights" in made.note
