"""Regions of practical equivalence: posteriors of every design sum to 1 and are what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.compare import compare
from heldout.comparison.posterior import drawn_posterior, share_posterior, student_posterior
from tests.comparison.test_laws import FAST, MEASURES, PAIRS


def shares(posterior: Any) -> tuple[float, float, float]:
    return posterior.first_better, posterior.equivalent, posterior.second_better


@pytest.mark.parametrize("unpaired", [False, True])
@pytest.mark.parametrize("design", PAIRS)
def test_every_design_uses_the_region_and_its_shares_sum_to_one(
    design: str, unpaired: bool
) -> None:
    if unpaired and design in {"folds", "repeats", "5x2"}:
        return
    first, second = PAIRS[design]
    names = MEASURES.get(design, ["recall", "auc", "log_loss", "f_score"])
    found = compare(first, second, measures=names, unpaired=unpaired, rope=0.05, **FAST)
    there = compare(second, first, measures=names, unpaired=unpaired, rope=0.05, **FAST)
    for name in names:
        mine, theirs = found[name].posterior, there[name].posterior
        assert mine is not None
        assert theirs is not None
        assert sum(shares(mine)) == pytest.approx(1)
        assert mine.rope == 0.05
        assert shares(mine) == pytest.approx(shares(theirs)[::-1])
        larger = found[name].value > 0
        assert (mine.first_better > mine.second_better) == larger


def test_the_posterior_of_shares_is_that_of_a_dirichlet_distribution() -> None:
    rng = np.random.default_rng(1)
    for cells, rope in (((12, 2, 36), 0.05), ((0, 0, 20), 0.01), ((5, 5, 90), 0.0)):
        found = share_posterior(*cells, rope, np.random.default_rng(2))
        prior = np.array([0.25, 0.25, 0.5])
        drawn = rng.dirichlet(np.array(cells) + prior, 200_000)
        gap = drawn[:, 0] - drawn[:, 1]
        expected = (gap > rope).mean(), (np.abs(gap) <= rope).mean(), (gap < -rope).mean()
        assert shares(found) == pytest.approx(expected, abs=0.004)


def test_identical_models_are_as_likely_better_either_way() -> None:
    found = share_posterior(0, 0, 50, 0.01, np.random.default_rng(1))
    assert found.first_better == pytest.approx(found.second_better)
    assert found.equivalent > 0.7
    assert shares(student_posterior("", 0.0, 0.0, 0.0)) == (0.5, 0.0, 0.5)
    assert shares(student_posterior("", 0.0, 0.0, 0.1)) == (0.0, 1.0, 0.0)
    assert shares(drawn_posterior("", np.zeros(9), 0.0)) == (0.5, 0.0, 0.5)


def test_row_losses_have_the_posterior_of_a_mean() -> None:
    from scipy.stats import t

    first, second = PAIRS["binary"]
    found = compare(first, second, measures="brier_score", rope=0.01)["brier_score"]
    gaps = (first.truth - first.scores) ** 2 - (second.truth - second.scores) ** 2
    scale = gaps.std(ddof=1) / np.sqrt(len(gaps))
    assert found.posterior is not None
    expected = t.sf(0.01, len(gaps) - 1, gaps.mean(), scale)
    assert found.posterior.first_better == pytest.approx(expected)


def test_an_exchange_has_the_posterior_of_the_error_of_rows() -> None:
    first, second = PAIRS["weights"]
    given = {"rope": 0.02, "replicates": 1000, "measures": "auc"}
    closed = compare(first, second, **given)["auc"].posterior
    drawn = compare(first, second, **given, test="permutation", permutations=100)["auc"].posterior
    assert closed is not None
    assert drawn is not None
    assert shares(drawn) == pytest.approx(shares(closed), abs=0.05)


def test_several_models_over_data_sets_have_posteriors_where_a_region_is_given() -> None:
    rng = np.random.default_rng(1)
    table: dict[str, Any] = {"set": [f"s{i}" for i in range(10)]}
    table |= {name: rng.random(10) for name in "abc"}
    made = heldout.compare_results(table, datasets="set", rope=0.05)
    for d in made.differences:
        assert d.posterior is not None
        assert sum(shares(d.posterior)) == pytest.approx(1)
    assert made.verdict.count("equivalent within 0.05") == 3
    alone = heldout.compare_results(
        {name: table[name] for name in ("set", "a", "b")}, datasets="set", rope=0.05
    )
    assert alone.differences[0].posterior is not None
    assert made.differences[0].posterior is not None
    assert shares(made.differences[0].posterior) == pytest.approx(
        shares(alone.differences[0].posterior), abs=0.02
    )
    without = heldout.compare_results(table, datasets="set")
    assert all(d.posterior is None for d in without.differences)


def test_no_region_no_posterior_on_one_test_set() -> None:
    assert compare(*PAIRS["binary"], measures="auc")["auc"].posterior is None


def test_posteriors_of_one_test_set_are_drawn(tmp_path: Any) -> None:
    made = compare(*PAIRS["binary"], measures=["accuracy", "auc", "f_score"], rope=0.02, **FAST)
    for name in made.measures:
        made.plot("posterior", measure=name, path=tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 1000
