"""Columns of one side, columns that name rows, copies that contradict: each is told, or not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.auditing.audit import audited
from heldout.auditing.check import Finding, all_checks
from heldout.auditing.material import Material
from heldout.datasets.dataset import Dataset, Feature
from heldout.tables.column import Column

CHECKS = {check.code: check for check in all_checks()}


def side(rows: int, names: str, seed: int = 1) -> Dataset:
    rng = np.random.default_rng(seed)
    features = tuple(Feature(name, rng.normal(size=rows)) for name in names)
    return Dataset("made", "binary", np.arange(rows) % 2, features, classes=("no", "yes"))


def with_column(given: Dataset, feature: Feature) -> Dataset:
    return replace(given, features=(*given.features, feature))


def found(code: str, **given: Any) -> list[Finding]:
    return CHECKS[code].findings(Material(**given))


def test_columns_of_one_side_are_named_for_each_side() -> None:
    first, second = found("K18", train=side(30, "abcd"), test=side(30, "bcde", 2))
    assert (first.columns, first.severity, first.where) == (("a",), "note", "column a")
    assert "1 of 4 columns of the training rows is no feature of the test rows: a" in first.seen
    assert second.columns == ("e",)
    assert "is no feature of the training rows: e" in second.seen


def test_same_columns_in_another_order_are_no_finding() -> None:
    assert not found("K18", train=side(30, "abcd"), test=side(30, "dcba", 2))


def test_column_of_numbers_here_and_names_there_is_named() -> None:
    train = with_column(side(30, "ab"), Feature("kind", np.arange(30) % 3))
    test = with_column(
        side(30, "ab"), Feature("kind", np.arange(30, dtype=np.int32) % 3, (0, 1, 2))
    )
    (finding,) = found("K18", train=train, test=test)
    assert "numbers on one side and names on the other: kind" in finding.seen


@pytest.mark.parametrize("levels", [None, ("x", "y")])
def test_column_without_values_on_one_side_is_named(levels: tuple[str, ...] | None) -> None:
    full = np.arange(30.0) if levels is None else np.arange(30) % 2
    empty = np.full(30, np.nan) if levels is None else np.full(30, -1)
    train = with_column(side(30, "ab"), Feature("late", full, levels))
    test = with_column(side(30, "ab", 2), Feature("late", empty, levels))
    (finding,) = found("K18", train=train, test=test)
    assert finding.columns == ("late",)
    assert not found("K18", train=test, test=test)


def test_columns_are_not_compared_where_there_is_one_table() -> None:
    audit = heldout.audit(data="iris", procedure="5-fold")
    assert "training and test tables" in {u.code: u.reason for u in audit.unchecked}["K18"]


@pytest.mark.parametrize(
    ("values", "levels", "is_name"),
    [
        (np.arange(40) + 7, None, True),
        (np.arange(40)[::-1].copy(), None, True),
        (np.random.default_rng(1).permutation(40), None, True),
        (np.arange(40) * 1.5, None, False),
        (np.random.default_rng(1).integers(0, 1000, 40), None, False),
        (np.arange(40) // 2, None, False),
        (np.arange(40), tuple(f"name {i}" for i in range(40)), True),
        (np.arange(40) % 20, tuple(f"name {i}" for i in range(20)), False),
    ],
)
def test_features_that_name_rows_get_a_note(values: Any, levels: Any, is_name: bool) -> None:
    given = with_column(side(40, "ab"), Feature("x", values, levels))
    assert [f.columns for f in found("K19", data=given)] == ([("x",)] if is_name else [])


@pytest.mark.parametrize("turned", [0, 3, 10])
def test_copies_with_another_label_are_counted(turned: int) -> None:
    train = side(200, "abcdef")
    rows = np.arange(10)
    features = tuple(replace(f, values=f.values[rows]) for f in train.features)
    truth = np.where(rows < turned, 1 - train.truth[rows], train.truth[rows])
    test = replace(train, features=features, truth=truth)
    (finding,) = found("K01", train=train, test=test)
    assert ("contradict" in finding.seen) == (turned > 0)
    if turned:
        assert f"{turned} of them contradict their copy (another label)" in finding.seen


def test_copies_with_another_label_are_counted_within_one_table() -> None:
    given = side(200, "abcdef")
    twice = np.r_[np.arange(200), np.arange(5)]
    features = tuple(replace(f, values=f.values[twice]) for f in given.features)
    truth = np.r_[given.truth, 1 - given.truth[:2], given.truth[2:5]]
    data = replace(given, features=features, truth=truth)
    splits = heldout.KFold(5).splits(len(data), truth=truth, is_classification=True)
    (finding,) = found("K01", data=data, splits=splits)
    assert "4 of them contradict their copy" in finding.seen


def test_number_of_columns_decides_whether_near_rows_are_looked_for() -> None:
    few = audited(Material(train=side(50, "abc"), test=side(50, "abc", 2)))
    assert "fewer than 4 columns" in {u.code: u.reason for u in few.unchecked}["K02"]
    assert "K02" not in few.checked
    assert "K02" in audited(Material(train=side(50, "abcd"), test=side(50, "abcd", 2))).checked


def test_names_alone_are_looked_at_for_altered_copies_only() -> None:
    rng = np.random.default_rng(1)
    columns = [Feature(f"x{i}", rng.integers(0, 6, 300), tuple("abcdef")) for i in range(12)]
    given = replace(side(300, "a"), features=tuple(columns))
    splits = heldout.KFold(5).splits(300, truth=given.truth, is_classification=True)
    audit = audited(Material(data=given, splits=splits))
    partial = {u.code: (u.reason, u.is_partial) for u in audit.unchecked}
    assert "measured numbers" in partial["K02"][0]
    assert partial["K02"][1]
    assert "K02" in audit.checked


@pytest.mark.parametrize("start", [0, 1])
def test_tables_that_were_numbered_apart_share_no_names(start: int) -> None:
    train = replace(side(60, "abcd"), identifier=np.arange(60) + start)
    test = replace(side(40, "abcd", 2), identifier=np.arange(40) + start)
    audit = audited(Material(train=train, test=test))
    assert not audit.findings
    assert "only number the rows" in {u.code: u.reason for u in audit.unchecked}["K01"]
    named = replace(test, identifier=np.arange(40) + start + 30)
    (finding,) = found("K01", train=train, test=named)
    assert "30 of 40 ids" in finding.seen


def test_names_agree_however_a_column_was_read() -> None:
    train = replace(side(60, "abcd"), identifier=np.arange(60) + 100)
    test = replace(side(40, "abcd", 2), identifier=np.arange(40.0) + 150)
    (finding,) = found("K01", train=train, test=test)
    assert "10 of 40 ids of the test set" in finding.seen
    groups = [
        Column("g", np.arange(n) % 7, levels) for n, levels in ((60, range(7)), (40, "abcdefg"))
    ]
    floats = replace(groups[0], codes=groups[1].codes, levels=tuple(map(float, range(7))))
    sides = [replace(one, identifier=None) for one in (train, test)]
    first = replace(sides[0], group=groups[0])
    assert found("K03", train=first, test=replace(sides[1], group=floats))
    assert not found("K03", train=first, test=replace(sides[1], group=groups[1]))
