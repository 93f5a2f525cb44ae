"""Data of a call in Python: messages speak in its arguments, and those arguments exist."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.core.errors import InputError

pandas = pytest.importorskip("pandas")

ROWS = 40
X = np.random.default_rng(3).normal(size=(ROWS, 2))
FRAME = pandas.DataFrame(
    {
        "day": pandas.date_range("2024-01-01", periods=ROWS),
        "same": 1,
        "patient_id": np.arange(ROWS) // 2,
        "x": X[:, 0],
        "z": X[:, 1],
        "y": np.where(X[:, 0] > 0, "yes", "no"),
    }
)


def evaluated(**how: Any) -> Any:
    return heldout.evaluate("lda", procedure="3-fold", **how)


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "table.csv"
    FRAME.to_csv(path, index=False)
    return str(path)


def test_arguments_that_notes_name_exist(table: str) -> None:
    for source in (FRAME, table):
        notes = evaluated(data=source, target="y", pos_label="yes").dataset.notes
        named = set(re.findall(r"\b([a-z_]+)='", " ".join(notes)))
        assert {"ignore", "groups", "time"} <= named
        for function in (heldout.evaluate, heldout.select):
            assert named <= set(inspect.signature(function).parameters)
        assert "--" not in " ".join(notes)


def test_ignored_columns_are_no_features(table: str) -> None:
    for source in (FRAME, table):
        made = evaluated(data=source, target="y", pos_label="yes", ignore=["day", "same"])
        assert [one.name for one in made.dataset.features] == ["patient_id", "x", "z"]
        assert not any("'day'" in note or "'same'" in note for note in made.dataset.notes)
    how: dict[str, Any] = {"target": "y", "pos_label": "yes", "ignore": "day,same,patient_id"}
    chosen = heldout.select("knn", {"n_neighbors": [1, 3]}, data=FRAME, procedure="3-fold", **how)
    assert [one.name for one in chosen.dataset.features] == ["x", "z"]


def test_rows_without_a_target_are_left_out_where_that_is_asked_for() -> None:
    missing = FRAME.assign(y=FRAME["y"].where(FRAME.index > 1))
    how: dict[str, Any] = {"data": missing, "target": "y", "pos_label": "yes"}
    with pytest.raises(InputError, match="leave these rows out with drop_missing_target=True"):
        evaluated(**how)
    assert len(evaluated(**how, drop_missing_target=True).dataset) == ROWS - 2


def test_errors_name_the_arguments_of_the_call(table: str) -> None:
    for source in (FRAME, table):
        with pytest.raises(InputError, match=r"say 'no' or 'yes' \(pos_label=\)"):
            evaluated(data=source, target="y")["recall"]
        with pytest.raises(InputError, match=r"no column 'gone' \(groups=\)"):
            evaluated(data=source, target="y", pos_label="yes", groups="gone")
        with pytest.raises(InputError, match=r"no column 'gone' \(ignore=\)"):
            evaluated(data=source, target="y", pos_label="yes", ignore="gone")


def test_notes_on_X_name_what_can_be_done_with_X() -> None:
    how: dict[str, Any] = {"X": FRAME.drop(columns="y"), "y": FRAME["y"], "pos_label": "yes"}
    notes = " ".join(evaluated(**how).dataset.notes)
    assert "time=X['day']; to leave out: X without 'day'" in notes
    assert "ignore=" not in notes
    with pytest.raises(InputError, match="with X, leave them out of X"):
        evaluated(**how, ignore="day")
    with pytest.raises(InputError, match="with X, leave these rows out"):
        evaluated(**how, drop_missing_target=True)


def test_columns_that_pandas_numbered_are_named_by_number_or_text() -> None:
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(40, 3)))
    frame[3] = np.arange(40) % 2
    wanted = heldout.evaluate("nb", data=frame[[1, 2, 3]], target="3", procedure="4-fold")
    for target, ignore in ((3, [0]), ("3", 0), (3, "0"), ("3", pd.Index([0]))):
        made = heldout.evaluate("nb", data=frame, target=target, ignore=ignore, procedure="4-fold")
        assert made.scorecard["auc"].value == wanted.scorecard["auc"].value
    everything = heldout.evaluate("nb", data=frame, target=3, ignore=None, procedure="4-fold")
    assert everything.scorecard["auc"].value != wanted.scorecard["auc"].value
