"""The refitted model of heldout's named learners: it knows its columns by their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_wine

import heldout
from heldout.datasets.dataset import Dataset

GRID = {"knn": "n_neighbors=1,5", "tree": "max_depth=2,3", "nb": None, "boosting": "max_iter=5,10"}


def wine() -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X, y.to_numpy()


def mixed() -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    X, y = wine()
    strong = np.where(X["alcohol"] > 13, "strong", "light")
    return X.iloc[:, 1:4].assign(kind=strong, colour=np.where(y == 0, "red", "white")), y


def chosen(name: str, X: Any, y: Any, **more: Any) -> Any:
    grid = GRID[name] or {"var_smoothing": [1e-9, 1e-6]}
    return heldout.select(name, grid, X, y, procedure="3-fold", task="classification", **more)


@pytest.mark.parametrize("name", ["knn", "tree", "boosting", "nb"])
def test_names_of_numbers_are_kept_and_another_order_is_refused(name: str) -> None:
    X, y = wine()
    model = chosen(name, X, y).model
    assert model.feature_names_in_.tolist() == list(X)
    assert np.mean(model.predict(X) == y) > 0.8
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[X.columns[::-1]])


@pytest.mark.parametrize("name", ["knn", "tree", "boosting", "nb"])
def test_names_among_the_values_are_taken_as_they_are_in_any_order(name: str) -> None:
    X, y = mixed()
    model = chosen(name, X, y).model if name != "nb" else _mixed_bayes(X, y)
    assert model.feature_names_in_.tolist() == list(X)
    truth = model.predict(X)
    assert np.mean(truth == y) > 0.8
    assert (model.predict(X[X.columns[::-1]].assign(more=1)) == truth).all()
    assert (model.predict(pl.from_pandas(X)) == truth).all()
    assert (model.predict(X.to_numpy(object)) == truth).all()
    # a level that was not there changes nothing but its own part
    model.predict(X.assign(colour="green"))
    with pytest.raises(ValueError, match="lacks the column 'colour'"):
        model.predict(X.drop(columns="colour"))
    with pytest.raises(ValueError, match="holds numbers, and was names such as"):
        model.predict(X.assign(kind=1.5))
    with pytest.raises(ValueError, match="holds texts, and was numbers"):
        model.predict(X.assign(ash="much"))


def _mixed_bayes(X: Any, y: Any) -> Any:
    return heldout.select("nb", {"alpha": [0.5, 1.0]}, X, y, procedure="3-fold").model


def test_codes_and_names_predict_the_same() -> None:
    X, y = mixed()
    made = chosen("knn", X, y)
    inner = made.model[1:]
    assert (inner.predict(made.dataset.matrix) == made.model.predict(X)).all()


def test_bayes_of_names_alone_refuses_levels_that_it_does_not_know() -> None:
    X, y = mixed()
    names = X[["kind", "colour"]]
    model = heldout.select("nb", {"alpha": [0.5, 1.0]}, names, y, procedure="3-fold").model
    assert np.mean(model.predict(names[["colour", "kind"]]) == y) > 0.6
    with pytest.raises(ValueError, match="has a 'colour' that the model was not fitted with"):
        model.predict(names.assign(colour="green"))


def test_a_file_and_a_frame_of_polars_give_a_model_that_takes_frames(tmp_path: Path) -> None:
    X, y = wine()
    path = tmp_path / "wine.csv"
    X.assign(y=y).to_csv(path, index=False)
    made = heldout.select("knn", GRID["knn"], data=path, target="y", procedure="3-fold")
    assert made.model.feature_names_in_.tolist() == list(X)
    from_polars = chosen("knn", pl.from_pandas(X), y).model
    assert from_polars.feature_names_in_.tolist() == list(X)
    truth = made.model.predict(X)
    assert (from_polars.predict(pl.from_pandas(X[X.columns[::-1]])) == truth).all()


def test_dates_and_columns_that_are_not_used_are_found_in_the_new_table() -> None:
    X, y = wine()
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(y * 100, unit="D")
    frame = X[["ash"]].assign(day=days, row=[f"row {place}" for place in range(len(X))])
    model = chosen("knn", frame, y).model
    assert model.feature_names_in_.tolist() == ["ash", "day"]
    assert np.mean(model.predict(frame) == y) > 0.95


def test_arrays_have_no_names_and_need_no_data_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = wine()
    made = chosen("knn", X.to_numpy(), y)
    assert not hasattr(made.model, "feature_names_in_")
    assert len(made.model.predict(X.to_numpy())) == len(y)

    # of a file, without pandas: the matrix is all there is
    def frame(self: Dataset) -> Any:
        return self.matrix

    monkeypatch.setattr(Dataset, "frame", property(frame))
    made = heldout.select("knn", GRID["knn"], data="wine", procedure="3-fold")
    assert made.model.feature_names_in_.tolist() == [one.name for one in made.dataset.features]


@pytest.mark.parametrize("make", [wine, mixed])
def test_a_saved_model_still_knows_its_columns(tmp_path: Path, make: Any) -> None:
    pytest.importorskip("skops.io")
    X, y = make()
    made = heldout.select("logistic", "C=0.1,1", X, y, procedure="3-fold")
    made.save(tmp_path / "m.skops")
    model = heldout.load_model(tmp_path / "m.skops")
    assert (model.predict(X) == made.model.predict(X)).all()
    assert model.feature_names_in_.tolist() == list(X)


def test_the_wrapper_takes_frames_with_names_among_the_values() -> None:
    X, y = mixed()
    made = heldout.SelectCV("knn", {"n_neighbors": [1, 5]}, procedure="3-fold").fit(X, y)
    assert made.feature_names_in_.tolist() == list(X)
    assert (made.predict(X[X.columns[::-1]]) == made.predict(X)).all()
