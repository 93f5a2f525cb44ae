"""Labels of slices dealt out at random: how measures without influence are tested."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from heldout.assess.label_draws import LabelDraws, subsample_size, without_skewness
from heldout.assess.slices import slice_tables
from heldout.engines.memory import Tallies
from heldout.measures.spec import parse_request
from tests.assess.sliced import binary_rows, its_test, regression_rows


def deviation(size: int, shift: float, name: str = "prevalence") -> float:
    """The statistic of a slice of so many of 20,000 rows, by its value less that of all."""
    where = (np.arange(20_000) >= size).astype(int)
    draws = LabelDraws(Tallies(binary_rows(where)), "site", 1)
    return draws.test(parse_request(name), 0, shift, shift).statistic


@pytest.mark.parametrize("size", [100, 300, 1000, 5000, 15_000])
def test_a_share_spreads_as_in_rows_drawn_without_putting_back(size: int) -> None:
    share = Tallies(binary_rows(np.zeros(20_000, int))).predictions.truth.mean()
    error = (share * (1 - share) / size * (1 - size / 20_000)) ** 0.5
    assert deviation(size, 4 * error) - deviation(size, 0.0) == pytest.approx(4.0, rel=0.25)


def test_it_is_the_same_each_time_and_whatever_the_order_of_rows() -> None:
    where = np.random.default_rng(3).integers(0, 3, 300)
    p, turn = binary_rows(where), np.random.default_rng(4).permutation(300)
    for name in ("average_precision", "expected_calibration_error"):
        found = []
        for rows in (p, p, p.take(turn)):
            (table,) = slice_tables(Tallies(rows), [parse_request(name)])
            found.append(sorted((r.slice, its_test(r).p_value) for r in table.results))
        assert found[0] == found[1] == found[2]


def test_rows_of_a_group_that_lie_in_several_slices_are_not_drawn_as_one() -> None:
    rng, alarms = np.random.default_rng(5), 0
    for seed in range(40):
        where = rng.integers(0, 4, 400)
        p = binary_rows(where, seed=seed, groups=np.arange(400) // 8)
        (table,) = slice_tables(Tallies(p), [parse_request("average_precision")])
        alarms += bool(table.differing)
    assert alarms <= 5


def test_a_slice_that_differs_is_seen_and_one_that_does_not_vary_has_no_test() -> None:
    where = np.random.default_rng(6).integers(0, 4, 1200)
    p: Any = regression_rows(where, worse=1.0)
    (table,) = slice_tables(Tallies(p), [parse_request("median_absolute_error")])
    assert table.verdict(table.results[0]) == "worse"
    assert table.results[0].slice == "a"
    same = replace(p, predicted=np.asarray(p.truth) + 1)
    (table,) = slice_tables(Tallies(same), [parse_request("median_absolute_error")])
    assert {its_test(r).note for r in table.results} == {"the value does not vary"}


def test_sizes_grow_by_roots_of_two_and_end() -> None:
    sizes = [subsample_size(size) for size in range(300, 100_000, 50)]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) <= 11
    assert all(own <= size for own, size in zip(sizes, range(300, 100_000, 50), strict=True))


def test_skewness_of_a_gamma_variable_is_taken_off() -> None:
    drawn = np.random.default_rng(7).gamma(4.0, size=20_000)
    made = np.array([without_skewness((v - 4) / 2, 1.0) for v in drawn.tolist()])
    assert made.mean() == pytest.approx(0.0, abs=0.02)
    assert np.quantile(made, [0.025, 0.975]) == pytest.approx([-1.96, 1.96], abs=0.06)
