"""The order of the classes is said where a measure depends on it, and only there."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.report.names import is_ordered, order_note, order_text
from heldout.report.scorecard import scorecard_document
from heldout.report.terminal import terminal_text

CLASSES = ("hi", "lo", "mid")


def card(labels: tuple[str, ...]) -> heldout.Scorecard:
    rng = np.random.default_rng(3)
    truth = rng.choice(CLASSES, 90)
    chances = rng.dirichlet([1.0, 1.0, 1.0], 90)
    placed = chances[:, [CLASSES.index(label) for label in labels]]
    return heldout.score(truth, y_score=placed, labels=labels, intervals=False)


def test_order_changes_the_measures_that_are_known_to_be_ordered_and_no_other() -> None:
    one, other = (card(labels).results(everything=True) for labels in (CLASSES, CLASSES[::-1]))
    third = card(("lo", "hi", "mid")).results(everything=True)
    values = [{(r.measure, r.class_): r.value for r in made} for made in (one, other, third)]
    changed = {
        name
        for name, class_ in values[0]
        if not np.allclose(
            [v[name, class_] for v in values], values[0][name, class_], equal_nan=True
        )
    }
    assert changed == {"linear_kappa", "quadratic_kappa", "ranked_probability_score"}
    assert {r.measure for r in one if is_ordered(r.measure)} == changed


def test_head_of_the_tables_gives_the_order_where_an_ordered_measure_is_shown() -> None:
    made = card(("lo", "mid", "hi"))
    ordered, plain = (
        terminal_text(scorecard_document(made, made.results([name])), width=100)
        for name in ("rps", "accuracy")
    )
    assert "ordered measures use lo < mid < hi" in ordered
    assert "ordered" not in plain


@pytest.mark.parametrize(
    ("classes", "measures"),
    [
        (("a", "b"), ("rps",)),
        ((1, 2, 10), ("rps",)),
        (("lo", "mid", "hi"), ("rps",)),
        (CLASSES, ("accuracy", "cohen_kappa", "cohen_kappa[weights=none]")),
    ],
)
def test_nothing_is_said_of_two_classes_numbers_a_stated_order_or_unordered_measures(
    classes: tuple[str | int, ...], measures: tuple[str, ...]
) -> None:
    assert not order_note(classes, measures)


def test_note_names_the_order_and_the_measures() -> None:
    said = order_note(CLASSES, ("accuracy", "rps", "cohen_kappa[weights=linear]"))
    assert said == (
        "order of the classes: hi < lo < mid (alphabetical; --labels sets another); "
        "rps, cohen_kappa[weights=linear] use this order"
    )


def test_many_classes_are_cut_in_their_midst() -> None:
    assert order_text([f"c{i:02}" for i in range(20)]).endswith("c05 < ... < c19")
