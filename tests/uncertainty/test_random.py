"""Streams of random numbers."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.core.errors import InputError
from heldout.core.random import generator, stream


def test_same_seed_and_name_give_the_same_numbers() -> None:
    assert np.array_equal(stream(7, "auc").random(5), stream(7, "auc").random(5))
    assert np.array_equal(generator(7).random(5), generator(7).random(5))


def test_streams_differ_by_seed_by_name_and_by_where_a_name_ends() -> None:
    first = [
        stream(1, "a", "b").random(),
        stream(1, "ab").random(),
        stream(1, "a").random(),
        stream(2, "a").random(),
        generator(1).random(),
    ]
    assert len(set(first)) == 5


def test_numbers_of_a_stream_are_fixed_for_all_time() -> None:
    # users publish a seed: a change here changes their numbers
    assert stream(1, "confusion", "drawn").integers(0, 1000, 4).tolist() == [809, 234, 232, 483]


def test_streams_are_uncorrelated() -> None:
    drawn = np.array([stream(3, f"measure {i}").standard_normal(2000) for i in range(8)])
    correlation = np.corrcoef(drawn) - np.eye(8)
    assert np.abs(correlation).max() < 0.1


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True, None])
def test_seed_that_is_no_whole_number_is_refused(seed: object) -> None:
    with pytest.raises(InputError, match="a seed is a whole number"):
        generator(seed)
