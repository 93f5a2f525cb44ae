"""Where results are written: endings that mean a format, disks that are full, narrow screens."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.running import call, run

SPAM = ("score", "example:spam", "--positive", "spam", "--measure", "accuracy", "--quiet")


@pytest.mark.parametrize("name", ["o.xyz", "o.jsn", "results", "o.csv.gz"])
def test_an_unknown_ending_is_refused_with_the_known_ones(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    done = call(capsys, *SPAM, "--output", str(tmp_path / name))
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith("; end the name with .json, .csv, .md, .tex, .txt, or give --format\n")
    assert not list(tmp_path.iterdir())


def test_a_format_that_is_said_wins_over_the_ending(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "o.xyz"
    assert call(capsys, *SPAM, "--output", str(path), "--format", "json").code == 0
    assert json.loads(path.read_text())["results"][0]["measure"] == "accuracy"
    capital = tmp_path / "O.JSON"
    assert call(capsys, *SPAM, "--output", str(capital)).code == 0
    assert json.loads(capital.read_text())["results"]
    text = tmp_path / "o.txt"
    assert call(capsys, *SPAM, "--output", str(text)).code == 0
    assert "Confusion matrix" in text.read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("form", ["table", "json"])
def test_a_full_disk_is_one_line_and_no_traceback(
    capsys: pytest.CaptureFixture[str], form: str
) -> None:
    done = call(capsys, *SPAM, "--output", "/dev/full", "--format", form)
    assert (done.code, done.out) == (2, "")
    assert done.err == "heldout: cannot write /dev/full: the disk is full\n"


def test_a_disk_that_fills_up_leaves_what_was_there(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "o.json"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    done = call(capsys, *SPAM, "--output", str(path))
    assert (done.code, done.err) == (2, f"heldout: cannot write {path}: the disk is full\n")
    assert [one.name for one in tmp_path.iterdir()] == ["o.json"]
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    "arguments",
    [
        ("example:spam", "--positive", "spam", "--by", "country", "--measure", "auc"),
        ("example:spam", "--positive", "spam", "--best", "youden", "--prevalence", "0.1"),
        ("example:models", "--positive", "spam"),
        ("example:iris_predictions",),
        ("example:diabetes_predictions",),
    ],
)
def test_no_number_is_broken_on_a_screen_of_40_columns(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
) -> None:
    how = ("score", *arguments, "--quiet", "--replicates", "20")
    monkeypatch.setenv("COLUMNS", "400")
    wide = call(capsys, *how).out
    monkeypatch.setenv("COLUMNS", "40")
    narrow = call(capsys, *how).out
    assert max(map(len, narrow.splitlines())) <= 40
    number = re.compile(r"-?[\d,]*\.\d+(?:e-?\d+)?")
    assert set(number.findall(narrow)) <= set(number.findall(wide))


def test_what_all_leaves_out_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    done = run("score", "example:spam", "--positive", "spam", "--all", "--no-intervals")
    line = next(line for line in done.err.splitlines() if "not shown because" in line)
    assert line.startswith("note: not shown because they need a parameter: ")
    assert "integrated_calibration_index" in line
    assert "(write integrated_calibration_index[span=NUMBER])" in line
    done = call(capsys, *SPAM[:-1], "--no-intervals")
    assert "not shown because" not in done.err


def test_rounded_probabilities_can_be_normalised(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "p.csv"
    path.write_text("y,p_a,p_b,p_c\na,0.333,0.333,0.333\nb,0.2,0.6,0.2\nc,0.1,0.1,0.8\n")
    done = call(capsys, "score", str(path), "--measure", "log_loss")
    assert done.code == 2
    assert "or say --normalise to divide each row by its sum" in done.err
    done = call(capsys, "score", str(path), "--measure", "log_loss", "--normalise")
    assert done.code == 0
    assert "1 row of 3 was off, by at most 0.001 (line 2 of" in done.err


def test_an_example_is_called_as_the_reader_called_it(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "score", "example:models", "--positive", "spam", "--by", "land")
    assert done.err.startswith("heldout: example:models: no column 'land' (--by)")
