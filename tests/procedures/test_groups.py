"""Groups that stay whole while classes and sizes are kept as even as can be."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import StratifiedGroupKFold

import heldout
from heldout.core.portable import Bits
from heldout.procedures.deal import parts_of_groups
from heldout.procedures.rows import group_counts


def grouped_rows(seed: int, groups: int = 60, classes: int = 3) -> tuple[Any, Any]:
    """Classes and groups of rows, in groups of very different sizes and class shares."""
    rng = np.random.default_rng(seed)
    sizes = 1 + rng.geometric(0.15, groups)
    shares = rng.dirichlet(np.full(classes, 0.6), groups)
    truth = [rng.choice(classes, size, p=p) for size, p in zip(sizes, shares, strict=True)]
    return np.concatenate(truth), np.repeat(np.arange(groups), sizes)


def unevenness(folds: Any, truth: Any) -> tuple[float, int]:
    """The mean over classes of the deviation of its shares in folds; the range of sizes."""
    counts = group_counts(truth, folds.astype(np.int64))
    sizes = counts.sum(axis=1)
    return float((counts / counts.sum(axis=0)).std(axis=0).mean()), int(np.ptp(sizes))


def test_folds_are_more_even_than_those_of_scikit_learn() -> None:
    ours, theirs = [], []
    for seed in range(12):
        truth, groups = grouped_rows(seed)
        splits: Any = heldout.KFold(5).splits(len(truth), truth=truth, groups=groups, seed=seed)
        ours.append(unevenness(splits.assignment[0], truth))
        folds = np.empty(len(truth), np.int64)
        other = StratifiedGroupKFold(5, shuffle=True, random_state=seed)
        for fold, (_, test) in enumerate(other.split(truth, truth, groups)):
            folds[test] = fold
        theirs.append(unevenness(folds, truth))
    better = [a[0] <= b[0] for a, b in zip(ours, theirs, strict=True)]
    assert sum(better) >= 11
    assert np.median([a[0] for a in ours]) < 0.6 * np.median([b[0] for b in theirs])
    assert np.mean([a[1] for a in ours]) < np.mean([b[1] for b in theirs])


def test_few_groups_are_placed_as_well_as_trying_all_ways() -> None:
    truth, groups = grouped_rows(5, groups=8, classes=2)
    counts = group_counts(truth, groups)

    def far(parts: Any) -> float:
        table = np.zeros((2, 3))
        np.add.at(table, np.asarray(parts), np.hstack([counts, counts.sum(1, keepdims=True)]))
        total = table.sum(axis=0)
        return float((((table - total / 2) / total) ** 2).sum())

    best = min(far(parts) for parts in product((0, 1), repeat=8))
    found = min(far(parts_of_groups(counts, (1, 1), Bits(seed))) for seed in range(5))
    assert found == pytest.approx(best)


def test_sizes_alone_are_even_without_strata() -> None:
    _, groups = grouped_rows(1, groups=200)
    splits: Any = heldout.KFold(7, stratify=False, repeats=3).splits(len(groups), groups=groups)
    for repeat in splits.assignment:
        assert np.ptp(np.bincount(repeat)) <= 1


def test_repeats_differ() -> None:
    truth, groups = grouped_rows(2)
    splits: Any = heldout.KFold(5, repeats=6).splits(len(truth), truth=truth, groups=groups)
    together = {
        tuple((row[:, None] == row[None, :]).ravel()[:: len(truth) // 3].tolist())
        for row in splits.assignment
    }
    assert len(together) == 6


def test_many_groups_are_quick_and_even() -> None:
    rng = np.random.default_rng(3)
    groups = rng.integers(0, 20_000, 60_000)
    truth = (rng.random(60_000) < 0.1).astype(int)
    splits: Any = heldout.KFold(10).splits(60_000, truth=truth, groups=groups)
    spread, sizes = unevenness(splits.assignment[0], truth)
    assert spread < 1e-3
    assert sizes <= 2


def test_ratio_of_a_grouped_holdout_is_kept() -> None:
    truth, groups = grouped_rows(4, groups=80)
    for ratio in ((70, 30), (50, 20, 30), (90, 10)):
        split = heldout.Holdout(ratio).splits(len(truth), truth=truth, groups=groups)[0]
        parts = [split.train, split.validation, split.test]
        kept = [part for part in parts if part is not None]
        for part, share in zip(kept, ratio, strict=True):
            assert len(part) / len(truth) == pytest.approx(share / 100, abs=0.01)
            for label in range(3):
                got = (truth[part] == label).sum() / (truth == label).sum()
                assert got == pytest.approx(share / 100, abs=0.03)


def test_no_part_is_empty_when_there_are_as_many_groups_as_parts() -> None:
    sizes = [50, 1, 1, 1, 1]
    groups = np.repeat(np.arange(5), sizes)
    for seed in range(10):
        splits: Any = heldout.KFold(5).splits(54, groups=groups, seed=seed)
        assert sorted(len(s.test) for s in splits) == sorted(sizes)
        cut = heldout.Holdout("90:10").splits(54, groups=groups, seed=seed)[0]
        assert len(cut.test)
    # the training part would be nearer to its share with both groups
    for seed in range(10):
        (cut,) = heldout.Holdout("95:5").splits(100, groups=np.arange(100) // 50, seed=seed)
        assert len(cut.train) == len(cut.test) == 50


def test_no_warning_is_given() -> None:
    truth, groups = grouped_rows(6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        heldout.KFold(5).splits(len(truth), truth=truth, groups=groups)
        # so many rows that the weights have to be scaled down
        parts = parts_of_groups(np.array([[10**8, 1], [10**8, 5], [7, 10**7]]), (667, 333), Bits(0))
    assert set(parts.tolist()) == {0, 1}


@pytest.mark.parametrize("spec", ["60x holdout 80:20", "60x holdout 60:20:20"])
@pytest.mark.parametrize("seed", [0, 1])
def test_holdouts_of_few_groups_test_every_group_by_chance(spec: str, seed: int) -> None:
    # one group has the classes' shares to the row: it was the test part of every repeat
    truth = np.concatenate([np.arange(15) < positives for positives in (3, 6, 8, 8, 9, 12)])
    groups = np.repeat(np.arange(6), 15)
    splits = heldout.parse_procedure(spec).splits(90, truth=truth, groups=groups, seed=seed)
    tested = [tuple(np.unique(groups[split.test])) for split in splits]
    often = np.bincount(np.concatenate(tested), minlength=6)
    assert often.min() >= 4
    assert often.max() <= 3 * often.mean()
    assert all(len(split.test) <= 30 for split in splits)


def test_holdouts_of_few_groups_that_each_have_one_class_still_test_all_classes() -> None:
    sizes = np.random.default_rng(0).integers(3, 12, 12)
    groups = np.repeat(np.arange(12), sizes)
    truth = groups % 2
    splits = heldout.parse_procedure("50x holdout 80:20").splits(
        len(truth), truth=truth, groups=groups
    )
    assert all(len(np.unique(truth[split.test])) == 2 for split in splits)
    tested = np.concatenate([np.unique(groups[split.test]) for split in splits])
    assert np.bincount(tested, minlength=12).min() >= 3
