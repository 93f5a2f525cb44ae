"""Resampled rows, means and moments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from heldout.core.errors import InputError
from heldout.core.random import generator
from heldout.tally.errors import ErrorRows, Errors
from heldout.uncertainty.limits import Jackknife
from heldout.uncertainty.row_bootstrap import (
    JointMeans,
    replicate_errors,
    replicate_means,
    replicate_rows,
    row_jackknife,
)
from heldout.uncertainty.sample import RowSampler, in_blocks

LOSSES = np.random.default_rng(1).gamma(1.5, size=120)
WEIGHT = np.random.default_rng(2).gamma(2.0, size=120)


def test_means_of_resampled_rows_vary_as_the_theory_says() -> None:
    made = replicate_means(LOSSES, replicates=3000, rng=generator(1))
    assert made.mean() == pytest.approx(LOSSES.mean(), abs=4 * made.std() / 3000**0.5)
    assert made.std() == pytest.approx(LOSSES.std() / 120**0.5, rel=0.05)


def test_weights_travel_with_their_rows() -> None:
    by_weight = replicate_means(LOSSES, WEIGHT, replicates=200, rng=generator(3))

    def of_rows(rows: Any) -> float:
        return float(np.average(LOSSES[rows], weights=WEIGHT[rows]))

    by_rows = replicate_rows(of_rows, RowSampler(120), replicates=200, rng=generator(3))
    assert by_weight == pytest.approx(by_rows)


def test_columns_share_their_samples() -> None:
    both = replicate_means(
        np.column_stack([LOSSES, 2 * LOSSES + 1]), replicates=50, rng=generator(1)
    )
    assert both.shape == (50, 2)
    assert both[:, 1] == pytest.approx(2 * both[:, 0] + 1)


def test_strata_keep_their_sizes_and_groups_stay_whole() -> None:
    strata = np.array([0, 1, 1, 2, 2, 2])
    sampler = RowSampler(6, strata=strata)
    for _ in range(20):
        drawn = sampler.positions(generator(_))
        assert np.bincount(strata[drawn]).tolist() == [1, 2, 3]
    groups = np.array(["a", "b", "b", "c", "c", "c"])
    whole = RowSampler(6, groups=groups)
    assert whole.units == 3
    sizes = set()
    for seed in range(20):
        often = whole.multiplicities(generator(seed))
        assert often[1] == often[2]
        assert often[3] == often[4] == often[5]
        assert often[[0, 1, 3]].sum() == 3
        sizes.add(int(often.sum()))
        assert len(whole.positions(generator(seed))) == often.sum()
    assert len(sizes) > 1


def test_groups_in_strata_are_drawn_within_them() -> None:
    groups = np.array([0, 0, 1, 2, 2, 3])
    strata = np.array([0, 0, 0, 1, 1, 1])
    sampler = RowSampler(6, strata=strata, groups=groups)
    for seed in range(10):
        often = sampler.multiplicities(generator(seed))
        assert often[[0, 2]].sum() == 2
        assert often[[3, 5]].sum() == 2


def test_no_rows_cannot_be_drawn() -> None:
    with pytest.raises(InputError, match="no rows to draw from"):
        RowSampler(0)


def test_blocks_depend_on_the_generator_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for count in (1, 4):
        monkeypatch.setattr("heldout.core.threads.workers", lambda count=count: count)
        made.append(in_blocks(lambda r: r.random(2), replicates=60, rng=generator(1), size=10**6))
    assert made[0].shape == (60, 2)
    assert np.array_equal(*made)


def test_left_out_rows_are_exact_for_few_and_near_for_many() -> None:
    few = row_jackknife(lambda rows: LOSSES[rows].mean(), RowSampler(120), rng=generator(1))
    assert few.values == pytest.approx([np.delete(LOSSES, i).mean() for i in range(120)])
    many = np.random.default_rng(5).gamma(0.1, size=4000)
    parts = row_jackknife(lambda rows: many[rows].mean(), RowSampler(4000), rng=generator(1))
    assert len(parts.values) == 400
    each = Jackknife((many.sum() - many) / (len(many) - 1))
    assert parts.acceleration == pytest.approx(each.acceleration, rel=0.3)


def test_means_drawn_by_moments_vary_as_resampled_rows_do() -> None:
    values = np.column_stack([LOSSES, LOSSES**2])
    joint = JointMeans.of(values)
    drawn = joint.draw(replicates=4000, rng=generator(1))
    rows = replicate_means(values, replicates=4000, rng=generator(2))
    assert np.cov(drawn.T) == pytest.approx(np.cov(rows.T), rel=0.12)
    assert joint.covariance == pytest.approx(np.cov(values.T) / 120)


def r_squared(errors: Errors) -> float:
    return 1 - errors.residual_squares / errors.truth_deviations


def regression(rows: int, seed: int = 3) -> ErrorRows:
    rng = np.random.default_rng(seed)
    truth = rng.gamma(2, 2, rows) + 1000
    return ErrorRows.of(truth, truth + rng.normal(size=rows))


def test_errors_of_resampled_rows_are_those_of_their_tally() -> None:
    rows = regression(80)
    weight = np.random.default_rng(1).gamma(2.0, size=80)
    for given_weight in (None, weight):
        quick = replicate_errors(
            ErrorRows(rows.truth, rows.predicted, given_weight),
            r_squared,
            replicates=60,
            rng=generator(1),
        )

        def slow(drawn: Any, given_weight: Any = given_weight) -> float:
            mass = None if given_weight is None else given_weight[drawn]
            return r_squared(Errors.of(rows.truth[drawn], rows.predicted[drawn], mass))

        expected = replicate_rows(slow, RowSampler(80), replicates=60, rng=generator(1))
        assert quick == pytest.approx(expected, abs=1e-9)


def test_errors_by_moments_vary_as_resampled_rows_do() -> None:
    rows = regression(3000)
    exact = replicate_errors(rows, r_squared, replicates=1500, rng=generator(1))
    moments = replicate_errors(rows, r_squared, replicates=1500, rng=generator(2), by_moments=True)
    assert moments.std() == pytest.approx(exact.std(), rel=0.08)
    assert moments.mean() == pytest.approx(exact.mean(), abs=0.1 * exact.std())
