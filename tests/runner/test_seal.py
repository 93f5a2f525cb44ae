"""Large predictions in files of their own: whole, named by the database, or not there at all."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from heldout.core.errors import InputError
from heldout.runner import seal
from heldout.runner.claims import SEALING, Locks
from heldout.runner.history import outcome_of, past_run
from heldout.runner.recover import recover
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.conftest import ROOT
from tests.runner.making import Odd, a_model, assert_same, some_data, some_splits

DATA, SPLITS = some_data(), some_splits()
MODEL = a_model(Odd(act="nothing"), "odd", "odd")

KILLED = """
import os, signal, sys
from pathlib import Path
from typing import Any
from heldout.core.errors import InputError
from heldout.runner import seal
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.runner.test_seal import DATA, MODEL, SPLITS
seal.LARGE = 1
def die(*given): os.kill(os.getpid(), signal.SIGKILL)
{patch}
run(DATA, [MODEL], SPLITS, store=Store(Path(sys.argv[1])), exact=False)
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def files(store: Store) -> list[str]:
    folder = store.folder / "predictions"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


@pytest.mark.parametrize("patch", ["seal._without_rows = die", "os.fsync = die"])
def test_file_of_a_process_that_was_killed_while_sealing_goes(store: Store, patch: str) -> None:
    if "fsync" in patch:
        patch = "seal.os = type('os', (), dict(vars(os), fsync=die))"
    code = [sys.executable, "-c", KILLED.format(patch=patch), str(store.folder)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    killed = subprocess.run(code, env=environment, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(files(store)) == 1
    (store.folder / "predictions" / "mine.parquet").write_text("somebody else's")
    again = run(DATA, [MODEL], SPLITS, store=store, exact=False)
    assert (again.fitted, again.notes) == (0, ())
    assert files(store) == ["mine.parquet"]
    assert_same(again["odd"], run(DATA, [MODEL], SPLITS, exact=False)["odd"])


def test_file_of_a_process_that_seals_just_now_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(DATA, [MODEL], SPLITS, store=store, exact=False)
    file = store.folder / "predictions" / ".1-0123abcd.parquet"
    file.parent.mkdir()
    file.touch()
    monkeypatch.setattr(seal, "LARGE", 1)
    with closing(Locks(store.folder)) as sealing:
        assert sealing.take(SEALING)
        # nor is anything sealed meanwhile
        run(DATA, [MODEL], SPLITS, store=store, exact=False)
        assert files(store) == [file.name]
    run(DATA, [MODEL], SPLITS, store=store, exact=False)
    assert not file.exists()
    assert len(files(store)) == 1
    assert past_run(store, 1).done == 10


def test_half_made_store_of_a_killed_process_goes(store: Store) -> None:
    run(DATA, [MODEL], SPLITS, store=store, exact=False)
    half = store.folder / f".{'0a' * 16}.sqlite"
    half.touch()
    run(DATA, [MODEL], SPLITS, store=store, exact=False)
    assert not half.exists()


def test_store_of_a_newer_heldout_is_named_and_left_as_it_is(store: Store) -> None:
    run(DATA, [MODEL], SPLITS, store=store, exact=False)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute("ALTER TABLE series ADD COLUMN later TEXT")
        connection.execute("PRAGMA user_version = 99")
    for use in (
        lambda: run(DATA, [MODEL], SPLITS, store=store, exact=False),
        lambda: past_run(store, 1),
        lambda: recover(store),
    ):
        with pytest.raises(InputError, match=r"made by a newer heldout \(tables 99, known \d\)"):
            use()
    assert not list(store.folder.glob("damaged-*"))


def test_what_is_sealed_while_it_is_read_is_read_all_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(DATA, [MODEL], SPLITS, store=store, exact=False)
    (model,) = past_run(store, 1).models
    read = seal.read_sealed

    def sealed_first(connection: sqlite3.Connection, *given: Any, **how: Any) -> Any:
        found = read(connection, *given, **how)
        with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
            seal.seal(other, store.folder, model.series, whole["odd"])
        return found

    monkeypatch.setattr(seal, "LARGE", 1)
    monkeypatch.setattr(seal, "read_sealed", sealed_first)
    assert_same(outcome_of(store, model, []), whole["odd"])
    assert files(store)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("DELETE FROM sealed")
    monkeypatch.undo()
    run(DATA, [MODEL], SPLITS, store=store, exact=False)
    monkeypatch.setattr(seal, "LARGE", 1)
    monkeypatch.setattr(seal, "read_sealed", sealed_first)
    again = run(DATA, [MODEL], SPLITS, store=store, exact=False)
    assert (again.fitted, again.reused) == (0, 10)
    assert_same(again["odd"], whole["odd"])


def test_folder_in_the_place_of_a_file_is_named_and_its_folds_are_done_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seal, "LARGE", 1)
    run(DATA, [MODEL], SPLITS, store=store, exact=False)
    (name,) = files(store)
    path = store.folder / "predictions" / name
    path.unlink()
    path.mkdir()
    again = run(DATA, [MODEL], SPLITS, store=store, exact=False)
    assert again.fitted == len(SPLITS)
    assert any(f"{path}: damaged" in note for note in again.notes)
    assert run(DATA, [MODEL], SPLITS, store=store, exact=False).fitted == 0


def test_new_store_that_was_killed_before_it_had_a_name_goes_at_the_next_run(store: Store) -> None:
    left = store.folder / f".{'0' * 32}.sqlite"
    left.write_bytes(b"half")
    run(DATA, [MODEL], SPLITS, store=store, exact=False)
    assert not left.exists()
