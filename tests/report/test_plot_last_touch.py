"""What every chart gets: a title, a size, escaped names; the same names as the tables have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.report.layout import few

pytest.importorskip("matplotlib")

RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 2, 80)
SCORES = np.clip(0.5 * TRUTH + RNG.uniform(size=80) * 0.6, 0, 1)


@pytest.fixture(scope="module")
def card() -> heldout.Scorecard:
    return heldout.score(TRUTH, y_score=SCORES)


@pytest.fixture(scope="module")
def evaluation() -> heldout.Evaluation:
    return heldout.evaluate("lda,nb", data="wdbc", procedure="3-fold", store=False)


@pytest.fixture(scope="module")
def selection() -> heldout.Selection:
    grid = {"n_neighbors": [1, 3], "weights": ["uniform", "distance"]}
    return heldout.select("knn", grid, data="iris", procedure="3-fold", store=False)


def texts(figure: Any) -> list[str]:
    from matplotlib.text import Text

    figure.draw_without_rendering()
    return [text.get_text() for text in figure.findobj(Text)]


@pytest.mark.parametrize(
    "chart", ["roc", "calibration", "forest", "posterior", "heat", "parameter"]
)
def test_chart_takes_a_title_and_a_size(
    card: heldout.Scorecard,
    evaluation: heldout.Evaluation,
    selection: heldout.Selection,
    tmp_path: Path,
    chart: str,
) -> None:
    result: Any = selection if chart in ("heat", "parameter") else card
    result = heldout.compare(evaluation) if chart in ("forest", "posterior") else result
    plain = result.plot(chart)
    figure = result.plot(chart, title="Mine", figsize=(9, 8), path=tmp_path / "x.png")
    assert tuple(figure.get_size_inches()) == (9, 8)
    assert "Mine" in texts(figure)
    assert len(texts(figure)) == len(texts(plain))
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes)]
    for legend in filter(None, legends):
        assert legend.get_window_extent().y0 >= 0
    with pytest.raises(InputError, match="too few"):
        result.plot(chart, figsize=(0.5, 0.5))


def test_axes_of_the_users_own_hold_the_chart(
    card: heldout.Scorecard, selection: heldout.Selection
) -> None:
    from matplotlib.figure import Figure

    own = Figure()
    left, right = own.subplots(1, 2)
    assert card.plot("roc", ax=left, title="one") is own
    assert selection.plot("parameter", ax=right, title="two") is own
    assert (left.get_title(), right.get_title()) == ("one", "two")
    with pytest.raises(InputError, match="figsize= is for a figure"):
        card.plot("roc", ax=left, figsize=(3, 3))


def test_names_in_charts_hide_no_characters() -> None:
    hostile = "a\u202eb\x1b[31m"
    labels = [hostile, "x", "y"]
    truth = [labels[i % 3] for i in range(60)]
    scores = RNG.dirichlet(np.ones(3), 60)
    made = heldout.score(truth, y_score=scores, labels=labels, model=hostile).plot("roc")
    shown = " ".join(texts(made))
    assert "\u202e" not in shown
    assert "\x1b" not in shown
    assert "a\\u202eb" in shown


def test_precision_recall_chart_says_the_value_of_the_table(card: heldout.Scorecard) -> None:
    value = card["average_precision"].value
    legend = " ".join(texts(card.plot("pr")))
    assert f"average precision {value:.3f}" in legend


def test_axes_of_a_regression_name_its_target() -> None:
    made = heldout.evaluate("ridge", data="diabetes", procedure="3-fold", store=False)
    shown = texts(made.plot("predicted"))
    assert {"True progression", "Predicted progression"} <= set(shown)
    assert "Residual: true minus predicted progression" in texts(made.plot("residuals"))
    assert "True value" in texts(heldout.score([0.5, 1, 2.5], [0.5, 1.5, 2.0]).plot("predicted"))


def test_a_regression_takes_the_model_in_brackets() -> None:
    made = heldout.evaluate("ridge,tree", data="diabetes", procedure="3-fold", store=False)
    assert len(made.plot("residuals[model=ridge]").axes) == 1
    assert list(made.plot("all[model=ridge]")) == ["predicted", "residuals", "errors", "folds"]


def test_names_with_commas_are_told_apart() -> None:
    assert few(["Recall", "Precision", "Recall, micro"]) == "Recall; Precision; Recall, micro"


def test_labels_alone_have_no_probabilities_to_be_judged_by() -> None:
    card = heldout.score(confusion=[[50, 10], [5, 35]], orientation="truth-rows", pos_label=1)
    assert "Log loss" not in repr(card)
    assert "Brier" not in repr(card)
    assert card["brier"].value == pytest.approx(0.15)
    assert "log_loss" in {result.measure for result in card.table}
    assert "log_loss" in set(heldout.score(TRUTH, y_score=SCORES))
