"""What a run store keeps of a search is told from what was evaluated; neither changes the other."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sklearn.datasets import load_iris

import heldout
from heldout.cli.main import main
from heldout.core.errors import InputError
from heldout.evaluation.stored import predictions_of_runs
from heldout.report.listings import runs_document
from heldout.report.table import Table
from heldout.runner.export import table_of_run
from heldout.runner.history import past_run, past_runs
from heldout.runner.store import Store

X, Y = load_iris(return_X_y=True)
GRID: Any = {"n_neighbors": [5, 7]}
HOW: Any = {"procedure": "5-fold"}
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def evaluated(store: Store, *models: str) -> Any:
    return heldout.evaluate([*models], X, Y, store=store.folder, intervals=False, **HOW)


def searched(store: Store, **more: Any) -> Any:
    return heldout.select("knn", GRID, X, Y, store=store.folder, **HOW | more)


def names(store: Store, **more: Any) -> list[str]:
    return sorted(set(table_of_run(store, 1, [], **more)["model"].tolist()))


def test_a_later_search_changes_nothing_of_what_was_evaluated(store: Store) -> None:
    evaluated(store, "nb", "knn")
    before = table_of_run(store, 1, [])
    searched(store, training_error=True)
    notes: list[str] = []
    after = table_of_run(store, 1, notes)
    assert after.keys() == before.keys()
    assert all((after[name] == before[name]).all() for name in ("model", "id", "predicted"))
    assert any("1 setting that only heldout select asked for" in note for note in notes)
    run = past_run(store, 1)
    assert (run.done, run.total, run.state) == (10, 10, "finished")
    assert [one.computed for one in run.models] == [5] * 5
    assert [p.model for p in predictions_of_runs(store, ["1"])] == ["nb", "knn"]


def test_all_adds_settings_and_training_rows_under_the_name_of_their_test_rows(
    store: Store,
) -> None:
    evaluated(store, "nb", "knn")
    searched(store, training_error=True)
    table = table_of_run(store, 1, [], every=True)
    pairs = sorted(
        {(model, part) for model, part in zip(table["model"], table["part"], strict=True)}
    )
    other = "knn[n_neighbors=7]"
    assert pairs == [("knn", "test"), ("knn", "train"), (other, "test"), (other, "train"),
                     ("nb", "test")]  # fmt: skip
    assert len(table["id"]) == 3 * 150 + 2 * 600


def test_folds_are_shared_between_a_search_and_an_evaluation(store: Store) -> None:
    evaluated(store, "knn")
    assert searched(store).search.reused == 5
    again = evaluated(store, "knn[n_neighbors=7]")
    assert (again.outcomes.fitted, again.outcomes.number) == (0, 1)
    # from now on it was evaluated, though no fold was new
    assert names(store) == ["knn", "knn[n_neighbors=7]"]
    assert searched(store).search.fitted == 0
    assert names(store) == ["knn", "knn[n_neighbors=7]"]


def test_what_is_evaluated_after_a_search_has_the_name_that_was_asked_for(store: Store) -> None:
    searched(store)
    assert names(store) == ["knn[n_neighbors=5]", "knn[n_neighbors=7]"]
    evaluated(store, "knn")
    assert names(store) == ["knn"]


def test_a_setting_is_compared_where_it_is_named(store: Store) -> None:
    evaluated(store, "nb")
    searched(store)
    named = predictions_of_runs(store, ["1", "1:knn[n_neighbors=7]"])
    assert [p.model for p in named] == ["nb", "knn[n_neighbors=7]"]
    with pytest.raises(InputError, match=r"has no model 'tree'; it has nb, knn\[n_neighbors=5\]"):
        predictions_of_runs(store, ["1:tree"])


def test_inner_folds_and_curves_are_listed_only_if_asked_for(store: Store, capsys: Capture) -> None:
    evaluated(store, "nb")
    searched(store, nested="2-fold").learning_curve([0.5, 1.0])
    runs = past_runs(store)
    inner = [run for run in runs if run.is_inner]
    assert len(inner) >= 6
    assert [run.number for run in runs if not run.is_inner] == [1]
    document = runs_document([runs[0]], "here", hidden=len(inner))
    (grid,) = document
    assert isinstance(grid, Table)
    assert grid.rows[0][4] == "nb; select: 2 more settings"
    listed = f"{len(inner)} more runs of inner folds, races or curves of heldout select"
    assert str(grid.notes[-1]).startswith(listed)
    where = ("--store", str(store.folder))
    assert main(["runs", *where]) == 0
    assert "inner:" not in capsys.readouterr().out
    assert main(["runs", "--all", *where]) == 0
    assert capsys.readouterr().out.count("inner:") == len(inner)
    # the newest run of that name is a curve's, which is not meant
    (found,) = predictions_of_runs(store, [f"{runs[0].data}-knn[n_neighbors=7]"])
    assert len(found) == 150


def test_store_of_before_opens_and_calls_training_rows_those_of_a_search(store: Store) -> None:
    evaluated(store, "nb")
    searched(store, training_error=True)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute("ALTER TABLE series DROP COLUMN purpose")
        connection.execute("PRAGMA user_version = 2")
    assert names(store) == ["knn[n_neighbors=5]", "knn[n_neighbors=7]", "nb"]
    assert "part" not in table_of_run(store, 1, [])


def test_splits_that_were_stored_twice_count_once(store: Store) -> None:
    evaluated(store, "nb", "knn")
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("INSERT INTO piece SELECT 99, series, 1, 1, 0, content FROM piece "
                           "WHERE series = 1")  # fmt: skip
    run = past_run(store, 1)
    assert (run.done, run.total) == (10, 10)
