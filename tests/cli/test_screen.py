"""Colour only where it is wanted, and the width of the screen."""

from __future__ import annotations

import io
import re

import pytest

from heldout.cli.screen import gather_guesses, screen_width, takes_color
from heldout.core.wording import Guess
from tests.cli.running import call, run

SPAM = ("score", "example:spam", "--positive", "spam", "--measure", "auc")
ESCAPE = "\x1b["


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "on_terminal", "in_pipe"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        ({"TERM": "dumb"}, False, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
    ],
)
def test_color_is_decided_by_the_variables_then_the_stream(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], on_terminal: bool, in_pipe: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert takes_color(Terminal()) is on_terminal
    assert takes_color(io.StringIO()) is in_pipe


def test_pipe_has_the_same_layout_without_color() -> None:
    plain, forced = run(*SPAM), run(*SPAM, FORCE_COLOR="1")
    assert ESCAPE not in plain.out + plain.err
    assert ESCAPE in forced.out
    assert ESCAPE in forced.err
    bare = re.sub(r"\x1b\[[0-9;]*m", "", forced.out)
    assert [line.rstrip() for line in bare.splitlines()] == plain.out.splitlines()


def test_data_is_never_colored() -> None:
    assert ESCAPE not in run(*SPAM, "--format", "json", FORCE_COLOR="1").out


@pytest.mark.parametrize(("columns", "width"), [("120", 120), ("5", 40), ("9999", 400)])
def test_width_is_that_of_columns_within_reason(
    monkeypatch: pytest.MonkeyPatch, columns: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert screen_width() == width


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize(
    "example",
    ["spam --positive spam --by country", "models --positive spam --all", "iris_predictions"],
)
def test_lines_fit_the_screen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int, example: str
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    done = call(capsys, *f"score example:{example} --quiet --replicates 20".split())
    assert (done.code, done.err) == (0, "")
    assert max(map(len, done.out.splitlines())) <= columns


def test_guesses_by_name_are_one_line_and_other_notes_keep_theirs() -> None:
    notes = (
        Guess("truth", "label"),
        "task: classification (guessed: column 'label' has text)",
        Guess("probabilities", "a", "b"),
    )
    assert gather_guesses(notes) == [
        "columns recognised by name: truth 'label', probabilities 'a', 'b'",
        "task: classification (guessed: column 'label' has text)",
    ]
    assert gather_guesses(()) == []
