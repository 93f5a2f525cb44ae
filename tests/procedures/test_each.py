"""What is particular to each procedure, checked by hand and against scikit-learn."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from sklearn import model_selection as sk

import heldout
from heldout.core.portable import Bits
from heldout.procedures.holdout import apportioned, apportioned_strata
from heldout.procedures.splits import PartitionSplits
from heldout.tables.column import Column


@pytest.mark.parametrize(
    ("ratio", "sizes"),
    [
        ((70, 30), (105, 0, 45)),
        ((2, 1), (100, 0, 50)),
        ((50, 20, 30), (75, 30, 45)),
        ((40, 20, 40), (60, 30, 60)),
        ("66.7:33.3", (100, 0, 50)),
    ],
)
def test_parts_of_a_holdout_have_their_sizes(ratio: object, sizes: tuple[int, ...]) -> None:
    truth = np.repeat([0, 1, 2], 50)
    for split in heldout.Holdout(ratio, repeats=3).splits(150, truth=truth):
        validation = 0 if split.validation is None else len(split.validation)
        assert (len(split.train), validation, len(split.test)) == sizes
        assert np.ptp(np.bincount(truth[split.test])) <= 1


def test_largest_remainders_take_what_is_left_over() -> None:
    assert apportioned(11, (50, 20, 30)).tolist() == [6, 2, 3]
    assert apportioned(1, (1, 1, 1)).tolist() == [1, 0, 0]
    table = apportioned_strata(np.array([1, 1, 1, 1]), (1, 1, 2), Bits(0))
    assert table.sum(axis=0).tolist() == [1, 1, 2]
    assert table.sum(axis=1).tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("ratio", [(2 / 3, 1 / 3), (0.1 + 0.2, 0.7), (1 / 7, 2 / 7, 4 / 7)])
@pytest.mark.parametrize("is_grouped", [False, True])
def test_ratio_of_many_digits_leaves_no_whole_number_too_large(
    ratio: tuple[float, ...], is_grouped: bool
) -> None:
    truth = np.arange(8400) % 4
    groups = np.arange(8400) // 40 if is_grouped else None
    (split,) = heldout.Holdout(ratio).splits(8400, truth=truth, groups=groups)
    for rows, share in ((split.train, ratio[0]), (split.test, ratio[-1])):
        wanted = 2100 * share / sum(ratio)
        assert np.bincount(truth[rows]) == pytest.approx([wanted] * 4, abs=1 + 20 * is_grouped)


def test_holdout_says_which_class_may_miss_a_part() -> None:
    truth = np.array([0] * 30 + [1] * 2)
    notes = heldout.Holdout("90:10").splits(32, truth=truth, classes=["a", "rare"]).notes
    assert notes == (
        "holdout 90:10: class 'rare' (2 rows) is too small to be in the test part for certain",
    )
    single = heldout.Holdout("90:10", stratify="loosely").splits(31, truth=truth[:31])
    assert "class 1 (1 row) is too small" in single.notes[0]


def test_leave_p_out_tests_every_choice() -> None:
    splits = heldout.LeavePOut(2).splits(6)
    assert [tuple(s.test.tolist()) for s in splits] == list(combinations(range(6), 2))
    theirs = [test.tolist() for _, test in sk.LeavePOut(2).split(np.zeros(6))]
    assert [s.test.tolist() for s in splits] == theirs
    assert isinstance(heldout.LeavePOut(1).splits(6), PartitionSplits)
    assert heldout.LeavePOut(1).splits(6).fingerprint == heldout.LeaveOneOut().splits(6).fingerprint


def test_leave_p_groups_out() -> None:
    groups = np.array(["a", "a", "b", "c", "c", "d"])
    splits = heldout.LeavePOut(2).splits(6, groups=groups)
    assert len(splits) == 6
    assert splits[0].test.tolist() == [0, 1, 2]


def test_leave_one_group_out_is_that_of_scikit_learn() -> None:
    groups = np.repeat([3, 1, 2], 4)
    ours = {tuple(s.test.tolist()) for s in heldout.LeaveOneGroupOut().splits(12, groups=groups)}
    theirs = sk.LeaveOneGroupOut().split(np.zeros(12), groups=groups)
    assert ours == {tuple(test.tolist()) for _, test in theirs}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (heldout.TimeOrdered(5), sk.TimeSeriesSplit(5)),
        (heldout.TimeOrdered(3, gap=2), sk.TimeSeriesSplit(3, gap=2)),
        (heldout.TimeOrdered(4, test=5, gap=1), sk.TimeSeriesSplit(4, test_size=5, gap=1)),
        (
            heldout.TimeOrdered(3, sliding=8, test=6),
            sk.TimeSeriesSplit(3, max_train_size=8, test_size=6),
        ),
    ],
    ids=str,
)
def test_time_order_is_that_of_scikit_learn(ours: heldout.TimeOrdered, theirs: Any) -> None:
    order = np.random.default_rng(0).permutation(47)
    splits = ours.splits(47, time=np.argsort(order))
    for split, (train, test) in zip(splits, theirs.split(np.zeros(47)), strict=True):
        assert sorted(order[train]) == split.train.tolist()
        assert sorted(order[test]) == split.test.tolist()


def test_rows_of_equal_time_are_never_parted() -> None:
    days = np.repeat(np.array(["2024-01-03", "2024-01-01", "2024-01-02"], "M8[D]"), [5, 2, 3])
    first, second = heldout.TimeOrdered(2).splits(10, time=days)
    assert first.train.tolist() == [5, 6]
    assert first.test.tolist() == [7, 8, 9]
    assert second.test.tolist() == [0, 1, 2, 3, 4]


def test_time_without_times_takes_the_rows_as_they_stand_and_says_so() -> None:
    splits = heldout.TimeOrdered(2).splits(9)
    assert splits.notes == ("no times are given: rows are taken in the order of the file",)
    assert splits[0].test.tolist() == [3, 4, 5]


def test_tested_groups_do_not_train_in_time_order() -> None:
    groups = np.array(["a", "b", "a", "c", "b", "d", "a", "c"])
    splits = heldout.TimeOrdered(1, test=2).splits(8, groups=groups, time=np.arange(8))
    assert splits[0].train.tolist() == [1, 4, 5]
    assert "3 training rows were left out" in splits.notes[0]
    kept = heldout.TimeOrdered(1, test=2, grouped=False).splits(8, groups=groups, time=np.arange(8))
    assert kept[0].train.tolist() == [0, 1, 2, 3, 4, 5]


def test_procedure_that_mixes_time_says_so() -> None:
    for procedure in (
        heldout.KFold(2),
        heldout.Holdout(),
        heldout.LeaveOneOut(),
        heldout.Bootstrap(2),
    ):
        assert "trains on rows later" in procedure.splits(9, time=np.arange(9)).notes[0]
    assert heldout.TimeOrdered(2).splits(9, time=np.arange(9)).notes == ()


def test_given_folds_come_in_the_order_of_their_values() -> None:
    column = Column("fold", np.array([2, 0, 1, 0]), ("first", "second", "third"))
    splits = heldout.PredefinedFolds("fold").splits(4, folds=column)
    assert [s.test.tolist() for s in splits] == [[1, 3], [2], [0]]
    parted = heldout.PredefinedFolds("fold").splits(4, folds=column, groups=[1, 1, 2, 3])
    assert parted.notes == ("the given folds split 1 of 3 groups",)


def test_column_that_says_train_and_test_is_a_holdout() -> None:
    parts = np.array(["Train", "test", "validation", "Train"])
    splits: Any = heldout.PredefinedFolds("part").splits(4, folds=parts)
    (split,) = splits
    assert split.train.tolist() == [0, 3]
    assert split.test.tolist() == [1]
    assert split.validation.tolist() == [2]


def test_bootstrap_draws_as_many_rows_and_leaves_out_about_a_third() -> None:
    splits = heldout.Bootstrap(50).splits(1000)
    assert all(len(split.train) == 1000 for split in splits)
    share = np.mean([len(split.test) for split in splits]) / 1000
    assert share == pytest.approx(np.exp(-1), abs=0.01)


def test_bootstrap_draws_whole_groups() -> None:
    groups = np.repeat(np.arange(10), 3)
    for split in heldout.Bootstrap(5).splits(30, groups=groups, truth=groups % 2):
        drawn = np.bincount(split.train, minlength=30).reshape(10, 3)
        assert (drawn == drawn[:, :1]).all()
        assert drawn[:, 0].sum() == 10
        assert drawn[::2, 0].sum() == 5


def test_sample_that_holds_every_row_is_drawn_again_and_counted() -> None:
    splits = heldout.Bootstrap(100).splits(2)
    assert all(len(split.test) == 1 for split in splits)
    (said,) = splits.notes
    assert said.endswith("of 100 samples held every row and were drawn again")
    assert 30 <= int(said.split()[0]) <= 70  # half of all samples of two rows hold both


def test_bins_of_a_number_are_even_between_folds() -> None:
    values = np.random.default_rng(0).gamma(1, 1, 103)
    splits = heldout.KFold(5, bins=4).splits(103, truth=values, is_classification=False)
    quarter = np.searchsorted(np.sort(values), values) * 4 // 103
    for code in range(4):
        counts = [(quarter[split.test] == code).sum() for split in splits]
        assert max(counts) - min(counts) <= 1
    plain = heldout.KFold(5).splits(103, truth=values, is_classification=False)
    unstratified = heldout.KFold(5, stratify=False).splits(103)
    assert plain.fingerprint == unstratified.fingerprint
