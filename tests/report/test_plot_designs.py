"""Charts of repeats, groups, infinite scores and models without scores say what is true of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.scorecard import Scorecard, score_predictions
from heldout.core.errors import InputError
from heldout.curves.named import CURVES, FOLDS, OF_PROBABILITIES
from heldout.report.numbers import number_text
from heldout.report.plots.plot import plot
from heldout.report.plots.save import picture
from tests.report.test_plots import card as example
from tests.report.test_plots import texts

INFINITE = [1.0, 2.0, np.inf, -np.inf, 3.0, 0.0]


def repeated(*, ids: bool = True) -> Scorecard:
    rng = np.random.default_rng(4)
    truth = np.tile((np.arange(60) % 3 == 0).astype(int), 3)
    score = np.clip(0.3 + 0.3 * truth + 0.2 * rng.normal(size=180), 0.01, 0.99)
    card = heldout.score(
        truth,
        y_score=score,
        folds=np.tile(np.arange(60) // 3 % 2, 3),
        repeats=np.repeat([1, 2, 3], 60),
        replicates=60,
    )
    if not ids:
        return card
    named = replace(card.predictions[0], identifier=np.tile(np.arange(60), 3))
    return score_predictions((named,), intervals=card.intervals)


def words_of(figure: Any) -> str:
    return texts(figure).replace("\n", " ")


@pytest.mark.parametrize(
    ("name", "short", "measure"),
    [
        ("calibration", "MCB", "mcb"),
        ("calibration[bins=10]", "ECE", "ece"),
        ("roc", "AUC", "auc"),
        ("pr", "average precision", "average_precision"),
        ("gain", "Gini", "gini"),
        ("det", "EER", "equal_error_rate"),
        ("lift", "lift at 10%", "lift_at"),
        ("roc_average", "folds pooled: AUC", "auc"),
    ],
)
def test_legend_of_repeats_has_the_value_of_the_table(name: str, short: str, measure: str) -> None:
    card = repeated()
    words = words_of(card.plot(name))
    assert f"{short} {number_text(card[measure, 'pooled'].value, digits=3)}," in words
    assert "mean of the pooled values of 3 repeats" in words
    assert "n = 180 in 3 repeats" in words
    bare = words_of(replace(card, intervals=None).plot(name))
    assert "mean of the pooled values of 3 repeats" in bare


def test_values_over_all_rows_of_repeats_differ_from_those_of_the_table() -> None:
    card = repeated()
    one = replace(card.predictions[0], design=type(card.predictions[0].design)())
    assert score_predictions((one,))["ece"].value != pytest.approx(card["ece"].value, rel=0.05)


def test_bands_of_repeats_draw_the_same_rows_on_both_roc_charts() -> None:
    assert "draws of rows with all their repeats" in words_of(repeated().plot("roc_average"))
    ranked = "no band: scores of different folds' models are ranked together"
    assert ranked in words_of(repeated().plot("roc"))
    assert "the repeats of a row as one" in words_of(repeated().plot("calibration[bins=10]"))
    for name in ("roc", "roc_average"):
        assert "no band: rows occur once per repeat" in words_of(repeated(ids=False).plot(name))


def test_groups_of_which_nothing_is_known_have_no_intervals_in_the_legend() -> None:
    rng = np.random.default_rng(1)
    truth, score = rng.integers(0, 2, 40), rng.random(40)
    card = heldout.score(truth, y_score=score, groups=["one"] * 40)
    words = words_of(card.plot("calibration[bins=10]"))
    assert "no intervals: fewer than two groups" in words
    ours = heldout.score(truth, y_score=score, groups=np.arange(40) % 4)
    assert "the variation between groups is poorly estimated" in words_of(
        ours.plot("calibration[bins=10]")
    )


@pytest.mark.parametrize("name", [*CURVES, FOLDS, "thresholds", "thresholds:f_score"])
def test_every_chart_can_be_drawn_of_infinite_scores(name: str) -> None:
    card = heldout.score([0, 1, 1, 0, 1, 0], y_score=INFINITE, folds=[1, 1, 1, 2, 2, 2])
    if name in OF_PROBABILITIES:
        with pytest.raises(InputError, match="needs probabilities"):
            card.plot(name)
        return
    figure = card.plot(name)
    assert len(picture(figure, "png")) > 5000
    if name.startswith("thresholds"):
        assert "infinite scores lie beyond the axis" in words_of(figure)
        line = figure.axes[0].lines[0]
        assert np.isfinite(figure.axes[0].get_xlim()).all()
        # at every threshold on the axis the infinite score is called positive
        assert np.nanmin(line.get_ydata()) > 0


def test_models_without_scores_are_named_where_others_are_drawn() -> None:
    scored = heldout.score([1, 0, 1, 0], y_score=[0.9, 0.2, 0.6, 0.7], model="scored")
    labels = heldout.score([1, 0, 1, 0], y_pred=[1, 0, 1, 1], model="labels")
    both = score_predictions((*labels.predictions, *scored.predictions))
    words = words_of(both.plot("roc"))
    assert "scored: AUC" in words
    assert "labels is not drawn: it needs scores" in words
    assert set(both.plot("all")) == set(scored.plot("all"))
    with pytest.raises(InputError, match="a roc curve of model 'labels' needs scores"):
        both.curve("roc", model="labels")
    with pytest.raises(InputError, match="a roc chart needs scores"):
        labels.plot("roc")


def test_no_label_of_a_hull_leaves_the_picture() -> None:
    truth = np.array([1] * 20 + [0] * 100)
    score = np.concatenate([np.linspace(0.95, 0.3, 19), [0.0758], np.linspace(0.6, 0.1, 99), [0.0]])
    figure = plot(heldout.score(truth, y_score=score), "hull")
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    labels = [t for t in figure.axes[0].texts if t.get_text() == "0.0758"]
    assert labels
    assert labels[0].get_window_extent(renderer).x1 < figure.bbox.x1


def test_confusion_of_several_models_needs_a_name() -> None:
    card = example("models")
    with pytest.raises(InputError, match=r"there are 3 models: card.confusion\('forest'\)"):
        card.confusion()
    found = card.confusion("rules")
    assert found is not None
    assert found.total == 300


def test_positives_are_counted_above_a_chart_where_all_models_have_as_many() -> None:
    first = heldout.score([1, 0, 1, 0], y_score=[0.9, 0.2, 0.6, 0.7], model="a")
    other = heldout.score([1, 0, 0, 0], y_score=[0.9, 0.2, 0.6, 0.7], model="b")
    assert "n = 4, 2 positive (1)" in words_of(first.plot("gain"))
    both = score_predictions((*first.predictions, *other.predictions))
    words = words_of(both.plot("gain"))
    assert "n = 4" in words
    assert "positive (1)" not in words
