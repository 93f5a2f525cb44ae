"""Predictions from files and tables: one for each model, named by column or by file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from heldout.core.errors import InputError
from heldout.engines.public import read_predictions
from heldout.predictions.read import model_names
from tests.predictions.tables import labels

HEADER = "label,guess,p_spam\n"
SPAM = HEADER + "spam,spam,0.9\nham,spam,0.6\nham,ham,0.1\n"
ROLES: dict[str, Any] = {"truth": "label", "predicted": "guess", "positive": "spam"}


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_file_is_one_model_without_a_name(tmp_path: Path) -> None:
    (predictions,) = read_predictions(write(tmp_path / "tree.csv", SPAM), **ROLES)
    assert predictions.model == ""
    assert labels(predictions) == (["spam", "ham", "ham"], ["spam", "spam", "ham"])
    assert predictions.scores is not None
    assert predictions.scores.tolist() == [0.9, 0.6, 0.1]
    assert predictions.notes == (
        "task: classification (guessed: column 'label' has text)",
        "score: column 'p_spam' (guessed by its name)",
    )


def test_a_file_a_model_is_named_by_the_file(tmp_path: Path) -> None:
    sources = [write(tmp_path / name, SPAM) for name in ("tree.csv", "forest.v2.csv")]
    assert [one.model for one in read_predictions(*sources, **ROLES)] == ["tree", "forest.v2"]


def test_files_are_pooled_on_request(tmp_path: Path) -> None:
    sources = [write(tmp_path / name, SPAM) for name in ("fold1.csv", "fold2.csv")]
    (predictions,) = read_predictions(*sources, pool=True, **ROLES)
    assert len(predictions) == 6
    assert predictions.model == ""


def test_pooled_texts_are_sorted_as_one_column(tmp_path: Path) -> None:
    one = write(tmp_path / "a.csv", "y,pred\nb,b\nd,b\nd,d\n")
    other = write(tmp_path / "b.csv", "y,pred\na,a\nc,a\nc,c\n")
    (predictions,) = read_predictions(one, other, pool=True)
    assert predictions.classes == ("a", "b", "c", "d")
    assert labels(predictions)[0] == ["b", "d", "d", "a", "c", "c"]


def test_a_pattern_is_a_model_a_file_and_pooled_one_table(tmp_path: Path) -> None:
    for name in ("fold1.csv", "fold2.csv"):
        write(tmp_path / name, SPAM)
    pattern = str(tmp_path / "fold*.csv")
    one, two = read_predictions(pattern, **ROLES)
    assert (one.model, len(one), two.model, len(two)) == ("fold1", 3, "fold2", 3)
    (predictions,) = read_predictions(pattern, pool=True, **ROLES)
    assert len(predictions) == 6


def test_a_column_of_models_splits_all_files_together(tmp_path: Path) -> None:
    text = "model,y,pred\ntree,1,1\nbayes,0,1\n"
    sources = [write(tmp_path / name, text) for name in ("a.csv", "b.csv")]
    bayes, tree = read_predictions(*sources)
    assert (bayes.model, len(bayes), tree.model, len(tree)) == ("bayes", 2, "tree", 2)
    assert bayes.truth.tolist() == [0, 0]
    (single,) = read_predictions(write(tmp_path / "c.csv", "model,y,pred\ntree,1,1\ntree,0,1\n"))
    assert single.model == "tree"


def test_a_bad_row_is_named_by_its_file_after_joining(tmp_path: Path) -> None:
    good = write(tmp_path / "a.csv", "y,p\n1,0.5\n0,0.1\n")
    bad = write(tmp_path / "b.csv", "y,p\n1,0.5\n0,nan\n")
    with pytest.raises(InputError) as caught:
        read_predictions(good, bad, pool=True)
    assert str(caught.value) == (
        f"column 'p': NaN in 1 row (first: line 3 of {bad}); the score must be a number in every "
        "row (inf and -inf are above and below all)"
    )


def test_joined_tables_need_the_same_columns_of_the_same_kinds(tmp_path: Path) -> None:
    one = write(tmp_path / "a.csv", "y,p\n1,0.5\n")
    other = write(tmp_path / "b.csv", "y,p,w\n1,0.5,2\n")
    with pytest.raises(InputError) as caught:
        read_predictions(one, other, pool=True)
    assert str(caught.value) == (
        f"{one} and {other} have different columns ('w' in only one of them); tables that are "
        "joined need the same"
    )
    texts = write(tmp_path / "c.csv", "y,p\nspam,0.5\n")
    with pytest.raises(InputError, match=r"column 'y' is \w+ in .*a\.csv and \w+ in .*c\.csv"):
        read_predictions(one, texts, pool=True)


def test_a_column_of_models_in_one_file_only_is_refused(tmp_path: Path) -> None:
    one = write(tmp_path / "a.csv", "y,p,model\n1,0.5,tree\n")
    other = write(tmp_path / "b.csv", "y,p\n1,0.5\n")
    with pytest.raises(InputError) as caught:
        read_predictions(one, other)
    assert str(caught.value) == (
        f"{one} has a column of models and {other} has none; give both one, or leave it out"
    )


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict])
def test_tables_of_python_are_read_and_spoken_to_in_keywords(frame: Any) -> None:
    table = frame({"truth": ["a", "b", "a"], "p_b": [0.1, 0.7, 0.6]})
    (predictions,) = read_predictions(table, positive="b")
    assert labels(predictions) == (["a", "b", "a"], ["a", "b", "b"])
    with pytest.raises(InputError, match="positive='b' or positive='a'"):
        read_predictions(table, score="p_b")


def test_declared_categories_keep_their_order() -> None:
    order = ["low", "mid", "high"]
    values = ["high", "low", "mid", "mid"]
    for truth in (pd.Categorical(values, order), pl.Series(values, dtype=pl.Enum(order))):
        (predictions,) = read_predictions({"truth": truth, "predicted": values})
        assert predictions.classes == ("low", "mid", "high")
        assert predictions.truth.tolist() == [2, 0, 1, 1]


def test_two_tables_of_python_are_numbered() -> None:
    table = {"truth": [0, 1], "score": [0.2, 0.8]}
    assert [one.model for one in read_predictions(table, table)] == ["table 1", "table 2"]


def test_names_of_models_are_told_apart_by_their_folders() -> None:
    assert model_names(["a/x.csv", "b/x.csv.gz", "b/y.parquet"]) == ["a/x", "b/x", "b/y"]
    assert model_names(["x.csv", "x.csv"]) == ["x (1)", "x (2)"]
    assert model_names(["-", {"a": 1}]) == ["standard input", "table 2"]


def test_the_same_label_is_one_class_across_files(tmp_path: Path) -> None:
    numbers = write(tmp_path / "a.csv", "y,pred\n1,1\n2,3\n")
    texts = {"y": ["1", "2"], "pred": ["3", "2"]}
    first, second = read_predictions(numbers, texts)
    assert first.classes == second.classes == (1, 2, 3)
    assert labels(second) == ([1, 2], [3, 2])
