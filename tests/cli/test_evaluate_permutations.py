"""``heldout evaluate --permutations`` says how far it is, and how far it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from heldout.cli import screen
from heldout.cli.main import main
from heldout.comparison import chance

CALL = ["evaluate", "iris", "--models", "prior", "--procedure", "2-fold", "--permutations", "19"]
CALL += ["--no-audit"]


class Heard(screen.Bar):
    def __init__(self, said: list[Any]) -> None:
        super().__init__()
        self.said = said

    def start(self, total: int, done: int = 0, title: str = "fitting") -> None:
        self.said.append((title, total))

    def advance(self, model: str, split: int, seconds: float, count: int = 1) -> None:
        self.said.append((model, split))

    def finish(self) -> None:
        self.said.append("finish")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    heard: list[Any] = []
    monkeypatch.setattr(screen, "progress_bar", lambda: Heard(heard))
    return heard


def test_every_permutation_moves_the_bar(
    said: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*CALL, "--store", str(tmp_path)]) == 0
    start = said.index(("permutations", 19))
    assert said[start + 1 :] == [("permutations", i) for i in range(1, 20)] + ["finish"]
    assert "refitted" in capsys.readouterr().out


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_more_permutations_than_anybody_waits_for_are_refused(
    more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*CALL[:-3], "--permutations", "1000000000", "--no-store", *more]) == 2
    assert "1000000000 permutations: give a whole number from 19" in capsys.readouterr().err


def test_quiet_shows_no_bar(said: list[Any]) -> None:
    assert main([*CALL, "--no-store", "--quiet"]) == 0
    assert said == []


def test_interrupt_says_how_many_were_done(
    said: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    permuted, calls = chance.permuted_dataset, []

    def fifth(*given: Any) -> Any:
        calls.append(given)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return permuted(*given)

    monkeypatch.setattr(chance, "permuted_dataset", fifth)
    assert main([*CALL, "--no-store"]) == 130
    assert said[-1] == "finish"
    assert "interrupted: 4 of 19 permutations were done" in capsys.readouterr().err


def test_what_is_tested_is_what_the_table_shows(capsys: pytest.CaptureFixture[str]) -> None:
    call = ["evaluate", "wdbc", "--models", "lda", "--procedure", "3-fold", "--permutations", "19"]
    call += ["--measure", "auc", "--measure", "accuracy", "--no-store", "--no-audit", "--quiet"]
    assert main(call) == 0
    text = capsys.readouterr().out
    above, below = text.split("Against chance")
    shown = next(line.split() for line in above.splitlines() if "ROC" in line)
    lda = {line.split()[1]: line.split() for line in below.splitlines() if " lda " in line}
    # measure, arrow, pooled, mean of folds: the mean is the one with an interval
    assert lda["auc"][2:6] == ["mean", "of", "folds", shown[7]]
    assert shown[6] != shown[7]
    assert lda["accuracy"][2] == "pooled"
    assert "Area under the ROC curve, Accuracy: p = 0.05" in above


@pytest.mark.parametrize("ending", [".md", ".json", ".csv", ".txt"])
def test_file_has_all_and_standard_output_nothing(
    ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"made{ending}"
    assert main([*CALL, "--no-store", "--quiet", "--output", str(path)]) == 0
    assert capsys.readouterr().out == ""
    text = path.read_text(encoding="utf-8")
    assert "labels permuted 19 times, models refitted" in text
    if ending == ".json":
        (chance,) = json.loads(text)["chance"]
        assert (chance["model"], chance["measure"], chance["p_value"]) == ("prior", "accuracy", 1)


def test_json_on_standard_output_is_json_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CALL, "--no-store", "--quiet", "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["chance"]) == 1
