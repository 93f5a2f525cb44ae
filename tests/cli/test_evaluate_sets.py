"""``heldout evaluate`` of several data sets: values of each, and tests over all of them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from textwrap import dedent

import pytest

from tests.cli.running import call

SETS = ("iris", "wine", "wdbc")
HOW = ("--models", "knn,lda,nb", "--procedure", "3-fold", "--no-store", "--quiet")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test has a folder of its own, and a screen that is wide enough."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HELDOUT_STORE", raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


def test_values_are_those_of_each_data_set_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    text = call(capsys, "evaluate", *SETS, *HOW, "--format", "csv").out
    together = {(row["dataset"], row["model"]): row for row in csv.DictReader(io.StringIO(text))}
    assert len(together) == 9
    for name in SETS:
        asked = ("evaluate", name, *HOW, "--measure", "accuracy", "--format", "json")
        for result in json.loads(call(capsys, *asked).out)["results"]:
            if result["headline"]:
                row = together[name, result["model"]]
                assert float(row["value"]) == result["value"]
                assert float(row["low"]) == result["low"]


def test_comparison_is_that_of_the_table_of_values(capsys: pytest.CaptureFixture[str]) -> None:
    Path("results.csv").write_text(call(capsys, "evaluate", *SETS, *HOW, "--format", "csv").out)
    columns = ("--datasets", "dataset", "--models", "model", "--value", "value")
    compared = json.loads(
        call(capsys, "compare", "results.csv", *columns, "--format", "json", "--quiet").out
    )
    together = json.loads(call(capsys, "evaluate", *SETS, *HOW, "--format", "json").out)
    for key in ("models", "tests", "critical_difference"):
        assert together[key] == compared[key]
    assert len(together["values"]) == 9


def test_screen_has_the_values_the_verdict_and_the_ranks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, "evaluate", *SETS, *HOW, "--measure", "brier", "--plot", "ranks.png")
    assert done.code == 0
    assert "brier by data set" in done.out
    assert "3 models on 3 data sets" in done.out
    assert "mean rank" in done.out
    assert Path("ranks.png").stat().st_size > 0


def test_too_few_data_sets_leave_the_values(capsys: pytest.CaptureFixture[str]) -> None:
    two = ("evaluate", "iris", "wine", "--models", "knn,lda", "--procedure", "3-fold", "--no-store")
    done = call(capsys, *two)
    assert (done.code, "accuracy by data set" in done.out) == (0, True)
    assert "2 data sets are too few" in done.err
    done = call(capsys, *two, "--plot", "ranks.png")
    assert (done.code, "accuracy by data set" in done.out) == (2, True)


def test_infinite_value_is_named_and_values_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "evaluate", *SETS, *HOW[:-1], "--measure", "log_loss")
    assert (done.code, "log_loss by data set" in done.out) == (0, True)
    assert "knn has no finite log_loss on iris" in done.err


def test_a_model_that_fails_on_one_data_set_leaves_the_values_of_others(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
    from sklearn.dummy import DummyClassifier

    class OfFewRows(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            if len(y) > 110:
                raise ValueError("too many rows")
            return super().fit(X, y)
    """
    (folder / "of_few_rows.py").write_text(dedent(text))
    monkeypatch.syspath_prepend(str(folder))
    asked = ("iris", "wine", "--models", "nb,of_few_rows:OfFewRows", *HOW[2:])
    done = call(capsys, "evaluate", *asked, "--fail-on-error", "--format", "json")
    assert done.code == 3
    assert "wine: of_few_rows:OfFewRows failed in 3 of 3 splits" in done.err
    values = {(r["dataset"], r["model"]): r["value"] for r in json.loads(done.out)["values"]}
    assert values["wine", "of_few_rows:OfFewRows"] is None
    assert values["wine", "nb"] > 0.9


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("iris", "wine", "--models", "knn", "--per-fold"), "--per-fold is of one data set"),
        (("iris", "wine", "--models", "knn", "--all"), "--all is of one data set"),
        (("iris", "iris", "--models", "knn"), "iris is given more than once"),
        (("iris", "diabetes", "--models", "knn"), "some data sets are classification"),
        (("iris", "wine", "--models", "knn", "--measure", "rmse"), "rmse is for regression"),
        (("iris", "wine", "--models", "knn", "--measure", "auc,brier"), "name one"),
        (("iris", "none.csv", "--models", "knn"), "no such file: none.csv"),
    ],
)
def test_refusals_come_before_any_fit(
    asked: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = call(capsys, "evaluate", *asked)
    assert done.code == 2
    assert said in done.err
    assert not Path(".heldout").exists()
