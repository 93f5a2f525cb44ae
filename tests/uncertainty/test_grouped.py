"""Means and shares of rows in groups, by formula."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest

from heldout.tally.moments import Moments
from heldout.uncertainty.means import group_mean_interval, mean_interval
from heldout.uncertainty.proportions import group_share_interval, proportion_interval
from heldout.uncertainty.sample import Sample

LOSSES = np.array([0.2, 0.5, 0.9, 0.1, 0.4, 0.4, 0.8, 0.3, 0.6, 0.7])
GROUPS = np.array([0, 0, 0, 1, 1, 2, 2, 2, 3, 3])


def sums(values: np.ndarray, groups: np.ndarray) -> Sample:
    return Sample.of_values(groups, values, np.ones(len(values)))


def test_error_and_interval_are_statsmodels_by_cluster() -> None:
    # statsmodels 0.15.0: OLS(LOSSES, ones).fit(cov_type="cluster", ..., use_t=True)
    pairs = sums(LOSSES, np.arange(10) // 2)
    made = group_mean_interval(pairs)
    assert pairs.ratio.spread().error == pytest.approx(0.05338539126015656)
    assert (made.low, made.high) == pytest.approx((0.3417783869, 0.6382216131))
    assert made.method == "Student's t of 5 groups"


def test_groups_of_one_row_are_rows() -> None:
    alone = group_mean_interval(sums(LOSSES, np.arange(10)))
    rows = mean_interval(Moments.of(LOSSES))
    assert (alone.low, alone.high) == pytest.approx((rows.low, rows.high))


def test_function_and_bounds_act_on_the_mean() -> None:
    made = group_mean_interval(sums(LOSSES, GROUPS), bounds=(0, inf))
    root = group_mean_interval(sums(LOSSES, GROUPS), bounds=(0, inf)).through(sqrt)
    assert (root.low, root.high) == pytest.approx((sqrt(made.low), sqrt(made.high)))


def test_share_of_independent_rows_is_nearly_the_plain_one() -> None:
    hits = np.repeat([1.0, 0.0], [700, 300])
    made = group_share_interval(sums(hits, np.arange(1000)))
    plain = proportion_interval(700, 1000)
    assert (made.low, made.high) == pytest.approx((plain.low, plain.high), abs=2e-4)
    assert made.method == "Wilson on 997 effective rows of 1,000 groups"


def test_share_of_rows_that_hang_together_is_that_of_groups() -> None:
    right = np.arange(50) < 40
    made = group_share_interval(
        sums(np.repeat(right, 20).astype(float), np.repeat(np.arange(50), 20))
    )
    plain = proportion_interval(40, 50)
    assert (made.low, made.high) == pytest.approx((plain.low, plain.high), abs=0.01)


def test_share_of_one_does_not_collapse_and_counts_groups() -> None:
    made = group_share_interval(sums(np.ones(200), np.arange(200) % 25))
    rows = proportion_interval(25, 25)
    assert made.high == 1
    assert rows.low - 0.03 < made.low < rows.low


def test_share_covers_in_simulation_where_rows_as_independent_do_not() -> None:
    rng = np.random.default_rng(1)
    grouped, plain = 0, 0
    for _ in range(400):
        right = rng.binomial(10, rng.beta(4, 1, 12))
        made = group_share_interval(
            Sample(np.column_stack([right, np.full(12, 10)]), np.ones(12, int))
        )
        grouped += made.contains(0.8)
        plain += proportion_interval(int(right.sum()), 120).contains(0.8)
    assert plain < 340
    assert grouped > 365


def test_what_has_no_interval_says_why() -> None:
    one = group_mean_interval(sums(LOSSES, np.zeros(10)))
    assert one.note == "all rows are of one group, which cannot show how groups differ"
    assert group_share_interval(sums(np.ones(4), np.zeros(4))).is_absent
    same = group_mean_interval(sums(np.full(10, 0.3), GROUPS))
    assert same.note == "all groups have the same mean loss"
    few = group_share_interval(sums(np.round(LOSSES), GROUPS))
    assert few.note == "only 4 groups: the variation between groups is poorly estimated"


def test_groups_that_differ_less_than_rows_would_are_worth_their_rows_and_no_more() -> None:
    # every group holds one hit and one miss: no spread between groups but for two of them
    hits = np.array([1.0, 0.0] * 49 + [1.0, 1.0])
    made = group_share_interval(sums(hits, np.arange(100) // 2))
    plain = proportion_interval(51, 100)
    assert made.width >= plain.width
    assert "vary less than single rows" in made.note
    assert "332" not in made.method
    worth = float(made.method.split(" on ")[1].split(" ")[0])
    assert worth <= 100


def test_mean_of_groups_that_differ_less_than_rows_keeps_the_error_of_the_rows() -> None:
    losses = np.array([0.0, 1.0] * 20 + [0.1, 1.0])
    given = sums(losses, np.arange(42) // 2)
    error = float(losses.std(ddof=1)) / sqrt(42)
    narrow, kept = group_mean_interval(given), group_mean_interval(given, least_error=error)
    assert narrow.width < kept.width
    assert "vary less than single rows" in kept.note
    wide = sums(LOSSES, np.arange(10) // 2)
    same = group_mean_interval(wide, least_error=wide.ratio.spread().error / 2)
    assert same.low == pytest.approx(group_mean_interval(wide).low)
    assert same.note == ""


def test_groups_that_do_not_differ_at_all_count_as_their_rows() -> None:
    hits, pairs = np.array([1.0, 0.0] * 50), np.arange(100) // 2
    made = group_share_interval(sums(hits, pairs))
    assert made.width == pytest.approx(proportion_interval(50, 100).width, rel=0.05)
    assert "vary less than single rows" in made.note
    loss = group_mean_interval(sums(hits, pairs), least_error=0.05)
    assert loss.width == pytest.approx(0.2, rel=0.02)
