"""Files of splits: what is written is read with the same fingerprint, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from heldout.core.errors import InputError
from heldout.procedures.parse import parse_procedure
from heldout.procedures.split_file import FromFile, write_splits
from heldout.procedures.splits import ListedSplits, PartitionSplits

TRUTH = np.arange(30) % 3
SPECS = (
    "5-fold",
    "3x4-fold",
    "loo",
    "leave-2-out",
    "holdout 70:30",
    "3x holdout 50:20:30",
    "bootstrap 6",
    "time 3 gap 2",
)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json"])
@pytest.mark.parametrize("text", SPECS)
def test_file_gives_the_same_splits(text: str, suffix: str, tmp_path: Path) -> None:
    splits = parse_procedure(text).splits(30, truth=TRUTH, seed=5)
    path = tmp_path / f"the splits{suffix}"
    write_splits(splits, path)
    found = parse_procedure(f"file {path}").splits(30)
    assert found.fingerprint == splits.fingerprint
    assert type(found) is type(splits)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json"])
def test_file_that_cannot_be_finished_leaves_the_old_one(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"splits{suffix}"
    path.write_text("old")
    splits = parse_procedure("5-fold").splits(30, truth=TRUTH)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InputError, match="the disk is full"):
        write_splits(splits, path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json"])
def test_rows_go_by_their_ids_whatever_their_order(suffix: str, tmp_path: Path) -> None:
    names = np.array([f'r,"{number}"' for number in range(30)])
    splits: Any = parse_procedure("5-fold").splits(30, truth=TRUTH)
    path = tmp_path / f"splits{suffix}"
    write_splits(splits, path, identifiers=names)
    assert FromFile(path).splits(30, identifiers=names).fingerprint == splits.fingerprint
    if suffix != ".json":
        turned: Any = FromFile(path).splits(30, identifiers=names[::-1])
        assert (turned.assignment[:, ::-1] == splits.assignment).all()
    else:
        with pytest.raises(InputError, match="not the splits that were written"):
            FromFile(path).splits(30, identifiers=names[::-1])


def test_other_tools_read_the_file(tmp_path: Path) -> None:
    splits: Any = parse_procedure("5-fold").splits(30, truth=TRUTH)
    write_splits(splits, tmp_path / "splits.csv")
    frame = pd.read_csv(tmp_path / "splits.csv")
    assert list(frame.columns) == ["row", "repeat", "fold", "part", "procedure"]
    assert (frame["fold"] - 1).tolist() == splits.assignment[0].tolist()
    assert frame["row"].tolist() == list(range(1, 31))
    sample = parse_procedure("bootstrap 2").splits(30, truth=TRUTH)
    write_splits(sample, tmp_path / "splits.parquet")
    frame = pd.read_parquet(tmp_path / "splits.parquet")
    drawn = frame[(frame["repeat"] == 2) & (frame["part"] == "train")]["row"]
    assert (drawn - 1).tolist() == sample[1].train.tolist()


def test_files_of_other_tools_are_read(tmp_path: Path) -> None:
    path = tmp_path / "folds.csv"
    path.write_text("Fold,Row\n0,1\n1,2\n0,3\n1,4\n")
    found = FromFile(str(path)).splits(4)
    assert isinstance(found, PartitionSplits)
    assert found.assignment.tolist() == [[0, 1, 0, 1]]
    path.write_text("row,part\n1,train\n2,train\n3,validation\n4,test\n")
    found_parts: Any = FromFile(str(path)).splits(4)
    (split,) = found_parts
    assert (split.train.tolist(), split.validation.tolist(), split.test.tolist()) == (
        [0, 1],
        [2],
        [3],
    )


def test_rows_that_are_never_tested_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "folds.csv"
    path.write_text("row,fold\n1,1\n2,2\n")
    found = FromFile(path).splits(5)
    assert isinstance(found, ListedSplits)
    assert found[0].train.tolist() == [1, 2, 3, 4]
    assert found.notes == ("3 of 5 rows are never tested",)


def test_splits_come_by_repeat_and_fold_whatever_the_order_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "folds.csv"
    lines = ["4,2,1,test", "1,1,2,test", "2,1,1,test", "3,2,2,test"]
    path.write_text("row,repeat,fold,part\n" + "\n".join(lines) + "\n")
    found = FromFile(path).splits(5)
    assert [(s.repeat, s.fold, s.test.tolist()) for s in found] == [
        (1, 1, [1]),
        (1, 2, [0]),
        (2, 1, [3]),
        (2, 2, [2]),
    ]


def test_ids_that_are_not_unique_give_way_to_numbers(tmp_path: Path) -> None:
    splits = parse_procedure("2-fold").splits(4)
    write_splits(splits, tmp_path / "splits.csv", identifiers=["a", "a", "b", "c"])
    assert (tmp_path / "splits.csv").read_text().splitlines()[1].startswith("1,1,")
    found = FromFile(tmp_path / "splits.csv").splits(4, identifiers=["a", "a", "b", "c"])
    assert found.fingerprint == splits.fingerprint


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("row,repeat\n1,1\n", "there is no column fold"),
        ("fold\n1\n", "there is no column row"),
        ("row,fold\n", "there are no rows"),
        ("row,fold\n1,1\n9,2\n", r"row '9' \(entry 2\) is not the number of one of the 4 rows"),
        ("row,fold\n1,1\n2,b\n", r"fold 'b' \(entry 2\) is not a whole number"),
        ("row,fold\n1,1\n2,-2\n", "is negative"),
        ("row,fold,part\n1,1,test\n2,1,exam\n", r"part 'exam' \(entry 2\) is none of train"),
        ("row,fold,part\n1,1,test\n1,1,train\n", "row 1 is in two parts"),
        ("row,fold,part\n1,1,test\n1,1,test\n", "tests a row more than once"),
        ("row,fold,part\n1,1,train\n2,1,train\n", "has no row to test"),
        ("row,fold,part\n1,1,train\n2,1,test\n3,2,test\n", "has no row to train"),
    ],
)
def test_file_that_makes_no_splits_is_refused(content: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "splits.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=said):
        FromFile(path).splits(4)


def test_file_that_is_not_there_or_of_no_known_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file of splits"):
        FromFile(tmp_path / "none.csv").splits(4)
    (tmp_path / "splits.txt").write_text("row,fold\n")
    with pytest.raises(InputError, match="ends in none of"):
        FromFile(tmp_path / "splits.txt").splits(4)
    splits = parse_procedure("2-fold").splits(4)
    with pytest.raises(InputError, match="ends in none of"):
        write_splits(splits, tmp_path / "splits.xlsx")
    with pytest.raises(InputError, match="cannot write"):
        write_splits(splits, tmp_path / "no folder" / "splits.csv")
    (tmp_path / "splits.json").write_text("[]")
    with pytest.raises(InputError, match="it is not JSON as heldout split writes it"):
        FromFile(tmp_path / "splits.json").splits(4)
    (tmp_path / "splits.parquet").write_text("row,fold")
    with pytest.raises(InputError, match="cannot read splits"):
        FromFile(tmp_path / "splits.parquet").splits(4)


LAYOUT = r'as heldout split writes it: \{"splits": \{"row": \[1, 2\], "fold": \[1, 2\]\}\}$'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"row": 1, "fold": 1}]', LAYOUT),
        ('{"row": [1, 2], "fold": [1, 2]}', LAYOUT),
        ("null", LAYOUT),
        ('"x"', LAYOUT),
        ('{"splits": [1]}', LAYOUT),
        ('{"splits": {"row": 1, "fold": 2}}', LAYOUT),
        ('{"splits": {"row": [1, 2], "fold": [1]}}', "its columns differ in length$"),
        ('{"splits": {"row": [1], "fold": [%s]}}' % ("9" * 5000), "thousands of digits"),
        ('{"splits": {"row": [%s], "fold": [1]}}' % ("9" * 400), r"row '9{36}\.\.\. \(entry 1\)"),
    ],
)
def test_json_of_another_layout_is_refused_in_words(
    content: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "splits.json"
    path.write_text(content)
    with pytest.raises(InputError, match=said):
        FromFile(path).splits(4)


def test_changed_json_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "splits.json"
    write_splits(parse_procedure("2-fold").splits(4), path)
    document = json.loads(path.read_text())
    document["splits"]["fold"] = [3 - fold for fold in document["splits"]["fold"]]
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="not the splits that were written"):
        FromFile(path).splits(4)
