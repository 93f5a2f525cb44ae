"""Columns and tables from what Python code hands over, each typed as a whole."""

from __future__ import annotations

import datetime
import decimal
import enum
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from heldout.core.errors import InputError
from heldout.tables.frames import raw_column
from tests.predictions.plain import kind_of, plain

NAN = float("nan")
DAY = datetime.date(2026, 3, 1)


class Grade(str, enum.Enum):  # noqa: UP042  what older code has
    """Labels as some programs keep them."""

    GOOD = "good"
    BAD = "bad"


CASES: list[tuple[str, Any, str, list[Any]]] = [
    ("list of int", [1, 2], "integer", [1, 2]),
    ("tuple of int and None", (1, None), "integer", [1, None]),
    ("int and float", [1, 2.5], "float", [1.0, 2.5]),
    ("int and None and float", [None, 2, 0.5], "float", [None, 2.0, 0.5]),
    ("bool", [True, None, False], "boolean", [True, None, False]),
    ("text", ["b", None, "a"], "text", ["b", None, "a"]),
    ("text with NaN", ["b", NAN, "a"], "text", ["b", None, "a"]),
    ("bool with NaN", [True, NAN], "boolean", [True, None]),
    ("text of an enum", [Grade.GOOD, Grade.BAD], "text", ["good", "bad"]),
    ("bytes", [b"caf\xc3\xa9"], "text", ["café"]),
    ("decimal", [decimal.Decimal("0.5"), None], "float", [0.5, None]),
    ("dates", [DAY, None], "text", ["2026-03-01", None]),
    ("beyond 64 bits", [2**63, 1], "text", [str(2**63), "1"]),
    ("range", range(3), "integer", [0, 1, 2]),
    ("generator", (x for x in "ab"), "text", ["a", "b"]),
    ("nothing but None", [None, None], "text", [None, None]),
    ("NumPy scalars", [np.int8(1), np.float32(0.5)], "float", [1.0, 0.5]),
    ("int8", np.array([1, -1], np.int8), "integer", [1, -1]),
    ("uint64", np.array([1, 2], np.uint64), "integer", [1, 2]),
    ("uint64 beyond", np.array([1, 2**63], np.uint64), "text", ["1", str(2**63)]),
    ("float16", np.array([0.5], np.float16), "float", [0.5]),
    ("bool array", np.array([True, False]), "boolean", [True, False]),
    ("object array", np.array(["x", None], object), "text", ["x", None]),
    ("fixed width", np.array(["x", "yy"]), "text", ["x", "yy"]),
    ("fixed bytes", np.array([b"x", b"yy"]), "text", ["x", "yy"]),
    ("days", np.array(["2026-03-01", "NaT"], "M8[ns]"), "text", ["2026-03-01", None]),
    ("seconds", np.array(["2026-03-01T05"], "M8[ns]"), "text", ["2026-03-01T05:00:00"]),
    ("masked", np.ma.MaskedArray([1, 2], [True, False]), "integer", [None, 2]),
    ("masked text", np.ma.MaskedArray(["a", "b"], [True, False]), "text", [None, "b"]),
    ("pandas Int64", pd.array([1, None], dtype="Int64"), "integer", [1, None]),
    ("pandas boolean", pd.Series([True, None], dtype="boolean"), "boolean", [True, None]),
    ("pandas Float32", pd.Series([0.5, None], dtype="Float32"), "float", [0.5, None]),
    ("pandas object", pd.Series(["b", None], dtype=object), "text", ["b", None]),
    ("pandas string", pd.Series(["b", None], dtype="string"), "text", ["b", None]),
    ("pandas text", pd.Series(["b", "a"]), "text", ["b", "a"]),
    ("pandas Arrow", pd.Series([1, None], dtype="int64[pyarrow]"), "integer", [1, None]),
    ("pandas index", pd.Index([3, 1]), "integer", [3, 1]),
    ("pandas sparse", pd.Series(pd.arrays.SparseArray([0, 1])), "integer", [0, 1]),
    ("pandas period", pd.Series(pd.period_range("2026-03", periods=1)), "text", ["2026-03-01"]),
    ("polars int", pl.Series([1, None]), "integer", [1, None]),
    ("polars bool", pl.Series([True, None]), "boolean", [True, None]),
    ("polars text", pl.Series(["b", None, "a"]), "text", ["b", None, "a"]),
    ("polars categorical", pl.Series(["b", "a"], dtype=pl.Categorical), "text", ["b", "a"]),
    ("polars decimal", pl.Series([decimal.Decimal("0.5")]), "float", [0.5]),
    ("polars date", pl.Series([DAY, None]), "text", ["2026-03-01", None]),
    ("Arrow int", pa.array([1, None]), "integer", [1, None]),
    ("Arrow bool", pa.array([True, None]), "boolean", [True, None]),
    ("Arrow half", pa.array(np.array([0.5], np.float16)), "float", [0.5]),
    ("Arrow text", pa.chunked_array([["b"], ["a", None]]), "text", ["b", "a", None]),
    ("Arrow decimal", pa.array([decimal.Decimal("0.5")]), "float", [0.5]),
    ("Arrow whole decimal", pa.array([decimal.Decimal(2**60 + 1)]), "integer", [2**60 + 1]),
    ("Arrow date", pa.array([DAY, None]), "text", ["2026-03-01", None]),
    ("Arrow null", pa.array([None, None]), "text", [None, None]),
]


