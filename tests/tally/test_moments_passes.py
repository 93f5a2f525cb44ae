"""Moments and co-moments in few passes keep the digits of many."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.tally.moments import CoMoments, Moments

values = st.lists(
    st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1, max_size=20
).map(lambda rows: np.array(rows, float))


@given(values, st.integers(0, 20))
def test_co_moments_of_parts_are_those_of_the_whole(rows: np.ndarray, cut: int) -> None:
    first, second = rows.T
    whole = CoMoments.of(first, second)
    parts = CoMoments.of(first[:cut], second[:cut]) + CoMoments.of(first[cut:], second[cut:])
    scale = 1e-12 * (1 + np.abs(rows).max()) ** 2 * len(rows)
    assert parts.rows == whole.rows
    assert parts.products == pytest.approx(whole.products, abs=scale)
    lean = (first - first.mean()) * (second - second.mean())
    assert whole.products == pytest.approx(lean.sum(), abs=scale)
    assert CoMoments() + whole == whole + CoMoments() == whole


@given(values)
def test_moments_without_weights_are_those_of_unit_weights(rows: np.ndarray) -> None:
    column = rows[:, 0]
    fast, slow = Moments.of(column), Moments.of(column, np.ones(len(column)))
    assert fast.finite_mean == pytest.approx(slow.finite_mean, rel=1e-12, abs=1e-9)
    scale = 1e-12 * (1 + np.abs(column).max()) ** 2
    assert fast.deviations == pytest.approx(slow.deviations, rel=1e-9, abs=scale)
    assert (fast.rows, fast.finite_weight) == (slow.rows, slow.finite_weight)


def test_a_first_value_far_from_the_rest_costs_no_digits() -> None:
    rng = np.random.default_rng(1)
    column = np.append(-1e9, rng.normal(size=4_000_000))
    lean = column.astype(np.longdouble)
    lean -= lean.mean()
    assert Moments.of(column).deviations == pytest.approx(float((lean**2).sum()), rel=1e-13)
    tail = Moments.of(np.append(1e9, np.full(3, 2.0)))
    assert tail.deviations == pytest.approx(0.75 * (1e9 - 2) ** 2, rel=1e-14)


def test_equal_values_have_no_deviations_at_all() -> None:
    made = Moments.of(np.full(1001, 0.1))
    assert made.deviations == 0.0
    assert made.mean == 0.1


@pytest.mark.parametrize(("odd", "counts"), [(inf, (1, 0, 0)), (-inf, (0, 1, 0)), (nan, (0, 0, 1))])
@pytest.mark.parametrize("place", [0, 2])
def test_values_that_are_not_finite_are_counted_apart(
    odd: float, counts: tuple[int, int, int], place: int
) -> None:
    column = np.array([1.0, 2.0, 3.0])
    column[place] = odd
    made = Moments.of(column)
    assert (made.infinite, made.negative_infinite, made.undefined) == counts
    assert made.finite_weight == 2
    assert made.finite_mean == np.mean(column[np.isfinite(column)])


def test_both_infinities_are_counted_without_a_warning() -> None:
    made = Moments.of(np.array([0.0, inf, -inf]))
    assert (made.infinite, made.negative_infinite, made.finite_mean) == (1, 1, 0.0)
