"""Quantiles against SciPy's."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri, stdtrit

from heldout.uncertainty.quantiles import (
    normal_cumulative,
    normal_quantile,
    two_sided_normal,
    two_sided_student,
)


@given(st.floats(0.01, 0.9999), st.floats(0.05, 1e9))
def test_student_quantile_is_scipys(level: float, freedom: float) -> None:
    expected = -stdtrit(freedom, (1 - level) / 2)
    assert two_sided_student(level, freedom) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("freedom", [0.5, 1, 2, 3.99, 4, 5, 30, 365, 1999, 2000, 1e5])
def test_student_quantile_is_exact_at_the_usual_level(freedom: float) -> None:
    assert two_sided_student(0.95, freedom) == pytest.approx(-stdtrit(freedom, 0.025), rel=1e-11)


@given(st.floats(1e-12, 1 - 1e-12))
def test_normal_quantile_is_scipys(probability: float) -> None:
    assert normal_quantile(probability) == pytest.approx(ndtri(probability), rel=1e-9, abs=1e-12)


@given(st.floats(-30, 8))
def test_normal_cumulative_is_scipys(value: float) -> None:
    assert normal_cumulative(value) == pytest.approx(ndtr(value), rel=1e-11, abs=0)


def test_normal_quantile_is_infinite_at_the_ends() -> None:
    assert (normal_quantile(0), normal_quantile(1)) == (-inf, inf)
    assert two_sided_normal(0.95) == pytest.approx(1.959963984540054, rel=1e-14)
