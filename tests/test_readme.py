"""README and docs: the output shown is what is printed, and every command and snippet runs."""

from __future__ import annotations

import doctest
import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import heldout
from heldout.cli.main import main
from tools.fill_outputs import drawing_commands

ROOT = Path(__file__).parent.parent
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


def shown_outputs() -> list[tuple[str, str]]:
    """The command and its output in every block of a page that shows both."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    texts = [page.read_text(encoding="utf-8") for page in pages]
    shown = [block for text in texts for block in blocks(text) if block.startswith("$ heldout ")]
    return list(dict.fromkeys(tuple(block.split("\n", 1)) for block in shown))  # type: ignore[misc]


@pytest.mark.parametrize(("command", "shown"), shown_outputs(), ids=lambda text: text[:60])
def test_the_output_shown_is_what_is_printed(
    command: str, shown: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(shlex.split(command.removeprefix("$ heldout "))) == 0
    # CSV ends its lines as its standard says
    assert shown == capsys.readouterr().out.replace("\r\n", "\n")


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.stem)
def test_python_of_a_page_gives_what_it_shows(page: Path, folder: Path) -> None:
    shown = "\n".join(blocks(page.read_text(encoding="utf-8"), "pycon"))
    test = doctest.DocTestParser().get_doctest(shown, {}, page.name, str(page), 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_five_commands_at_the_top_run_as_they_stand(
    readme: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, five = blocks(readme, "sh")[:2]
    assert [line.split("  ")[0] for line in make.splitlines()] == ["make demo", "make test"]
    commands = [line for line in five.splitlines() if not line.startswith("#")]
    names = [line.split()[1] for line in commands]
    assert names == ["score", "evaluate", "select", "compare", "audit"]
    # those whose output a page shows are compared with it above
    outputs = {command.removeprefix("$ ") for command, _ in shown_outputs()}
    for command in commands:
        assert command in outputs or main(shlex.split(command)[1:]) == 0, command
    assert "no findings" in capsys.readouterr().out


#: commands that a page shows and that read nothing but what is there
RUN = ("heldout score ", "heldout tally ")


def test_every_command_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = ROOT / "docs" / "score.md"
    shown = "".join(blocks(page.read_text(encoding="utf-8"), "", "sh", "console"))
    lines = shown.replace("\\\n", " ").splitlines()
    commands = [shlex.split(line)[1:] for line in lines if line.startswith(RUN)]
    assert len(commands) >= 6
    if find_spec("matplotlib") is None:
        commands = [words for words in commands if "--plot" not in words]
    for words in commands:
        # bootstraps are tested elsewhere: few replicates say as well that the command is right
        few = [*words, *(("--replicates", "20") if words[0] == "score" else ()), "--quiet"]
        expected = (0, 3) if "--require" in words else (0,)
        assert main(few) in expected, (words, capsys.readouterr().err)
    assert (folder / "scores.json").exists()


def drawn_pictures() -> list[tuple[str, str]]:
    """The picture and the command that draws it, on every page that has both."""
    texts = [page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").rglob("*.md"))]
    return sorted({pair for text in texts for pair in drawing_commands(text).items()})


@pytest.mark.parametrize(("picture", "command"), drawn_pictures(), ids=lambda text: text[:40])
def test_picture_is_what_its_command_draws(picture: str, command: str, folder: Path) -> None:
    assert main(shlex.split(command)) == 0
    assert (folder / picture).stat().st_size > 5000


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.stem)
def test_links_and_pictures_of_a_page_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "course").glob("[1-9]*.md")))
def test_chapter_has_all_that_a_chapter_has(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "$ heldout " in text
    assert drawing_commands(text)
    assert re.search(r"\*\*The numbers? to expect:\*\*", text)
    assert text.index("## In Python") < text.index("## Try it") < text.index("<summary>Answers")


@pytest.mark.parametrize(
    "name", ["README.md", "docs/evaluate.md", "docs/score.md", "docs/select.md"]
)
def test_every_snippet_runs(name: str, folder: Path) -> None:
    import pandas as pd

    truth = np.array(["ham", "spam"] * 40)
    chances = np.linspace(0, 1, 80)
    table = pd.DataFrame({"label": truth, "p": chances})
    table.to_parquet(folder / "predictions.parquet")
    for code in blocks((ROOT / name).read_text(encoding="utf-8"), "python"):
        given = {"y_true": truth, "probabilities": chances, "heldout": heldout}
        exec(compile(code, name, "exec"), given)
