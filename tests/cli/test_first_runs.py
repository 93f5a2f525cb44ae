"""What a first run on data of one's own meets: rare classes, gaps, marks, and notes in time."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

import heldout
from heldout.core.errors import InputError
from tests.cli.running import call

ROWS = 60
GENERATOR = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "size": GENERATOR.normal(size=ROWS),
        "kind": GENERATOR.choice(["u", "v", "NA", "NULL"], ROWS),
        "day": pd.date_range("2024-01-01", periods=ROWS).strftime("%Y-%m-%d"),
        "answer": ["rare"] * 4 + ["often", "always"] * 28,
    }
)

MODULE = """
import sys
from sklearn.dummy import DummyClassifier


class Telling(DummyClassifier):
    def fit(self, X, y, sample_weight=None):
        print("FITTED", file=sys.stderr)
        return super().fit(X, y)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (tmp_path / "telling_of_test.py").write_text(MODULE)
    FRAME.to_csv("data.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("command", ["evaluate", "select"])
def test_notes_on_the_data_come_before_the_fits_and_once(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    model = "telling_of_test:Telling"
    asked = ["--models", model] if command == "evaluate" else ["--model", model]
    asked += ["--grid", "strategy=prior,most_frequent"] * (command == "select")
    done = call(capsys, command, "data.csv", *asked, "--no-store", "--procedure", "2-fold")
    assert done.code == 0, done.err
    assert done.err.count("target: column 'answer'") == 1
    assert done.err.index("target: column 'answer'") < done.err.index("FITTED")


def test_class_with_fewer_rows_than_default_folds_is_spread_with_a_note(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, "evaluate", "data.csv", "--models", "tree", "--no-store")
    assert done.code == 0, done.err
    note = "10-fold: class 'rare' has 4 rows, so some test folds have none of it"
    assert note in done.err
    for procedure in (None, "10-fold"):
        splits = heldout.evaluate("tree", data="data.csv", procedure=procedure).splits
        assert (splits.procedure, splits.notes) == ("10-fold", (note,))
    with pytest.raises(InputError, match="class 'rare' has 4 rows, too few to be in each"):
        heldout.evaluate("tree", data="data.csv", procedure="10-fold stratified")
    # where no class is rare, nothing is said
    assert not heldout.evaluate("tree", data="iris").splits.notes


def test_marks_of_missing_names_are_missing_by_one_rule(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, "evaluate", "data.csv", "--models", "tree", "--no-store")
    count = int(FRAME["kind"].isin(["NA", "NULL"]).sum())
    assert f"column 'kind': 'NA', 'NULL' ({count} rows) is read as missing" in done.err
    made = heldout.evaluate("tree", data="data.csv")
    assert made.dataset.features[1].levels == ("u", "v")


def test_rows_without_a_time_are_counted_and_can_be_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    FRAME.assign(day=FRAME["day"].where(FRAME.index % 20 > 0)).to_csv("gaps.csv", index=False)
    asked = ("evaluate", "gaps.csv", "--models", "tree", "--time", "day", "--procedure", "time 3")
    done = call(capsys, *asked, "--no-store")
    assert done.code == 2
    assert "the time has no value in 3 rows (first: line 2 of gaps.csv)" in done.err
    assert "leave these rows out with --drop-missing-time" in done.err
    done = call(capsys, *asked, "--no-store", "--drop-missing-time")
    assert done.code == 0, done.err
    assert "3 rows without a time left out (of 60)" in done.err
    made = heldout.evaluate(
        "tree",
        data=pd.read_csv("gaps.csv"),
        target="answer",
        time="day",
        procedure="time 3",
        drop_missing_time=True,
    )
    assert len(made.dataset) == 57
    with pytest.raises(InputError, match="drop_missing_time= is for data="):
        heldout.evaluate("tree", [[1.0]], [1], drop_missing_time=True)


def test_procedure_may_be_called_cv() -> None:
    X, y = FRAME[["size"]], FRAME["answer"]
    own = heldout.evaluate("tree", X, y, procedure=KFold(3))
    assert heldout.evaluate("tree", X, y, cv=KFold(3))["accuracy"].value == own["accuracy"].value
    assert heldout.evaluate("tree", X, y, cv=3).splits.procedure == "3-fold"
    made = heldout.select("tree", {"max_depth": [1, 2]}, X, y, cv=3)
    assert made.splits.procedure == "3-fold"
    with pytest.raises(InputError, match="two names of one argument"):
        heldout.evaluate("tree", X, y, cv=3, procedure="3-fold")
