"""``karat.score`` of a path: the table is read as the command reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import karat
from karat.core.errors import InputError

TABLE = {
    "label": ["spam", "ham", "spam", "ham", "spam", "ham"],
    "predicted": ["spam", "ham", "ham", "ham", "spam", "spam"],
    "patient": ["a", "a", "b", "b", "c", "c"],
    "site": ["x", "y", "x", "y", "x", "x"],
    "w": [1, 2, 3, 4, 5, 6],
}


@pytest.fixture(name="path")
def table_on_disk(tmp_path: Path) -> Path:
    path = tmp_path / "out_of_fold.csv"
    pd.DataFrame(TABLE).to_csv(path, index=False)
    return path


def test_path_gives_what_its_read_predictions_give(path: Path) -> None:
    read = karat.read_predictions(path, positive="spam", weight="w", group="patient", by="site")
    named: dict[str, Any] = {"sample_weight": "w", "groups": "patient", "slices": "site"}
    for source in (path, str(path)):
        made = karat.score(source, pos_label="spam", **named)
        assert list(made.table) == list(karat.score(read).table)
        assert made["recall"].value == (1 + 5) / (1 + 3 + 5)


def test_what_is_missing_is_asked_for_by_an_argument_that_score_takes(path: Path) -> None:
    with pytest.raises(InputError, match="pos_label='ham' or pos_label='spam'"):
        karat.score(path)
    with pytest.raises(InputError, match=r"'patent' \(groups=\); did you mean patient"):
        karat.score(path, pos_label="spam", groups="patent")


def test_columns_of_truth_and_predictions_are_named_to_read_predictions(path: Path) -> None:
    with pytest.raises(InputError, match=r"y_pred= goes with rows: .*read_predictions\(path, tru"):
        karat.score(path, y_pred=TABLE["predicted"])
    with pytest.raises(InputError, match=r"groups=.*: give the name of a column of the table"):
        karat.score(path, groups=TABLE["patient"])
    odd = path.with_name("odd.csv")
    odd.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"with truth= .*\n\(karat.read_predictions takes that"):
        karat.score(odd)


def test_names_of_score_are_names_of_read_predictions_and_compare_too(path: Path) -> None:
    usual = karat.read_predictions(path, positive="spam", weight="w", group="patient")
    other = karat.read_predictions(path, pos_label="spam", sample_weight="w", groups="patient")
    assert list(karat.score(usual).table) == list(karat.score(other).table)
    two = karat.compare({"a": path, "b": path}, pos_label="spam", measures="recall")
    assert two.models == ("a", "b")


@pytest.mark.parametrize(
    ("name", "other"), [("positive", "pos_label"), ("weight", "sample_weight"), ("group", "groups")]
)
def test_one_thing_given_by_both_of_its_names_is_refused(name: str, other: str, path: Path) -> None:
    both: dict[str, Any] = {name: "w", other: "w"}
    with pytest.raises(InputError, match=f"{name}= and {other}= are two names of one thing"):
        karat.read_predictions(path, **both)
