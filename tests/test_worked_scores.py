"""Worked examples of a course on performance assessment: scores, probabilities and numbers."""

from __future__ import annotations

from math import isinf
from typing import Any

import numpy as np
import pytest

import heldout

#: numbers printed to three digits
PRINTED = 0.0005


FIVE: dict[str, Any] = {"y_true": [0, 1, 0, 1, 1], "y_score": [0.1, 0.4, 0.5, 0.8, 0.1]}


def test_scoring_rules_of_five_rows() -> None:
    card = heldout.score(**FIVE)
    assert card["log_score"].value == pytest.approx(4.24, abs=0.005)
    assert card["log_loss"].value == pytest.approx(card["log_score"].value / 5, abs=1e-12)
    assert card["brier"].value == pytest.approx(0.294, abs=PRINTED)


def test_labels_alone_are_scored_as_certain() -> None:
    card = heldout.score(FIVE["y_true"], [0, 0, 1, 1, 0])
    assert card["brier"].value == card["error_rate"].value == 0.6
    assert isinf(card["log_score"].value)
    assert isinf(card["log_loss"].value)
    assert card["log_score"].note.startswith("3 rows")


SPAM = "ham ham ham ham ham spam spam ham ham spam ham ham ham spam spam spam spam ham spam spam"
SCORES = [
    *(0.001, 0.003, 0.059, 0.064, 0.094, 0.160, 0.184, 0.226, 0.246, 0.293),
    *(0.302, 0.348, 0.657, 0.676, 0.719, 0.781, 0.833, 0.877, 0.960, 0.963),
]
IDS = [7, 11, 15, 13, 19, 12, 2, 3, 16, 1, 5, 14, 17, 8, 6, 10, 18, 20, 9, 4]


def test_twenty_mails() -> None:
    mails = {"id": IDS, "mail": SPAM.split(), "p": SCORES}
    how = {"truth": "mail", "score": "p", "positive": "spam", "id": "id"}
    card = heldout.score(heldout.read_predictions(mails, **how))
    assert card.predictions[0].threshold == 0.5
    for name, count in {"tp": 6, "fn": 3, "fp": 2, "tn": 9}.items():
        assert card[name].value == count
    for name, value in {"error_rate": 0.25, "accuracy": 0.75, "precision": 0.75}.items():
        assert card[name].value == pytest.approx(value, abs=1e-12)
    printed = {"tpr": 0.667, "tnr": 0.818, "fpr": 0.182, "fnr": 0.333, "recall": 0.667}
    for name, value in {**printed, "f1": 0.706}.items():
        assert card[name].value == pytest.approx(value, abs=PRINTED), name
    assert card["auc"].value == pytest.approx(0.797979797979798, abs=1e-12)


def at_thresholds(truth: Any, score: Any, thresholds: Any) -> list[tuple[float, float]]:
    cards = [heldout.score(truth, y_score=score, threshold=t) for t in thresholds]
    return [(card["fpr"].value, card["tpr"].value) for card in cards]


def test_roc_of_ten_distinct_scores() -> None:
    score = [0.99, 0.98, 0.72, 0.70, 0.65, 0.51, 0.39, 0.24, 0.11, 0.01]
    truth = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
    assert heldout.score(truth, y_score=score)["auc"].value == pytest.approx(0.8, abs=1e-12)
    # the last score before the class changes, and the last of all
    ends = [score[i] for i in (*np.flatnonzero(np.diff(truth)), len(score) - 1)]
    points = [(0, 0.4), (0.2, 0.4), (0.2, 0.8), (0.6, 0.8), (0.6, 1.0), (1.0, 1.0)]
    assert at_thresholds(truth, score, ends) == [pytest.approx(point) for point in points]


def test_roc_of_ten_tied_scores() -> None:
    score = [0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25]
    truth = [1, 1, 0, 0, 0, 1, 0, 1, 0, 1]
    assert heldout.score(truth, y_score=score)["auc"].value == pytest.approx(0.56, abs=1e-12)
    tpr = [0.2, 0.4, 0.4, 0.6, 0.6, 0.8, 0.8, 1.0]
    fpr = [0.0, 0.0, 0.2, 0.6, 0.8, 0.8, 1.0, 1.0]
    points = at_thresholds(truth, score, sorted(set(score), reverse=True))
    assert points == [pytest.approx(point) for point in zip(fpr, tpr, strict=True)]


FORECAST: dict[str, Any] = {"y_true": [1, 0, 1, 0, 1], "y_score": [0.95, 0.6, 0.8, 0.75, 0.9]}


def test_rmse_of_probabilities() -> None:
    value = heldout.score(**FORECAST)["rmse_of_probabilities"].value
    assert value == pytest.approx(0.4416, abs=0.00005)


@pytest.mark.parametrize(
    ("spec", "rows", "mean", "tolerance"),
    [
        ("information_score", [0.662965, 0.0, 0.415037, -0.321928, 0.584963], 0.268207, 1e-6),
        ("information_score[unsigned]", [0.66, 0.0, 0.42, 0.32, 0.59], 0.40, 0.005),
    ],
)
def test_information_score(spec: str, rows: list[float], mean: float, tolerance: float) -> None:
    prior = {0: 0.4, 1: 0.6}
    assert heldout.score(**FORECAST, prior=prior)[spec].value == pytest.approx(mean, abs=tolerance)
    for y, p, expected in zip(FORECAST["y_true"], FORECAST["y_score"], rows, strict=True):
        card = heldout.score([y], y_score=[p], prior=prior, labels=[0, 1])
        # the course prints 0.58496 as 0.59
        assert card[spec].value == pytest.approx(expected, abs=1.02 * tolerance)


TARGET = [
    *(10.502, 18.990, 20.000, 6.883, 5.351, 11.120, 11.420, 4.836, 8.177, 19.009, 13.282, 8.689),
    *(18.050, 5.388, 10.646, 19.612, 10.576, 12.934, 10.492, 13.439, 9.849, 18.045, 6.413, 9.522),
    12.083,
]
LINEAR = [
    *(10.730, 17.578, 21.760, 7.001, 5.244, 10.842, 10.913, 7.401, 8.227, 16.667, 14.424, 9.874),
    *(19.503, 7.020, 10.358, 16.219, 10.680, 14.337, 10.366, 14.035, 9.821, 16.639, 7.225, 9.565),
    13.048,
]
NEIGHBOURS = [
    *(12.240, 21.000, 16.973, 7.543, 8.383, 10.228, 12.921, 7.588, 9.277, 21.000, 15.496, 5.724),
    *(16.449, 6.640, 5.840, 18.965, 8.941, 12.484, 13.021, 10.920, 9.920, 18.526, 7.719, 8.934),
    11.241,
]


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        (LINEAR, {"mse": 1.703, "rmse": 1.305, "mae": 0.958, "r2": 0.921}),
        (NEIGHBOURS, {"mse": 4.064, "rmse": 2.016, "mae": 1.704, "r2": 0.812}),
    ],
    ids=["linear", "neighbours"],
)
def test_doses_of_a_blood_thinner(predicted: list[float], expected: dict[str, float]) -> None:
    card = heldout.score(TARGET, predicted)
    for name, value in expected.items():
        assert card[name].value == pytest.approx(value, abs=PRINTED), name
    squares = 25 * card["mse"].value
    assert card["rss"].value == pytest.approx(squares)
    assert card["sse"].value == pytest.approx(squares)
    # the lecture's sum of squared errors has a factor 1/2
    assert card["half_sum_of_squares"].value == pytest.approx(squares / 2)
