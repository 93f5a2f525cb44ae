"""The README: its output is what the command prints, and every command and snippet runs."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import heldout
from heldout.cli.main import main

#: what the README's files hold in its examples: truth and score, two classes
ROWS = "".join(f"{y},{(i * 37 % 100) / 100 * 0.6 + 0.4 * y}\n" for i, y in enumerate([0, 1] * 40))


@pytest.fixture
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the README's commands name."""
    (tmp_path / "predictions.csv").write_text(f"y_true,y_score\n{ROWS}")
    for name in ("forest", "logistic"):
        (tmp_path / f"{name}.csv").write_text(f"y,p\n{ROWS}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def blocks(text: str, *languages: str) -> list[str]:
    """The fenced blocks of some languages (none: those without one), in their order."""
    found: list[str] = []
    language: str | None = None
    for line in text.splitlines(keepends=True):
        if line.startswith("```"):
            if language is None:
                language = line.strip().removeprefix("```")
                if language in (languages or ("",)):
                    found.append("")
            else:
                language = None
        elif language is not None and language in (languages or ("",)):
            found[-1] += line
    return found


@pytest.mark.parametrize("name", ["score", "compare"])  # evaluate and select: in tests/cli
def test_the_output_shown_is_what_is_printed(
    name: str, readme: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (block,) = (text for text in blocks(readme) if text.startswith(f"$ heldout {name} "))
    command, _, shown = block.partition("\n")
    assert main(shlex.split(command.removeprefix("$ heldout "))) == 0
    assert shown == capsys.readouterr().out


def test_the_five_commands_at_the_top_run_as_they_stand(
    readme: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, five = blocks(readme, "sh")[:2]
    assert [line.split("  ")[0] for line in make.splitlines()] == ["make demo", "make test"]
    commands = [line for line in five.splitlines() if not line.startswith("#")]
    names = [line.split()[1] for line in commands]
    assert names == ["score", "evaluate", "select", "compare", "audit"]
    shown = [line for line in commands if f"$ {line}\n" in readme]
    assert shown == commands[:4]
    assert main(shlex.split(commands[4])[1:]) == 0
    assert "no findings" in capsys.readouterr().out


def test_every_command_runs(readme: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = "".join(blocks(readme, "", "sh", "console"))
    lines = shown.replace("\\\n", " ").splitlines()
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("heldout score ")]
    assert len(commands) >= 10
    if find_spec("matplotlib") is None:
        commands = [words for words in commands if "--plot" not in words]
    for words in commands:
        # bootstraps are tested elsewhere: few replicates say as well that the command is right
        few = [*words, "--replicates", "20", "--quiet"]
        expected = (0, 3) if "--require" in words else (0,)
        assert main(few) in expected, (words, capsys.readouterr().err)
    assert (folder / "scores.json").exists()


def test_every_snippet_runs(readme: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import pandas as pd

    truth = np.array(["ham", "spam"] * 40)
    chances = np.linspace(0, 1, 80)
    table = pd.DataFrame({"label": truth, "p": chances})
    table.to_parquet(folder / "predictions.parquet")
    for code in blocks(readme, "python"):
        given = {"y_true": truth, "probabilities": chances, "heldout": heldout}
        exec(compile(code, "README.md", "exec"), given)
    assert "Confusion matrix" in capsys.readouterr().out
