"""Files that cannot be read: each says which file, what is wrong, where, and the fix."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from heldout.core.errors import InputError, MissingExtra
from heldout.tables.read import read_table

ROWS = b"a,b\n" + b"".join(b"%d,%d\n" % (i, zlib.crc32(b"%d" % i)) for i in range(50_000))
READ = (
    "heldout reads .csv .tsv .txt .jsonl .ndjson .json (each also with .gz or .zst), "
    ".parquet, .arrow .feather .ipc"
)


def parquet(**columns: list[int]) -> bytes:
    file = io.BytesIO()
    pa.parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def arrow(table: pa.Table) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


def twice() -> pa.Table:
    return pa.table([[1], [2]], names=["a", "a"])


def twice_in_parquet() -> bytes:
    file = io.BytesIO()
    pa.parquet.write_table(twice(), file)
    return file.getvalue()


PACKED = gzip.compress(ROWS)
ZSTD = pa.compress(ROWS, codec="zstd", asbytes=True)
PARQUET = parquet(a=[1, 2])
ARROW = arrow(pa.table({"a": [1, 2]}))
QUOTE = 'write a quote inside a quoted field twice: ""'

BAD: list[tuple[str, bytes, str]] = [
    ("empty.csv", b"", "empty.csv is empty; the first line must hold the column names"),
    ("blank.csv", b"\n \n", "blank.csv is empty; the first line must hold the column names"),
    ("header.csv", b"a,b\n", "header.csv has a header but no rows"),
    ("bare.csv", b"a,b", "bare.csv has a header but no rows"),
    ("twice.csv", b"a,b,a\n1,2,3\n", "twice.csv has two columns named 'a'; rename one of them"),
    (
        "break.csv",
        b'a,"b\nc"\n1,2\n',
        "break.csv has a line break in the column name 'b\\nc'; remove it",
    ),
    (
        "latin.csv",
        "a,b\n1,x\n2,café\n".encode("latin-1"),
        "latin.csv line 3 is not UTF-8; "
        "if it is Latin-1, convert the file: iconv -f latin1 -t utf8",
    ),
    (
        "late.csv.gz",
        gzip.compress(b"a,b\n" + b"1,x\n" * 300_000 + b"2,caf\xe9\n"),
        "late.csv.gz line 300002 is not UTF-8; if it is Latin-1, convert the file: "
        "iconv -f latin1 -t utf8",
    ),
    (
        "latin.csv.zst",
        pa.compress(b"a,b\n1,x\n2,caf\xe9\n", codec="zstd", asbytes=True),
        "latin.csv.zst line 3 is not UTF-8; if it is Latin-1, convert the file: "
        "iconv -f latin1 -t utf8",
    ),
    (
        "wide.csv",
        "a,b\n1,2\n".encode("utf-16"),
        "wide.csv is UTF-16 text; convert it: iconv -f utf-16 -t utf-8",
    ),
    (
        "wider.csv",
        "a,b\n1,2\n".encode("utf-32"),
        "wider.csv is UTF-32 text; convert it: iconv -f utf-32 -t utf-8",
    ),
    (
        "cell.csv",
        b"a,b\n1,2\n1," + 3_000_000 * b"x" + b"\n",
        "cell.csv line 3 is longer than 2,000,000 characters",
    ),
    (
        "mark.json",
        b'\xef\xbb\xbf[{"a": 1}]',
        "mark.json starts with a byte order mark; save it without one",
    ),
    ("parquet.csv", PARQUET, "parquet.csv is a Parquet file, not text; name it with .parquet"),
    ("packed.csv", PACKED, "packed.csv is compressed with gzip, not text; name it packed.csv.gz"),
    (
        "excel.csv",
        b"PK\x03\x04" + bytes(9),
        "excel.csv is a zip archive or an Excel workbook, not text; "
        "save the table as .csv or .parquet",
    ),
    (
        "binary.csv",
        bytes(range(256)),
        "binary.csv is a binary file, not text; save the table as .csv or .parquet",
    ),
    (
        "nul.csv",
        b"a,b\n" + b"1,x\n" * 300_000 + b"1,\0\n",
        "nul.csv line 300002 has a NUL byte, so it is not text; save the table as .csv or .parquet",
    ),
    (
        "short.csv",
        b"a,b\n1,2\n3\n4,5\n",
        "short.csv line 3 has 1 field, but the header has 2; "
        'repair the line, or quote a field that contains ","',
    ),
    (
        "long.tsv",
        b"a\tb\n1\t2\n3\t4\t5\n",
        "long.tsv line 3 has 3 fields, but the header has 2; "
        "repair the line, or quote a field that contains a tab",
    ),
    (
        # a fault where DuckDB starts a new thread, which then skips the row without a word
        "skipped.csv",
        b"a,b\n" + b"1,spam\n" * 1_142_857 + b"1,2,3\n",
        "skipped.csv line 1142859 has 3 fields, but the header has 2; repair the line, "
        'or quote a field that contains ","',
    ),
    (
        "open.csv",
        b'a,b\n1,2\n1,"x\n3,4\n',
        f"open.csv line 3 opens a quote that is never closed; close it, or {QUOTE}",
    ),
    ("after.csv", b'a,b\n1,"x"y\n', f"after.csv line 2 has text after a closing quote; {QUOTE}"),
    (
        "ends.csv",
        b"a,b\r\n1,2\n3,4\r\n",
        "ends.csv line 2 ends with LF, the lines before it with CRLF; "
        "make them the same (dos2unix does)",
    ),
    (
        "cut.csv.gz",
        PACKED[:-2000],
        "cut.csv.gz (gzip) ends too soon: the file was cut off; copy or make it again",
    ),
    (
        "crc.csv.gz",
        PACKED[:-8] + bytes(4) + PACKED[-4:],
        "crc.csv.gz (gzip) is damaged; copy or make it again",
    ),
    (
        "plain.csv.gz",
        ROWS,
        "plain.csv.gz is not compressed with gzip, as its name says; name it plain.csv",
    ),
    (
        "cut.csv.zst",
        ZSTD[:-2000],
        "cut.csv.zst (zstd) ends too soon: the file was cut off; copy or make it again",
    ),
    (
        "cut.jsonl.gz",
        gzip.compress(b'{"a": 1}\n' * 200_000)[:-9],
        "cut.jsonl.gz (gzip) ends too soon: the file was cut off; copy or make it again",
    ),
    ("x.xlsx", b"a", f"x.xlsx: cannot tell the format from '.xlsx'; {READ}"),
    ("predictions", b"a", f"predictions: the name has no extension; {READ}"),
    (
        "a.parquet.gz",
        b"a",
        "a.parquet.gz is compressed from outside, but .parquet files compress themselves; "
        "unpack it first (gunzip or unzstd)",
    ),
    ("empty.parquet", b"", "empty.parquet is empty"),
    ("none.parquet", parquet(a=[]), "none.parquet has no rows"),
    ("text.parquet", b"a,b\n1,2\n", "text.parquet is not a Parquet file; check what wrote it"),
    ("gzip.parquet", PACKED, "gzip.parquet is compressed with gzip, not Parquet; name it with .gz"),
    (
        "cut.parquet",
        PARQUET[:-30],
        "cut.parquet ends too soon: the file was cut off; copy or make it again",
    ),
    (
        "twice.parquet",
        twice_in_parquet(),
        "twice.parquet has two columns named 'a'; rename one of them",
    ),
    ("empty.arrow", b"", "empty.arrow is empty"),
    ("none.arrow", arrow(pa.table({"a": []})), "none.arrow has no rows"),
    ("text.arrow", b"a,b\n1,2\n", "text.arrow is not an Arrow file; check what wrote it"),
    ("twice.arrow", arrow(twice()), "twice.arrow has two columns named 'a'; rename one of them"),
    ("empty.jsonl", b"", "empty.jsonl is empty; it must hold one JSON object per line"),
    (
        "none.json",
        b"[]",
        "none.json does not hold JSON objects; write one object per line, one key per column",
    ),
    (
        "numbers.jsonl",
        b"1\n2\n",
        "numbers.jsonl does not hold JSON objects; write one object per line, one key per column",
    ),
    (
        "cut.jsonl",
        b'{"a": 1}\n{"a": 2',
        "cut.jsonl line 2 is not valid JSON: Expecting ',' delimiter at character 8",
    ),
    (
        "twice.jsonl",
        b'{"a": 1, "a": 2}\n',
        "twice.jsonl has the key 'a' twice in one object; rename one of them",
    ),
    (
        "case.jsonl",
        b'{"a": 1, "A": 2}\n',
        "case.jsonl has keys 'a' and 'A', which differ only in case; rename one of them",
    ),
    (
        "mixed.jsonl",
        b'{"a": null}\n{"a": 1}\n{"a": 2.5}\n{"a": "x"}\n',
        "mixed.jsonl: 'a' holds integers in row 2 and text in row 4; make all of them one kind",
    ),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD, ids=[name for name, _, _ in BAD])
def test_bad_file_says_what_is_wrong(
    name: str, content: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_table(name)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["damaged.parquet", "damaged.arrow"])
def test_damaged_file_is_bad_input_with_a_short_cause(name: str, tmp_path: Path) -> None:
    content = PARQUET if name.endswith("parquet") else ARROW
    middle = len(content) // 2
    (tmp_path / name).write_bytes(content[:20] + b"\xff" * (middle - 20) + content[middle:])
    with pytest.raises(InputError) as caught:
        read_table(tmp_path / name)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / name} is damaged")
    assert "\n" not in message
    assert len(message) < 300 + len(str(tmp_path))


def test_arrow_file_without_pyarrow_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.arrow").write_bytes(ARROW)
    monkeypatch.setattr("heldout.tables.read.find_spec", lambda name: None)
    with pytest.raises(MissingExtra) as caught:
        read_table(tmp_path / "a.arrow")
    assert (
        str(caught.value)
        == 'reading Arrow files needs pyarrow: pip install "heldout[arrow]", or pip install pyarrow'
    )


def test_every_cut_of_a_zstd_file_is_noticed(tmp_path: Path) -> None:
    small = pa.compress(ROWS[:400_000], codec="zstd", asbytes=True)
    for size in (1, 3, 5, 9, 100, len(small) // 2, len(small) - 1):
        (tmp_path / "a.csv.zst").write_bytes(small[:size])
        with pytest.raises(InputError, match=r"is (empty|damaged)|ends too soon|cannot be read"):
            read_table(tmp_path / "a.csv.zst")


def test_zstd_file_without_its_checksum_is_cut_off(tmp_path: Path) -> None:
    # one frame (RFC 8878): magic, flags (one segment, checksum), size, one last raw block
    block = (8 << 3 | 1).to_bytes(3, "little") + b"a,b\n1,2\n"
    (tmp_path / "a.csv.zst").write_bytes(b"\x28\xb5\x2f\xfd\x24\x08" + block)
    with pytest.raises(InputError, match="ends too soon"):
        read_table(tmp_path / "a.csv.zst")
