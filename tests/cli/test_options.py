"""Options that commands share: declared once, and the same wherever they stand."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

import heldout
from heldout.cli.main import COMMANDS
from heldout.cli.options import SectionedCommand, options
from heldout.comparison.options import CompareOptions
from heldout.core.options import declare, option, options_of
from heldout.evaluation.running import Running
from heldout.predictions.options import DataOptions
from heldout.uncertainty.options import IntervalOptions
from tests.cli.running import call

ALL: dict[str, click.Command] = {
    name: import_module(f"heldout.cli.{name}").command for name in COMMANDS
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained_under_a_heading(name: str) -> None:
    for parameter in ALL[name].params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            assert getattr(parameter, "section", ""), parameter.name


@pytest.mark.parametrize("name", COMMANDS)
def test_a_star_marks_exactly_the_options_that_may_be_repeated(name: str) -> None:
    command = ALL[name]
    repeated = [p for p in command.params if isinstance(p, click.Option) and p.multiple]
    starred = [p for p in command.params if isinstance(p, click.Option) and "*" in (p.help or "")]
    assert repeated == starred
    assert ("marked *" in " ".join((command.help or "").split())) == bool(repeated)


def test_options_keep_their_order_and_what_a_command_changes() -> None:
    first = declare("--first N", "One.", default=1)

    @click.command(cls=SectionedCommand)
    @options("Upper", first, declare("--second", "Two."))
    @options("Lower", first.but(default=3, help="Three."), declare("--fourth TEXT", "Four."))
    def command(**given: object) -> None: ...

    found = [(p.name, getattr(p, "section", ""), p.default) for p in command.params]
    assert [name for name, _, _ in found] == ["first", "second", "first", "fourth"]
    assert [section for _, section, _ in found] == ["Upper", "Upper", "Lower", "Lower"]
    assert (found[0][2], found[2][2]) == (1, 3)


@pytest.mark.parametrize(
    "asked",
    [
        ("score", "example:spam"),
        ("evaluate", "iris", "--models", "lda"),
        ("select", "iris", "--model", "knn", "--grid", "n_neighbors=1,3"),
        ("compare", "example:models"),
        ("power", "--rows", "300", "--discordance", "0.1"),
        ("audit", "--list"),
        ("measures",),
    ],
    ids=lambda asked: asked[0],
)
def test_an_ending_that_says_no_format_is_refused_before_any_work(
    asked: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "result.xlsx"
    done = call(capsys, *asked, "--output", str(path))
    assert done.code == 2
    assert "cannot tell the format from" in done.err
    assert not path.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--timeout", "0"), "--timeout must be a number of seconds above 0"),
        (("--jobs", "0"), "--jobs 0"),
        (("--splits", "a.csv", "--procedure", "5-fold"), "exclude each other"),
        (("--store", "here", "--no-store"), "contradict each other"),
    ],
)
@pytest.mark.parametrize(
    "asked",
    [
        ("evaluate", "iris", "--models", "lda"),
        ("select", "iris", "--model", "knn", "--grid", "n_neighbors=1,3"),
    ],
    ids=lambda asked: asked[0],
)
def test_both_commands_that_fit_refuse_the_same_options_of_the_run(
    asked: tuple[str, ...],
    options: tuple[str, ...],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, *asked, *options)
    assert (done.code, message in done.err) == (2, True), done.err


@pytest.mark.parametrize(
    "wrong",
    [
        ("--interval", ""),
        ("--prevalence", ""),
        ("--prevalence", "0.2", "--prevalence", ""),
        ("--best", ""),
        ("--measure", "f_score[]"),
        ("--measure", "f_score[ ]"),
        ("--require", "f_score[] >= 0.5"),
    ],
    ids=" ".join,
)
def test_an_empty_value_is_refused(
    wrong: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    done = call(capsys, "score", "example:spam", "--positive", "spam", *wrong)
    assert done.code == 2
    assert done.out == ""
    assert "is empty" in done.err or "nothing between its brackets" in done.err


def test_an_empty_name_of_a_column_says_that_there_is_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, "score", "example:spam", "--positive", "spam", "--fold", "")
    assert done.code == 0
    assert "folds" not in done.out


@pytest.mark.parametrize(
    ("function", "group", "without"),
    [
        (heldout.score, IntervalOptions, ()),
        (heldout.evaluate, Running, ()),
        (heldout.evaluate, DataOptions, ("id",)),
        (heldout.select, Running, ()),
        (heldout.select, DataOptions, ("id", "by")),
        (heldout.compare, CompareOptions, ()),
    ],
)
def test_functions_take_the_options_of_their_groups_with_the_same_defaults(
    function: Callable[..., Any], group: type, without: tuple[str, ...]
) -> None:
    takes = inspect.signature(function).parameters
    for one in options_of(group):
        if one.keyword not in without:
            assert takes[one.keyword].default == one.default, one.name


def test_what_a_declaration_says_decides_the_kind_of_option() -> None:
    number, switch, several = (
        declare("--n N", default=3),
        declare("--on"),
        declare("--a B", many=True),
    )
    assert (number.type, number.is_switch, switch.is_switch, several.default) == (
        int,
        False,
        True,
        (),
    )
    assert declare("--way", choices=("up", "down")).default is None
    assert option("--n N", default=3).default == 3


def test_help_names_every_test_and_every_interval_method(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from heldout.comparison.methods import METHODS
    from heldout.uncertainty.methods import AREA_METHODS, BOOTSTRAPS, SHARE_METHODS

    # lines may end within a name
    compare = "".join(call(capsys, "compare", "--help").out.split())
    assert [name for name in METHODS if name not in compare] == []
    score = "".join(call(capsys, "score", "--help").out.split())
    intervals = (*SHARE_METHODS, *AREA_METHODS, *BOOTSTRAPS)
    assert [name for name in intervals if name.replace("_", "-") not in score] == []


@pytest.mark.parametrize("options", [("--thresholds",), ("--bogus",), ("--digits=0",)])
def test_wrong_usage_names_the_help_of_its_command(
    options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    done = call(capsys, "score", "example:mails", *options)
    assert (done.code, done.err.splitlines()[-1]) == (2, "(see heldout score --help)")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_screen_of_80_columns(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = call(capsys, name, "--help").out.splitlines()
    assert [line for line in lines if len(line) > 80] == []


def test_list_of_commands_fits_the_width(capsys: pytest.CaptureFixture[str]) -> None:
    assert "..." not in call(capsys, "--help").out.partition("Commands:")[2]
