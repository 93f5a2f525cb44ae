"""The optimism, its interval and the values above it are of one and the same quantity."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.report.latex import latex_text
from heldout.report.table import Column, Table
from heldout.selection.optimism import _difference
from tests.selection.making import limits, search_of

KNN: Any = {"n_neighbors": [1, 5, 15, 25]}


def drawn(seed: int, rows: int) -> tuple[Any, Any, np.random.Generator]:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(rows, 4))
    return X, (X[:, 0] + generator.normal(size=rows) > 0).astype(int), generator


NESTED: Any = {"nested": "5x4-fold", "draws": 20, "aggregate": "folds"}


def unequal() -> heldout.Selection:
    """Groups of 70, 30 and 5 rows: the mean of folds is far from all rows together."""
    X, y, _ = drawn(15, 160)
    X[:70] *= 0.2
    groups = np.r_[np.zeros(70), np.ones(30), np.arange(60) // 5 + 2]
    return heldout.select("knn", KNN, X, y, groups=groups, **NESTED)


def printed(made: heldout.Selection) -> dict[str, float]:
    """The rows of the first table, by name."""
    text = repr(made)
    table = text[text.index("What to expect") : text.index("Settings of")]
    rows = re.findall(r"^  (\S+(?: [\w,-]+)*) {2,}(-?[\d.]+)", table, re.MULTILINE)
    return {name.rstrip(","): float(value) for name, value in rows}


def test_the_printed_rows_subtract() -> None:
    made = unequal()
    rows = printed(made)
    assert rows["in the search"] == 0.6869
    assert rows["in the search, pooled"] - rows["nested"] == pytest.approx(rows["optimism"])
    assert made.optimism is not None
    # groups whose rows changed sides evenly say nothing of the spread: no interval of width 0
    assert made.optimism.note == "no interval: no group differs"
    named = heldout.select("tree", "max_depth=1..3", data="iris", nested="5x4-fold", draws=20)
    rows = printed(named)
    search = rows.get("in the search, pooled", rows["in the search"])
    assert search - rows["nested"] == pytest.approx(rows["optimism"], abs=1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_an_interval_holds_its_value_and_stays_in_range(seed: int) -> None:
    X, y, generator = drawn(seed, 80)
    weight: Any = {"sample_weight": generator.lognormal(0, 2, 80)}
    found = heldout.select("knn", KNN, X, y, nested="5x4-fold", draws=20, **weight).optimism
    assert found is not None
    assert found.value == pytest.approx(found.between[0] - found.between[1])
    if found.low is None or found.high is None:
        assert "effective rows" in found.note or "no row differs" in found.note
        return
    assert -1 <= found.low <= found.value <= found.high <= 1
    for limit, word, end in ((found.low, "lower", -1), (found.high, "upper", 1)):
        assert (limit == end) == (f"{word} limit truncated at {end}" in found.note)


def test_weights_that_leave_one_row_leave_no_interval() -> None:
    X, y, generator = drawn(13, 80)
    weight: Any = {"sample_weight": generator.lognormal(0, 2, 80)}
    found = heldout.select("knn", KNN, X, y, nested="5x4-fold", draws=20, **weight).optimism
    assert found is not None
    assert found.note == "no interval: the weights leave 1.3 effective rows"


@pytest.mark.parametrize("outer", ["4-fold", "2x3-fold", "4x holdout 70:30"])
def test_equal_weights_have_the_limits_of_none(outer: str) -> None:
    X, y, _ = drawn(3, 90)
    how: Any = {"nested": (outer, "3-fold"), "draws": 20}
    plain = heldout.select("knn", KNN, X, y, **how).optimism
    weighted = heldout.select("knn", KNN, X, y, sample_weight=np.full(90, 0.25), **how).optimism
    assert plain is not None
    assert weighted is not None
    expected = (plain.value, plain.low, plain.high)
    assert (weighted.value, weighted.low, weighted.high) == pytest.approx(expected, abs=1e-9)
    low, high = limits(plain)
    assert low < plain.value < high


def test_rounding_is_no_optimism() -> None:
    found = search_of([[0.96 + 2e-16, 0.96 + 2e-16]], [{}])
    assert found.values[0] - 0.96 > 0
    nested: Any = SimpleNamespace(mean=0.96, pooled=0.96, splits=found.splits)
    made = _difference(found, nested, is_pooled=False)
    assert made.value == 0
    far: Any = SimpleNamespace(mean=0.96 - 1e-6, pooled=0.96, splits=found.splits)
    assert _difference(found, far, is_pooled=False).value == pytest.approx(1e-6)


def test_limits_below_zero_have_a_minus_in_latex() -> None:
    rows = (("optimism", "-0.003333", "[-0.02512, 0.01845]"), ("wide", "1", "[-2, unbounded]"))
    text = latex_text((Table("", (Column("a"), Column("b"), Column("c")), rows),))
    assert "optimism & $-0.003333$ & [$-0.02512$, 0.01845]" in text
    assert "[$-2$, unbounded]" in text
