"""A command whose process is ended by a fit goes on, or says what ended it; signals reach it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from heldout.runner.history import past_run
from heldout.runner.store import Store
from heldout.runner.watched import at_work, can_be_watched, reads_a_pipe
from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(not can_be_watched(), reason="no process is watched here")

#: a call that notes each of its starts in a file, and then does something
CALL = """
import os, signal, sys, time
from heldout.runner.watched import at_rest, at_work, watch
def say(text): print(text, flush=True)
def call():
    with open(sys.argv[1], "a") as file: file.write(f"{{os.getpid()}}\\n")
    starts = len(open(sys.argv[1]).readlines())
    {act}
    return 3
def complain(text): say("error: " + text)
sys.exit(watch(call, say, complain, is_repeatable=len(sys.argv) < 3))
"""
MODELS = """
import os
import numpy as np
from sklearn.naive_bayes import GaussianNB
class Leaves(GaussianNB):
    def fit(self, X, y):
        if not (np.asarray(X)[:, 0] == 7.9).any():
            os._exit(0)
        return super().fit(X, y)
"""


def started(tmp_path: Path, act: str, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CALL.format(act=act), str(tmp_path / "starts"), *more],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        encoding="utf-8",
    )


def starts(tmp_path: Path, least: int = 0) -> list[int]:
    """The processes that were started, once there are so many."""
    path, end = tmp_path / "starts", time.monotonic() + 30
    while time.monotonic() < end:
        text = path.read_text() if path.exists() else ""
        if text.count("\n") >= least:
            return [int(line) for line in text.splitlines()]
        time.sleep(0.01)
    raise TimeoutError


FIT = "at_work('svm', 6, is_kept=True)"


@pytest.mark.parametrize(
    ("act", "code", "said", "count"),
    [
        ("pass", 3, "", 1),
        ("os._exit(0)", 1, "error: the process ended without a message (exit code 0)\n", 1),
        (
            f"{FIT}; at_rest(); os.abort()",
            1,
            "error: the process ended without a message (SIGAB",
            1,
        ),
        (f"if starts < 2: {FIT}; os._exit(0)", 3, "the process ended (exit code 0) while it ", 2),
        (f"{FIT}; os.kill(os.getpid(), 11)", 1, "(SIGSEGV) while it fitted svm in split 7; ", 2),
        ("at_work('svm', 6, is_kept=False); os._exit(5)", 1, "error: the process ended (exit ", 1),
        ("at_work('svm', starts, is_kept=starts < 9); os._exit(5)", 1, "svm in split 9; the", 9),
    ],
)
def test_call_that_ends_its_process_is_made_again_where_that_can_help(
    tmp_path: Path, act: str, code: int, said: str, count: int
) -> None:
    process = started(tmp_path, act)
    told, _ = process.communicate(timeout=60)
    assert (process.returncode, len(starts(tmp_path))) == (code, count)
    assert said in told
    assert bool(said) == bool(told)


def test_what_came_from_a_pipe_is_not_read_again(tmp_path: Path) -> None:
    process = started(tmp_path, f"{FIT}; os._exit(5)", "not repeatable")
    told, _ = process.communicate(timeout=60)
    assert (process.returncode, len(starts(tmp_path))) == (1, 1)
    assert told.endswith("; run the same command again to continue without it\n")
    os.mkfifo(tmp_path / "pipe")
    assert reads_a_pipe(["iris", str(tmp_path / "pipe")])
    assert reads_a_pipe(["-"])
    assert not reads_a_pipe(["iris", str(tmp_path), str(tmp_path / "starts"), "x" * 9999, "--jobs"])


def is_gone(process: int) -> bool:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        # one that nobody has waited for yet is gone, too
        if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False


WAITS = "\n    try: time.sleep(60)\n    except KeyboardInterrupt: time.sleep(0.5); return 130"


@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGKILL, -9)]
)
def test_signal_to_the_process_that_was_started_ends_both(
    tmp_path: Path, sent: signal.Signals, code: int
) -> None:
    process = started(tmp_path, "pass" + WAITS)
    (copy,) = starts(tmp_path, 1)
    assert copy != process.pid
    process.send_signal(sent)
    assert process.wait(20) == code
    assert is_gone(copy)
    assert process.communicate()[0] == ""


def test_interrupt_of_a_whole_group_comes_once(tmp_path: Path) -> None:
    code = CALL.format(act="pass" + WAITS)
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "starts")],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        start_new_session=True,
    )
    starts(tmp_path, 1)
    time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(20) == 130


def test_nothing_is_told_where_nobody_watches() -> None:
    at_work("svm", 0, is_kept=True)


def evaluated(tmp_path: Path, *options: str) -> tuple[int, Any, str]:
    (tmp_path / "leaving.py").write_text(MODELS)
    names = ["evaluate", "iris", "--models", "nb,leaving:Leaves", "--procedure", "5-fold"]
    done = subprocess.run(
        [sys.executable, "-m", "heldout", *names, "--no-audit", "--format", "json", *options],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(tmp_path)))},
    )
    return done.returncode, json.loads(done.stdout or "null"), done.stderr


def test_command_goes_on_around_a_fit_that_ended_its_process(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    code, made, said = evaluated(tmp_path, "--store", str(store.folder))
    assert code == 0
    assert made is not None
    assert "the process ended (exit code 0) while it fitted leaving:Leaves in split " in said
    assert "which was now fitted in a process of its own" in said
    assert [(m.name, m.done, m.failed) for m in past_run(store, 1).models] == [
        ("nb", 5, 0),
        ("leaving:Leaves", 4, 1),
    ]


def test_command_without_a_store_says_what_ended_it(tmp_path: Path) -> None:
    code, made, said = evaluated(tmp_path, "--no-store")
    assert (code, made) == (1, None)
    assert said.splitlines()[-1].startswith(
        "heldout: the process ended (exit code 0) while it fitted leaving:Leaves in split "
    )
    assert "--jobs 2" in said
