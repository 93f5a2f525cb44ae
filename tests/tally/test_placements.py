"""Where rows of parts stand among all rows, against looking each of them up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from heldout.tally import placements
from heldout.tally.placements import Placements
from heldout.tally.roc import area
from heldout.tally.scores import ScoreCounts


@pytest.mark.parametrize("has_ties", [False, True])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("block", [50, 2**18])
def test_rows_are_placed_as_each_is_among_all(
    has_ties: bool, is_weighted: bool, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(placements, "BLOCK_SCORES", block)
    rng = np.random.default_rng(11)
    rows, score = 3000, rng.random(3000)
    score = np.round(score, 2) if has_ties else score
    positive, part = rng.random(rows) < score, np.minimum(rng.geometric(0.4, rows) - 1, 4)
    weight: Any = rng.random(rows) + 0.5 if is_weighted else None
    whole = ScoreCounts.of(positive, score, weight)
    own = np.ones(rows) if weight is None else weight
    each = [
        ScoreCounts.of(positive[here], score[here], None if weight is None else weight[here])
        for here in (part == k for k in range(5))
    ]
    placed = Placements.of(whole, each)
    above, below = whole.standing(score)
    share = np.where(positive, 1 - below / whole.total_negatives, above / whole.total_positives)
    for k in range(5):
        for side, is_side in enumerate((~positive, positive)):
            here = (part == k) & is_side
            mean = np.average(share[here], weights=own[here])
            np.testing.assert_allclose(placed.rows[side, k], own[here].sum(), rtol=1e-12)
            np.testing.assert_allclose(placed.means[side, k], mean - area(whole), atol=1e-12)
            spread = own[here] @ (share[here] - mean) ** 2
            np.testing.assert_allclose(placed.deviations[side, k], spread, rtol=1e-10)
