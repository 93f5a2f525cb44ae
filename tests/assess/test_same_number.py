"""One number has one interval, by whatever name or in whatever table it is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout

ROWS = 120


def labels() -> tuple[Any, Any]:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 4, ROWS)
    return truth, np.where(rng.random(ROWS) < 0.7, truth, rng.integers(0, 4, ROWS))


DESIGNS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"sample_weight": np.linspace(0.2, 2, ROWS)},
    "groups": {"groups": np.arange(ROWS) // 4},
    "clopper_pearson": {"interval": "clopper_pearson"},
    "bootstrap": {"interval": "bayesian"},
    "repeats": {"folds": np.arange(ROWS) % 5, "repeats": np.arange(ROWS) // 40},
}


@pytest.mark.parametrize("design", DESIGNS)
def test_averages_that_are_the_accuracy_have_its_interval(design: str) -> None:
    truth, predicted = labels()
    card = heldout.score(truth, predicted, **DESIGNS[design])
    right, wrong = card["accuracy"], card["error_rate"]
    assert right.low is not None
    assert wrong.low is not None
    for name in ("recall_micro", "precision_micro", "f_score_micro", "recall_weighted"):
        same = card[name]
        assert (same.value, same.low, same.high) == pytest.approx(
            (right.value, right.low, right.high)
        )
        assert same.method == right.method
    for name in ("false_negative_rate_micro", "false_negative_rate_weighted"):
        assert (card[name].low, card[name].high) == pytest.approx((wrong.low, wrong.high))


def test_pooled_measures_are_functions_of_the_accuracy() -> None:
    truth, predicted = labels()
    card = heldout.score(truth, predicted)
    right = card["accuracy"]
    for name, function in (
        ("specificity_micro", lambda a: (2 + a) / 3),
        ("jaccard_micro", lambda a: a / (2 - a)),
        ("negative_likelihood_ratio_micro", lambda a: 3 * (1 - a) / (2 + a)),
    ):
        made = card[name]
        assert made.value == pytest.approx(function(right.value))
        ends = sorted((function(right.low), function(right.high)))
        assert (made.low, made.high) == pytest.approx(tuple(ends))


def test_other_averages_are_still_resampled() -> None:
    card = heldout.score(*labels())
    for name in ("recall_macro", "precision_weighted", "f_score_macro"):
        assert "draws of cells" in card[name].method


def test_a_pooled_measure_of_all_rows_right_has_no_upper_limit_where_it_is_infinite() -> None:
    made = heldout.score([0, 1, 2] * 7, [0, 1, 2] * 7)["diagnostic_odds_ratio_micro"]
    assert made.value == made.high == np.inf
    assert made.low is not None
    assert 1 < made.low < np.inf


@pytest.mark.parametrize("design", ["plain", "weights", "groups", "bootstrap"])
def test_the_positive_class_by_name_has_the_interval_of_the_measure(design: str) -> None:
    truth, predicted = (part % 2 for part in labels())
    card = heldout.score(truth, predicted, pos_label=1, **DESIGNS[design])
    for name in ("recall", "precision", "f_score"):
        plain, named = card[name], card[name, "1"]
        assert (plain.low, plain.high, plain.method) == (named.low, named.high, named.method)
    assert card["recall", "0"].high == pytest.approx(card["specificity"].high)


def test_a_share_of_weighted_rows_is_on_the_rows_they_are_worth() -> None:
    truth, predicted = labels()
    weight = DESIGNS["weights"]["sample_weight"]
    found, is_hit = weight[predicted == 2], (truth == 2)[predicted == 2]
    made = heldout.score(truth, predicted, sample_weight=weight)["precision", "2"]
    typical = (found**2).sum() / found.sum()
    worths = []
    for own in (found[is_hit], found[~is_hit]):
        lent = ((own**2).sum() + 5 * typical**2) / (own.sum() + 5 * typical)
        worths.append(max(lent, (own**2).sum() / own.sum()))
    hits, misses = found[is_hit].sum(), found[~is_hit].sum()
    size = found.sum() ** 2 / (worths[0] * misses + worths[1] * hits)
    assert made.method == f"Wilson on {size:.4g} effective rows"


def problems() -> dict[str, tuple[tuple[str, ...], dict[str, Any]]]:
    rng = np.random.default_rng(7)
    truth, values = rng.integers(0, 2, ROWS), rng.normal(size=ROWS)
    score = np.clip(0.4 * truth + 0.6 * rng.random(ROWS), 0, 1)
    scores = rng.dirichlet([1, 1, 1], ROWS)
    binary = {"y_true": truth, "y_score": score}
    weights = {"sample_weight": 0.5 * rng.integers(1, 4, ROWS)}
    numbers = {"y_true": values, "y_pred": values + rng.normal(size=ROWS), "task": "regression"}
    ranked = ("average_precision", "ks", "brier_skill", "mcc", "ece")
    return {
        "binary": (ranked, binary),
        "weights": (ranked[:4], {**binary, **weights}),
        "classes": (("hand_till", "recall"), {"y_true": truth + (score > 0.7), "y_score": scores}),
        "numbers": (("r2", "correlation", "median_absolute_error", "rmse"), numbers),
    }


@pytest.mark.parametrize("problem", ["binary", "weights", "classes", "numbers"])
def test_both_tables_of_slices_show_the_same_intervals(problem: str) -> None:
    names, given = problems()[problem]
    site = np.random.default_rng(1).choice(["a", "b"], ROWS)
    card = heldout.score(**given, slices={"site": site}, replicates=40)
    long = {(r.slice, r.measure): r for r in card.results(names) if r.slice and not r.class_}
    short = [record for record in card.slices(*names) if ":" not in record["slice"]]
    assert len(short) == len(long) > 0
    for record in short:
        same = long[record["slice"], record["measure"]]
        assert (record["low"], record["high"]) == (same.low, same.high)
        assert same.low is not None


def test_slices_of_averages_that_are_the_accuracy_have_its_test() -> None:
    truth, predicted = labels()
    part = np.arange(ROWS) % 3
    predicted = np.where(part == 0, truth, predicted)
    card = heldout.score(truth, predicted, slices={"part": part})

    def tests(measure: str) -> dict[str, tuple[Any, ...]]:
        told = card.slices(measure)
        return {r["slice"]: (r["p_value"], r["difference"], r["method"]) for r in told}

    accuracy = tests("accuracy")
    assert np.nanmin([p for p, _, _ in accuracy.values()]) < 0.05
    for name in ("recall_micro", "precision_micro", "recall_weighted"):
        for slice_, (p_value, difference, method) in tests(name).items():
            assert (p_value, difference) == pytest.approx(accuracy[slice_][:2], nan_ok=True)
            assert method == accuracy[slice_][2]
