"""Compressed files that were cut off say so, however little of them is left."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import heldout

ROWS = b"truth,pred\n" + b"1,1\n0,0\n1,0\n" * 50


def packed(name: str, folder: Path) -> bytes:
    if name.endswith(".gz"):
        return gzip.compress(ROWS)
    import duckdb

    path = folder / "whole.csv.zst"
    duckdb.sql(
        "COPY (SELECT i % 2 AS truth, i % 3 = 0 AS pred FROM range(150) t(i)) "
        f"TO '{path}' (FORMAT csv, COMPRESSION zstd)"
    )
    return path.read_bytes()


@pytest.mark.parametrize("name", ["a.csv.gz", "a.csv.zst", "a.jsonl.zst"])
def test_a_compressed_file_that_was_cut_off_is_not_called_empty(name: str, tmp_path: Path) -> None:
    whole = packed(name, tmp_path)
    path = tmp_path / name
    for size in (4, 6, 9, 13, 17, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(
            heldout.InputError, match="ends too soon: the file was cut off; copy or"
        ):
            heldout.read_predictions(path)
    path.write_bytes(b"")
    with pytest.raises(heldout.InputError, match="is empty"):
        heldout.read_predictions(path)


def test_a_file_that_is_not_compressed_is_told_by_its_first_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.zst"
    path.write_bytes(ROWS)
    with pytest.raises(heldout.InputError, match="not compressed with zstd, as its name says"):
        heldout.read_predictions(path)
