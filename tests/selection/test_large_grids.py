"""Large grids: values do not depend on the order of settings, and what is common is held once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor

import heldout
from heldout.comparison.split_tests import corrected_p_values, corrected_t
from heldout.core.errors import InputError
from heldout.selection import bias_corrected

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(60, 3))
Y = X[:, 0] + RANDOM.normal(size=60)


def test_a_perfect_setting_does_not_make_means_of_the_others_roots() -> None:
    rows = np.repeat(X[:20], 6, axis=0)
    target = np.repeat(10 * Y[:20], 6)

    def errors(counts: list[int]) -> list[float]:
        grid = {"n_neighbors": counts}
        how: Any = {"procedure": "loo", "aggregate": "folds"}
        made = heldout.select(KNeighborsRegressor(), grid, rows, target, **how)
        assert made.criterion.name == "rmse"
        return made.search.values.tolist()

    first, second = errors([1, 30])
    assert first == 0.0
    assert errors([30, 1]) == [second, first]
    # the root of one squared error is its size
    assert heldout.select(
        KNeighborsRegressor(),
        {"n_neighbors": [30]},
        rows,
        target,
        procedure="loo",
        measure="mae",
    ).search.values == pytest.approx([second])


def test_p_values_of_all_settings_are_those_of_one_at_a_time() -> None:
    table = RANDOM.normal(size=(40, 10)) * 0.1 + RANDOM.normal(size=(40, 1)) * 0.05
    table[0], table[1] = 0.0, 0.25
    alone = [corrected_t(line, 1 / 9)[1].p_value for line in table]
    np.testing.assert_allclose(corrected_p_values(table, 1 / 9), alone, rtol=1e-10)


def test_settings_share_what_is_the_same_for_all() -> None:
    made = heldout.select("ridge", "alpha=log(0.01,100,5)", X, Y, procedure="3-fold").search
    first, *others = (one.tallies.predictions for one in made.scores if one.tallies is not None)
    assert len(others) == 4
    for one in others:
        assert one.truth is first.truth
        assert one.design is first.design
        assert one.predicted is not first.predicted
        assert one.model != first.model


def test_thousands_of_settings_are_compared_in_one_go() -> None:
    made = heldout.select("ridge", "alpha=log(0.01,100,2000)", X, Y, procedure="3-fold")
    assert len(made.table) == 2000
    assert made.estimate.low is not None
    assert "of 2,000" in repr(made)


def test_draws_are_fewer_where_settings_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"measure": "mae", "procedure": "3-fold"}
    usual = heldout.select("ridge", "alpha=log(0.01,100,50)", X, Y, **asked)
    assert usual.estimate.note.startswith("1,000 draws")
    few = heldout.select("ridge", "alpha=log(0.01,100,50)", X, Y, **asked)
    monkeypatch.setattr(bias_corrected, "MOST_PRODUCTS", 60 * 50 * 200)
    monkeypatch.setattr(bias_corrected, "BLOCK", 60 * 7)
    assert few.estimate.note.startswith("200 draws")
    assert few.estimate.value == pytest.approx(usual.estimate.value, rel=0.02)


def test_a_million_settings_are_counted_and_refused_without_a_yes() -> None:
    grid = {"alpha": np.linspace(1, 2, 1000), "tol": np.linspace(1e-6, 1e-5, 1000)}
    with pytest.raises(InputError, match=r"1,000,000 settings in 3 splits are 3,000,000 fits"):
        heldout.select("ridge", grid, X, Y, procedure="3-fold")


def test_fits_of_nested_searches_are_counted_too() -> None:
    grid = {"alpha": np.linspace(1, 2, 10_000)}
    with pytest.raises(InputError, match="in 3 splits and 12 nested ones are 150,000 fits; say"):
        heldout.select("ridge", grid, X, Y, nested="4x3-fold")
