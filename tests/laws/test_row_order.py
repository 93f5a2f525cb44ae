"""A law of everything that is drawn: the order in which rows came in changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import heldout
from heldout.cli.main import main

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
    more = {"pos_label": 1} if given["y_true"] is TRUTH else {}
    slices = {"slices": {"part": SLICE[order]}} if options.pop("sliced", False) else {}
    return heldout.score(**ordered(given, order), replicates=60, **more, **slices, **options)


def told(results: Any) -> list[tuple[Any, ...]]:
    return [
        (r.measure, r.fold, r.repeat, r.slice, r.class_, r.value, r.low, r.high, r.method, r.note)
        for r in results
    ]


def assert_same(one: Any, other: Any) -> None:
    """Equal but for the last digits of numbers."""
    assert len(one) == len(other) > 0
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


@pytest.mark.parametrize("name", ["two classes", "groups", "weights", "several", "numbers"])
def test_slices_of_rows_in_another_order_differ_as_much(name: str) -> None:
    measures = ("mse", "r2") if name == "numbers" else ("accuracy", "f_score_macro", "log_loss")
    measures = measures if name in ("several", "numbers") else ("auc", "f_score", "log_loss")
    made = [
        [list(line.values()) for line in card_of(ROWS[name], order, sliced=True).slices(*measures)]
        for order in (np.arange(N), ORDER)
    ]
    assert_same(*made)


@pytest.mark.parametrize("name", ["two classes", "groups", "weights", "groups and weights"])
def test_thresholds_and_profits_of_rows_in_another_order_are_the_same(name: str) -> None:
    made = []
    for order in (np.arange(N), ORDER):
        card = card_of(ROWS[name], order, cost=[[0, 1], [3, 0]])
        told_of = (
            card.thresholds("youden", "f_score", "cost"),
            card.at_prevalence(0.1),
            card.expected_profit(),
        )
        made.append([list(record.values()) for records in told_of for record in records])
    assert_same(*made)


@pytest.mark.parametrize("name", ["two classes", "groups", "weights", "folds", "weighted folds"])
@pytest.mark.parametrize("curve", ["roc", "pr", "roc_average"])
def test_bands_of_rows_in_another_order_are_the_same(name: str, curve: str) -> None:
    rows = {**ROWS, "weighted folds": {**ROWS["weights"], "folds": FOLD}}[name]
    if curve == "roc_average" and "folds" not in rows:
        pytest.skip("no folds to average over")
    made = []
    for order in (np.arange(N), ORDER):
        band = card_of(rows, order).curve(curve, band="pointwise").band
        made.append([band.low.tolist(), band.high.tolist()])
    assert_same(*made)


def compared(name: str, order: Any, **options: Any) -> Any:
    given = dict(ROWS[name])
    two: list[Any] = []
    for score in (given.pop("y_score", None), OTHER):
        own = {**given, "y_score": score}
        if name.startswith("several"):
            own["y_score"] = TABLE if score is TABLE else TABLE[:, ::-1] * 0.3 + TABLE * 0.7
        if name.startswith("numbers"):
            own.pop("y_score")
            own["y_pred"] = GUESS if score is None else GUESS + np.round(OTHER, 1)
        more = {"pos_label": 1} if given["y_true"] is TRUTH else {}
        two.append(heldout.from_arrays(**ordered(own, order), **more, model=str(len(two))))
    return heldout.compare(*two, replicates=100, permutations=100, **options)


@pytest.mark.parametrize("name", ["two classes", "groups", "weights", "several", "numbers"])
@pytest.mark.parametrize(
    "options", [{}, {"rope": 0.01}, {"unpaired": True, "force": True}], ids=str
)
def test_comparisons_of_rows_in_another_order_are_the_same(name: str, options: Any) -> None:
    measures = {"several": ["accuracy", "log_loss", "hand_till"], "numbers": ["r2", "mae"]}
    asked = measures.get(name, ["accuracy", "f_score", "auc", "average_precision", "log_loss"])
    made = []
    for order in (np.arange(N), ORDER):
        found = compared(name, order, measures=asked, **options)
        made.append([list(line.values()) for line in found.table.to_pandas().to_dict("records")])
    assert_same(*made)


def test_chance_of_rows_in_another_order_is_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = []
    for order in (np.arange(N), ORDER):
        lines = [
            f"{i},{y},{a},{b}" for i, y, a, b in zip(range(N), TRUTH, SCORE, OTHER, strict=True)
        ]
        for place, model in enumerate(("one", "two"), start=2):
            rows = [",".join(np.array(line.split(","))[[0, 1, place]]) for line in lines]
            text = "\n".join(["id,truth,score", *(rows[i] for i in order)])
            (tmp_path / f"{model}.csv").write_text(text)
        files = [str(tmp_path / f"{model}.csv") for model in ("one", "two")]
        options = ["--positive", "1", "--measure", "f_score,auc", "--permutations", "100"]
        assert main(["compare", *files, *options, "--chance", "--replicates", "100"]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
