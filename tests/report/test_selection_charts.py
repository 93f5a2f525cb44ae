"""Charts of a search: which parameters they draw, and what they say of settings left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError


@pytest.fixture(scope="module")
def three() -> heldout.Selection:
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1], "kernel": ["rbf", "sigmoid"]}
    return heldout.select("svm", grid, data="iris", procedure="3-fold")


def texts(figure: Any) -> str:
    """All that a figure says."""
    from matplotlib.text import Text

    return "\n".join(one.get_text() for one in figure.findobj(Text))


def test_a_heat_map_of_two_of_three_parameters_keeps_the_third(three: heldout.Selection) -> None:
    with pytest.raises(InputError, match=r"3 vary .*name two: heat\[C, gamma\]"):
        three.plot("heat")
    figure = three.plot("heat[C, gamma]")
    assert "kernel: as in the chosen setting" in texts(figure)
    (image,) = figure.axes[0].get_images()
    kernel = three.best.parameters["kernel"]
    expected = [
        value
        for one, value in zip(three.search.settings, three.search.values, strict=True)
        if one.parameters["kernel"] == kernel
    ]
    assert sorted(image.get_array().ravel().tolist()) == pytest.approx(sorted(expected))
    assert texts(three.plot("heat", parameter=["C", "gamma"])) == texts(figure)


def test_the_parameter_of_a_chart_is_named_in_brackets(three: heldout.Selection) -> None:
    assert three.plot("parameter[gamma]").axes[0].get_xlabel() == "gamma"
    assert three.plot("parameter").axes[0].get_xlabel() == "C"
    for text, message in (
        ("parameter[gama]", "did you mean gamma"),
        ("parameter[C, gamma]", "against one parameter"),
        ("heat[C]", "two parameters"),
        ("learning[C]", "against training rows"),
        ("heat[C, gamma", "is not closed"),
        ("heats[C, gamma]", "did you mean heat"),
    ):
        with pytest.raises(InputError, match=message):
            three.plot(text)


def test_the_rule_of_one_error_draws_the_best_and_the_limit() -> None:
    made = heldout.select(
        "knn", "n_neighbors=1..12", data="iris", procedure="5-fold", rule="one-se", measure="brier"
    )
    best = made.search.best
    assert best != made.choice.index
    figure = made.plot("parameter")
    said = " ".join(texts(figure).split())
    limit = made.search.values[best] + made.table["standard_error"][best]
    assert f"one standard error from the best: {limit:.4g}" in said
    assert f"best: {made.search.settings[best].name}; its value is optimistic" in said
    assert "the simplest within one standard error of the best" in said
    levels = [
        line.get_ydata()[0] for line in figure.axes[0].lines if len(set(line.get_ydata())) == 1
    ]
    assert np.isclose(levels, limit).any()
    promise = "not an estimate for new rows: the same values were used to choose"
    assert promise in " ".join(repr(made).split())
    plain = heldout.select("knn", "n_neighbors=1..4", data="iris", procedure="5-fold")
    assert "one standard error from" not in texts(plain.plot("parameter"))


def test_dots_are_for_training_rows_alone() -> None:
    grid = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5, 9, 20]}
    made = heldout.select(
        "tree", grid, data="iris", procedure="3-fold", training_error=True
    )  # fmt: skip
    lines = [
        one for one in made.plot("training[max_depth]").axes[0].lines if len(one.get_xdata()) == 3
    ]
    dotted = [one for one in lines if one.get_markerfacecolor() == "white"]
    solid = [one for one in lines if one.get_linestyle() == "-"]
    assert len(dotted) == len([one for one in lines if one.is_dashed()]) == 4
    assert len(solid) >= 4


def test_names_are_not_joined_by_lines() -> None:
    made = heldout.select(
        "svm", {"kernel": ["linear", "rbf"]}, data="iris", procedure="3-fold", training_error=True
    )
    axes = made.plot("training").axes[0]
    drawn = [line.get_linestyle() for line in axes.get_lines() if len(line.get_xdata()) == 2]
    assert drawn
    assert set(drawn) == {"None"}


def test_settings_that_cannot_be_drawn_are_named() -> None:
    made = heldout.select("knn", "n_neighbors=1,10,20,500", data="iris", measure="log_loss")
    said = texts(made.plot("parameter"))
    assert "not drawn, infinite: n_neighbors=1, failed: n_neighbors=500" in said
    assert "its value is optimistic" in said


def test_the_chosen_models_parameter_is_drawn_and_the_others_are_counted() -> None:
    made = heldout.select(
        "tree,knn", ["max_depth=1", "max_features=1..5", "n_neighbors=5,9"], data="wine",
        procedure="3-fold", labels=None,
    )  # fmt: skip
    own = {"tree": "max_features", "knn": "n_neighbors"}[made.setting.base]
    figure = made.plot("parameter")
    assert figure.axes[0].get_xlabel() == own
    assert f"without {own}" in texts(figure)


def test_pairs_that_were_not_tried_are_grey_and_told() -> None:
    grid = [
        {"max_depth": [1, 2], "min_samples_leaf": [1]},
        {"max_depth": [3], "min_samples_leaf": [5]},
    ]
    made = heldout.select("tree", grid, data="iris", procedure="3-fold")
    figure = made.plot("heat")
    (image,) = figure.axes[0].get_images()
    assert np.ma.count_masked(np.ma.masked_invalid(image.get_array())) == 3
    assert "not tried, or without a value" in texts(figure)
