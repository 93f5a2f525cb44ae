"""Values of parameters: ranges, series, lists, distributions, and what is wrong with a text."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.core.errors import InputError
from heldout.core.random import stream
from heldout.selection.grid import (
    Grid,
    drawn_settings,
    grids_of,
    parse_grids,
    values_of,
    values_of_text,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1..5", (1, 2, 3, 4, 5)),
        ("1..30 step 10", (1, 11, 21)),
        ("0.1..0.4 step 0.1", (0.1, 0.2, 0.3, 0.4)),
        ("log(0.01,100,5)", (0.01, 0.1, 1.0, 10.0, 100.0)),
        ("lin(0,1,5)", (0.0, 0.25, 0.5, 0.75, 1.0)),
        ("linear,rbf", ("linear", "rbf")),
        ("true,false,none,3", (True, False, None, 3)),
        ("1,2,5..7,5", (1, 2, 5, 6, 7, 5)),
        ("(10,5),(20,)", ((10, 5), (20,))),
        ("1,true", (1, True)),
    ],
)
def test_texts_mean_these_values(text: str, expected: tuple[object, ...]) -> None:
    found = values_of_text("x", text)
    assert found == expected
    assert [type(one) for one in found] == [type(one) for one in expected]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5..1", "low to high"),
        ("0.1..0.5", "how far apart"),
        ("log(0,1,5)", "above 0"),
        ("log(1,10)", r"log\(first,last,count\)"),
        ("lg(1,10,3)", "did you mean log"),
        ("1..", "not a range"),
        ("uniform(2,1)", "lower to a higher"),
        ("uniform(0,1),3", "one of several"),
        ("lin(0,1,0.5)", "whole number"),
    ],
)
def test_wrong_texts_are_refused_with_the_fix(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        values_of_text("C", text)


def test_python_values_are_lists_ranges_arrays_or_single_ones() -> None:
    assert values_of("k", np.array([1, 2])) == (1, 2)
    assert isinstance(values_of("k", np.array([1, 2]))[0], int)
    assert values_of("kernel", "rbf") == ("rbf",)
    assert values_of("k", None) == (None,)
    with pytest.raises(InputError, match="k has no values"):
        values_of("k", [])


def test_distributions_draw_within_their_limits_and_the_seed_decides() -> None:
    for text, kind in (("uniform(1,2)", float), ("loguniform(1,2)", float), ("int(1,2)", int),
                       ("logint(1,100)", int)):  # fmt: skip
        made = values_of_text("x", text)
        drawn = [made.draw(stream(3, str(i))) for i in range(50)]
        assert all(isinstance(one, kind) and 1 <= one <= made.high for one in drawn)
        assert len(set(drawn)) > 1
        assert drawn == [made.draw(stream(3, str(i))) for i in range(50)]


def test_settings_come_in_the_order_of_scikit_learn() -> None:
    from sklearn.model_selection import ParameterGrid

    values = {"weights": ["uniform", "distance"], "n_neighbors": [1, 2, 3]}
    made = list(grids_of(values, ["knn"])["knn"][0].settings())
    assert made == list(ParameterGrid(values))


def test_grids_of_several_models_go_to_their_models() -> None:
    made = parse_grids(["knn: n_neighbors=1..3", "C=1,2"], ["knn", "svm"])
    assert dict(made["knn"][0].values) == {"n_neighbors": (1, 2, 3), "C": (1, 2)}
    assert dict(made["svm"][0].values) == {"C": (1, 2)}
    with pytest.raises(InputError, match="no model is called 'knm'; did you mean knn"):
        parse_grids(["knm: n_neighbors=1"], ["knn", "svm"])
    with pytest.raises(InputError, match="twice"):
        parse_grids(["C=1", "C=2"], ["svm"])


def test_lists_of_mappings_are_grids_or_single_settings() -> None:
    made = grids_of([{"kernel": ["linear"], "C": [1, 2]}, {"kernel": "rbf", "C": 5}], ["svm"])
    settings = [one for grid in made["svm"] for one in grid.settings()]
    assert len(settings) == 3
    assert settings[-1] == {"kernel": "rbf", "C": 5}
    with pytest.raises(InputError, match="empty"):
        grids_of([], ["svm"])


def test_a_random_search_draws_distinct_settings_without_making_the_grid() -> None:
    huge = Grid({name: tuple(range(100)) for name in "abcdef"})
    drawn = drawn_settings([huge], 5, seed=1)
    assert len({repr(one) for one in drawn}) == 5
    assert drawn == drawn_settings([huge], 5, seed=1) != drawn_settings([huge], 5, seed=2)
    few = drawn_settings([Grid({"k": (1, 2)})], 9, seed=1)
    assert sorted(one["k"] for one in few) == [1, 2]


def test_distributions_of_scipy_are_drawn_from() -> None:
    from scipy.stats import loguniform

    drawn = drawn_settings([Grid({"C": loguniform(0.1, 10), "k": (1,)})], 4, seed=0)
    assert all(0.1 <= one["C"] <= 10 and isinstance(one["C"], float) for one in drawn)
