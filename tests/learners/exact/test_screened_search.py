"""Rows that were screened with half the digits come in the order that all digits give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from heldout.learners.exact import neighbour_search
from heldout.learners.exact.neighbour_search import in_order


def check(seen: Any, fitted: Any, listed: int) -> None:
    """The rows that are listed are the nearest, in order, up to the rounding of full distances."""
    every = cdist(seen, fitted)
    distance, index = in_order(seen, fitted, listed)
    assert distance.shape == index.shape == (len(seen), listed)
    at_place = np.take_along_axis(every, index, axis=1)
    rounding = 1e-7 * (1e-300 + np.abs(fitted).max())
    np.testing.assert_allclose(at_place, np.sort(every, axis=1)[:, :listed], atol=rounding, rtol=0)
    # what is not listed is no nearer than the last distance that is given
    np.put_along_axis(every, index, np.inf, axis=1)
    assert (every.min(axis=1) >= distance[:, -1] - rounding).all()
    np.testing.assert_allclose(distance, at_place, rtol=1e-3, atol=1e3 * rounding)


@pytest.mark.parametrize(
    ("rows", "fitted", "features", "listed"),
    [(1, 1, 1, 1), (3, 5, 2, 5), (40, 600, 3, 1), (200, 3_000, 20, 34), (7, 2_000, 5, 1_999)],
)
@pytest.mark.parametrize("size", [1e-200, 1.0, 1e12, 1e150])
def test_the_nearest_come_in_order_whatever_their_size(
    rows: int, fitted: int, features: int, listed: int, size: float
) -> None:
    draw = np.random.default_rng(rows + fitted)
    both = draw.normal(size=(rows + fitted, features)) * size
    if size < 1e-150:
        both[0] = 1.0  # the squares of all others are 0
    check(both[:rows], both[rows:], listed)


def test_near_copies_are_told_apart_by_digits_that_screening_lacks() -> None:
    draw = np.random.default_rng(1)
    fitted = np.repeat(draw.normal(size=(40, 5)), 50, axis=0) + draw.normal(size=(2_000, 5)) * 1e-6
    check(fitted[::20] + 1e-7, fitted, 60)


def test_a_far_row_and_a_far_centre_do_not_hide_the_order() -> None:
    draw = np.random.default_rng(2)
    fitted = draw.normal(size=(1_500, 6)) + 1e4
    check(fitted[:50] + 0.01, fitted, 20)
    fitted[7] = 1e9
    check(fitted[8:60] + 0.01, fitted, 20)


def test_ties_and_constant_features_list_the_nearest() -> None:
    draw = np.random.default_rng(3)
    fitted = np.repeat(draw.integers(0, 3, (300, 4)).astype(float), 5, axis=0)
    fitted[:, 2] = 7.0
    check(fitted[::11], fitted, 25)
    check(np.full((3, 2), 4.0), np.full((900, 2), 4.0), 5)


def test_screening_alone_would_mix_up_what_is_measured_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = np.random.default_rng(4)
    fitted = np.linspace(0, 1, 2_000)[:, np.newaxis] * 1e-3 + 1.0
    fitted = np.vstack([fitted, -fitted])
    seen = fitted[:200] + draw.normal(size=(200, 1)) * 1e-7
    check(seen, fitted, 10)
    monkeypatch.setattr(neighbour_search, "UNIT", -1.0)
    with pytest.raises(AssertionError):
        check(seen, fitted, 10)
