"""What a chart is asked for: names with options, bands unasked, axes of the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.scorecard import Scorecard
from heldout.cli.charts import chart_of
from heldout.core.errors import InputError
from heldout.report.plots.plot import defaults_of, parse_chart, plot
from tests.report.test_plots import card, small, texts


def rows(**more: Any) -> Scorecard:
    rng = np.random.default_rng(1)
    truth = np.arange(60) % 3 == 0
    return heldout.score(truth.astype(int), y_score=rng.random(60) / 2 + truth / 3, **more)


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        (" ROC ", "roc", {}),
        ("roc[band=simultaneous]", "roc", {"band": "simultaneous"}),
        ("pr[band=none, steps=true]", "pr", {"band": None, "steps": True}),
        ("calibration[bins=5, level=0.9]", "calibration", {"bins": 5, "level": 0.9}),
        ("pr[class=spam]", "pr", {"class_": "spam"}),
        ("thresholds:f_score[beta=2]", "thresholds:f_score[beta=2]", {}),
    ],
)
def test_name_may_have_options_in_brackets(text: str, name: str, options: dict[str, Any]) -> None:
    assert parse_chart(text) == (name, options)


@pytest.mark.parametrize(
    ("text", "name", "path"),
    [
        ("roc.png", "roc", "roc.png"),
        ("out/roc.svg", "roc", "out/roc.svg"),
        ("roc[band=none]=x.png", "roc[band=none]", "x.png"),
        ("thresholds:f_score[beta=2].png", "thresholds:f_score[beta=2]", None),
        ("all=charts", "all", "charts"),
    ],
)
def test_command_line_parts_name_and_file(
    text: str, name: str, path: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    assert chart_of(text) == (name, Path(path or text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rock.png", "did you mean roc"),
        ("roc.gif", "must end in one of"),
        ("roc", "names no file"),
        ("=x.png", "must be written NAME=FILE"),
        ("thresholds:auc=x.png", "measure of confusion counts"),
        ("roc[band]=x.png", "'band' has no value"),
    ],
)
def test_chart_that_cannot_be_is_refused_before_rows_are_read(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        chart_of(text)


def test_few_curves_have_bands_unasked_where_there_are_intervals() -> None:
    made = defaults_of(rows(level=0.9, replicates=60, random_state=7), "roc", {})
    assert made == {"level": 0.9, "band": "pointwise", "replicates": 60, "seed": 7}
    assert defaults_of(rows(intervals=False), "roc", {}) == {}
    assert defaults_of(rows(), "roc", {"band": None})["band"] is None
    assert defaults_of(card("models"), "roc", {})["band"] == "pointwise"
    assert defaults_of(card("iris_predictions"), "pr", {})["band"] == "pointwise"
    truth = [0, 1, 2, 3] * 5
    many = heldout.score(truth, y_score=[[0.7 if c == t else 0.1 for c in range(4)] for t in truth])
    assert "band" not in defaults_of(many, "roc", {})
    assert "no bands of more than 3 curves" in texts(many.plot("roc")).replace("\n", " ")
    drawn = {"level": 0.8, "replicates": 500, "intervals": True}
    assert defaults_of(rows(level=0.8), "calibration", {}) == drawn
    words = texts(rows(level=0.8, replicates=60).plot("roc"))
    assert "80% pointwise band (bootstrap, 60 draws" in words.replace("\n", " ")


def test_axes_of_the_user_are_drawn_in_and_nothing_else() -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    own = Figure(figsize=(8, 4))
    FigureCanvasAgg(own)
    left, right = own.subplots(1, 2)
    assert rows(intervals=False).plot("calibration", ax=left) is own
    assert rows(intervals=False).plot("roc", ax=right) is own
    assert own.axes == [left, right]
    assert tuple(own.get_size_inches()) == (8, 4)
    assert left.get_title() == "Calibration"
    assert right.get_ylabel().startswith("Sensitivity")
    own.draw_without_rendering()
    box, legend = right.get_window_extent(), right.get_legend().get_window_extent()
    assert box.x0 <= legend.x0 < legend.x1 <= box.x1
    with pytest.raises(InputError, match="3 panels"):
        plot(card("iris_predictions"), "thresholds", ax=left)
    with pytest.raises(InputError, match="one ax"):
        plot(small(), "all", ax=left)


def test_one_model_or_one_class_can_be_drawn_alone() -> None:
    words = texts(plot(card("models"), "gain", model="logistic"))
    assert "forest" not in words
    words = texts(plot(card("iris_predictions"), "gain", class_="virginica"))
    assert "virginica against the rest" in words
    assert "setosa" not in words
    assert len(plot(card("iris_predictions"), "thresholds", class_="setosa").axes) == 1
    with pytest.raises(InputError, match="did you mean forest"):
        plot(card("models"), "gain", model="forrest")


def test_value_without_interval_says_why() -> None:
    constant = heldout.score([0, 1, 0, 1], y_score=[0.3] * 4)
    words = texts(constant.plot("gain")).replace("\n", " ")
    assert "Gini: no interval: every row has the same score" in words


def test_lift_is_bent_between_points_as_it_is() -> None:
    judged = small(intervals=False)
    (line,) = [one for one in plot(judged, "lift").axes[0].lines if len(one.get_xdata()) > 9]
    own = judged.curve("lift")
    where = np.linspace(0.34, 0.99, 50)
    drawn = np.interp(where, line.get_xdata(), line.get_ydata())
    np.testing.assert_allclose(drawn, own.at(where), rtol=0, atol=0.001)


def test_error_free_curve_is_said_to_lie_off_the_chart() -> None:
    perfect = heldout.score([0, 0, 1, 1], y_score=[0.1, 0.2, 0.8, 0.9], intervals=False)
    assert "EER 0, n = 4; off the chart" in texts(perfect.plot("det"))
    assert "off the chart" not in texts(rows(intervals=False).plot("det"))


def test_chance_on_the_chart_of_detection_errors_is_straight() -> None:
    constant = heldout.score([0, 1, 0, 1], y_score=[0.3] * 4, intervals=False)
    line = constant.plot("det").axes[0].lines[0]
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    inside = np.abs(x) < 2.5
    assert inside.sum() > 20
    np.testing.assert_allclose(y[inside], -x[inside], atol=1e-9)
