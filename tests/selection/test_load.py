"""Saved models read back: what is trusted, what is refused by name, and what to do about it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import FunctionTransformer

import heldout
from heldout.core.errors import InputError
from heldout.selection.fitted_model import loading_call, save_model

skops_io = pytest.importorskip("skops.io")
TREE = "sklearn.tree._tree.Tree"


def mixed() -> tuple[pd.DataFrame, Any]:
    X, y = load_wine(return_X_y=True, as_frame=True)
    frame = X.iloc[:, 1:4].assign(kind=np.where(X["alcohol"] > 13, "strong", "light"))
    frame.iloc[3, 0] = np.nan
    return frame, y.to_numpy()


def saved(path: Path, model: str, measure: str = "accuracy") -> Any:
    X, y = mixed()
    made = heldout.select(model, [{}], X, y, procedure="holdout 70:30", measure=measure)
    made.save(path)
    return made.model.predict(X)


@pytest.mark.parametrize(
    ("model", "measure"),
    [("nb", "accuracy"), ("logistic", "accuracy"), ("svm", "log_loss"), ("majority", "accuracy")],
)
def test_a_model_of_nominal_columns_is_read_without_a_word(
    tmp_path: Path, model: str, measure: str
) -> None:
    path = tmp_path / "m.skops"
    predicted = saved(path, model, measure)
    assert skops_io.get_untrusted_types(file=path)
    assert loading_call(path) == f"heldout.load_model({str(path)!r})"
    assert (heldout.load_model(path).predict(mixed()[0]) == predicted).all()


@pytest.mark.parametrize("model", ["tree", "knn", "boosting"])
def test_trees_are_refused_and_the_message_says_how_they_are_read(
    tmp_path: Path, model: str
) -> None:
    path = tmp_path / "m.skops"
    predicted = saved(path, model)
    with pytest.raises(InputError, match="follows unchecked") as caught:
        heldout.load_model(path)
    call = str(caught.value).split("the file: ")[1]
    assert call == loading_call(path)
    read = eval(call, {"heldout": heldout})
    assert (read.predict(mixed()[0]) == predicted).all()


def test_a_name_alone_is_one_type_that_is_trusted(tmp_path: Path) -> None:
    saved(tmp_path / "m.skops", "tree")
    assert heldout.load_model(str(tmp_path / "m.skops"), trusted=TREE) is not None


def test_functions_of_others_are_refused_by_their_name(tmp_path: Path) -> None:
    path = tmp_path / "m.skops"
    save_model(FunctionTransformer(pickle.loads).fit([[1.0]]), path)
    with pytest.raises(InputError, match=r"holds .*loads: which heldout does not know to be safe"):
        heldout.load_model(path)
    with pytest.raises(InputError, match=r"loads"):
        heldout.load_model(path, trusted=[TREE])


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*none.skops: No such file"):
        heldout.load_model(tmp_path / "none.skops")
    (tmp_path / "text.skops").write_text("words")
    with pytest.raises(InputError, match=r"text.skops is not a model saved by heldout"):
        heldout.load_model(tmp_path / "text.skops")
    for content in ("{}", "words"):
        with ZipFile(tmp_path / "other.skops", "w") as file:
            file.writestr("schema.json", content)
        with pytest.raises(InputError, match=r"other.skops is not a model saved by heldout"):
            heldout.load_model(tmp_path / "other.skops")


def test_a_model_of_a_package_that_is_gone_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.skops"
    saved(path, "nb")
    monkeypatch.delattr("heldout.learners.mixed_naive_bayes.MixedNaiveBayes")
    with pytest.raises(InputError, match="versions\\) that are not installed here"):
        heldout.load_model(path)
