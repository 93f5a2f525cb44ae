"""K01 and nominal columns that were written as columns of 0 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout

ROWS, TRAINED = 500, 300


def found(X: Any, seed: int = 1) -> list[Any]:
    y = np.random.default_rng(seed).integers(0, 2, ROWS)
    sides = ((X[:TRAINED], y[:TRAINED]), (X[TRAINED:], y[TRAINED:]))
    audit = heldout.audit(train=sides[0], test=sides[1])
    return [finding for finding in audit.findings if finding.code == "K01"]


def coded(levels: int, seed: int = 0) -> tuple[Any, Any]:
    codes = np.random.default_rng(seed).integers(0, levels, ROWS)
    return codes, np.eye(levels)[codes]


@pytest.mark.parametrize("levels", [4, 12, 30])
def test_one_nominal_column_of_0_and_1_has_chance_copies(levels: int) -> None:
    codes, marks = coded(levels)
    for X in (marks, marks[:, 1:], np.column_stack([codes, marks])):
        assert all(finding.severity == "note" for finding in found(X))


def test_two_nominal_columns_of_0_and_1_have_chance_copies() -> None:
    X = np.column_stack([coded(12)[1], coded(9, seed=2)[1]])
    assert all(finding.severity == "note" for finding in found(X))


def test_copies_beside_a_nominal_column_are_errors() -> None:
    X = np.column_stack([np.random.default_rng(3).normal(size=(ROWS, 4)), coded(10)[1]])
    assert not found(X)
    X[TRAINED : TRAINED + 1] = X[:1]
    (finding,) = found(X)
    assert finding.severity == "error"
    assert "(test row 1)" in finding.seen


def test_measured_rows_that_are_repeated_often_are_errors() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 5))[rng.integers(0, 60, ROWS)]
    assert [finding.severity for finding in found(X)] == ["error"]
