"""Copies with a changed value or fewer digits are found, rows that agree by chance are not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.auditing.check import Finding, Unchecked, all_checks
from heldout.auditing.material import Material
from heldout.datasets.dataset import Dataset, Feature
from heldout.datasets.read import read_dataset

(K02,) = (check for check in all_checks() if check.code == "K02")
RNG = np.random.default_rng


def dataset(values: Any) -> Dataset:
    features = tuple(Feature(f"x{i}", v) for i, v in enumerate(values.T))
    return Dataset("made", "binary", np.arange(len(values)) % 2, features, classes=("no", "yes"))


def halves(values: Any, copies: Any = None) -> list[Finding]:
    """Findings where the first rows of the second half are these."""
    half = len(values) // 2
    test = values[half:].copy()
    if copies is not None:
        test[: len(copies)] = copies
    return K02.findings(Material(train=dataset(values[:half]), test=dataset(test)))


def within(values: Any) -> list[Finding]:
    data = dataset(values)
    splits = heldout.KFold(5).splits(len(data), truth=data.truth, is_classification=True)
    return K02.findings(Material(data=data, splits=splits))


def changed(values: Any, many: int, seed: int = 2) -> Any:
    """The first six rows, so many columns of each put to another value."""
    rng, made = RNG(seed), values[:6].copy()
    for row in range(6):
        columns = rng.permutation(values.shape[1])[:many]
        made[row, columns] += 2
    return made


KINDS = {
    "measured": lambda rng: rng.normal(size=(400, 8)),
    "one decimal": lambda rng: rng.normal(5, 3, (400, 8)).round(1),
    "answers from 1 to 5": lambda rng: rng.integers(1, 6, (400, 30)).astype(float),
    "counts": lambda rng: rng.poisson(20, (400, 12)).astype(float),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("many", [1, 2])
def test_rows_changed_in_few_columns_are_found(kind: str, many: int) -> None:
    values = KINDS[kind](RNG(1))
    (finding,) = halves(values, changed(values, many))
    assert finding.rows == (1, 2, 3, 4, 5, 6)
    assert "agree exactly with a training row in all but" in finding.seen


def test_rows_changed_within_one_table_are_found_across_splits() -> None:
    values = KINDS["measured"](RNG(1))
    (finding,) = within(np.vstack([values, changed(values, 1)]))
    assert finding.rows == (1, 2, 3, 4, 5, 6, 401, 402, 403, 404, 405, 406)
    assert "agree exactly with another row in all but one of 8 columns" in finding.seen


@pytest.mark.parametrize("many", [5, 20, 60, 200])
def test_copies_are_no_coincidence_however_many_there_are(many: int) -> None:
    values = RNG(1).normal(size=(400, 8))
    copies = values[:many] + np.array([0, 0, 0.5, 0, 0, 0, 0.5, 0])
    (finding,) = within(np.vstack([values, copies]))
    assert finding.seen.startswith(f"{2 * many} of {400 + many} rows agree exactly")


def test_value_that_was_blanked_is_a_changed_value() -> None:
    values = KINDS["measured"](RNG(1))
    copies = values[:6].copy()
    copies[:, 3] = np.nan
    (finding,) = halves(values, copies)
    assert finding.rows == (1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize("decimals", [1, 2, 3])
def test_rounded_rows_are_found(decimals: int) -> None:
    values = KINDS["measured"](RNG(3))
    findings = halves(values, values[:6].round(decimals))
    assert {row for finding in findings for row in finding.rows} == {1, 2, 3, 4, 5, 6}
    assert any(f"rounded to {decimals} decimals" in finding.seen for finding in findings)


def test_table_that_was_written_with_few_digits_is_found() -> None:
    values = 10 ** RNG(3).uniform(-4, 4, (300, 8))
    written = np.array([[float(f"{v:.3g}") for v in row] for row in values[:150]])
    material = Material(train=dataset(values), test=dataset(written))
    assert any("rounded to 3 significant digits" in f.seen for f in K02.findings(material))
    others = 10 ** RNG(4).uniform(-4, 4, (150, 8))
    fewer = np.array([[float(f"{v:.3g}") for v in row] for row in others])
    assert not K02.findings(Material(train=dataset(values), test=dataset(fewer)))


CHANCE = {
    "yes and no": lambda rng: rng.integers(0, 2, (400, 20)).astype(float),
    "rare marks": lambda rng: (rng.random((400, 40)) < 0.05).astype(float),
    "answers that go together": lambda rng: np.clip(
        (1.2 * rng.normal(size=(400, 1)) + 0.5 * rng.normal(size=(400, 10)) + 3).round(), 1, 5
    ),
    "four columns of one decimal": lambda rng: rng.normal(5, 1, (400, 4)).round(1),
    "mostly 0": lambda rng: np.where(rng.random((400, 8)) < 0.7, 0, rng.normal(size=(400, 8))),
    "kinds with noise": lambda rng: (
        rng.integers(0, 5, (20, 10))[rng.integers(0, 20, 400)] + (rng.random((400, 10)) < 0.1)
    ).astype(float),
    "whole numbers and measured ones": lambda rng: np.hstack(
        [rng.normal(size=(400, 3)).round(rng.integers(0, 4)), rng.poisson(3, (400, 4))]
    ),
}


@pytest.mark.parametrize("kind", [*CHANCE, *KINDS])
def test_rows_that_agree_by_chance_are_no_alarm(kind: str) -> None:
    made = {**CHANCE, **KINDS}[kind]
    for seed in range(5):
        values = made(RNG(seed))
        assert not [finding.seen for finding in (*halves(values), *within(values))]


@pytest.mark.parametrize("name", ["iris", "wdbc", "wine", "digits", "diabetes"])
def test_well_known_data_have_no_near_copies(name: str) -> None:
    data = read_dataset(name)
    for seed in range(3):
        order = RNG(seed).permutation(len(data))
        values = np.stack([feature.values[order] for feature in data.features], axis=1)
        assert not halves(values.astype(float))


def test_copies_in_well_known_data_are_found() -> None:
    for name in ("wdbc", "wine"):
        data = read_dataset(name)
        values = np.stack([feature.values for feature in data.features], axis=1).astype(float)
        (finding,) = halves(values, changed(values, 1))
        assert finding.rows == (1, 2, 3, 4, 5, 6)


def test_groups_of_rows_that_share_half_their_columns_are_no_copies() -> None:
    rng = RNG(1)
    shared = rng.normal(size=(150, 4))[np.sort(rng.integers(0, 150, 400))]
    assert not halves(np.hstack([shared, rng.normal(size=(400, 4))]))


def test_rows_that_resemble_each_other_by_degrees_are_no_copies() -> None:
    rng = RNG(1)
    pairs = rng.permutation(np.repeat(rng.normal(size=(10_000, 10)), 2, axis=0))
    assert not halves(np.where(rng.random(pairs.shape) < 0.2, rng.normal(size=pairs.shape), pairs))


def test_names_are_compared_as_names() -> None:
    columns = [Feature(f"x{i}", RNG(i).integers(0, 6, 300), tuple("abcdef")) for i in range(18)]
    data = replace(dataset(np.zeros((300, 1))), features=tuple(columns))
    other = [replace(f, values=np.where(np.arange(300) < 5, f.values, -1)) for f in columns[1:]]
    turned = replace(columns[0], values=(columns[0].values + 1) % 6)
    test = replace(data, features=(turned, *other))
    (finding,) = K02.findings(Material(train=data, test=test))
    assert finding.rows == (1, 2, 3, 4, 5)


def test_rows_that_may_agree_by_chance_are_counted() -> None:
    values = RNG(5).integers(0, 4, (400, 6)).astype(float)
    material = Material(train=dataset(values[:200]), test=dataset(values[200:]))
    differ = (values[200:, None] != values[None, :200]).sum(2)
    count = int((differ == 1).any(1).sum())
    said = [one.reason for one in K02.all_of(material) if isinstance(one, Unchecked)]
    assert f"{count} rows agree with another in all columns but one, which may be coincidences" in (
        said
    )
