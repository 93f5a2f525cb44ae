"""What a reader sees: parameters as columns, unbounded limits, and settings without a rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import heldout
from heldout.report.selection_settings import SettingNames


def lines_of(made: Any) -> list[str]:
    lines = repr(made).split("\n")
    start = next(i for i, line in enumerate(lines) if "ettings of" in line and i > 1)
    return lines[start:]


def test_each_parameter_has_a_column_and_what_is_shared_stands_above() -> None:
    grid = ["weights=distance", "n_neighbors=1,5", "p=1,2"]
    lines = lines_of(heldout.select("knn", grid, data="iris", procedure="3-fold"))
    assert lines[0] == "Settings of knn[weights=distance]"
    assert lines[1].split() == ["n_neighbors", "p", "value", "standard", "error", "rank"]
    assert lines[3].split()[:2] == ["1", "1"]
    assert lines[6].split()[:2] == ["5", "2"]


def test_long_names_of_pipelines_are_told_apart_at_80_columns() -> None:
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    grid = {
        "logisticregression__C": [0.1, 0.123456789, 10],
        "logisticregression__class_weight": [None, "balanced"],
        "standardscaler__with_mean": [True, False],
    }
    made = heldout.select(pipeline, grid, data="iris", procedure="2-fold")
    text = repr(made)
    assert max(map(len, text.split("\n"))) <= 80
    # a warning that was too long is cut in the notes
    assert "…" not in text.partition("\nNotes\n")[0]
    names = SettingNames(made.search.settings)
    assert names.heads["logisticregression__C"] == "C"
    labels = [names.label(one) for one in made.search.settings]
    assert labels[0] == "C=0.1, class_weight=none, with_mean=true"
    assert len(set(labels)) == 12
    assert labels[4].startswith("C=0.1235,")


def test_numbers_are_cut_only_where_they_still_differ() -> None:
    grid = {"C": [0.12345, 0.123456]}
    made = heldout.select("logistic", grid, data="iris", procedure="2-fold")
    names = SettingNames(made.search.settings)
    texts = [names.text("C", setting) for setting in made.search.settings]
    assert texts == ["0.12345", "0.123456"]


def test_settings_of_several_models_are_told_in_one_text() -> None:
    made = heldout.select("knn,tree", ["n_neighbors=1,3", "max_depth=2"], data="iris",
                        procedure="2-fold")  # fmt: skip
    lines = lines_of(made)
    assert lines[0] == "Settings of 2 models"
    assert lines[3].strip().startswith("knn: n_neighbors=1 ")
    assert lines[5].strip().startswith("tree: max_depth=2 ")


def test_the_upper_limit_of_an_infinite_loss_is_unbounded() -> None:
    made = heldout.select("knn", "n_neighbors=1..10", data="iris", measure="log_loss")
    estimate = made.estimate
    assert np.isfinite(estimate.low)
    assert estimate.high == np.inf
    assert "infinite in" in estimate.note
    assert ", unbounded]" in repr(made)
    assert "undefined" not in repr(made)


def test_settings_that_failed_have_no_rank_but_a_reason() -> None:
    made = heldout.select("knn", "n_neighbors=1,3,500", data="iris", procedure="3-fold")
    assert made.table["rank"][2] is None
    assert made.table["status"] == ["", "", "failed"]
    assert "Expected n_neighbors" in made.table["note"][2]
    lines = lines_of(made)
    assert lines[5].split() == ["500", "failed"]
    assert "no rank, failed: ValueError" in repr(made)
    table = made.table
    assert table.to_pandas()["rank"].isna().tolist() == [False, False, True]
    assert table.to_polars()["rank"].to_list()[2] is None
    assert table.to_arrow()["rank"].to_pylist()[2] is None


def test_settings_that_a_race_dropped_have_no_rank_but_a_reason() -> None:
    made = heldout.select(
        "tree", {"max_depth": [1, 3, 4]}, race=True, data="wine", procedure="10-fold"
    )
    assert made.table["rank"][0] is None
    assert made.table["status"][0] == "dropped"
    line = lines_of(made)[3].split()
    assert (line[0], line[-1]) == ("1", "dropped")
    told = " ".join(repr(made).split())
    assert "no rank, dropped by the race after" in told
    assert "max_depth=1 (behind max_depth=3 by" in told


def test_a_measure_that_is_undefined_in_a_fold_gives_no_rank() -> None:
    how: Any = {"data": "wdbc", "pos_label": "malignant", "procedure": "3-fold"}
    made = heldout.select("majority,tree", "max_depth=1,2", measure="precision", **how)
    assert made.table["status"] == ["undefined", "", ""]
    assert made.table["rank"][0] is None
    assert "no rank, in a split" in " ".join(repr(made).split())


def test_columns_hold_one_type_so_that_every_data_frame_takes_them() -> None:
    grid = [{"gamma": ["scale", 0.1]}, {"C": [1, 2.5], "max_iter": [-1]}]
    table = heldout.select("svm", grid, data="iris", procedure="2-fold").table
    assert table["gamma"] == ["scale", "0.1", "", ""]
    assert table["C"] == [None, None, 1, 2.5]
    for frame in (table.to_pandas(), table.to_polars()):
        assert frame.shape[0] == 4
    assert table.to_arrow()["C"].to_pylist() == [None, None, 1.0, 2.5]


def test_the_nested_estimate_names_the_other_average() -> None:
    made = heldout.select("knn", "n_neighbors=1..3", data="iris", nested="7x4-fold")
    assert made.nested is not None
    assert made.nested.mean != made.nested.pooled
    assert made.estimate.value == pytest.approx(made.nested.pooled)
    assert f"(mean of the folds: {made.nested.mean:.4g})" in made.estimate.note


def test_what_went_wrong_on_the_way_stands_below_the_tables() -> None:
    model = LogisticRegression(max_iter=1, solver="saga")
    made = heldout.select(model, {"C": [0.1, 1.0, 10.0]}, data="iris", procedure="3-fold")
    text = repr(made)
    notes = " ".join(text.partition("\nNotes\n")[2].split())
    assert "3 of 3 settings warned, in 9 fits: ConvergenceWarning" in notes
    assert "ConvergenceWarning" in made._repr_html_()
    single = repr(heldout.evaluate(model, data="iris", procedure="3-fold"))
    assert "3 of 3 folds warned: ConvergenceWarning" in " ".join(single.split())
    assert "Notes" not in repr(heldout.select("tree", "max_depth=1,2", data="iris"))
