"""Tables that Python code hands over: all of them give the same columns."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from heldout.core.errors import InputError
from heldout.tables.read import read_table
from tests.predictions.plain import kinds, plain


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
