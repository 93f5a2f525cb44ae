"""The best threshold: exact over all scores, by rules, with intervals and optimism."""

from __future__ import annotations

from math import inf, isnan, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.core.errors import InputError
from heldout.decisions.rules import parse_rule, rule_for_cells
from heldout.decisions.thresholds import Threshold, best_thresholds
from heldout.measures.spec import parse_request
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.rankings import ScoreRows
from tests.measures.scored_rows import Rows, scored_rows

#: twenty emails, spam is positive
TRUTH = np.array([0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1], bool)
LOW = [0.001, 0.003, 0.059, 0.064, 0.094, 0.16, 0.184, 0.226, 0.246, 0.293, 0.302, 0.348]
SCORE = np.array([*LOW, 0.657, 0.676, 0.719, 0.781, 0.833, 0.877, 0.96, 0.963])
SPAM = ScoreCounts.of(TRUTH, SCORE)

MEASURES = ["f_score[beta=2]", "mcc", "accuracy", "youden", "balanced_accuracy", "error_rate"]


def best_threshold(scores: ScoreCounts, rule: Any, **options: Any) -> Threshold:
    return best_thresholds(scores, [rule], **options)[0]


def confusion_at(rows: Rows, threshold: float) -> Confusion:
    """The counts of a threshold by its definition."""
    called = rows.score >= threshold
    return Confusion.of(
        rows.truth.astype(int), called.astype(int), rows.weight, classes=2, positive=1
    )


def value_at(rows: Rows, name: str, threshold: float) -> float:
    request = parse_request(name)
    counts: Any = confusion_at(rows, threshold)
    counts = counts.binary if request.measure.needs == (Binary,) else counts
    return float(request.measure(counts, **request.values))


@pytest.mark.parametrize("name", MEASURES)
@given(rows=scored_rows())
def test_no_threshold_beats_the_best_and_of_equals_the_highest_is_taken(
    name: str, rows: Rows
) -> None:
    best = best_threshold(rows.counts, name, replicates=0)
    sign = -1 if name == "error_rate" else 1
    thresholds = [inf, *sorted(set(rows.score[rows.weights > 0].tolist()), reverse=True)]
    values = [sign * value_at(rows, name, t) for t in thresholds]
    top = np.nanmax(values)
    assert sign * best.value == pytest.approx(top, abs=1e-12)
    first = next(t for t, v in zip(thresholds, values, strict=True) if v >= top - 1e-12)
    assert best.threshold == first
    assert value_at(rows, name, best.threshold) == pytest.approx(best.value, abs=1e-12)


def test_spam_by_hand() -> None:
    best = best_threshold(SPAM, "youden", replicates=0)
    # 6 of 9 spam and 2 of 11 ham at 0.657 or above; 0.676 leaves out the ham at 0.657
    assert best.threshold == 0.676
    assert best.below == 0.657
    assert best.value == pytest.approx(6 / 9 - 1 / 11)
    assert best.confusion is not None
    assert best.confusion.matrix().tolist() == [[10, 1], [3, 6]]


def test_threshold_of_a_cost_matrix_by_double_loop() -> None:
    cost = [[0, 1], [5, 0]]
    best = best_threshold(SPAM, rule_for_cells(cost, kind="cost"), replicates=0)
    costs = {
        t: 5 * int((TRUTH & (t > SCORE)).sum()) + int((~TRUTH & (t <= SCORE)).sum())
        for t in [inf, *SCORE.tolist()]
    }
    assert best.threshold == max(t for t, c in costs.items() if c == min(costs.values()))
    assert best.value == pytest.approx(min(costs.values()) / 20)


