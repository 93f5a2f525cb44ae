"""The table of models in the README is what the command prints."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.running import call


def test_the_table_of_models_shown_is_what_is_printed(
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    text = (root / "README.md").read_text(encoding="utf-8")
    start = text.index("$ heldout evaluate")
    block = text[start : text.index("```", start)]
    command, _, shown = block.partition("\n")
    done = call(capsys, *shlex.split(command.removeprefix("$ heldout ")), "--no-store", "--quiet")
    assert done.code == 0
    assert done.out == shown
