"""Where tables come from: paths with any character, patterns, standard input, pipes."""

from __future__ import annotations

import gzip
import io
import os
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from heldout.core.errors import InputError
from heldout.tables.read import read_table
from heldout.tables.table import RawTable
from tests.tables.plain import kinds, plain

TABLE = {"label": ["spam", "ham"], "score": [0.9, 0.2]}
CSV = b"label,score\nspam,0.9\nham,0.2\n"
JSON = b'{"label": "spam", "score": 0.9}\n{"label": "ham", "score": 0.2}\n'


def parquet() -> bytes:
    file = io.BytesIO()
    pa.parquet.write_table(pa.table(TABLE), file)
    return file.getvalue()


def arrow(*, stream: bool) -> bytes:
    file = io.BytesIO()
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(file, pa.table(TABLE).schema) as writer:
        writer.write_table(pa.table(TABLE))
    return file.getvalue()


def from_stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> RawTable:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    return read_table("-")


def values(table: RawTable) -> dict[str, list[object]]:
    return {name: plain(column) for name, column in table.columns.items()}


@pytest.mark.parametrize(
    "content",
    [
        CSV,
        CSV.replace(b",", b"\t"),
        CSV.replace(b",", b" "),
        gzip.compress(CSV),
        pa.compress(CSV, codec="zstd", asbytes=True),
        b"\xef\xbb\xbf" + JSON,
        b"\n " + JSON,
        gzip.compress(JSON),
        b"[" + JSON.strip().replace(b"\n", b",") + b"]",
        parquet(),
        arrow(stream=False),
        arrow(stream=True),
    ],
    ids=[
        "csv",
        "tab",
        "space",
        "gzip",
        "zstd",
        "json",
        "json space",
        "json gzip",
        "json array",
        "parquet",
        "arrow",
        "arrow stream",
    ],
)
def test_standard_input_is_read_by_its_first_bytes(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = from_stdin(monkeypatch, content)
    assert table.source == "standard input"
    assert values(table) == TABLE


def test_rows_of_standard_input_are_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    assert from_stdin(monkeypatch, CSV).place(1) == "line 3 of standard input"


@pytest.mark.parametrize("content", [b"", b"\n\n"])
def test_empty_standard_input_is_refused(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"^standard input is empty"):
        from_stdin(monkeypatch, content)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipe_is_read_as_standard_input_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(CSV),))
    writer.start()
    table = read_table(pipe)
    writer.join()
    assert values(table) == TABLE
    assert table.source == str(pipe)


@pytest.mark.parametrize("name", ["a[1].csv", "b*.csv", "c?.csv", "it's.csv", "é ü.csv", "~x.csv"])
def test_every_character_of_a_path_means_itself(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for other in ("a1.csv", "bb.csv", "cc.csv"):
        Path(other).write_bytes(b"label,score\nwrong,1\n")
    Path(name).write_bytes(CSV)
    assert values(read_table(name)) == TABLE


def test_folder_with_an_equals_sign_adds_no_column(tmp_path: Path) -> None:
    folder = tmp_path / "fold=3"
    folder.mkdir()
    for name, content in (("a.csv", CSV), ("a.jsonl", JSON), ("a.parquet", parquet())):
        (folder / name).write_bytes(content)
        assert values(read_table(folder / name)) == TABLE


def test_name_is_what_messages_call_the_table(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(CSV)
    assert read_table(tmp_path / "a.csv", name="mine").place(0) == "line 2 of mine"


def test_files_of_a_pattern_are_one_table(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("code,score\n007,1\n8,2\n")
    (tmp_path / "2.csv.gz").write_bytes(gzip.compress(b"score;code\n0.5;9\n"))
    (tmp_path / "3.tsv").write_text("score\tcode\n\t10\n")
    pattern = str(tmp_path / "*")
    table = read_table(pattern)
    assert table.source == pattern
    assert table.parts == (
        (str(tmp_path / "1.csv"), 2),
        (str(tmp_path / "2.csv.gz"), 1),
        (str(tmp_path / "3.tsv"), 1),
    )
    assert kinds(table) == {"code": "text", "score": "float"}
    assert values(table) == {"code": ["007", "8", "9", "10"], "score": [1.0, 2.0, 0.5, None]}
    assert table.place(2) == f"line 2 of {tmp_path / '2.csv.gz'}"


def test_files_of_other_formats_are_joined_too(tmp_path: Path) -> None:
    (tmp_path / "1.parquet").write_bytes(parquet())
    (tmp_path / "2.jsonl").write_bytes(b'{"score": 1, "label": "eggs"}\n')
    (tmp_path / "3.csv").write_bytes(CSV)
    table = read_table(tmp_path / "*.*")
    assert values(table) == {
        "label": ["spam", "ham", "eggs", "spam", "ham"],
        "score": [0.9, 0.2, 1.0, 0.9, 0.2],
    }
    assert [rows for _, rows in table.parts] == [2, 1, 2]
    assert table.place(2) == f"row 1 of {tmp_path / '2.jsonl'}"


def test_pattern_goes_into_folders_and_skips_them(tmp_path: Path) -> None:
    (tmp_path / "a" / "b.csv").mkdir(parents=True)
    (tmp_path / "a" / "c.csv").write_bytes(CSV)
    table = read_table(tmp_path / "**" / "*.csv")
    assert table.parts == ((str(tmp_path / "a" / "c.csv"), 2),)


def test_one_faulty_file_of_a_pattern_is_named(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_bytes(CSV)
    (tmp_path / "2.csv").write_bytes(CSV + b"spam\n")
    with pytest.raises(InputError) as caught:
        read_table(tmp_path / "*.csv")
    assert str(caught.value).startswith(f"{tmp_path / '2.csv'} line 4 has 1 field, ")


def test_reading_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    from_stdin(monkeypatch, CSV)
    with pytest.raises(InputError):
        from_stdin(monkeypatch, CSV + b"x\n")
    assert list(tmp_path.iterdir()) == []


def test_large_file_keeps_the_order_of_its_rows(tmp_path: Path) -> None:
    rows = 300_000
    text = "row,label\n" + "".join(f"{i},class{i % 7}\n" for i in range(rows))
    (tmp_path / "a.csv").write_text(text)
    table = read_table(tmp_path / "a.csv")
    assert np.array_equal(table.columns["row"].values, np.arange(rows))
    assert np.array_equal(table.columns["label"].values, np.arange(rows) % 7)
