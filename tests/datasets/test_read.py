"""Data sets from files, named sets and frames: roles, tasks, notes, and what is refused."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from heldout.core.errors import InputError
from heldout.datasets.read import read_dataset

TABLE = pd.DataFrame(
    {
        "patient_id": [1, 1, 2, 2, 3, 3],
        "age": [50.0, 51.0, None, 61.0, 70.0, 72.0],
        "sex": ["f", "f", "m", "m", None, "f"],
        "day": ["2020-01-02", "2020-01-05", "2020-01-01", "2020-02-01", "2020-03-01", "2020-03-02"],
        "outcome": ["dead", "alive", "alive", "dead", "alive", "alive"],
    }
)


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "patients.csv"
    TABLE.to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    ("name", "rows", "features", "classes", "task"),
    [
        ("iris", 150, 4, ("setosa", "versicolor", "virginica"), "multiclass"),
        ("wine", 178, 13, ("class_0", "class_1", "class_2"), "multiclass"),
        ("wdbc", 569, 30, ("malignant", "benign"), "binary"),
        ("digits", 1797, 64, tuple(range(10)), "multiclass"),
        ("diabetes", 442, 10, (), "regression"),
    ],
)
def test_named_set_has_its_rows_features_and_classes(
    name: str, rows: int, features: int, classes: tuple[object, ...], task: str
) -> None:
    data = read_dataset(name)
    assert (len(data), len(data.features), data.classes, data.task) == (
        rows,
        features,
        classes,
        task,
    )
    assert data.matrix.shape == (rows, features)


def test_positive_of_wdbc_is_malignant_and_can_be_changed() -> None:
    assert read_dataset("wdbc").positive == 0
    assert read_dataset("wdbc", positive="benign").positive == 1
    assert np.bincount(read_dataset("wdbc").truth).tolist() == [212, 357]
    assert "positive: 'malignant'" in read_dataset("wdbc").notes


def test_roles_are_no_features_and_keep_their_values(csv: Path) -> None:
    data = read_dataset(csv, target="outcome", positive="dead", group="patient_id", time="day")
    assert [feature.name for feature in data.features] == ["age", "sex"]
    assert data.group is not None
    assert data.group.codes.tolist() == [0, 0, 1, 1, 2, 2]
    assert data.time is not None
    assert np.argsort(data.time).tolist() == [2, 0, 1, 3, 4, 5]
    assert data.classes == ("alive", "dead")
    assert data.positive == 1
    assert data.features[1].levels == ("f", "m")
    assert data.features[1].values.tolist() == [0, 0, 1, 1, -1, 0]
    assert np.isnan(data.matrix).tolist() == [
        [False, False],
        [False, False],
        [True, False],
        [False, False],
        [False, True],
        [False, False],
    ]


def test_file_frame_and_compressed_file_are_one_data_set(csv: Path, tmp_path: Path) -> None:
    parquet = tmp_path / "patients.parquet"
    TABLE.to_parquet(parquet, index=False)
    packed = tmp_path / "patients.csv.gz"
    TABLE.to_csv(packed, index=False)
    prints = {
        read_dataset(source, positive="dead").fingerprint
        for source in (csv, parquet, packed, TABLE, pl.from_pandas(TABLE))
    }
    assert len(prints) == 1


def test_standard_input_is_read_as_csv_or_arff(csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arff = b"% said\n@relation r\n@attribute x real\n@attribute y {no,yes}\n@data\n1,no\n2,yes\n"
    for content, rows in ((csv.read_bytes(), 6), (arff, 2)):
        stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(content)))
        monkeypatch.setattr(sys, "stdin", stream)
        positive = "dead" if rows == 6 else "yes"
        assert len(read_dataset("-", positive=positive)) == rows


def test_last_column_is_the_target_and_that_is_said(csv: Path) -> None:
    data = read_dataset(csv, positive="dead", ignore="day")
    assert data.target == "outcome"
    assert "target: column 'outcome' (the last one; else say --target)" in data.notes
    # the last of those that have no other role
    assert (
        read_dataset(
            csv, ignore="outcome", time="day", target=None, positive="f", drop_missing_target=True
        ).target
        == "sex"
    )


def test_repeated_id_is_used_but_told_and_unique_id_names_the_rows(tmp_path: Path) -> None:
    table = TABLE.assign(id=[11, 12, 13, 14, 15, 16], code=list("abcdef"))
    data = read_dataset(table, target="outcome", positive="dead", ignore=["day"])
    assert [feature.name for feature in data.features] == ["patient_id", "age", "sex"]
    assert data.identifier is not None
    assert data.identifier.tolist() == [11, 12, 13, 14, 15, 16]
    told = "\n".join(data.notes)
    assert "column 'patient_id' looks like an id, but values repeat" in told
    assert "group='patient_id'" in told
    assert "column 'id' is no feature: it names the rows" in told
    assert "column 'code' is not used: every row has another text" in told


def test_missing_target_is_refused_or_dropped_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("x,y\n1,a\n2,\n3,b\n4,\n5,a\n")
    with pytest.raises(
        InputError, match=r"'y': the target has no value in 2 rows .*line 3.*--drop"
    ):
        read_dataset(path, positive="a")
    data = read_dataset(path, positive="a", drop_missing_target=True)
    assert len(data) == 3
    assert data.matrix[:, 0].tolist() == [1, 3, 5]
    assert "2 rows without a target left out (of 5)" in data.notes


def test_frame_for_own_estimators_has_the_features_of_the_rows_that_are_kept() -> None:
    gaps = TABLE.assign(outcome=["dead", None, "alive", "dead", "alive", "alive"])
    data = read_dataset(gaps, positive="dead", ignore=["day"], drop_missing_target=True)
    assert list(data.frame.columns) == ["patient_id", "age", "sex"]
    assert data.frame.index.tolist() == [0, 2, 3, 4, 5]


def test_frame_of_a_file_has_categories_for_names(csv: Path) -> None:
    frame = read_dataset(csv, positive="dead", ignore="day").frame
    assert frame["sex"].dtype == "category"
    assert frame["sex"].cat.categories.tolist() == ["f", "m"]
    assert frame["sex"].isna().tolist() == [False, False, False, False, True, False]


@pytest.mark.parametrize(
    ("content", "options", "told"),
    [
        ("x,y\n1,a\n2,b\n", {"target": "z"}, "no column 'z' .*--target.*"),
        ("size,kind\n1,a\n2,b\n", {"target": "kin"}, "did you mean kind"),
        ("x,y\n1,a\n2,a\n", {}, "all 2 rows have the label 'a'"),
        ("x,y\n1,a\n2,b\n", {"task": "regression"}, "no number .'a'.* in 2 rows .first: line 2"),
        ("x,y\n1,0.5\n2,1\n", {"task": "classification"}, "fractions .*--task regression"),
        ("x,y\n1,0\n2,1\n", {"task": "clustering"}, "classification or regression"),
        ("x,y\n1,0\ninf,1\n", {}, "'x': infinite in 1 row .first: line 3"),
        (
            "x,y\n1,0\n2,1\n",
            {"group": "y", "target": "y"},
            "both --group and --target|both --target",
        ),
        ("x,y\n1,a\n2,b\n", {}, "say which one is positive"),
        ("y\n1\n2\n", {}, "no column is left to predict"),
        ("x,i,y\n1,7,0\n2,7,1\n", {"id": "i"}, "the id 7 names more than one row .first: line 2"),
        ("x,t,y\n1,1/2/20,0\n2,1/3/20,1\n", {"time": "t"}, "'1/2/20' is no date .first: line 2"),
        ("x,y\n1,0\n2,1\n", {"task": "regression", "positive": 1}, "--positive is for classif"),
    ],
)
def test_bad_input_is_refused_with_where_and_what_to_do(
    tmp_path: Path, content: str, options: dict[str, str], told: str
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=told):
        read_dataset(path, **options)


def test_unknown_name_has_the_nearest_named_set() -> None:
    with pytest.raises(InputError, match=r"'iriss'; did you mean iris"):
        read_dataset("iriss")


def test_constant_column_is_told_and_weights_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,k,w,y\n1,9,2,0\n2,9,1,1\n")
    data = read_dataset(path, weight="w")
    assert data.weight is not None
    assert data.weight.tolist() == [2, 1]
    assert any("1 column with one value only: 'k'" in note for note in data.notes)
    assert any("not in fitting" in note for note in data.notes)


def test_weights_of_arff_rows_go_with_the_rows_that_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "weighted.arff"
    path.write_text(
        "@relation r\n@attribute x real\n@attribute y {no,yes}\n@data\n"
        "1,no,{2}\n2,?,{3}\n3,yes\n4,no,{0.5}\n"
    )
    data = read_dataset(path, positive="yes", drop_missing_target=True)
    assert data.weight is not None
    assert data.weight.tolist() == [2, 1, 0.5]
    path.write_text(path.read_text().replace("{2}", "{-2}"))
    with pytest.raises(InputError, match=r"the weight of line 5 of .*weighted.arff is -2"):
        read_dataset(path, positive="yes", drop_missing_target=True)


def test_a_file_that_is_not_there_is_likened_only_to_what_is_alike(tmp_path: Path) -> None:
    for name in ("one.csv", "patients.csv"):
        (tmp_path / name).write_text("x,y\n1,a\n2,b\n")
    with pytest.raises(InputError, match=r"no such file: \S+nope\.csv$"):
        read_dataset(tmp_path / "nope.csv")
    with pytest.raises(InputError, match=r"did you mean \S+patients\.csv"):
        read_dataset(tmp_path / "patient.csv")
