"""Two classes of which none is called positive: what decides must not depend on which it is."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.measures.registry import measures
from heldout.selection.criterion import criterion_for, needs_positive
from heldout.selection.scoring import scored
from heldout.selection.search import Search

RANDOM = np.random.default_rng(4)
X = RANDOM.normal(size=(70, 2))
Y = np.where(X[:, 0] + RANDOM.normal(size=70) > 0.5, "b", "a")
NAMES = [
    one.name
    for one in measures()
    if "binary" in one.tasks and one.direction != "none" and not needs_positive(one.name)
    # counts, tests and sums over rows decide nothing
    if not (one.is_count or one.is_test or one.is_sum)
]


@cache
def search() -> Search:
    return heldout.select("lda", [{}], X, Y, procedure="3-fold").search


@pytest.mark.parametrize("name", NAMES)
def test_measures_without_a_positive_class_are_the_same_for_either(name: str) -> None:
    made = search()
    first, second = (
        scored(
            criterion_for(name, "binary"),
            "lda",
            made.scores[0].outcome,
            replace(made.dataset, positive=positive),
            made.splits,
        )
        for positive in (0, 1)
    )
    np.testing.assert_allclose(first.values, second.values, rtol=1e-12)


def test_what_is_shown_beside_calls_no_class_positive_either() -> None:
    made = heldout.select("lda", [{}], X, Y, nested="2x2-fold")
    assert made.nested is not None
    beside = made.nested.evaluation
    with pytest.raises(InputError, match="which class is positive: say 'a' or 'b'"):
        beside["recall"]
    assert beside.with_positive("b")["recall"].value == beside["recall", "b"].value
    (note,) = (one for one in made.notes if "no positive class was named" in one)
    aside = "(those of selection.nested.evaluation that depend on it are not given without"
    assert note.endswith(f"{aside} pos_label=)")
    assert note in beside.notes


def test_a_class_that_is_called_positive_is_not_spoken_of() -> None:
    made = heldout.select("lda", [{}], X, Y, procedure="3-fold", pos_label="a")
    assert not any("no positive class was named" in one for one in made.notes)
