"""``heldout power`` on the command line: reasons, units, and the same answer as ``compare``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import call

Capture = pytest.CaptureFixture[str]
EXAMPLE = ("example:models", "--positive", "spam", "--measure", "accuracy", "--quiet")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "110")
    return tmp_path


def test_where_nothing_can_be_shown_the_reason_is_given(capsys: Capture) -> None:
    done = call(capsys, "power", "--rows", "10", "--discordance", "0.1")
    said = " ".join(done.out.split())
    assert done.code == 0
    assert "none" in said
    assert "the test needs at least 5 of them" in said
    area = call(capsys, "power", "--rows", "10", "--auc", "0.9", "--prevalence", "0.3")
    assert "even an area of 1" in " ".join(area.out.split())


def test_one_row_is_a_row(capsys: Capture) -> None:
    done = call(capsys, "power", "--rows", "1", "--discordance", "1")
    assert "1 rows" not in " ".join(done.out.split())
    assert "of 1 row," in " ".join(done.out.split())


@pytest.mark.parametrize("side", ["two-sided", "greater"])
def test_compare_and_power_agree(capsys: Capture, side: str) -> None:
    compared = call(
        capsys, "compare", *EXAMPLE, "--alternative", side, "--correction", "none", "--explain"
    )
    more = () if side == "two-sided" else ("--one-sided",)
    found = json.loads(call(capsys, "power", *EXAMPLE, *more, "--format", "json").out)
    for row in found["results"]:
        shown = f"a true difference of {100 * row['detectable']:.3g} points would be found in"
        assert shown in " ".join(compared.out.split())


@pytest.mark.parametrize("rows", ["0", str(2**63), str(10**22)])
@pytest.mark.parametrize(
    "noise", [("--discordance", "0.15"), ("--spread", "1"), ("--auc", "0.8", "--prevalence", "0.3")]
)
def test_a_number_of_rows_is_one_that_somebody_could_have(
    capsys: Capture, rows: str, noise: tuple[str, ...]
) -> None:
    done = call(capsys, "power", "--rows", rows, *noise)
    assert done.code == 2
    assert f"not {rows}" in done.err


def test_numbers_that_would_be_ignored_are_refused(capsys: Capture) -> None:
    for more, words in (
        (("--rows", "9", "--discordance", "0.1", "--prevalence", "0.2"), "does not go with"),
        (("--folds", "5", "--spread", "1", "--rows", "9"), "does not go with"),
        (("--repeats", "5", "--spread", "1", "--rows", "9"), "--folds"),
        (("--rows", "9", "--discordance", "0.1", "--power", "0.01"), "power lies between"),
    ):
        done = call(capsys, "power", *more)
        assert done.code == 2
        assert words in done.err


@pytest.mark.parametrize("of", [("--discordance", "0.15"), ("--auc", "0.8", "--prevalence", "0.3")])
def test_a_difference_that_no_rows_show_is_said_in_words(
    capsys: Capture, of: tuple[str, ...]
) -> None:
    done = call(capsys, "power", "--difference", "1e-300", *of)
    assert done.code == 2
    assert "no realistic number of rows shows 1e-300" in done.err
