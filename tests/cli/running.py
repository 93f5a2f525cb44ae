"""The command line as tests run it: in a process of its own, or in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import heldout
from heldout.cli.main import main

#: what the surroundings must not decide
QUIET = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "HELDOUT_TRACEBACK", "PYTHONIOENCODING")


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


def command() -> list[str]:
    return [sys.executable, "-m", "heldout.cli.main"]


def environment(**changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in QUIET}
    return {**kept, "PYTHONPATH": str(Path(heldout.__file__).parents[1]), **changes}


def run(*arguments: str, given: str | None = None, **changes: str) -> Done:
    """The command in a process of its own."""
    done = subprocess.run(
        [*command(), *arguments],
        input=given,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env=environment(**changes),
    )
    return Done(done.returncode, done.stdout, done.stderr)


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> Done:
    """The command in this process, which is quicker."""
    code = main(arguments)
    read = capsys.readouterr()
    return Done(code, read.out, read.err)
