"""A file is not called one format and filled with another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import call

ROWS = "y,p\n" + "0,0.2\n1,0.7\n0,0.4\n1,0.6\n" * 5


@pytest.mark.parametrize(
    ("name", "form", "code"),
    [
        ("x.json", "csv", 2),
        ("x.csv", "json", 2),
        ("x.md", "table", 2),
        ("x.json", "json", 0),
        ("x.txt", "csv", 0),
        ("x.out", "csv", 0),
    ],
)
def test_ending_and_format_must_agree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, form: str, code: int
) -> None:
    source, target = tmp_path / "rows.csv", tmp_path / name
    source.write_text(ROWS)
    asked = ["score", str(source), "--truth", "y", "--score", "p"]
    done = call(capsys, *asked, "--output", str(target), "--format", form)
    assert done.code == code, done.err
    assert target.exists() == (code == 0)
    if code:
        assert f"--format is {form}" in done.err
