"""Notes below tables, and guesses of names, say what they are about."""

from __future__ import annotations

import pytest

import heldout
from heldout.cli.main import main
from heldout.core.nearest import nearest
from heldout.report.decisions import _methods


def test_methods_of_several_slices_name_their_slices() -> None:
    records = [
        {"slice": "site=a", "method": "t over 17 parts"},
        {"slice": "site=b", "method": "t over 14 parts"},
        {"slice": "site=c", "method": "t over 17 parts"},
        {"slice": "site: mean", "method": ""},
    ]
    assert _methods(records) == ["by t over 17 parts (site=a, site=c); t over 14 parts (site=b)"]
    assert _methods(records[::2]) == ["by t over 17 parts"]
    assert _methods(records[3:]) == []


def test_doubt_about_labels_names_the_model_of_several() -> None:
    table = {
        "model": ["one"] * 4 + ["other"] * 4,
        "id": [1, 2, 3, 4] * 2,
        "truth": [0, 0, 1, 1] * 2,
        "predicted": [0, 0, 1, 1, 0, 1, 1, 1],
        "score": [0.1, 0.4, 0.6, 0.9] * 2,
    }
    notes = [note for made in heldout.read_predictions(table) for note in made.notes]
    assert [note for note in notes if "labels are those" in note] == [
        "other: predicted labels are those of a threshold above 0.1 and up to 0.4, not 0.5 "
        "(1 row differs)"
    ]


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("site", ["seed", "fold", "truth"], []),
        ("report", ["power", "score", "split"], []),
        ("serve", ["score", "select"], []),
        ("sites", ["seed", "site"], ["site"]),
        ("acu", ["auc", "mcc"], ["auc"]),
        ("prob", ["probability", "error"], ["probability"]),
        ("pr", ["probability"], []),
        ("compre", ["compare", "audit"], ["compare"]),
    ],
)
def test_guess_is_made_of_close_names_only(name: str, known: list[str], found: list[str]) -> None:
    assert nearest(name, known) == found


@pytest.mark.parametrize("name", ["publish", "teach"])
def test_unknown_command_is_not_guessed_wildly(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name]) == 2
    said = capsys.readouterr().err
    assert f"no command is called {name!r}" in said
    assert "did you mean" not in said


def test_help_names_every_format_that_predictions_can_be_written_in(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["evaluate", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert ".csv, .tsv, .jsonl or .parquet" in said
