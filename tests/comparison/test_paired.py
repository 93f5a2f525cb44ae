"""Two models on the same rows: counts, areas and losses against their definitions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heldout
from heldout.comparison.joint_cells import JointCells
from heldout.comparison.limits_and_test import permutation_p_value
from heldout.comparison.options import CompareOptions
from heldout.comparison.share_tests import mcnemar, newcombe_difference, tango_difference
from heldout.core.errors import InputError
from heldout.core.random import generator
from tests.comparison.models import loss_difference

COUNTS = st.integers(0, 60)


@given(COUNTS, COUNTS)
def test_mcnemar_mirrors_and_stays_a_probability(first: int, second: int) -> None:
    for kind in ("exact", "mid-p", "normal", "corrected"):
        here, there = mcnemar(first, second, kind=kind), mcnemar(second, first, kind=kind)
        assert here.p_value == pytest.approx(there.p_value, abs=1e-12)
        assert here.statistic == pytest.approx(-there.statistic)
        assert 0 <= here.p_value <= 1
        greater = mcnemar(first, second, kind=kind, alternative="greater")
        less = mcnemar(second, first, kind=kind, alternative="less")
        assert greater.p_value == pytest.approx(less.p_value)


def test_exact_mcnemar_counts_every_outcome() -> None:
    first, second = 3, 8
    total = first + second
    outcomes = [sum(toss) for toss in product((0, 1), repeat=total)]
    as_far = sum(abs(2 * heads - total) >= abs(first - second) for heads in outcomes)
    assert mcnemar(first, second).p_value == pytest.approx(as_far / 2**total)


def test_no_discordant_rows_are_no_evidence() -> None:
    assert mcnemar(0, 0).p_value == 1


def test_unknown_kind_and_side_are_refused() -> None:
    with pytest.raises(InputError, match="exact"):
        mcnemar(1, 2, kind="bayes")
    with pytest.raises(InputError, match="two-sided, greater or less"):
        CompareOptions(alternative="up")


@settings(max_examples=60)
@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_paired_intervals_contain_the_difference_and_mirror(a: int, b: int, c: int, d: int) -> None:
    rows = a + b + c + d
    if not rows:
        return
    for maker in (newcombe_difference, tango_difference):
        here, there = maker(a, b, c, d), maker(a, c, b, d)
        assert here.low - 1e-9 <= (b - c) / rows <= here.high + 1e-9
        assert here.low == pytest.approx(-there.high, abs=1e-9)
        assert -1 <= here.low <= here.high <= 1
        assert here.high > here.low


@settings(max_examples=60)
@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_tango_rejects_where_mcnemar_does(a: int, b: int, c: int, d: int) -> None:
    if b + c == 0:
        return
    interval = tango_difference(a, b, c, d)
    statistic = mcnemar(b, c, kind="normal").statistic
    if abs(abs(statistic) - 1.959964) > 1e-4:
        assert (not interval.contains(0.0)) == (abs(statistic) > 1.959964)


@pytest.mark.parametrize("cells", [(0, 9, 1, 40), (36, 12, 2, 0), (10, 0, 0, 5), (20, 3, 7, 30)])
def test_tango_is_the_score_test_of_its_definition(cells: tuple[int, int, int, int]) -> None:
    from scipy.optimize import brentq, minimize_scalar

    both, first, second, neither = cells
    rows = sum(cells)

    def statistic(delta: float) -> float:
        """The score statistic, the rest of the model at its most likely value by search."""

        def unlikely(share: float) -> float:
            parts = (share + delta, share, 1 - 2 * share - delta)
            counts = (first, second, both + neither)
            if any(p < 0 or (p == 0 and n) for p, n in zip(parts, counts, strict=True)):
                return 1e9
            return -sum(n * np.log(p) for p, n in zip(parts, counts, strict=True) if n)

        low, high = max(0.0, -delta), (1 - delta) / 2
        best = minimize_scalar(unlikely, bounds=(low, high), method="bounded").x
        return (first - second - rows * delta) / np.sqrt(rows * (2 * best + delta - delta * delta))

    made = tango_difference(*cells)
    for limit, sign in ((made.low, 1), (made.high, -1)):
        near = brentq(
            lambda d, s=sign: statistic(d) - s * 1.959964, limit - 0.01, limit + 0.01, xtol=1e-9
        )
        assert limit == pytest.approx(near, abs=1e-4)


def test_newcombe_gives_the_intervals_of_his_paper() -> None:
    # method 10 of Newcombe (1998), Stat. Med. 17:2635, table II
    made = newcombe_difference(36, 12, 2, 0)
    assert (made.low, made.high) == pytest.approx((0.0569, 0.3404), abs=5e-5)


def by_double_loop(truth: Any, scores: list[Any]) -> tuple[Any, Any]:
    """DeLong's areas and covariance by their definition."""
    ones, zeros = np.flatnonzero(truth), np.flatnonzero(~truth)
    of_ones = np.array(
        [
            [np.mean([(s[i] > s[j]) + 0.5 * (s[i] == s[j]) for j in zeros]) for i in ones]
            for s in scores
        ]
    )
    of_zeros = np.array(
        [
            [np.mean([(s[i] > s[j]) + 0.5 * (s[i] == s[j]) for i in ones]) for j in zeros]
            for s in scores
        ]
    )
    covariance = np.cov(of_ones) / len(ones) + np.cov(of_zeros) / len(zeros)
    return of_ones.mean(axis=1), covariance


