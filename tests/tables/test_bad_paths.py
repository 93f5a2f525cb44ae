"""Paths that lead to no table: missing files, folders, patterns of files that do not fit."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from heldout.core.errors import InputError
from heldout.tables.read import read_table


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("prediction.csv", "no such file: prediction.csv; did you mean predictions.csv?"),
        ("zzz.csv", "no such file: zzz.csv"),
        ("", "the name of a file is empty; give a path"),
        ("other.tsv", "no such file: other.tsv; did you mean other.csv?"),
        ("there/a.csv", "no such file: there/a.csv (there is no folder there)"),
        ("link.csv", "no such file: link.csv (it is a link to gone.csv, which is not there)"),
        ("void", "void is a folder without files to read"),
        ("runs/*.csv", "no file matches runs/*.csv"),
        (
            "*.csv",
            "predictions.csv has no column 'c', but other.csv has; "
            "files read as one table need the same columns",
        ),
        (
            "p*",
            "predictions.csv has no column 'a', but part.parquet has; "
            "files read as one table need the same columns",
        ),
    ],
)
def test_path_that_leads_nowhere_says_so(
    source: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("predictions.csv").write_bytes(b"b,d\n1,2\n")
    Path("other.csv").write_bytes(b"b,c\n1,2\n")
    for folder in ("runs", "void"):
        Path(folder).mkdir()
    Path("link.csv").symlink_to("gone.csv")
    for path in ("part.parquet", "runs/a.parquet"):
        pa.parquet.write_table(pa.table({"a": [1, 2]}), path)
    with pytest.raises(InputError) as caught:
        read_table(source)
    assert str(caught.value) == message
