"""Whole numbers beyond 64 bits are quantities, and a note says what floats make of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from heldout.datasets.read import read_dataset

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
    assert ("20 different ones of them are no longer told apart" in note) == (numbers is MERGED)


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
    (note,) = (line for line in data.notes if "told apart" in line)
    assert note == (
        "column 'big' holds large whole numbers, which are used as floats; 4 different ones of "
        "them are no longer told apart (to leave out: --ignore big)"
    )
