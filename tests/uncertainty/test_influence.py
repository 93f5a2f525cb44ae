"""How units move a value, and its spread: of groups few or of very unequal size, of strata."""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from heldout.core.errors import InputError
from heldout.tally.roc import area
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.areas import auc_variance
from heldout.uncertainty.influence import Influence, Spread
from heldout.uncertainty.means import group_mean_interval
from heldout.uncertainty.proportions import group_share_interval
from heldout.uncertainty.quantiles import two_sided_normal, two_sided_student
from heldout.uncertainty.sample import Sample

RNG = np.random.default_rng(4)
MASS = np.array([1, 2, 2, 3, 5, 8, 13, 40])
ONE = np.ones(len(MASS), int)


def spread_of(shift: Any, mass: Any, count: Any, **given: Any) -> Spread:
    return Influence(0.0, shift, mass, count).spread(**given)


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
    sums = Sample.of_values(groups, losses, np.ones(60))
    shift = centred(sums.sums[:, 0], sums.sums[:, 1])
    made = spread_of(shift, sums.sums[:, 1], sums.count, row_error=0.01)
    assert made.of_units == pytest.approx(losses.reshape(12, 5).mean(axis=1).std(ddof=1) / sqrt(12))
    assert made.freedom == 11
    assert made.reach(0.95) == two_sided_student(0.95, 11) * made.of_units


def test_freedom_is_satterthwaites_of_independent_rows_and_of_rows_that_are_alike() -> None:
    alone = spread_of(SHIFT, MASS, ONE)
    assert alone.freedom == pytest.approx(by_matrices(MASS, MASS))
    for row_error in (0.3 * alone.of_units, 0.05 * alone.of_units):
        more = (alone.of_units / row_error) ** 2 - 1
        variance = MASS * (1 + more * MASS * MASS.sum() / (MASS**2).sum())
        made = spread_of(SHIFT, MASS, ONE, row_error=row_error)
        assert made.freedom == pytest.approx(by_matrices(MASS, variance))
        assert made.freedom < alone.freedom


def test_error_is_without_bias_where_rows_are_independent() -> None:
    found = []
    for _ in range(4000):
        moved = RNG.normal(size=len(MASS)) * np.sqrt(MASS)
        found.append(spread_of(centred(moved, MASS), MASS, ONE).of_units ** 2)
    assert np.mean(found) == pytest.approx(1 / MASS.sum(), rel=0.05)


def test_kinds_of_equal_groups_are_those_groups() -> None:
    twice = spread_of(SHIFT, MASS, 2 * ONE, row_error=0.01, has_tails=True)
    apart = spread_of(
        np.tile(SHIFT, 2), np.tile(MASS, 2), np.ones(16), row_error=0.01, has_tails=True
    )
    assert twice.of_units == pytest.approx(apart.of_units)
    assert twice.freedom == pytest.approx(apart.freedom)


def test_scale_of_weights_does_not_matter() -> None:
    one = spread_of(SHIFT, MASS, ONE, row_error=0.02)
    other = spread_of(SHIFT, 1e6 * MASS, ONE, row_error=0.02)
    assert one.freedom == pytest.approx(other.freedom)
    assert one.of_units == pytest.approx(other.of_units)


def test_few_groups_that_make_up_the_spread_have_twice_their_number_of_degrees() -> None:
    shift = np.array([3.0, -3 / 39])
    made = spread_of(shift, np.array([5, 5]), np.array([1, 39]), has_tails=True)
    assert 1 <= made.freedom < 3
    assert spread_of(shift, np.array([5, 5]), np.array([1, 39])).freedom == 39


def test_only_what_groups_add_is_known_badly() -> None:
    rows = Spread(0.1, 0.1, 21, 2.0)
    assert rows.reach(0.95) == pytest.approx(two_sided_student(0.95, 20) * 0.1)
    added = Spread(0.5, 0.3, 21, 2.0).reach(0.95)
    expected = (two_sided_student(0.95, 20) * 0.3, two_sided_student(0.95, 2) * 0.4)
    assert added == pytest.approx(sqrt(expected[0] ** 2 + expected[1] ** 2))
    assert Spread(0.1, 0.2, 21, 20).error == 0.2


def test_one_large_group_makes_limits_no_wider_than_rows_that_are_all_alike() -> None:
    mass = np.array([2] * 19 + [200])
    # the small groups are all right, and half of the large one
    hits = np.array([2.0] * 19 + [100.0])
    share = hits.sum() / mass.sum()
    shift, row_error = (hits - share * mass) / mass.sum(), sqrt(share * (1 - share) / mass.sum())
    given: dict[str, Any] = {"row_error": row_error, "has_tails": True}
    free = spread_of(shift, mass, np.ones(20), **given)
    bound = spread_of(shift, mass, np.ones(20), rows=float(mass.sum()), **given)
    assert free.freedom == bound.freedom < 2
    # as many rows as groups of their sizes are worth, by Student's t of the groups
    kish = mass.sum() ** 2 / (mass**2).sum()
    fewest = kish * (two_sided_normal(0.95) / two_sided_student(0.95, 19)) ** 2
    assert bound.effective_rows(share * (1 - share), 0.95) >= fewest * (1 - 1e-9)
    assert free.effective_rows(share * (1 - share), 0.95) < fewest
    # and never narrower than the usual error of the groups
    assert bound.reach(0.95) >= two_sided_student(0.95, 19) * sqrt(20 / 19 * (shift**2).sum())


