"""A model that changed under its name: its predictions are never mixed with the older ones."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.cli.main import main
from heldout.runner.export import table_of_run
from heldout.runner.history import past_run
from heldout.runner.record import Record
from heldout.runner.run import run
from heldout.runner.store import Store
from heldout.runner.task import Work
from tests.runner.making import a_model, some_data, some_splits

DATA, SPLITS = some_data(), some_splits()
OLD = a_model(DecisionTreeClassifier(max_depth=1, random_state=0), "mine", "old")
NEW = a_model(DecisionTreeClassifier(max_depth=3, random_state=0), "mine", "new")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_only_the_newest_of_a_name_is_exported(store: Store) -> None:
    run(DATA, [OLD], SPLITS, store=store)
    new = run(DATA, [NEW], SPLITS, store=store)["mine"]
    notes: list[str] = []
    table = table_of_run(store, 1, notes)
    assert set(table["model"]) == {"mine"}
    assert len(table["model"]) == 120
    assert new.scores is not None
    assert table["p_b"].tolist() == new.scores[:, 1].tolist()
    (note,) = notes
    assert note.startswith("mine (older, 20")
    both = table_of_run(store, 1, [], older=True)
    assert min(both["model"]) == "mine"
    assert len(set(both["model"])) == 2


def test_model_that_is_asked_for_again_is_the_newest_again(store: Store) -> None:
    for model in (OLD, NEW, OLD):
        run(DATA, [model], SPLITS, store=store)
    old, new = past_run(store, 1).models
    assert (old.name, old.is_older, old.computed) == ("mine", False, 10)
    assert new.is_older
    assert new.name.startswith("mine (older, ")


def test_unfinished_older_model_leaves_the_run_finished(store: Store) -> None:
    run(DATA, [OLD], SPLITS, store=store)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("DELETE FROM piece WHERE first = 3")
    run(DATA, [NEW], SPLITS, store=store)
    found = past_run(store, 1)
    assert (found.done, found.total, found.state) == (10, 10, "finished")


def test_exported_file_of_a_changed_model_is_scored(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(DATA, [OLD], SPLITS, store=store)
    run(DATA, [NEW], SPLITS, store=store)
    for more in ((), ("--older",)):
        path = str(tmp_path / "made.parquet")
        given = ["runs", "export", "1", "--store", str(store.folder), "--output", path, *more]
        assert main(given) == 0
        assert main(["score", path]) == 0
    assert "mine (older, " in " ".join(capsys.readouterr().out.split())


def test_answers_from_the_store_say_so(store: Store) -> None:
    assert run(DATA, [NEW], SPLITS, store=store).recalled == ""
    told = run(DATA, [NEW], SPLITS, store=store).recalled
    assert told.startswith("10 of 10 folds from the store (run 1, computed 20")
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("DELETE FROM piece WHERE first IN (3, 4)")
    told = run(DATA, [NEW], SPLITS, store=store).recalled
    assert told.startswith("resumed: 8 of 10 folds were done (run 1, ")


def test_store_of_the_last_version_is_brought_up_to_date(store: Store) -> None:
    before = run(DATA, [NEW], SPLITS, store=store)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        for name in ("created", "used", "purpose"):
            connection.execute(f"ALTER TABLE series DROP COLUMN {name}")
        connection.execute("PRAGMA user_version = 1")
    after = run(DATA, [NEW], SPLITS, store=store)
    assert (after.fitted, after.number) == (0, before.number)
    assert past_run(store, 1).models[0].name == "mine"


def test_store_that_another_process_has_made_in_the_meantime_is_joined(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = store.begin

    def overtaken(work: Work) -> Record:
        record = begun(work)
        monkeypatch.setattr(Store, "begin", lambda _, other: begun(other))
        run(DATA, [OLD], SPLITS, store=store)
        return record

    monkeypatch.setattr(Store, "begin", lambda _, work: overtaken(work))
    run(DATA, [NEW], SPLITS, store=store)
    found = past_run(store, 1)
    assert [model.done for model in found.models] == [10, 10]
    assert {file.name for file in store.folder.iterdir()} <= {"claims.lock", "runs.sqlite"}


def test_changed_class_attribute_in_a_session_is_no_stale_answer(tmp_path: Path) -> None:
    class Mine(GaussianNB):  # type: ignore[misc]  # of no known type
        turned = False

        def predict(self, X: object) -> object:
            found = super().predict(X)
            return found[::-1] if self.turned else found

    X, y = DATA.matrix, DATA.truth
    how = {"procedure": "5-fold", "store": tmp_path / "store"}
    first = heldout.evaluate({"mine": Mine()}, X, y, **how)["accuracy"].value
    Mine.turned = True
    second = heldout.evaluate({"mine": Mine()}, X, y, **how)["accuracy"].value
    assert second != first


def test_newest_model_is_the_one_asked_for_last_though_the_clock_was_set_back(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(DATA, [OLD], SPLITS, store=store)
    monkeypatch.setattr(
        "heldout.runner.run_rows.now", lambda timespec="seconds": "2001-01-01T00:00:00.000000+00:00"
    )
    run(DATA, [NEW], SPLITS, store=store)
    found = past_run(store, 1)
    assert [model.fingerprint for model in found.judged] == [NEW.fingerprint]
    run(DATA, [OLD], SPLITS, store=store)
    assert [model.fingerprint for model in past_run(store, 1).judged] == [OLD.fingerprint]
