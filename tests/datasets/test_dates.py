"""Dates among the features are quantities, and a note says so."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

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
