"""Columns without values, and of lists, mappings and durations: alike in files and in Python."""

from __future__ import annotations

import json
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
    assert any("'b' is not used: lists or mappings" in note for note in data.notes)
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
    with pytest.raises(InputError, match="y_true holds durations, which are no labels"):
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
