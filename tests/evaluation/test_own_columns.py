"""What models of the caller's own are given: columns as they are, text as text, dates as dates."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import heldout
from heldout.datasets.read import read_dataset
from tests.cli.running import call

ROWS = 60
GENERATOR = np.random.default_rng(3)
WORDS = [f"{'good' if n % 2 else 'bad'} thing number {n} of {n * 7}" for n in range(ROWS)]
FRAME = pd.DataFrame(
    {
        "text": WORDS,
        "day": pd.date_range("2024-01-01", periods=ROWS),
        "kind": GENERATOR.choice(["u", "v", "?"], ROWS),
        "size": GENERATOR.normal(size=ROWS),
        "empty": np.nan,
        "verdict": ["yes" if n % 2 else "no" for n in range(ROWS)],
    }
)

MODULE = """
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline


def words():
    columns = make_column_transformer((TfidfVectorizer(), "text"))
    return make_pipeline(columns, LogisticRegression())
"""


class Looking(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """The first class always; what it was given is kept."""

    def __init__(self, seen: Any = None) -> None:
        self.seen = seen

    def fit(self, X: Any, y: Any) -> Looking:
        self.classes_ = np.unique(y)
        SEEN.append(X)
        return self

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[:1], len(X))


SEEN: list[Any] = []


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "verdicts.csv"
    FRAME.to_csv(path, index=False)
    return path


def test_text_reaches_a_pipeline_of_the_command_line(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (file.parent / "texts_of_test.py").write_text(MODULE)
    monkeypatch.setattr(sys, "path", [str(file.parent), *sys.path])
    only = file.parent / "only.csv"
    FRAME[["text", "verdict"]].to_csv(only, index=False)
    for data in (only, file):
        asked = ("evaluate", str(data), "--models", "texts_of_test:words", "--no-store")
        done = call(capsys, *asked, "--procedure", "3-fold", "--measure", "accuracy")
        assert (done.code, "is not used" in done.err) == (0, False), done.err
        assert "0.9398 to 1" in done.out
        assert ("1 feature," if data is only else "5 features,") in " ".join(done.out.split())
    named = ("--models", "logistic", "--no-store", "--positive", "yes")
    done = call(capsys, "evaluate", str(file), *named, "--procedure", "3-fold")
    assert "column 'text' is not used: every row has a different text" in done.err
    done = call(capsys, "evaluate", str(only), "--models", "logistic", "--positive", "yes")
    assert done.code == 2
    assert "named models can use no column to predict 'verdict' ('text': every row" in done.err


def test_text_of_a_data_frame_reaches_a_pipeline() -> None:
    columns = make_column_transformer((TfidfVectorizer(), "text"))
    model = make_pipeline(columns, LogisticRegression())
    frame = FRAME[["text", "verdict"]]
    made = heldout.evaluate(model, data=frame, target="verdict", procedure="3-fold")
    assert made["accuracy"].value == 1.0
    assert not any("not used" in note for note in made.notes)


def test_columns_of_a_file_keep_their_kinds(file: Path) -> None:
    SEEN.clear()
    heldout.evaluate(Looking(), data=str(file), target="verdict", procedure="holdout 70:30")
    given = SEEN[-1]
    assert list(given.columns) == ["text", "day", "kind", "size", "empty"]
    assert all(isinstance(text, str) for text in given["text"])
    assert given["day"].dtype.kind == "M"
    assert given["day"].isin(FRAME["day"]).all()
    # a mark of a missing name is a missing value of a file
    assert set(given["kind"].dropna()) == {"u", "v"}
    assert given["size"].dtype == np.float64
    assert given["empty"].isna().all()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_a_data_frame_are_what_they_were(library: str) -> None:
    SEEN.clear()
    frame: Any = FRAME if library == "pandas" else pl.DataFrame(FRAME.to_dict("list"))
    heldout.evaluate(Looking(), data=frame, target="verdict", procedure="holdout 70:30")
    given = SEEN[-1]
    assert type(given) is type(frame)
    assert list(given.columns) == ["text", "day", "kind", "size", "empty"]
    assert "?" in set(given["kind"])
    assert given["day"].dtype == frame["day"].dtype


def test_named_models_are_given_prepared_columns_and_notes_are_for_them_only(file: Path) -> None:
    data = read_dataset(file, target="verdict", positive="yes")
    assert [one.name for one in data.features] == ["day", "kind", "size"]
    own = heldout.evaluate(Looking(), data=str(file), target="verdict", procedure="holdout 70:30")
    both = heldout.evaluate(
        [Looking(), "tree"], data=str(file), target="verdict", procedure="holdout 70:30"
    )
    for said in ("'text' is not used", "'day' holds dates, which are used as", "'empty' is not"):
        assert not any(said in note for note in own.notes)
        assert any(said in note for note in both.notes)
    assert any("'?'" in note and "is read as missing" in note for note in own.notes)


def test_changed_text_is_another_data_set(file: Path, tmp_path: Path) -> None:
    before = read_dataset(file, target="verdict", positive="yes").fingerprint
    FRAME.assign(text=WORDS[::-1]).to_csv(file, index=False)
    assert read_dataset(file, target="verdict", positive="yes").fingerprint != before
