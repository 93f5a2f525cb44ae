"""The largest gap of calibration bins: shares and mean scores of all bins hold together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.ranking_cases import gaps_of
from heldout.measures.spec import parse_request
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.gap_intervals import (
    MOST_BINS,
    Gaps,
    largest_gap_interval,
    score_deviations,
    too_many_bins,
)
from heldout.uncertainty.interval import Interval

MCE = parse_request("maximum_calibration_error")


def bounded(counts: ScoreCounts, level: float = 0.95) -> Interval:
    gaps = gaps_of(counts, MCE.values)
    return largest_gap_interval(gaps, level=level, deviations=score_deviations(counts, gaps))


def never_positive(rows: int, seed: int) -> ScoreCounts:
    return ScoreCounts.of(np.zeros(rows, bool), np.random.default_rng(seed).random(rows))


@pytest.mark.parametrize("rows", [200, 2000])
def test_it_covers_where_every_row_is_of_one_class(rows: int) -> None:
    # the highest of ten bins of uniform scores has a mean score of 0.95, and no positives
    made = [bounded(never_positive(rows, s)) for s in range(60)]
    assert np.mean([one.contains(0.95) for one in made]) >= 0.95
    plain = [largest_gap_interval(gaps_of(never_positive(rows, s), MCE.values)) for s in range(60)]
    assert np.mean([one.contains(0.95) for one in plain]) < 0.7  # mean scores taken as known
    widths: Any = [np.mean([one.width for one in some]) for some in (made, plain)]
    assert widths[0] < 1.5 * widths[1]


def test_deviations_are_those_of_the_rows_of_each_bin() -> None:
    rng = np.random.default_rng(2)
    truth, score = rng.random(300) < 0.4, np.round(rng.random(300), 2)
    counts = ScoreCounts.of(truth, score)
    gaps = gaps_of(counts, MCE.values)
    bins = np.clip(np.ceil(score * 10), 1, 10).astype(int)
    known = [float(((own := score[bins == b]) - own.mean()) @ (own - own.mean())) for b in
             range(10, 0, -1)]  # fmt: skip
    assert score_deviations(counts, gaps) == pytest.approx(known)


def test_a_known_score_takes_nothing_from_the_limits() -> None:
    gaps = Gaps(np.array([50, 50]), np.array([11, 38]), np.array([0.2, 0.8]))
    exact, same, wide = (
        largest_gap_interval(gaps, deviations=deviations)
        for deviations in (None, np.zeros(2), np.full(2, 0.5))
    )
    assert (exact.low, exact.high) == pytest.approx((same.low, same.high))
    assert wide.high > exact.high
    rounded = heldout.score(np.arange(60) % 2, y_score=np.repeat([0.25, 0.75], 30))
    single = rounded["mce[bins=0]"]
    assert single.high == pytest.approx(rounded["mce[bins=2]"].high)


def test_limits_hold_the_value_and_narrow_with_the_level() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        counts = ScoreCounts.of(rng.random(80) < 0.5, rng.random(80))
        value = float(MCE.measure(counts, **MCE.values))
        made = [bounded(counts, lv) for lv in (0.99, 0.9, 0.5)]
        assert all(0 <= one.low <= value <= one.high <= 1 for one in made)
        assert made[0].width >= made[1].width >= made[2].width


def test_too_many_bins_say_so() -> None:
    count = MOST_BINS + 1
    many = Gaps(np.full(count, 10), np.full(count, 5), np.full(count, 0.4))
    assert largest_gap_interval(many).note == too_many_bins(count)
    assert too_many_bins(3, count).startswith("more than 500 bins")
