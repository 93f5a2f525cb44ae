"""Charts of several series: none hides another, and the legend is no tall column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout


@pytest.fixture(scope="module")
def trees() -> heldout.Selection:
    grid = {"max_depth": [1, 2, 5, None], "min_samples_leaf": [1, 3, 5, 10, 20]}
    return heldout.select("tree", grid, data="iris", procedure="3-fold", training_error=True)


def bars_of(figure: Any) -> list[Any]:
    """The bars of each series, as they lie on the paper."""
    figure.canvas.draw()
    made = []
    for one in figure.axes[0].containers:
        (bars,) = one.lines[2]
        places = np.array([segment[0] for segment in bars.get_segments()])
        made.append(bars.get_transform().transform(places)[:, 0])
    return made


@pytest.mark.parametrize("chart", ["parameter", "training", "parameter[min_samples_leaf]"])
def test_bars_of_series_stand_beside_each_other(trees: heldout.Selection, chart: str) -> None:
    figure = trees.plot(chart)
    bars = bars_of(figure)
    assert len(bars) in (4, 5)
    apart = np.diff([one[0] for one in bars])
    assert apart.min() > 1
    # all of them nearer to their own value than to the next one
    assert np.ptp([one[0] for one in bars]) < 0.7 * np.diff(bars[0]).min()
    left, right = figure.axes[0].get_window_extent().intervalx
    assert left < min(one.min() for one in bars) < max(one.max() for one in bars) < right


def test_the_mark_lies_on_its_series(trees: heldout.Selection) -> None:
    figure = trees.plot("parameter")
    figure.canvas.draw()
    axes = figure.axes[0]
    (mark,) = [one for one in axes.lines if one.get_markersize() == 10]
    at = mark.get_transform().transform(np.column_stack(mark.get_data()))[0]
    drawn = [
        point
        for one in axes.containers
        for point in one.lines[0].get_transform().transform(one.lines[0].get_xydata())
    ]
    assert min(np.abs(np.array(drawn) - at).max(axis=1)) < 1e-6


def test_numbers_and_none_are_one_rising_axis(trees: heldout.Selection) -> None:
    axes = trees.plot("parameter").axes[0]
    assert axes.get_xlabel() == "max_depth"
    assert [one.get_text() for one in axes.get_xticklabels()] == ["1", "2", "5", "none"]
    assert {one.lines[0].get_linestyle() for one in axes.containers} != {"None"}


def test_every_series_is_named_once_in_the_legend(trees: heldout.Selection) -> None:
    figure = trees.plot("training")
    said = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert len([text for text in said if "max_depth" in text or "=" in text]) >= 5
    assert said.count("training rows: optimistic") == 1
    assert len(said) == len(set(said))
