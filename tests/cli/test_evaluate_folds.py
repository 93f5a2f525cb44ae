"""Folds that the data brings: used where no procedure is named, refused beside another one."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.assess.headline import KINDS
from heldout.core.errors import InputError
from heldout.procedures.predefined import NOT_FOLDS
from tests.cli.running import call

RUN = ("evaluate", "data.csv", "--target", "y", "--positive", "p", "--models", "lda")
HOW = ("--measure", "accuracy", "--no-store", "--no-audit", "--quiet")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(5).normal(size=60)
    lines = [f"{v:.6g},{'cab'[n % 3]},{'p' if v > 0.3 else 'n'}" for n, v in enumerate(values)]
    Path("data.csv").write_text("\n".join(["a,part,y", *lines]) + "\n")


def folds_in(text: str) -> set[str]:
    return {row["fold"] for row in csv.DictReader(io.StringIO(text))}


@pytest.mark.parametrize(
    "asked",
    [("--fold", "part"), ("--procedure", "column part"),
     ("--fold", "part", "--procedure", "column part")],
)  # fmt: skip
def test_the_folds_of_a_column_are_used_under_their_own_names(
    asked: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    done = call(capsys, *RUN, *asked, *HOW, "--per-fold", "--format", "csv")
    assert done.code == 0
    assert folds_in(done.out) == {"", "mean", "a", "b", "c"}


def test_folds_beside_a_procedure_that_makes_its_own_are_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, *RUN, "--fold", "part", "--procedure", "5-fold", *HOW)
    assert done.code == 2
    assert "--fold part gives the fold of each row" in done.err
    assert "leave out one of the two" in done.err
    both = call(capsys, *RUN, "--fold", "part", "--procedure", "column other", *HOW)
    assert both.code == 2
    assert "name two columns of folds" in both.err
    listed = call(capsys, *RUN, "--fold", "part", "--splits", "splits.csv", *HOW)
    assert listed.code == 2
    assert "--splits FILE and --fold" in listed.err


def test_python_uses_given_folds_and_refuses_them_beside_another_procedure() -> None:
    named = heldout.evaluate("lda", data="data.csv", target="y", pos_label="p", folds="part")
    assert named.procedure == "column part"
    assert len(named.splits) == 3
    by_text = heldout.evaluate(
        "lda", data="data.csv", target="y", pos_label="p", procedure="column part"
    )
    assert by_text.splits.fingerprint == named.splits.fingerprint
    X, y = np.arange(12.0)[:, None], [0, 1] * 6
    arrays = heldout.evaluate("majority", X, y, folds=[5, 6, 7, 8] * 3)
    found = {r.fold for r in arrays.results(("accuracy",), per_fold=True)}
    assert found == {"", "mean", *"5678"}
    odd = heldout.evaluate("majority", X, y, folds=["mean", "a", "b", "c"] * 3)
    found = {r.fold for r in odd.results(("accuracy",), per_fold=True)}
    assert found == {"", "mean", *"1234"}  # a name that means something else is none of a fold
    with pytest.raises(InputError, match="folds= gives the fold of each row"):
        heldout.evaluate("majority", X, y, folds=[5, 6, 7, 8] * 3, procedure="5-fold")


def test_a_selection_uses_given_folds_too(capsys: pytest.CaptureFixture[str]) -> None:
    how = ("--target", "y", "--positive", "p", "--model", "knn", "--grid", "n_neighbors=1,3")
    done = call(capsys, "select", "data.csv", *how, "--fold", "part", "--no-store", "--quiet")
    assert done.code == 0
    assert "column part" in done.out
    refused = call(capsys, "select", "data.csv", *how, "--fold", "part", "--no-store",
                   "--procedure", "4-fold")  # fmt: skip
    assert refused.code == 2
    X, y = np.arange(12.0)[:, None], [0, 1] * 6
    made = heldout.select("knn", {"n_neighbors": [1, 3]}, X, y, folds=[0, 1, 2] * 4)
    assert made.search.splits.procedure == "column folds"


@pytest.mark.parametrize(("names", "kind"), [("cab", str), ((30, 10, 20), int)])
def test_every_table_of_folds_has_the_names_of_the_column(
    names: Any, kind: type, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Path("data.csv").read_text().splitlines()
    cells = [line.split(",") for line in lines[1:]]
    renamed = [f"{a},{names['cab'.index(part)]},{y}" for a, part, y in cells]
    Path("data.csv").write_text("\n".join([lines[0], *renamed]) + "\n")
    given = (*RUN, "--fold", "part", "--store", "runs", "--no-audit", "--quiet")
    done = call(capsys, *given, "--predictions", "p.parquet", "--per-fold", "--format", "json")
    assert done.code == 0
    wanted = sorted(map(kind, names))
    assert [row["fold"] for row in json.loads(done.out)["folds"]] == wanted
    of_row = dict(enumerate((kind(line.split(",")[1]) for line in renamed), start=1))
    assert call(capsys, "runs", "export", "1", "--store", "runs", "--output", "q.parquet").code == 0
    for file in ("p.parquet", "q.parquet"):
        table = pd.read_parquet(file)
        assert dict(zip(table["id"], table["fold"], strict=True)) == of_row
    again = call(capsys, "score", "p.parquet", "--per-fold", "--measure", "accuracy",
                 "--positive", "p", "--format", "csv", "--no-audit", "--quiet")  # fmt: skip
    assert again.code == 0
    assert folds_in(again.out) == {"", "mean", *map(str, wanted)}


def test_names_that_mean_something_else_in_results_are_said_to_be_left_out() -> None:
    X, y = np.arange(12.0)[:, None], [0, 1] * 6
    odd = heldout.evaluate("majority", X, y, folds=["mean", "a", "b", "c"] * 3)
    assert [row["fold"] for row in odd.folds] == [1, 2, 3, 4]
    assert set(odd.predictions.frame["fold"].tolist()) == {1, 2, 3, 4}
    assert "column folds: results call other things 'mean'" in " ".join(odd.notes)
    assert frozenset(("", "all", *KINDS)) == NOT_FOLDS


def test_failures_name_the_fold_by_its_own_name() -> None:
    class Picky(GaussianNB):  # type: ignore[misc]  # of no known type
        def fit(self, X: Any, y: Any) -> Any:
            if 0.0 not in X:
                raise ValueError("no zero")
            return super().fit(X, y)

    X, y = np.arange(12.0)[:, None], [0, 1] * 6
    made = heldout.evaluate(Picky(), X, y, folds=["b", "b", "a", "a"] * 3)
    assert [(row["repeat"], row["fold"]) for row in made.failures] == [(1, "b")]
