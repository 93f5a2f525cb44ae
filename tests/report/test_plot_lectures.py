"""Charts that lectures draw: lines of equal profit, scores of each class, folds behind a mean."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.report.plots.chart import Bars, Chart, Dots, Line, Rule


@pytest.fixture(scope="module")
def mails() -> heldout.Scorecard:
    rows = heldout.read_predictions(heldout.example("mails"), positive="spam")
    return heldout.score(rows, profit=[[0, -1], [-10, 5]])


def legend_of(chart: Chart) -> str:
    return "\n".join(entry.text for panel in chart.panels for entry in panel.legend)


@pytest.mark.parametrize("name", ["roc", "hull"])
def test_line_of_equal_profit_touches_the_hull_at_the_best_point(
    mails: heldout.Scorecard, name: str
) -> None:
    chart = mails.plot(name, as_data=True)
    (star,) = [m for m in chart.panels[0].marks if isinstance(m, Line) and m.marker == "*"]
    # all spam found, and 6 of 11 hams lost: 9 * 5 - 6 of 20 mails
    assert (star.x, star.y) == ([pytest.approx(6 / 11)], [1.0])
    assert "touches the hull at threshold 0.160: profit 1.95 per row" in legend_of(chart)
    lines = [m for m in chart.panels[0].marks if isinstance(m, Line) and len(m.x) == 2]
    slopes = [np.ptp(m.y) / np.ptp(m.x) for m in lines if np.ptp(m.x)]
    # a false alarm costs 1 of 11 hams, a hit is worth 15 of 9 spams
    assert sum(slope == pytest.approx(1 * 11 / (15 * 9)) for slope in slopes) == 2
    (hull,) = [m for m in chart.panels[0].marks if isinstance(m, Line) and len(m.x) == 5]
    touching = next(m for m in lines if np.ptp(m.x) and m.colour == star.colour)
    above = np.interp(hull.x, touching.x, touching.y) - hull.y
    assert above[hull.x <= max(touching.x)].min() == pytest.approx(0, abs=1e-12)


def test_line_of_equal_profit_needs_profits(mails: heldout.Scorecard) -> None:
    plain = heldout.score(mails.predictions[0])
    assert "equal profit" not in legend_of(plain.plot("roc", as_data=True))


def test_histogram_shows_how_each_class_is_spread(mails: heldout.Scorecard) -> None:
    panel = mails.plot("scores", as_data=True).panels[0]
    ham, spam = (mark for mark in panel.marks if isinstance(mark, Bars))
    assert [bars.heights.sum() for bars in (ham, spam)] == pytest.approx([100, 100])
    assert ham.heights[0] == pytest.approx(100 * 2 / 11)  # 0.001 and 0.003
    (rule,) = [mark for mark in panel.marks if isinstance(mark, Rule)]
    assert rule.at == 0.5
    assert "spam, n = 9" in [entry.text for entry in panel.legend]


def test_histogram_of_margins_has_their_range() -> None:
    card = heldout.score([0, 1, 0, 1], y_score=[-3.0, 2.0, 0.5, 4.0], pos_label=1)
    panel = card.plot("scores", as_data=True).panels[0]
    assert (panel.x.low, panel.x.high) == (-3, 4)


def test_every_fold_and_repeat_is_a_mark_behind_the_mean() -> None:
    how = {"procedure": "3x4-fold", "store": False}
    card = heldout.evaluate(["lda", "knn"], data="iris", **how).scorecard
    (panel,) = card.plot("folds[measure=accuracy]", as_data=True).panels
    dots = [mark for mark in panel.marks if isinstance(mark, Dots)]
    rings = [m for m in panel.marks if isinstance(m, Line) and m.marker == "o"]
    diamonds = [m for m in panel.marks if isinstance(m, Line) and m.marker == "D"]
    assert [len(mark.x) for mark in dots] == [12, 12]
    assert [len(mark.x) for mark in rings] == [3, 3]
    for ring, diamond, model in zip(rings, diamonds, ("lda", "knn"), strict=True):
        assert diamond.x == [card.only(model)["accuracy"].value]
        assert np.mean(ring.x) == pytest.approx(diamond.x[0])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("folds", "a folds chart needs folds"),
        ("folds[bins=3]", "has no option 'bins' (it has measure, model)"),
        ("scores[bins=3]", "a scores chart has no option 'bins'"),
    ],
)
def test_what_these_charts_cannot_draw_is_said(
    mails: heldout.Scorecard, name: str, said: str
) -> None:
    with pytest.raises(heldout.InputError, match=r"a (folds|scores) chart") as error:
        mails.plot(name)
    assert said in str(error.value)
