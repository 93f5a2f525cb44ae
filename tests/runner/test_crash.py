"""Runs that are killed, interrupted, or without room: what was finished stays, bit for bit."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from heldout.core.errors import InputError
from heldout.runner.history import past_run
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.conftest import ROOT
from tests.runner.making import Odd, a_model, assert_same, some_data, some_splits

DATA, SPLITS = some_data(), some_splits(folds=10, repeats=6)
MANY = some_splits(folds=10, repeats=15)


def started(
    folder: Path, jobs: int = 1, pause: float = 0.02, backend: str = "loky"
) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    given = [str(folder), str(jobs), str(pause), backend]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.runner.crashing", *given],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )


def fits(folder: Path) -> list[str]:
    log = folder / "fits"
    return log.read_text().splitlines() if log.exists() else []


def wait_for_fits(folder: Path, count: int, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while len(fits(folder)) < count and time.monotonic() < end:
        time.sleep(0.005)


def finished(folder: Path) -> Any:
    """The run as it is when nothing more is killed."""
    model = a_model(Odd(act="nothing", log=str(folder / "fits")), "odd", "odd")
    return run(DATA, [model], SPLITS, store=Store(folder), exact=False)


@pytest.mark.parametrize(("jobs", "kills"), [(1, (3, 30)), (2, (30,))])
def test_killed_run_goes_on_where_it_was(tmp_path: Path, jobs: int, kills: tuple[int, ...]) -> None:
    for kill_at in kills:
        process = started(tmp_path, jobs)
        wait_for_fits(tmp_path, kill_at)
        process.send_signal(signal.SIGKILL)
        process.wait(10)
    known = past_run(Store(tmp_path), 1).done
    assert 20 <= known < 60
    resumed = finished(tmp_path)
    assert (resumed.reused, resumed.fitted) == (known, 60 - known)
    plain = run(DATA, [a_model(Odd(act="nothing"), "odd", "odd")], SPLITS, exact=False)
    assert_same(resumed["odd"], plain["odd"])
    # a kill may cost the fits under way and those of the last commit, never more
    assert len(fits(tmp_path)) <= 60 + 3 * 4 * jobs
    assert past_run(Store(tmp_path), 1).models[0].computed == 60


def test_interrupted_run_can_be_resumed(tmp_path: Path) -> None:
    process = started(tmp_path, jobs=2)
    wait_for_fits(tmp_path, 10)
    process.send_signal(signal.SIGINT)
    process.wait(60)
    assert process.returncode not in (0, -signal.SIGKILL)
    known = past_run(Store(tmp_path), 1).done
    assert 0 < known < 60
    # what the two workers had under way is lost, a batch or two each, and nothing else
    assert len(fits(tmp_path)) - known <= 12
    assert finished(tmp_path).reused == known


def test_full_disk_is_said_and_what_was_finished_is_safe(tmp_path: Path) -> None:
    """A limit on the size of files is a disk that is full for the database."""
    store = Store(tmp_path)
    model = a_model(Odd(act="nothing", pause=0.003), "odd", "odd")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, limits[1]))
    try:
        with pytest.raises(InputError, match=r"runs\.sqlite: .*every fold finished before is safe"):
            run(DATA, [model], MANY, store=store, exact=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    known = past_run(store, 1).done
    assert 0 < known < len(MANY)
    resumed = run(DATA, [model], MANY, store=store, exact=False)
    assert resumed.reused == known
    plain = run(DATA, [model], MANY, exact=False)
    assert_same(resumed["odd"], plain["odd"])
