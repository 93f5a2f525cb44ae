"""Charts: every kind for every shape of problem, what they say, and the files they become."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.scorecard import Scorecard
from heldout.core.errors import InputError
from heldout.curves.named import curve
from heldout.predictions.table import Design
from heldout.report.plots.chart import Line
from heldout.report.plots.plot import PLOTS, card_chart, lack_of, plot
from heldout.report.plots.save import picture


def card(name: str = "spam") -> Scorecard:
    roles: dict[str, Any] = {
        "spam": {"predicted": "predicted", "score": "p_spam", "positive": "spam", "fold": "fold"},
        "models": {"score": "p_spam", "positive": "spam", "model": "model"},
        "iris_predictions": {"predicted": "predicted", "score_prefix": "p_", "fold": "fold"},
    }
    truth = "truth" if name == "iris_predictions" else "label"
    return heldout.score(
        heldout.read_predictions(heldout.example(name), truth=truth, **roles[name])
    )


def small(**more: Any) -> Scorecard:
    return heldout.score([1, 0, 1], y_score=[0.9, 0.6, 0.4], **more)


def texts(figure: Any) -> str:
    """All words of a figure: titles, labels, legends."""
    from matplotlib.text import Text

    return "\n".join(text.get_text() for text in figure.findobj(Text))


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("which", ["three rows", "spam", "models", "iris_predictions", "one class"])
def test_every_chart_can_be_drawn_of_every_problem(name: str, which: str) -> None:
    if which == "three rows":
        judged = small()
    elif which == "one class":
        judged = heldout.score([1, 1, 1], y_score=[0.9, 0.6, 0.4], labels=[0, 1])
    else:
        judged = card(which)
    if lack_of(judged, name):
        with pytest.raises(InputError, match=f"a {name} chart needs folds"):
            plot(judged, name)
        return
    figure = plot(judged, name)
    assert len(picture(figure, "png")) > 5000
    words = texts(figure)
    assert f"n = {judged.rows}" in words
    for axes in figure.axes[:1]:
        # measures stand above the panels of folds, models beside them
        assert axes.get_xlabel() or name in ("calibration", "folds")
        assert axes.get_ylabel() or name == "folds"


def test_legend_has_names_rows_area_and_interval() -> None:
    judged = card("models")
    area = judged.only("forest")["auc", "pooled"]
    assert area.low is not None
    words = texts(plot(judged, "roc"))
    assert f"forest: AUC 0.937 [{area.low:.3f}, {area.high:.3f}], n = 300" in words
    assert "rules: AUC 0.858 [" in words
    assert "95% interval" in words
    assert "convex hull over the models" in words
    assert "chance" in words
    assert "models.csv · n = 300, 87 positive (spam)" in words
    assert "n = 50 of 150" in texts(plot(card("iris_predictions"), "roc"))
    assert "[" not in texts(plot(replace(small(), intervals=None), "roc"))


def test_roc_axes_are_equal_and_drawn_line_is_the_curve() -> None:
    figure = plot(small(), "roc")
    axes = figure.axes[0]
    assert axes.get_aspect() == 1
    line = axes.lines[0]
    np.testing.assert_array_equal(line.get_xdata(), [0, 0, 1, 1])
    np.testing.assert_array_equal(line.get_ydata(), [0, 0.5, 0.5, 1])
    box = axes.get_position().bounds
    width, height = figure.get_size_inches()
    assert box[2] * width == pytest.approx(box[3] * height)


def test_nothing_lies_outside_the_figure_or_over_the_legend() -> None:
    figure: Any
    long = "a_rather_long_name_of_a_model_that_goes_on_and_on_" * 2
    for figure in (
        plot(small(model=long), "roc"),
        plot(card("models"), "hull"),
        plot(card("spam"), "calibration"),
    ):
        figure.draw_without_rendering()
        renderer = figure.canvas.get_renderer()
        whole = figure.bbox
        for axes in figure.axes:
            box = axes.get_tightbbox(renderer)
            assert box.x0 >= whole.x0 - 1
            assert box.y0 >= whole.y0 - 1
            assert box.x1 <= whole.x1 + 1
            assert box.y1 <= whole.y1 + 1
        lowest = figure.axes[-1]
        legend = lowest.get_legend().get_window_extent(renderer)
        assert legend.y1 <= lowest.xaxis.get_tightbbox(renderer).y0 + 1


def test_lines_differ_in_colour_and_in_style() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 10, 200)
    scores = rng.random((200, 10))
    made = heldout.score(
        truth, y_score=scores / scores.sum(axis=1, keepdims=True), labels=range(10)
    )
    lines: Any = plot(made, "gain").axes[0].lines[:20]
    drawn = [line for line in lines if len(line.get_xdata()) > 2][:10]
    looks = {(line.get_color(), str(line._unscaled_dash_pattern)) for line in drawn}
    assert len(looks) == 10


def test_more_classes_than_can_be_told_apart_are_counted() -> None:
    rng = np.random.default_rng(1)
    truth = np.append(np.arange(13), rng.integers(0, 13, 200))
    scores = rng.random((213, 13))
    made = heldout.score(truth, y_score=scores / scores.sum(axis=1, keepdims=True))
    figure = plot(made, "roc")
    assert "the 10 of 13 classes with most" in texts(figure).replace("\n", " ")
    assert "6 of 13 classes" in texts(plot(made, "thresholds"))


def test_hull_says_which_model_holds_which_stretch() -> None:
    truth = [1, 1, 1, 0, 0, 0]
    scores = {"cautious": [9.0, 8, 1, 7, 6, 5], "lavish": [8.0, 7, 6, 9, 2, 1]}
    both = tuple(heldout.from_arrays(truth, y_score=s, model=name) for name, s in scores.items())
    words = texts(plot(heldout.score(both), "hull")).replace("\n", " ")
    assert "at 0 cautious; 0 to 0.33 cautious with lavish; 0.33 to 1 lavish" in words


def test_band_is_drawn_and_named_or_its_absence_is() -> None:
    alone = replace(card().predictions[0], design=Design())
    figure = plot(heldout.score(alone), "roc", band="simultaneous", replicates=200)
    assert "95% simultaneous band (bootstrap, 200 draws" in texts(figure).replace("\n", " ")
    assert len(figure.axes[0].collections) == 1
    repeated = heldout.score(
        [1, 0, 1, 0], y_score=[0.9, 0.8, 0.3, 0.1], repeats=[1, 1, 2, 2], folds=[1, 2, 1, 2]
    )
    figure = plot(repeated, "roc", band="pointwise")
    assert "no band: rows occur once per repeat" in texts(figure).replace("\n", " ")
    # of several folds' models
    ranked = texts(plot(card(), "roc", band="pointwise")).replace("\n", " ")
    assert "no band: scores of different folds' models are ranked together" in ranked


def test_million_points_are_drawn_by_few_and_files_stay_small() -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(1_000_000) < 0.3
    made = heldout.score(truth.astype(int), y_score=rng.normal(size=len(truth)) + truth)
    figure = plot(made, "roc")
    line = figure.axes[0].lines[0]
    x, y = line.get_xdata(), line.get_ydata()
    assert len(x) < 2000
    full = curve(made, "roc")
    # no point of the curve is a visible distance from the line that stands for it
    assert np.abs(np.interp(full.x, x, y) - full.y)[full.x > 0.01].max() < 1 / 1000
    assert len(picture(figure, "svg")) < 150_000


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rocc", "no chart is called 'rocc'; did you mean roc"),
        ("thresholds:auc", "confusion counts"),
    ],
)
def test_unknown_chart_is_refused(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        plot(small(), name)
    with pytest.raises(InputError, match="a roc chart needs scores"):
        plot(heldout.score([1, 0], [1, 0]), "roc")
    assert list(plot(heldout.score([1, 0], [1, 0]), "all")) == ["confusion"]


def test_names_are_drawn_as_they_are() -> None:
    name = "_cost $\\frac$ 模型"  # as a formula this could not be drawn
    figure = plot(small(model=name), "roc")
    assert name in texts(figure)
    assert len(picture(figure, "svg")) > 5000


def test_drawing_leaves_the_users_settings_and_no_window() -> None:
    code = (
        "import sys, heldout, matplotlib\n"
        # asking for the backend would make matplotlib choose one
        "names = [name for name in matplotlib.rcParams if name != 'backend']\n"
        "def own(): return [matplotlib.rcParams[name] for name in names]\n"
        "before = own()\n"
        "from heldout.report.plots.plot import plot\n"
        "plot(heldout.score([1, 0, 1], y_score=[.9, .6, .4]), 'roc')\n"
        "assert own() == before\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_folds_of_several_models_have_intervals_bands_and_pooled_curves() -> None:
    truth, rng = np.arange(80) % 2, np.random.default_rng(3)
    columns: dict[str, Any] = {"y": np.tile(truth, 2), "fold": np.tile(np.arange(80) // 2 % 4, 2)}
    columns |= {"p": rng.random(160) / 2 + np.tile(truth, 2) / 3, "model": ["a"] * 80 + ["b"] * 80}
    table = {name: list(values) for name, values in columns.items()}
    made = heldout.score(heldout.read_predictions(table, truth="y", score="p", positive=1))
    words = texts(plot(made, "roc_average", replicates=40)).replace("\n", " ")
    for name in ("a", "b"):
        assert f"{name}: mean AUC 0." in words
        assert f"folds pooled: {name}: AUC" in words
    assert words.count(" [0.") >= 2
    assert "95% pointwise band" in words


@pytest.mark.parametrize("name", PLOTS)
def test_no_line_leaves_the_axes(name: str) -> None:
    """A model that is sure and wrong has a net benefit far below what the chart shows."""
    truth = np.arange(200) % 2
    score = np.where(np.arange(200) < 20, 1 - truth, truth) * 0.98 + 0.01
    judged = heldout.score(truth, y_score=score)
    if lack_of(judged, name):
        return
    for panel in card_chart(judged, name).panels:
        free = [m for m in panel.marks if isinstance(m, Line) and not m.is_clipped]
        for line in free:
            for axis, ends in ((panel.x, line.x), (panel.y, line.y)):
                known = np.asarray(ends, dtype=float)
                assert axis.low is None or np.nanmin(known, initial=axis.low) >= axis.low - 1e-9
                assert axis.high is None or np.nanmax(known, initial=axis.high) <= axis.high + 1e-9
