"""What each group adds to a mean over splits: the same by formula and by taking off weight."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.split_influence import BLOCKS, influence_over_splits
from heldout.core.errors import InputError
from heldout.engines.memory import Tallies
from heldout.measures.kinds import ROOT
from heldout.measures.spec import parse_request


def ranked(groups: int = 20, *, is_weighted: bool = False) -> Any:
    rng = np.random.default_rng(groups)
    of_row = rng.permutation(np.repeat(np.arange(groups), 8))
    truth = rng.integers(0, 2, len(of_row))
    return Tallies(
        heldout.from_arrays(
            truth,
            y_score=np.clip(0.3 * truth + 0.7 * rng.random(len(truth)), 0, 1).round(2),
            pos_label=1,
            groups=of_row,
            folds=rng.integers(0, 4, len(truth)),
            sample_weight=rng.random(len(truth)) + 0.5 if is_weighted else None,
        )
    )


def numbers() -> Any:
    rng = np.random.default_rng(4)
    truth = rng.normal(size=120)
    return Tallies(
        heldout.from_arrays(
            truth,
            truth + rng.normal(size=120),
            task="regression",
            groups=np.arange(120) // 6,
            folds=rng.integers(0, 3, 120),
        )
    )


@pytest.mark.parametrize("is_weighted", [False, True])
def test_placements_are_what_taking_off_weight_shows(is_weighted: bool) -> None:
    # the Gini coefficient is twice the area less 1, and goes the long way
    made = ranked(is_weighted=is_weighted)
    area = influence_over_splits(parse_request("auc"), made)
    gini = influence_over_splits(parse_request("gini"), made)
    np.testing.assert_allclose(gini.shift, 2 * area.shift, rtol=0.01, atol=2e-5)
    np.testing.assert_allclose(gini.mass, area.mass)


def test_a_root_of_mean_losses_is_what_taking_off_weight_shows() -> None:
    made = numbers()
    quick = influence_over_splits(parse_request("rmse"), made, of_mean=ROOT)
    slow = influence_over_splits(parse_request("rmse"), made)
    np.testing.assert_allclose(quick.shift, slow.shift, rtol=0.01, atol=2e-5)
    assert quick.spread().error == pytest.approx(slow.spread().error, rel=0.005)


@pytest.mark.parametrize("measure", ["accuracy", "auc", "log_loss", "f_score", "gini"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_shifts_add_up_to_nothing_and_masses_to_one(measure: str, is_weighted: bool) -> None:
    made = influence_over_splits(parse_request(measure), ranked(is_weighted=is_weighted))
    assert abs(made.shift.sum()) < 1e-3 * np.abs(made.shift).sum()
    assert made.mass.sum() == pytest.approx(1)


def test_many_groups_go_in_blocks_of_even_size() -> None:
    made = ranked(4 * BLOCKS)
    area = influence_over_splits(parse_request("auc"), made)
    gini = influence_over_splits(parse_request("gini"), made)
    assert (len(area.shift), len(gini.shift)) == (4 * BLOCKS, BLOCKS)
    assert gini.mass.max() < 1.2 * gini.mass.min()
    assert gini.spread().error == pytest.approx(2 * area.spread().error, rel=0.3)


def test_one_large_group_leaves_few_degrees_of_freedom() -> None:
    rng = np.random.default_rng(1)
    of_row = np.r_[np.zeros(100, int), np.arange(100) // 5 + 1]
    truth = rng.integers(0, 2, 200)
    given = {"groups": of_row, "folds": rng.integers(0, 5, 200), "pos_label": 1}
    made = Tallies(heldout.from_arrays(truth, rng.integers(0, 2, 200), **given))
    assert influence_over_splits(parse_request("accuracy"), made).spread().freedom < 8


def test_medians_of_errors_are_refused() -> None:
    with pytest.raises(InputError, match="is known where splits cut groups"):
        influence_over_splits(parse_request("median_absolute_error"), numbers())
