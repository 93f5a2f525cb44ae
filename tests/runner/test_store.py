"""The run store: nothing is done twice, nothing is mixed, and damage is named and made good."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from heldout.core.errors import InputError
from heldout.runner.history import past_run, past_runs
from heldout.runner.recover import recover
from heldout.runner.run import run
from heldout.runner.store import Store, chosen_store
from tests.runner.making import Odd, a_model, assert_same, odd_where, some_data, some_splits

DATA, SPLITS = some_data(source="some.csv"), some_splits()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "fits"


def logged(log: Path) -> Any:
    return a_model(Odd(act="nothing", log=str(log)), "logged")


def fits(log: Path) -> int:
    return len(log.read_text().splitlines())


def sql(store: Store, statement: str) -> list[Any]:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        return connection.execute(statement).fetchall()


def test_finished_run_is_answered_from_the_store(store: Store, log: Path) -> None:
    one = run(DATA, [logged(log)], SPLITS, store=store)
    two = run(DATA, [logged(log)], SPLITS, store=store, jobs=2)
    assert_same(one["logged"], two["logged"])
    assert (one.fitted, one.reused, two.fitted, two.reused) == (10, 0, 0, 10)
    assert fits(log) == 10
    assert one.number == two.number == 1


def taken_up(store: Store, log: Path, statement: str) -> Any:
    """A run whose store was changed since, which gives the same as before."""
    whole = run(DATA, [logged(log)], SPLITS, store=store)
    sql(store, statement)
    again = run(DATA, [logged(log)], SPLITS, store=store)
    assert_same(whole["logged"], again["logged"])
    return again


def test_only_what_is_missing_is_done(store: Store, log: Path) -> None:
    taken_up(store, log, "DELETE FROM piece WHERE first IN (2, 3, 7)")
    assert fits(log) == 13


@pytest.mark.parametrize("change", ["data", "splits", "seed", "model", "versions"])
def test_what_is_not_the_same_is_never_mixed(
    change: str, store: Store, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(DATA, [logged(log)], SPLITS, store=store)
    data, splits, model, seed = DATA, SPLITS, logged(log), 0
    if change == "data":
        data = some_data(source="some.csv", seed=1)
    elif change == "splits":
        splits = some_splits(repeats=1)
    elif change == "seed":
        seed = 1
    elif change == "model":
        model = replace(model, fingerprint="another")
    else:
        monkeypatch.setattr("heldout.runner.run_rows.RESULTS", 99)
    made = run(data, [model], splits, store=store, seed=seed)
    assert made.fitted == len(splits)
    assert len(past_runs(store)) == (1 if change == "model" else 2)


def test_changed_data_file_is_noticed(store: Store, log: Path, tmp_path: Path) -> None:
    file = tmp_path / "some.csv"
    file.write_text("one")
    assert run(some_data(source=str(file)), [logged(log)], SPLITS, store=store).notes == ()
    file.write_text("two")
    changed = some_data(source=str(file), seed=1)
    (note,) = run(changed, [logged(log)], SPLITS, store=store).notes
    assert note.startswith(f"{file}: changed since run 1 (")
    assert run(changed, [logged(log)], SPLITS, store=store).notes == ()


def test_other_columns_of_the_same_file_are_no_change_of_it(
    store: Store, log: Path, tmp_path: Path
) -> None:
    file = tmp_path / "some.csv"
    file.write_text("one")
    run(some_data(source=str(file)), [logged(log)], SPLITS, store=store)
    fewer = replace(some_data(source=str(file)), features=DATA.features[:2])
    (note,) = run(fewer, [logged(log)], SPLITS, store=store).notes
    assert note.startswith(f"{file}: the columns or roles differ from run 1 (")


def test_failed_fold_is_tried_again_only_on_request(store: Store, log: Path) -> None:
    bad = odd_where(DATA, 7, "raise", str(log))
    failures = run(DATA, [bad], SPLITS, store=store)["odd"].failures
    assert len(failures) == 2
    assert run(DATA, [bad], SPLITS, store=store)["odd"].failures == failures
    assert fits(log) == 10
    good = replace(bad, estimator=Odd(act="nothing", log=str(log)))
    mended = run(DATA, [good], SPLITS, store=store, retry_failed=True)
    assert (mended["odd"].failures, mended.fitted) == ((), 2)
    again = run(DATA, [good], SPLITS, store=store)
    assert (again["odd"].failures, again.fitted) == ((), 0)
    assert past_run(store, 1).models[0].computed == 12


def test_model_that_nothing_identifies_is_not_stored(store: Store, log: Path) -> None:
    model = replace(logged(log), fingerprint="")
    for _ in range(2):
        made = run(DATA, [model], SPLITS, store=store)
        assert made.fitted == 10
        assert made.notes == ("logged: not stored, since nothing identifies it for the next time",)


def test_training_rows_can_be_asked_for_later(store: Store, log: Path) -> None:
    test = run(DATA, [logged(log)], SPLITS, store=store)
    both = run(DATA, [logged(log)], SPLITS, store=store, train_error=True)
    assert_same(test["logged"], both["logged"])
    assert len(both.train["logged"].splits) == 10
    assert run(DATA, [logged(log)], SPLITS, store=store, train_error=True).fitted == 0


def test_damaged_piece_is_named_and_computed_again(store: Store, log: Path) -> None:
    cut = "UPDATE piece SET content = substr(content, 1, 200) WHERE first = 4"
    again = taken_up(store, log, cut)
    assert fits(log) == 11
    (note,) = again.notes
    assert note.startswith(f"{store.path}: split 5 of logged is damaged (")
    assert run(DATA, [logged(log)], SPLITS, store=store).notes == ()


def test_damaged_database_is_named_and_the_rest_recovered(store: Store, log: Path) -> None:
    data = some_data(rows=600)
    whole = run(data, [logged(log)], some_splits(600, 10, 8), store=store)
    size = store.path.stat().st_size
    with store.path.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(b"\xff" * 3 * 4096)
    before = fits(log)
    with pytest.raises(InputError, match=r"runs\.sqlite: .*heldout runs recover"):
        run(data, [logged(log)], some_splits(600, 10, 8), store=store)
    saved = recover(store)
    assert saved.moved_to is not None
    assert saved.moved_to.is_file()
    assert 40 <= saved.pieces < 80
    again = run(data, [logged(log)], some_splits(600, 10, 8), store=store)
    assert_same(whole["logged"], again["logged"])
    assert 0 < fits(log) - before < 40


@pytest.mark.parametrize(
    ("table", "runs", "line"),
    [
        ("run", 0, "run 1 is lost with its models (logged): their folds are computed again when"),
        ("series", 1, "10 folds of lost runs or models could be read, and cannot be used"),
    ],
)
def test_folds_whose_run_or_model_cannot_be_read_are_named_and_fitted_again(
    store: Store, log: Path, table: str, runs: int, line: str
) -> None:
    whole = run(DATA, [logged(log)], SPLITS, store=store)
    for (root,) in sql(store, f"SELECT rootpage FROM sqlite_schema WHERE tbl_name = '{table}'"):
        with store.path.open("r+b") as file:
            file.seek((root - 1) * 4096)
            file.write(b"\xff" * 4096)
    saved = recover(store)
    assert (saved.runs, saved.pieces, saved.folds) == (runs, 0, 0)
    assert any(told.startswith(line) for told in saved.lost), saved.lost
    again = run(DATA, [logged(log)], SPLITS, store=store)
    assert_same(whole["logged"], again["logged"])
    assert (again.fitted, past_run(store, again.number or 0).state) == (10, "finished")


def test_file_that_is_no_database_is_named(store: Store, log: Path) -> None:
    store.folder.mkdir()
    store.path.write_text("not at all a database" * 100)
    with pytest.raises(InputError, match=r"runs\.sqlite: the file is damaged"):
        run(DATA, [logged(log)], SPLITS, store=store)


def test_store_of_a_newer_heldout_is_left_alone(store: Store, log: Path) -> None:
    run(DATA, [logged(log)], SPLITS, store=store)
    sql(store, "ALTER TABLE run ADD COLUMN weather TEXT")
    sql(store, "PRAGMA user_version = 99")
    with pytest.raises(InputError, match="made by a newer heldout"):
        run(DATA, [logged(log)], SPLITS, store=store)


def test_store_where_no_folder_can_be_is_refused(tmp_path: Path, log: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="the run store cannot be made there"):
        run(DATA, [logged(log)], SPLITS, store=Store(tmp_path / "file" / "store"))


def test_choice_of_a_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HELDOUT_STORE", raising=False)
    assert chosen_store(None) == Store(Path(".heldout"))
    monkeypatch.setenv("HELDOUT_STORE", "elsewhere")
    assert chosen_store(True) == Store(Path("elsewhere"))
    assert chosen_store("here") == Store(Path("here"))
    assert chosen_store(False) is None


def test_store_of_the_old_name_is_used_and_said(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HELDOUT_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    run(DATA, [logged(log)], SPLITS, store=Store(Path(".karat")))
    again = run(DATA, [logged(log)], SPLITS, store=chosen_store())
    assert (again.fitted, again.reused) == (0, 10)
    assert "the store is .karat, of an older version; rename it .heldout" in again.notes
    Path(".heldout").mkdir()
    assert chosen_store() == Store(Path(".heldout"))


def test_predictions_that_an_older_store_kept_in_files_are_computed_again(
    store: Store, log: Path
) -> None:
    run(DATA, [logged(log)], SPLITS, store=store)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE sealed (series INTEGER, file TEXT)")
        connection.execute("DELETE FROM piece")
        connection.execute("PRAGMA user_version = 3")
    assert recover(store).lost == ()
    again = run(DATA, [logged(log)], SPLITS, store=store)
    assert (again.fitted, past_run(store, 1).state) == (10, "finished")


def test_nothing_in_the_store_is_a_pickle(store: Store, log: Path) -> None:
    run(DATA, [logged(log)], SPLITS, store=store)
    (content,) = sql(store, "SELECT content FROM piece LIMIT 1")[0]
    assert content.startswith(b"karat-1\n")
