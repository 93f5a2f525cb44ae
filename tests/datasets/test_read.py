"""Data sets from files: roles, what is said of them, and what is refused."""

from __future__ import annotations

import io
import json
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.core.errors import InputError
from heldout.datasets.arrays import dataset_of
from heldout.datasets.read import read_dataset
from heldout.learners.by_name import ColumnsByName
from heldout.learners.request import models_for

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
    assert "target: column 'outcome' (the last one; otherwise use --target)" in data.notes
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
    assert (
        "column 'patient_id' is used as a feature, but looks like an id whose values repeat" in told
    )
    assert "group='patient_id'" in told
    assert "column 'id' is not used as a feature: it identifies the rows" in told
    assert "column 'code' is not used: every row has a different text" in told


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
        ("x,y\n1,a\n2,b\n", {}, "choose the positive one"),
        ("y\n1\n2\n", {}, "no column is left to predict"),
        ("x,i,y\n1,7,0\n2,7,1\n", {"id": "i"}, "the id 7 names more than one row .first: line 2"),
        ("x,t,y\n1,1/2/20,0\n2,1/3/20,1\n", {"time": "t"}, "'1/2/20' is not a date .first: line 2"),
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


ARFF = "@relation s\n@attribute a numeric\n@attribute y {n,p,never}\n@data\n" + "0,n\n4,p\n" * 5


def test_text_column_that_hardly_repeats_is_told(tmp_path: Path) -> None:
    names = [f"name {min(i, 51)}" for i in range(60)]
    lines = [f"{name},{'ab'[i % 2]},{i},{i % 2}" for i, name in enumerate(names)]
    (tmp_path / "a.csv").write_text("\n".join(["who,kind,x,y", *lines]))
    notes = [n for n in read_dataset(tmp_path / "a.csv").notes if "distinct texts" in n]
    assert notes == [
        "column 'who' is used as a feature, but has 52 distinct texts in 60 rows (to leave out: "
        "--ignore who)"
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


ROWS = 40
A = np.random.default_rng(1).normal(size=ROWS)
Y = ["p" if value > 0 else "q" for value in A.tolist()]
NESTED: dict[str, list[Any]] = {
    "lists": [[n % 3, 1] for n in range(ROWS)],
    "mappings": [{"k": n} for n in range(ROWS)],
}
HOURS = [timedelta(hours=1.5 * n) for n in range(ROWS)]

NOTHING: list[None] = [None] * ROWS

EMPTY = {
    "polars of no type": lambda: pl.DataFrame({"a": A, "b": NOTHING}),
    "polars texts": lambda: pl.DataFrame({"a": A, "b": pl.Series(NOTHING, dtype=pl.String)}),
    "polars floats": lambda: pl.DataFrame({"a": A, "b": pl.Series(NOTHING, dtype=pl.Float64)}),
    "Arrow": lambda: pa.table({"a": A, "b": pa.nulls(ROWS)}),
    "pandas NaN": lambda: pd.DataFrame({"a": A, "b": np.nan}),
    "pandas None": lambda: pd.DataFrame({"a": A, "b": NOTHING}),
    "pandas category": lambda: pd.DataFrame(
        {"a": A, "b": pd.Categorical(NOTHING, categories=["u", "v"])}
    ),
    "mapping": lambda: {"a": A, "b": NOTHING},
}  # fmt: skip


@pytest.mark.parametrize("kind", EMPTY)
def test_column_without_values_is_left_out_for_named_models_and_said(kind: str) -> None:
    X = EMPTY[kind]()
    data = dataset_of(X, Y, pos_label="p")
    assert not any("one value only" in note for note in data.notes)
    assert "column 'b' is not used: it has no values" in data.notes
    assert [one.name for one in data.features] == ["a"]
    assert heldout.evaluate("logistic", X, Y, procedure="3-fold")["accuracy"].value > 0.8
    with pytest.raises(
        InputError, match=r"named models can use no column to predict 'y' .'x0': it"
    ):
        models_for("logistic", dataset_of([[None]] * ROWS, Y, pos_label="p"))


@pytest.mark.parametrize("kind", ["floats", "objects"])
def test_column_of_an_array_without_values_is_left_out(kind: str) -> None:
    X: Any = np.column_stack([A, np.full(ROWS, np.nan), A, np.full(ROWS, np.nan)])
    X[0, 2] = np.nan
    X = X if kind == "floats" else np.where(np.isnan(X), None, X)
    data = dataset_of(X, Y, pos_label="p")
    assert [one.name for one in data.features] == ["x0", "x2"]
    assert data.matrix.shape == (ROWS, 2)
    chosen = heldout.select("tree", {"max_depth": [1, 2]}, X, Y, procedure="3-fold")
    assert (chosen.model.predict(X) == Y).mean() > 0.9


def test_own_estimator_is_given_the_column_and_models_that_look_at_none_are_fitted() -> None:
    X = pd.DataFrame({"a": A, "b": np.nan, "lists": NESTED["lists"]})
    only = make_column_transformer(("passthrough", ["a"]))
    own = make_pipeline(only, DecisionTreeClassifier())
    made = heldout.evaluate({"own": own}, X, Y, pos_label="p", procedure="3-fold", store=None)
    assert made["accuracy"].value > 0.8
    models_for("majority", dataset_of(X, Y, pos_label="p"))


@pytest.mark.parametrize("nested", NESTED)
@pytest.mark.parametrize("kind", ["parquet", "arrow", "jsonl", "pandas", "polars", "relation"])
def test_lists_and_mappings_are_left_out_with_a_note(
    nested: str, kind: str, tmp_path: Path
) -> None:
    columns = {"a": A, "b": NESTED[nested], "y": Y}
    source: Any = tmp_path / f"data.{kind}"
    if kind == "parquet":
        pl.DataFrame(columns).write_parquet(source)
    elif kind == "arrow":
        feather.write_feather(pa.table(columns), str(source), compression="uncompressed")
    elif kind == "jsonl":
        rows = zip(A.tolist(), NESTED[nested], Y, strict=True)
        source.write_text("".join(json.dumps({"a": a, "b": b, "y": y}) + "\n" for a, b, y in rows))
    elif kind == "pandas":
        source = pd.DataFrame(columns)
        source.at[0, "b"] = None
    elif kind == "polars":
        source = pl.DataFrame(columns)
    else:
        duckdb = pytest.importorskip("duckdb")
        pl.DataFrame(columns).write_parquet(tmp_path / "data.parquet")
        source = duckdb.read_parquet(str(tmp_path / "data.parquet"))
    data = read_dataset(source, target="y", positive="p")
    assert any("'b' is not used: it holds lists or mappings" in note for note in data.notes)
    assert [one.name for one in data.features] == ["a"]
    with pytest.raises(InputError, match="the target, holds lists or mappings; give numbers or"):
        read_dataset(source, target="b", drop_missing_target=True)


@pytest.mark.parametrize("kind", ["parquet", "of polars", "arrow", "pandas", "polars", "list"])
def test_durations_are_seconds_and_a_note_says_so(kind: str, tmp_path: Path) -> None:
    columns: dict[str, Any] = {"a": A, "b": [*HOURS[:-1], None], "y": Y}
    source: Any = tmp_path / "data.parquet"
    if kind == "parquet":
        pd.DataFrame(columns).to_parquet(source)
    elif kind == "of polars":
        pl.DataFrame(columns).write_parquet(source)
    elif kind == "arrow":
        source = tmp_path / "data.arrow"
        feather.write_feather(pa.table(columns), str(source), compression="uncompressed")
    else:
        source = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "list": dict}[kind](columns)
    data = read_dataset(source, target="y", positive="p")
    wanted = [hours.total_seconds() for hours in HOURS[:-1]]
    np.testing.assert_array_equal(data.features[1].values, [*wanted, np.nan])
    flag = "--ignore b" if isinstance(source, Path) else "ignore='b'"
    said = f"column 'b' holds durations, which are used as seconds (to leave out: {flag})"
    assert said in data.notes
    with pytest.raises(InputError, match="the target, holds durations; give numbers or labels"):
        read_dataset(source, target="b", drop_missing_target=True)


