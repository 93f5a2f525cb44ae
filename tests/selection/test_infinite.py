"""Losses that are infinite: none is chosen, and what is said of them is true."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification

import heldout


def test_settings_that_are_all_infinite_are_refused_with_the_fix() -> None:
    with pytest.raises(heldout.InputError, match=r'has a finite.*"log_loss\[clip=1e-15\]"'):
        heldout.select("knn", "n_neighbors=1..5", data="iris", measure="log_loss")
    made = heldout.select(
        "knn", "n_neighbors=1..5", data="iris", measure="log_loss[clip=1e-15]", procedure="5-fold"
    )
    assert np.isfinite(made.best.value)


@pytest.fixture(scope="module")
def endless() -> Any:
    """A search with one finite setting, and an outer fold without."""
    X, y = make_classification(120, 4, flip_y=0.1, random_state=2)
    grid = {"n_neighbors": [20, 25, 30]}
    return heldout.select("knn", grid, X, y, measure="log_loss", nested="3x3-fold", draws=40)


def test_the_reason_of_no_interval_is_the_infinite_loss(endless: Any) -> None:
    assert endless.nested.estimate.value == np.inf
    assert endless.nested.estimate.note.endswith("no interval: the loss of a row is infinite")
    assert endless.optimism.value == np.inf
    assert endless.optimism.note == "no interval: a loss is infinite"


def test_the_legend_has_only_marks_that_are_there(endless: Any) -> None:
    assert "~ best" not in repr(endless)
    near = heldout.select("knn", "n_neighbors=4,5", data="iris", procedure="5-fold", draws=20)
    assert repr(near).count("~ best") == 2


def test_inner_folds_without_a_finite_setting_name_the_outer_fold() -> None:
    X, y = make_classification(120, 4, flip_y=0.1, random_state=2)
    with pytest.raises(heldout.InputError, match="outer fold 1: no setting has a finite"):
        heldout.select("knn", {"n_neighbors": [1, 60]}, X, y, measure="log_loss", nested="2x2-fold")
