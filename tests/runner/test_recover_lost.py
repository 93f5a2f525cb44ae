"""What ``heldout runs recover`` cannot save it names: run, model and splits, or the file."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from heldout.cli.main import main
from heldout.core.errors import InputError
from heldout.learners.model import Model
from heldout.runner.earlier_looks import looks_at_data
from heldout.runner.history import past_run
from heldout.runner.recover import recover
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.runner.making import a_model, assert_same, some_data, some_splits, two_models

DATA, SPLITS = some_data(), some_splits()
PAGE = 4096


def filled(folder: Path) -> Store:
    """A store of one run of two models in ten splits, all of it in its one file."""
    store = Store(folder)
    for model in two_models():
        run(DATA, [model], SPLITS, store=store, exact=False)
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return store


def sql(store: Store, statement: str) -> list[Any]:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        return connection.execute(statement).fetchall()


def looks(store: Store) -> Any:
    return looks_at_data(store, DATA.fingerprint, SPLITS.fingerprint)


def test_changed_byte_of_a_fold_names_it_and_it_is_fitted_again(tmp_path: Path) -> None:
    store = filled(tmp_path)
    assert looks(store) == (2, 0)
    ((blob,),) = sql(store, "SELECT content FROM piece WHERE series = 2 AND first = 3")
    content = bytearray(store.path.read_bytes())
    content[content.index(blob[-60:])] ^= 1
    store.path.write_bytes(content)
    saved = recover(store)
    assert saved.pieces == 19
    assert saved.lost == ("run 1: split 4 of tree is lost; it is computed again when asked for",)
    assert past_run(store, 1).state == "unfinished"
    again = run(DATA, two_models(), SPLITS, store=store, exact=False)
    assert (again.fitted, looks(store)) == (1, (2, 0))


@pytest.mark.parametrize("pages", [0, 1, 2, 3])
def test_cut_file_is_saved_up_to_the_cut_and_the_rest_named(tmp_path: Path, pages: int) -> None:
    whole = run(DATA, two_models(), SPLITS, exact=False)
    store = filled(tmp_path)
    content = store.path.read_bytes()
    assert len(content) == 13 * PAGE
    store.path.write_bytes(content[: len(content) - pages * PAGE - 700])
    saved = recover(store)
    assert saved.runs == 1
    assert saved.pieces < 20
    told = past_run(store, 1)
    lost = {model.name: 10 - model.done for model in told.models if model.done < 10}
    for name in lost:
        assert any(f" of {name} " in line and "lost" in line for line in saved.lost), saved.lost
    again = run(DATA, two_models(), SPLITS, store=store, exact=False)
    assert again.fitted == sum(lost.values())
    for name, outcome in whole.items():
        assert_same(again[name], outcome)


def copied_with_its_log(folder: Path) -> tuple[Store, Model]:
    """A store whose last model is in the log alone, since another process still reads."""
    store = filled(folder / "one")
    third = a_model(two_models()[0].estimator, "third")
    with closing(sqlite3.connect(store.path)) as held:
        assert held.execute("SELECT count(*) FROM piece").fetchone() == (20,)
        run(DATA, [third], SPLITS, store=store, exact=False)
        shutil.copytree(store.folder, folder / "two")
    return Store(folder / "two"), third


def test_log_that_is_not_yet_in_the_file_is_saved_with_it(tmp_path: Path) -> None:
    copy, third = copied_with_its_log(tmp_path)
    # a fold of the file itself, which the log does not have
    ((blob,),) = sql(
        Store(tmp_path / "one"), "SELECT content FROM piece WHERE series = 2 AND first = 3"
    )
    content = bytearray(copy.path.read_bytes())
    content[content.index(blob[-60:])] ^= 1
    copy.path.write_bytes(content)
    saved = recover(copy)
    assert (saved.pieces, len(saved.lost)) == (29, 1)
    assert run(DATA, [*two_models(), third], SPLITS, store=copy, exact=False).fitted == 1


def test_store_without_its_log_is_that_of_the_last_commit_in_the_file(tmp_path: Path) -> None:
    copy, third = copied_with_its_log(tmp_path)
    (copy.folder / "runs.sqlite-wal").unlink()
    saved = recover(copy)
    assert (saved.moved_to, saved.runs, saved.pieces, saved.lost) == (None, 1, 20, ())
    again = run(DATA, [*two_models(), third], SPLITS, store=copy, exact=False)
    assert (again.fitted, again.reused) == (10, 20)


def test_run_of_which_only_the_models_are_known_is_named(tmp_path: Path) -> None:
    store = filled(tmp_path)
    roots = sql(store, "SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'run'")
    assert len(roots) == 2
    with store.path.open("r+b") as file:
        for (root,) in roots:
            file.seek((root - 1) * PAGE)
            file.write(b"\xff" * PAGE)
    saved = recover(store)
    assert (saved.runs, saved.folds) == (0, 0)
    assert saved.lost[0].startswith("run 1 is lost with its models (nb, tree): their folds are ")


@pytest.mark.parametrize("text", ["CAST(x'32303236ff' AS TEXT)", "'2026-11-x7'"])
def test_model_whose_row_is_no_text_or_date_is_named_and_fitted_again(
    tmp_path: Path, text: str
) -> None:
    store = filled(tmp_path)
    sql(store, f"UPDATE series SET used = {text} WHERE id = 2")
    saved = recover(store)
    assert (saved.runs, saved.folds) == (1, 10)
    assert any("run 1: 1 model cannot be read: their folds are" in line for line in saved.lost) or (
        "10 folds of lost runs or models could be read, and cannot be used" in saved.lost
    )
    assert run(DATA, two_models(), SPLITS, store=store, exact=False).fitted == 10
    assert recover(store).moved_to is None


@pytest.mark.parametrize("name", ["runs.sqlite", "runs.sqlite-wal"])
def test_random_damage_to_a_file_with_a_log_or_to_its_log_keeps_only_what_was_stored(
    tmp_path: Path, name: str
) -> None:
    copy, third = copied_with_its_log(tmp_path)
    chance = Random(11)
    content = (copy.folder / name).read_bytes()
    whole = run(DATA, [*two_models(), third], SPLITS, exact=False)
    for i in range(8):
        shutil.copytree(copy.folder, tmp_path / str(i))
        start = chance.randrange(len(content) - 300)
        changed = content[:start] + chance.randbytes(300) + content[start + 300 :]
        (tmp_path / str(i) / name).write_bytes(changed)
        store = Store(tmp_path / str(i))
        assert main(["runs", "recover", "--store", str(store.folder)]) == 0
        again = run(DATA, [*two_models(), third], SPLITS, store=store, exact=False)
        for model, outcome in whole.items():
            assert_same(again[model], outcome)


@pytest.mark.parametrize(
    ("column", "value"),
    [("truth", "x'07'"), ("facts", "'{'"), ("facts", "'{}'"), ("places", "x'01'")],
)
def test_run_whose_own_row_is_damaged_is_called_so_and_fitted_again(
    column: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = filled(tmp_path / "store")
    sql(store, f"UPDATE run SET {column} = {value}")
    output = str(tmp_path / "out.csv")
    assert main(["runs", "export", "1", "--store", str(store.folder), "--output", output]) == 2
    assert "malformed run 1); heldout runs recover saves" in capsys.readouterr().err
    assert any("run 1 is lost with its models" in line for line in recover(store).lost)
    assert run(DATA, two_models(), SPLITS, store=store, exact=False).fitted == 20


def test_class_that_there_is_not_is_damage(tmp_path: Path) -> None:
    store = filled(tmp_path)
    ((truth,),) = sql(store, "SELECT truth FROM run")
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute("UPDATE run SET truth = ?", (b"\x10" + truth[1:],))
    with pytest.raises(InputError, match="malformed run 1"):
        past_run(store, 1)
