"""A disk that is full is called so, and a run can be removed from it to make room."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import heldout
from heldout.cli.main import main
from heldout.runner import history
from heldout.runner.database import transaction
from heldout.runner.history import past_runs, remove_run
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.runner.making import some_data, some_splits, two_models

SPLITS = some_splits()
FULL = Path("/dev/full")
FULL_ERROR = sqlite3.OperationalError("database or disk is full")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store of two runs."""
    made = Store(tmp_path / "store")
    for seed in (0, 1):
        run(some_data(seed=seed), two_models(), SPLITS, store=made, exact=False)
    return made


def refusing(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """The first commits find no room."""
    left = [FULL_ERROR] * times

    @contextmanager
    def full(connection: sqlite3.Connection) -> Iterator[None]:
        if left:
            raise left.pop()
        with transaction(connection):
            yield

    monkeypatch.setattr(history, "transaction", full)


def test_a_run_is_removed_from_a_full_disk(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    refusing(monkeypatch, 1)
    before = store.path.stat().st_size
    remove_run(store, 1)
    assert [(one.number, one.done) for one in past_runs(store)] == [(2, 20)]
    assert store.path.stat().st_size < before
    with closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    data = some_data(seed=1)
    assert run(data, two_models(), SPLITS, store=store, exact=False).fitted == 0


def test_where_there_is_no_room_at_all_it_is_said(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refusing(monkeypatch, 9)
    assert main(["runs", "remove", "1", "--yes", "--store", str(store.folder)]) == 2
    assert "the disk is full" in capsys.readouterr().err
    assert len(past_runs(store)) == 2


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_output_file_on_a_full_disk(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    path = tmp_path / f"out.{ending}"
    path.symlink_to(FULL)
    given = ["runs", "export", "1", "--store", str(store.folder), "--output", str(path)]
    assert main(given) == 2
    assert capsys.readouterr().err == f"heldout: cannot write {path}: the disk is full\n"
    X: Any = [[float(i)] for i in range(12)]
    made = heldout.evaluate("majority", X, [0, 1, 1] * 4, procedure="2-fold")
    with pytest.raises(heldout.InputError, match="the disk is full"):
        made.predictions.write(path)
