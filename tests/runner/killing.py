"""Copies of a process that run and export, and are killed at any moment, for the tests."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

from heldout.runner.export import export_run
from heldout.runner.recover import recover
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.runner.making import Odd, a_model, assert_same, some_data, some_splits

DATA, SPLITS = some_data(120), some_splits(120, 10, 3)
MODELS = [a_model(Odd(act="nothing", pause=0.001), f"odd{i}", f"odd{i}") for i in range(3)]
ROWS = 3 * 3 * 120


def started(store: Store, output: Path) -> int:
    """A copy of this process that runs all models and exports what they say."""
    copy = os.fork()
    if copy:
        return copy
    code = 1
    try:
        run(DATA, MODELS, SPLITS, store=store, exact=False)
        export_run(store, 1, output)
        code = 0
    finally:
        os._exit(code)


def killed(copies: list[int], moment: float) -> int:
    """Kill copies at a moment; how many there still were."""
    time.sleep(moment)
    count = 0
    for copy in copies:
        ended, status = os.waitpid(copy, os.WNOHANG)
        if not ended:
            os.kill(copy, signal.SIGKILL)
            os.waitpid(copy, 0)
            count += 1
        else:
            assert status == 0, status
    return count


def check(store: Store, output: Path) -> None:
    """Whatever was killed, nothing is damaged and nothing half is there."""
    if output.exists():
        assert output.read_text().count("\n") == ROWS + 1
    if store.path.exists():
        with closing(sqlite3.connect(store.path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        saved = recover(store)
        assert (saved.moved_to, saved.lost) == (None, ()), saved


def main(folder: str, kills: str, seed: str) -> None:
    chance, left = random.Random(int(seed)), int(kills)
    store, output = Store(Path(folder) / "store"), Path(folder) / "made.csv"
    plain = run(DATA, MODELS, SPLITS, exact=False)
    longest = 0.3
    while left > 0:
        copies = [started(store, output) for _ in range(chance.choice([1, 2]))]
        count = killed(copies, chance.random() * longest)
        left -= count
        # when all is done before anybody is killed, the kills come earlier and all begins anew
        if not count:
            longest *= 0.7
            for path in (*store.folder.rglob("*.*"), output):
                path.unlink(missing_ok=True)
        check(store, output)
    made = run(DATA, MODELS, SPLITS, store=store, exact=False)
    for name, outcome in plain.items():
        assert_same(made[name], outcome)
    assert export_run(store, 1, output) == (ROWS, [])
    check(store, output)


if __name__ == "__main__":
    main(*sys.argv[1:])
