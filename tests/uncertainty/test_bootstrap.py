"""Limits from replicates: against scipy.stats.bootstrap, and where there are none."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest
from scipy import stats

from heldout.core.errors import InputError
from heldout.uncertainty.limits import Jackknife, all_agree, bayesian_limits, limits
from heldout.uncertainty.limits import sorted_quantile as quantile

SAMPLE = np.random.default_rng(11).exponential(size=23)


def spread(values: np.ndarray, axis: int = -1) -> np.ndarray:
    """A biased and skewed statistic."""
    return np.std(values, axis=axis)


def without_each(values: np.ndarray) -> np.ndarray:
    return np.array([spread(np.delete(values, i)) for i in range(len(values))])


@pytest.mark.parametrize(
    ("kind", "theirs"), [("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")]
)
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_limits_are_scipys_on_the_same_replicates(kind: str, theirs: str, level: float) -> None:
    found = stats.bootstrap(
        (SAMPLE,),
        spread,
        n_resamples=999,
        confidence_level=level,
        method=theirs,
        rng=np.random.default_rng(5),
    )
    made = limits(
        found.bootstrap_distribution,
        float(spread(SAMPLE)),
        level=level,
        kind=kind,
        jackknife=Jackknife(without_each(SAMPLE)),
    )
    expected = found.confidence_interval
    assert (made.low, made.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_bca_is_scipys_where_replicates_are_tied_with_the_estimate() -> None:
    rows = np.repeat([1.0, 0.0], [25, 5])
    found = stats.bootstrap(
        (rows,), np.mean, n_resamples=999, method="BCa", rng=np.random.default_rng(1)
    )
    left = Jackknife(np.repeat([24 / 29, 25 / 29], [25, 5]))
    for level in (0.5, 0.8, 0.95):
        again = stats.bootstrap(
            (rows,), np.mean, n_resamples=0, confidence_level=level, bootstrap_result=found
        ).confidence_interval
        made = limits(
            found.bootstrap_distribution, rows.mean(), level=level, kind="bca", jackknife=left
        )
        assert (made.low, made.high) == pytest.approx((again.low, again.high), abs=1e-9)


def test_bca_of_a_share_is_scipys_within_monte_carlo_error() -> None:
    rows = np.repeat([1.0, 0.0], [25, 5])
    theirs = stats.bootstrap(
        (rows,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(1)
    ).confidence_interval
    # by cells: two kinds of rows, drawn by a binomial, left out with their multiplicity
    drawn = np.random.default_rng(2).binomial(30, 25 / 30, 20_000) / 30
    cells = Jackknife(np.array([24 / 29, 25 / 29]), np.array([25, 5]))
    made = limits(drawn, 25 / 30, kind="bca", jackknife=cells)
    assert (made.low, made.high) == pytest.approx((theirs.low, theirs.high), abs=1 / 30 + 1e-9)


def test_acceleration_by_kinds_is_that_of_rows() -> None:
    rows = Jackknife(np.repeat([24 / 29, 25 / 29], [25, 5]))
    cells = Jackknife(np.array([24 / 29, 25 / 29, 0.5]), np.array([25, 5, 0]))
    assert cells.acceleration == pytest.approx(rows.acceleration)
    # of a mean: skewness / (6 sqrt(n))
    assert Jackknife(-SAMPLE).acceleration == pytest.approx(
        -stats.skew(-SAMPLE) / 6 / np.sqrt(len(SAMPLE))
    )
    assert Jackknife(np.ones(4)).acceleration == 0


def test_limits_never_leave_the_bounds() -> None:
    replicates = np.linspace(0.5, 1.0, 1001)
    made = limits(replicates, 0.95, kind="basic", bounds=(0, 1))
    assert made.high == 1
    assert made.note == "upper limit truncated at 1"


def test_undefined_replicates_are_counted_and_too_many_of_them_leave_no_interval() -> None:
    replicates = np.random.default_rng(1).random(1000)
    replicates[:30] = nan
    assert limits(replicates, 0.5).note == "30 of 1,000 replicates undefined"
    replicates[:51] = nan
    made = limits(replicates, 0.5)
    assert made.is_absent
    assert made.note == "undefined in 51 of 1,000 replicates"


def test_replicates_that_all_agree_are_no_interval() -> None:
    made = limits(np.ones(500), 1.0)
    assert made.is_absent
    assert made.note == "every replicate has the same value"
    assert all_agree(np.ones(3))
    assert not all_agree(np.array([1.0, 2.0]))
    assert not all_agree(np.full(3, nan))
    assert all_agree(np.full(3, inf))
    assert not all_agree(np.array([1.0, inf]))
    # rounding is no variation, but a small loss may vary on a small scale
    assert all_agree(np.array([1.0, 1.0 - 2e-16]))
    assert all_agree(np.array([0.0, 1e-17]), (-1, 1))
    assert not all_agree(np.array([1e-17, 2e-17]))


def test_too_few_replicates_for_the_level_are_refused() -> None:
    made = limits(np.arange(100.0), 50.0, level=0.99)
    assert made.note == "100 replicates are too few for this level: use at least 200"
    assert not limits(np.arange(200.0), 50.0, level=0.99).is_absent


def test_infinite_replicates_are_limits_like_others() -> None:
    replicates = np.concatenate([np.linspace(1, 2, 900), np.full(100, inf)])
    made = limits(replicates, 1.5)
    assert made.low == pytest.approx(quantile(np.sort(replicates), 0.025))
    assert made.high == inf
    assert limits(replicates, inf, kind="basic").is_absent


def test_estimate_outside_its_interval_is_said_to_be() -> None:
    made = limits(np.linspace(0.5, 1, 500), 0.2)
    assert made.note == "the estimate lies outside, because resampling shifts this measure"
    undefined = limits(np.linspace(0.5, 1, 500), nan)
    assert undefined.note == "the value itself is undefined"


def test_bca_says_what_it_lacks() -> None:
    replicates = np.linspace(0, 1, 500)
    beyond = limits(replicates, 1.5, kind="bca", jackknife=Jackknife(SAMPLE))
    assert "on one side of the estimate" in beyond.note
    holes = limits(replicates, 0.5, kind="bca", jackknife=Jackknife(np.array([1.0, nan])))
    assert "without some it is undefined" in holes.note
    with pytest.raises(InputError, match="needs the jackknife"):
        limits(replicates, 0.5, kind="bca")
    with pytest.raises(InputError, match="did you mean percentile"):
        limits(replicates, 0.5, kind="percentil")


def test_interval_narrows_as_the_level_falls() -> None:
    replicates = np.random.default_rng(2).gamma(2, size=2000)
    for kind in ("percentile", "basic", "bca"):
        wide, close = (
            limits(replicates, 2.0, level=level, kind=kind, jackknife=Jackknife(SAMPLE))
            for level in (0.95, 0.8)
        )
        assert wide.low <= close.low < close.high <= wide.high


def test_bayesian_interval_is_stretched_to_an_estimate_on_its_bound() -> None:
    made = bayesian_limits(np.linspace(0.8, 0.99, 500), 1.0, bounds=(0, 1), draws="500 draws")
    assert made.high == 1
    assert made.low == pytest.approx(0.8 + 0.19 * 0.025)
    assert made.note == ""
    assert made.method == "Bayesian bootstrap with a pseudo-row, 500 draws"
    assert bayesian_limits(np.ones(500), 1.0).is_absent
