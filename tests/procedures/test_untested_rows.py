"""Rows of the fold -1 always train and are never tested, as with scikit-learn's PredefinedSplit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import PredefinedSplit

import heldout
from heldout.procedures.parse import parse_procedure
from heldout.procedures.splits import PartitionSplits, fold_names
from heldout.tables.column import Column
from tests.cli.running import call

FOLDS = np.array([1, -1, 0, 2, -1, 0, 1, 2])
PROCEDURE = heldout.PredefinedFolds("fold")


def coded(values: Any, levels: tuple[Any, ...]) -> Column:
    return Column("fold", np.array([levels.index(one) for one in values]), levels)


@pytest.mark.parametrize(
    "folds",
    [FOLDS, FOLDS.astype(float), FOLDS.tolist(), coded(FOLDS.tolist(), (-1, 0, 1, 2))],
    ids=["integers", "floats", "list", "column"],
)
def test_splits_are_those_of_scikit_learn(folds: Any) -> None:
    made = PROCEDURE.splits(8, folds=folds)
    theirs = list(PredefinedSplit(FOLDS).split())
    assert [(s.train.tolist(), s.test.tolist()) for s in made] == [
        (train.tolist(), test.tolist()) for train, test in theirs
    ]
    assert made.fingerprint == parse_procedure(PredefinedSplit(FOLDS)).splits(8).fingerprint
    assert fold_names(made) == (0, 1, 2)
    assert made.notes == (
        "column fold: 2 rows of the fold -1 are never tested and always train, "
        "as scikit-learn's PredefinedSplit has it",
    )


def test_fingerprint_differs_from_that_of_a_fold_of_its_own() -> None:
    named = PROCEDURE.splits(8, folds=[f"{fold:+}" for fold in FOLDS.tolist()])
    assert len(named) == 4
    assert PROCEDURE.splits(8, folds=FOLDS).fingerprint != named.fingerprint


@pytest.mark.parametrize(
    "folds",
    [[-2, -1, 0, 1], [-1, 0, 0.5, 1], ["-1", "0", "1", "2"], [1, 2, 3, 4], [False, True] * 2],
    ids=["more below 0", "fractions", "texts", "without -1", "truth values"],
)  # fmt: skip
def test_other_folds_are_all_tested(folds: list[Any]) -> None:
    made = PROCEDURE.splits(4, folds=folds)
    assert isinstance(made, PartitionSplits)
    assert len(made) == len(set(folds))
    assert made.notes == ()


def test_one_fold_beside_untested_rows_is_a_holdout() -> None:
    (split,) = PROCEDURE.splits(4, folds=[-1, 0, -1, -1])
    assert (split.train.tolist(), split.test.tolist()) == ([0, 2, 3], [1])
    assert (
        PROCEDURE.splits(3, folds=[-1, 0, 1])
        .notes[0]
        .startswith("column fold: 1 row of the fold -1 is never tested and always trains, as")
    )


def test_evaluation_judges_the_tested_rows_and_keeps_the_names_of_folds() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 2))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
    folds = np.arange(80) % 4 - 1
    made = heldout.evaluate("lda", X, y, folds=folds, store=None)
    theirs = heldout.evaluate("lda", X, y, procedure=PredefinedSplit(folds), store=None)
    assert made["accuracy"].n == theirs["accuracy"].n == 60
    assert made["accuracy"].value == theirs["accuracy"].value
    assert set(made.folds["fold"]) == {0, 1, 2}
    assert any("20 rows of the fold -1 are never tested" in note for note in made.notes)


def test_command_says_how_many_rows_are_never_tested(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "data.csv"
    rows = "".join(f"{n * 7 % 11},{n % 4 - 1},{'ab'[n % 3 > 0]}\n" for n in range(40))
    path.write_text("x,fold,y\n" + rows)
    written = tmp_path / "splits.csv"
    asked = ("--procedure", "column fold", "--output", str(written))
    done = call(capsys, "split", str(path), *asked)
    assert done.code == 0, done.err
    assert "column fold of data: 40 rows, 3 splits" in done.out
    assert "note: column fold: 10 rows of the fold -1 are never tested" in done.err
    back = call(capsys, "split", str(path), "--ignore", "fold", "--splits", str(written))
    assert back.out.splitlines()[-1] == done.out.splitlines()[-1]
    assert "10 of 40 rows are never tested" in back.err
