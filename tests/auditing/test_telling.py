"""A column that tells the target is found in all its clothes, and one that merely helps is not."""

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
from heldout.tables.column import Column

(K05,) = (check for check in all_checks() if check.code == "K05")


def found(truth: Any, *columns: Any, names: int = 0) -> list[Finding]:
    """Findings; the last ``names`` columns are codes."""
    count = len(columns) - names
    features = [
        Feature(f"x{i}", v, None if i < count else tuple(range(int(v.max()) + 1)))
        for i, v in enumerate(columns)
    ]
    classes = tuple(range(int(truth.max()) + 1)) if truth.dtype.kind == "i" else ()
    task: Any = "regression" if not classes else "binary" if len(classes) == 2 else "multiclass"
    return K05.findings(
        Material(data=Dataset("made", task, truth, tuple(features), classes=classes))
    )


def classes(count: int, rows: int = 1000, seed: int = 1) -> Any:
    return np.random.default_rng(seed).permutation(np.arange(rows) % count)


def leaked(truth: Any, wrong: float, seed: int = 2) -> Any:
    """The class with noise below one half, some rows of it wrong."""
    rng = np.random.default_rng(seed)
    told = truth.copy()
    rows = rng.permutation(len(truth))[: int(wrong * len(truth))]
    told[rows] = (told[rows] + 1) % (truth.max() + 1)
    return told + rng.uniform(-0.4, 0.4, len(truth))


@pytest.mark.parametrize("count", [2, 3, 6])
@pytest.mark.parametrize(
    ("wrong", "severity"), [(0.0, "warning"), (0.001, "warning"), (0.005, "note"), (0.05, None)]
)
def test_strength_of_a_leak_decides(count: int, wrong: float, severity: str | None) -> None:
    truth = classes(count)
    assert [f.severity for f in found(truth, leaked(truth, wrong))] == (
        [severity] if severity else []
    )


@pytest.mark.parametrize("count", [2, 4])
def test_names_that_tell_are_found(count: int) -> None:
    truth = classes(count)
    (finding,) = found(truth, (truth * 2 + classes(2, seed=5)).astype(np.int32), names=1)
    assert "alone predicts the class in 100%" in finding.seen


def test_missing_values_that_tell_are_found() -> None:
    truth = classes(2)
    values = np.random.default_rng(1).normal(size=1000)
    (finding,) = found(truth, np.where(truth == 1, np.nan, values))
    assert finding.seen.startswith("whether 'x0' is missing predicts the class in 100%")


def test_values_tell_though_some_are_missing() -> None:
    truth = classes(2)
    values = leaked(truth, 0.0)
    values[np.random.default_rng(3).permutation(1000)[:3]] = np.nan
    assert found(truth, values)


def test_class_in_columns_of_0_and_1_is_found() -> None:
    truth = classes(5)
    columns = [(truth == code).astype(float) for code in range(5)]
    helping = np.random.default_rng(1).integers(0, 2, 1000).astype(float)
    (finding,) = found(truth, helping, *columns)
    assert finding.where == "columns x1, x2, x3, x4, x5"
    # three of them say nothing of two classes, and all of three
    assert {f.columns for f in found(truth, helping, *columns[:3])} == {("x1",), ("x2",), ("x3",)}


@pytest.mark.parametrize("positives", [1, 2, 5])
def test_few_positives_are_parted_by_chance(positives: int) -> None:
    truth = np.zeros(30, np.int64)
    truth[:positives] = 1
    columns = np.random.default_rng(4).normal(size=(300, 30))
    # one of them is best by chance, and still no finding
    columns[0] = np.arange(30)[::-1] if positives < 3 else columns[0]
    assert not found(truth, *columns)


def test_levels_as_many_as_rows_tell_nothing() -> None:
    truth = classes(2, 400)
    assert not found(truth, np.arange(400, dtype=np.int32), names=1)
    assert not found(
        truth, np.random.default_rng(1).integers(0, 300, 400).astype(np.int32), names=1
    )


def test_class_that_one_column_tells_from_the_rest_is_no_leak() -> None:
    # petal length alone parts the first kind of iris from the others, as flowers do
    assert not K05.findings(Material(data=read_dataset("iris")))


@pytest.mark.parametrize("change", [lambda y: 1.8 * y + 32, np.exp, lambda y: -(y**3)])
def test_number_in_other_clothes_is_found(change: Any) -> None:
    truth = np.random.default_rng(1).normal(size=300)
    (finding,) = found(truth, change(truth))
    assert finding.severity == "warning"
    assert not found(truth, change(truth + 0.2 * np.random.default_rng(2).normal(size=300)))


def test_level_that_holds_the_number_is_found() -> None:
    codes = np.random.default_rng(1).integers(0, 8, 300).astype(np.int32)
    truth = np.linspace(3, 9, 8)[codes] ** 2
    assert found(truth + 1e-6 * np.arange(300), codes, names=1)
    assert not found(truth + 5 * np.random.default_rng(3).normal(size=300), codes, names=1)


