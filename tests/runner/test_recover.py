"""A page of a run store that is overwritten costs no more than what was on it."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from heldout.cli.main import main
from heldout.learners.outcome import Outcome
from heldout.runner.history import past_runs
from heldout.runner.recover import Recovery, recover
from heldout.runner.run import run
from heldout.runner.store import Store
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


def pieces_of(store: Store) -> dict[Any, bytes]:
    """The folds in a store by run, model and splits."""
    query = """SELECT run.key, series.model, series.part, first, count, content FROM piece
        JOIN series ON series.id = series JOIN run ON run.id = run"""
    with closing(sqlite3.connect(store.path)) as connection:
        return {tuple(row): content for *row, content in connection.execute(query)}


def assert_what_is_kept_is_as_it_was(
    store: Store, filled: Store, whole: list[dict[str, Outcome]], saved: Recovery
) -> None:
    """No fold is another one, what is lost is said, and a run fits just that."""
    kept, before = pieces_of(store), pieces_of(filled)
    assert kept.items() <= before.items()
    assert (saved.pieces, bool(saved.lost)) == (len(kept), len(kept) < len(before))
    fitted = 0
    for data, expected in zip(DATA, whole, strict=True):
        again = run(data, two_models(), SPLITS, store=store, exact=False)
        fitted += again.fitted
        for name, outcome in expected.items():
            assert_same(again[name], outcome)
    assert fitted == len(before) - len(kept)
    assert [one.state for one in past_runs(store)] == ["finished"] * 2


@pytest.mark.parametrize("shift", [0, PAGE // 2])
def test_overwritten_page_costs_only_what_is_on_it(
    filled: Store, whole: list[dict[str, Outcome]], tmp_path: Path, shift: int
) -> None:
    roots = dict(sql(filled, "SELECT tbl_name, min(rootpage) FROM sqlite_schema GROUP BY 1"))
    pages = filled.path.stat().st_size // PAGE
    assert pages > 10
    for page in range(1, pages):
        store = damaged(filled, tmp_path / "store", page * PAGE + shift)
        saved = recover(store)
        assert_what_is_kept_is_as_it_was(store, filled, whole, saved)
        # those that hold what leads to other rows cost these too
        leading = {root - 1 for root in roots.values()}
        if not leading & {page, page + bool(shift)}:
            assert saved.pieces >= PIECES - 10 * (1 + bool(shift)), (page, saved)


def test_bytes_damaged_at_random_places_end_in_words(
    filled: Store,
    whole: list[dict[str, Outcome]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    chance, size = Random(3), filled.path.stat().st_size
    for _ in range(60):
        store = damaged(filled, tmp_path / "store", 0, 0)
        content = bytearray(store.path.read_bytes())
        for _ in range(chance.choice([1, 1, 3, 10])):
            start, length = chance.randrange(size), chance.choice([1, 4, 100, 3000])
            content[start : start + length] = chance.randbytes(len(content[start : start + length]))
        store.path.write_bytes(content[: chance.choice([size, size, size, chance.randrange(size)])])
        code = main(["runs", "recover", "--store", str(store.folder)])
        told = capsys.readouterr().err
        assert code in (0, 2)
        assert str(store.path) in told
        kept = pieces_of(store)
        assert kept.items() <= pieces_of(filled).items()
        assert len(kept) == PIECES or "lost" in told or "damaged" not in told
        for data, expected in zip(DATA, whole, strict=True):
            again = run(data, two_models(), SPLITS, store=store, exact=False)
            for name, outcome in expected.items():
                assert_same(again[name], outcome)


def test_removed_run_does_not_come_back(filled: Store, tmp_path: Path) -> None:
    store = damaged(filled, tmp_path / "store", 0, 0)
    sql(store, "DELETE FROM run WHERE id = 1")
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE piece SET content = x'00' WHERE series = 3 AND first = 0")
    saved = recover(store)
    assert (saved.runs, saved.pieces) == (1, PIECES // 2 - 1)
    assert [one.number for one in past_runs(store)] == [2]


def sql(store: Store, statement: str) -> list[Any]:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        return connection.execute(statement).fetchall()
