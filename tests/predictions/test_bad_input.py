"""Every bad table is refused with its file, column, first bad row, the number of them, the fix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from heldout.core.errors import InputError
from heldout.predictions.build import build
from heldout.predictions.options import Roles
from heldout.tables.table import RawTable
from tests.predictions.tables import category, column, one, table

NAN, INF = np.nan, np.inf
BITS: dict[str, Any] = {"y": [0, 1, 1], "pred": [0, 1, 0]}
SCORES: dict[str, Any] = {"y": [0, 1, 1], "p": [0.1, 0.9, 0.4]}
TEXTS: dict[str, Any] = {"y": ["a", "b", "b"], "pred": ["a", "b", "a"]}
NUMBERS: dict[str, Any] = {"y": [0.5, 1.0, 1.5], "pred": [0.5, 1.0, 2.0]}

CASES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (
        {"y": [0, None, None], "pred": [0, 1, 1]},
        {},
        "column 'y': no value in 2 rows (first: line 3 of a.csv); fill in the truth of these rows "
        "or remove them",
    ),
    (
        {"y": [0.0, 1.0, NAN], "pred": [0, 1, 1]},
        {},
        "column 'y': NaN in 1 row (first: line 4 of a.csv); fill in the truth of these rows or "
        "remove them",
    ),
    (
        {"y": ["a", "b", "a"], "pred": ["a", None, "b"]},
        {},
        "column 'pred': no value in 1 row (first: line 3 of a.csv); fill in the prediction of "
        "these rows or remove them",
    ),
    (
        {"y": [0, 1, 1], "p": [0.1, NAN, -INF]},
        {},
        "column 'p': NaN in 1 row (first: line 3 of a.csv); the score must be a number in every "
        "row (inf and -inf are above and below all)",
    ),
    (
        {"y": [0, 1, 1], "p": [0.1, None, 0.3]},
        {},
        "column 'p': no value in 1 row (first: line 3 of a.csv); the score must be a number in "
        "every row",
    ),
    (
        {"y": [0, 1, 1], "p": ["0.1", "high", "low"]},
        {"score": "p"},
        "column 'p': no number ('high') in 2 rows (first: line 3 of a.csv); the score must be a "
        "number in every row",
    ),
    (
        {"y": ["a", "b", "c"], "p_a": [1, 0, 0], "p_b": [0, 1, 0], "p_c": [0.0, NAN, 1.0]},
        {},
        "column 'p_c': NaN in 1 row (first: line 3 of a.csv); the score must be a number in every "
        "row (inf and -inf are above and below all)",
    ),
    (
        BITS | {"sample_weight": [1, -1, -2]},
        {},
        "column 'sample_weight': negative in 2 rows (first: line 3 of a.csv); "
        "a weight must be 0 or more",
    ),
    (
        BITS | {"sample_weight": [1, 2, NAN]},
        {},
        "column 'sample_weight': NaN or infinite in 1 row (first: line 4 of a.csv); "
        "the weight must be finite in every row",
    ),
    (
        BITS | {"sample_weight": [0, 0, 0]},
        {},
        "column 'sample_weight': all 3 rows of a.csv have weight 0; "
        "at least one needs a weight above 0",
    ),
    (
        BITS | {"id": ["x", "y", "x"]},
        {},
        "column 'id': id 'x' comes twice (line 2 of a.csv and line 4 of a.csv; 1 row too many); "
        "remove the copies or say --repeat, or say --group id if rows of one id are different "
        "cases",
    ),
    (
        BITS | {"id": [5, 5, 5], "repeat": [1, 2, 2]},
        {},
        "column 'id': id 5 of repeat 2 comes twice (line 3 of a.csv and line 4 of a.csv; 1 row too "
        "many); remove the copies, or say --group id if rows of one id are different cases",
    ),
    (
        BITS | {"fold": [1, 2, None]},
        {},
        "column 'fold': no value in 1 row (first: line 4 of a.csv); fill in the fold of these rows "
        "or remove them",
    ),
    (
        BITS | {"patient": ["n", None, "m"]},
        {"group": "patient"},
        "column 'patient': no value in 1 row (first: line 3 of a.csv); fill in the group of these "
        "rows or remove them",
    ),
    (
        BITS | {"model": ["n", None, "m"]},
        {},
        "column 'model': no value in 1 row (first: line 3 of a.csv); fill in the model of these "
        "rows or remove them",
    ),
    (
        BITS | {"id": [1, None, 2]},
        {},
        "column 'id': no value in 1 row (first: line 3 of a.csv); fill in the id of these rows or "
        "remove them",
    ),
    (
        TEXTS | {"p_a": [1, 0, 0]},
        {"score_prefix": "p_", "positive": "a"},
        "a.csv: no probability column for class 'b' (found column 'p_a'); a score of the positive "
        "class alone goes to --score",
    ),
    (
        {"y": [1, 2, 1], "p_1": [1, 0, 0], "p_2": [0, 1, 1], "p_x": [0, 0, 0]},
        {"score_prefix": "p_", "positive": "1"},
        "a.csv: column 'p_x' is a probability of class 'x', which is none of the labels (1, 2); "
        "name the probability columns in another way or the class in --labels",
    ),
    (
        TEXTS | {"p_a": [0.1, 0.2, 0.3], "p_b": [0.9, 0.8, 0.7], "p_value": [0.5, 0.5, 0.5]},
        {"positive": "a"},
        "a.csv: columns 'p_a', 'p_b' fit the classes and column 'p_value' not; say which are "
        "probabilities, with --labels or --score-prefix p_",
    ),
    (
        {"y": ["a", "b", "c"], "s": [0.1, 0.2, 0.3]},
        {"score": "s"},
        "column 's' is one score, but there are 3 classes ('a', 'b', 'c'); give a probability "
        "column for each, with --score-prefix",
    ),
    (
        SCORES | {"pred": [0, 1, 1]},
        {"predicted": "pred", "threshold": 0.3},
        "--threshold 0.3 makes labels from scores, and column 'pred' already gives labels; leave "
        "one of them out",
    ),
    (SCORES, {"threshold": NAN}, "--threshold nan: must be a finite number"),
    (
        NUMBERS | {"pred": [0.5, INF, NAN]},
        {"task": "regression"},
        "column 'pred': NaN in 1 row (first: line 4 of a.csv); fill in the prediction of these "
        "rows or remove them",
    ),
    (
        NUMBERS | {"y": [0.5, INF, 1.0]},
        {},
        "column 'y': NaN or infinite in 1 row (first: line 3 of a.csv); the truth must be finite "
        "in every row",
    ),
    (
        NUMBERS | {"pred": ["1", "2", "b"]},
        {},
        "column 'pred': no number ('b') in 1 row (first: line 4 of a.csv); the prediction must be "
        "a number in every row",
    ),
    (
        NUMBERS,
        {"positive": 1},
        "--positive is for classification, and the task is regression; leave it out or say --task "
        "classification",
    ),
    (
        NUMBERS,
        {"normalise": True},
        "--normalise is for classification, and the task is regression; leave it out or say "
        "--task classification",
    ),
    (
        {"y": [0.5, 1.0, 1.5], "p": [1, 2, 3]},
        {},
        "a.csv: no column of predictions to compare with column 'y'; say --predicted",
    ),
    (
        BITS | {"last": [1, 2, 3]},
        {"naive": "last"},
        "--naive is for regression, and the task is classification; leave it out or say --task "
        "regression",
    ),
    (BITS, {"task": "ranking"}, "--task ranking: the task is classification or regression"),
    (
        {"y": ["x", "x", "x"], "p": [0.1, 0.2, 0.3]},
        {},
        "column 'y' of a.csv has one class only, 'x', and scores are of two; name both with "
        "--labels",
    ),
]


@pytest.mark.parametrize(("columns", "roles", "message"), CASES, ids=lambda value: str(value)[:40])
def test_bad_input_is_refused(columns: dict[str, Any], roles: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        one(table(**columns), **roles)
    assert str(caught.value) == message


def test_a_table_without_rows_is_refused() -> None:
    empty = RawTable({"y": column("y", np.zeros(0))}, "a.csv", 0)
    with pytest.raises(InputError) as caught:
        one(empty)
    assert str(caught.value) == "a.csv has no rows; give at least one prediction"


def test_rows_keep_their_names_after_rows_of_weight_zero() -> None:
    made = table(y=[0, 1, 1], p=[0.5, 0.2, NAN], sample_weight=[1, 0, 1])
    with pytest.raises(InputError, match=r"in 1 row \(first: line 4 of a\.csv\)"):
        one(made)


def test_rows_are_named_by_the_file_that_brought_them() -> None:
    columns = {name: column(name, values) for name, values in SCORES.items()}
    columns["p"] = column("p", [0.1, 0.9, NAN])
    made = RawTable(columns, "*.csv", 3, 2, "line", (("a.csv", 2), ("b.csv", 1)))
    with pytest.raises(InputError, match=r"first: line 2 of b\.csv"):
        one(made)


def test_bad_scores_are_counted_over_all_models() -> None:
    made = table(y=[0, 1, 0, 1], p=[NAN, 0.1, NAN, 0.2], model=["b", "b", "a", "a"])
    with pytest.raises(InputError, match=r"in 2 rows \(first: line 2 of a\.csv\)"):
        build([made], Roles())


def test_one_duplicate_id_for_each_model_is_fine() -> None:
    made = table(y=[0, 1, 0], pred=[0, 1, 1], id=[1, 2, 1], model=["m", "m", "n"])
    assert len(build([made], Roles())) == 2


def test_files_of_different_tasks_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        build([table("a.csv", **BITS), table("b.csv", **NUMBERS)], Roles())
    assert str(caught.value) == (
        "a.csv looks like classification and b.csv like regression; say --task"
    )


def test_bad_levels_that_no_row_has_are_no_matter() -> None:
    score = category("p", ["0.5", "0.25", "0.5"], ["0.25", "none", "0.5"])
    predictions = one(table(y=[0, 1, 1], p=score), score="p")
    assert predictions.scores is not None
    assert predictions.scores.tolist() == [0.5, 0.25, 0.5]
