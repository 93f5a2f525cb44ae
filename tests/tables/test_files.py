"""Files of every format: the same table comes out, typed by its whole columns."""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.tables.read import read_table
from heldout.tables.table import RawTable
from tests.tables.plain import kind_of, kinds, plain

TABLE = {
    "label": ["spam", None, "ham"],
    "score": [0.25, 1.0, None],
    "fold": [1, None, 3],
    "hit": [True, False, None],
}
CSV = "label,score,fold,hit\nspam,0.25,1,true\n,1.0,NA,False\nham,,3,NULL\n"
JSON = (
    '{"label": "spam", "score": 0.25, "fold": 1, "hit": true}\n'
    '{"score": 1.0, "fold": null, "hit": false}\n{"label": "ham", "fold": 3}\n'
)


def zstd(text: str) -> bytes:
    return pa.compress(text.encode(), codec="zstd", asbytes=True)


FILES: dict[str, bytes] = {
    "a.csv": CSV.encode(),
    "bom.csv": b"\xef\xbb\xbf" + CSV.encode(),
    "windows.csv": CSV.replace("\n", "\r\n").encode(),
    "unended.csv": CSV.rstrip("\n").encode(),
    "semicolon.csv": CSV.replace(",", ";").encode(),
    "a.tsv": CSV.replace(",", "\t").encode(),
    "commas.tsv": CSV.encode(),
    "a.txt": CSV.replace(",", "|").encode(),
    "a.csv.gz": gzip.compress(CSV.encode()),
    "two.CSV.GZ": gzip.compress(CSV[:30].encode()) + gzip.compress(CSV[30:].encode()),
    "a.csv.zst": zstd(CSV),
    "two.csv.zst": zstd(CSV[:30]) + zstd(CSV[30:]),
    "a.jsonl": JSON.encode(),
    "a.ndjson": JSON.encode(),
    "a.jsonl.gz": gzip.compress(JSON.encode()),
    "a.jsonl.zst": zstd(JSON),
    "a.json": ("[" + JSON.strip().replace("\n", ",\n") + "]").encode(),
}


def read(folder: Path, name: str, content: bytes | str) -> RawTable:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_table(path)


def check(table: RawTable) -> None:
    expected = {"label": "text", "score": "float", "fold": "integer", "hit": "boolean"}
    assert kinds(table) == expected
    assert {name: plain(column) for name, column in table.columns.items()} == TABLE
    assert table.rows == 3


@pytest.mark.parametrize("name", FILES)
def test_text_and_json_files_give_the_same_table(name: str, tmp_path: Path) -> None:
    table = read(tmp_path, name, FILES[name])
    check(table)
    word, first = ("row", 1) if "json" in name else ("line", 2)
    assert table.place(0) == f"{word} {first} of {tmp_path / name}"


def test_parquet_and_arrow_files_give_the_same_table(tmp_path: Path) -> None:
    table = pa.table(TABLE)
    pa.parquet.write_table(table, tmp_path / "a.parquet")
    pa.feather.write_feather(table, tmp_path / "a.feather", compression="zstd")
    path = str(tmp_path / "a.arrow")
    with pa.OSFile(path, "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table)
    for name in ("a.parquet", "a.feather", "a.arrow"):
        found = read_table(str(tmp_path / name))
        check(found)
        assert found.place(2) == f"row 3 of {tmp_path / name}"


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["1", "-2", "-0"], "integer", [1, -2, 0]),
        (["1", " 2 "], "integer", [1, 2]),
        (["1", "1.0"], "float", [1.0, 1.0]),
        (["1", "+2", ".5", "5.", "1e3", "2E-1"], "float", [1.0, 2.0, 0.5, 5.0, 1000.0, 0.2]),
        (["1.5", "inf", "-Infinity"], "float", [1.5, math.inf, -math.inf]),
        (["007", "8"], "text", ["007", "8"]),
        (["-007", "8.5"], "text", ["-007", "8.5"]),
        ([" 007", "8.5"], "text", [" 007", "8.5"]),
        (["1_000", "2"], "text", ["1_000", "2"]),
        (["0x10", "2"], "text", ["0x10", "2"]),
        (["9223372036854775807", "-9223372036854775808"], "integer", [2**63 - 1, -(2**63)]),
        (["9223372036854775808", "1"], "text", ["9223372036854775808", "1"]),
        (["9223372036854775808", "1.5"], "text", ["9223372036854775808", "1.5"]),
        (["TRUE", "false", "NA"], "boolean", [True, False, None]),
        (["true", "1"], "text", ["true", "1"]),
        (["NA", "null", "NULL", "7"], "integer", [None, None, None, 7]),
        (["NA", "null", "x"], "text", ["NA", "null", "x"]),
        (["NA", "NA"], "text", ["NA", "NA"]),
        (["2026-03-01", "2026-03-02"], "text", ["2026-03-01", "2026-03-02"]),
        (["1,5", "2,5"], "text", ["1,5", "2,5"]),
    ],
)
def test_kind_is_what_the_texts_of_the_whole_column_say(
    texts: list[str], kind: str, values: list[Any], tmp_path: Path
) -> None:
    # the same after many rows that say less: the first ones decide nothing
    for before in (0, 700):
        lines = ["row|x", *(f"{i}|" for i in range(before)), *(f"0|{text}" for text in texts)]
        column = read(tmp_path, f"{before}.csv", "\n".join(lines)).columns["x"]
        assert kind_of(column) == kind
        assert plain(column) == [None] * before + values


