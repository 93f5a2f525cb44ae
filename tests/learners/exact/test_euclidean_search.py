"""The nearest rows by products and bounds are those of a search that looks at every distance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from heldout.learners.exact import neighbour_search
from heldout.learners.exact.neighbour_search import nearest


def check(seen: Any, fitted: Any, listed: int) -> None:
    """Distances as they are, nearest first, each at the place that is named, none left out."""
    every = cdist(seen, fitted)
    distance, index = nearest(seen, fitted, listed)
    assert distance.shape == index.shape == (len(seen), listed)
    rounding = 1e-7 * (1.0 + np.abs(fitted).max())
    np.testing.assert_allclose(distance, np.sort(every, axis=1)[:, :listed], atol=rounding)
    at_place = np.take_along_axis(every, index, axis=1)
    np.testing.assert_allclose(distance, at_place, atol=rounding)
    assert (np.diff(distance, axis=1) >= 0).all()
    ordered = np.sort(index, axis=1)
    assert (np.diff(ordered, axis=1) > 0).all(), "a row is listed twice"


@pytest.mark.parametrize(
    ("rows", "fitted", "features", "listed"),
    [
        (1, 1, 1, 1),
        (3, 5, 2, 5),
        (40, 600, 3, 1),
        (200, 3_000, 20, 34),
        (50, 3_000, 20, 1_500),
        (7, 2_000, 5, 1_999),
        (700, 1_100, 8, 10),
    ],
)
def test_nearest_rows_are_those_of_all_distances(
    rows: int, fitted: int, features: int, listed: int
) -> None:
    draw = np.random.default_rng(rows + fitted)
    check(draw.normal(size=(rows, features)), draw.normal(size=(fitted, features)), listed)


def test_rows_with_few_neighbours_within_their_bound_are_sought_among_all() -> None:
    # the sample of every fourth row holds all the near ones: its bound is far too small
    draw = np.random.default_rng(1)
    fitted = draw.normal(size=(2_000, 4)) + 50.0
    fitted[::4] = draw.normal(size=(500, 4)) * 1e-3
    seen = draw.normal(size=(30, 4)) * 1e-3
    check(seen, fitted, 480)
    check(np.vstack([seen, fitted[1:900:2]]), fitted, 40)


def test_copies_and_constant_features_are_listed_once_each() -> None:
    draw = np.random.default_rng(2)
    fitted = np.repeat(draw.integers(0, 3, (300, 4)).astype(float), 5, axis=0)
    fitted[:, 2] = 7.0
    check(fitted[::11], fitted, 25)


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(3)
    seen, fitted = draw.normal(size=(333, 6)), draw.normal(size=(1_500, 6))
    whole = nearest(seen, fitted, 12)
    monkeypatch.setattr(neighbour_search, "BLOCK", 1)
    parts = nearest(seen, fitted, 12)
    np.testing.assert_array_equal(whole[1], parts[1])
    np.testing.assert_allclose(whole[0], parts[0], rtol=1e-9)
