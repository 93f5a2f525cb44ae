"""``heldout compare`` where files disagree, guesses are unwanted, and sizes are impossible."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import call

Capture = pytest.CaptureFixture[str]
ASK = ("compare", "a.csv", "b.csv", "--positive", "1", "--measure", "accuracy", "--no-audit")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HELDOUT_STORE", raising=False)
    for name, step in (("a", 7), ("b", 3)):
        lines = ["id,y,pred,fold,ward"]
        lines += [f"{i},{i % 2},{(i + (i % step == 0)) % 2},{i % 4},w{i % 5}" for i in range(60)]
        Path(f"{name}.csv").write_text("\n".join(lines))
    return tmp_path


def change(line: int, old: str, new: str, name: str = "b.csv") -> None:
    lines = Path(name).read_text().splitlines()
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new)
    Path(name).write_text("\n".join(lines))


@pytest.mark.parametrize("flag", ["--group", "--by"])
def test_groups_and_slices_that_disagree_are_an_error(capsys: Capture, flag: str) -> None:
    assert call(capsys, *ASK, "--fold", "", flag, "ward").code == 0
    change(10, "w3", "w4")
    done = call(capsys, *ASK, "--fold", "", flag, "ward")
    assert done.code == 2
    assert "id 8" in done.err
    assert "ward=w3 in 'a' (a.csv)" in done.err
    assert "ward=w4 in 'b' (b.csv)" in done.err


def test_an_empty_name_refuses_a_guessed_column(capsys: Capture) -> None:
    assert "4 folds" in call(capsys, *ASK).out
    plain = call(capsys, *ASK, "--fold", "")
    assert "one test set, 60 rows" in plain.out
    assert "fold" not in plain.err
    assert call(capsys, *ASK, "--fold", "none").out == plain.out
    by_order = call(capsys, *ASK, "--fold", "", "--id", "")
    assert "matched by position" in by_order.err


def test_a_column_called_none_is_a_column(capsys: Capture) -> None:
    for name in ("a.csv", "b.csv"):
        Path(name).write_text(Path(name).read_text().replace("fold", "none", 1))
    assert "4 folds" in call(capsys, *ASK, "--fold", "none").out


def test_an_empty_name_of_models_keeps_the_files_apart(capsys: Capture) -> None:
    for name in ("a.csv", "b.csv"):
        Path(name).write_text(Path(name).read_text().replace("ward", "model"))
    assert "models 'w0' and 'w1'" in call(capsys, *ASK, "--fold", "", "--id", "").err
    assert "2 models" in call(capsys, *ASK, "--fold", "", "--model", "").out


def test_impossible_sizes_are_an_error(capsys: Capture) -> None:
    done = call(capsys, *ASK, "--margin", "5")
    assert done.code == 2
    assert "0.05 for 5 points" in done.err


@pytest.mark.parametrize("name", ["a.csv", "b.csv"])
def test_a_stray_label_is_named_with_its_line(capsys: Capture, name: str) -> None:
    change(20, "18,0,", "18,7,", name)
    done = call(capsys, *ASK)
    assert done.code == 2
    assert f"7 is the truth of 1 row only (first: line 20 of {name})" in done.err


def test_power_of_a_wanted_difference_is_printed(capsys: Capture) -> None:
    planned = ("power", "--discordance", "0.15", "--difference", "0.05")
    done = call(capsys, *planned, "--rows", "300")
    assert "0.615" in done.out  # ShareNoise(300, 0.15).power(0.05, Goal())
    assert "power:" in done.out
    assert "chance:" not in call(capsys, *planned).out
    seen = call(capsys, "power", *ASK[1:-1], "--fold", "", "--difference", "0.9")
    assert ">0.999" in seen.out
