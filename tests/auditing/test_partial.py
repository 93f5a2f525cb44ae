"""K05: columns that give the target away only where they are filled in, or by one level."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import heldout

ROWS = 500


def data(seed: int = 0) -> tuple[Any, pd.DataFrame]:
    """A random generator that goes on, and three columns of which one helps a little."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, ROWS)
    return rng, pd.DataFrame({"a": rng.normal(size=ROWS) + y, "b": rng.normal(size=ROWS), "y": y})


def found(table: pd.DataFrame, **how: Any) -> list[Any]:
    audit = heldout.audit(data=table, target="y", **how)
    return [finding for finding in audit.findings if finding.code == "K05"]


def test_copy_of_the_target_that_is_half_missing_is_a_warning() -> None:
    rng, table = data()
    table["z"] = np.where(rng.random(ROWS) < 0.5, table["y"], np.nan)
    (finding,) = found(table)
    assert (finding.severity, finding.columns) == ("warning", ("z",))
    known = int(table["z"].notna().sum())
    assert f"where 'z' has a value ({known} of 500 rows)" in finding.seen
    assert f"the class in 100% of {known} rows" in finding.seen


def test_names_that_are_half_missing_are_told_too() -> None:
    rng, table = data()
    names = np.where(table["y"] == 1, "ja", "nein").astype(object)
    names[rng.random(ROWS) < 0.5] = None
    (finding,) = found(table.assign(z=names))
    assert "where 'z' has a value" in finding.seen


def test_half_missing_column_that_knows_nothing_is_no_finding() -> None:
    for seed in range(5):
        rng, table = data(seed)
        values = np.where(rng.random(ROWS) < 0.5, rng.integers(0, 2, ROWS), np.nan)
        assert not found(table.assign(z=values, w=rng.choice(["u", "v"], ROWS)))


def test_mark_that_only_positives_have_is_a_warning() -> None:
    rng, table = data()
    table["z"] = ((rng.random(ROWS) < 0.8) & (table["y"] == 1)).astype(int)
    (finding,) = found(table)
    many = int(table["z"].sum())
    assert finding.severity == "warning"
    assert f"where 'z' is 1, the class is 1 in {many} of {many} rows" in finding.seen


def test_level_that_one_class_has_is_named_and_others_are_not() -> None:
    rng, table = data()
    wards = rng.choice(["A", "B", "C"], ROWS)
    assert not found(table.assign(z=wards))
    wards = np.where((rng.random(ROWS) < 0.3) & (table["y"] == 1), "ICU", wards)
    (finding,) = found(table.assign(z=wards))
    assert "where 'z' is 'ICU', the class is 1" in finding.seen
    assert finding.severity == "note"


def test_value_that_only_one_class_has_at_all_is_found() -> None:
    rng, table = data()
    left = np.where((table["y"] == 1) & (rng.random(ROWS) < 0.9), rng.normal(size=ROWS), np.nan)
    (finding,) = found(table.assign(z=left))
    assert finding.severity == "warning"
    assert "where 'z' has a value, the class is 1" in finding.seen


def test_mark_of_one_class_of_three_is_found() -> None:
    rng, table = data()
    table["y"] = rng.integers(0, 3, ROWS)
    (finding,) = found(table.assign(z=(table["y"] == 1).astype(int)))
    assert (finding.severity, finding.columns) == ("warning", ("z",))


def test_few_rows_of_a_level_prove_nothing() -> None:
    _, table = data()
    rare = np.full(ROWS, "usual", object)
    rare[np.flatnonzero(table["y"] == 1)[:15]] = "rare"
    assert not found(table.assign(z=rare))


def test_part_without_a_rare_class_is_no_finding() -> None:
    # one row in fifty is positive, and a third of the rows have none by nature
    rng = np.random.default_rng(3)
    ward = rng.choice(["u", "v", "w"], 3000)
    y = ((rng.random(3000) < 0.03) & (ward != "u")).astype(int)
    table = pd.DataFrame({"a": rng.normal(size=3000), "ward": ward, "y": y})
    assert not found(table)


def test_end_of_a_quantity_is_no_mark() -> None:
    # answers from 1 to 5, of which the last is of one class and the one before it nearly
    rng = np.random.default_rng(4)
    answer = rng.integers(1, 6, 2000)
    y = (rng.random(2000) < np.array([0.0, 0.1, 0.5, 0.9, 1.0])[answer - 1]).astype(int)
    assert not found(pd.DataFrame({"a": rng.normal(size=2000), "answer": answer, "y": y}))


def test_level_that_names_a_group_is_judged_by_one_row_a_group() -> None:
    rng = np.random.default_rng(5)
    group = np.repeat(np.arange(40), 25)
    y = rng.integers(0, 2, 40)[group]
    table = pd.DataFrame(
        {"a": rng.normal(size=1000), "ward": [f"w{g // 2}" for g in group], "g": group, "y": y}
    )
    assert found(table.drop(columns="g"))
    assert not found(table, groups="g")


@pytest.mark.parametrize("cut", [pd.cut, pd.qcut])
def test_target_cut_into_ranges_is_found(cut: Any) -> None:
    rng, table = data()
    table["y"] = rng.normal(size=ROWS)
    (finding,) = found(table.assign(z=cut(table["y"], 20, labels=False)))
    assert finding.severity == "warning"
    assert "ranges of the target that do not overlap: 0 of 500 rows" in finding.seen


def test_ranges_of_a_good_feature_are_no_finding() -> None:
    rng, table = data()
    table["y"] = 3 * table["a"] + 0.1 * rng.normal(size=ROWS)
    ranges = pd.qcut(table["a"], 5, labels=False)
    assert not found(table.drop(columns="a").assign(z=ranges))
