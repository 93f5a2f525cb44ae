"""The spread of a number by groups: few of them, or of very unequal size."""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

import numpy as np
import pytest

from heldout.uncertainty.cluster_bootstrap import GroupSums
from heldout.uncertainty.group_spread import GroupSpread, group_spread
from heldout.uncertainty.grouped import (
    group_mean_interval,
    group_share_interval,
    group_standard_error,
)
from heldout.uncertainty.quantiles import two_sided_normal, two_sided_student

RNG = np.random.default_rng(4)
MASS = np.array([1, 2, 2, 3, 5, 8, 13, 40])
ONE = np.ones(len(MASS), int)


def centred(moved: Any, mass: Any) -> Any:
    """Shifts of a ratio: they add up to 0."""
    return (moved - moved.sum() * mass / mass.sum()) / mass.sum()


SHIFT = centred(MASS * RNG.normal(size=len(MASS)), MASS)


def by_matrices(mass: Any, variance: Any) -> float:
    """Satterthwaite's degrees of freedom, the long way."""
    pull = mass / mass.sum()
    make = np.eye(len(mass)) - np.outer(pull, np.ones(len(mass)))
    form = make.T @ np.diag(1 / (1 - pull)) @ make @ np.diag(variance)
    return float(np.trace(form) ** 2 / np.trace(form @ form))


def test_groups_of_one_size_have_the_usual_error_and_freedom() -> None:
    losses, groups = RNG.gamma(2.0, size=60), np.arange(60) // 5
    sums = GroupSums.of_values(groups, losses, np.ones(60))
    shift = centred(sums.table[:, 0], sums.table[:, 1])
    made = group_spread(shift, sums.table[:, 1], sums.groups, row_error=0.01)
    assert made.of_groups == pytest.approx(group_standard_error(sums))
    assert made.freedom == 11
    assert made.reach(0.95) == two_sided_student(0.95, 11) * made.of_groups


def test_freedom_is_satterthwaites_of_independent_rows_and_of_rows_that_are_alike() -> None:
    alone = group_spread(SHIFT, MASS, ONE)
    assert alone.freedom == pytest.approx(by_matrices(MASS, MASS))
    for row_error in (0.3 * alone.of_groups, 0.05 * alone.of_groups):
        more = (alone.of_groups / row_error) ** 2 - 1
        variance = MASS * (1 + more * MASS * MASS.sum() / (MASS**2).sum())
        made = group_spread(SHIFT, MASS, ONE, row_error=row_error)
        assert made.freedom == pytest.approx(by_matrices(MASS, variance))
        assert made.freedom < alone.freedom


def test_error_is_without_bias_where_rows_are_independent() -> None:
    found = []
    for _ in range(4000):
        moved = RNG.normal(size=len(MASS)) * np.sqrt(MASS)
        found.append(group_spread(centred(moved, MASS), MASS, ONE).of_groups ** 2)
    assert np.mean(found) == pytest.approx(1 / MASS.sum(), rel=0.05)


def test_kinds_of_equal_groups_are_those_groups() -> None:
    twice = group_spread(SHIFT, MASS, 2 * ONE, row_error=0.01, has_tails=True)
    apart = group_spread(
        np.tile(SHIFT, 2), np.tile(MASS, 2), np.ones(16), row_error=0.01, has_tails=True
    )
    assert twice.of_groups == pytest.approx(apart.of_groups)
    assert twice.freedom == pytest.approx(apart.freedom)


def test_scale_of_weights_does_not_matter() -> None:
    one = group_spread(SHIFT, MASS, ONE, row_error=0.02)
    other = group_spread(SHIFT, 1e6 * MASS, ONE, row_error=0.02)
    assert one.freedom == pytest.approx(other.freedom)
    assert one.of_groups == pytest.approx(other.of_groups)


