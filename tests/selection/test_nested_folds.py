"""Folds that are given beside nested procedures: taken by one of the two, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from tests.cli.running import call

X = np.arange(30.0).reshape(-1, 1)
Y = np.tile([0, 1], 15)
FOLDS = np.repeat([1, 2, 3], [8, 10, 12])


@pytest.mark.parametrize("nested", ["3x3-fold", "10-fold / 5-fold", 4, True])
def test_folds_that_nothing_would_take_are_refused(nested: Any) -> None:
    nested = "5-fold" if nested is True else nested
    with pytest.raises(InputError, match=r"makes its own.*\"column folds / ") as caught:
        heldout.select("knn", {"n_neighbors": [1, 3]}, X, Y, folds=FOLDS, nested=nested)
    assert "folds= gives the fold of each row" in str(caught.value)


def test_given_folds_are_the_outer_ones_where_that_is_said(tmp_path: Path) -> None:
    grid = {"n_neighbors": [1, 3]}
    made = heldout.select("knn", grid, X, Y, folds=FOLDS, nested="column folds / 3-fold")
    assert made.nested is not None
    assert [len(one.test) for one in made.nested.splits] == [8, 10, 12]
    assert made.splits.procedure == "3-fold"
    rows = ["x,f,y", *(f"{x[0]},{f},{y}" for x, f, y in zip(X, FOLDS, Y, strict=True))]
    (path := tmp_path / "folds.csv").write_text("\n".join(rows) + "\n")
    # named by the procedure alone, the column is no feature either
    read = heldout.select("knn", grid, data=path, nested="column f / 3-fold")
    assert read.nested is not None
    assert read.nested.values.tolist() == made.nested.values.tolist()
    assert [one.name for one in read.dataset.features] == ["x"]


def test_the_command_line_refuses_and_takes_them_alike(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rows = ["x,f,y", *(f"{x[0]},{f},{y}" for x, f, y in zip(X, FOLDS, Y, strict=True))]
    (path := tmp_path / "folds.csv").write_text("\n".join(rows) + "\n")
    asked = ("select", str(path), "--model", "knn", "--grid", "n_neighbors=1,3", "--no-store")
    done = call(capsys, *asked, "--fold", "f", "--nested", "3x3-fold")
    assert done.code == 2
    assert "--fold f gives the fold of each row, and nested 3-fold / 3-fold makes" in done.err
    assert '"column f / 3-fold"' in done.err
    for fold in ((), ("--fold", "f")):
        done = call(capsys, *asked, *fold, "--nested", "column f / 3-fold", "--format", "json")
        assert done.code == 0, done.err
        assert '"column f"' in done.out
