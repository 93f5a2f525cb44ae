"""Random draws of as many rows as a slice has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.assess.slice_tests import RandomDraws
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Sequence


def draws() -> RandomDraws:
    rng = np.random.default_rng(4)
    truth = rng.random(20_000) < 0.3
    return RandomDraws(ScoreCounts.of(truth, np.round(rng.normal(size=20_000) + truth, 1)))


def distinct(drawn: Sequence[ScoreCounts]) -> list[float]:
    """The more rows, the more different scores."""
    return [float(len(counts.score)) for counts in drawn]


def shares(drawn: Sequence[ScoreCounts]) -> list[float]:
    return [counts.total_positives / counts.total for counts in drawn]


def test_sizes_far_apart_have_draws_of_their_own() -> None:
    (few, _), (some, _), (many, _) = draws().spreads(distinct, [50, 500, 5000])
    assert few < some - 10
    assert some < many - 10


def test_sizes_that_are_nearly_one_share_their_draws() -> None:
    made = draws()
    near = made.spreads(distinct, [1000, 1001, 1050])
    assert len(made._drawn) == 1
    assert len({mean for mean, _ in near}) == 1
    share = [spread * size**0.5 for (_, spread), size in zip(near, (1000, 1001, 1050), strict=True)]
    assert np.ptp(share) < 1e-9


def test_spread_is_that_of_a_share_of_rows_drawn_without_putting_back() -> None:
    ((mean, spread),) = draws().spreads(shares, [2000])
    assert abs(mean - 0.3) < 0.01
    expected = (0.3 * 0.7 / 2000 * (1 - 0.1)) ** 0.5
    assert 0.7 < spread / expected < 1.35