def test_few_groups_that_make_up_the_spread_have_twice_their_number_of_degrees() -> None:
    shift = np.array([3.0, -3 / 39])
    made = group_spread(shift, np.array([5, 5]), np.array([1, 39]), has_tails=True)
    assert 1 <= made.freedom < 3
    assert group_spread(shift, np.array([5, 5]), np.array([1, 39])).freedom == 39


def test_only_what_groups_add_is_known_badly() -> None:
    rows = GroupSpread(0.1, 0.1, 21, 2.0)
    assert rows.reach(0.95) == pytest.approx(two_sided_student(0.95, 20) * 0.1)
    added = GroupSpread(0.5, 0.3, 21, 2.0).reach(0.95)
    expected = (two_sided_student(0.95, 20) * 0.3, two_sided_student(0.95, 2) * 0.4)
    assert added == pytest.approx(sqrt(expected[0] ** 2 + expected[1] ** 2))
    assert GroupSpread(0.1, 0.2, 21, 20).error == 0.2


def test_one_large_group_makes_limits_no_wider_than_rows_that_are_all_alike() -> None:
    mass = np.array([2] * 19 + [200])
    # the small groups are all right, and half of the large one
    hits = np.array([2.0] * 19 + [100.0])
    share = hits.sum() / mass.sum()
    shift, row_error = (hits - share * mass) / mass.sum(), sqrt(share * (1 - share) / mass.sum())
    given: dict[str, Any] = {"row_error": row_error, "has_tails": True}
    free = group_spread(shift, mass, np.ones(20), **given)
    bound = group_spread(shift, mass, np.ones(20), rows=float(mass.sum()), **given)
    assert free.freedom == bound.freedom < 2
    # as many rows as groups of their sizes are worth, by Student's t of the groups
    kish = mass.sum() ** 2 / (mass**2).sum()
    fewest = kish * (two_sided_normal(0.95) / two_sided_student(0.95, 19)) ** 2
    assert bound.effective_rows(share * (1 - share), 0.95) >= fewest * (1 - 1e-9)
    assert free.effective_rows(share * (1 - share), 0.95) < fewest
    # and never narrower than the usual error of the groups
    assert bound.reach(0.95) >= two_sided_student(0.95, 19) * sqrt(20 / 19 * (shift**2).sum())


def test_effective_rows_make_limits_as_wide() -> None:
    spread = group_spread(SHIFT, MASS, ONE, row_error=0.01)
    size = spread.effective_rows(0.25, 0.9)
    assert two_sided_normal(0.9) * sqrt(0.25 / size) == pytest.approx(spread.reach(0.9))
    assert GroupSpread(0.0, 0.0, 5, 4).effective_rows(0.25, 0.9) == inf


def test_one_group_with_nearly_all_rows_has_one_degree_of_freedom() -> None:
    mass = np.array([10**9, 1, 1])
    made = group_spread(centred(np.array([5.0, 1.0, 2.0]), mass), mass, np.ones(3))
    assert 1 <= made.freedom <= 2
    assert np.isfinite(made.of_groups)


def sizes_of(rng: Any, groups: int) -> Any:
    return np.maximum(1, rng.lognormal(1.5, 1.2, groups)).astype(int)


def test_very_unequal_groups_are_covered_which_one_less_than_groups_does_not() -> None:
    rng, shares, means, usual = np.random.default_rng(2), 0, 0, 0
    for _ in range(300):
        group = np.repeat(np.arange(15), sizes_of(rng, 15))
        latent = rng.normal(size=15)[group] + rng.normal(size=len(group))
        rows, error = np.ones(len(group)), float(latent.std(ddof=1)) / sqrt(len(group))
        shares += group_share_interval(GroupSums.of_values(group, latent > 0, rows)).contains(0.5)
        sums = GroupSums.of_values(group, latent, rows)
        made = group_mean_interval(sums, least_error=error)
        assert made.method in (
            "Student's t of 15 groups of unequal size",
            "Student's t of 15 groups",
        )
        means += made.contains(0.0)
        usual += group_mean_interval(sums).contains(0.0)
    assert usual < 265
    assert means > 273
    assert shares > 276
