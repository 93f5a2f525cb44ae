"""Columns and tables that Python code hands over."""

from __future__ import annotations

import datetime
import decimal
import enum
import uuid
from pathlib import PurePosixPath
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.datasets.read import read_dataset
from heldout.tables.frames import raw_column
from heldout.tables.read import read_table
from tests.tables.plain import kind_of, kinds, plain

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
    (
        np.zeros((2, 2)),
        "x must have one dimension, but has the shape (2, 2); give one value for each row",
    ),
    ("spam", "x must be a list, an array or a series of values, not str"),
    ({1, 2}, "x must be a list, an array or a series of values, not set"),
    (3, "x must be a list, an array or a series of values, not int"),
]


OF_NO_KIND: list[tuple[Any, str]] = [
    ([1, "a"], "x mixes integers and texts"),
    ([PurePosixPath("a"), PurePosixPath("b")], "x holds values of type PurePosixPath"),
    (np.array([1j, 2j]), "x holds values of type complex128"),
    (pd.Categorical([1, "a"]), "the categories of x mixes integers and texts"),
    (pl.Series([object(), object()], dtype=pl.Object), "x holds values of type object"),
]


@pytest.mark.parametrize(("values", "message"), OF_NO_KIND, ids=[m for _, m in OF_NO_KIND])
def test_a_column_of_no_one_kind_is_refused_only_where_it_has_a_role(
    values: Any, message: str
) -> None:
    table = {"y": ["a", "b"], "p": [0.2, 0.9], "x": values}
    assert heldout.score(table, truth="y", score="p", positive="b")["accuracy"].value == 1
    with pytest.raises(InputError, match=message):
        heldout.score(table, truth="y", score="p", positive="b", by="x")
    with pytest.raises(InputError, match=message):
        read_dataset(pd.DataFrame(table), target="y", positive="b")
    data = read_dataset(pd.DataFrame(table), target="y", positive="b", ignore="x")
    assert [feature.name for feature in data.features] == ["p"]


def test_times_are_texts_and_bytes_that_are_no_text_are_escaped() -> None:
    assert raw_column("x", pa.array([datetime.time(9, 30)])).levels == ("09:30:00",)
    for values in (np.array([b"caf\xe9"]), [b"caf\xe9"], pa.array([b"caf\xe9"])):
        assert raw_column("x", values).levels == (r"caf\xe9",)
    known = uuid.UUID(int=7)
    assert raw_column("x", pa.array([known.bytes], pa.uuid())).levels == (str(known),)


