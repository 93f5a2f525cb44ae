"""``heldout evaluate``: data and models in, tables, files and charts out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import call

FAST = ("--procedure", "3-fold", "--no-store")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs are stored in the current folder: each test has its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HELDOUT_STORE", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def test_models_are_side_by_side_with_intervals_and_none_is_best(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    models = "nb,knn[n_neighbors=3, weights=distance]"
    done = call(capsys, "evaluate", "wdbc", "--models", models, "--methods", *FAST)
    assert done.code == 0
    assert "Measures by model" in done.out
    assert "knn[n_neighbors=3, weights=distance]" in done.out
    assert "Area under the ROC curve, mean of folds ↑" in done.out
    assert "folds pooled (Bayle et al. 2020)" in " ".join(done.out.split())
    assert "best" not in done.out.lower()
    assert "569 rows, 30 features" in done.out


def test_one_model_is_shown_in_detail(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "evaluate", "wdbc", "--models", "nb", "--training-error", *FAST)
    assert "Confusion matrix" in done.out
    assert "mean of folds" in done.out
    assert "training (optimistic)" in done.out
    assert "evaluated on the rows that the model was trained on" in done.out


def test_csv_and_json_have_the_columns_of_score(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("evaluate", "iris", "--models", "nb", "--measure", "accuracy", "--per-fold", *FAST)
    done = call(capsys, *asked, "--format", "csv", "--quiet")
    head = done.out.splitlines()[0]
    assert head == (
        "model,procedure,repeat,fold,slice,class,measure,value,low,high,level,method,n,"
        "note,headline"
    )
    assert len(done.out.splitlines()) == 1 + 1 + 3 + 1
    document = json.loads(call(capsys, *asked, "--format", "json", "--quiet").out)
    assert document["call"]["command"] == "evaluate"
    assert document["call"]["models"] == ["nb"]
    assert [r["fold"] for r in document["results"]] == ["", "1", "2", "3", "mean"]
    assert document["run"][0]["procedure"] == "3-fold"
    assert len(document["folds"]) == 3
    assert document["confusion"]["labels"] == ["setosa", "versicolor", "virginica"]


def test_finished_runs_are_answered_from_the_store(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    asked = ("evaluate", "iris", "--models", "tree", "--procedure", "3-fold", "--format", "csv")
    first = call(capsys, *asked)
    assert (folder / ".heldout").is_dir()
    again = call(capsys, *asked)
    assert again.out == first.out
    call(capsys, *asked, "--store", "other")
    assert (folder / "other").is_dir()


def test_no_store_leaves_nothing_behind(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    assert call(capsys, "evaluate", "iris", "--models", "nb", *FAST).code == 0
    assert not list(folder.iterdir())


def test_predictions_are_written_for_score(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    made = call(
        capsys, "evaluate", "wdbc", "--models", "nb,lda", "--predictions", "p.csv",
        "--measure", "brier", "--format", "csv", *FAST,
    )  # fmt: skip
    read = call(
        capsys, "score", "p.csv", "--positive", "malignant", "--measure", "brier",
        "--format", "csv",
    )  # fmt: skip
    assert made.code == read.code == 0
    assert sorted(read.out.splitlines()) == sorted(made.out.splitlines())


def test_other_formats_charts_and_requirements(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    pytest.importorskip("matplotlib")
    done = call(
        capsys, "evaluate", "wdbc", "--models", "nb", "--plot", "roc.png", "--plot",
        "roc_average.svg", "--output", "table.md", "--require", "accuracy >= 0.99", *FAST,
    )  # fmt: skip
    assert done.code == 3
    assert "accuracy of nb is 0.9" in done.err
    assert (folder / "table.md").read_text().startswith("wdbc")
    assert (folder / "roc.png").exists()
    assert (folder / "roc_average.svg").exists()
    met = ("--require", "lower(auc) >= 0.5")
    assert call(capsys, "evaluate", "wdbc", "--models", "nb", *met, *FAST).code == 0


def test_dry_run_counts_fits_and_shows_the_balance(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    done = call(
        capsys, "evaluate", "iris", "--models", "lda,tree", "--procedure", "10x10-fold", "--dry-run"
    )
    assert done.code == 0
    lines = [line.split() for line in done.out.splitlines()]
    assert ["lda", "1", "exact,"] in [line[:3] for line in lines]
    assert ["tree", "100", "refitted:"] in [line[:3] for line in lines]
    assert ["share", "of", "setosa", "tested", "0.3333", "0.3333"] in lines
    assert not (folder / ".heldout").exists()


def test_pipeline_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "evaluate", "wdbc", "--models", "knn", "--show-pipeline")
    assert "scaled" in done.out
    assert "KNeighborsClassifier" in done.out
    assert "training" in done.out


def test_splits_of_a_file_are_taken(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    rows = [f"{row},{row % 4 + 1}" for row in range(1, 151)]
    (folder / "splits.csv").write_text("\n".join(["row,fold", *rows]))
    done = call(
        capsys, "evaluate", "iris", "--models", "nb", "--splits", "splits.csv", "--no-store",
        "--format", "json", "--per-fold", "--measure", "accuracy",
    )  # fmt: skip
    assert done.code == 0
    assert [fold["n_test"] for fold in json.loads(done.out)["folds"]] == [37, 38, 38, 37]


def test_groups_are_kept_whole_and_counted(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    rows = [f"{i % 7},{(i * 13) % 11},{'ab'[(i // 3) % 2]},g{i // 6}" for i in range(60)]
    (folder / "data.csv").write_text("\n".join(["x,z,y,who", *rows]))
    done = call(
        capsys, "evaluate", "data.csv", "--target", "y", "--positive", "b", "--group", "who",
        "--models", "nb", "--procedure", "5-fold", "--no-store", "--measure", "accuracy",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "10 groups (column who)" in done.out
    assert "effective rows" in done.out or "group" in done.out
