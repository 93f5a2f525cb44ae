"""A wrong byte in what a store says of its tables is damage, is called so, and is recovered."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from heldout.cli.main import main
from heldout.core.errors import InputError
from heldout.runner.database import VERSION
from heldout.runner.history import past_run, past_runs
from heldout.runner.recover import recover
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.runner.making import some_data, some_splits, two_models

NB, TREE = two_models()
DATA, SPLITS = some_data(), some_splits()
Capture = pytest.CaptureFixture[str]

#: what stands in the first page, which byte of it is another, and which it is then
CHANGES = {
    "column of piece": (b"failed INTEGER", 0, b"k"),
    "column of run": (b"facts TEXT", 2, b"k"),
    "column, no text": (b"facts TEXT", 2, b"\xff"),
    "name of a table, no text": (b"piecepiece", 0, b"\xff"),
    "statement": (b"CREATE TABLE series", 3, b"\xe2"),
    "key": (b"REFERENCES run (id)", 11, b"s"),
}
#: after which nothing leads to the rows of a table
UNREADABLE = ("column, no text", "statement")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with a model that was evaluated and a setting of a search, all in its one file."""
    store = Store(tmp_path_factory.mktemp("filled"))
    run(DATA, [NB], SPLITS, store=store, exact=False)
    run(DATA, [TREE], SPLITS, store=store, exact=False, purpose="select")
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return store


def damaged(filled: Store, folder: Path, change: str) -> Store:
    shutil.copytree(filled.folder, folder)
    store, (text, at, byte) = Store(folder), CHANGES[change]
    content = bytearray(store.path.read_bytes())
    start = content.index(text) + at
    assert start < 4096
    content[start : start + 1] = byte
    store.path.write_bytes(content)
    return store


@pytest.mark.parametrize("change", CHANGES)
def test_a_wrong_byte_is_called_damage_and_what_its_table_held_is_saved_or_named(
    filled: Store, tmp_path: Path, change: str, capsys: Capture
) -> None:
    store = damaged(filled, tmp_path / "store", change)
    where = ("--store", str(store.folder))
    code, told = main(["runs", *where]), capsys.readouterr().err
    # a foreign key is asked for only where something is written
    if change != "key":
        assert (code, f"{store.path}: the file is damaged (" in told) == (2, True), told
        assert "heldout runs recover saves what can be read" in told
    assert main(["runs", "recover", *where]) == 0
    told = capsys.readouterr().err
    again = run(DATA, [NB, TREE], SPLITS, store=store, exact=False)
    if change not in UNREADABLE:
        assert "saved: 1 run with 20 folds" in told
        models = [(one.name, one.done) for one in past_run(store, 1).models]
        assert (again.fitted, models) == (0, [("nb", 10), ("tree", 10)])
    else:
        assert "lost" in told
        assert again.fitted == 20


def test_unreadable_description_of_the_tables_is_told_and_the_file_kept(
    filled: Store, tmp_path: Path, capsys: Capture
) -> None:
    shutil.copytree(filled.folder, tmp_path / "store")
    store = Store(tmp_path / "store")
    with store.path.open("r+b") as file:
        file.write(b"\xff" * 4096)
    before = store.path.read_bytes()
    assert main(["runs", "recover", "--store", str(store.folder)]) == 0
    told = capsys.readouterr().err
    assert "nothing can be read of it: all runs are lost" in told
    (aside,) = store.folder.glob("damaged-*.sqlite")
    assert f"the damaged file is kept as {aside}" in told
    assert aside.read_bytes() == before
    assert run(DATA, [NB, TREE], SPLITS, store=store, exact=False).fitted == 20


def test_a_newer_heldouts_store_is_not_taken_for_damaged(filled: Store, tmp_path: Path) -> None:
    shutil.copytree(filled.folder, tmp_path / "store")
    store = Store(tmp_path / "store")
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("ALTER TABLE run ADD COLUMN weather TEXT")
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    for ask in (past_runs, recover):
        with pytest.raises(InputError, match="made by a newer heldout"):
            ask(store)


def test_an_old_store_that_is_damaged_keeps_the_names_of_its_models(
    filled: Store, tmp_path: Path
) -> None:
    shutil.copytree(filled.folder, tmp_path / "store")
    store = Store(tmp_path / "store")
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("ALTER TABLE series DROP COLUMN purpose")
        connection.execute("UPDATE piece SET content = x'00' WHERE id = 1")
        connection.execute("PRAGMA user_version = 2")
    assert recover(store).folds == 19
    assert [one.name for one in past_run(store, 1).models] == ["nb", "tree"]
