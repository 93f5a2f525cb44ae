"""Bias-corrected estimates: against their definition, of groups, and where they are absent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.forms import row_losses
from heldout.core.random import stream
from heldout.engines.memory import Tallies
from heldout.selection.bias_corrected import bias_corrected
from tests.selection.making import limits


def test_draws_are_those_of_the_definition() -> None:
    made = heldout.select("knn", "n_neighbors=1,20,60", data="iris", procedure="5-fold", draws=30)
    search = made.search
    losses = np.array([
        row_losses(search.criterion.request, one.tallies) for one in search.scores if one.tallies
    ])  # fmt: skip
    order = np.argsort(search.scores[0].outcome.rows)
    losses = losses[:, order]
    drawn = stream(0, "bias corrected").integers(150, size=(30, 150), dtype=np.int32)
    values = []
    for rows in drawn:
        best = int(np.argmax(losses[:, rows].mean(axis=1)))
        outside = np.setdiff1d(np.arange(150), rows)
        values.append(losses[best, outside].mean())
    found = bias_corrected(search)
    assert found.value == pytest.approx(np.mean(values), abs=1e-12)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_one_setting_has_no_bias_to_correct() -> None:
    made = heldout.select("knn", {"n_neighbors": [5]}, data="iris", procedure="10-fold")
    assert made.estimate.value == pytest.approx(made.best.value, abs=0.005)


def test_groups_are_drawn_as_wholes() -> None:
    generator = np.random.default_rng(2)
    groups = np.repeat(np.arange(30), 8)
    y = np.tile([0, 1], 120)
    # all rows of a group are right or wrong together: 30 units, not 240
    X = (np.where(generator.random(30)[groups] < 0.7, y, 1 - y)[:, np.newaxis]).astype(float)
    how: Any = {"procedure": "5-fold", "measure": "accuracy"}
    by_group = heldout.select("knn", "n_neighbors=9", X, y, groups=groups, **how).estimate
    by_row = heldout.select("knn", "n_neighbors=9", X, y, **how).estimate
    assert "draws of groups" in by_group.note
    assert np.ptp(limits(by_group)) > 1.8 * np.ptp(limits(by_row))


def test_any_measure_has_an_estimate_with_fewer_draws_which_is_said() -> None:
    how: Any = {"data": "wdbc", "pos_label": "malignant", "procedure": "3-fold"}
    made = heldout.select("knn", "n_neighbors=1,5,30", measure="auc", draws=40, **how)
    estimate = made.estimate
    assert "40 draws of rows, folds pooled" in estimate.note
    low, high = limits(estimate)
    assert 0.9 < low < estimate.value < high <= 1


def test_the_root_of_a_mean_is_drawn_like_the_mean() -> None:
    how: Any = {"data": "diabetes", "procedure": "5-fold", "draws": 60}
    root = heldout.select("knn", "n_neighbors=1,9,30", measure="rmse", **how)
    plain = heldout.select("knn", "n_neighbors=1,9,30", measure="mse", **how)
    # from means, and not draw by draw on pooled folds
    assert "pooled" not in bias_corrected(root.search).note
    assert root.estimate.low == pytest.approx(np.sqrt(plain.estimate.low), rel=1e-3)
    assert root.estimate.value == pytest.approx(np.sqrt(plain.estimate.value), rel=1e-2)


def test_repeated_folds_count_each_row_once() -> None:
    once = heldout.select("knn", "n_neighbors=1,9", data="wine", procedure="5-fold").estimate
    often = heldout.select("knn", "n_neighbors=1,9", data="wine", procedure="6x5-fold").estimate
    assert np.ptp(limits(often)) > 0.6 * np.ptp(limits(once))


def test_infinite_losses_do_not_poison_the_rest() -> None:
    made = heldout.select("knn", "n_neighbors=1,60", data="iris", measure="log_loss")
    assert np.isinf(made.search.values[0])
    assert np.isfinite(made.estimate.value)


def test_too_few_units_give_no_estimate_but_a_reason() -> None:
    X = np.arange(24.0)[:, np.newaxis]
    y = np.tile([0, 1], 12)
    groups = np.repeat(np.arange(6), 4)
    made = heldout.select("knn", "n_neighbors=1,3", X, y, groups=groups, procedure="3-fold")
    assert not made.estimate.is_defined
    assert "6 groups are too few" in made.estimate.note


def test_tallies_are_made_of_the_rows_that_were_tested() -> None:
    made = heldout.select("knn", "n_neighbors=1", data="iris", procedure="holdout 70:30")
    assert isinstance(made.search.scores[0].tallies, Tallies)
    assert "draws of rows" in made.estimate.note
