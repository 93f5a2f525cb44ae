"""Scores that are infinite: no threshold lies above them, so none calls no row positive."""

from __future__ import annotations

from math import inf, isnan
from typing import Any

import numpy as np
import pytest

import heldout

TRUTH = [0, 1, 1, 0, 1, 0, 0]
FAR = [1.0, 2.0, inf, -inf, 3.0, 0.0, inf]
NEAR = [1.0, 2.0, 9.0, -9.0, 3.0, 0.0, 9.0]


def card_of(score: list[float], **how: Any) -> Any:
    return heldout.score(TRUTH, y_score=score, **{"intervals": False, **how})


@pytest.mark.parametrize("name", ["roc", "pr", "gain", "det", "hull"])
def test_every_threshold_calls_the_rows_positive_that_its_point_counts(name: str) -> None:
    for score in (FAR, NEAR):
        made = card_of(score).curve(name)
        table = made.table()
        known = ~np.isnan(made.threshold)
        called = [(np.array(score) >= t).sum() for t in made.threshold[known]]
        assert called == (table["tp"] + table["fp"])[known].tolist()
        assert known.all() == (score is NEAR)


def test_measure_by_threshold_begins_with_the_infinite_scores() -> None:
    made = card_of(FAR).curve("thresholds:recall")
    assert made.x.tolist() == [inf, 3, 2, 1, 0, -inf]
    assert made.at(inf) == pytest.approx(1 / 3)
    assert card_of(NEAR).curve("thresholds:recall").at(inf) == 0


def test_rule_that_only_no_row_fulfils_has_no_threshold() -> None:
    for how in ({}, {"intervals": True, "replicates": 50}):
        (made, _) = card_of(FAR, **how).thresholds("specificity >= 0.9")
        assert isnan(made["threshold"])
        assert "no threshold meets specificity >= 0.9" in made["note"]
        (made, _) = card_of(NEAR, **how).thresholds("specificity >= 0.9")
        assert (made["threshold"], made["value"]) == (inf, 0)
        assert "no row is called positive" in made["note"]


def test_replicates_choose_only_thresholds_that_exist() -> None:
    made = card_of(FAR, intervals=True, replicates=200).thresholds("accuracy")[0]
    assert made["threshold"] == 2
    assert not isnan(made["corrected"])


def test_point_and_toss_without_a_threshold_say_so() -> None:
    cost = ((0, 100), (1, 0))
    (point,) = card_of(FAR, cost=cost).operating_point()
    assert isnan(point["threshold"])
    assert "no threshold does that, as a score is infinite" in point["note"]
    (plain,) = card_of(NEAR, cost=cost).operating_point()
    assert (plain["threshold"], plain["note"]) == (inf, "no row is called positive")
    (toss,) = card_of(FAR).mixture(fpr=0.1)
    assert isnan(toss["else_threshold"])
    assert "as a score is infinite" in toss["note"]
    (toss,) = card_of(NEAR).mixture(fpr=0.1)
    assert toss["else_threshold"] == inf
    assert toss["note"] == "infinite threshold: no row is called positive"