@pytest.mark.parametrize(("values", "message"), BAD, ids=[message[:30] for _, message in BAD])
def test_bad_column_says_what_and_where(values: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        raw_column("x", values)
    assert str(caught.value) == message


class Capsule:
    """An object with the Arrow stream interface and nothing else."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


MAPPING = {"label": ["spam", "ham"], "score": [0.9, 0.2], "fold": [1, 2]}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (MAPPING, "the mapping"),
        (pd.DataFrame(MAPPING), "DataFrame"),
        (pl.DataFrame(MAPPING), "DataFrame"),
        (pl.LazyFrame(MAPPING), "LazyFrame"),
        (pa.table(MAPPING), "Table"),
        (pa.table(MAPPING).to_reader(), "RecordBatchReader"),
        (Capsule(pa.table(MAPPING)), "Capsule"),
        (
            np.array(
                [("spam", 0.9, 1), ("ham", 0.2, 2)],
                [("label", "U4"), ("score", "f8"), ("fold", "i2")],
            ),
            "the array",
        ),
        (
            [{"label": "spam", "score": 0.9, "fold": 1}, {"label": "ham", "score": 0.2, "fold": 2}],
            "the list",
        ),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_every_kind_of_table_gives_the_same_columns(source: Any, name: str) -> None:
    table = read_table(source)
    assert (table.source, table.rows) == (name, 2)
    assert table.place(1) == f"row 1 of {name}"
    assert kinds(table) == {"label": "text", "score": "float", "fold": "integer"}
    assert {key: plain(column) for key, column in table.columns.items()} == MAPPING


def test_relation_is_a_table_that_keeps_its_enum_and_is_asked_once() -> None:
    query = (
        "SELECT i, 'b'::ENUM('c', 'b', 'a') AS e, 2::HUGEINT AS h, 1.5::DECIMAL(4, 1) AS d, "
        "random() AS r, 'x' || i % 2 AS t, DATE '2026-03-01' AS day FROM range(9) rows(i)"
    )
    with duckdb.connect() as connection:
        table = read_table(connection.sql(query), name="answers")
    assert table.place(0) == "row 0 of answers"
    assert table.columns["e"].levels == ("c", "b", "a")
    assert plain(table.columns["i"]) == list(range(9))
    assert plain(table.columns["h"]) == [2] * 9
    assert plain(table.columns["d"]) == [1.5] * 9
    assert plain(table.columns["t"])[:3] == ["x0", "x1", "x0"]
    assert plain(table.columns["day"])[0] == "2026-03-01"
    assert len(set(plain(table.columns["r"]))) == 9


def test_relation_that_fails_is_bad_input() -> None:
    with duckdb.connect() as connection, pytest.raises(InputError) as caught:
        read_table(connection.sql("SELECT error('broken') AS a"))
    assert str(caught.value).startswith("the relation cannot be read: ")


def test_key_that_a_row_lacks_is_missing_there() -> None:
    assert plain(read_table([{"a": 1}, {"b": 2}]).columns["a"]) == [1, None]


def test_column_of_lists_does_not_stop_a_table() -> None:
    for source in (pd.DataFrame({"x": [[1], [2]]}), pa.table({"x": [[1], [2]]})):
        assert plain(read_table(source).columns["x"]) == ["[1]", "[2]"]


def test_base_install_reads_an_arrow_stream_by_duckdb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("heldout.tables.frames.find_spec", lambda name: None)
    table = read_table(Capsule(pa.table(MAPPING)))
    assert {key: plain(column) for key, column in table.columns.items()} == MAPPING


BAD_TABLES: list[tuple[Any, str]] = [
    (
        {"a": [1, 2], "b": [1]},
        "the mapping: column 'a' has 2 rows and column 'b' has 1; "
        "all columns must be of one length",
    ),
    ({"a": []}, "the mapping has no rows"),
    ({}, "the mapping has no columns"),
    ([], "the list has no columns"),
    (
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        "DataFrame has two columns named 'a'; rename one of them",
    ),
    (pa.table([[1], [2]], names=["a", "a"]), "Table has two columns named 'a'; rename one of them"),
    (np.zeros((2, 2)), "the array has no column names; give a mapping of names to columns"),
    (
        ["a.csv", "b.csv"],
        "row 0 of the list is str; give a mapping of column names to values for every row",
    ),
    (
        3.5,
        "cannot read a table from builtins.float; give a path, a data frame, an Arrow table, "
        "a relation or a mapping of names to columns",
    ),
]


@pytest.mark.parametrize(("source", "message"), BAD_TABLES, ids=[m[:30] for _, m in BAD_TABLES])
def test_bad_table_says_what_is_wrong(source: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_table(source)
    assert str(caught.value) == message


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


class Strange:
    """An object that says it has values, and gives none."""

    def __array__(self, *_: Any) -> Any:
        raise OSError("the server is gone")


STRANGE: list[tuple[Any, str]] = [
    (Strange(), "x (tests.tables.test_frames.Strange) cannot be read as a column: OSError: the s"),
    (pl.LazyFrame({"a": [1]}), "x (polars.lazyframe.frame.LazyFrame) cannot be read as a column"),
    (pd.DataFrame({"a": [1], "b": [2]}), "x must have one dimension, but has the shape (1, 2)"),
    (pa.table({"a": [1], "b": [2]}), "x must have one dimension, but has the shape (1, 2)"),
]


@pytest.mark.parametrize(("values", "start"), STRANGE, ids=[start[:60] for _, start in STRANGE])
def test_what_an_object_does_not_give_is_said_of_it(values: Any, start: str) -> None:
    for read in (lambda: raw_column("x", values), lambda: read_table({"x": values})):
        with pytest.raises(InputError) as caught:
            read()
        assert str(caught.value).startswith(start)


def test_a_column_is_no_table() -> None:
    for source in (pd.Series([1, 2]), pl.Series([1, 2]), pa.chunked_array([[1, 2]])):
        with pytest.raises(InputError, match=r"cannot be read as a table|one column"):
            read_table(source)
