"""Scaling over all rows is found, scaling over the training rows is not blamed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.auditing.check import Finding, all_checks
from heldout.auditing.material import Material
from heldout.datasets.dataset import Dataset, Feature

(K06,) = (check for check in all_checks() if check.code == "K06")
HOWS = {
    "standard": lambda all_, fit: (all_ - fit.mean(0)) / fit.std(0),
    "sample spread": lambda all_, fit: (all_ - fit.mean(0)) / fit.std(0, ddof=1),
    "centred": lambda all_, fit: all_ - fit.mean(0),
    "range": lambda all_, fit: (all_ - fit.min(0)) / (fit.max(0) - fit.min(0)),
    "both signs": lambda all_, fit: 2 * (all_ - fit.min(0)) / (fit.max(0) - fit.min(0)) - 1,
    "largest": lambda all_, fit: all_ / np.abs(fit).max(0),
    "robust": lambda all_, fit: (all_ - np.median(fit, 0)) / _middle_half(fit),
}


def _middle_half(values: Any) -> Any:
    low, high = np.quantile(values, (0.25, 0.75), axis=0)
    return high - low


def dataset(values: Any) -> Dataset:
    features = tuple(Feature(f"x{i}", v) for i, v in enumerate(values.T))
    return Dataset("made", "binary", np.arange(len(values)) % 2, features, classes=("no", "yes"))


def found(values: Any) -> list[Finding]:
    """Findings of two halves."""
    half = len(values) // 2
    return K06.findings(Material(train=dataset(values[:half]), test=dataset(values[half:])))


def raw(seed: int = 1) -> Any:
    return np.random.default_rng(seed).normal(5, 3, (200, 8))


@pytest.mark.parametrize("how", HOWS)
def test_scaling_over_both_sides_is_found(how: str) -> None:
    values = raw()
    (finding,) = found(HOWS[how](values, values))
    assert finding.severity == "warning"
    assert "8 columns" in finding.seen


@pytest.mark.parametrize("how", HOWS)
def test_scaling_over_the_training_rows_is_right(how: str) -> None:
    values = raw()
    assert not found(HOWS[how](values, values[:100]))


@pytest.mark.parametrize("how", HOWS)
def test_data_that_were_scaled_before_any_split_get_a_note(how: str) -> None:
    values = raw()
    (finding,) = K06.findings(Material(data=dataset(HOWS[how](values, values))))
    assert finding.severity == "note"


@pytest.mark.parametrize("how", ["range", "both signs"])
def test_range_of_which_the_training_rows_hold_one_end_is_found(how: str) -> None:
    values = raw()[:, :2]
    half = len(values) // 2
    for column in values.T:
        # the largest value trains, the smallest tests
        for place, end in ((0, column.argmax()), (half, column.argmin())):
            column[[place, end]] = column[[end, place]]
        if column.argmin() < half or column.argmax() >= half:
            pytest.fail("the ends are not where they should be")
    (finding,) = found(HOWS[how](values, values))
    assert "2 of them not over the training rows" in finding.seen


def test_ends_that_scaling_rounds_are_ends() -> None:
    values = HOWS["both signs"](raw(), raw()) * (1 - 1e-15)
    assert found(values)


def test_raw_values_are_no_alarm() -> None:
    rng = np.random.default_rng(1)
    for values in (
        raw(),
        rng.integers(0, 2, (200, 8)).astype(float),
        rng.integers(-5, 6, (200, 8)).astype(float),
        # shares of which many are none or all
        np.clip(rng.normal(0.5, 0.5, (200, 8)), 0, 1),
        rng.random((200, 8)),
        # whole percentages, of which few are 0 or 100
        np.clip(rng.normal(50, 16, (200, 8)).round(), 0, 100) / 100,
        np.ones((200, 8)),
    ):
        assert not found(values)
        assert not K06.findings(Material(data=dataset(values)))


def test_predictions_equal_to_the_last_digit_are_suspect() -> None:
    truth = raw()[:, 0]
    exact = heldout.from_arrays(truth, truth, model="tree")
    near = heldout.from_arrays(truth, truth + 1e-9, model="tree")
    assert [f.where for f in K06.findings(Material(predictions=(exact,)))] == ["tree"]
    assert not K06.findings(Material(predictions=(near,)))


@pytest.mark.parametrize("added", [0.0, 1.0, 10.0, 37.5])
def test_smoothed_means_of_the_target_over_all_rows_are_found(added: float) -> None:
    rng = np.random.default_rng(3)
    kind = rng.integers(0, 8, 600)
    y = (rng.random(600) < 0.2 + 0.08 * kind).astype(int)
    sums, counts = np.bincount(kind, y), np.bincount(kind)
    encoded = ((sums + added * y.mean()) / (counts + added))[kind]
    X = np.column_stack([rng.normal(size=600), encoded])
    audit = heldout.audit(train=(X[:400], y[:400]), test=(X[400:], y[400:]))
    assert [(f.code, f.severity) for f in audit.findings] == [("K06", "error")]


def test_other_values_of_levels_are_no_means_of_the_target() -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        kind, y = rng.integers(0, 5, 300), rng.integers(0, 2, 300)
        values = rng.permutation(5)[kind].astype(float)
        sides = [
            (np.column_stack([values[part], rng.normal(size=len(y[part]))]), y[part])
            for part in (slice(200), slice(200, None))
        ]
        assert not [
            f for f in heldout.audit(train=sides[0], test=sides[1]).findings if f.code == "K06"
        ]
