"""Marks for missing values in text files: numbers stay numbers, and the notes say what was read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from heldout.core.errors import InputError
from heldout.datasets.dataset import Dataset
from heldout.datasets.read import read_dataset

ROWS = (
    "x,k,z,y\n1,a,1.5,0\nNA,b,12kg,1\n3,?,2,0\n4.5,a,3,1\n?,b,3,0\n6,NA,5,1\n-1e3,a,1.5,0\n,b,2,1\n"
)


@pytest.fixture
def data(tmp_path: Path) -> Dataset:
    (tmp_path / "a.csv").write_text(ROWS)
    return read_dataset(tmp_path / "a.csv")


def test_numbers_with_marks_are_numbers_with_gaps(data: Dataset) -> None:
    x = data.features[0]
    assert x.levels is None
    wanted = [1, np.nan, 3, 4.5, np.nan, 6, -1000, np.nan]
    assert np.array_equal(x.values, wanted, equal_nan=True)
    assert "column 'x': '?', 'NA' (2 rows) is read as missing" in data.notes


def test_marks_among_names_are_missing(data: Dataset) -> None:
    k = data.features[1]
    assert k.levels == ("a", "b")
    assert k.values.tolist() == [0, 1, -1, 0, 1, -1, 0, 1]
    assert "column 'k': '?', 'NA' (2 rows) is read as missing" in data.notes


def test_text_among_numbers_is_told_with_its_line(data: Dataset) -> None:
    assert data.features[2].levels is not None
    told = "column 'z': texts such as '12kg' among numbers in 1 row (first: line 3 of"
    assert any(note.startswith(told) for note in data.notes)


def test_marked_target_is_missing_and_no_class(tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    path.write_text("x,y\n1,a\n2,?\n3,b\n4,a\n")
    with pytest.raises(InputError, match=r"no value in 1 row .first: line 3"):
        read_dataset(path, positive="a")
    assert read_dataset(path, positive="a", drop_missing_target=True).classes == ("a", "b")
    path.write_text("x,y\n" + "".join(f"{i},{i / 7:.3f}\n" for i in range(30)) + "1,n/a\n")
    dropped = read_dataset(path, drop_missing_target=True)
    assert (dropped.task, len(dropped)) == ("regression", 30)


def test_long_column_of_numbers_with_a_mark_is_no_free_text(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    rows = [f"{i / 7:.4f},{i % 2}" for i in range(3000)]
    rows[1500] = "missing,0"
    path.write_text("x,y\n" + "\n".join(rows) + "\n")
    data = read_dataset(path)
    assert data.features[0].levels is None
    assert np.isnan(data.matrix[:, 0]).sum() == 1
    assert data.matrix[1501, 0] == pytest.approx(1501 / 7, abs=1e-4)


def test_codes_of_names_that_look_like_numbers_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "d.arff"
    path.write_text(
        "@relation r\n@attribute g {1,2,'?'}\n@attribute y {a,b}\n@data\n1,a\n'?',b\n1,b\n"
    )
    data = read_dataset(path, positive="a")
    assert data.features[0].levels == ("1", "2", "?")


def test_a_stray_text_among_many_numbers_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    rows = [f"{i / 7:.4f},{i % 5},{i % 2}" for i in range(400)]
    rows[100] = "oops,1,0"
    path.write_text("x,k,y\n" + "\n".join(rows) + "\n")
    told = r"column 'x': the text 'oops' among 399 numbers in 1 row .first: line 102 .*--ignore x"
    with pytest.raises(InputError, match=told):
        read_dataset(path)
    assert len(read_dataset(path, ignore="x").features) == 1
    # one in ten is no slip any more: these are names
    some = [row if i % 10 else f"n{i % 30},1,0" for i, row in enumerate(rows)]
    path.write_text("x,k,y\n" + "\n".join(some) + "\n")
    assert any("are taken as names" in note for note in read_dataset(path).notes)


def test_few_numbers_in_a_target_may_be_names_of_classes(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    rows = [f"{i / 7:.4f},{i % 3}" for i in range(60)] + ["1,other", "2,other"]
    path.write_text("x,y\n" + "\n".join(rows) + "\n")
    assert read_dataset(path).classes == ("0", "1", "2", "other")
    rows = [f"{i / 7:.4f},{i / 3:.3f}" for i in range(60)] + ["1,other"]
    path.write_text("x,y\n" + "\n".join(rows) + "\n")
    with pytest.raises(InputError, match="the text 'other' among 60 numbers"):
        read_dataset(path)