def test_durations_are_no_labels_and_no_scores() -> None:
    with pytest.raises(InputError, match="y_true holds durations, which are not labels"):
        heldout.score(HOURS, HOURS)
    with pytest.raises(InputError, match="y_score holds durations; give the score as numbers"):
        heldout.score(Y, y_score=HOURS, pos_label="p")


def test_fingerprint_knows_what_own_estimators_are_given() -> None:
    texts = [f"word {n}" for n in range(ROWS)]
    frames = [
        pd.DataFrame({"a": A, "t": texts}),
        pd.DataFrame({"a": A, "t": texts[::-1]}),
        pd.DataFrame({"a": A, "t": NESTED["lists"]}),
        pd.DataFrame({"a": A, "t": NESTED["mappings"]}),
    ]
    found = [dataset_of(frame, Y, pos_label="p") for frame in frames]
    assert all([one.name for one in data.features] == ["a"] for data in found)
    assert len({data.fingerprint for data in found}) == len(found)
    again = dataset_of(frames[0].copy(), Y, pos_label="p")
    assert again.fingerprint == found[0].fingerprint


def test_table_without_values_in_a_column_can_be_predicted() -> None:
    columns = ColumnsByName(("a", "b"), (None, None)).fit(None)
    made = columns.transform(pl.DataFrame({"a": [1.0, 2.0], "b": [None, None]}))
    np.testing.assert_array_equal(made, [[1.0, np.nan], [2.0, np.nan]])
