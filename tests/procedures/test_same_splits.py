"""Splits of fixed seeds, written down: a change of NumPy, platform or code would be noticed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from heldout.core.errors import InputError
from heldout.core.portable import Bits, draws, permutation
from heldout.procedures.parse import parse_procedure
from heldout.procedures.splits import LazySplits

ROWS = {
    "n": 120,
    "truth": np.arange(120) % 3,
    "groups": np.arange(120) * 7 % 31,
    "time": np.arange(120) // 2,
    "folds": np.arange(120) % 4,
    "seed": 42,
}

FINGERPRINTS = {
    "10-fold ungrouped": "3e5c709ef3fc6be7974dc03b28c7f44a",
    "10x10-fold ungrouped": "9f8e60528d472a7bc02e7029036847b4",
    "5-fold": "b4ecea7994348b65f0d529041c7bb6b2",
    "5-fold unstratified": "db505f10770e069018b603eeaea82ac7",
    "5x2-fold": "9225d966ffc3f0e131611d0922774877",
    "holdout 70:30": "e225be34602cc4969ce2b2e4fcd17986",
    "3x holdout 50:20:30 ungrouped": "adaccfa92c48bdf2bf4af924f3860bf9",
    "holdout 2:1 ungrouped unstratified": "6e8088814a972fe81d187d92d0b49f6c",
    "loo ungrouped": "4b51ffee09d99692b5055cd9d0814660",
    "leave-2-out": "e17f8687ca71be9ad8acbe383d8a30df",
    "leave-2-out ungrouped": "6fb3fd1515751d562cac826b8d81569e",
    "bootstrap 20": "3f83bce1a8d9762929898a2a6483e1da",
    "bootstrap 20 ungrouped": "58cf183cbd7ff1925473d88c30993369",
    ".632+ 20 ungrouped unstratified": "f06771a320fb5c7425aa3680cdcfb1ef",
    "groups": "97e2f0bd12c31242204d44d7edc0dc47",
    "time 5": "3bf6403c30ccca80a9ce9ec20a4e6687",
    "time 5 sliding 10 gap 2 test 4 ungrouped": "b0ba49c56239bae4cbe5ad426c8416a9",
    "column fold": "bea3d689684dea85174149ce6e614307",
    "10-fold ungrouped seed 7": "95fb479964c865d83288b907f30f7e1b",
}


def test_raw_orders_and_draws_are_as_written_down() -> None:
    assert permutation(10, 0).tolist() == [8, 9, 4, 1, 0, 3, 6, 2, 5, 7]
    assert permutation(10, 7, "rows", 3).tolist() == [0, 2, 1, 8, 3, 7, 4, 5, 9, 6]
    assert draws(10, 100, 0).tolist() == [20, 99, 91, 94, 65, 24, 68, 31, 18, 47]


def test_key_of_another_kind_is_another_key() -> None:
    orders = [permutation(30, 1, *keys).tolist() for keys in ((1,), ("1",), (1, 1), (), (2,))]
    assert len({tuple(order) for order in orders}) == 5


def test_draws_are_even() -> None:
    counts = np.bincount(draws(70_000, 7, 3), minlength=7)
    assert abs(counts - 10_000).max() < 400
    # two and a half times this are all words: the last fifth would favour the lower half
    most = 2**64 * 2 // 5
    share = (Bits(1).draws(4000, most) < most // 2).mean()
    assert abs(share - 0.5) < 0.03


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True, None])
def test_seed_that_is_no_whole_number_is_refused(seed: object) -> None:
    with pytest.raises(InputError, match="a seed is a whole number from 0"):
        permutation(3, seed)


@pytest.mark.parametrize("text", FINGERPRINTS)
def test_fingerprint_is_as_written_down(text: str) -> None:
    assert parse_procedure(text).splits(**ROWS).fingerprint == FINGERPRINTS[text]


def test_rows_of_small_splits_are_as_written_down() -> None:
    known = {"truth": np.arange(12) % 3, "seed": 1}
    folds: Any = parse_procedure("3-fold").splits(12, **known)
    assert folds.assignment.tolist() == [[2, 1, 2, 1, 0, 0, 0, 1, 2, 0, 2, 1]]
    cut: Any = parse_procedure("holdout 50:20:30").splits(12, **known)[0]
    assert cut.train.tolist() == [1, 2, 3, 6, 8, 10]
    assert cut.validation.tolist() == [5, 7]
    assert cut.test.tolist() == [0, 4, 9, 11]
    sample = parse_procedure("bootstrap 1").splits(12, **known)[0]
    assert sample.train.tolist() == [0, 1, 2, 4, 5, 6, 6, 8, 9, 10, 10, 11]
    assert sample.test.tolist() == [3, 7]


def test_seed_and_repeat_change_the_splits() -> None:
    procedure = parse_procedure("2x5-fold")
    found: Any = [procedure.splits(50, seed=seed) for seed in (1, 2)]
    one, other = found
    assert one.fingerprint != other.fingerprint
    assert (one.assignment[0] != one.assignment[1]).any()


def test_first_repeat_does_not_depend_on_how_many_there_are() -> None:
    found: Any = [parse_procedure(f"{r}x5-fold").splits(50, seed=3) for r in (1, 4)]
    few, many = found
    assert (many.assignment[0] == few.assignment[0]).all()


def test_own_random_state_goes_before_the_seed() -> None:
    procedure = parse_procedure("5-fold seed 9")
    assert procedure.splits(50, seed=1).fingerprint == procedure.splits(50, seed=2).fingerprint
    assert (
        procedure.splits(50).fingerprint == parse_procedure("5-fold").splits(50, seed=9).fingerprint
    )


@pytest.mark.parametrize("text", ["30x holdout", "bootstrap 30", "leave-2-out"])
def test_splits_made_on_demand_are_those_that_are_listed(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    procedure = parse_procedure(text)
    listed = procedure.splits(80)
    monkeypatch.setattr("heldout.procedures.splits.MOST_LISTED", 0)
    made = procedure.splits(80)
    assert isinstance(made, LazySplits)
    assert made.fingerprint == listed.fingerprint
    assert [made.place(i) for i in range(len(made))] == [(s.repeat, s.fold) for s in listed]
    assert made[-1].test.tolist() == listed[-1].test.tolist()


def test_leave_one_out_of_many_rows_is_small_and_quick() -> None:
    splits: Any = parse_procedure("loo").splits(100_000, truth=np.zeros(100_000))
    assert len(splits) == 100_000
    assert splits.assignment.nbytes <= 400_000
    assert splits[99_999].test.tolist() == [99_999]
    assert len(splits[5].train) == 99_999