def compared_areas(truth: Any, scores: Any, **design: Any) -> Any:
    """The difference of the areas of two models."""
    named = zip("ab", scores, strict=True)
    models = [
        heldout.from_arrays(truth, y_score=score, pos_label=True, model=name, **design)
        for name, score in named
    ]
    return heldout.compare(*models, measures="auc")["auc"]


@pytest.mark.parametrize("seed", range(5))
def test_areas_and_covariance_follow_their_definition_with_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = np.r_[True, True, False, False, rng.random(36) < 0.4]
    scores = [np.round(truth + rng.normal(size=40), 0 if seed % 2 else 1) for _ in range(2)]
    areas, covariance = by_double_loop(truth, scores)
    found = compared_areas(truth, scores)
    assert found.value == pytest.approx(areas[0] - areas[1], abs=1e-12)
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert found.test.error**2 == pytest.approx(variance, abs=1e-12)


def test_whole_weights_are_shares_of_rows_and_their_scale_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random(60) < 0.5
    scores = [truth + rng.normal(size=60), truth + rng.normal(size=60)]
    weight = rng.integers(1, 4, 60).astype(float)
    times = weight.astype(int)
    repeated = compared_areas(np.repeat(truth, times), [np.repeat(s, times) for s in scores])
    weighted = compared_areas(truth, scores, sample_weight=weight)
    assert weighted.value == pytest.approx(repeated.value)
    scaled = compared_areas(truth, scores, sample_weight=weight * 7)
    assert scaled.test.error == pytest.approx(weighted.test.error)


def test_groups_of_one_row_are_rows_and_copies_in_groups_add_nothing() -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(80) < 0.5
    scores = [truth + rng.normal(size=80), truth + rng.normal(size=80)]
    alone = compared_areas(truth, scores, groups=np.arange(80))
    copies = [np.repeat(s, 3) for s in scores]
    thrice = compared_areas(np.repeat(truth, 3), copies, groups=np.repeat(np.arange(80), 3))
    assert alone.test.error == pytest.approx(thrice.test.error)
    plain = compared_areas(truth, scores)
    assert alone.test.error == pytest.approx(plain.test.error, rel=0.05)


def test_identical_rankings_do_not_differ() -> None:
    truth = np.arange(30) % 2 == 0
    score = np.random.default_rng(1).random(30)
    found = compared_areas(truth, [score, score * 10 + 3])
    assert (found.value, found.p_value) == (0, 1)


def test_one_positive_row_gives_no_interval_and_says_why() -> None:
    found = compared_areas(np.arange(10) == 0, [np.arange(10.0), np.arange(10.0)[::-1]])
    assert found.interval.is_absent
    assert "only one row is positive" in found.interval.note


@pytest.mark.parametrize("measure", ["macro_f_score", "kappa", "mcc"])
def test_the_delta_error_is_that_of_resampled_rows(measure: str) -> None:
    rng = np.random.default_rng(3)
    truth = rng.choice(list("abc"), 600, p=[0.5, 0.3, 0.2])
    models = [
        heldout.from_arrays(truth, np.where(rng.random(600) < right, truth, rng.permutation(truth)))
        for right in (0.6, 0.4)
    ]
    named = dict(zip("ab", models, strict=True))
    delta = heldout.compare(named, measures=measure)[measure]
    drawn = heldout.compare(named, measures=measure, test="bootstrap")[measure]
    assert delta.test.error == pytest.approx(drawn.test.error, rel=0.08)
    # interval and test are of one method: the p-value is 0.05 where a limit is 0
    level = 1 - delta.test.p_value
    edge = heldout.compare(named, measures=measure, level=level)[measure].interval
    assert min(abs(edge.low), abs(edge.high)) < 1e-9


