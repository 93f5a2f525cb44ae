"""Long rankings are joined: draws cost little and say what draws of the rows say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from heldout.comparison import long_rankings
from heldout.comparison.compare import compare
from heldout.comparison.long_rankings import LongRankings
from heldout.measures.spec import parse_request
from heldout.uncertainty.influence import Influence
from tests.comparison.models import binary

FEW = {"replicates": 150, "permutations": 100}


def pair(rows: int, **design: Any) -> Any:
    return binary("a", 1.0, seed=1, rows=rows, **design), binary(
        "b", 0.97, seed=2, rows=rows, **design
    )


@pytest.mark.parametrize(
    "measure", ["average_precision", "pr_auc", "recall_at_precision[precision=0.7]"]
)
def test_joined_places_give_the_interval_that_rows_give(
    measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = pair(3000)
    asked = {"measures": measure, "test": "permutation", "rope": 0.01, **FEW}
    exact = compare(*models, **asked)[measure]
    monkeypatch.setattr(long_rankings, "LONG", 3000)
    joined = compare(*models, **asked)[measure]
    assert "places" in joined.test.method
    assert "places" not in exact.test.method
    assert joined.value == exact.value
    assert joined.test.statistic == pytest.approx(exact.test.statistic)
    near = 0.1 * exact.interval.width
    assert joined.interval.low == pytest.approx(exact.interval.low, abs=near)
    assert joined.interval.high == pytest.approx(exact.interval.high, abs=near)
    assert joined.p_value == pytest.approx(exact.p_value, abs=0.1)
    assert exact.posterior is not None
    assert joined.posterior is not None
    assert joined.posterior.first_better == pytest.approx(exact.posterior.first_better, abs=0.05)


def test_places_of_weighted_rows_have_the_weighted_measure() -> None:
    weight = np.random.default_rng(3).random(4000)
    models = pair(4000, sample_weight=weight)
    request = parse_request("auc")
    joined = LongRankings(request, models)
    truth = models[0].truth == models[0].positive
    exact = [Influence.of_area(truth, p.scores, weight).value for p in models]
    assert joined.values() == pytest.approx(exact, abs=1e-4)
    heavy = np.ones(4000)
    assert joined.values(heavy) == pytest.approx(joined.values())


def test_exchanging_every_row_turns_the_difference() -> None:
    joined = LongRankings(parse_request("average_precision"), pair(2500))
    everywhere = np.ones(2500, bool)
    assert joined.exchanged(everywhere) == -joined.difference()
    assert joined.exchanged(~everywhere) == joined.difference()
    assert joined.levels < 2200
