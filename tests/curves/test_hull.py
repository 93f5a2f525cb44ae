"""The hull is above the curve and bends one way; coin tosses reach its points; models share it."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.core.errors import InputError
from heldout.core.random import generator
from heldout.curves.hull import hull_curve, hull_of_models, mixture, slopes, stretches
from heldout.curves.ranking import roc
from heldout.tally.scores import ScoreCounts
from tests.measures.scored_rows import Rows, scored_rows

# ROCR's toy of ten scores, its hull worked out by hand there
TOY = ScoreCounts.of(
    np.array([0, 1, 1, 0, 1, 1, 0, 1, 0, 0], bool),
    np.array([0.025, 0.925, 0.862, 0.809, 0.709, 0.698, 0.506, 0.254, 0.108, 0.073]),
)


def test_hull_of_rocr_toy() -> None:
    curve = hull_curve(TOY)
    assert curve.x.tolist() == [0, 0, 0.2, 0.4, 1]
    assert curve.y.tolist() == [0, 0.4, 0.8, 1, 1]
    assert curve.threshold.tolist() == [inf, 0.862, 0.698, 0.254, 0.025]
    assert curve.area == pytest.approx(0.2 * 0.6 + 0.2 * 0.9 + 0.6)


@given(rows=scored_rows())
def test_hull_is_concave_and_nowhere_below_the_curve(rows: Rows) -> None:
    counts = rows.counts
    curve, line = hull_curve(counts), roc(counts)
    steep = slopes(curve)
    assert (steep[1:] < steep[:-1]).all()
    assert (curve.at(line.x) >= line.y - 1e-12).all()
    assert curve.area >= line.area - 1e-12
    # every vertex is a point of the curve, at its own threshold
    assert set(zip(curve.x, curve.y, curve.threshold, strict=True)) <= set(
        zip(line.x, line.y, line.threshold, strict=True)
    )


@given(rows=scored_rows(), rate=st.floats(0, 1))
def test_mixture_reaches_the_hull(rows: Rows, rate: float) -> None:
    curve = hull_curve(rows.counts)
    places = {t: (x, y) for x, y, t in zip(curve.x, curve.y, curve.threshold, strict=True)}
    for toss in (mixture(curve, rate), mixture(curve, sensitivity=rate)):
        upper, lower = places[toss.upper], places[toss.lower]
        assert 0 <= toss.share <= 1
        for reached, a, b in zip(
            (toss.false_positive_rate, toss.sensitivity), upper, lower, strict=True
        ):
            assert reached == pytest.approx((1 - toss.share) * a + toss.share * b, abs=1e-12)
    assert mixture(curve, rate).sensitivity == pytest.approx(curve.at(rate), abs=1e-12)
    assert mixture(curve, sensitivity=rate).sensitivity == rate


def test_tossed_coins_reach_the_promised_rates() -> None:
    toss = mixture(hull_curve(TOY), 0.3)
    assert (toss.upper, toss.lower) == (0.698, 0.254)
    assert toss.share == pytest.approx(0.5)
    assert toss.sensitivity == pytest.approx(0.9)
    assert not toss.is_single
    assert mixture(hull_curve(TOY), 0.2).is_single
    exact = mixture(hull_curve(TOY), sensitivity=0.8)
    assert (exact.lower, exact.share, exact.false_positive_rate) == (0.698, 1.0, 0.2)
    rng = generator(3)
    score = np.tile([0.925, 0.862, 0.709, 0.698, 0.254], 4000)
    cut = np.where(rng.random(len(score)) < toss.share, toss.lower, toss.upper)
    assert np.mean(score >= cut) == pytest.approx(0.9, abs=0.01)


def test_mixture_needs_one_rate_within_its_range() -> None:
    curve = hull_curve(TOY)
    for wrong in ({}, {"false_positive_rate": 0.1, "sensitivity": 0.2}):
        with pytest.raises(InputError, match="needs one rate"):
            mixture(curve, **wrong)
    with pytest.raises(InputError, match=r"not 1\.5"):
        mixture(curve, 1.5)
    empty = hull_curve(ScoreCounts.of(np.ones(2, bool), np.arange(2.0)))
    with pytest.raises(InputError, match="no hull to mix on: there is no positive row"):
        mixture(empty, 0.5)


def test_models_hold_the_stretches_they_are_best_on() -> None:
    truth = np.array([1, 1, 1, 0, 0, 0], bool)
    cautious = ScoreCounts.of(truth, np.array([9.0, 8, 1, 7, 6, 5]))  # two positives first
    lavish = ScoreCounts.of(truth, np.array([8.0, 7, 6, 9, 2, 1]))  # one negative, then all
    poor = ScoreCounts.of(truth, np.array([1.0, 2, 3, 4, 5, 6]))
    curve = hull_of_models({"cautious": cautious, "lavish": lavish, "poor": poor})
    assert curve.columns["model"].tolist() == ["cautious", "cautious", "lavish", "lavish"]
    held = stretches(curve)
    assert [s.models for s in held] == [("cautious",), ("cautious", "lavish"), ("lavish",)]
    assert [s.is_mixture for s in held] == [False, True, False]
    assert [(s.start, s.stop) for s in held] == [(0, 0), (0, 1 / 3), (1 / 3, 1)]
    assert held[1].steepest == pytest.approx(1.0)
    toss = mixture(curve, 1 / 6)
    assert (toss.upper_model, toss.lower_model) == ("cautious", "lavish")
    assert (toss.upper, toss.lower) == (8, 6)


@given(first=scored_rows(), second=scored_rows())
def test_hull_of_models_is_the_hull_of_their_hulls(first: Rows, second: Rows) -> None:
    models = {"a": first.counts, "b": second.counts}
    curve = hull_of_models(models)
    assert (np.diff(slopes(curve)) < 1e-9).all()
    for counts in models.values():
        line = roc(counts)
        assert (curve.at(line.x) >= line.y - 1e-9).all()
    alone = hull_of_models({"a": first.counts})
    np.testing.assert_array_equal(alone.y, hull_curve(first.counts).y)


def test_hull_of_a_model_without_curve_says_which() -> None:
    one = ScoreCounts.of(np.ones(2, bool), np.arange(2.0))
    assert hull_of_models({"a": TOY, "b": one}).reason.startswith("b: there is no positive row")
    assert stretches(hull_of_models({"b": one})) == ()
    with pytest.raises(InputError, match="no models"):
        hull_of_models({})
