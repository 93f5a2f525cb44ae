"""``heldout runs show``: a wrong number is told which there are, and work is called by its name."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from heldout.cli.main import main
from heldout.core.errors import InputError
from heldout.runner.backends import refuse_backend
from heldout.runner.export import export_run
from heldout.runner.history import past_run
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.runner.making import some_data, some_splits, two_models


def test_wrong_number_is_told_the_ranges_of_numbers_there_are(tmp_path: Path) -> None:
    for seed in range(4):
        data = some_data(seed=seed)
        run(data, two_models()[:1], some_splits(folds=2, repeats=1), store=Store(tmp_path))
    with pytest.raises(InputError, match=r"no run has the number 99; there are: 1 to 4$"):
        past_run(Store(tmp_path), 99)


def test_splits_done_without_refitting_are_computed_and_not_fitted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = run(some_data(), two_models()[:1], some_splits(), store=Store(tmp_path))
    assert made["nb"].path != "refit"
    assert main(["runs", "show", "1", "--store", str(tmp_path)]) == 0
    head, *_ = [line for line in capsys.readouterr().out.splitlines() if "failed" in line]
    assert head.split() == ["model", "for", "part", "done", "failed", "left", "computed"]


def test_what_is_shown_or_listed_goes_to_the_file_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(some_data(), two_models()[:1], some_splits(), store=Store(tmp_path))
    where = ("--store", str(tmp_path), "--output")
    assert main(["runs", "show", "1", *where, str(tmp_path / "one.json")]) == 0
    assert json.loads((tmp_path / "one.json").read_text())["id"] == 1
    assert main(["runs", *where, str(tmp_path / "all.txt")]) == 0
    assert "2x5-fold" in (tmp_path / "all.txt").read_text()
    assert capsys.readouterr().out == ""


def test_export_of_an_unfinished_run_says_what_is_there(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run(some_data(), two_models(), some_splits(), store=store, exact=False)
    assert export_run(store, 1, tmp_path / "all.csv")[1] == []
    with closing(sqlite3.connect(store.path)) as connection, connection:
        gone = "SELECT id FROM piece WHERE series = ? ORDER BY first LIMIT ?"
        for series, count in ((1, 3), (2, 10)):
            connection.execute(f"DELETE FROM piece WHERE id IN ({gone})", (series, count))
    rows, notes = export_run(store, 1, tmp_path / "some.csv")
    assert rows == 7 * 12
    assert notes == [
        "run 1 is unfinished: 7 of 20 folds are there (nb has 7 of 10, none "
        "of tree); run the same command again to continue"
    ]


def test_damaged_splits_of_a_model_are_named_in_one_line(tmp_path: Path) -> None:
    store, work = Store(tmp_path), (some_data(), two_models()[1:], some_splits())
    run(*work, store=store)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        cut = "UPDATE piece SET content = substr(content, 1, 200) WHERE first IN (0, 1, 2, 5)"
        connection.execute(cut)
    told = f"{store.path}: splits 1 to 3, 6 of tree are damaged (its checksum is wrong)"
    assert told in export_run(store, 1, tmp_path / "made.csv")[1]
    again = run(*work, store=store)
    assert (again.fitted, again.notes) == (4, (f"{told}; they are computed again",))


def test_what_can_be_no_store_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for given in (["runs"], ["evaluate", "iris", "--models", "nb"], ["compare", "--runs", "1"]):
        assert main([*given, "--store", ""]) == 2
        assert "--store '' is empty" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "runs.sqlite").mkdir()
    assert main(["runs", "--store", str(tmp_path)]) == 2
    assert f"{tmp_path / 'runs.sqlite'}: a run store keeps a file there" in capsys.readouterr().err


def test_an_empty_address_of_a_scheduler_is_refused() -> None:
    with pytest.raises(InputError, match="scheduler: the address is empty"):
        refuse_backend("dask", "")
