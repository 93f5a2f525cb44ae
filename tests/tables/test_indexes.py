"""Series of pandas are matched by position: other indexes are said, other orders refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout

pandas = pytest.importorskip("pandas")

TRUTH = np.array([0, 1, 1, 0])
SCORE = np.array([0.2, 0.9, 0.4, 0.1])


def notes(**given: Any) -> list[str]:
    made = heldout.score(intervals=False, **given).notes
    return [note for note in made if "by position" in note]


def test_an_index_in_another_order_is_refused_with_the_way_to_align() -> None:
    truth, score = pandas.Series(TRUTH, index=[3, 2, 1, 0]), pandas.Series(SCORE)
    with pytest.raises(heldout.InputError) as caught:
        heldout.score(truth, y_score=score)
    assert str(caught.value) == (
        "y_score has the index of y_true in another order (first: position 0, 3 and 0), and rows "
        "are matched by position: give y_score.reindex(y_true.index), or reset the index of both "
        "where the rows are in the same order"
    )
    aligned = heldout.score(truth, y_score=score.reindex(truth.index), intervals=False)
    by_hand = heldout.score(TRUTH, y_score=SCORE[::-1].copy(), intervals=False)
    assert aligned["auc"].value == by_hand["auc"].value


def test_tables_without_ids_are_not_compared_in_another_order_of_their_index() -> None:
    frame = pandas.DataFrame({"truth": TRUTH, "score": SCORE})
    other = frame.iloc[[3, 1, 2, 0]]  # the truth is the same row by row
    with pytest.raises(
        heldout.InputError, match=r"table 2 has the index of table 1 in another ord"
    ):
        heldout.compare(frame, other, measures="auc")
    with_ids = [table.assign(id=table.index) for table in (frame, other)]
    assert heldout.compare(*with_ids, measures="auc")["auc"].value == 0


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
