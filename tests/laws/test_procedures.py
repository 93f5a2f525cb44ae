"""What must hold for every procedure: parts apart, groups whole, strata even, seeds decide."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.core.errors import InputError
from heldout.procedures.parse import parse_procedure
from heldout.procedures.splits import ListedSplits, PartitionSplits, Split, Splits

SPECS = (
    "3-fold",
    "2x5-fold stratified loosely",
    "3-fold unstratified",
    "holdout 70:30",
    "2x holdout 40:20:40 stratified loosely",
    "2x holdout 2:1 unstratified",
    "loo",
    "leave-1-out",
    "bootstrap 3",
    ".632+ 3 unstratified",
    "groups",
    "time 2",
    "time 2 sliding 2 gap 1 test 1",
    "column fold",
)


@st.composite
def row_sets(draw: st.DrawFn) -> dict[str, Any]:
    """Rows with classes, groups, times with ties, and given folds."""
    n = draw(st.integers(2, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows: dict[str, Any] = {
        "n": n,
        "truth": rng.integers(0, draw(st.integers(1, 4)), n),
        "seed": draw(st.integers(0, 5)),
        "folds": rng.integers(0, 3, n),
    }
    if draw(st.booleans()):
        rows["groups"] = rng.integers(0, draw(st.integers(1, 20)), n)
    if draw(st.booleans()):
        rows["time"] = rng.integers(0, 12, n)
    return rows


def made(text: str, rows: dict[str, Any]) -> Splits:
    """The splits, of no row where they are refused."""
    try:
        return parse_procedure(text).splits(**rows)
    except InputError:
        return ListedSplits(text, rows["n"], 0, (), ())


@pytest.mark.parametrize("text", SPECS)
def test_benign_rows_are_never_refused(text: str) -> None:
    groups = None if text == "loo" else np.arange(60) // 2
    truth = np.arange(60) % 2
    rows = {"n": 60, "truth": truth, "groups": groups, "folds": truth, "time": np.arange(60)}
    assert len(made(text, rows)) > 0


@pytest.mark.parametrize("text", SPECS)
@given(rows=row_sets())
def test_laws_of_splits(text: str, rows: dict[str, Any]) -> None:
    splits = made(text, rows)
    tested: dict[int, list[int]] = {}
    for index, split in enumerate(splits):
        assert splits.place(index) == (split.repeat, split.fold)
        tested.setdefault(split.repeat, []).extend(split.test.tolist())
        parts_are_apart(split, rows["n"])
        if "groups" in rows and text != "column fold":
            groups_are_whole(split, rows["groups"])
    for found in tested.values():
        assert len(set(found)) == len(found), "a row is tested at most once a repeat"
        if isinstance(splits, PartitionSplits):
            assert len(found) == rows["n"]


def parts_are_apart(split: Split, n: int) -> None:
    parts = [part for part in (split.train, split.test, split.validation) if part is not None]
    assert all(len(part) and (np.diff(part) >= 0).all() for part in parts)
    together = np.concatenate([np.unique(part) for part in parts])
    assert len(np.unique(together)) == len(together)
    assert 0 <= together.min() <= together.max() < n
    assert len(np.unique(split.test)) == len(split.test)


def groups_are_whole(split: Split, groups: Any) -> None:
    parts = [part for part in (split.train, split.test, split.validation) if part is not None]
    held = [np.unique(groups[part]) for part in parts]
    assert len(np.unique(np.concatenate(held))) == sum(map(len, held))


@pytest.mark.parametrize("text", SPECS)
@given(rows=row_sets())
def test_same_seed_gives_same_splits_whatever_classes_and_groups_are_called(
    text: str, rows: dict[str, Any]
) -> None:
    splits = made(text, rows)
    renamed = dict(rows, truth=np.array(["z", "b", "a", "q"])[rows["truth"]])
    if "groups" in rows:
        renamed["groups"] = np.array([f"g{-value}" for value in rows["groups"]])
    assert made(text, renamed).fingerprint == splits.fingerprint
    assert pickle.loads(pickle.dumps(splits)).fingerprint == splits.fingerprint


@given(rows=row_sets(), k=st.integers(2, 12), repeats=st.integers(1, 3))
def test_strata_and_folds_are_even_to_one_row(rows: dict[str, Any], k: int, repeats: int) -> None:
    rows.pop("groups", None)
    splits = made(f"{repeats}x{k}-fold stratified loosely", rows)
    sizes = [len(split.test) for split in splits] or [0]
    assert max(sizes) - min(sizes) <= 1
    for label in np.unique(rows["truth"]):
        counts = [(rows["truth"][split.test] == label).sum() for split in splits] or [0]
        assert max(counts) - min(counts) <= 1


@given(rows=row_sets(), ratio=st.lists(st.integers(1, 60), min_size=2, max_size=3))
def test_strata_of_a_holdout_are_within_one_row_of_their_share(
    rows: dict[str, Any], ratio: list[int]
) -> None:
    rows.pop("groups", None)
    text = f"3x holdout {':'.join(map(str, ratio))} stratified loosely"
    splits = made(text, rows)
    for split in splits:
        parts = [split.train, split.validation, split.test] if len(ratio) == 3 else None
        for part, share in zip(parts or [split.train, split.test], ratio, strict=True):
            assert part is not None
            assert abs(len(part) - rows["n"] * share / sum(ratio)) < 1
            for label in np.unique(rows["truth"]):
                exact = (rows["truth"] == label).sum() * share / sum(ratio)
                assert abs((rows["truth"][part] == label).sum() - exact) < 1


@given(rows=row_sets(), n=st.integers(1, 4), gap=st.integers(0, 3))
def test_training_rows_are_earlier_than_test_rows_by_the_gap(
    rows: dict[str, Any], n: int, gap: int
) -> None:
    rows.pop("groups", None)
    rows.setdefault("time", np.arange(rows["n"]) // 2)
    splits = made(f"time {n} gap {gap}", rows)
    steps = np.unique(rows["time"], return_inverse=True)[1]
    for split in splits:
        assert steps[split.train].max() + gap < steps[split.test].min()


@given(rows=row_sets(), samples=st.integers(1, 4))
def test_bootstrap_tests_the_rows_that_it_did_not_draw(rows: dict[str, Any], samples: int) -> None:
    splits = made(f"bootstrap {samples} stratified loosely", rows)
    for split in splits:
        assert sorted({*split.train.tolist(), *split.test.tolist()}) == list(range(rows["n"]))
        if "groups" not in rows:
            assert len(split.train) == rows["n"]
            drawn = np.bincount(rows["truth"][split.train], minlength=4)
            assert drawn.tolist() == np.bincount(rows["truth"], minlength=4).tolist()
