"""A slice column of numbers names something, unless it has nearly as many values as rows."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError

TRUTH = np.arange(2000) % 2


def test_a_hundred_whole_numbers_with_rows_enough_are_slices() -> None:
    made = heldout.from_arrays(TRUTH, TRUTH, pos_label=1, slices={"site": np.arange(2000) // 20})
    assert len(made.slices[0].levels) == 100


def test_an_amount_is_refused() -> None:
    with pytest.raises(InputError, match="different numbers"):
        heldout.from_arrays(TRUTH, TRUTH, pos_label=1, slices={"age": np.arange(2000) / 7})
