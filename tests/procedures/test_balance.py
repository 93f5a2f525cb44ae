"""The balance report counts what stratification and grouping got."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.procedures.balance import balance, parted_groups
from heldout.procedures.splits import ListedSplits, PartitionSplits, Split
from heldout.tables.column import Column

TRUTH = np.array([0, 0, 0, 0, 1, 1])
UNEVEN = PartitionSplits("by hand", 6, 0, (), np.array([[0, 0, 0, 1, 1, 1]], np.int32), 2)


def test_counts_shares_and_deviations_by_hand() -> None:
    found: Any = balance(UNEVEN, TRUTH, classes=("a", "b", "c"))
    assert found.counts.tolist() == [[3, 0, 0], [1, 2, 0]]
    assert found.sizes.tolist() == found.train_sizes.tolist() == [3, 3]
    assert found.places.tolist() == [[1, 1], [1, 2]]
    assert found.shares[1].tolist() == pytest.approx([1 / 3, 2 / 3, 0])
    assert found.largest_deviation == pytest.approx(1)  # 2 of class a would be even
    assert found.largest_share_deviation == pytest.approx(1 / 3)
    assert found.classes == ("a", "b", "c")
    assert found.parted_groups is None


def test_listed_splits_are_counted_alike() -> None:
    listed = ListedSplits("by hand", 6, 0, (), tuple(UNEVEN))
    found: Any = [balance(s, TRUTH, groups=[1, 1, 2, 2, 3, 3]) for s in (UNEVEN, listed)]
    one, other = found
    assert one.counts.tolist() == other.counts.tolist()
    assert one.train_sizes.tolist() == other.train_sizes.tolist()
    assert one.parted_groups == other.parted_groups == 2


def test_labels_are_classes_in_their_order() -> None:
    found: Any = balance(UNEVEN, np.array(["y", "y", "x", "x", "x", "x"]))
    assert found.classes == ("x", "y")
    assert found.counts.tolist() == [[1, 2], [3, 0]]


def test_regression_has_means() -> None:
    found: Any = balance(UNEVEN, np.arange(6.0), is_classification=False)
    assert found.counts is None
    assert found.means.tolist() == [1.0, 4.0]
    assert np.isnan(found.largest_deviation)
    assert np.isnan(found.largest_share_deviation)


def test_whole_groups_are_never_parted() -> None:
    groups = Column("patient", np.arange(30) // 3, tuple(range(10)))
    splits = heldout.KFold(5, repeats=2).splits(30, groups=groups)
    assert balance(splits, np.zeros(30, int), groups=groups).parted_groups == 0
    apart = heldout.KFold(5, grouped=False, repeats=2).splits(30, groups=groups)
    expected = sum(len(set(groups.codes[s.train]) & set(groups.codes[s.test])) for s in apart)
    assert parted_groups(apart, groups) == expected > 0


def test_repeats_are_counted_apart() -> None:
    truth = np.arange(40) % 2
    splits = heldout.KFold(4, repeats=3).splits(40, truth=truth)
    found: Any = balance(splits, truth)
    assert found.counts.tolist() == [[5, 5]] * 12
    assert found.largest_deviation == 0


def test_training_rows_of_a_bootstrap_count_as_often_as_they_are_drawn() -> None:
    listed = (Split(1, 1, np.array([0, 0, 1]), np.array([2])),)
    found: Any = balance(ListedSplits("bootstrap 1", 3, 0, (), listed), np.array([0, 1, 1]))
    assert found.train_sizes.tolist() == [3]
    assert found.counts.tolist() == [[0, 1]]


def test_validation_parts_are_counted_beside_the_test_parts() -> None:
    truth = np.array([0, 0, 0, 0, 0, 1, 1, 1])
    first = Split(1, 1, np.array([0, 5]), np.array([1, 2]), np.array([3, 4, 6, 7]))
    second = Split(2, 1, np.array([0, 5]), np.array([1, 6]))
    splits = ListedSplits("by hand", 8, 0, (), (first, second))
    found: Any = balance(splits, truth)
    assert found.counts.tolist() == [[2, 0], [1, 1]]
    assert found.validation.sizes.tolist() == [4, 0]
    assert found.validation.counts.tolist() == [[2, 2], [0, 0]]
    assert found.validation.shares[0].tolist() == [0.5, 0.5]
    assert found.validation.largest_share_deviation == pytest.approx(1 / 8)
    assert found.validation.largest_deviation == pytest.approx(0.5)
    mean: Any = balance(splits, np.arange(8.0), is_classification=False)
    assert mean.validation.means[0] == 5.0
    assert np.isnan(mean.validation.means[1])
    assert balance(UNEVEN, TRUTH).validation is None
    assert balance(heldout.Holdout().splits(10), np.arange(10) % 2).validation is None


def test_ranges_are_the_least_and_most_of_all_parts() -> None:
    ranges = balance(UNEVEN, TRUTH, classes=("a", "b")).ranges(1)
    assert ranges == {
        "training rows": (3, 3),
        "test rows": (3, 3),
        "share of a tested": (pytest.approx(1 / 3), 1.0),
    }
    of_numbers = balance(UNEVEN, TRUTH, is_classification=False).ranges(1)
    assert of_numbers["mean of the target tested"] == pytest.approx((0.0, 2 / 3))
