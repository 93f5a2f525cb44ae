"""A law of all intervals and tests: the unit of weights and the names of groups change nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.measures.spec import parse_request
from tests.laws.test_row_order import (
    GROUP,
    OTHER,
    ROWS,
    SLICE,
    WEIGHT,
    N,
    assert_same,
    card_of,
    told,
)

#: the same groups, of which another comes first by its name
RENAMED = np.array([f"g{int(name[1:]) * 5 % 14:02}" for name in GROUP])
#: whole numbers, which are no counts of rows for all that
WHOLE = np.round(4 * WEIGHT)
EVERYTHING = np.arange(N)
WEIGHTED = {
    name: {**ROWS[name], "sample_weight": WHOLE}
    for name in ("two classes", "groups", "folds", "several", "several, groups", "labels")
} | {
    name: {**ROWS[name], "sample_weight": WHOLE}
    for name in ("numbers", "numbers, groups", "repeats")
}
GROUPED = {name: given for name, given in ROWS.items() if "groups" in given}


def results_of(given: dict[str, Any], **options: Any) -> list[tuple[Any, ...]]:
    results = card_of(given, EVERYTHING, **options).results(everything=True)
    return told(r for r in results if not parse_request(r.measure).measure.weight_scale)


@pytest.mark.parametrize("unit", [2.0, 1000.0, 0.5, 1 / 3])
@pytest.mark.parametrize("name", list(WEIGHTED))
def test_weights_in_another_unit_have_the_same_results(name: str, unit: float) -> None:
    given = WEIGHTED[name]
    made = [results_of({**given, "sample_weight": WHOLE * factor}) for factor in (1.0, unit)]
    assert_same(*made)


@pytest.mark.parametrize("interval", ["", "bca", "percentile"])
@pytest.mark.parametrize("name", list(GROUPED))
def test_groups_of_other_names_have_the_same_results(name: str, interval: str) -> None:
    given = GROUPED[name]
    made = [
        results_of({**given, "groups": names}, interval=interval, sliced=name == "groups")
        for names in (GROUP, RENAMED)
    ]
    assert_same(*made)


def changes() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Two ways to give the same rows, in groups and weighted."""
    two = ROWS["groups and weights"]
    return [
        ({**two, "sample_weight": WHOLE}, {**two, "sample_weight": WHOLE / 4}),
        (two, {**two, "groups": RENAMED}),
    ]


@pytest.mark.parametrize("given", changes(), ids=["unit", "names"])
def test_decisions_are_the_same(given: tuple[dict[str, Any], dict[str, Any]]) -> None:
    made = []
    for way in given:
        card = card_of(way, EVERYTHING, cost=[[0, 1], [3, 0]])
        tables = (
            card.thresholds("youden", "f_score", "cost"),
            card.at_prevalence(0.1),
            card.expected_profit(),
        )
        made.append(
            [
                [value for name, value in record.items() if name != "cost"]
                for records in tables
                for record in records
            ]
        )
    assert_same(*made)


@pytest.mark.parametrize("given", changes(), ids=["unit", "names"])
@pytest.mark.parametrize("curve", ["roc", "pr"])
def test_bands_are_the_same(given: tuple[dict[str, Any], dict[str, Any]], curve: str) -> None:
    made = []
    for way in given:
        band = card_of(way, EVERYTHING).curve(curve, band="pointwise").band
        made.append([band.low.tolist(), band.high.tolist()])
    assert_same(*made)


@pytest.mark.parametrize("given", changes(), ids=["unit", "names"])
def test_slices_differ_as_much(given: tuple[dict[str, Any], dict[str, Any]]) -> None:
    made = []
    for way in given:
        card = heldout.score(**way, pos_label=1, slices={"part": SLICE}, replicates=60)
        table = card.slices("auc", "f_score", "log_loss", "accuracy")
        made.append([list(line.values()) for line in table])
    assert_same(*made)


@pytest.mark.parametrize("given", changes(), ids=["unit", "names"])
@pytest.mark.parametrize(
    "options", [{}, {"rope": 0.01}, {"unpaired": True, "force": True}], ids=str
)
def test_comparisons_are_the_same(
    given: tuple[dict[str, Any], dict[str, Any]], options: dict[str, Any]
) -> None:
    measures = ["accuracy", "f_score", "auc", "average_precision", "log_loss"]
    made = []
    for way in given:
        two = [
            heldout.from_arrays(**{**way, "y_score": score}, pos_label=1, model=model)
            for model, score in (("one", way["y_score"]), ("two", OTHER))
        ]
        compared = heldout.compare(
            *two, measures=measures, replicates=100, permutations=100, **options
        )
        made.append([list(r.values()) for r in compared.table.to_pandas().to_dict("records")])
    assert_same(*made)
