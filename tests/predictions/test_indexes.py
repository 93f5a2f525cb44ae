"""Series of pandas are matched by position, which is said where their indexes differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat

pandas = pytest.importorskip("pandas")

TRUTH = np.array([0, 1, 1, 0])
SCORE = np.array([0.2, 0.9, 0.4, 0.1])


def notes(**given: Any) -> list[str]:
    made = karat.score(intervals=False, **given).notes
    return [note for note in made if "by position" in note]


def test_an_index_in_another_order_is_said_with_the_way_to_align() -> None:
    (note,) = notes(y_true=pandas.Series(TRUTH, index=[3, 2, 1, 0]), y_score=pandas.Series(SCORE))
    assert note.startswith("y_score: the index of y_true in another order")
    assert "reindex" in note


def test_other_indexes_are_said_together() -> None:
    (note,) = notes(
        y_true=pandas.Series(TRUTH, index=[10, 11, 12, 13]),
        y_score=pandas.DataFrame({"0": 1 - SCORE, "1": SCORE}),
        sample_weight=pandas.Series([1.0, 1, 1, 1]),
        slices={"half": pandas.Series([1, 1, 2, 2], index=[10, 11, 12, 13])},
    )
    assert note.startswith("sample_weight and y_score: another index than y_true")


def test_equal_indexes_and_arrays_are_not_remarked_on() -> None:
    index = ["a", "b", "c", "d"]
    series = [pandas.Series(column, index=index) for column in (TRUTH, SCORE)]
    assert not notes(y_true=series[0], y_score=series[1])
    assert not notes(y_true=series[0], y_score=SCORE)
    assert not notes(y_true=TRUTH, y_score=series[1])
