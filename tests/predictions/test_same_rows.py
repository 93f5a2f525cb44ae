"""Models are judged on the same rows: one id has one truth, and differing ids are counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import heldout
from heldout.predictions.build import build
from heldout.predictions.roles import Roles
from heldout.predictions.table import Predictions
from tests.predictions.tables import table


def judged(*tables: dict[str, Any], **roles: Any) -> tuple[Predictions, ...]:
    made = [table(f"{name}.csv", **one) for name, one in zip("ab", tables, strict=False)]
    return build(made, Roles(**{"positive": "y", **roles}), models=list("ab")[: len(made)])


def refusal(*tables: dict[str, Any], **roles: Any) -> str:
    with pytest.raises(heldout.InputError) as caught:
        judged(*tables, **roles)
    return str(caught.value)


FIRST: dict[str, Any] = {"id": [1, 2, 3], "truth": ["n", "y", "y"], "pred": ["n", "y", "n"]}


def test_an_id_with_two_truths_in_two_files_names_both() -> None:
    other = {"id": [3, 1, 2], "truth": ["y", "n", "n"], "pred": ["n", "y", "n"]}
    assert refusal(FIRST, other) == (
        "id 2 has two truths: 'y' for model 'a' (line 3 of a.csv) and 'n' for model 'b' (line 4 of "
        "b.csv); one row has one truth, so correct one of them or give different rows different ids"
    )


def test_an_id_with_two_truths_in_one_file_of_two_models_is_refused() -> None:
    both = {
        "model": ["m", "m", "k", "k"],
        "id": ["r1", "r2", "r1", "r2"],
        "truth": ["n", "y", "n", "n"],
        "pred": ["n", "y", "n", "y"],
    }
    assert refusal(both).startswith(
        "id 'r2' has two truths: 'n' for model 'k' (line 5 of a.csv) and 'y' for model 'm' (line 3"
    )


def test_an_id_has_one_truth_over_the_repeats_of_one_model() -> None:
    repeated = {
        "id": [1, 2, 1, 2],
        "repeat": [1, 1, 2, 2],
        "truth": ["n", "y", "y", "y"],
        "pred": ["n", "y", "n", "y"],
    }
    assert refusal(repeated).startswith("id 1 has two truths: ")


def test_targets_that_differ_by_rounding_alone_are_one_truth() -> None:
    first = {"id": [1, 2], "truth": [0.1 + 0.2, 1.5], "pred": [0.5, 1.0]}
    second = {"id": [1, 2], "truth": [0.3, 1.5], "pred": [0.5, 1.0]}
    assert len(judged(first, second, positive=None)) == 2
    third = {"id": [1, 2], "truth": [0.31, 1.5], "pred": [0.5, 1.0]}
    assert "id 1 has two truths: 0.30000000000000004 for model 'a'" in refusal(
        first, third, positive=None
    )


def test_different_ids_are_counted_in_a_note() -> None:
    other = {"id": [3, 4, 5], "truth": ["y", "n", "n"], "pred": ["n", "y", "n"]}
    for one in judged(FIRST, other):
        assert one.notes[-1] == (
            "models 'a' and 'b' are judged on different rows: 2 ids only in 'a', 2 only in 'b', "
            "1 in both"
        )
    same = judged(FIRST, {**FIRST, "pred": ["y", "y", "y"]})
    assert not [note for one in same for note in one.notes if "judged on" in note]


def test_numbers_and_texts_may_name_the_same_rows() -> None:
    texts = {**FIRST, "id": ["1", "2", "3"]}
    assert "judged on different rows" not in str([one.notes for one in judged(FIRST, texts)])


def test_different_numbers_of_rows_without_ids_are_noted() -> None:
    first = {name: values for name, values in FIRST.items() if name != "id"}
    short = {name: values[:2] for name, values in first.items()}
    assert judged(first, short)[0].notes[-1] == (
        "the models have from 2 to 3 rows and no ids, so they are judged on different rows, and "
        "which is not known (--id tells)"
    )


def test_predictions_put_together_in_python_are_compared_too(tmp_path: Path) -> None:
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for path, truth in zip(paths, ("1", "0"), strict=True):
        path.write_text(f"id,truth,pred\n7,{truth},1\n8,0,0\n9,1,1\n")
    (one,), (two,) = (heldout.read_predictions(path) for path in paths)
    with pytest.raises(heldout.InputError, match="id 7 has two truths: 1 "):
        heldout.score((one, two))


def test_rows_in_the_same_order_are_compared_too() -> None:
    other = {**FIRST, "truth": ["n", "y", "n"]}
    assert refusal(FIRST, other).startswith("id 3 has two truths: 'y' for model 'a' (line 4 of a")
