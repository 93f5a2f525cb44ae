"""What is refused says what to write instead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.neighbors import KNeighborsClassifier

import heldout
from heldout.measures.spec import parse_request
from heldout.selection.grid import values_of_text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1...10", r"k=1\.\.\.10: a range has two dots: 1\.\.10$"),
        ("1..10 step 0", "the step must be above 0, not 0"),
        ("1..10 step -1", "the step must be above 0, not -1"),
        ("10..1", r"a range goes from low to high; write 1\.\.10"),
    ],
)
def test_a_range_that_is_none_names_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(heldout.InputError, match=message):
        values_of_text("k", text)


def test_points_and_endless_numbers_are_read() -> None:
    assert values_of_text("x", ".1...3 step .1") == (0.1, 0.2, 0.3)
    assert values_of_text("C", "inf, 1") == (float("inf"), 1)
    made = heldout.select("logistic", "C=inf,1", data="iris", procedure="2-fold", draws=20)
    assert np.isfinite(made.search.values).all()


@pytest.mark.parametrize("measure", ["profit", "cost_per_row"])
def test_cells_that_are_missing_are_asked_for_by_example(measure: str) -> None:
    with pytest.raises(
        heldout.InputError, match=rf'^{measure} needs matrix .*"{measure}\[matrix=\d'
    ):
        heldout.select(
            "knn", "n_neighbors=1,3", data="wdbc", pos_label="malignant", measure=measure
        )


@pytest.mark.parametrize("name", ["log_loss", "brier_score", "root_mean_squared_error"])
def test_names_of_scorers_name_the_measure(name: str) -> None:
    with pytest.raises(heldout.InputError, match=f"ask for {name}, which knows"):
        parse_request(f"neg_{name}")


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        ("n_neighbors=1,1,1", "1 setting came 3 times; it is tried once"),
        ("n_neighbors=1,1,3,3", "2 settings came twice; each is tried once"),
        ("n_neighbors=1,1,1,3,3", "2 settings came more than once; each is tried once"),
    ],
)
def test_settings_that_come_again_are_counted(grid: str, said: str) -> None:
    made = heldout.select("knn", grid, data="iris", procedure="2-fold", draws=20)
    assert said in made.notes


def test_a_race_in_time_order_says_what_to_do() -> None:
    generator = np.random.default_rng(0)
    how: Any = {"time": np.arange(60), "procedure": "time 5", "race": True}
    with pytest.raises(heldout.InputError, match="leave race=True out"):
        heldout.select("knn", "n_neighbors=1,3", generator.normal(size=(60, 2)), [0, 1] * 30, **how)


def test_missing_values_name_the_column_and_the_model_that_takes_them() -> None:
    X, y = make_classification(60, 4, random_state=0)
    X[3, 2] = np.nan
    with pytest.raises(heldout.InputError) as refused:
        heldout.select(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, X, y, procedure="2-fold")
    first, second = str(refused.value).splitlines()
    assert first.endswith("ValueError: Input X contains NaN")
    assert "missing values in 'x2'" in second
    assert "heldout.prepared(estimator)" in second
