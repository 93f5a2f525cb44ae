"""Outcomes as bytes: what is read is what was written, or it is called damaged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.learners.outcome import Outcome
from heldout.runner.blob import LONG, Damaged, Form, pack, shorten, unpack
from heldout.runner.join import failed
from tests.runner.making import assert_same
from tests.runner.test_join import block

EDGES = [0, 1, -1, 127, 128, 255, 256, -128, -129, 2**31 - 1, 2**31, 2**32, 2**63 - 1, -(2**63)]


@given(st.lists(st.integers(0, 5), max_size=6), st.booleans())
def test_outcome_survives_bytes(sizes: list[int], scores: bool) -> None:
    made = block(7, sizes, scores)
    assert_same(unpack(pack(made)), made)


def test_infinite_missing_and_tiny_values_survive() -> None:
    values = np.array([np.inf, -np.inf, np.nan, 5e-324, -0.0])
    made = Outcome(
        np.array([0]), np.zeros(5, np.int32), np.arange(5), values, train_mean=values[:1]
    )
    read = unpack(pack(made))
    assert read.predicted.tobytes() == values.tobytes()


def test_failure_survives() -> None:
    assert unpack(pack(failed(4, "Überlauf"))).failures == ((4, "Überlauf"),)


def test_warnings_survive_and_blobs_of_before_have_none() -> None:
    said = ((7, "UserWarning: ä"), (8, "UserWarning: ä"), (8, "X: y"))
    made = replace(block(7, [1, 2]), warnings=said)
    assert unpack(pack(made)).warnings == said
    assert unpack(pack(block(7, [1, 2]))).warnings == ()


@given(st.data())
def test_any_changed_byte_is_damage(data: st.DataObject) -> None:
    blob = bytearray(pack(block(0, [2, 1])))
    place = data.draw(st.integers(0, len(blob) - 1))
    blob[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(Damaged):
        unpack(bytes(blob))


@given(st.integers(0, 400))
def test_half_a_blob_is_damage(length: int) -> None:
    blob = pack(block(0, [2, 1]))
    with pytest.raises(Damaged):
        unpack(blob[: min(length, len(blob) - 1)])


def test_objects_are_never_stored() -> None:
    made = Outcome(np.array([0]), np.zeros(1, np.int32), np.arange(1), np.array([{}], dtype=object))
    with pytest.raises(TypeError, match="not a number"):
        pack(made)


def back(array: Any) -> tuple[Any, list[Any]]:
    """The array after storing it, and the entry of the header."""
    entry, stored = shorten(array)
    made, size = Form.of(*entry).read(memoryview(bytes(8) + stored.tobytes()), 8)
    assert size == stored.nbytes
    return made, entry


def check(array: Any) -> list[Any]:
    made, entry = back(array)
    assert made.dtype == array.dtype
    assert made.shape == array.shape
    assert made.tobytes() == np.ascontiguousarray(array).tobytes()
    return entry


@pytest.mark.parametrize("length", [0, 1, LONG - 1, LONG, LONG + 1])
@pytest.mark.parametrize("dtype", ["i4", "i8", "u1", "f8", "f4", "?"])
def test_every_kind_and_length_comes_back(length: int, dtype: str) -> None:
    draw = np.random.default_rng(length)
    check(draw.integers(0, 2, length).astype(dtype))
    check(np.zeros(length, dtype=dtype))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(EDGES), min_size=1, max_size=6), st.booleans())
def test_whole_numbers_come_back_at_the_edges_of_every_width(some: list[int], wide: bool) -> None:
    array = np.resize(np.array(some, dtype=np.int64), 2 * LONG)
    check(array.reshape(2, LONG) if wide else array)


def test_what_is_short_takes_few_bytes() -> None:
    assert check(np.arange(3, 3 + LONG, dtype=np.int32))[-1] == "count"
    assert check(np.full((LONG, 3), 7))[-1] == "constant"
    assert check(np.full(LONG, np.nan))[-1] == "constant"
    assert check(np.arange(LONG) % 300)[-1] == "<u2"
    assert check(-1 - np.arange(LONG) % 2)[-1] == "|i1"


def test_values_that_only_look_alike_are_kept_apart() -> None:
    zeros = np.zeros(LONG)
    zeros[5] = -0.0
    assert check(zeros) == ["<f8", LONG]
    almost = np.arange(LONG)
    almost[3], almost[4] = almost[4], almost[3]
    assert check(almost)[-1] == "<u2"


def test_arrays_of_big_endian_machines_are_stored_as_others_are() -> None:
    made, entry = back(np.arange(LONG, dtype=">i8")[::-1])
    assert entry == ["<i8", LONG, "<u2"]
    np.testing.assert_array_equal(made, np.arange(LONG)[::-1])


def test_entries_of_before_are_read() -> None:
    array = np.array([[1.5, np.nan], [3.0, -0.0]])
    made, size = Form.of("<f8", 2, 2).read(memoryview(array.tobytes()), 0)
    assert size == 32
    np.testing.assert_array_equal(made, array)


@pytest.mark.parametrize("entry", [("|O", 3), ("<U4", 3), ("<i8", 3, "<U4")])
def test_what_is_no_number_is_refused(entry: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match="numbers of type"):
        Form.of(*entry)
