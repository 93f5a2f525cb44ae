"""A law of everything that is drawn: the order in which rows came in changes nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import karat
from karat.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

N = 90
CHANCE = np.random.default_rng(5)
ORDER = CHANCE.permutation(N)
TRUTH = (CHANCE.random(N) < 0.4).astype(int)
#: ties, so that rows are told apart by what else they hold
SCORE = np.round(0.2 + 0.6 * CHANCE.beta(2 + 2 * TRUTH, 4 - 2 * TRUTH), 2)
OTHER = np.round(np.clip(0.8 * SCORE + 0.2 * CHANCE.random(N), 0.01, 0.99), 2)
WEIGHT = np.round(CHANCE.lognormal(0, 0.5, N), 1) + 0.1
GROUP = CHANCE.permutation([f"g{i % 14}" for i in range(N)])
SLICE = CHANCE.permutation([f"s{i % 3}" for i in range(N)])
FOLD = np.arange(N) % 3
KIND = CHANCE.permutation([f"k{i % 3}" for i in range(N)])
TABLE = np.round(CHANCE.dirichlet([1, 1, 1], N) + 0.7 * (KIND[:, None] == ["k0", "k1", "k2"]), 2)
TABLE /= TABLE.sum(axis=1, keepdims=True)
VALUE = np.round(CHANCE.normal(size=N), 1)
GUESS = np.round(VALUE + CHANCE.normal(size=N), 1)
#: of 30 rows, each judged three times
IDS, REPEAT = np.arange(N) % 30, np.arange(N) // 30

TWO = {"y_true": TRUTH, "y_score": SCORE}
SEVERAL = {"y_true": KIND, "y_score": TABLE}
NUMBERS = {"y_true": VALUE, "y_pred": GUESS}
ROWS: dict[str, dict[str, Any]] = {
    "two classes": TWO,
    "weights": {**TWO, "sample_weight": WEIGHT},
    "groups": {**TWO, "groups": GROUP},
    "groups and weights": {**TWO, "groups": GROUP, "sample_weight": WEIGHT},
    "folds": {**TWO, "folds": FOLD},
    "repeats": {**TWO, "repeats": REPEAT, "folds": FOLD},
    "several": SEVERAL,
    "several, weights": {**SEVERAL, "sample_weight": WEIGHT},
    "several, groups": {**SEVERAL, "groups": GROUP},
    "labels": {"y_true": KIND, "y_pred": CHANCE.permutation(KIND)},
    "numbers": NUMBERS,
    "numbers, weights": {**NUMBERS, "sample_weight": WEIGHT},
    "numbers, groups": {**NUMBERS, "groups": GROUP},
}


def ordered(given: Mapping[str, Any], order: Any) -> dict[str, Any]:
    return {name: np.asarray(column)[order] for name, column in given.items()}


def card_of(given: Mapping[str, Any], order: Any, **options: Any) -> Any:
    more = {} if "VALUE" in given else {}
    if set(np.unique(given["y_true"])) <= {0, 1}:
        more = {"pos_label": 1}
    slices = {"slices": {"part": SLICE[order]}} if options.pop("sliced", False) else {}
    return karat.score(**ordered(given, order), replicates=60, **more, **slices, **options)


def told(results: Any) -> list[tuple[Any, ...]]:
    return [
        (r.measure, r.fold, r.repeat, r.slice, r.class_, r.value, r.low, r.high, r.method, r.note)
        for r in results
    ]


def assert_same(one: Any, other: Any) -> None:
    """Equal but for the last digits of numbers."""
    assert len(one) == len(other)
    for first, second in zip(one, other, strict=True):
        for left, right in zip(first, second, strict=True):
            if isinstance(left, float):
                assert left == pytest.approx(right, rel=1e-9, abs=1e-12, nan_ok=True), first
            else:
                assert left == right, (first, second)


@pytest.mark.parametrize("name", list(ROWS))
@pytest.mark.parametrize("interval", ["", "bca"])
def test_rows_in_another_order_have_the_same_results(name: str, interval: str) -> None:
    made = [
        told(card_of(ROWS[name], order, interval=interval).results(everything=True))
        for order in (np.arange(N), ORDER)
    ]
    assert_same(*made)


@pytest.mark.parametrize("name", ["two classes", "groups", "several", "numbers", "weights"])
def test_slices_of_rows_in_another_order_differ_as_much(name: str) -> None:
    made = [
        told(card_of(ROWS[name], order, sliced=True).results()) for order in (np.arange(N), ORDER)
    ]
    assert_same(*made)
