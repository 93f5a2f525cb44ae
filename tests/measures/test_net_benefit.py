"""Net benefit and decision curves: by their formula, beside each other, of groups and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.curves.decision import decision_difference
from heldout.curves.sources import RankedRows, Units


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


def two_models(**more: Any) -> tuple[Any, tuple[RankedRows, RankedRows], heldout.Comparison]:
    """Truth, the rows of two models, and their comparison at a threshold of 0.25."""
    truth, probability = drawn()
    other = np.clip(probability + np.random.default_rng(9).normal(0, 0.3, 240), 0, 1).round(2)
    scores = {"first": probability, "second": other}
    given = [heldout.from_arrays(truth, y_score=s, model=m, **more) for m, s in scores.items()]
    units = Units(more["groups"], "groups") if "groups" in more else Units()
    weight = more.get("sample_weight")
    first, second = (RankedRows(truth == 1, s, weight, units) for s in scores.values())
    compared = heldout.compare(given, measures=["net_benefit[threshold=0.25]"])
    return truth, (first, second), compared


def test_the_difference_of_two_curves_by_hand() -> None:
    truth = np.array([True, True, False, False])
    first = RankedRows(truth, np.array([0.9, 0.6, 0.4, 0.1]))
    second = RankedRows(truth, np.array([0.9, 0.4, 0.6, 0.1]))
    curve = decision_difference(first, second)
    # at 0.5 rows differ by 0, 1, 1, 0: mean 1/2, standard error sqrt((4 / 16) / 3), t(3) 3.1824
    reach = 3.182446305 * np.sqrt(0.25 / 3)
    assert curve.band is not None
    assert curve.at(0.5) == pytest.approx(0.5)
    assert curve.band.low[50] == pytest.approx(0.5 - reach)
    assert curve.band.high[50] == pytest.approx(0.5 + reach)
    assert curve.at(0.2) == 0  # both treat the same rows: nothing is known of how much they vary
    assert np.isnan(curve.band.low[20])


@pytest.mark.parametrize(
    "more", [{}, {"groups": np.arange(240) // 8}, {"sample_weight": 0.5 + np.arange(240) % 3}]
)
def test_the_difference_has_the_interval_of_the_comparison(more: dict[str, Any]) -> None:
    _, rows, compared = two_models(**more)
    curve, (difference,) = decision_difference(*rows), compared.differences
    assert curve.band is not None
    assert curve.at(0.25) == pytest.approx(difference.value, abs=1e-12)
    limits = difference.interval.low, difference.interval.high
    assert (curve.band.low[25], curve.band.high[25]) == pytest.approx(limits, abs=1e-9)


def test_swapped_models_mirror_the_difference() -> None:
    _, (first, second), _ = two_models()
    there, back = decision_difference(first, second), decision_difference(second, first)
    assert there.band is not None
    assert back.band is not None
    np.testing.assert_allclose(there.y, -back.y, atol=1e-15)
    np.testing.assert_allclose(there.band.low, -back.band.high, atol=1e-15)


def test_the_chart_of_a_comparison_shows_both_curves_and_their_difference() -> None:
    truth, rows, compared = two_models()
    (above,) = compared.plot("decision", as_data=True).panels
    below = above.below
    assert below is not None
    names = [entry.text for entry in above.legend]
    assert names == ["first", "second", "treat all", "treat none"]
    np.testing.assert_allclose(below.marks[-1].y, decision_difference(*rows).y)
    scores = [heldout.from_arrays(truth, y_score=[9.0, -9.0] * 120, model=m) for m in "ab"]
    with pytest.raises(InputError, match="a decision chart needs scores that are probabilities"):
        heldout.compare(scores, measures=["auc"]).plot("decision")