@pytest.mark.parametrize("last", ["x", "1.5", "007", "true", "9223372036854775808", "1_0", ""])
def test_late_row_decides_as_an_early_one(last: str, tmp_path: Path) -> None:
    rows = ["1"] * 900
    late = read(tmp_path, "late.csv", "\n".join(["a,b", *(f"{x},0" for x in [*rows, last])]))
    early = read(tmp_path, "early.csv", "\n".join(["a,b", *(f"{x},0" for x in [last, *rows])]))
    assert late.columns["a"].kind == early.columns["a"].kind
    assert plain(late.columns["a"])[-1] == plain(early.columns["a"])[0]
    assert plain(late.columns["a"])[0] == plain(early.columns["a"])[-1]


def test_nan_is_a_float_and_an_empty_field_is_missing(tmp_path: Path) -> None:
    column = read(tmp_path, "a.csv", "a,b\nNaN,1\n,2\n0.5,3\n").columns["a"]
    assert math.isnan(column.values[0])
    assert column.missing is not None
    assert column.missing.tolist() == [False, True, False]


def test_quoted_empty_field_is_a_text(tmp_path: Path) -> None:
    assert plain(read(tmp_path, "a.csv", 'a,b\n"",x\n,y\n').columns["a"]) == ["", None]


NUMBER = re.compile(
    r"[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)(e[+-]?\d+)?|[+-]?(nan|inf)", re.IGNORECASE | re.ASCII
)


@given(st.lists(st.text("0179.-+e_ naifx", max_size=5), min_size=1, max_size=4))
def test_number_is_what_the_rule_says(tmp_path_factory: Any, texts: list[str]) -> None:
    folder = tmp_path_factory.mktemp("number")
    column = read(folder, "a.csv", "row,x\n" + "".join(f"1,{text}\n" for text in texts)).columns[
        "x"
    ]
    absent = [text.strip(" ").lower() in ("", "na") for text in texts]
    present = [text.strip(" ") for text, gone in zip(texts, absent, strict=True) if not gone]
    if present and all(re.fullmatch(r"-?(0|[1-9]\d*)", text) for text in present):
        assert column.kind == "integer"
        values: list[Any] = [None if g else int(t) for t, g in zip(texts, absent, strict=True)]
    elif present and all(NUMBER.fullmatch(text) for text in present):
        assert column.kind == "float"
        values = [None if g else float(t) for t, g in zip(texts, absent, strict=True)]
    else:
        assert kind_of(column) == "text"
        values = [text or None for text in texts]
    assert str(plain(column)) == str(values)  # as text, for there NaN is NaN


FIELD = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)


@given(st.lists(st.tuples(FIELD, FIELD), max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_any_text_comes_back_as_it_was(tmp_path_factory: Any, rows: list[Any], end: str) -> None:
    written = io.StringIO()
    writer = csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator=end)
    writer.writerows([("one", 'a, " b'), ("x", "y"), *rows])
    table = read(tmp_path_factory.mktemp("text"), "a.csv", written.getvalue())
    assert list(table.columns) == ["one", 'a, " b']
    columns = [plain(column) for column in table.columns.values()]
    assert list(zip(*columns, strict=True)) == [("x", "y"), *rows]


def test_rows_are_numbered_where_lines_are_not_rows(tmp_path: Path) -> None:
    inside = read(tmp_path, "inside.csv", 'a,b\n1,"x\ny"\n2,z\n')
    blank = read(tmp_path, "blank.csv", "a,b\n1,x\n\n2,z\n")
    ending = read(tmp_path, "ending.csv", "a,b\n1,x\n2,z\n\n\n")
    assert inside.place(1) == f"row 2 of {tmp_path / 'inside.csv'}"
    assert blank.place(1) == f"row 2 of {tmp_path / 'blank.csv'}"
    assert ending.place(1) == f"line 3 of {tmp_path / 'ending.csv'}"


def test_json_objects_may_have_hundreds_of_keys(tmp_path: Path) -> None:
    row = "{" + ", ".join(f'"p_{i}": 0.5' for i in range(300)) + "}\n"
    table = read(tmp_path, "a.jsonl", row * 3 + '{"late": 1}\n')
    assert len(table.columns) == 301
    assert plain(table.columns["p_299"]) == [0.5, 0.5, 0.5, None]
    assert plain(table.columns["late"]) == [None, None, None, 1]


def test_delimiter_that_the_name_promises_is_taken_where_it_occurs(tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", "a,b;c;d\n1,x;y;z\n")
    assert list(table.columns) == ["a", "b;c;d"]
    assert list(read(tmp_path, "a.txt", "a b;c d\n1;2\n").columns) == ["a b", "c d"]


def test_very_many_columns_are_typed_as_few_are(tmp_path: Path) -> None:
    few = {
        "whole": ["1", "-7", "NA"],
        "part": ["0.5", "", "1e3"],
        "hit": ["true", "False", "null"],
        "name": ["b", "a", "b"],
        "comma": ['"a,b"', '""', ""],
        "code": ["007", "1", "2"],
        "none": ["", "", ""],
    }
    many = {f"{name}{i}": values for i in range(300) for name, values in few.items()}
    for name, texts in (("few.csv", few), ("many.csv", many)):
        lines = [texts, *zip(*texts.values(), strict=True)]
        (tmp_path / name).write_text("".join(",".join(line) + "\n" for line in lines))
    expected = read_table(tmp_path / "few.csv").columns
    columns = read_table(tmp_path / "many.csv").columns
    assert list(columns) == list(many)
    for i in range(300):
        for name, column in expected.items():
            other = columns[f"{name}{i}"]
            assert (other.kind, other.levels, plain(other)) == (
                column.kind,
                column.levels,
                plain(column),
            )
