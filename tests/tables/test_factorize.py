"""Codes and levels of long arrays, held against NumPy's own answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from heldout.tables.column import factorize, factorize_few

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9)


def agrees(values: NDArray) -> None:
    codes, levels = factorize(values)
    expected, inverse = np.unique(values, return_inverse=True)
    assert codes.dtype == np.int32
    assert list(levels) == expected.tolist()
    assert codes.tolist() == inverse.tolist()


@given(st.lists(TEXTS))
def test_fixed_width_texts_agree_with_numpy(texts: list[str]) -> None:
    agrees(np.array(texts, np.str_))


@given(st.lists(TEXTS))
def test_texts_as_objects_agree_with_numpy(texts: list[str]) -> None:
    values = np.empty(len(texts), object)
    values[:] = texts
    agrees(values)


@given(st.lists(TEXTS))
def test_bytes_are_read_as_utf8(texts: list[str]) -> None:
    values = np.array([text.encode() for text in texts], np.bytes_)
    codes, levels = factorize(values)
    assert [levels[code] for code in codes] == texts
    assert list(levels) == sorted(set(texts))


@given(
    st.sampled_from(["int8", "uint8", "int16", "uint32", "int64", "uint64"]).flatmap(
        lambda kind: st.lists(
            st.integers(int(np.iinfo(kind).min), int(np.iinfo(kind).max))
            | st.integers(0, 3)
            | st.just(int(np.iinfo(kind).max))
        ).map(lambda numbers: np.array(numbers, kind))
    )
)
def test_integers_of_every_width_agree_with_numpy(values: NDArray) -> None:
    agrees(values)


@given(st.lists(st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0])))
def test_floats_agree_with_numpy(numbers: list[float]) -> None:
    agrees(np.array(numbers, np.float64))


@given(st.lists(st.booleans()))
def test_booleans_agree_with_numpy(values: list[bool]) -> None:
    codes, levels = factorize(np.array(values, bool))
    assert [levels[code] for code in codes] == values
    assert all(type(level) is bool for level in levels)


def test_every_nan_is_one_level_and_the_last() -> None:
    values = np.array([np.nan, 1.0, -np.nan, np.inf])
    codes, levels = factorize(values)
    assert codes.tolist() == [2, 0, 2, 1]
    assert levels[:2] == (1.0, np.inf)
    assert np.isnan(levels[2])
    assert np.isnan(values[0]), "the values themselves are not touched"


@pytest.mark.parametrize("width", [1, 2, 5, 12])
@pytest.mark.parametrize("classes", [1, 7, 3000, 70_000])
def test_many_rows_and_classes_agree_with_numpy(width: int, classes: int) -> None:
    rng = np.random.default_rng(classes)
    names = np.array(["é" * width + str(number) for number in range(classes)])
    agrees(names[rng.permutation(200_000) % classes])


def test_spread_out_integers_agree_with_numpy() -> None:
    rng = np.random.default_rng(3)
    agrees(rng.integers(0, 500, 60_000) * 10**15)
    agrees(rng.integers(0, 2**62, 60_000))


def test_strided_and_foreign_byte_order_agree_with_numpy() -> None:
    texts = np.array(["b", "a", "c", "a"] * 5000)
    agrees(texts[::2])
    agrees(texts.astype(">U3"))


def test_values_are_given_up_when_there_are_too_many() -> None:
    texts = np.array([f"id{i}" for i in range(100_000)])
    assert factorize_few(texts, 99_999) is None
    assert factorize_few(texts.astype(object), 99_999) is None
    found = factorize_few(texts, 100_000)
    assert found is not None
    assert len(found[1]) == 100_000


def test_class_that_comes_late_is_found() -> None:
    texts = np.array(["a", "b"] * 50_000 + ["zz"])
    codes, levels = factorize(texts)
    assert levels == ("a", "b", "zz")
    assert codes[-1] == 2
    assert codes[-2] == 1
