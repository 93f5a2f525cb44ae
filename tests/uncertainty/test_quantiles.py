"""Quantiles against SciPy's."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from heldout.uncertainty.quantiles import (
    normal_cumulative,
    normal_quantile,
    two_sided_normal,
    two_sided_student,
)


def test_student_quantile_is_that_of_the_tables() -> None:
    assert two_sided_student(0.95, 1) == pytest.approx(12.7062047, rel=1e-8)
    assert two_sided_student(0.99, 10) == pytest.approx(3.16927267, rel=1e-8)
    assert two_sided_student(0.95, inf) == pytest.approx(two_sided_normal(0.95), rel=1e-12)


@given(st.floats(1e-12, 1 - 1e-12))
def test_normal_quantile_is_scipys(probability: float) -> None:
    assert normal_quantile(probability) == pytest.approx(ndtri(probability), rel=1e-9, abs=1e-12)


@given(st.floats(-30, 8))
def test_normal_cumulative_is_scipys(value: float) -> None:
    assert normal_cumulative(value) == pytest.approx(ndtr(value), rel=1e-11, abs=0)


def test_normal_quantile_is_infinite_at_the_ends() -> None:
    assert (normal_quantile(0), normal_quantile(1)) == (-inf, inf)
    assert two_sided_normal(0.95) == pytest.approx(1.959963984540054, rel=1e-14)
