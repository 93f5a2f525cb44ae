"""One-sided comparisons: interval, words and what can be shown follow the alternative."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.compare import compare
from heldout.comparison.over_sets.signed_ranks import walsh_interval
from heldout.comparison.power.power import seen_power
from heldout.core.errors import InputError
from tests.comparison.models import binary, numbers
from tests.comparison.test_laws import FAST, PAIRS

ONE_TEST_SET = ("binary", "groups", "weights")
SPLITS = ("folds", "repeats")


ENDS = {"accuracy": 1.0, "precision": 1.0, "auc": 1.0, "log_loss": inf, "brier_score": 1}


@pytest.mark.parametrize("unpaired", [False, True])
@pytest.mark.parametrize("design", [*ONE_TEST_SET, *SPLITS])
def test_one_limit_is_that_of_the_test_and_the_other_the_end_of_the_range(
    design: str, unpaired: bool
) -> None:
    if unpaired and design in SPLITS:
        return
    given: dict[str, Any] = {"measures": list(ENDS), "unpaired": unpaired, **FAST}
    inner = compare(*PAIRS[design], level=0.9, **given)
    for side in ("greater", "less"):
        made = compare(*PAIRS[design], level=0.95, alternative=side, **given)
        for name, end in ENDS.items():
            one, two = made[name].interval, inner[name].interval
            low, high = (two.low, end) if side == "greater" else (-end, two.high)
            assert (one.low, one.high) == pytest.approx((low, high))
            assert one.level == 0.95
            assert "one-sided" in one.method


@pytest.mark.parametrize("design", [*ONE_TEST_SET, *SPLITS])
def test_one_sided_results_mirror_when_models_are_exchanged(design: str) -> None:
    first, second = PAIRS[design]
    names = ["accuracy", "auc", "log_loss"]
    here = compare(first, second, measures=names, alternative="greater", **FAST)
    there = compare(second, first, measures=names, alternative="less", **FAST)
    for name in names:
        one, other = here[name], there[name]
        assert one.p_value == pytest.approx(other.p_value)
        assert (one.interval.low, one.interval.high) == pytest.approx(
            (-other.interval.high, -other.interval.low)
        )


@pytest.mark.parametrize("measure", ["auc", "log_loss", "brier_score"])
@pytest.mark.parametrize("design", ["binary", "groups", "folds", "repeats"])
def test_the_bound_leaves_no_difference_out_just_where_the_test_rejects(
    design: str, measure: str
) -> None:
    for side in ("greater", "less"):
        p = compare(*PAIRS[design], measures=measure, alternative=side)[measure].p_value
        for level in (1 - p - 1e-6, 1 - p + 1e-6):
            if not 0.5 < level < 1:
                continue
            made = compare(*PAIRS[design], measures=measure, alternative=side, level=level)
            assert made[measure].interval.contains(0) == (p > 1 - level)


def test_words_say_what_was_asked_and_what_is_shown() -> None:
    good, poor = binary("good", 1.2, seed=1), binary("poor", 0.3, seed=2)
    shown = compare(good, poor, measures="auc", alternative="greater").verdict
    assert "good is better than poor" in shown
    assert "at least" in shown
    assert "one-sided 95% limit" in shown
    against = compare(good, poor, measures="auc", alternative="less").verdict
    assert "no evidence that poor is better than good" in against
    assert "good minus poor: at most +" in against
    losses = compare(good, poor, measures="log_loss", alternative="greater").verdict
    assert "no evidence that poor is better than good" in losses
    assert "good minus poor: at least -" in losses
    neither = compare(numbers("a", 0.3, seed=1), numbers("b", 0.3, seed=2), measures="bias")
    assert "no clear difference" in neither.verdict
    aside = compare(
        numbers("a", 0.3, seed=1), numbers("b", 0.3, seed=2), measures="bias", alternative="less"
    )
    assert "the value of a is less than that of b" in aside.verdict


def test_a_one_sided_test_shows_smaller_differences() -> None:
    for design in ("binary", "folds"):
        for name in ("accuracy", "log_loss"):
            (both,) = seen_power(compare(*PAIRS[design], measures=name))
            (one,) = seen_power(compare(*PAIRS[design], measures=name, alternative="less"))
            assert 0.7 * both["detectable"] < one["detectable"] < both["detectable"]


def test_non_inferiority_can_be_shown_of_one_model_only() -> None:
    good, poor = binary("good", 1.2, seed=1), binary("poor", 1.1, seed=2)
    made = compare(good, poor, measures="auc", alternative="greater", margin=0.05)
    assert "good is non-inferior within 5 points" in made.verdict
    assert "equivalent" not in made.verdict


def test_a_level_of_one_half_has_no_bound() -> None:
    with pytest.raises(InputError, match="one-sided test is above"):
        compare(*PAIRS["binary"], measures="auc", alternative="less", level=0.5)


def test_bounds_over_data_sets_are_those_of_the_signed_rank_test() -> None:
    from scipy.stats import wilcoxon

    gaps = np.random.default_rng(1).normal(0.02, 0.03, 12)
    made = walsh_interval(gaps, alternative="greater")
    assert made.high == inf
    for shift, rejects in ((-1e-9, True), (1e-9, False)):
        p = wilcoxon(gaps - made.low - shift, alternative="greater").pvalue
        assert (p <= 0.05) == rejects
    mirrored = walsh_interval(-gaps, alternative="less")
    assert (mirrored.low, mirrored.high) == (-inf, -made.low)
    assert made.low > walsh_interval(gaps).low


def test_words_over_data_sets_follow_the_alternative_and_the_direction() -> None:
    rng = np.random.default_rng(1)
    values = rng.random(12)
    table = {"set": list("abcdefghijkl"), "one": values + 0.1, "two": values - rng.random(12) / 9}
    shown = heldout.compare_results(table, datasets="set", alternative="greater").verdict
    assert "one is better than two" in shown
    assert "at least +" in shown
    not_shown = heldout.compare_results(table, datasets="set", alternative="less").verdict
    assert "no evidence over 12 data sets that two is better than one" in not_shown
    lower = heldout.compare_results(
        table, datasets="set", alternative="less", higher_is_better=False
    ).verdict
    assert "no evidence over 12 data sets that one is better than two" in lower


def test_forest_of_one_sided_intervals_is_drawn(tmp_path: Any) -> None:
    made = compare(*PAIRS["binary"], measures=["auc", "log_loss"], alternative="greater")
    made.plot("forest", path=tmp_path / "forest.png")
    assert (tmp_path / "forest.png").stat().st_size > 1000
