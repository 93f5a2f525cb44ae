"""The command ``heldout runs``: lists, shows, exports, removes and recovers."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from heldout.cli.main import main
from heldout.runner.run import run
from heldout.runner.store import Store
from tests.runner.making import assert_same, odd_where, some_data, some_splits, two_models

DATA, SPLITS = some_data(source="some.csv"), some_splits()


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("HELDOUT_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NO_COLOR", "1")
    return Store(tmp_path / "store")


@pytest.fixture
def filled(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.chdir(tmp_path)
    models = [*two_models(), odd_where(DATA, 7, "raise")]
    Path("some.csv").write_text("one")
    run(DATA, models, SPLITS, store=store, exact=False)
    Path("some.csv").write_text("two")
    changed = some_data(source="some.csv", seed=1)
    run(changed, two_models()[:1], SPLITS, store=store, exact=False)
    return store


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["runs", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_no_store_has_no_runs(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys)
    assert code == 0
    assert out.startswith("no runs in ")
    assert not store.folder.exists()


def test_list_names_data_procedure_models_and_state(
    filled: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = said(capsys)
    first, second = [line.split() for line in out.splitlines() if "2x5-fold" in line]
    assert first[3:] == ["some", "2x5-fold", "nb,", "tree,", "odd", "28/30", "2", "finished"]
    assert second[3:] == ["some", "2x5-fold", "nb", "10/10", "0", "finished"]
    assert "some.csv changed: runs 1 | 2 have different content" in out


def test_json_has_what_the_table_has(filled: Store, capsys: pytest.CaptureFixture[str]) -> None:
    runs = json.loads(said(capsys, "list", "--format", "json")[1])["runs"]
    assert [r["id"] for r in runs] == [1, 2]
    assert runs[0]["models"][2] | {"fingerprint": ""} == {
        "model": "odd",
        "for": "evaluate",
        "part": "test",
        "is_older": False,
        "fingerprint": "",
        "done": 8,
        "failed": 2,
        "left": 0,
        "computed": 10,
    }


@pytest.mark.parametrize("arguments", [("show", "1"), ("1",)])
def test_show_tells_of_every_model(
    arguments: tuple[str, ...], filled: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = said(capsys, *arguments)
    assert "60 rows" in out
    shown = ["odd", "evaluate", "test", "8", "2", "0", "10"]
    assert shown in [line.split() for line in out.splitlines()]


def test_export_writes_every_prediction(
    filled: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = said(capsys, "export", "1", "--output", str(tmp_path / "made.csv"))
    assert code == 0
    assert "336 predictions of run 1" in err
    with (tmp_path / "made.csv").open() as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    names = "model procedure repeat fold id truth predicted p_a p_b p_c"
    names += " train_n_a train_n_b train_n_c seed fit_seconds predict_seconds"
    assert list(rows[0]) == names.split()
    tree = [row for row in rows if row["model"] == "tree" and row["repeat"] == "2"]
    assert sorted(int(row["id"]) for row in tree) == list(range(1, 61))
    assert all(row["truth"] == "abc"[(int(row["id"]) - 1) % 3] for row in rows)
    outcome = run(DATA, two_models(), SPLITS, exact=False)["nb"]
    theirs = [float(row["p_b"]) for row in rows if row["model"] == "nb"]
    assert outcome.scores is not None
    assert theirs == outcome.scores[:, 1].tolist()


def test_exported_table_is_scored(
    filled: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "made.parquet")
    assert said(capsys, "export", "2", "--output", path)[0] == 0
    assert main(["score", path, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)


def test_remove_asks_or_wants_to_be_told(filled: Store, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = said(capsys, "remove", "1")
    assert code == 2
    assert "needs --yes" in err
    assert said(capsys, "remove", "1", "--yes")[0] == 0
    assert [r["id"] for r in json.loads(said(capsys, "--format", "json")[1])["runs"]] == [2]
    code, _, err = said(capsys, "show", "1")
    assert code == 2
    assert "no run has the number 1; there are: 2" in err


def test_recover_keeps_what_is_sound(filled: Store, capsys: pytest.CaptureFixture[str]) -> None:
    before = run(DATA, two_models(), SPLITS, store=filled, exact=False)
    with closing(sqlite3.connect(filled.path)) as connection, connection:
        odd = "SELECT id FROM piece WHERE failed LIMIT 1"
        connection.execute(f"UPDATE piece SET content = x'00' WHERE id = ({odd})")
    code, _, err = said(capsys, "recover")
    assert code == 0
    assert "saved: 2 runs with 39 folds" in err
    assert "the damaged file is kept as" in err
    after = run(DATA, two_models(), SPLITS, store=filled, exact=False)
    assert after.fitted == 0
    assert_same(before["tree"], after["tree"])


def test_recover_leaves_a_sound_store_as_it_is(
    filled: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    before, there = filled.path.read_bytes(), sorted(filled.folder.iterdir())
    code, _, err = said(capsys, "recover")
    assert code == 0
    assert "nothing is damaged, and nothing was changed (2 runs with 40 folds)" in err
    assert "is kept" not in err
    assert (filled.path.read_bytes(), sorted(filled.folder.iterdir())) == (before, there)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("exprot", "1"), "did you mean export"),
        (("show",), "needs the number of a run"),
        (("show", "x"), "not 'x'"),
        (("export", "1"), "needs --output"),
        (("list", "1"), "heldout runs show 1"),
        (("export", "1", "--output", "made.xlsx"), ".csv, .jsonl, .parquet"),
        (("show", "1", "--output", "made.csv"), "end the name with .json, .txt"),
        (("remove", "1", "--yes", "--output", "made.json"), "remove writes no file"),
    ],
)
def test_bad_usage_is_told_what_to_do(
    arguments: tuple[str, ...], hint: str, filled: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = said(capsys, *arguments)
    assert code == 2
    assert hint in err
