"""A damaged run store: how often test rows were looked at is saved too, or said to be lost."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

import heldout
from heldout.cli.main import main
from heldout.runner.earlier_looks import looks_at_data, looks_at_rows, remembered
from heldout.runner.recover import recover
from heldout.runner.store import Store
from tests.auditing.test_audit import arrays, scored

PAGE = 4096
TABLES = ("look", "search", "single")
X, y = arrays()
NEIGHBOURS = [f"knn[n_neighbors={k}]" for k in range(1, 13)]
HOW: dict[str, Any] = {"procedure": "3-fold"}
GRID = {"n_neighbors": range(1, 13)}


#: what many models say of the same rows
MADE = [scored(i) for i in range(30)]


class Filled:
    """A store, the data and splits of its run, and what it knows of them."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder)
        # four settings are judged before a search, and one after it
        heldout.evaluate(NEIGHBOURS[:4], X, y, store=folder, **HOW)
        made = heldout.select("knn", GRID, X, y, store=folder, **HOW)
        heldout.evaluate(NEIGHBOURS[6], X, y, store=folder, **HOW)
        self.data, self.splits = made.dataset.fingerprint, made.splits.fingerprint
        looks_at_rows(self.store, MADE)
        with closing(sqlite3.connect(self.store.path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("PRAGMA journal_mode = DELETE")
            query = "SELECT tbl_name, type, rootpage FROM sqlite_schema WHERE rootpage > 0"
            self.roots = {(t, kind): page for t, kind, page in connection.execute(query)}

    def known(self, store: Store) -> Any:
        """All that the audit may ask a store."""
        return (
            remembered(store, self.data),
            looks_at_data(store, self.data, self.splits),
            looks_at_rows(store, MADE, record=False),
        )

    def damaged(self, folder: Path, *pages: int, part: slice = slice(0, PAGE)) -> Store:
        """A copy in which some pages, or a part of each, hold noise."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.store.folder, folder)
        content = bytearray((folder / "runs.sqlite").read_bytes())
        for page in pages:
            start = (page - 1) * PAGE
            noise = Random(page).randbytes(PAGE)
            content[start + part.start : start + part.stop] = noise[part]
        (folder / "runs.sqlite").write_bytes(content)
        return Store(folder)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    made = Filled(tmp_path_factory.mktemp("filled") / "store")
    assert made.known(made.store)[1:] == ((6, 0), 30)
    return made


@pytest.mark.parametrize("part", [slice(0, PAGE), slice(0, 300), slice(PAGE // 2, PAGE)], ids=str)
def test_index_of_looks_or_searches_costs_nothing(
    filled: Filled, tmp_path: Path, part: slice
) -> None:
    for table in TABLES:
        store = filled.damaged(tmp_path / "store", filled.roots[table, "index"], part=part)
        saved = recover(store)
        assert saved.moved_to is not None, table
        assert saved.looks == {"look": 30, "search": 1, "single": 5}, table
        assert saved.lost == (), table
        assert filled.known(store) == filled.known(filled.store), table


def test_page_of_looks_or_searches_is_lost_with_a_word(filled: Filled, tmp_path: Path) -> None:
    for table in TABLES:
        saved = recover(filled.damaged(tmp_path / "store", filled.roots[table, "table"]))
        assert [line for line in saved.lost if "K16" in line], table


def test_what_is_lost_of_the_memory_is_counted(filled: Filled, tmp_path: Path) -> None:
    # of both pages of the looks the end is overwritten, where the first rows are
    pages = [filled.roots["look", kind] for kind in ("table", "index")]
    store = filled.damaged(tmp_path / "store", *pages, part=slice(PAGE - 600, PAGE))
    saved = recover(store)
    left = saved.looks["look"]
    assert 15 < left < 30
    assert f"of the looks at predictions from elsewhere at least {30 - left} are lost to K16" in (
        saved.lost
    )
    assert looks_at_rows(store, MADE, record=False) == left
    # looking again counts each once
    assert looks_at_rows(store, MADE) == 30


def test_search_that_lost_settings_is_named_and_made_whole_by_the_same_command(
    filled: Filled, tmp_path: Path
) -> None:
    pages = [filled.roots["search", kind] for kind in ("table", "index")]
    # the settings that came first, at the end of a page, were judged by themselves as well
    store = filled.damaged(tmp_path / "store", *pages, part=slice(PAGE - 1700, PAGE - 500))
    saved = recover(store)
    assert saved.looks["search"] == 1
    assert any("K16" in line for line in saved.lost)
    assert filled.known(store)[0] != filled.known(filled.store)[0]
    heldout.select("knn", GRID, X, y, store=store.folder, **HOW)
    # what the search fitted is not taken for values that were looked at one by one
    assert filled.known(store) == filled.known(filled.store)


def test_lost_tables_are_not_lost_in_silence(filled: Filled, tmp_path: Path) -> None:
    pages = [filled.roots[t, kind] for t in ("look", "search") for kind in ("table", "index")]
    saved = recover(filled.damaged(tmp_path / "store", *pages))
    assert (saved.looks["look"], saved.looks["search"]) == (0, 0)
    assert any("it is unknown" in line for line in saved.lost)


def test_command_says_what_is_on_record(
    filled: Filled, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = "30 looks, 1 search, 5 settings judged by themselves"
    assert main(["runs", "recover", "--store", str(filled.store.folder)]) == 0
    assert f"; on record for K16: {kept})" in capsys.readouterr().err
    store = filled.damaged(tmp_path / "store", filled.roots["look", "index"])
    assert main(["runs", "recover", "--store", str(store.folder)]) == 0
    assert f"of what is on record for K16 are saved: {kept}\n" in capsys.readouterr().err
