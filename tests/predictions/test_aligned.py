"""Models put on the same rows: by id, by order, or why not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.compare import compare
from heldout.core.errors import InputError
from heldout.predictions.aligned import align


def model(name: str, ids: Any, truth: Any = None, **more: Any) -> Any:
    numbers = np.arange(len(ids))
    labels = numbers % 2 if truth is None else truth
    return heldout.from_arrays(labels, labels, pos_label=1, model=name, ids=ids, **more)


def test_rows_are_matched_by_id_in_the_order_of_the_ids() -> None:
    order = np.random.default_rng(1).permutation(20)
    names = np.array([f"r{i:02d}" for i in range(20)])
    first = model("a", names)
    second = model("b", names[order], (np.arange(20) % 2)[order])
    made = align([first, second])
    assert made.is_paired
    np.testing.assert_array_equal(made.predictions[1].identifier, names)
    np.testing.assert_array_equal(made.predictions[1].truth, first.truth)
    turned = align([second, first])
    np.testing.assert_array_equal(turned.predictions[0].identifier, names)


def test_numbers_and_texts_name_the_same_rows() -> None:
    made = align([model("a", np.arange(20)), model("b", [str(i) for i in range(20)])])
    assert made.is_paired


@pytest.mark.parametrize("kind", [int, str])
def test_first_ten_ids_that_do_not_match_are_named(kind: Any) -> None:
    first = model("a", [kind(i + 100) for i in range(40)])
    second = model("b", [kind(i + 115) for i in range(40)], np.arange(15, 55) % 2)
    with pytest.raises(InputError) as caught:
        align([first, second])
    said = str(caught.value)
    assert "15 ids of 'a' are not in 'b': 100, 101, 102" in said
    assert "109" in said
    assert "110" not in said
    assert "15 ids of 'b' are not in 'a': 140" in said


def test_another_truth_of_the_same_id_is_named() -> None:
    truth = np.arange(20) % 2
    with pytest.raises(InputError, match=r"2 ids have another truth in model 'b'.*first: 3, 5"):
        align([model("a", np.arange(20)), model("b", np.arange(20), _turned(truth, [3, 5]))])


def _turned(truth: Any, rows: list[int]) -> Any:
    made = truth.copy()
    made[rows] = 1 - made[rows]
    return made


def test_some_with_ids_and_some_without_are_refused() -> None:
    plain = heldout.from_arrays(np.arange(20) % 2, np.arange(20) % 2, pos_label=1, model="b")
    with pytest.raises(InputError, match="'b' has no id"):
        align([model("a", np.arange(20)), plain])


def test_unpaired_models_need_not_match() -> None:
    first = model("a", np.arange(40))
    second = model("b", np.arange(100, 150), np.arange(50) % 2)
    made = compare(first, second, measures="accuracy", unpaired=True)
    assert made.design.kind == "different test sets"
    assert "DIFFERENT rows" in made.explanation


def test_unpaired_repeats_are_refused() -> None:
    twice = [
        heldout.from_arrays(
            np.arange(40) % 2, np.arange(40) % 2, pos_label=1, model=m, repeats=np.arange(40) // 20
        )
        for m in "ab"
    ]
    with pytest.raises(InputError, match="several repeats"):
        compare(*twice, measures="accuracy", unpaired=True)


def test_other_weights_or_groups_of_the_same_rows_are_refused() -> None:
    ids = np.arange(20)
    weights = [np.full(20, 1.0), np.full(20, 2.0)]
    with pytest.raises(InputError, match="other weights"):
        align([model(m, ids, sample_weight=w) for m, w in zip("ab", weights, strict=True)])
    with pytest.raises(InputError, match="'b' has no groups"):
        align([model("a", ids, groups=ids // 2), model("b", ids)])


def test_one_model_and_other_things_are_refused() -> None:
    with pytest.raises(InputError, match="at least two models"):
        compare(model("a", np.arange(20)))
    with pytest.raises(InputError, match="int cannot be compared"):
        compare(1, 2)
    with pytest.raises(InputError, match="score= is for files and tables"):
        compare(model("a", np.arange(20)), model("b", np.arange(20)), score="p")


def table(rows: int = 80) -> dict[str, Any]:
    """Two models in one table, with slices: the second is useless in the north."""
    rng = np.random.default_rng(1)
    truth = np.tile(np.arange(rows) % 2, 2)
    north = np.tile(np.arange(rows) // 2 % 2 == 0, 2)
    second = np.repeat([False, True], rows)
    right = rng.random(2 * rows) < np.where(second & north, 0.4, 0.95)
    return {
        "y": truth,
        "label": np.where(right, truth, 1 - truth),
        "model": np.where(second, "b", "a"),
        "row": np.tile(np.arange(rows), 2),
        "region": np.where(north, "north", "south"),
    }


ROLES: dict[str, Any] = {"truth": "y", "predicted": "label", "id": "row", "positive": 1}


def test_tables_are_compared_as_they_are() -> None:
    here = compare(table(), measures="accuracy", **ROLES)
    there = compare(heldout.read_predictions(table(), **ROLES), measures="accuracy")
    assert here["accuracy"].p_value == there["accuracy"].p_value


def test_slices_are_compared_and_corrected_together() -> None:
    made = compare(table(), measures="accuracy", by="region", **ROLES)
    north, south = made.slices
    assert north.slice == "region=north"
    assert north.n + south.n == made["accuracy"].n == 80
    assert "region=north: accuracy: a is better than b" in made.verdict
    assert "region=south: accuracy" not in made.verdict
    alone = [d.test.p_value for d in (*made.differences, *made.slices)]
    assert max(north.p_value / north.test.p_value, 1) <= 3
    assert min(d.p_value for d in (*made.differences, *made.slices)) == pytest.approx(
        3 * min(alone)
    )
    assert [row["slice"] for row in made.table] == ["", "region=north", "region=south"]


def test_evaluations_and_scorecards_are_compared() -> None:
    made = heldout.evaluate(["nb", "lda"], data="iris", procedure="4-fold")
    by_evaluation = heldout.compare(made, measures="accuracy")
    by_card = heldout.compare(made.scorecard, measures="accuracy")
    assert by_evaluation.design.kind == "k-fold"
    assert by_evaluation["accuracy"].p_value == by_card["accuracy"].p_value
    assert isinstance(by_evaluation, heldout.Comparison)
    assert len(by_evaluation.table) == 1


def test_folds_of_one_model_alone_are_refused_with_what_to_do() -> None:
    ids = np.arange(20)
    words = r"'b' has no fold, 'a' has: give both their folds \(folds=\), or .* \(folds='none'\)"
    with pytest.raises(InputError, match=words):
        align([model("a", ids, folds=ids % 4), model("b", ids)])
