"""Optimism: how much better a choice looked than it is, with an interval for every measure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.results import Of
from heldout.assess.values import overall
from heldout.core.random import stream
from heldout.engines.memory import Tallies
from heldout.selection import optimism as of_optimism
from heldout.selection.bias_corrected import percentiles
from heldout.selection.optimism import gaps_over_draws
from tests.selection.making import limits

FEW = 200


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws enough to see what is made of them."""
    monkeypatch.setattr(of_optimism, "DRAWS", FEW)


HOW: Any = {"data": "wdbc", "pos_label": "malignant"}


@pytest.mark.parametrize("measure", ["auc", "f_score", "mcc"])
@pytest.mark.parametrize("aggregate", ["folds", "pooled"])
def test_measures_that_are_no_means_over_rows_have_an_interval(
    measure: str, aggregate: str
) -> None:
    made = heldout.select(
        "knn", "n_neighbors=1..5", measure=measure, nested="3x3-fold", aggregate=aggregate, **HOW
    )
    found = made.optimism
    assert found is not None
    low, high = limits(found)
    assert low < found.value < high
    assert found.method == "paired bootstrap of rows: the same draws for both"
    assert made.nested is not None
    # of what the nested estimate is of, whatever decided: AUC of folds, F and MCC of all rows
    of = "folds" if measure == "auc" else "pooled"
    assert found.average is made.nested.estimate.of
    assert (found.average is Of.MEAN_OF_FOLDS) == (of == "folds")
    assert ("pooled" in found.note) == (of == "pooled")
    ours = made.search.averaged(made.choice.index, of)
    assert found.between == pytest.approx((ours, made.nested.estimate.value), rel=1e-12)
    assert found.value == pytest.approx(ours - made.nested.estimate.value, abs=1e-12)


def judged(made: Any) -> tuple[Any, Any]:
    return made.search.scores[made.choice.index], made.nested.score


@pytest.mark.parametrize("measure", ["accuracy", "error_rate", "brier"])
def test_above_zero_is_better_than_it_is_whichever_way_is_better(measure: str) -> None:
    generator = np.random.default_rng(5)
    y = np.tile([0, 1], 30)
    X = generator.normal(size=(60, 12))
    grid = "n_neighbors=1..15; p=1,2,4"
    made = heldout.select("knn", grid, X, y, measure=measure, nested="3x3-fold")
    found, nested = made.optimism, made.nested
    assert found is not None
    assert nested is not None
    gap = made.best.value - nested.value
    assert found.value == pytest.approx(gap if measure == "accuracy" else -gap)
    low, high = limits(found)
    assert 0 < found.value < high
    assert low < found.value
    words = "search minus nested" if measure == "accuracy" else "nested minus search"
    said = " ".join(repr(made).split())
    assert words in said
    assert "above 0:" in said


def test_a_loss_that_is_no_mean_over_rows_is_turned_as_well() -> None:
    made = heldout.select(
        "knn", "n_neighbors=3,9", measure="equal_error_rate", nested="2x2-fold", **HOW
    )
    found, nested = made.optimism, made.nested
    assert found is not None
    assert nested is not None
    assert found.value == nested.value - made.best.value
    low, high = limits(found)
    assert low < found.value < high


def test_error_and_accuracy_are_optimistic_alike() -> None:
    right, wrong = (
        heldout.select("tree", "max_depth=1..3", measure=one, nested="3x3-fold", **HOW).optimism
        for one in ("accuracy", "error_rate")
    )
    assert right is not None
    assert wrong is not None
    assert (wrong.value, wrong.low, wrong.high) == pytest.approx(
        (right.value, right.low, right.high), abs=1e-12
    )


def test_draws_are_those_of_the_definition() -> None:
    made = heldout.select("tree", "max_depth=1..3", measure="mcc", nested="3x2-fold", **HOW)
    request, both = made.criterion.request, judged(made)
    gaps = gaps_over_draws(made.search, both, is_pooled=True)
    rows = stream(0, "optimism").integers(569, size=569)
    values = []
    for one in both:
        place = np.argsort(one.outcome.rows)
        values.append(overall(request, Tallies(one.tallies.predictions.take(place[rows]))).value)
    assert gaps[0] == pytest.approx(values[0] - values[1], abs=1e-12)
    assert made.optimism is not None
    assert "200 draws, folds pooled" in made.optimism.note


def test_draws_of_a_mean_have_the_limits_of_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_optimism, "DRAWS", 1000)
    made = heldout.select("tree", "max_depth=1..5", measure="accuracy", nested="3x3-fold", **HOW)
    found = made.optimism
    assert found is not None
    gaps = gaps_over_draws(made.search, judged(made), is_pooled=False)
    low, high = percentiles(gaps, 0.95)
    assert high - low == pytest.approx(np.ptp(limits(found)), rel=0.12)
    assert np.mean(gaps) == pytest.approx(found.value, abs=0.1 * (high - low))


def test_groups_are_drawn_as_wholes() -> None:
    generator = np.random.default_rng(3)
    groups = np.repeat(np.arange(40), 6)
    y = np.tile([0, 1], 120)
    X = np.column_stack([y + generator.normal(size=240), generator.normal(size=(240, 3))])
    made = heldout.select(
        "tree", "max_depth=1..4", X, y, groups=groups, measure="auc", nested="3x3-fold"
    )
    assert made.optimism is not None
    assert made.optimism.method == "paired bootstrap of groups: the same draws for both"


def test_equal_choices_have_a_reason_instead() -> None:
    same = heldout.select("knn", {"n_neighbors": [5]}, nested="3x3-fold", measure="auc", **HOW)
    assert same.optimism is not None
    assert same.optimism.value == 0
    assert same.optimism.note == "no interval: no row differs"


def test_folds_too_small_for_the_measure_are_drawn_together() -> None:
    generator = np.random.default_rng(1)
    y = np.repeat([0, 1], [60, 12])
    X = generator.normal(size=(72, 2)) + y[:, np.newaxis]
    made = heldout.select("tree", "max_depth=1..4", X, y, measure="auc", nested="6x6-fold")
    assert made.optimism is not None
    assert "folds pooled" in made.optimism.note
    low, high = limits(made.optimism)
    assert low <= made.optimism.value <= high


def test_percentiles_next_to_infinite_values_are_infinite() -> None:
    values = np.array([0.1, 0.2, 0.3, 0.4])
    assert percentiles(values, 0.8) == pytest.approx(tuple(np.quantile(values, [0.1, 0.9])))
    assert percentiles(np.array([0.1, 0.2, np.inf, np.inf]), 0.9) == pytest.approx((0.115, np.inf))
    # the way up from minus infinity is infinite too
    assert percentiles(np.array([-np.inf, 0.2, 0.4, 0.6, 0.8]), 0.9)[0] == -np.inf
    assert percentiles(np.full(3, np.inf), 0.9) == (np.inf, np.inf)