def test_exchanging_labels_is_the_exact_test_of_accuracy() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 120)
    first = np.where(rng.random(120) < 0.85, truth, 1 - truth)
    second = np.where(rng.random(120) < 0.75, truth, 1 - truth)
    cells = JointCells.of(truth, first, second, classes=2)

    def accuracy(confusion: Any) -> Any:
        return confusion.correct / confusion.total

    swapped = cells.differences((accuracy, accuracy), cells.exchanged(20_000, generator(1)))
    observed = float((first == truth).mean() - (second == truth).mean())
    only_first = int(((first == truth) & (second != truth)).sum())
    only_second = int(((second == truth) & (first != truth)).sum())
    exact = mcnemar(only_first, only_second).p_value
    assert permutation_p_value(swapped, observed, "x").p_value == pytest.approx(exact, abs=0.01)


def test_counts_keep_their_rows_when_labels_are_exchanged() -> None:
    rng = np.random.default_rng(5)
    cells = JointCells.of(*rng.integers(0, 3, (3, 80)), classes=3)
    for counts in cells.exchanged(50, generator(2)):
        assert (counts.sum(axis=1) == 80).all()
        assert (counts >= 0).all()


def test_loss_difference_is_the_paired_t_test() -> None:
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(6)
    first, second = rng.random(40), rng.random(40)
    d = loss_difference(first, second)
    theirs = ttest_rel(first, second)
    assert d.test.statistic == pytest.approx(theirs.statistic)
    assert d.p_value == pytest.approx(theirs.pvalue)
    limits = theirs.confidence_interval()
    assert (d.low, d.high) == pytest.approx((limits.low, limits.high))


def test_rows_copied_within_groups_add_no_evidence() -> None:
    rng = np.random.default_rng(7)
    first, second = rng.random(30), rng.random(30)
    once = loss_difference(first, second, groups=np.arange(30))
    copied = loss_difference(
        np.repeat(first, 5), np.repeat(second, 5), groups=np.repeat(np.arange(30), 5)
    )
    assert copied.p_value == pytest.approx(once.p_value)
    assert loss_difference(np.repeat(first, 5), np.repeat(second, 5)).p_value < once.p_value


def test_equal_losses_are_no_difference_and_constant_ones_are_exchanged() -> None:
    losses = np.random.default_rng(8).random(20)
    assert loss_difference(losses, losses).p_value == 1
    assert loss_difference(losses + 1, losses).p_value == pytest.approx(2**-19)


def test_exchanging_rankings_does_not_depend_on_the_scale_of_scores() -> None:
    rng = np.random.default_rng(9)
    truth = np.arange(120) % 2
    first = truth + rng.normal(size=120)
    second = truth + 2 * rng.normal(size=120)
    found = []
    for scores in (second, np.exp(second / 3), 100 * second):
        pair = [
            heldout.from_arrays(truth, y_score=s, pos_label=1, model=name, threshold=0.5)
            for s, name in ((first, "a"), (scores, "b"))
        ]
        made = heldout.compare(*pair, measures="average_precision", permutations=200)
        found.append(made["average_precision"].test.p_value)
    assert found[0] == found[1] == found[2]


def test_every_measure_mirrors_when_models_are_exchanged() -> None:
    rng = np.random.default_rng(10)
    truth = rng.integers(0, 2, 90)
    one = heldout.from_arrays(truth, y_score=rng.random(90), pos_label=1, model="one")
    two = heldout.from_arrays(truth, y_score=rng.random(90), pos_label=1, model="two")
    names = ["f_score", "mcc", "precision", "average_precision", "brier", "auc"]
    here = heldout.compare(one, two, measures=names, replicates=200, permutations=200)
    there = heldout.compare(two, one, measures=names, replicates=200, permutations=200)
    for name in names:
        assert here[name].value == pytest.approx(-there[name].value)
        assert here[name].p_value == there[name].p_value
        assert here[name].interval.low == pytest.approx(-there[name].interval.high)
