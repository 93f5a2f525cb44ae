"""What cannot be split is refused, with what is wrong and what could be done instead."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.procedures.parse import parse_procedure

RARE = np.array([0] * 40 + [1] * 4)
SINGLE = np.array([0] * 40 + [1])
PAIRS = np.arange(44) // 2

REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "a class with fewer rows than folds": (
        "10-fold stratified",
        {"n": 44, "truth": RARE, "classes": ["well", "ill"]},
        "10-fold stratified: class 'ill' has 4 rows, too few to be in each of 10 parts; use 4-fold "
        "stratified or fewer, 10-fold stratified loosely, 10-fold unstratified or loo",
    ),
    "a class with one row": (
        "2x5-fold stratified",
        {"n": 41, "truth": SINGLE},
        "2x5-fold stratified: class 1 has 1 row, too few to be in each of 5 parts; use 2x5-fold "
        "stratified loosely, 2x5-fold unstratified or loo",
    ),
    "several small classes": (
        "5-fold stratified",
        {"n": 6, "truth": ["a", "a", "b", "b", "c", "c"]},
        "5-fold stratified: class 'a' has 2 rows (and 2 more such classes), too few",
    ),
    "a class in fewer groups than folds": (
        "5-fold stratified",
        {"n": 44, "truth": RARE, "groups": PAIRS},
        "class 1 is in 2 groups, too few to be in each of 5 parts; use 2-fold stratified, ",
    ),
    "a class that cannot be in all parts of a holdout": (
        "holdout stratified",
        {"n": 41, "truth": SINGLE},
        "holdout 70:30 stratified: class 1 has 1 row, too few to be in each of 2 parts",
    ),
    "a class that can never be drawn and tested": (
        "bootstrap 5 stratified",
        {"n": 41, "truth": SINGLE},
        "bootstrap 5 stratified: class 1 has 1 row",
    ),
    "more folds than rows": (
        "10-fold",
        {"n": 7},
        "10-fold: there are only 7 rows; use at most 7-fold or loo",
    ),
    "more folds than rows, of which a class has fewer": (
        "100-fold stratified",
        {"n": 7, "truth": [0, 0, 0, 0, 1, 1, 1]},
        "there are only 7 rows, and class 1 has 3; use at most 3-fold stratified or loo",
    ),
    "more folds than rows, of which a class has one": (
        "100-fold stratified",
        {"n": 4, "truth": [0, 0, 0, 1]},
        "100-fold stratified: there are only 4 rows, and class 1 has 1; use loo",
    ),
    "more folds than rows, stratified loosely": (
        "100-fold stratified loosely",
        {"n": 4, "truth": [0, 0, 0, 1]},
        "there are only 4 rows; use at most 4-fold stratified loosely or loo",
    ),
    "one more such class": (
        "5-fold stratified",
        {"n": 6, "truth": ["a", "a", "a", "b", "b", "b"]},
        "5-fold stratified: class 'a' has 3 rows (and 1 more such class), too few",
    ),
    "more folds than groups, of which a class is in fewer": (
        "50-fold stratified",
        {"n": 8, "groups": [1, 1, 2, 2, 3, 3, 4, 4], "truth": [0, 0, 0, 1, 0, 0, 1, 1]},
        "there are only 4 groups, and class 1 is in 2; use at most 2-fold stratified or groups",
    ),
    "more folds than groups": (
        "5-fold",
        {"n": 6, "groups": [1, 1, 2, 2, 3, 3]},
        "5-fold: there are only 3 groups; use at most 3-fold, groups (leave one group out) or "
        "5-fold ungrouped",
    ),
    "one group": ("groups", {"n": 4, "groups": [1] * 4}, "all rows are of one group"),
    "one group in folds": ("2-fold", {"n": 4, "groups": [1] * 4}, "all rows are of one group"),
    "no groups": ("groups", {"n": 4}, "groups: no groups are given; name their column"),
    "no groups for folds": ("2-fold grouped", {"n": 4}, "no groups are given"),
    "a row without a group": (
        "2-fold",
        {"n": 3, "groups": np.array([1.0, np.nan, 2.0])},
        "row 2 has no group",
    ),
    "one row": ("2-fold", {"n": 1}, "1 row cannot be split; at least 2 are needed"),
    "truth of another length": ("2-fold", {"n": 4, "truth": [1]}, "truth has 1 values for 4 rows"),
    "leave-one-out that parts groups": (
        "loo",
        {"n": 4, "groups": [1, 1, 2, 2]},
        "loo trains on rows of the group that it tests; use groups (each group is left out whole)"
        ", or loo ungrouped",
    ),
    "too many choices": (
        "leave-5-out",
        {"n": 100},
        "leave-5-out: 100 rows have 75,287,520 choices of 5, and each is a fit; loo has 100",
    ),
    "nothing left to train": ("leave-4-out", {"n": 4}, "of 4 rows 4 cannot be left out"),
    "an empty part": ("holdout 99:1", {"n": 5}, "of 5 rows none is left for the test part"),
    "too few groups for three parts": (
        "holdout 50:20:30",
        {"n": 4, "groups": [1, 1, 2, 2]},
        "3 parts need as many groups; there are 2",
    ),
    "too little time": (
        "time 5 gap 4",
        {"n": 8, "time": np.arange(8)},
        "time 5 gap 4: 5 test parts of 1 with a gap of 4 leave 0 of 8 distinct times to train",
    ),
    "a window longer than the past": ("time 2 sliding 9", {"n": 12}, "leave 4 of 12 rows to train"),
    "a row without a time": (
        "time 2",
        {"n": 3, "time": np.array(["2024-01-01", "NaT", "2024-01-02"], "M8[D]")},
        "row 2 has no time",
    ),
    "times of several kinds": (
        "time 1",
        {"n": 3, "time": np.array([1, "b", 2], object)},
        "several kinds",
    ),
    "tested groups that are all there is": (
        "time 1",
        {"n": 4, "groups": [1, 2, 1, 2]},
        "part 1 has no row to train of a group that it does not test; use time 1 ungrouped",
    ),
    "no folds": ("column fold", {"n": 4}, "column fold: the folds are not given"),
    "one fold": ("column fold", {"n": 3, "folds": [1, 1, 1]}, "all rows are in one fold"),
    "a row without a fold": (
        "column fold",
        {"n": 3, "folds": np.array([1.0, 2.0, np.nan])},
        "row 3 has no fold",
    ),
    "too few folds given": ("column fold", {"n": 3, "folds": [1, 2]}, "2 folds for 3 rows"),
    "no target to stratify by": ("2-fold stratified", {"n": 4}, "no target to stratify by"),
    "bins of classes": ("2-fold bins 2", {"n": 4, "truth": [0, 0, 1, 1]}, "this one has classes"),
    "bins smaller than folds": (
        "5-fold bins 9",
        {"n": 20, "truth": np.arange(20.0), "is_classification": False},
        "9 bins of 20 rows would be smaller than 5 parts; use at most 5-fold stratified by bins 4 "
        "or 5-fold stratified loosely by bins 9",
    ),
    "a target without a value": (
        "2-fold bins 2",
        {"n": 4, "truth": np.array([1.0, np.nan, 2, 3]), "is_classification": False},
        "row 2 has no target",
    ),
    "strata of one row each": (
        "bootstrap 3 stratified loosely",
        {"n": 3, "truth": [1, 2, 3]},
        "every sample would hold all rows",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    text, rows, said = REFUSED[case]
    with pytest.raises(InputError, match=re.escape(said)):
        parse_procedure(text).splits(**rows)


def test_small_classes_are_spread_where_that_is_asked_for() -> None:
    splits = parse_procedure("10-fold stratified loosely").splits(44, truth=RARE)
    held = sorted((RARE[split.test] == 1).sum() for split in splits)
    assert held == [0] * 6 + [1] * 4


def test_groups_that_are_parted_on_request_are_noted() -> None:
    for text in ("3-fold ungrouped", "loo ungrouped", "leave-2-out ungrouped"):
        (said,) = parse_procedure(text).splits(6, groups=[1, 1, 2, 2, 3, 3]).notes
        assert said.startswith(f"{text} splits groups")
    in_time = parse_procedure("time 2 ungrouped").splits(
        6, groups=[1, 1, 2, 2, 3, 3], time=[1, 2, 3, 4, 5, 6]
    )
    assert in_time.notes[0].startswith("time 2 ungrouped splits groups")
    assert parse_procedure("loo ungrouped").splits(3, groups=[1, 2, 3]).notes == ()


@pytest.mark.parametrize(
    "make",
    [
        lambda: heldout.KFold(2.5),
        lambda: heldout.KFold(5, random_state=-1),
        lambda: heldout.KFold(5, stratify="yes"),
        lambda: heldout.Bootstrap(10, "632"),
        lambda: heldout.Holdout((1, 2, 3, 4)),
        lambda: heldout.Holdout(0.7),
        lambda: heldout.TimeOrdered(5, gap=-1),
        lambda: heldout.LeaveOneOut(grouped=True),
        lambda: heldout.PredefinedFolds(" "),
    ],
)
def test_arguments_that_mean_nothing_are_refused(make: Any) -> None:
    with pytest.raises(InputError):
        make()
