"""A store that can be read and not written: what is finished is answered, the rest refused."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from heldout.core.errors import InputError
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.runner.making import a_model, assert_same, some_data, some_splits, two_models

DATA, SPLITS = some_data(), some_splits()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@contextmanager
def protected(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The store without the right to write, which root is only told that it lacks."""
    before = content(store)
    asked = os.access

    def access(path: Any, mode: int) -> bool:
        is_inside = Path(path) == store.folder or store.folder in Path(path).parents
        return asked(path, mode) and not (is_inside and mode & os.W_OK)

    with monkeypatch.context() as patch:
        patch.setattr("heldout.runner.database.os.access", access)
        for path in (*store.folder.rglob("*"), store.folder):
            path.chmod(0o555 if path.is_dir() else 0o444)
        try:
            yield
            assert content(store) == before
        finally:
            for path in (store.folder, *store.folder.rglob("*")):
                path.chmod(0o755 if path.is_dir() else 0o644)


def content(store: Store) -> dict[str, bytes]:
    # what readers of the log note in shared memory is no content; root may note it anyway
    files = (p for p in store.folder.rglob("*") if p.is_file() and not p.name.endswith("-shm"))
    return {p.name: p.read_bytes() for p in files}


def made(store: Store, models: Any = None, **how: Any) -> Any:
    return run(DATA, models or two_models(), SPLITS, store=store, exact=False, **how)


def test_finished_run_is_answered_and_nothing_written(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = made(store)
    with protected(store, monkeypatch):
        two = made(store, jobs=2)
    assert (two.fitted, two.reused) == (0, 20)
    assert two.recalled.startswith("20 of 20 folds from the store (run 1, computed ")
    for name in one:
        assert_same(one[name], two[name])


def test_log_of_a_killed_process_is_read_too(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    made(store)
    with closing(sqlite3.connect(store.path)) as held:
        # another process that has the store open keeps its log from being written back
        assert held.execute("SELECT count(*) FROM piece").fetchone() == (20,)
        made(store, [a_model(two_models()[0].estimator, "third")])
        log = store.folder / "runs.sqlite-wal"
        assert log.stat().st_size > 0
        with protected(store, monkeypatch):
            assert made(store, [a_model(two_models()[0].estimator, "third")]).fitted == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            "DELETE FROM piece WHERE first IN (2, 3)",
            "store: the run store can be read and not written, and 4 of the 20 folds of this run ",
        ),
        ("UPDATE piece SET content = x'00' WHERE first = 4", "2 of the 20 folds"),
        ("PRAGMA user_version = 1", "made by an older heldout"),
    ],
    ids=["unfinished", "damaged", "older"],
)
def test_store_that_would_have_to_change_is_refused(
    change: str, said: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(store)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute(change)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with protected(store, monkeypatch), pytest.raises(InputError, match=said):
        made(store)


def test_run_of_which_nothing_is_stored_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(store)
    with protected(store, monkeypatch), pytest.raises(InputError, match="5 of the 5 folds"):
        run(DATA, two_models()[:1], some_splits(repeats=1), store=store, exact=False)


def test_model_that_is_never_stored_is_fitted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(store)
    nb, tree = two_models()
    with protected(store, monkeypatch):
        mixed = made(store, [nb, replace(tree, fingerprint="")])
    assert (mixed.fitted, mixed.reused) == (10, 10)


def test_folder_in_which_no_store_can_be_made_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.folder.mkdir()
    with protected(store, monkeypatch), pytest.raises(InputError, match="cannot be written; give"):
        made(store)
