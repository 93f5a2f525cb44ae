"""Outcomes as bytes: what is read is what was written, or it is called damaged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.learners.outcome import Outcome
from heldout.runner.blob import Damaged, pack, unpack
from heldout.runner.join import failed
from tests.runner.making import assert_same
from tests.runner.test_join import block


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
    with pytest.raises(TypeError, match="no number"):
        pack(made)
