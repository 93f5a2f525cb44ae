"""The smooth calibration curve, beside the lowess of statsmodels."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from statsmodels.nonparametric.smoothers_lowess import lowess

from heldout.measures import calibration_smooth as smooth
from heldout.tally.scores import ScoreCounts


@pytest.mark.parametrize("span", [0.29, 0.336, 0.7, 1.0])
@pytest.mark.parametrize(("decimals", "close"), [(1, 1e-9), (2, 1e-9), (17, 1e-4)])
@pytest.mark.parametrize("count", [100, 400])
def test_curve_is_that_of_statsmodels(count: int, decimals: int, close: float, span: float) -> None:
    # statsmodels cuts its weights off at slightly other distances, which many ties hide
    rng = np.random.default_rng(count + decimals)
    score = rng.random(count).round(decimals)
    truth = rng.random(count) < score
    x, height, weight = smooth.smooth_calibration(ScoreCounts.of(truth, score), span)
    step = 0.01 * (score.max() - score.min())
    expected = lowess(truth.astype(float), score, frac=span, it=0, delta=step)
    assert weight.sum() == count
    assert np.interp(expected[:, 0], x, height) == pytest.approx(expected[:, 1], abs=close)


def test_narrow_window_sees_only_its_own_row() -> None:
    # nine rows, windows of three: the neighbours stand at its edges, where weight is 0
    score = np.arange(1, 10) / 10
    truth = np.array([0, 1, 0, 0, 1, 0, 1, 1, 1]) == 1
    _, height, _ = smooth.smooth_calibration(ScoreCounts.of(truth, score), 1 / 3)
    assert height[1] == pytest.approx(1.0)
    assert height[3] == pytest.approx(0.0)


def test_one_probability_is_its_own_curve() -> None:
    same = ScoreCounts.of(np.array([True, False, False, True]), np.full(4, 0.3))
    assert smooth.integrated_calibration_index(same, span=0.5) == pytest.approx(0.2)
    assert smooth.maximum_smooth_calibration_error(same, span=0.5) == pytest.approx(0.2)
    assert isnan(smooth.ninetieth_smooth_calibration_error(ScoreCounts(), span=0.5))
