"""Charts of comparisons: what they draw is what was computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.paired_roc import GRID, vertical
from heldout.comparison.standing import cliques
from heldout.core.errors import InputError
from heldout.report.plots.chart import Line
from heldout.report.plots.pair_charts import paired_decision_chart
from tests.comparison.models import binary

FOLDS = {"folds": np.arange(120) % 5}


def compared(names: str = "abc", rope: float | None = 0.02, **more: Any) -> Any:
    models = [binary(name, 0.4 * k, seed=k, **more) for k, name in enumerate(names, 1)]
    return heldout.compare(*models, measures=["auc", "log_loss"], rope=rope)


def sets(names: str = "abcd", **more: Any) -> Any:
    values = np.random.default_rng(1).normal(0.8, 0.02, (12, len(names)))
    values += 0.02 * np.arange(len(names))
    columns = {name: values[:, k].tolist() for k, name in enumerate(names)}
    return heldout.compare_results({"set": list(range(12)), **columns}, datasets="set", **more)


def words_of(figure: Any) -> str:
    """All text of a figure: its own, and that of its axes."""
    texts = [text.get_text() for text in figure.texts]
    for axes in figure.axes:
        texts += [axes.get_title(loc="left"), axes.get_xlabel()]
        texts += [text.get_text() for text in axes.texts]
    return " ".join(" ".join(texts).split())


def test_forest_has_a_panel_a_measure_and_every_interval() -> None:
    made = compared()
    figure = made.plot("forest")
    assert len(figure.axes) == 2
    for axes, measure in zip(figure.axes, made.measures, strict=True):
        drawn = [line.get_xdata() for line in axes.lines if len(line.get_xdata()) == 2]
        limits = [
            (d.interval.low, d.interval.high) for d in made.differences if d.measure == measure
        ]
        for low, high in limits:
            assert any(np.allclose(x, [low, high]) for x in drawn)
        points = [line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 1]
        assert points == [d.value for d in made.differences if d.measure == measure]


def test_posterior_is_drawn_about_the_mean_and_says_its_shares() -> None:
    made = compared(**FOLDS)
    figure = made.plot("posterior", measure="auc", first="a", second="c")
    (axes,) = figure.axes
    curve = axes.lines[0]
    x, y = curve.get_xdata(), curve.get_ydata()
    d = made["auc", "a", "c"]
    assert x[np.argmax(y)] == pytest.approx(d.value, abs=x[1] - x[0])
    assert np.trapezoid(y, x) == pytest.approx(1, abs=0.03)
    texts = " ".join(text.get_text() for text in axes.texts)
    for share in (d.posterior.first_better, d.posterior.equivalent, d.posterior.second_better):
        assert f"{share:.1%}" in texts


def test_ranks_name_every_model_with_its_rank() -> None:
    made = sets(correction="nemenyi")
    texts = " ".join(text.get_text() for text in made.plot("ranks").axes[0].texts)
    for model, rank in made.ranks.items():
        assert model in texts
        assert f"{rank:.2f}" in texts
    assert f"{made.critical:.3g}" in texts


@pytest.mark.parametrize("correction", ["", "nemenyi", "holm"])
def test_ranks_are_joined_where_the_table_does_not_tell_them_apart(correction: str) -> None:
    values = np.random.default_rng(0).normal(0.8, 0.02, (12, 4)) + 0.012 * np.arange(4)
    columns = {name: values[:, k].tolist() for k, name in enumerate("abcd")}
    table = {"set": list(range(12)), **columns}
    made = heldout.compare_results(table, datasets="set", correction=correction)
    lines = made.plot("ranks").axes[0].lines
    left, right = lines[0].get_xdata()
    place = {m: right - (rank - 1) / 3 * (right - left) for m, rank in made.ranks.items()}
    bars = [line.get_xdata() for line in lines if line.get_linewidth() == 4]
    for d in made.differences:
        low, high = sorted((place[d.first], place[d.second]))
        joined = any(min(x) < low + 0.1 and high - 0.1 < max(x) for x in bars)
        assert joined != d.is_significant, (d.first, d.second)
    assert any(d.is_significant for d in made.differences)


def test_cliques_join_just_those_that_are_not_told_apart() -> None:
    rng = np.random.default_rng(2)
    for _ in range(100):
        ranks = np.sort(rng.uniform(1, 6, 6)).tolist()
        pairs = [(i, j) for i in range(6) for j in range(i + 1, 6)]
        found = cliques(6, {(i, j) for i, j in pairs if ranks[j] - ranks[i] >= 1.5})
        for i in range(6):
            for j in range(i + 1, 6):
                joined = any(a <= i and j <= b for a, b in found)
                assert joined == (ranks[j] - ranks[i] < 1.5)
        assert not any(a <= c and d <= b for a, b in found for c, d in found if (a, b) != (c, d))


def test_paired_roc_has_both_curves_and_the_band_of_their_difference() -> None:
    made = compared()
    figure = made.plot("roc", first="a", second="c")
    _, below = figure.axes
    assert "AUC" in below.get_legend().get_texts()[0].get_text()
    gap = below.lines[1].get_ydata()
    areas = made.values["auc"]
    assert np.trapezoid(gap, GRID) == pytest.approx(areas["a"] - areas["c"], abs=0.01)
    band = below.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() < gap.min()


def test_height_of_a_wall_is_its_middle() -> None:
    x, y = np.array([0.0, 0.0, 0.5, 0.5, 1.0]), np.array([0.0, 0.4, 0.6, 0.8, 1.0])
    heights = vertical(x, y)
    assert heights[0] == pytest.approx(0.2)
    assert heights[50] == pytest.approx(0.7)
    assert heights[100] == 1
    assert heights[25] == pytest.approx(0.5)


def test_comparisons_show_themselves_in_a_notebook() -> None:
    assert "<table" in compared()._repr_html_()
    assert "mean rank" in sets()._repr_html_()


def test_all_charts_go_into_a_folder(tmp_path: Path) -> None:
    made = compared(**FOLDS).plot("all", path=tmp_path / "charts")
    assert set(made) == {"forest", "posterior", "roc", "decision"}
    assert {p.stem for p in (tmp_path / "charts").iterdir()} == set(made)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ranks", "many data sets"),
        ("posterior", "needs cross-validation"),
        ("pie", "no chart of a comparison"),
    ],
)
def test_charts_that_a_comparison_has_not_are_refused(name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        compared(rope=None).plot(name)
    with pytest.raises(InputError, match="needs predictions"):
        sets().plot("roc")
    with pytest.raises(InputError, match="rope="):
        sets().plot("posterior")


def test_difference_of_net_benefits_keeps_its_scale_where_odds_grow_without_end() -> None:
    truth = np.random.default_rng(1).integers(0, 2, 400)
    sure = np.where(np.random.default_rng(2).random(400) < 0.05, 1 - truth, truth)
    models = [
        heldout.from_arrays(truth, y_score=score, pos_label=1, model=name)
        for name, score in (("sure", sure * 0.999), ("mild", 0.2 + 0.6 * truth))
    ]
    comparison = heldout.compare(*models, measures="log_loss")
    below = paired_decision_chart(comparison).panels[0].below
    assert below is not None
    (line,) = (mark for mark in below.marks if isinstance(mark, Line))
    heights = np.abs(np.array(line.y))
    assert heights.max() > 1  # a false positive at 0.99 costs 99 true ones
    assert max(abs(below.y.low), abs(below.y.high)) < 3 * np.quantile(heights, 0.75) + 0.1
