"""A page of a run store that is overwritten costs no more than what was on it."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from karat.learners.outcome import Outcome
from karat.runner.history import past_run, past_runs
from karat.runner.pages import cells
from karat.runner.recover import recover
from karat.runner.run import run
from karat.runner.store import Store
from tests.runner.making import assert_same, some_data, some_splits, two_models

DATA = [some_data(seed=0), some_data(seed=1)]
SPLITS = some_splits()
#: each of two runs has two models in ten splits
PIECES = 40
PAGE = 4096


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store of two runs, all of it in its one file."""
    store = Store(tmp_path_factory.mktemp("filled"))
    for data in DATA:
        run(data, two_models(), SPLITS, store=store, exact=False)
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    return store


@pytest.fixture(scope="module")
def whole() -> list[dict[str, Outcome]]:
    return [dict(run(data, two_models(), SPLITS, exact=False)) for data in DATA]


def damaged(filled: Store, folder: Path, start: int, length: int = PAGE) -> Store:
    """A copy of a store in which some bytes are others."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(filled.folder, folder)
    store = Store(folder)
    content = bytearray(store.path.read_bytes())
    end = min(start + length, len(content))
    content[start:end] = Random(start).randbytes(end - start)
    store.path.write_bytes(content)
    return store


@pytest.mark.parametrize("shift", [0, PAGE // 2])
def test_one_overwritten_page_costs_only_the_folds_on_it(
    filled: Store, whole: list[dict[str, Outcome]], tmp_path: Path, shift: int
) -> None:
    pages = filled.path.stat().st_size // PAGE
    assert pages > 10
    for page in range(pages):
        store = damaged(filled, tmp_path / "store", page * PAGE + shift)
        saved = recover(store)
        assert saved.runs == 2, page
        assert (saved.orphans, saved.pieces >= PIECES - 10) == (0, True), (page, saved)
        for data, expected in zip(DATA, whole, strict=True):
            again = run(data, two_models(), SPLITS, store=store, exact=False)
            for name, outcome in expected.items():
                assert_same(again[name], outcome)
        told = past_runs(store)
        assert [one.state for one in told] == ["finished"] * 2, page
        assert [[m.name for m in one.models] for one in told] == [["nb", "tree"]] * 2, page


@pytest.mark.parametrize("table", ["run", "series", "piece"])
def test_no_fold_is_lost_with_the_root_of_a_table(
    filled: Store, tmp_path: Path, table: str
) -> None:
    query = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
    with closing(sqlite3.connect(filled.path)) as connection:
        ((root,),) = connection.execute(query, (table,))
    # of a table of few rows the root is the only page
    store = damaged(filled, tmp_path / "store", (root - 1) * PAGE)
    saved = recover(store)
    assert (saved.runs, saved.pieces, saved.orphans) == (2, PIECES, 0)
    for data in DATA:
        again = run(data, two_models(), SPLITS, store=store, exact=False)
        assert (again.fitted, again.reused) == (0, 20)


def test_store_whose_first_page_is_lost_is_whole_again(filled: Store, tmp_path: Path) -> None:
    store = damaged(filled, tmp_path / "store", 0)
    recover(store)
    kept, before = past_run(store, 2), past_run(filled, 2)
    assert kept.truth.tolist() == before.truth.tolist()
    assert (kept.facts, kept.created, kept.models) == (before.facts, before.created, before.models)


def test_pages_hold_the_rows_that_the_database_gives(filled: Store) -> None:
    rows = [cell for cell in cells(filled.path) if not cell.is_index]
    for table in ("run", "series", "piece"):
        with closing(sqlite3.connect(filled.path)) as connection:
            known = set(connection.execute(f"SELECT * FROM {table}").fetchall())
        width = len(next(iter(known)))
        found = {(cell.number, *cell.values[1:]) for cell in rows if cell.width == width}
        assert found == known


def test_removed_run_does_not_come_back(filled: Store, tmp_path: Path) -> None:
    store = damaged(filled, tmp_path / "store", 0, 0)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        # as where no room could be given back, and what is removed is not overwritten
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("DELETE FROM run WHERE id = 1")
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        ((root,),) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'piece'")
    assert free > 1
    with store.path.open("r+b") as file:
        file.seek((root - 1) * PAGE)
        file.write(b"\xff" * PAGE)
    saved = recover(store)
    assert (saved.runs, saved.pieces, saved.orphans) == (1, PIECES // 2, 0)
    assert [one.number for one in past_runs(store)] == [2]
