"""Thinned curves look the same: no point is left far from the line that is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.report.plots.thin import FEW, TOLERANCE, thin_line


def furthest(x: Any, y: Any, kept_x: Any, kept_y: Any) -> float:
    """The largest distance of a point from the line through the kept ones, near its own x."""
    worst = 0.0
    order = 1 if x[-1] >= x[0] else -1
    for a, b in zip(x, y, strict=True):
        near = np.searchsorted(order * kept_x, order * a)
        pieces = range(max(near - 8, 0), min(near + 8, len(kept_x) - 1))
        best = np.inf
        for i in pieces:
            run, rise = kept_x[i + 1] - kept_x[i], kept_y[i + 1] - kept_y[i]
            length = run * run + rise * rise
            along = ((a - kept_x[i]) * run + (b - kept_y[i]) * rise) / length if length else 0.0
            along = min(max(along, 0.0), 1.0)
            away = np.hypot(a - kept_x[i] - along * run, b - kept_y[i] - along * rise)
            best = min(best, float(away))
        worst = max(worst, best)
    return worst


@settings(max_examples=8)
@given(seed=st.integers(0, 10**6), steep=st.sampled_from([0.2, 1.0, 5.0]), falls=st.booleans())
def test_no_point_is_further_away_than_an_eye_can_see(seed: int, steep: float, falls: bool) -> None:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.random(6000)) ** steep
    y = np.cumsum(rng.random(6000) < 0.3).astype(float)
    y /= y[-1]
    if falls:
        x, y = x[::-1].copy(), y[::-1].copy()
    kept_x, kept_y = thin_line(x, y)
    assert len(kept_x) < 3000
    assert furthest(x[::7], y[::7], kept_x, kept_y) <= TOLERANCE + 1e-12
    assert (kept_x[0], kept_y[0], kept_x[-1], kept_y[-1]) == (x[0], y[0], x[-1], y[-1])


def test_few_points_stay_as_they_are() -> None:
    x = np.linspace(0, 1, FEW)
    assert thin_line(x, x)[0] is x


def test_spike_of_a_single_point_stays() -> None:
    x = np.linspace(0, 1, 200_000)
    y = np.zeros(200_000)
    y[123_456] = 1.0
    assert thin_line(x, y)[1].max() == 1.0


def test_gap_stays_a_gap() -> None:
    x = np.linspace(0, 1, 5000)
    y = np.where((x > 0.4) & (x < 0.6), np.nan, x)
    kept_x, kept_y = thin_line(x, y)
    assert np.isnan(kept_y).sum() == 1
    assert len(kept_x) == 5
    assert kept_x[1] == pytest.approx(0.4, abs=1e-3)


def test_scale_of_the_axes_counts() -> None:
    x = np.linspace(0, 1, 5000)
    wave = 1e-3 * np.sin(40 * x)
    assert len(thin_line(x, wave)[0]) < 150
    assert len(thin_line(x, wave, height=2e-3)[0]) > 150


def test_thinned_chart_is_that_of_all_points_to_the_pixel(monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy.ndimage import binary_dilation

    import heldout
    from heldout.report.plots import curve_panel

    rng = np.random.default_rng(2)
    truth = rng.random(40_000) < 0.3
    score = 1 / (1 + np.exp(-rng.normal(size=40_000) - truth))
    card = heldout.score(truth.astype(int), y_score=score, intervals=False)
    for name in ("roc", "pr", "thresholds:mcc"):
        thin = inked(card.plot(name))
        with monkeypatch.context() as patch:
            patch.setattr(curve_panel, "thin_line", lambda x, y, **_: (x, y))
            whole = inked(card.plot(name))
        assert thin.sum() > 300
        # steps too small to see make a line a little bolder, and nothing else
        beside = np.ones((3, 3), bool)
        assert not (thin & ~binary_dilation(whole, beside)).any()
        assert not (whole & ~binary_dilation(thin, beside)).any()


def inked(figure: Any) -> np.ndarray[Any, Any]:
    """Where a chart has the colour of its line, at 200 dots an inch."""
    figure.axes[0].lines[0].set_solid_joinstyle("round")
    figure.set_dpi(200)
    figure.canvas.draw()
    colours = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)
    return np.asarray(colours[..., 2] - colours[..., 0] > 60)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("name", ["roc", "pr", "gain", "lift", "det", "thresholds:f_score"])
def test_points_that_a_long_curve_leaves_out_lie_close_to_those_it_keeps(
    name: str, is_weighted: bool
) -> None:
    import heldout

    rng = np.random.default_rng(3)
    rows = 300_000
    truth = rng.random(rows) < 0.1
    score = 1 / (1 + np.exp(-rng.normal(size=rows) - 2 * truth))
    score[rng.random(rows) < 0.1] = 0.25  # one large tie
    weight = rng.uniform(0.5, 3, rows) if is_weighted else None
    card = heldout.score(truth.astype(int), y_score=score, sample_weight=weight, intervals=False)
    whole, few = card.curve(name), card.curve(name, corners="seen")
    assert few.area == whole.area or np.isnan(whole.area)
    assert len(few) < 70_000 < 200_000 < len(whole)
    assert np.isin(few.threshold[1:], whole.threshold[1:]).all()
    after = np.searchsorted(-few.threshold, -whole.threshold).clip(0, len(few) - 1)
    before = np.maximum(after - 1, 0)
    for all_points, some in ((whole.y, few.y), (whole.x, few.x)):
        finite = np.isfinite(all_points)
        if name.startswith("thresholds") and some is few.x:
            continue  # it holds from its threshold on: across, only steps of scores matter
        low, high = (f(some[before], some[after]) for f in (np.fmin, np.fmax))
        away = np.fmax(low - all_points, all_points - high)[finite]
        assert np.nanmax(away) <= TOLERANCE * np.nanmax(all_points[finite])