def test_effective_rows_make_limits_as_wide() -> None:
    spread = spread_of(SHIFT, MASS, ONE, row_error=0.01)
    size = spread.effective_rows(0.25, 0.9)
    assert two_sided_normal(0.9) * sqrt(0.25 / size) == pytest.approx(spread.reach(0.9))
    assert Spread(0.0, 0.0, 5, 4).effective_rows(0.25, 0.9) == inf


def test_one_group_with_nearly_all_rows_has_one_degree_of_freedom() -> None:
    mass = np.array([10**9, 1, 1])
    made = spread_of(centred(np.array([5.0, 1.0, 2.0]), mass), mass, np.ones(3))
    assert 1 <= made.freedom <= 2
    assert np.isfinite(made.of_units)


def sizes_of(rng: Any, groups: int) -> Any:
    return np.maximum(1, rng.lognormal(1.5, 1.2, groups)).astype(int)


def test_very_unequal_groups_are_covered_which_one_less_than_groups_does_not() -> None:
    rng, shares, means, usual = np.random.default_rng(2), 0, 0, 0
    for _ in range(300):
        group = np.repeat(np.arange(15), sizes_of(rng, 15))
        latent = rng.normal(size=15)[group] + rng.normal(size=len(group))
        rows, error = np.ones(len(group)), float(latent.std(ddof=1)) / sqrt(len(group))
        shares += group_share_interval(Sample.of_values(group, latent > 0, rows)).contains(0.5)
        sums = Sample.of_values(group, latent, rows)
        made = group_mean_interval(sums, least_error=error)
        assert made.method in (
            "Student's t of 15 groups of unequal size",
            "Student's t of 15 groups",
        )
        means += made.contains(0.0)
        shift = sums.ratio.shift
        reach = two_sided_student(0.95, 14) * sqrt(15 / 14 * float(sums.count @ shift**2))
        usual += abs(sums.ratio.value) <= reach
    assert usual < 265
    assert means > 273
    assert shares > 276


def test_areas_have_delongs_variance_and_their_differences_that_of_pairs() -> None:
    rng = np.random.default_rng(5)
    truth = rng.random(60) < 0.3
    scores = [rng.normal(size=60) + truth, np.round(rng.normal(size=60) + truth)]
    one, other = (Influence.of_area(truth, score) for score in scores)
    for made, score in zip((one, other), scores, strict=True):
        counts = ScoreCounts.of(truth, score)
        assert made.value == pytest.approx(area(counts), rel=1e-14)
        assert made.spread().error ** 2 == pytest.approx(auc_variance(counts), rel=1e-12)
    gap = one - other
    shared = sum(
        np.cov(one.shift[own], other.shift[own])[0, 1] * own.sum() for own in (truth, ~truth)
    )
    variance = one.spread().error ** 2 + other.spread().error ** 2 - 2 * shared
    assert gap.spread().error ** 2 == pytest.approx(variance, rel=1e-12)
    assert 0 < gap.spread().freedom < 58


def test_unpaired_means_are_welchs() -> None:
    rng = np.random.default_rng(6)
    first, second = rng.normal(size=12), rng.gamma(2.0, 3.0, size=30)
    gap = Influence.of_mean(first).unpaired(Influence.of_mean(second))
    known = stats.ttest_ind(first, second, equal_var=False)
    assert gap.value / gap.spread().error == pytest.approx(known.statistic)
    assert gap.spread().freedom == pytest.approx(known.df)


def test_a_function_of_cells_has_the_error_of_its_rows() -> None:
    cells = np.array([40.0, 10.0, 5.0, 45.0])
    rows = np.repeat([1.0, 0.0, 0.0, 1.0], cells.astype(int))
    by_rows = Influence.of_mean(rows)
    by_cells = Influence.of_counts(lambda c: (c[..., 0] + c[..., 3]) / c.sum(-1), cells)
    assert by_cells.spread().error == pytest.approx(by_rows.spread().error, rel=1e-6)
    assert by_cells.spread().freedom == by_rows.spread().freedom == 99


def test_means_of_folds_are_sums_over_their_rows() -> None:
    rng = np.random.default_rng(7)
    losses, fold = rng.normal(size=20), np.repeat([0, 1], 10)
    folds = [Influence.of_mean(losses[fold == k]).by(np.flatnonzero(fold == k), 20) for k in (0, 1)]
    made = Influence.mean(folds)
    assert made.value == pytest.approx(losses.mean())
    assert made.mass == pytest.approx(np.full(20, 0.05))
    inside = losses - losses.reshape(2, 10).mean(axis=1)[fold]
    assert made.shift == pytest.approx(inside / 20)


def test_a_lone_unit_and_other_units_are_refused() -> None:
    with pytest.raises(InputError, match="the same units"):
        _ = Influence.of_mean(np.ones(3)) - Influence.of_mean(np.ones(4))
