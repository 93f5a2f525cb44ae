"""Texts that are quantities: dates, large numbers, numbers with marks for missing ones."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from heldout.core.errors import InputError
from heldout.datasets.dataset import Dataset
from heldout.datasets.read import read_dataset

DAYS = [date(2020, 1, 1) + timedelta(days=number % 7) for number in range(20)]
EXPECTED = [(day - date(1970, 1, 1)).days for day in DAYS]


def test_dates_of_an_arff_file_are_days_and_declared_names_stay_names(tmp_path: Path) -> None:
    path = tmp_path / "d.arff"
    head = "@relation r\n@attribute d date 'dd.MM.yyyy'\n@attribute n {2020-01-01,2020-01-02}\n"
    lines = [
        f"{day:%d.%m.%Y},2020-01-0{1 + number % 2},{'yes' if number % 3 else 'no'}"
        for number, day in enumerate(DAYS)
    ]
    path.write_text(f"{head}@attribute class {{yes,no}}\n@data\n" + "\n".join([*lines, "?,?,no"]))
    data = read_dataset(path, positive="yes")
    day, name = data.features
    assert day.values[:-1].tolist() == EXPECTED
    assert np.isnan(day.values[-1])
    assert not day.is_nominal
    assert name.is_nominal
    assert any("'d' holds dates" in note and "--time d" in note for note in data.notes)


@pytest.mark.parametrize("kind", ["csv", "frame", "text"])
def test_dates_of_files_and_data_frames_are_days(kind: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"d": pd.to_datetime(DAYS), "x": range(20), "y": ["a", "b"] * 10})
    source: object = frame
    if kind == "csv":
        source = tmp_path / "d.csv"
        frame.to_csv(source, index=False)
    elif kind == "text":
        source = frame.assign(d=[day.isoformat() for day in DAYS])
    data = read_dataset(source, positive="a")
    assert data.features[0].values.tolist() == EXPECTED
    assert any("holds dates" in note for note in data.notes)


def test_other_texts_stay_names(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    rows = [f"{'2020-02-30' if n % 2 else '2020-02-01'},02/03/2020,{n},{n % 2}" for n in range(20)]
    path.write_text("\n".join(["d,e,x,y", *rows]))
    data = read_dataset(path, positive="1")
    assert [one.is_nominal for one in data.features] == [True, True, False]


def test_decimal_commas_get_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("x;z;y\n" + "\n".join(f"{n % 4},5;{n};{n % 2}" for n in range(20)))
    data = read_dataset(path, positive="1")
    assert any("decimal commas" in note and "1.5 for 1,5" in note for note in data.notes)


#: one number that needs more than 64 bits among others, and two that are one float
FEW = [2**63 + 5, *range(18), 17]
MERGED = [2**63 + number for number in range(20)]
CLASSES = [0, 1] * 10


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "frame"])
@pytest.mark.parametrize("numbers", [FEW, MERGED])
def test_numbers_beyond_64_bits_are_numbers(kind: str, numbers: list[int], tmp_path: Path) -> None:
    frame = pd.DataFrame({"big": np.array(numbers, np.uint64), "y": CLASSES})
    path = tmp_path / f"a.{kind}"
    if kind == "csv":
        frame.to_csv(path, index=False)
    elif kind == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif kind == "parquet":
        frame.to_parquet(path)
    data = read_dataset(frame if kind == "frame" else path, target="y")
    (feature,) = data.features
    assert not feature.is_nominal
    assert feature.values.tolist() == [float(number) for number in numbers]
    (note,) = (line for line in data.notes if "64 bits" in line)
    assert "column 'big' holds whole numbers too large for 64 bits with a sign, which are" in note
    assert ("20 different ones of them can no longer be distinguished" in note) == (
        numbers is MERGED
    )


def test_gaps_and_fractions_among_them_stay(tmp_path: Path) -> None:
    rows = ["9223372036854775808", "1.5", "NA", "", "-3", "1" * 5000]
    (tmp_path / "a.csv").write_text("\n".join(["big,y", *(f"{x},{i}" for i, x in enumerate(rows))]))
    (feature,) = read_dataset(tmp_path / "a.csv", target="y").features
    np.testing.assert_array_equal(feature.values, [2.0**63, 1.5, np.nan, np.nan, -3, np.inf])


def test_codes_with_leading_zeros_and_names_stay_names(tmp_path: Path) -> None:
    rows = [f"{text},{i % 2}" for i, text in enumerate(["9223372036854775808", "007"] * 4)]
    (tmp_path / "a.csv").write_text("\n".join(["code,y", *rows]))
    (feature,) = read_dataset(tmp_path / "a.csv", target="y").features
    assert feature.is_nominal


def test_large_numbers_of_64_bits_that_merge_are_told(tmp_path: Path) -> None:
    rows = [f"{2**60 + i % 4},{i % 3},{i % 2}" for i in range(12)]
    (tmp_path / "a.csv").write_text("\n".join(["big,small,y", *rows]))
    data = read_dataset(tmp_path / "a.csv", target="y")
    (note,) = (line for line in data.notes if "be distinguished" in line)
    assert note == (
        "column 'big' holds large whole numbers, which are used as floats; 4 different ones of "
        "them can no longer be distinguished (to leave out: --ignore big)"
    )


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
    assert any("are treated as categories" in note for note in read_dataset(path).notes)


def test_few_numbers_in_a_target_may_be_names_of_classes(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    rows = [f"{i / 7:.4f},{i % 3}" for i in range(60)] + ["1,other", "2,other"]
    path.write_text("x,y\n" + "\n".join(rows) + "\n")
    assert read_dataset(path).classes == ("0", "1", "2", "other")
    rows = [f"{i / 7:.4f},{i / 3:.3f}" for i in range(60)] + ["1,other"]
    path.write_text("x,y\n" + "\n".join(rows) + "\n")
    with pytest.raises(InputError, match="the text 'other' among 60 numbers"):
        read_dataset(path)