def test_profit_matrix_whose_first_class_is_positive_is_read_that_way() -> None:
    profit = [[140, -140], [-700, 0]]  # rows: good (positive here), bad
    scores = ScoreCounts.of(np.array([True, True, False, True]), np.array([0.9, 0.8, 0.5, 0.4]))
    best = best_threshold(scores, rule_for_cells(profit), positive=0, replicates=0)
    assert best.threshold == 0.8
    assert best.value == pytest.approx((140 + 140 - 140 + 0) / 4)
    assert best.confusion is not None
    assert best.confusion.matrix().tolist() == [[2, 1], [0, 1]]


@pytest.mark.parametrize(
    ("text", "threshold", "value", "kept"),
    [
        ("sensitivity >= 0.9", 0.16, 6 / 11 - 1 / 11, 1.0),
        ("specificity >= 0.9", 0.676, 6 / 9, 10 / 11),
        ("precision >= 0.85", 0.676, 6 / 9, 6 / 7),
        ("precision where recall >= 0.6", 0.676, 6 / 7, 6 / 9),
        ("false_positive_rate <= 0.1", 0.676, 6 / 9, 1 / 11),
    ],
)
def test_wanted_rate_is_kept_and_the_other_made_best(
    text: str, threshold: float, value: float, kept: float
) -> None:
    best = best_threshold(SPAM, text, replicates=0)
    assert best.threshold == threshold
    assert [e.value for e in best.earned] == pytest.approx([value, kept])


def test_rate_that_no_threshold_reaches_is_said_to_be_so() -> None:
    scores = ScoreCounts.of(np.array([False, True]), np.array([0.9, 0.1]))
    best = best_threshold(scores, "precision >= 0.9")
    assert isnan(best.threshold)
    assert isnan(best.value)
    assert best.note == "undefined: no threshold meets precision >= 0.9"


def test_calling_no_row_positive_is_a_threshold() -> None:
    scores = ScoreCounts.of(np.array([False, False, True]), np.array([0.9, 0.8, 0.1]))
    best = best_threshold(scores, "accuracy", replicates=0)
    assert best.threshold == inf
    assert best.note == "no row is called positive"


@given(rows=scored_rows(weighted=False), seed=st.integers(0, 10))
def test_same_seed_same_result_and_rules_do_not_disturb_each_other(rows: Rows, seed: int) -> None:
    alone = best_threshold(rows.counts, "youden", replicates=60, seed=seed)
    beside = best_thresholds(rows.counts, ["youden", "mcc"], replicates=60, seed=seed)[0]
    assert alone.rows()[0] == pytest.approx(beside.rows()[0], nan_ok=True)


def test_optimism_is_what_a_choice_on_half_of_the_rows_loses_on_the_other() -> None:
    rng = np.random.default_rng(4)
    truth = rng.random(300) < 0.4
    score = np.round(rng.normal(size=300) + truth, 1)
    best = best_threshold(ScoreCounts.of(truth, score), "accuracy", replicates=50)
    lost = []
    for _ in range(1500):
        order = rng.permutation(300)
        half, other = order[:150], order[150:]
        cuts = np.unique(score[half])
        here = [np.mean((score[half] >= c) == truth[half]) for c in cuts]
        cut = cuts[np.argmax(here)]
        lost.append(max(here) - np.mean((score[other] >= cut) == truth[other]))
    # of rows twice as many a free choice loses less
    assert best.earned[0].optimism == pytest.approx(2 ** (-2 / 3) * np.mean(lost), rel=0.15)
    assert best.earned[0].corrected == best.value - best.earned[0].optimism


def test_optimism_of_a_kept_rate_is_what_samples_lose_to_the_rows() -> None:
    rng = np.random.default_rng(4)
    truth = rng.random(200) < 0.4
    score = np.round(rng.normal(size=200) + truth, 1)
    best = best_threshold(ScoreCounts.of(truth, score), "recall >= 0.8", replicates=1000)
    lost = []
    for _ in range(1000):
        rows = rng.integers(0, 200, 200)
        kept = [c for c in np.unique(score[rows]) if np.mean(score[rows][truth[rows]] >= c) >= 0.8]
        cut = max(kept)
        here = np.mean(score[rows][truth[rows]] >= cut)
        lost.append(here - np.mean(score[truth] >= cut))
    assert best.earned[1].measure == "recall"
    assert best.earned[1].optimism == pytest.approx(np.mean(lost), rel=0.15)


