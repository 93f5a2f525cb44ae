"""Small fits run in one thread of BLAS and OpenMP; afterwards all is as before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn.linear_model  # noqa: F401  brings BLAS and OpenMP

from heldout.learners.one_thread import SMALL, one_thread_if_small

pools = pytest.importorskip("threadpoolctl")


def threads() -> set[int]:
    return {one["num_threads"] for one in pools.threadpool_info()}


@pytest.mark.parametrize(
    ("X", "is_small"),
    [
        (np.zeros((10, 2)), True),
        (np.zeros((SMALL, 2)), False),
        (["a text", "another"], False),
    ],
)
def test_small_matrix_is_worth_one_thread_only(X: Any, is_small: bool) -> None:
    before = threads()
    with one_thread_if_small(X), one_thread_if_small(X):
        assert threads() == ({1} if is_small else before)
    assert threads() == before


def test_limit_ends_with_an_error_too() -> None:
    before = threads()
    with pytest.raises(RuntimeError), one_thread_if_small(np.zeros((2, 2))):
        raise RuntimeError
    assert threads() == before
