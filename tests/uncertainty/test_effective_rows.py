"""Rows of unequal weight, counted for what they are worth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from heldout.tally.confusion import Confusion
from heldout.uncertainty.cells import Cells, ConfusionBootstrap, row_worths
from heldout.uncertainty.proportions import ShareParts, share_interval
from heldout.uncertainty.worth import effective_rows_of_share, row_worth


def f_score(c: Confusion) -> object:
    b = c.binary
    return 2 * b.tp / (2 * b.tp + b.fp + b.fn)


def balanced_accuracy(c: Confusion) -> object:
    b = c.binary
    return (b.tp / b.positives + b.tn / b.negatives) / 2


def sample(seed: int, rows: int, spread: float) -> tuple[Cells, Cells]:
    """Rows of which 30 % are positive and 85 % right, and the same in another unit of weight."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(rows) < 0.3).astype(np.int64)
    predicted = np.where(rng.random(rows) < 0.85, truth, 1 - truth)
    weight = np.exp(spread * rng.normal(size=rows))
    first, second = (
        Cells.of(truth, predicted, unit * weight, classes=2, positive=1) for unit in (1.0, 1000.0)
    )
    return first, second


def test_unit_of_weights_does_not_matter() -> None:
    for first, second in (sample(1, 200, 1.0), sample(2, 30, 2.0)):
        one, other = (ConfusionBootstrap(c).interval(f_score) for c in (first, second))
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-9)
        assert one.method == other.method
        assert f"worth {first.worth:.4g}" in one.method


def test_equal_weights_of_each_class_are_worth_one_row_each() -> None:
    full = Confusion.from_matrix([[30.0, 6.0], [4.0, 16.0]], positive=1)
    # rows of the first class weigh 3, those of the second 2
    assert row_worths(full, np.array([90.0, 18.0, 8.0, 32.0])) == pytest.approx([3, 3, 2, 2])


def test_a_cell_without_rows_has_the_worth_of_its_class() -> None:
    counts = np.array([30.0, 0.0, 0.0, 0.0])
    made = row_worths(Confusion(2, np.arange(4), counts, 1), 3 * counts)
    assert made == pytest.approx([3, 3, 3, 3])


def test_many_rows_of_a_part_decide_its_worth_and_few_do_not() -> None:
    many, few = row_worth([1000.0, 1.0], [1000.0, 1.0], [4.0, 4.0])
    assert many == pytest.approx(1, abs=0.1)
    assert few == pytest.approx(4, abs=0.3)
    assert row_worth(10.0, 90.0, 4.0) == 9


def test_share_of_one_weight_has_its_rows_and_a_share_of_one_kishs_number() -> None:
    assert effective_rows_of_share(60.0, 120.0, 20.0, 40.0) == pytest.approx(30)
    for hits in (0.0, 60.0):
        assert effective_rows_of_share(60.0, 300.0, hits, 5 * hits) == pytest.approx(12)
    assert effective_rows_of_share(0.0, 0.0, 0.0, 0.0) == 0


def test_heavy_errors_make_a_share_less_certain_and_light_ones_more() -> None:
    # 900 rows of weight 1 are right; as much weight is wrong in either case
    heavy, light = (
        share_interval(ShareParts(900.0, 1000.0, (900.0, 900.0 + weight * 100.0)))
        for weight in (10, 0.1)
    )
    assert heavy.width > 2 * light.width


@pytest.mark.parametrize("measure", [f_score, balanced_accuracy])
def test_limits_of_few_effective_rows_cover(measure: Any) -> None:
    """Weights so unequal that 200 rows are worth about 30: 95 % of 150 within 2.5 errors."""
    exact = Confusion.from_matrix([[0.595, 0.105], [0.045, 0.255]], positive=1)
    true, hits, worth = float(measure(exact)), 0, []
    for seed in range(150):
        cells = sample(seed, 200, 1.5)[0]
        worth.append(cells.worth)
        bootstrap = ConfusionBootstrap(cells, replicates=400, seed=seed)
        hits += bootstrap.interval(measure, bounds=(0, 1)).contains(true)
    assert 20 < np.median(worth) < 50
    assert hits >= 136
