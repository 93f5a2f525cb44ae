"""One interval for one value of a class: in the table, by name, and for two classes alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.areas import delong_interval

MEASURES = ("auc", "gini", "ks", "pauc", "ece", "mce", "calibration_slope", "recall", "f_score")


def three_classes(n: int = 90) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, n)
    odds = np.exp(rng.normal(size=(n, 3)) + 1.5 * np.eye(3)[truth])
    return truth, odds / odds.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("extra", ["", "weights", "groups", "percentile"])
def test_table_and_name_give_the_same_interval_of_a_class(extra: str) -> None:
    truth, scores = three_classes()
    given: dict[str, Any] = {"replicates": 40}
    names = MEASURES if extra in ("", "percentile") else MEASURES[:3]
    if extra == "weights":
        given["sample_weight"] = np.linspace(0.5, 2, len(truth))
    elif extra == "groups":
        given["groups"] = np.arange(len(truth)) // 3
    elif extra:
        given["interval"] = extra
    card = heldout.score(truth, y_score=scores, **given)
    rows = [row for row in card.results(names) if row.class_]
    assert len(rows) == 3 * len(names)
    for row in rows:
        alone = card[row.measure, row.class_]
        assert (row.low, row.high, row.method) == (alone.low, alone.high, alone.method)
    if extra in ("", "weights"):
        assert {row.method for row in rows if row.measure in ("auc", "gini")} == {
            "DeLong on the logit scale, Student's t"
        }


def test_area_of_a_class_is_that_of_its_own_ranking_also_at_one() -> None:
    truth, scores = three_classes()
    card = heldout.score(truth, y_score=scores)
    own = delong_interval(ScoreCounts.of(truth == 2, scores[:, 2]))
    assert (card["auc", "2"].low, card["auc", "2"].high) == (own.low, own.high)
    assert card["gini", "2"].low == pytest.approx(2 * own.low - 1)
    perfect = heldout.score(truth, y_score=np.eye(3)[truth] * 0.8 + 0.2 / 3)
    (row,) = (row for row in perfect.results(["auc"]) if row.class_ == "1")
    alone = perfect["auc", "1"]
    assert row.value == 1
    assert row.low is not None
    assert (row.low, row.high) == (alone.low, alone.high)
    assert 0.8 < row.low < 1
    assert row.high == 1


def test_positive_class_by_name_has_the_interval_of_the_measure() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 80)
    card = heldout.score(truth, y_score=np.clip(0.3 * truth + 0.6 * rng.random(80), 0, 1))
    for name in ("auc", "ks", "ece"):
        plain, named, other = card[name], card[name, "1"], card[name, "0"]
        assert (plain.low, plain.high) == (named.low, named.high)
        assert other.low is not None
