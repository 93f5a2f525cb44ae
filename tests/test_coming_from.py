"""Every command that docs/coming_from.md shows beside another tool's runs as it is written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from heldout.learners.named import MODELS
from tests.cli.running import call

PAGE = Path(__file__).resolve().parent.parent / "docs" / "coming_from.md"
#: code in the last column of a table; a bar that parts no columns is written \|
ROW = re.compile(r"^\|(?:.*(?<!\\)\|)(?P<cell>.*)\|$", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
#: options of commands that fit models; all others are those of a table of predictions
FITTED = ("--procedure", "--predictions", "--permutations", "--training-error", "--group", "--time")
#: the columns that stand for COLUMN
COLUMNS = {"--weight": "w", "--group": "g", "--time": "t"}
FITS, PAIR = ["--target", "y", "--no-store"], ["a.csv", "b.csv"]
RNG = np.random.default_rng(4)


def commands() -> list[str]:
    """What is typed: whole commands, and options of one."""
    spans = [code for row in ROW.finditer(PAGE.read_text()) for code in CODE.findall(row["cell"])]
    return list(dict.fromkeys(s for s in spans if s.startswith(("heldout ", "--"))))


def typed(text: str) -> list[str]:
    """A command with all that a reader has to add to it."""
    words = shlex.split(text)
    for option, column in COLUMNS.items():
        if option in words:
            words[words.index(option) + 1] = column
    option, rest = words[0], words[1:]
    if option == "heldout":
        own = {"evaluate": FITS, "select": FITS, "split": FITS[:2]}
        return [*rest, *PAIR] if rest == ["compare"] else [*rest, *own.get(rest[0], [])]
    if option == "--unpaired":
        return ["compare", "a.csv", "others.csv", *words]
    if option == "--nested" or words[-1] in ("training.png", "learning.png"):
        model = ["--model", "knn", "--grid", "n_neighbors=1,3"]
        return ["select", "data.csv", *model, *FITS, "--training-error", *words]
    if option in FITTED:
        procedure = [] if "--procedure" in words else ["--procedure", "3-fold"]
        return ["evaluate", "data.csv", "--models", "lda", *procedure, *FITS, *words]
    return ["score", "numbers.csv" if "mse,r2" in words else "p.csv", *words]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the tables that the page speaks of."""
    truth = np.arange(60) % 2
    x = RNG.normal(size=(60, 2)) + truth[:, None]
    lines = [f"{a:.4f},{b:.4f},{t}" for (a, b), t in zip(x, truth, strict=True)]
    (tmp_path / "data.csv").write_text(
        "\n".join(["x,z,y,g,t", *(f"{line},{i % 10},{i}" for i, line in enumerate(lines))]) + "\n"
    )
    head = "@relation r\n@attribute x numeric\n@attribute z numeric\n@attribute y {0,1}\n@data\n"
    (tmp_path / "data.arff").write_text(head + "\n".join(lines) + "\n")
    for name, noise in (("p", 1.0), ("a", 1.0), ("b", 2.0)):
        score = 1 / (1 + np.exp(-(x[:, 0] + RNG.normal(size=60) * noise)))
        rows = [
            f"{i},{t},{s:.4f},{i % 3},1.5"
            for i, (t, s) in enumerate(zip(truth, score, strict=True))
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["row,truth,score,fold,w", *rows]) + "\n")
    (tmp_path / "others.csv").write_text(
        re.sub(r"(?m)^(\d+),", r"9\1,", (tmp_path / "b.csv").read_text())
    )
    rows = [f"{a:.3f},{a + b:.3f}" for a, b in x]
    (tmp_path / "numbers.csv").write_text("\n".join(["truth,predicted", *rows]) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("text", commands())
def test_command_beside_another_tool_runs(
    text: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = typed(text)
    if "--positive" in words:  # the table of that line has such a class
        label, table = words[words.index("--positive") + 1], (folder / "p.csv").read_text()
        (folder / "p.csv").write_text(re.sub(r"(?m)^(\d+),1,", rf"\1,{label},", table))
    done = call(capsys, *words)
    assert done.code == 0, (words, done.err)


def test_models_of_weka_have_the_names_that_the_page_says() -> None:
    (row,) = re.findall(r"^\| `ZeroR`.*$", PAGE.read_text(), re.MULTILINE)
    theirs, ours = (CODE.findall(cell) for cell in row.strip("|").split("|"))
    assert len(theirs) == len(ours)
    assert {name.strip('"').partition("[")[0] for name in ours} <= {m.name for m in MODELS}
