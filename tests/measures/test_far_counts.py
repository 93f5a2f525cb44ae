"""Counts of weights that are as far apart as numbers go: as exact as fractions, or undefined."""

from __future__ import annotations

from fractions import Fraction
from math import isnan, sqrt
from typing import Any

import numpy as np
import pytest

from heldout.measures.spec import parse_request
from heldout.tally.confusion import Confusion

Matrix = list[list[Fraction]]


def tables(classes: int, count: int = 150) -> list[Any]:
    rng = np.random.default_rng(classes)
    made = []
    for number in range(count):
        table = rng.integers(1, 9, (classes, classes)).astype(float)
        if number % 2:  # one class far from the others
            table[rng.integers(0, classes)] *= 10.0 ** rng.integers(-25, 26)
        else:
            table *= 10.0 ** rng.integers(-20, 21, (classes, classes))
        made.append(table)
    return made


def exact(table: Any) -> tuple[Matrix, list[Fraction], list[Fraction], Fraction]:
    cells = [[Fraction(float(value)) for value in row] for row in table]
    actual, chosen = [sum(row) for row in cells], [sum(c) for c in zip(*cells, strict=True)]
    return cells, list(map(Fraction, actual)), list(map(Fraction, chosen)), Fraction(sum(actual))


def mcc(table: Any) -> float:
    cells, actual, chosen, total = exact(table)
    right = sum(cells[k][k] for k in range(len(cells)))
    covariance = total * right - sum(a * c for a, c in zip(actual, chosen, strict=True))
    spread = (total**2 - sum(a * a for a in actual)) * (total**2 - sum(c * c for c in chosen))
    return (1 if covariance > 0 else -1) * sqrt(covariance**2 / spread)


def kappa(table: Any, distance: Any) -> float:
    cells, actual, chosen, total = exact(table)
    pairs = [(i, j) for i in range(len(cells)) for j in range(len(cells))]
    expected = sum(distance(i, j) * actual[i] * chosen[j] for i, j in pairs)
    return float(1 - total * sum(distance(i, j) * cells[i][j] for i, j in pairs) / expected)


MEASURES = {
    "mcc": mcc,
    "kappa": lambda table: kappa(table, lambda i, j: int(i != j)),
    "linear_kappa": lambda table: kappa(table, lambda i, j: abs(i - j)),
    "quadratic_kappa": lambda table: kappa(table, lambda i, j: (i - j) ** 2),
}


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("name", MEASURES)
def test_agreement_is_that_of_fractions(name: str, classes: int) -> None:
    measure = parse_request(name).measure
    for table in tables(classes):
        value = float(measure(Confusion.from_matrix(table, positive=1 if classes == 2 else None)))
        wanted = MEASURES[name](table)
        assert not isnan(value), table
        assert value == pytest.approx(wanted, rel=1e-9, abs=1e-11), table


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_true_negatives_are_not_what_is_left_of_a_total(classes: int) -> None:
    for table in tables(classes):
        tn = Confusion.from_matrix(table).one_vs_rest.tn
        for k in range(classes):
            rest = np.delete(np.delete(table, k, axis=0), k, axis=1)
            assert tn[k] == pytest.approx(rest.sum(), rel=1e-12), table


def test_replicates_have_the_same_values() -> None:
    many = np.stack([table.ravel() for table in tables(3)])
    measure = parse_request("mcc").measure
    made = measure(Confusion(3, np.arange(9), many))
    for value, counts in zip(made, many, strict=True):
        assert value == pytest.approx(mcc(counts.reshape(3, 3)), rel=1e-9, abs=1e-11)
