"""Net benefit and decision curves: by their formula, beside each other, of groups and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError


def drawn(rows: int = 240) -> tuple[Any, Any]:
    """Truth and probabilities, with ties."""
    rng = np.random.default_rng(8)
    probability = rng.uniform(size=rows).round(2)
    return (rng.uniform(size=rows) < probability).astype(int), probability


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.25, 0.5, 0.9])
def test_it_is_the_formula_of_vickers_and_elkin(threshold: float) -> None:
    truth, probability = drawn()
    treated = probability >= threshold
    hits, alarms = (treated & (truth == 1)).mean(), (treated & (truth == 0)).mean()
    expected = hits - alarms * threshold / (1 - threshold)
    result = heldout.score(truth, y_score=probability)[f"net_benefit[threshold={threshold}]"]
    assert result.value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("threshold", [-0.1, 1.0, 2.0])
def test_a_threshold_is_a_probability_below_one(threshold: float) -> None:
    truth, probability = drawn()
    card = heldout.score(truth, y_score=probability)
    with pytest.raises(InputError, match="from 0 to below 1"):
        card[f"net_benefit[threshold={threshold}]"]


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_curve_has_the_values_and_limits_of_the_measure(is_weighted: bool) -> None:
    truth, probability = drawn()
    weight = np.arange(1.0, 241.0) if is_weighted else None
    card = heldout.score(truth, y_score=probability, sample_weight=weight)
    table = card.curve("decision").table()
    for at in (10, 25, 70):
        result = card[f"net_benefit[threshold={at / 100}]"]
        assert table["net_benefit"][at] == pytest.approx(result.value, abs=1e-12)
        if not is_weighted:
            limits = result.low, result.high
            # the measure's are a little moved where what rows add is skewed
            assert (table["low"][at], table["high"][at]) == pytest.approx(limits, abs=0.01)


def test_treating_all_is_a_model_that_is_always_sure() -> None:
    truth, probability = drawn()
    card = heldout.score(truth, y_score=probability)
    sure = heldout.score(truth, y_score=np.ones(240))
    treat_all = card.curve("decision").columns["treat_all"]
    np.testing.assert_allclose(treat_all, sure.curve("decision").y, atol=1e-12)
    # at a threshold of 0 every row is treated
    assert card.curve("decision").y[0] == pytest.approx(treat_all[0])


def test_groups_widen_and_a_threshold_above_all_scores_has_no_limits() -> None:
    truth, probability = drawn()
    groups = np.repeat(np.arange(24), 10)
    order = np.argsort(truth, kind="stable")  # rows of a group are of one class, but for few
    plain = heldout.score(truth[order], y_score=0.9 * probability[order]).curve("decision")
    grouped = heldout.score(truth[order], y_score=0.9 * probability[order], groups=groups).curve(
        "decision"
    )
    assert plain.band is not None
    assert grouped.band is not None
    widths = [(band.high - band.low)[40] for band in (plain.band, grouped.band)]
    assert widths[1] > 1.5 * widths[0]
    assert np.isnan(plain.band.low[95])
    assert plain.y[95] == 0


def test_scores_that_are_no_probabilities_have_no_decision_curve() -> None:
    card = heldout.score([1, 0, 1], y_score=[3.0, -1.0, 2.0])
    with pytest.raises(InputError, match="decision curve needs probabilities"):
        card.curve("decision")