def test_useless_scores_earn_nothing_after_correction() -> None:
    rng = np.random.default_rng(1)
    found = []
    for seed in range(30):
        scores = ScoreCounts.of(rng.random(80) < 0.5, rng.random(80))
        found.append(best_threshold(scores, "youden", replicates=200, seed=seed).earned[0])
    assert np.mean([e.value for e in found]) > 0.1
    assert abs(np.mean([e.corrected for e in found])) < 0.04
    assert np.mean([e.interval is not None and e.interval.low <= 0 for e in found]) > 0.9


def test_joined_scores_give_nearly_the_interval_of_all_scores() -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(6000) < 0.3
    scores = ScoreCounts.of(truth, rng.normal(size=6000) + 1.5 * truth)
    exact = best_threshold(scores, "f1", replicates=600, levels=10_000)
    rough = best_threshold(scores, "f1", replicates=600, levels=600)
    assert exact.threshold == rough.threshold
    assert "score bins" in rough.earned[0].interval.method  # type: ignore[union-attr]  # asked for
    assert rough.interval is not None
    assert exact.interval is not None
    assert rough.interval.low == pytest.approx(exact.interval.low, abs=0.06)
    assert rough.interval.high == pytest.approx(exact.interval.high, abs=0.06)
    assert rough.earned[0].optimism == pytest.approx(exact.earned[0].optimism, rel=0.25)


def test_weighted_rows_are_drawn_as_rows() -> None:
    weight = np.where(np.arange(20) % 2, 3.0, 1.0)
    scores = ScoreCounts.of(TRUTH, SCORE, weight)
    rows = ScoreRows(TRUTH, SCORE, weight)
    best = best_threshold(scores, "accuracy", replicates=200, rows=rows)
    assert best.interval is not None
    assert best.interval.method == "bootstrap percentile, 200 draws of 20 rows, seed 1"
    with pytest.raises(InputError, match="weighted rows"):
        best_threshold(scores, "accuracy", replicates=200)


def test_groups_are_drawn_whole() -> None:
    groups = np.repeat(np.arange(5), 4)
    rows = ScoreRows(TRUTH, SCORE, groups=groups)
    best = best_threshold(SPAM, "accuracy", replicates=200, rows=rows)
    assert best.interval is not None
    assert "200 draws of 5 groups" in best.interval.method


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("auc", "auc has no value at a single threshold"),
        ("prevalence", "prevalence has no direction in which it is better"),
        ("profit", "profit needs the value of each cell: give profit="),
        ("recall >= many", "'many' is not a number"),
        ("f1 >= 0.5", "name what to optimise: youden where f1 >= 0.5"),
        ("no_such", "no measure is called 'no_such'"),
    ],
)
def test_rule_that_means_nothing_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_rule(text)


def test_macro_average_of_two_classes_is_the_mean_of_both() -> None:
    best = best_threshold(SPAM, "f1_macro", replicates=0)
    assert best.confusion is not None
    (tn, fp), (fn, tp) = best.confusion.matrix().tolist()
    ham, spam = 2 * tn / (2 * tn + fp + fn), 2 * tp / (2 * tp + fp + fn)
    assert best.value == pytest.approx((ham + spam) / 2)


def test_table_has_a_record_for_each_measure_looked_at() -> None:
    best = best_threshold(SPAM, "recall >= 0.9", replicates=100)
    table = best.columns()
    assert table["measure"] == ["specificity", "recall"]
    assert table["threshold"] == [0.16, 0.16]
    assert not any(isnan(value) for value in table["low"])
    assert best_threshold(SPAM, "youden", replicates=0).columns()["optimism"] == pytest.approx(
        [nan], nan_ok=True
    )
