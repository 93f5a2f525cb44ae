"""A band holds every point of its curve: where it climbs straight up, and between the limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.curves.curve import Band
from heldout.curves.named import holding

BANDS = [
    ("roc", "pointwise"),
    ("roc", "simultaneous"),
    ("pr", "pointwise"),
    ("roc_average", "pointwise"),
    ("roc_average", "simultaneous"),
    ("roc_average", "spread"),
]


def card_of(rows: int, seed: int, *, has_folds: bool = True) -> Any:
    rng = np.random.default_rng(seed)
    truth = np.arange(rows) % 2
    score = rng.normal(size=rows) + truth
    score[1] = -9.0  # a positive below all: the curve ends straight up
    folds = {"folds": np.arange(rows) // 2 % 4} if has_folds else {}
    return heldout.score(truth, y_score=score, **folds)


@pytest.mark.parametrize(("name", "kind"), BANDS)
def test_every_point_lies_within_the_band_beside_it(name: str, kind: str) -> None:
    for seed, rows in ((4, 64), (16, 40), (1, 3000)):
        card = card_of(rows, seed, has_folds=name == "roc_average")
        made = card.curve(name, band=kind, replicates=100)
        x, y, low, high = made.x, made.y, made.table()["low"], made.table()["high"]
        assert (low <= y).all(), (rows, x[low > y], y[low > y])
        assert (y <= high).all(), (rows, x[y > high], y[y > high])
        assert (low >= 0).all()
        assert (high <= 1).all()


def test_average_that_ends_straight_up_has_a_band_that_is_no_point() -> None:
    made = card_of(40, 16).curve("roc_average", band="pointwise", replicates=100)
    last = made.x == 1
    assert made.y[last].min() < 1, "no curve to test this on"
    low, high = made.band.at(np.ones(1))
    assert low[0] <= made.y[last].min()
    assert high[0] == 1


def test_long_curve_adds_few_limits() -> None:
    grid = np.linspace(0, 1, 11)
    narrow = Band(grid, np.sqrt(grid), np.sqrt(grid), 0.95, "pointwise", "")
    x = np.linspace(0, 1, 100_001)
    made = holding(narrow, x, np.sqrt(x))
    low, high = made.at(x)
    assert (low <= np.sqrt(x)).all()
    assert (np.sqrt(x) <= high).all()
    assert len(made.x) < 100
    assert (high - low)[x > 0.1].max() < 0.06


def test_band_that_holds_its_curve_stays_as_it_is() -> None:
    grid = np.linspace(0, 1, 11)
    wide = Band(grid, np.zeros(11), np.ones(11), 0.95, "pointwise", "")
    assert holding(wide, grid, grid) is wide