@pytest.mark.parametrize("share", [0.5, 0.001])
def test_leak_among_many_rows_is_found(share: float) -> None:
    rng = np.random.default_rng(1)
    truth = (rng.random(60_000) < share).astype(np.int64)
    (finding,) = found(truth, rng.normal(size=60_000) + truth, leaked(truth, 0.0))
    assert (finding.where, finding.severity) == ("column x1", "warning")


PARTS: dict[str, Any] = {
    "outside a range": lambda x: (np.abs(x) > 0.8).astype(np.int64),
    "inside a range": lambda x: (np.abs(x) < 0.5).astype(np.int64),
    "three classes, one on both sides": lambda x: np.digitize(np.abs(x), [0.4, 1.0]),
    "a wave": lambda x: (np.sin(4 * x) > 0).astype(np.int64),
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("rows", [400, 4000])
def test_column_that_parts_a_class_on_several_sides_is_found(part: str, rows: int) -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=rows)
    truth = PARTS[part](x)
    (finding,) = found(truth, rng.normal(size=rows), x, rng.normal(size=rows))
    assert finding.columns == ("x1",)
    noisy = np.where(rng.random(rows) < 0.1, rng.permutation(truth), truth)
    assert not found(noisy, x)


@pytest.mark.parametrize("share", [0.5, 0.2, 0.1])
@pytest.mark.parametrize("rows", [200, 1000, 60_000])
def test_copy_of_the_target_with_one_in_a_hundred_flipped_is_found(share: float, rows: int) -> None:
    rng = np.random.default_rng(3)
    truth = (np.arange(rows) < share * rows).astype(np.int64)
    copy = truth.copy()
    # of either class its due
    for code in (0, 1):
        own = np.flatnonzero(truth == code)
        flipped = rng.permutation(own)[: max(round(0.01 * len(own)), 1 if code == 0 else 0)]
        copy[flipped] = 1 - code
    for names, column in ((0, copy.astype(float)), (1, copy.astype(np.int32))):
        (finding,) = found(truth, rng.normal(size=rows), column, names=names)
        assert (finding.severity, finding.columns) == ("warning", ("x1",))


def test_copy_of_the_target_with_some_of_a_rare_class_flipped_is_found() -> None:
    truth = (np.arange(1000) < 100).astype(np.int64)
    copy = np.where(np.arange(1000) < 8, 0, truth)
    assert [f.severity for f in found(truth, copy.astype(float))] == ["warning"]


def test_column_of_0_and_1_that_helps_much_is_no_copy() -> None:
    truth = classes(2)
    copy = np.where(np.random.default_rng(1).random(1000) < 0.06, 1 - truth, truth)
    assert not found(truth, copy.astype(float))


def test_value_that_names_a_group_is_no_leak_if_groups_are_known() -> None:
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(60), 10)
    truth = rng.integers(0, 2, 60)[group]
    height = Feature("height", rng.normal(size=60)[group])
    data = Dataset("made", "binary", truth, (height,), classes=(0, 1))
    assert K05.findings(Material(data=data))
    known = replace(data, group=Column("patient", group, tuple(range(60))))
    assert not K05.findings(Material(data=known))


@pytest.mark.parametrize("shape", [np.square, lambda x: np.cos(3 * x), np.abs])
def test_number_that_follows_from_a_column_without_rising_is_found(shape: Any) -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=2000)
    (finding,) = found(shape(x), x)
    assert finding.severity == "warning"
    assert not found(shape(x) + 0.1 * rng.normal(size=2000), x)


def test_copy_of_a_number_with_some_rows_overwritten_is_found() -> None:
    rng = np.random.default_rng(5)
    truth = rng.normal(size=500)
    copy = np.where(rng.random(500) < 0.01, rng.normal(size=500), truth)
    assert [f.severity for f in found(truth, copy)] == ["warning"]
    assert not found(truth, truth + 0.1 * rng.normal(size=500))


def test_what_changes_slowly_in_time_is_a_note_at_most() -> None:
    walk = np.cumsum(np.random.default_rng(1).normal(size=3000))
    assert [f.severity for f in found(walk, np.arange(3000.0))] in ([], ["note"])


def test_series_that_follow_one_trend_are_worth_a_note() -> None:
    rng = np.random.default_rng(5)
    time = np.arange(400.0)
    second, first = (
        trend + np.cumsum(rng.normal(0, 0.5, 400)) for trend in (8 * np.exp(time / 120), time)
    )
    order = rng.permutation(400)
    audit = heldout.audit(X=first[order, None], y=second[order], task="regression")
    assert [f.severity for f in audit.findings if f.code == "K05"] == ["note"]
    exact = heldout.audit(X=first[order, None], y=np.square(first[order]), task="regression")
    assert [f.severity for f in exact.findings if f.code == "K05"] == ["warning"]


def test_a_column_of_dates_is_named_where_no_time_is_given() -> None:
    day = [f"2024-01-{i % 28 + 1:02d}" for i in range(60)]
    audit = heldout.audit(
        data={"when": day, "x": list(range(60)), "y": [0, 1] * 30}, target="y", procedure="3-fold"
    )
    (reason,) = [u.reason for u in audit.unchecked if u.code == "K04"]
    assert reason == "needs a time column ('when' holds dates: time='when')"
