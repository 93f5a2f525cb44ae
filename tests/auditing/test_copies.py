"""Copies and near copies are found in data of many kinds, and coincidences are no copies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.auditing.check import Finding, all_checks
from heldout.auditing.material import Material
from heldout.datasets.dataset import Dataset, Feature
from heldout.datasets.read import read_dataset
from heldout.procedures.splits import PartitionSplits

CHECKS = {check.code: check for check in all_checks()}


def dataset(columns: list[Any], **how: Any) -> Dataset:
    """Arrays of floats are numbers, arrays of integers are codes into letters."""
    features = tuple(
        Feature(f"x{i}", v, tuple("abcdefgh") if v.dtype == np.int32 else None)
        for i, v in enumerate(columns)
    )
    truth = np.arange(len(columns[0])) % 2
    return replace(Dataset("made", "binary", truth, features, classes=("no", "yes")), **how)


def sides(columns: list[Any], copies: int, noise: float, seed: int = 0) -> Material:
    """The first half trains; some rows of it test too, numbers with noise in their spread."""
    rng = np.random.default_rng(seed)
    half = len(columns[0]) // 2
    tested = []
    for values in columns:
        made = values[half:].copy()
        made[:copies] = values[:copies]
        if values.dtype != np.int32:
            made[:copies] += noise * np.nanstd(values) * rng.uniform(-1, 1, copies)
        tested.append(made)
    return Material(train=dataset([v[:half] for v in columns]), test=dataset(tested))


def mixed(rows: int, seed: int = 1) -> list[Any]:
    rng = np.random.default_rng(seed)
    names = [rng.integers(0, 4, rows).astype(np.int32) for _ in range(3)]
    return [*(rng.normal(size=rows) for _ in range(6)), *names]


def found(code: str, material: Material) -> list[Finding]:
    return CHECKS[code].findings(material)


@pytest.mark.parametrize("noise", [1e-5, 1e-3, 5e-3, 1e-2])
def test_near_copies_of_numbers_and_names_are_found(noise: float) -> None:
    (finding,) = found("K02", sides(mixed(600), 6, noise))
    assert finding.rows == (1, 2, 3, 4, 5, 6)
    assert "6 of 300 test rows" in finding.seen


def test_rows_that_are_near_in_numbers_and_differ_in_names_are_no_copies() -> None:
    columns = mixed(600)
    material = sides(columns, 6, 1e-3)
    assert material.test is not None
    *others, last = material.test.features
    other = replace(last, values=(last.values + 1) % 4)
    assert not found(
        "K02", replace(material, test=replace(material.test, features=(*others, other)))
    )


@pytest.mark.parametrize("rows", [60, 600, 3000])
@pytest.mark.parametrize("spread", [0.02, 1.0])
def test_chance_neighbours_are_no_copies(rows: int, spread: float) -> None:
    # with a small spread all columns are one column in disguise
    rng = np.random.default_rng(rows)
    latent = rng.normal(size=rows)
    columns = [latent + spread * rng.normal(size=rows) for _ in range(6)]
    assert not found("K02", sides(columns, 0, 0.0))


def test_near_copies_within_one_table_are_parted_by_splits() -> None:
    columns = [np.append(v, v[:5] * (1 + 1e-4)) for v in mixed(200)[:6]]
    data = dataset(columns)
    splits = heldout.KFold(5).splits(len(data), truth=data.truth, is_classification=True)
    (finding,) = found("K02", Material(data=data, splits=splits))
    assert set(finding.rows) <= {1, 2, 3, 4, 5, 201, 202, 203, 204, 205}


def test_copies_among_coarse_values_are_found_if_they_are_more_than_chance() -> None:
    iris = read_dataset("iris")
    order = np.random.default_rng(0).permutation(150)
    columns = [feature.values[order] for feature in iris.features]
    (finding,) = found("K01", sides(columns, 0, 0.0))
    assert (finding.severity, len(finding.rows)) == ("note", 1)
    (finding,) = found("K01", sides(columns, 20, 0.0))
    assert (finding.severity, len(finding.rows)) == ("error", 21)


@pytest.mark.parametrize("levels", [2, 4])
@pytest.mark.parametrize("count", [1, 3, 6])
def test_equal_rows_of_few_levels_are_a_note(levels: int, count: int) -> None:
    rng = np.random.default_rng(levels)
    columns = [rng.integers(0, levels, 400).astype(np.int32) for _ in range(count)]
    (finding,) = found("K01", sides(columns, 0, 0.0))
    assert finding.severity == "note"
    assert "of 200 test rows equal a training row" in finding.seen
    assert "coarse values may explain this (coincidence cannot be excluded)" in finding.seen


def test_oversampling_before_the_split_is_found() -> None:
    columns = [np.concatenate([v, v[:40], v[:40]]) for v in mixed(120)[:4]]
    data = dataset(columns)
    splits = heldout.KFold(5).splits(len(data), truth=data.truth, is_classification=True)
    (finding,) = found("K01", Material(data=data, splits=splits))
    assert finding.severity == "error"
    assert "120 of 200 rows occur more than once" in finding.seen


def test_column_that_numbers_the_rows_does_not_hide_copies() -> None:
    made = sides(mixed(200)[:4], 5, 0.0)
    assert made.train is not None
    assert made.test is not None
    numbered = [
        replace(side, features=(Feature("row", np.arange(100) + start), *side.features))
        for side, start in ((made.train, 0), (made.test, 500))
    ]
    (finding,) = found("K01", Material(train=numbered[0], test=numbered[1]))
    assert "row left out" in finding.seen


def test_missing_values_are_values_in_copies() -> None:
    columns = mixed(200)[:5]
    columns[0][::3] = np.nan
    material = sides(columns, 4, 0.0)
    assert material.test is not None
    # there are many bit patterns that are no number
    material.test.features[0].values[0] = -np.float64("nan")
    (finding,) = found("K01", material)
    assert finding.rows == (1, 2, 3, 4)


def test_copies_that_stay_on_one_side_are_no_leak() -> None:
    columns = [np.repeat(v, 2) for v in mixed(100)[:6]]
    data = dataset(columns)
    whole = PartitionSplits("made", 200, 1, (), (np.arange(200) // 2 % 5).astype(np.int32)[None], 5)
    parted = PartitionSplits("made", 200, 1, (), (np.arange(200) % 5).astype(np.int32)[None], 5)
    assert not found("K01", Material(data=data, splits=whole))
    assert found("K01", Material(data=data, splits=parted))


@pytest.mark.parametrize("share", [0.01, 1.0])
def test_rows_in_clusters_are_no_copies(share: float) -> None:
    # a machine that idles, now and then or always, gives rows that are much alike
    rng = np.random.default_rng(5)
    idles = rng.random(3000) < share
    noise = [0.02 * rng.normal(size=3000) for _ in range(10)]
    columns = [np.where(idles, 1 + v, rng.normal(size=3000)) for v in noise]
    assert not found("K02", sides(columns, 0, 0.0))


def test_ids_that_train_and_are_judged_are_found() -> None:
    train = dataset(mixed(50), identifier=np.arange(50))
    judged = heldout.read_predictions(
        {"id": [48, 49, 50, 51], "truth": [0, 1, 0, 1], "score": [0.1, 0.8, 0.3, 0.9]}, id="id"
    )
    (finding,) = found("K01", Material(train=train, predictions=judged))
    assert finding.rows == (1, 2)


@pytest.mark.parametrize("factor", [2.0, 0.9, -1.5, 1.01])
def test_rows_times_a_number_are_found(factor: float) -> None:
    columns = [np.append(v, v[:5] * factor) for v in mixed(300)[:6]]
    columns += [np.append(v, v[:5]) for v in mixed(300)[6:]]
    data = dataset(columns)
    splits = heldout.KFold(5).splits(len(data), truth=data.truth, is_classification=True)
    finding = found("K02", Material(data=data, splits=splits))[0]
    assert finding.rows == (1, 2, 3, 4, 5, 301, 302, 303, 304, 305)
    assert "multiplied by a number" in finding.seen
    half = Material(
        train=dataset([v[:300] for v in columns]), test=dataset([v[300:] for v in columns])
    )
    assert found("K02", half)[0].rows == (1, 2, 3, 4, 5)


def test_counts_that_are_mostly_0_are_not_called_scaled() -> None:
    rng = np.random.default_rng(3)
    columns = [rng.poisson(40, 400) * (rng.random(400) < 0.2).astype(float) for _ in range(8)]
    assert not found("K02", sides(columns, 0, 0.0))


@pytest.mark.parametrize("rows", [10, 20, 40])
def test_copies_in_a_small_table_are_an_error_if_digits_exclude_chance(rows: int) -> None:
    rng = np.random.default_rng(rows)
    measured = [rng.normal(size=2 * rows) for _ in range(3)]
    (finding,) = CHECKS["K01"].findings(sides(measured, 2, 0.0))
    assert (finding.severity, finding.rows) == ("error", (1, 2))
    coarse = [np.round(values) for values in measured]
    (finding,) = CHECKS["K01"].findings(sides(coarse, 2, 0.0))
    assert (finding.severity, set(finding.rows) >= {1, 2}) == ("note", True)
    # a transform of coarse values has digits, and tells no more
    (finding,) = CHECKS["K01"].findings(sides([np.exp(values) for values in coarse], 2, 0.0))
    assert finding.severity == "note"
