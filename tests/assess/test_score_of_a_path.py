"""``heldout.score`` of a path: the table is read as the command reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import heldout
from heldout.core.errors import InputError

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
    read = heldout.read_predictions(path, positive="spam", weight="w", group="patient", by="site")
    named: dict[str, Any] = {"sample_weight": "w", "groups": "patient", "slices": "site"}
    for source in (path, str(path)):
        made = heldout.score(source, pos_label="spam", **named)
        assert_frame_equal(made.table.to_pandas(), heldout.score(read).table.to_pandas())
        assert made["recall"].value == (1 + 5) / (1 + 3 + 5)


def test_what_is_missing_is_asked_for_by_an_argument_that_score_takes(path: Path) -> None:
    with pytest.raises(InputError, match="pos_label='ham' or pos_label='spam'"):
        heldout.score(path)
    with pytest.raises(InputError, match=r"'patent' \(groups=\); did you mean patient"):
        heldout.score(path, pos_label="spam", groups="patent")


def test_rows_are_not_given_beside_a_table(path: Path) -> None:
    for name in ("y_pred", "groups"):
        wrong: dict[str, Any] = {name: TABLE["predicted"]}
        with pytest.raises(InputError, match=rf"{name}=.*: give the name of a column"):
            heldout.score(path, **wrong)
    odd = path.with_name("odd.csv")
    odd.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"say which it is with y_true= \(columns: 'a', 'b'\)"):
        heldout.score(odd)


def odd_names() -> pd.DataFrame:
    return pd.DataFrame({"denied": ["yes", "no", "yes", "no"], "risk": [0.9, 0.2, 0.4, 0.1]})


@pytest.mark.parametrize("kind", ["frame", "file", "mapping"])
@pytest.mark.parametrize(
    "roles",
    [
        {"truth": "denied", "score": "risk", "positive": "yes"},
        {"y_true": "denied", "y_score": "risk", "pos_label": "yes"},
    ],
    ids=["roles", "arguments"],
)
def test_a_table_is_scored_by_the_names_of_its_columns(
    kind: str, roles: dict[str, Any], tmp_path: Path
) -> None:
    table: Any = odd_names()
    if kind == "file":
        table = tmp_path / "odd.csv"
        odd_names().to_csv(table, index=False)
    elif kind == "mapping":
        table = {name: list(column) for name, column in odd_names().items()}
    assert heldout.score(table, **roles)["recall"].value == 0.5
    in_python = {name: value for name, value in roles.items() if name != "positive"}
    assert heldout.audit(predictions=table, **{"pos_label": "yes", **in_python}).checked
    two = heldout.compare(table, odd_names(), **roles, measures="recall")
    assert two["recall"].value == 0
    assert heldout.read_predictions(table, **roles)[0].positive == 1


def test_what_is_left_over_is_named_with_the_right_call() -> None:
    table = odd_names()
    with pytest.raises(InputError, match=r"trut= is not a role of a column; did you mean truth"):
        heldout.score(table, trut="denied")
    call = r"score= names a column of a table, and no table is given: heldout.score\(table, score="
    with pytest.raises(InputError, match=rf"{call}.*; rows go to y_score="):
        heldout.score([0, 1], score=[0.2, 0.9])
    with pytest.raises(InputError, match="y_true= is given twice"):
        heldout.score([0, 1], y_true=[0, 1], y_pred=[0, 1])
    with pytest.raises(InputError, match="truth= names a column of a table, and predictions= is"):
        heldout.audit(data="iris", truth="denied")


def test_a_frame_of_one_column_is_the_truth_of_rows() -> None:
    table = odd_names()
    made = heldout.score(table[["denied"]], y_score=table["risk"], pos_label="yes")
    assert made["auc"].value == 1.0


def test_names_of_score_are_names_of_read_predictions_and_compare_too(path: Path) -> None:
    usual = heldout.read_predictions(path, positive="spam", weight="w", group="patient")
    other = heldout.read_predictions(path, pos_label="spam", sample_weight="w", groups="patient")
    tables = [heldout.score(predictions).table.to_pandas() for predictions in (usual, other)]
    assert_frame_equal(*tables)
    two = heldout.compare({"a": path, "b": path}, pos_label="spam", measures="recall")
    assert two.models == ("a", "b")


@pytest.mark.parametrize(
    ("name", "other"), [("positive", "pos_label"), ("weight", "sample_weight"), ("group", "groups")]
)
def test_one_thing_given_by_both_of_its_names_is_refused(name: str, other: str, path: Path) -> None:
    both: dict[str, Any] = {name: "w", other: "w"}
    with pytest.raises(InputError, match=f"{name}= and {other}= are two names of one thing"):
        heldout.read_predictions(path, **both)
