"""Missing values filled in, scaling of each side alone, encoded targets: by which rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from heldout.auditing.check import Finding, all_checks
from heldout.auditing.material import Material
from heldout.datasets.dataset import Dataset, Feature
from heldout.datasets.read import read_dataset

(K06,) = (check for check in all_checks() if check.code == "K06")
TRAINED = 200
RNG = np.random.default_rng
MIDDLES: dict[str, Callable[..., Any]] = {"mean": np.nanmean, "median": np.nanmedian}


def dataset(values: Any, truth: Any = None) -> Dataset:
    features = tuple(Feature(f"x{i}", v) for i, v in enumerate(values.T))
    truth = np.arange(len(values)) % 2 if truth is None else truth
    return Dataset("made", "binary", truth, features, classes=("no", "yes"))


def found(values: Any, truth: Any = None) -> list[Finding]:
    """Findings of a training table and a test table."""
    truth = np.arange(len(values)) % 2 if truth is None else truth
    sides = (slice(None, TRAINED), slice(TRAINED, None))
    train, test = (dataset(values[rows], truth[rows]) for rows in sides)
    return K06.findings(Material(train=train, test=test))


def holes(decimals: int | None, seed: int = 1) -> Any:
    """Numbers of which a few are missing."""
    rng = RNG(seed)
    values = rng.normal(50, 9, (320, 5))
    values = values if decimals is None else values.round(decimals)
    values[rng.random(values.shape) < 0.06] = np.nan
    return values


def filled(values: Any, by: Any) -> Any:
    return np.where(np.isnan(values), by, values)


CASES = [("mean", None), ("mean", 0), ("mean", 1), ("mean", 3), ("median", None), ("median", 3)]


@pytest.mark.parametrize(("kind", "decimals"), CASES)
def test_filling_by_all_rows_is_found(kind: str, decimals: int | None) -> None:
    values = holes(decimals)
    (finding,) = found(filled(values, MIDDLES[kind](values, axis=0)))
    assert finding.severity == "warning"
    # a median of all rows may be one of the training rows by chance
    assert len(finding.columns) >= 3
    assert f"the {kind}" in finding.seen
    assert "filled in from all rows" in finding.seen


def test_filling_that_was_written_with_few_digits_is_found() -> None:
    values = holes(None)
    (finding,) = found(filled(values, np.nanmean(values, axis=0)).round(4))
    assert "filled in from all rows" in finding.seen


@pytest.mark.parametrize(("kind", "decimals"), CASES)
def test_filling_by_training_rows_is_right(kind: str, decimals: int | None) -> None:
    for seed in range(5):
        values = holes(decimals, seed)
        assert not found(filled(values, MIDDLES[kind](values[:TRAINED], axis=0)))


@pytest.mark.parametrize("kind", MIDDLES)
def test_filling_of_each_side_by_itself_is_found(kind: str) -> None:
    values = holes(None)
    sides = (values[:TRAINED], values[TRAINED:])
    (finding,) = found(np.vstack([filled(side, MIDDLES[kind](side, axis=0)) for side in sides]))
    assert "of the test rows by themselves" in finding.seen


def test_filling_before_any_split_gets_a_note() -> None:
    values = holes(None)
    data = dataset(filled(values, np.nanmean(values, axis=0)))
    (finding,) = K06.findings(Material(data=data))
    assert (finding.severity, "before any split" in finding.seen) == ("note", True)
    assert not K06.findings(Material(data=dataset(values)))


RAW: dict[str, Callable[[Any], Any]] = {
    "whole numbers": lambda rng: rng.integers(0, 11, (320, 8)).astype(float),
    "counts": lambda rng: rng.poisson(3, (320, 8)).astype(float),
    "one decimal": lambda rng: rng.normal(5, 3, (320, 8)).round(1),
    "quarters": lambda rng: (4 * rng.exponential(2, (320, 8))).round() / 4,
    "often 0, else of either sign": lambda rng: np.where(
        rng.random((320, 8)) < 0.3, 0, rng.normal(size=(320, 8))
    ),
    "a default amid coarse values": lambda rng: (
        5.125 + np.where(rng.random((320, 8)) < 0.5, 0, rng.integers(-8, 9, (320, 8)) / 8)
    ),
    "below a limit of detection": lambda rng: np.maximum(rng.lognormal(size=(320, 8)), 0.31),
    "two exact opposites": lambda rng: np.where(
        rng.random((320, 8)) < 0.3,
        0,
        rng.choice([-1, 1], (320, 8)) * rng.exponential(size=(320, 8)),
    ),
}


@pytest.mark.parametrize("kind", RAW)
def test_values_that_repeat_by_themselves_are_no_fillings(kind: str) -> None:
    for seed in range(15):
        values = RAW[kind](RNG(seed))
        both = [*found(values), *K06.findings(Material(data=dataset(values)))]
        assert not [finding.seen for finding in both]


@pytest.mark.parametrize("name", ["iris", "wdbc", "wine", "digits"])
def test_well_known_data_are_not_called_prepared(name: str) -> None:
    data = read_dataset(name)
    values = np.stack([feature.values for feature in data.features], axis=1).astype(float)
    for seed in range(5):
        order = RNG(seed).permutation(len(values))
        half = len(values) // 2
        sides = dataset(values[order[:half]]), dataset(values[order[half:]])
        assert not K06.findings(Material(train=sides[0], test=sides[1]))


SCALERS: dict[str, Callable[[Any], Any]] = {
    "mean 0 and spread 1": lambda v: (v - v.mean(0)) / v.std(0),
    "mean 0": lambda v: v - v.mean(0),
    "0 to 1": lambda v: (v - v.min(0)) / (v.max(0) - v.min(0)),
    "largest 1": lambda v: v / np.abs(v).max(0),
}


@pytest.mark.parametrize("scaler", SCALERS)
def test_scaling_of_each_side_by_itself_is_found(scaler: str) -> None:
    values = RNG(1).normal(5, 3, (320, 6))
    scaled = [SCALERS[scaler](values[:TRAINED]), SCALERS[scaler](values[TRAINED:])]
    (finding,) = found(np.vstack(scaled))
    assert "over the test rows by themselves" in finding.seen
    assert finding.severity == "warning"


def test_test_rows_that_are_the_training_rows_are_another_fault() -> None:
    values = SCALERS["mean 0 and spread 1"](RNG(1).normal(5, 3, (TRAINED, 6)))
    assert not found(np.vstack([values, values]))


def encoded(rows: Any, truth: Any, kinds: Any) -> Any:
    """Each kind replaced by the mean of the target over some rows of that kind."""
    known, labels = kinds[rows], truth[rows]
    return np.array([labels[known == kind].mean() for kind in range(12)])[kinds]


def test_target_encoded_over_test_rows_is_an_error() -> None:
    rng = RNG(1)
    kinds = rng.integers(0, 12, 400)
    truth = (rng.random(400) < 0.1 + 0.06 * kinds).astype(int)
    noise = rng.normal(size=(400, 3))
    (finding,) = found(np.column_stack([noise, encoded(slice(None), truth, kinds)]), truth)
    assert (finding.severity, finding.columns) == ("error", ("x3",))
    assert not found(np.column_stack([noise, encoded(slice(TRAINED), truth, kinds)]), truth)
    whole = dataset(np.column_stack([noise, 1 - encoded(slice(None), truth, kinds)]), truth)
    assert [f.columns for f in K06.findings(Material(data=whole))] == [("x3",)]
