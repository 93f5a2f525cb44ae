"""What is said of columns, classes and row labels that are probably not meant as they stand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.datasets.arrays import dataset_of
from heldout.datasets.read import read_dataset

ARFF = "@relation s\n@attribute a numeric\n@attribute y {n,p,never}\n@data\n" + "0,n\n4,p\n" * 5


def test_text_column_that_hardly_repeats_is_told(tmp_path: Path) -> None:
    names = [f"name {min(i, 51)}" for i in range(60)]
    lines = [f"{name},{'ab'[i % 2]},{i},{i % 2}" for i, name in enumerate(names)]
    (tmp_path / "a.csv").write_text("\n".join(["who,kind,x,y", *lines]))
    notes = [n for n in read_dataset(tmp_path / "a.csv").notes if "distinct texts" in n]
    assert notes == [
        "column 'who' has 52 distinct texts in 60 rows, almost a name of each row; it is used as "
        "a feature (to leave out: --ignore who)"
    ]


def test_text_in_a_numeric_target_is_told_what_a_target_can_do(tmp_path: Path) -> None:
    lines = [f"{i},{i / 7:.3f}" for i in range(60)]
    (tmp_path / "a.csv").write_text("\n".join(["x,y", *lines, "1,abc"]))
    with pytest.raises(InputError, match="NA and --drop-missing-target") as told:
        read_dataset(tmp_path / "a.csv")
    assert "--ignore" not in str(told.value)


def test_two_classes_of_three_that_are_declared_are_two(tmp_path: Path) -> None:
    (tmp_path / "a.arff").write_text(ARFF)
    data = read_dataset(tmp_path / "a.arff", positive="p")
    assert (data.task, data.classes, data.positive) == ("binary", ("n", "p"), 1)
    assert any("'never'" in n and "--labels n,p,never" in n for n in data.notes)
    kept = read_dataset(tmp_path / "a.arff", labels=["n", "p", "never"])
    assert (kept.task, kept.classes) == ("multiclass", ("n", "p", "never"))


def test_rows_whose_labels_are_in_another_order_are_refused() -> None:
    X = pd.DataFrame({"a": np.arange(8.0)}, index=list("abcdefgh"))
    y = pd.Series([0, 1] * 4, index=list("hgfedcba"), name="y")
    told = r"y has the index of X in another order .*: give y.reindex\(X.index\)"
    with pytest.raises(InputError, match=told):
        dataset_of(X, y)
    with pytest.raises(InputError, match=told):
        heldout.evaluate("majority", X, y, procedure="2-fold")
    with pytest.raises(InputError, match=told):
        heldout.select("knn", {"n_neighbors": [1, 2]}, X, y, procedure="2-fold")
    for other in (y.sort_index(), y.to_numpy()):
        assert not any("index" in note for note in dataset_of(X, other).notes)
    reset = dataset_of(X, y.reset_index(drop=True)).notes
    assert "y: another index than X, and rows are matched by position" in reset