@pytest.mark.parametrize(
    ("values", "kind", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_column_has_one_kind_and_its_values(values: Any, kind: str, expected: list[Any]) -> None:
    column = raw_column("x", values)
    assert kind_of(column) == kind
    assert plain(column) == expected


def test_nan_is_a_float_and_none_is_missing() -> None:
    column = raw_column("x", [NAN, None, 1.0])
    assert np.isnan(column.values[0])
    assert column.missing is not None
    assert column.missing.tolist() == [False, True, False]
    assert raw_column("x", pd.Series([NAN, 1.0])).missing is None


def test_mask_that_hides_nothing_is_no_mask() -> None:
    assert raw_column("x", np.ma.MaskedArray([1, 2], [False, False])).missing is None
    assert raw_column("x", pd.Series([1, 2], dtype="Int64")).missing is None


@pytest.mark.parametrize("kind", [np.float64, np.int64, np.bool_])
def test_plain_arrays_are_not_copied(kind: Any) -> None:
    values = np.zeros(5, kind)
    assert raw_column("x", values).values is values


@pytest.mark.parametrize(
    "values",
    [
        pd.Categorical(["a", "b", None], categories=["b", "c", "a"]),
        pl.Series(["a", "b", None], dtype=pl.Enum(["b", "c", "a"])),
        pa.DictionaryArray.from_arrays(pa.array([2, 0, None]), pa.array(["b", "c", "a"])),
        pa.chunked_array(
            [
                pa.DictionaryArray.from_arrays(pa.array([2]), pa.array(["b", "c", "a"])),
                pa.DictionaryArray.from_arrays(pa.array([1, None]), pa.array(["a", "b"])),
            ]
        ),
    ],
    ids=["pandas", "polars", "Arrow", "Arrow chunks"],
)
def test_declared_levels_keep_their_order_and_those_without_rows(values: Any) -> None:
    column = raw_column("x", values)
    assert column.kind == "category"
    assert column.levels == ("b", "c", "a")
    assert plain(column) == ["a", "b", None]


def test_levels_that_texts_have_are_in_ascending_order() -> None:
    for values in (["b", "é", "a"], pd.Series(["b", "é", "a"]), pl.Series(["b", "é", "a"])):
        assert raw_column("x", values).levels == ("a", "b", "é")


def test_categories_may_be_numbers() -> None:
    column = raw_column("x", pd.Categorical([3, 1], categories=[3, 2, 1]))
    assert column.levels == (3, 2, 1)


def test_texts_that_do_not_repeat_stay_texts() -> None:
    texts = [f"id{i}" for i in range(5000)]
    forms = [texts, np.array(texts), pd.Series(texts), pl.Series(texts), pa.array(texts)]
    for values in forms:
        column = raw_column("x", values)
        assert column.kind == "text"
        assert column.values.tolist() == texts


BAD: list[tuple[Any, str]] = [
    (
        ["a", NAN, 2.5],
        "x mixes texts and floats: row 0 is 'a', row 2 is 2.5; make all of them one kind",
    ),
    ([1, "a"], "x mixes integers and texts: row 0 is 1, row 1 is 'a'; make all of them one kind"),
    (
        [None, "a", 2.5],
        "x mixes texts and floats: row 1 is 'a', row 2 is 2.5; make all of them one kind",
    ),
    (
        [1, 2.5, True],
        "x mixes integers and truth values: row 0 is 1, row 2 is True; make all of them one kind",
    ),
    (
        np.array([1, "a"], object),
        "x mixes integers and texts: row 0 is 1, row 1 is 'a'; make all of them one kind",
    ),
    (
        [1, [2]],
        "x mixes integers and values of type list: row 0 is 1, row 1 is [2]; "
        "make all of them one kind",
    ),
    (
        [None, {"a": 1}],
        "x holds values of type dict (first: row 1); "
        "give truth values, numbers, texts, categories or dates",
    ),
    (
        np.array([1j]),
        "x holds values of type complex128; give truth values, numbers, texts, categories or dates",
    ),
    (np.zeros((2, 2)), "x must have one dimension, but has the shape (2, 2)"),
    ("spam", "x must be a list, an array or a series of values, not str"),
    ({1, 2}, "x must be a list, an array or a series of values, not set"),
    (3, "x must be a list, an array or a series of values, not int"),
    (np.array([b"\xe9"]), "x holds bytes that are not UTF-8; decode them first"),
]


@pytest.mark.parametrize(("values", "message"), BAD, ids=[message[:30] for _, message in BAD])
def test_bad_column_says_what_and_where(values: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        raw_column("x", values)
    assert str(caught.value) == message
