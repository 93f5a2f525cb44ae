"""Charts of several models and of regressions: names apart, one frame, one legend, rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Text

import heldout
from heldout.assess.scorecard import Scorecard, score_predictions
from heldout.engines.public import read_predictions
from heldout.report.plots.looks import distinct_names

RNG = np.random.default_rng(4)
TRUTH = RNG.integers(0, 2, 120)


def several(names: list[str], **more: Any) -> Scorecard:
    """Models of falling quality, the last one best."""
    tables = []
    for place, name in enumerate(names):
        noise = RNG.normal(size=120) * (3 - 2.5 * place / len(names))
        score = 1 / (1 + np.exp(-(2 * TRUTH - 1 + noise)))
        tables.append({"y": TRUTH, "p": score, "model": [name] * 120})
    whole = {key: np.concatenate([t[key] for t in tables]) for key in ("y", "p", "model")}
    made = read_predictions(whole, truth="y", score="p", model="model")
    return score_predictions(made, intervals=None, **more)


def of_classes(names: list[str], count: int) -> Scorecard:
    """Models that know nothing of several classes."""
    generator = np.random.default_rng(5)
    rows = 120 * len(names)
    shares = generator.dirichlet(np.ones(count), rows)
    whole: dict[str, Any] = {f"p_{i}": shares[:, i] for i in range(count)}
    whole |= {"y": np.arange(rows) % count, "model": np.repeat(names, 120)}
    made = read_predictions(whole, truth="y", model="model", score_prefix="p_")
    return score_predictions(made, intervals=None)


def legend_of(figure: Any, axes: int = 0) -> list[str]:
    made = figure.axes[axes].get_legend()
    return [] if made is None else [text.get_text() for text in made.get_texts()]


NAMES = st.lists(st.text("ab 1-", min_size=1, max_size=60), min_size=1, max_size=8, unique=True)


@given(names=NAMES, most=st.integers(12, 40))
def test_names_that_differ_still_differ_when_cut_and_none_is_too_long(
    names: list[str], most: int
) -> None:
    made = distinct_names(names, most)
    assert len(set(made)) == len(names)
    assert all(len(name) <= most for name in made)


def test_names_alike_but_for_a_number_keep_it_and_as_many_words_as_have_room() -> None:
    names = [f"a rather long model name number {i} with unicode" for i in (1, 10, 11)]
    assert distinct_names(names, 24) == [f"…model name number {i}…" for i in (1, 10, 11)]
    assert distinct_names(["model", "model of many and many a word"], 20)[0] == "model"


def test_legend_of_twelve_long_names_shows_the_ten_best_of_them() -> None:
    names = [f"a rather long model name of number {i:02} and more" for i in range(12)]
    card = several(names)
    figure = card.plot("roc")
    areas = {name: card.only(name)["auc"].value for name in names}
    best = sorted(sorted(names, key=lambda name: -areas[name])[:10])
    assert best != names[:10]
    shown = [text.split(":")[0] for text in legend_of(figure)[:10]]
    assert shown == [f"…long model name of number {name[35:37]}…" for name in best]
    (subtitle,) = [t.get_text() for t in figure.axes[0].texts if "12 models" in t.get_text()]
    assert "with the highest area under" in " ".join(subtitle.split())
    assert "[band=" not in "".join(legend_of(figure))


def test_panels_stand_in_rows_with_one_legend_where_all_say_the_same() -> None:
    figure = several(["tree", "forest", "net"]).plot("thresholds")
    assert figure.get_size_inches()[0] < 12.5
    boxes = [axes.get_position() for axes in figure.axes]
    assert boxes[0].y0 == pytest.approx(boxes[1].y0)
    assert boxes[2].y1 < boxes[0].y0
    assert [bool(legend_of(figure, place)) for place in range(3)] == [False, False, True]


def test_thresholds_of_more_classes_than_have_room_show_each_model_first() -> None:
    card = of_classes(["tree", "net", "forest"], 4)
    figure = card.plot("thresholds")
    names = [axes.get_title(loc="left") for axes in figure.axes]
    assert names == [f"{m}, {c}" for c in (0, 1) for m in ("forest", "net", "tree")]
    texts = " ".join(" ".join(t.get_text().split()) for t in figure.findobj(Text))
    assert "6 of 12 pairs of a model and a class; others by name: thresholds[class=NAME]" in texts
    assert len(card.plot("thresholds", class_=3).axes) == 3


def test_hulls_of_classes_are_named_in_the_legend() -> None:
    figure = of_classes(["tree"], 3).plot("hull")
    assert "convex hull of each, in its colour" in legend_of(figure)


def test_costs_that_were_given_are_marked_on_the_cost_curve() -> None:
    card = several(["tree", "net"], cost=((0, 1), (5, 0)))
    figure = card.plot("cost")
    share = TRUTH.mean()
    place = 5 * share / (5 * share + 1 - share)
    stars = [line for line in figure.axes[0].lines if line.get_marker() == "*"]
    assert [line.get_xdata()[0] for line in stars] == pytest.approx([place, place])
    for model, star in zip(card.models, stars, strict=True):
        curve = card.curve("cost", model=model)
        assert star.get_ydata()[0] == pytest.approx(np.interp(place, curve.x, curve.y))
    assert any("with the costs given" in text for text in legend_of(figure))
    plain = several(["tree", "net"]).plot("cost")
    assert not [line for line in plain.axes[0].lines if line.get_marker() == "*"]


def test_normalised_cost_at_the_mark_is_what_the_best_point_of_the_hull_costs() -> None:
    card = several(["net"], cost=((0, 1), (5, 0)))
    (best,) = card.operating_point()
    share = TRUTH.mean()
    (star,) = [li for li in card.plot("cost").axes[0].lines if li.get_marker() == "*"]
    most = 5 * share + 1 - share
    assert star.get_ydata()[0] == pytest.approx(best["cost_per_row"] / most)


def test_bars_of_weighted_rows_are_called_weight() -> None:
    score = np.clip(RNG.random(120), 0.01, 0.99)
    for weight, word in ((None, "Rows"), (np.full(120, 2.5), "Weight")):
        card = heldout.score(TRUTH, y_score=score, sample_weight=weight, intervals=False)
        assert card.plot("calibration").axes[1].get_ylabel() == word


def test_regression_has_the_frame_of_all_charts_and_both_lines_are_seen() -> None:
    truth = RNG.normal(size=60) * 10
    card = heldout.score(truth, truth + RNG.normal(size=60))
    roc = several(["net"]).plot("roc")
    for name in ("predicted", "residuals"):
        figure = card.plot(name)
        heads = [t for t in figure.axes[0].texts if t.get_fontweight() == "bold"]
        other = [t for t in roc.axes[0].texts if t.get_fontweight() == "bold"]
        assert [t.get_fontsize() for t in heads] == [t.get_fontsize() for t in other]
        assert figure.axes[0].get_title() == ""
    zero, bias = card.plot("residuals").axes[0].lines
    assert not zero.get_ydata().any()
    assert zero.get_zorder() > bias.get_zorder()
    assert zero.get_linewidth() < bias.get_linewidth()


def test_turned_names_of_classes_and_the_name_of_their_axis_are_whole() -> None:
    names = np.array([f"a long name {i}" for i in range(9)])
    rng = np.random.default_rng(3)
    truth, predicted = (names[rng.integers(0, 9, 200)] for _ in range(2))
    figure = heldout.score(truth, predicted).plot("confusion")
    (axes,) = figure.axes
    box = axes.xaxis.get_tightbbox(figure.canvas.get_renderer())
    assert axes.get_xlabel() == "Predicted class"
    assert box.y0 >= 0
