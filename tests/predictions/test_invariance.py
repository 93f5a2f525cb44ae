"""Laws: the order of rows and columns says nothing, and neither do the names of the classes."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from heldout.predictions.build import build
from heldout.predictions.roles import Roles
from heldout.predictions.table import Predictions
from heldout.tables.table import RawTable
from tests.predictions.tables import labels, one, table

NAMES = st.lists(st.text("abcxyz0189.-é ", min_size=1, max_size=4), min_size=3, max_size=5)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[Any]]:
    """Three or more classes with probabilities, a design, weights, several models."""
    names = [f"c{name}" for name in draw(NAMES.filter(lambda names: len(set(names)) == len(names)))]
    rows = draw(st.integers(1, 12))
    pick = st.lists(st.sampled_from(names), min_size=rows, max_size=rows)
    shares = draw(
        st.lists(
            st.lists(st.integers(1, 9), min_size=len(names), max_size=len(names)),
            min_size=rows,
            max_size=rows,
        )
    )
    few = st.lists(st.integers(1, 3), min_size=rows, max_size=rows)
    columns: dict[str, list[Any]] = {"truth": draw(pick), "predicted": draw(pick)}
    for i, name in enumerate(names):
        columns[f"p_{name}"] = [row[i] / sum(row) for row in shares]
    columns |= {"fold": draw(few), "model": draw(few)}
    columns["sample_weight"] = [float(w) for w in draw(few)]
    columns |= {"id": [f"row {i}" for i in range(rows)], "site": draw(pick)}
    return columns


def rows_of(predictions: Predictions) -> list[tuple[Any, ...]]:
    """Each row with everything it has, in the order of the ids."""
    truth, predicted = labels(predictions)
    fold = predictions.design.fold
    assert predicted is not None
    assert fold is not None
    assert predictions.identifier is not None
    assert predictions.weight is not None
    assert predictions.scores is not None
    site = predictions.slices[0]
    return sorted(
        zip(
            predictions.identifier.tolist(),
            truth,
            predicted,
            [fold.levels[code] for code in fold.codes],
            predictions.weight.tolist(),
            map(tuple, predictions.scores.tolist()),
            [site.levels[code] for code in site.codes],
            strict=True,
        )
    )


def placeless(predictions: Predictions) -> list[str]:
    """The notes without the row they name first, which is a matter of order."""
    return [re.sub(r" \(first: .*\)", "", note) for note in predictions.notes]


def outcome(made: RawTable) -> list[Any]:
    """What a table gives, but for the order of its rows."""
    roles = Roles(by=("site",), score_prefix="p_")
    return [
        (one_.model, one_.classes, one_.task, one_.score_problem, placeless(one_), rows_of(one_))
        for one_ in build([made], roles)
    ]


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_says_nothing(
    columns: dict[str, list[Any]], random: Any
) -> None:
    rows = list(range(len(columns["truth"])))
    random.shuffle(rows)
    names = list(columns)
    random.shuffle(names)
    shuffled = {name: [columns[name][row] for row in rows] for name in names}
    first = {name: columns[name] for name in columns}
    assert outcome(table(**shuffled)) == outcome(table(**first))


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=20),
    st.permutations(["zeta", "Eta", "10", "9x", "éa"]),
)
def test_renaming_the_classes_permutes_their_codes_and_nothing_else(
    pairs: list[tuple[int, int]], names: list[str]
) -> None:
    declared = tuple(names)
    truth, predicted = [list(side) for side in zip(*pairs, strict=True)]
    numbers = one(table(truth=truth, predicted=predicted), labels=(0, 1, 2, 3, 4))
    texts = one(
        table(truth=[names[i] for i in truth], predicted=[names[i] for i in predicted]),
        labels=declared,
    )
    assert numbers.truth.tolist() == texts.truth.tolist() == truth
    assert numbers.predicted is not None
    assert texts.predicted is not None
    assert numbers.predicted.tolist() == texts.predicted.tolist() == predicted
    assert texts.classes == declared


@given(st.lists(st.sampled_from([0, 1]), min_size=2, max_size=30).filter(lambda y: len(set(y)) > 1))
def test_every_way_of_writing_two_classes_gives_the_same_predictions(truth: list[int]) -> None:
    scores = np.linspace(0, 1, len(truth))
    reference = one(table(truth=truth, score=scores))
    for write in (bool, float, str, lambda y: f"{y}.0", lambda y: 2 * y - 1):
        other = one(table(truth=[write(y) for y in truth], score=scores))
        for field in fields(Predictions):
            if field.name in ("truth", "predicted", "scores"):
                assert np.array_equal(getattr(other, field.name), getattr(reference, field.name))
        assert other.positive == reference.positive
