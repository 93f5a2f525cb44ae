"""Means of averages over classes say where folds lack some, and are then of no interval."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.parts import classes_of_parts
from heldout.core.notes import Kind, Note


def rare(folds: int, *, repeats: int = 3) -> dict[str, Any]:
    """Two classes that every fold has, one of two rows and one of a single row."""
    rng = np.random.default_rng(0)
    once = np.array(["a", "b"] * 12 + ["c", "c", "d"])
    place = [rng.permutation(len(once)) % folds for _ in range(repeats)]
    for number, one in enumerate(place):
        one[-3:-1] = (0, 1) if number < 2 else 0  # c in both folds, or in one
        one[-1] = 0
    truth = np.tile(once, repeats)
    predicted = np.where(rng.random(len(truth)) < 0.7, truth, "a")
    return {
        "y_true": truth,
        "y_pred": predicted,
        "folds": np.concatenate(place),
        "repeats": np.repeat(np.arange(repeats), len(once)),
    }


def scored(given: dict[str, Any]) -> dict[str, Any]:
    """The same with probabilities instead of labels."""
    rng = np.random.default_rng(4)
    right = np.array(["a", "b", "c", "d"]) == given["y_true"][:, None]
    scores = rng.random(right.shape) + 0.5 * right
    rest = {name: values for name, values in given.items() if name != "y_pred"}
    return rest | {"y_score": scores / scores.sum(axis=1, keepdims=True)}


@pytest.mark.parametrize("measure", ["balanced_accuracy", "recall_macro"])
def test_mean_of_folds_that_lack_different_classes_says_so(measure: str) -> None:
    card = heldout.score(**rare(2))
    mean = card[measure, "mean of folds"]
    assert mean.low is None
    assert (
        "in 3 of 6 folds 1 to 2 of 4 classes left out because they have no row there" in mean.note
    )
    assert mean.note.count("left out") == 1
    assert "left out" not in card[measure].note


def test_folds_that_lack_as_many_but_other_classes_are_of_different_ones() -> None:
    folds = np.tile(np.arange(40) % 2, 3)
    once = np.array(["a", "a", "b", "b"] * 9 + ["a", "b", "c", "d"])
    truth = np.tile(once, 3)
    predicted = np.where(np.random.default_rng(0).random(len(truth)) < 0.7, truth, "a")
    repeats = np.repeat(np.arange(3), 40)
    card = heldout.score(y_true=truth, y_pred=predicted, folds=folds, repeats=repeats)
    mean = card["balanced_accuracy", "mean of folds"]
    assert "in 6 of 6 folds 1 of 4 classes left out" in mean.note
    assert mean.low is None


def test_areas_of_folds_that_lack_different_classes_have_no_interval() -> None:
    given = scored(rare(2))
    mean = heldout.score(**given)["auc_macro", "mean of folds"]
    assert mean.low is None
    assert "the folds' values cover different classes" in mean.note
    kept = np.isin(given["y_true"], ["a", "b"])
    there = {name: values[kept] for name, values in given.items()}
    made = heldout.score(**there, labels=["a", "b", "c", "d"])["hand_till", "mean of folds"]
    assert made.low is not None


def test_a_class_that_all_parts_lack_does_not_part_them() -> None:
    given = rare(2)
    kept = np.isin(given["y_true"], ["a", "b"])
    there = {name: values[kept] for name, values in given.items()}
    mean = heldout.score(**there, labels=["a", "b", "c"])["balanced_accuracy", "mean of folds"]
    assert "cover different classes" not in mean.note
    assert "in 6 of 6 folds 1 of 3 classes left out" in mean.note


def test_one_run_says_it_too() -> None:
    given = rare(2, repeats=1)
    del given["repeats"]
    note = heldout.score(**given)["balanced_accuracy", "mean of folds"].note
    assert note.startswith("mean of 2 of 2 folds; in 1 of 2 folds 1 of 4 classes left out")


def test_repeated_holdouts_say_in_how_many_classes_are_lacking() -> None:
    given = rare(2)
    del given["folds"]
    kept = (given["y_true"] != "d") | (given["repeats"] != 1)
    card = heldout.score(**{name: values[kept] for name, values in given.items()})
    assert "in 1 of 3 repeats 1 of 4 classes left out" in card["balanced_accuracy"].note


def test_numbers_of_many_classes_are_told() -> None:
    notes = [Note("", Kind.CLASSES_LEFT_OUT, lost, 2_000) for lost in (1_200, 1_000)]
    expected = (
        "in 2 of 2 folds 1,000 to 1,200 of 2,000 classes left out because they have no row there"
    )
    assert str(classes_of_parts(notes, 2, "folds")) == expected


def test_undefined_folds_and_repeats_are_named_as_such() -> None:
    given = rare(2)
    mask = given["y_true"] != "b"
    mask |= given["repeats"] != 1
    given = {name: values[mask] for name, values in given.items()}
    given["y_true"] = np.where(given["y_true"] == "b", "b", "a")
    given["y_pred"] = np.where(given["y_pred"] == "b", "b", "a")
    card = heldout.score(**given, pos_label="b")
    assert "undefined in repeat 1" in card["recall"].note
    assert (
        "undefined in fold 0 of repeat 1, fold 1 of repeat 1"
        in card["recall", "mean of folds"].note
    )
