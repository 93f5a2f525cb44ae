"""All rows and the mean over slices: their rows, intervals and methods, or why there are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.slices import mean_interval
from heldout.uncertainty.interval import Interval

SITES = np.array(["north", "south", "east", "west"])


def records(*measures: str, sites: Any = None, seed: int = 1, **more: Any) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    where = rng.integers(0, 4, 400) if sites is None else sites
    truth = rng.random(400) < 0.4
    score = 1 / (1 + np.exp(-rng.normal(2.0 * truth - 1 + 0.2 * where, 1.0)))
    card = heldout.score(
        truth, y_score=score, pos_label=True, slices={"site": SITES[where]}, **more
    )
    found = {f"{r['measure']} {r['kind']}": r for r in card.slices(*measures)}
    return {"card": card, "all": card.slices(*measures), **found}


@pytest.mark.parametrize("measure", ["accuracy", "auc", "log_loss", "mcc", "average_precision"])
def test_micro_is_the_result_of_all_rows(measure: str) -> None:
    made = records(measure)
    micro, whole = made[f"{measure} micro"], made["card"][measure]
    known = (micro["value"], micro["low"], micro["high"], micro["interval_method"], micro["n"])
    assert known == (whole.value, whole.low, whole.high, whole.method, 400)


def test_macro_adds_the_widths_of_the_slices_as_standard_errors_are_added() -> None:
    made = records("accuracy")
    macro, slices = made["accuracy macro"], [r for r in made["all"] if r["kind"] == "slice"]
    values, lows, highs = (np.array([r[key] for r in slices]) for key in ("value", "low", "high"))
    assert macro["value"] == pytest.approx(values.mean())
    middle = values.mean() + ((lows + highs) / 2 - values).mean() / 4
    reach = np.sqrt((((highs - lows) / 2) ** 2).sum()) / 4
    assert macro["low"] == pytest.approx(middle - reach)
    assert macro["high"] == pytest.approx(middle + reach)
    told = "widths of the intervals of 4 slices, added in squares"
    assert (macro["n"], macro["interval_method"]) == (400, told)


def test_macro_covers_the_mean_over_slices_at_its_level() -> None:
    rng = np.random.default_rng(3)
    rates, hits = np.array([0.6, 0.8, 0.9, 0.95]), 0
    for _ in range(400):
        counts = rng.binomial(40, rates)
        each = [heldout.uncertainty.proportions.proportion_interval(c, 40) for c in counts.tolist()]
        hits += mean_interval((counts / 40).tolist(), each).contains(rates.mean())
    assert 0.93 <= hits / 400 <= 0.985


@pytest.mark.parametrize(
    ("slices", "rows", "rate"), [(20, 20, 0.98), (50, 10, 0.95), (4, 250, 0.99)]
)
def test_macro_of_skewed_slices_misses_to_neither_side(slices: int, rows: int, rate: float) -> None:
    rng = np.random.default_rng(4)
    above = below = 0
    for _ in range(300):
        counts = rng.binomial(rows, rate, slices).tolist()
        each = [heldout.uncertainty.proportions.proportion_interval(c, rows) for c in counts]
        made = mean_interval([c / rows for c in counts], each)
        above += rate > made.high
        below += rate < made.low
    assert max(above, below) <= 15


def test_one_slice_has_its_own_limits() -> None:
    own = Interval(0.7, 0.95, 0.95, "Wilson")
    made = mean_interval([0.9], [own])
    assert (made.low, made.high) == pytest.approx((own.low, own.high))


def test_macro_counts_the_rows_of_slices_that_have_a_value() -> None:
    truth = [1, 0] * 20 + [0] * 10
    card = heldout.score(
        truth, y_pred=[1, 0, 0, 0] * 12 + [0, 0], pos_label=1, slices={"s": ["a"] * 40 + ["b"] * 10}
    )
    macro = next(r for r in card.slices("recall") if r["kind"] == "macro")
    assert macro["n"] == 40
    assert macro["low"] is not None
    assert macro["note"].startswith("mean of 1 of 2 slices; undefined in b")


def test_slice_without_an_interval_leaves_the_mean_without_one() -> None:
    truth, score = [1, 0] * 20 + [1, 0, 0], [*np.linspace(0.1, 0.9, 40), 0.8, 0.2, 0.1]
    card = heldout.score(truth, y_score=score, slices={"s": ["a"] * 40 + ["b"] * 3})
    found = {r["kind"] + r["slice"]: r for r in card.slices("auc")}
    macro = found["macros: mean (macro)"]
    assert macro["no_interval"].startswith("b has none: only one row is positive")
    assert found["slices=b"]["no_interval"].startswith("only one row is positive")
    assert found["slices=a"]["interval_method"] == "DeLong on the logit scale, Student's t"


def test_groups_across_slices_leave_the_mean_without_an_interval() -> None:
    across = records("accuracy", groups=np.arange(400) % 40)["accuracy macro"]
    assert (
        across["no_interval"] == "groups are split across slices, so the slices are not independent"
    )
    assert (across["n"], across["interval_method"]) == (400, "")
    where = np.arange(400) % 4
    within = records("accuracy", sites=where, groups=np.arange(400) % 40)["accuracy macro"]
    assert within["no_interval"] == ""
    assert within["low"] < within["value"] < within["high"]


def test_repeats_leave_the_mean_without_an_interval() -> None:
    found = records("accuracy", repeats=np.arange(400) % 2)["accuracy macro"]
    assert "several repeats" in found["no_interval"]


def test_biased_measures_have_no_interval_of_their_mean() -> None:
    for measure in ("expected_calibration_error", "kolmogorov_smirnov"):
        found = records(measure)[f"{measure} macro"]
        assert "is biased in small samples" in found["no_interval"]


def test_without_intervals_there_are_none_and_no_reason() -> None:
    found = records("accuracy", intervals=False)
    for kind in ("micro", "macro"):
        made = found[f"accuracy {kind}"]
        assert (made["low"], made["no_interval"], made["n"]) == (None, "", 400)


def test_infinite_limits_give_none() -> None:
    made = mean_interval([0.5], [Interval(0.1, float("inf"), 0.95, "t")])
    assert made.note == "a value or a limit is infinite"


def test_slices_of_a_ranking_over_folds_have_neither_interval_nor_test() -> None:
    rng = np.random.default_rng(3)
    truth, rows = rng.integers(0, 2, 300), np.arange(300)
    score = 1 / (1 + np.exp(-truth - rng.normal(size=300)))
    slices = {"site": np.array(["a", "b", "c"])[rows % 3]}
    card = heldout.score(truth, y_score=score, pos_label=1, folds=rows % 5, slices=slices)
    lines = [line for line in card.slices("auc", "recall") if line["kind"] == "slice"]
    assert len(lines) == 6
    for line in lines:
        is_tested = line["measure"] == "recall"
        assert (line["low"] is not None) == np.isfinite(line["p_value"]) == is_tested
