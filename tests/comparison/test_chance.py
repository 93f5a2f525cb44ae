"""Against chance: the no-information rate, permuted predictions, models refitted."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.chance import (
    against_no_information,
    permuted_dataset,
    permuted_predictions,
    refitted_permutations,
)
from heldout.core.errors import InputError
from heldout.core.random import generator
from heldout.datasets.arrays import dataset_of
from heldout.learners.request import models_for
from heldout.measures.spec import parse_request
from heldout.procedures.apply import splits_of
from tests.comparison.models import binary, classes, numbers


def test_no_information_rate_is_the_binomial_test() -> None:
    from scipy.stats import binomtest

    p = classes("a", 0.5, seed=1)
    made: Any = against_no_information(p)
    rate = np.bincount(p.truth).max() / len(p)
    right = int((p.truth == p.predicted).sum())
    assert made.test.null == rate
    assert made.test.p_value == binomtest(right, len(p), rate, alternative="greater").pvalue


def test_naming_the_largest_class_is_no_better_than_chance() -> None:
    truth = np.r_[np.zeros(70, int), np.ones(30, int)]
    made: Any = against_no_information(heldout.from_arrays(truth, np.zeros(100, int), pos_label=1))
    assert made.value == made.test.null == 0.7
    assert made.test.p_value > 0.5


def test_weights_have_no_exact_test_and_say_so() -> None:
    made: Any = against_no_information(binary("a", 1, seed=1, sample_weight=np.full(120, 2.0)))
    assert isnan(made.test.p_value)
    assert "weights" in made.test.note


def test_permuted_accuracy_is_fishers_one_sided_test() -> None:
    from scipy.stats import fisher_exact

    p = binary("a", 0.15, seed=6)
    table = np.histogram2d(p.truth, p.predicted, bins=2)[0]
    expected = fisher_exact(table, alternative="greater").pvalue
    made: Any = permuted_predictions(parse_request("accuracy"), p, permutations=2000)
    assert made.test.p_value == pytest.approx(expected, abs=0.03)
    assert "not refitted" in made.test.method


def chance_of(request: Any, p: Any) -> float:
    """The p-value of 99 permutations."""
    test = permuted_predictions(request, p, permutations=99).test
    assert test is not None
    return test.p_value


def test_related_predictions_are_found_and_others_are_not() -> None:
    auc, mse = parse_request("auc"), parse_request("mse")
    assert chance_of(auc, binary("a", 1, seed=1)) == 0.01
    assert chance_of(auc, binary("a", 0, seed=3)) > 0.05
    assert chance_of(mse, numbers("a", 0.3, seed=1)) == 0.01


def test_rows_are_exchanged_within_folds() -> None:
    # the fold alone tells the class: that is no skill within a fold
    truth = np.repeat([0, 1], 40)
    p = heldout.from_arrays(truth, y_score=truth * 0.8 + 0.1, pos_label=1, folds=truth)
    made: Any = permuted_predictions(parse_request("accuracy"), p, permutations=50)
    assert made.test.p_value == 1


def test_groups_cannot_be_exchanged_row_by_row() -> None:
    p = binary("a", 1, seed=1, groups=np.arange(120) // 2)
    with pytest.raises(InputError, match="groups="):
        permuted_predictions(parse_request("accuracy"), p)


@pytest.mark.parametrize(("signal", "low", "high"), [(2.0, 0.0, 0.05), (0.0, 0.05, 1.0)])
def test_refitted_models_are_better_than_chance_only_where_there_is_something(
    signal: float, low: float, high: float
) -> None:
    rng = np.random.default_rng(3)
    truth = np.arange(60) % 2
    features = rng.normal(size=(60, 3)) + signal * truth[:, None]
    data = dataset_of(features, truth, pos_label=1)
    made: Any
    (made,) = refitted_permutations(
        data,
        models_for(["nb"], data, seed=0),
        lambda d: splits_of("5-fold", d, seed=0),
        [parse_request("accuracy")],
        permutations=39,
    )
    assert low < made.test.p_value <= high
    assert made.test.null == pytest.approx(0.5, abs=0.07)
    assert "refitted" in made.test.method


def test_permuted_data_keep_their_labels_and_whole_groups() -> None:
    truth = np.repeat([0, 1, 0, 1, 1], 6)
    groups = np.repeat(np.arange(5), 6)
    data = dataset_of(np.arange(30.0)[:, None], truth, groups=groups, pos_label=1)
    mixed = [permuted_dataset(data, generator(seed)).truth for seed in range(8)]
    for made in mixed:
        assert sorted(made.tolist()) == sorted(truth.tolist())
        assert all(len(set(made[groups == g].tolist())) == 1 for g in range(5))
    assert len({tuple(made.tolist()) for made in mixed}) > 1
    uneven = dataset_of(np.arange(30.0)[:, None], np.arange(30) % 2, groups=groups, pos_label=1)
    with pytest.raises(InputError, match="different labels"):
        permuted_dataset(uneven, generator(1))
