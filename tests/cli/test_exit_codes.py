"""Exit codes and streams: the same for every command, data apart from everything else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from heldout.cli import main as cli
from heldout.core.errors import HeldoutError
from tests.cli.running import call, command, environment, run

SPAM = ("score", "example:spam", "--positive", "spam")
needs_posix = pytest.mark.skipif(os.name != "posix", reason="signals and devices of POSIX")


def test_fine_is_0_with_data_and_notes_on_their_own_streams() -> None:
    done = run(*SPAM)
    assert done.code == 0
    assert done.out.startswith("example:spam: 400 rows; classes ham, spam; positive: spam\n")
    assert "note: columns recognised by name: truth 'label'" in done.err
    assert "note" not in done.out


@pytest.mark.parametrize(
    ("more", "code"),
    [((), 0), (("--measure", "recal"), 2), (("--require", "accuracy >= 0.99"), 3)],
)
def test_package_run_as_a_module_has_the_same_codes(more: tuple[str, ...], code: int) -> None:
    words = [sys.executable, "-m", "heldout", *SPAM, "--no-intervals", *more]
    done = subprocess.run(words, capture_output=True, check=False, env=environment())
    assert done.returncode == code


def test_quiet_says_nothing_but_the_data() -> None:
    assert run(*SPAM, "--quiet", "--format", "csv").err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("scor",), "heldout: no command is called 'scor'; did you mean score"),
        (("example:spam",), "did you mean heldout score example:spam?"),
        (("score", "--trutg", "label"), "--truth"),
        (("score",), "heldout: give a file of predictions, - for standard input, or --matrix"),
        (("score", "nowhere.csv"), "nowhere.csv"),
        (("score", "example:span"), "no example is called 'span'; did you mean spam?"),
        ((*SPAM, "--measure", "recal"), "no measure is called 'recal'; did you mean recall"),
        ((*SPAM, "--measure", "mae"), "is for regression"),
        ((*SPAM, "--format", "xml"), "xml"),
        ((*SPAM, "--digits", "0"), "0"),
        ((*SPAM, "--orientation", "rows"), "'rows' is not one of 'truth-rows'"),
        ((*SPAM, "--scores", "spam"), "--scores: 'spam' must be written class=column"),
        ((*SPAM, "--scores", "a=b,a=c"), "--scores: class 'a' is given twice"),
        ((*SPAM, "--profit", "1,2,3;4,5,6"), "--profit: the matrix"),
        (("score", "example:diabetes_predictions", "--cost", "1,0;0,1"), "for classification"),
        (("score", "x.csv", "--matrix", "1,2;3,4"), "--matrix gives counts, not rows"),
        (("score", "--fold", "f", "--matrix", "1,2;3,4"), "leave out --fold"),
        (("measures", "zzzzzzzz"), "no measure is called 'zzzzzzzz' or described so"),
        (("measures", "acuracy"), "did you mean accuracy"),
    ],
)
def test_bad_input_or_usage_is_2_with_nothing_on_standard_output(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    done = call(capsys, *arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.splitlines()[-1].startswith(("heldout: ", "(see heldout"))
    assert message in done.err
    assert "Traceback" not in done.err


def test_failure_of_heldout_itself_is_1_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heldout.assess.scorecard.score_predictions", lambda *_, **__: 1 / 0)
    monkeypatch.delenv("HELDOUT_TRACEBACK", raising=False)
    done = call(capsys, *SPAM)
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "heldout failed: ZeroDivisionError: division by zero "
        "(this is a bug; run with HELDOUT_TRACEBACK=1 for the traceback)\n"
    )


def test_traceback_comes_on_request(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heldout.assess.scorecard.score_predictions", lambda *_, **__: 1 / 0)
    monkeypatch.setenv("HELDOUT_TRACEBACK", "1")
    assert "Traceback (most recent call last)" in call(capsys, *SPAM).err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), 130),
        (RuntimeError("Query interrupted"), 130),
        (MemoryError(), 1),
        (HeldoutError("no"), 1),
    ],
)
def test_every_way_to_stop_has_its_code(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("heldout.assess.scorecard.score_predictions", stop)
    done = call(capsys, *SPAM)
    assert (done.code, done.out) == (code, "")
    assert "bug" not in done.err


@needs_posix
def test_interrupted_is_130() -> None:
    process = subprocess.Popen(
        [*command(), "score", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    with process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    # a shell calls a process that died of the signal 130 too
    assert process.returncode in (130, -signal.SIGINT)
    assert out == b""
    assert b"Traceback" not in err


@needs_posix
def test_reader_that_leaves_early_is_no_failure() -> None:
    process = subprocess.Popen(
        [*command(), *SPAM, "--all", "--format", "csv", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
    assert (process.returncode, err) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_full_disk_is_told() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*command(), *SPAM, "--quiet"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=environment(),
        )
    assert done.returncode == 2
    assert done.stderr == "heldout: cannot write to standard output: the disk is full\n"


def test_help_and_version_load_nothing_heavy() -> None:
    code = (
        "import sys; from heldout.cli.main import main; main([{!r}]); "
        "print(sorted({{'numpy', 'duckdb', 'rich', 'scipy'}} & set(sys.modules)), file=sys.stderr)"
    )
    for flag in ("--help", "--version"):
        done = subprocess.run(
            [sys.executable, "-c", code.format(flag)],
            capture_output=True,
            text=True,
            check=True,
            env=environment(),
        )
        assert done.stderr == "[]\n"


def test_help_names_commands_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    alone, asked = call(capsys), call(capsys, "--help")
    assert alone == asked
    assert alone.code == 0
    for word in (*cli.COMMANDS, "130  interrupted", "3    a requirement is not met"):
        assert word in alone.out
    for name in cli.COMMANDS:
        assert call(capsys, name, "--help").code == 0
