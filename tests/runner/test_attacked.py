"""A store under attack: odd names, folders that change or go, runs removed under way, kills."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from heldout.cli.main import main
from heldout.core.errors import InputError
from heldout.runner import database
from heldout.runner import recover as recovering
from heldout.runner.export import export_run
from heldout.runner.history import past_run, past_runs, remove_run
from heldout.runner.recover import recover
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.conftest import ROOT
from tests.runner.making import Odd, a_model, assert_same, some_data, some_splits, two_models
from tests.runner.test_crash import started, wait_for_fits

DATA, SPLITS = some_data(), some_splits()


def made(store: Store, models: Any = None) -> Any:
    return run(DATA, models or two_models(), SPLITS, store=store, exact=False)


@pytest.mark.parametrize(
    "name",
    ["with space", "dåta 数据", 'it\'s "so"', "runs[1]", "a*b?", "50%20", "a#b?mode=ro", "a\nb"],
)
def test_store_may_be_called_anything(name: str, tmp_path: Path) -> None:
    store = Store(tmp_path / name)
    one, two = made(store), made(store)
    assert (two.fitted, two.notes) == (0, ())
    assert_same(one["nb"], two["nb"])
    assert export_run(store, 1, store.folder / "made.parquet") == (240, [])
    assert recover(store).moved_to is None
    remove_run(store, 1)
    assert past_runs(store) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("z" * 300, r"\.\.\.' can be no folder \(File name too long\)"),
        ("/".join(["y" * 200] * 3), r"is too long a name \(6\d\d bytes of at most 500"),
        ("a\0b", "can be no folder"),
    ],
)
def test_name_that_no_store_can_have_is_refused(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        Store(tmp_path / name)


class Acting(Odd):
    """Does something to its surroundings in one of its fits."""

    def __init__(self, what: Any = None, when: int = 1) -> None:
        super().__init__(act="nothing", pause=0.005)
        self.what, self.when = what, when

    def fit(self, X: Any, y: Any) -> Acting:
        COUNT[0] += 1
        if COUNT[0] == self.when:
            self.what()
        super().fit(X, y)
        return self


COUNT = [0]


def acting(what: Any, when: int) -> Any:
    COUNT[0] = 0
    return [a_model(Acting(what, when), "acting", "acting")]


@pytest.mark.parametrize("when", [1, 4])
def test_model_that_changes_the_folder_changes_no_other_fit_and_no_store(
    when: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("elsewhere").mkdir()
    made(Store(Path("here")), acting(lambda: os.chdir("elsewhere"), when))
    assert Path.cwd() == tmp_path
    assert list(Path().rglob("runs.sqlite")) == [Path("here/runs.sqlite")]
    assert past_run(Store(Path("here")), 1).done == 10


@pytest.mark.parametrize("is_replaced", [False, True])
@pytest.mark.parametrize("is_new", [False, True])
def test_store_that_goes_while_a_run_is_under_way_is_missed(
    is_new: bool, is_replaced: bool, tmp_path: Path
) -> None:
    store = Store(tmp_path / "store")
    if not is_new:
        made(store)

    def take_away() -> None:
        shutil.rmtree(store.folder)
        if is_replaced:
            made(store)

    told = made(store, acting(take_away, 6))
    assert told.fitted == 10
    (note,) = told.notes
    assert note.startswith(f"{store.path}: it was removed or replaced during this run")
    if is_replaced:
        assert [one.models[0].name for one in past_runs(store)] == ["nb"]
        assert recover(store).moved_to is None


def test_run_under_way_is_neither_removed_nor_recovered(tmp_path: Path) -> None:
    store = Store(tmp_path)
    process = started(tmp_path, pause=0.3)
    try:
        wait_for_fits(tmp_path, 3)
        with pytest.raises(InputError, match="run 1 is under way in another process; wait for"):
            remove_run(store, 1)
        with closing(sqlite3.connect(store.path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with store.path.open("r+b") as file:
            file.seek(100)
            content = file.read(8)
            file.seek(100)
            file.write(b"\xff" * 8)
        with pytest.raises(InputError, match="another process is at work on it; wait for that, or"):
            recover(store)
        with store.path.open("r+b") as file:
            file.seek(100)
            file.write(content)
    finally:
        process.kill()
        process.wait(10)
    remove_run(store, 1)
    assert past_runs(store) == []


def test_run_that_could_not_be_removed_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.2)
    store = Store(tmp_path)
    made(store)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(InputError, match=r"another process has held it for 0\.2 s"):
            remove_run(store, 1)
        # what only reads is not kept waiting
        assert past_run(store, 1).done == 20
    assert (made(store).fitted, recover(store).lost) == (0, ())
    remove_run(store, 1)
    assert past_runs(store) == []


def test_store_that_another_program_has_locked_is_not_taken_for_damaged(tmp_path: Path) -> None:
    store = Store(tmp_path)
    made(store)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(InputError, match=r"runs\.sqlite: another process has held it"):
            recover(store)
    assert (recover(store).pieces, sorted(p.name for p in tmp_path.glob("*.sqlite"))) == (
        20,
        ["runs.sqlite"],
    )


def test_clock_that_stands_still_costs_no_damaged_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Still(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime(2026, 1, 1, tzinfo=UTC)

    monkeypatch.setattr(recovering, "datetime", Still)
    store = Store(tmp_path)
    for _ in range(3):
        made(store)
        with store.path.open("r+b") as file:
            file.write(b"\xff" * 100)
        assert recover(store).runs == 0
    assert len(list(tmp_path.glob("damaged-*.sqlite"))) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "²"), "not '²'"),
        (("²",), "'²' is not one of list"),
        (("show", "9" * 5000), "needs the number of a run, not '9999999999999999999'..."),
        (("--store", "store/runs.sqlite"), "a run store is a folder, and this is a file; did you "),
        (("--output", "n" * 300 + ".json"), "File name too long"),
        (("export", "1", "--output", "n" * 300 + ".csv"), "File name too long"),
        (("export", "1", "--output", "nowhere/made.csv"), "there is no folder"),
    ],
)
def test_odd_requests_are_told_what_is_wrong(
    arguments: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELDOUT_STORE", "store")
    made(Store(Path("store")))
    assert main(["runs", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_kills_while_folds_are_fitted_and_exported_leave_nothing_half(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.runner.killing", str(tmp_path), "12", "1"],
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
