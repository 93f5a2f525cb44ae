"""Intervals after cross-validation: their formulas, their limits, and what they refuse."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import stats

from heldout.core.errors import InputError
from heldout.uncertainty.cross_validation import (
    FoldRanking,
    corrected_t_interval,
    fold_area_interval,
    mean_of_limits,
    nested_interval,
    refuse_naive,
)
from heldout.uncertainty.interval import Interval, absent


def test_corrected_t_is_the_formula_of_nadeau_and_bengio() -> None:
    values = np.random.default_rng(3).normal(0.8, 0.05, 100)
    made = corrected_t_interval(values, 1 / 9, level=0.9)
    error = sqrt((1 / 100 + 1 / 9) * values.var(ddof=1))
    reach = stats.t.ppf(0.95, 99) * error
    assert made.low == pytest.approx(values.mean() - reach, rel=1e-10)
    assert made.high == pytest.approx(values.mean() + reach, rel=1e-10)
    assert "Nadeau and Bengio" in made.method


def test_corrected_t_widens_with_the_test_share_and_stays_in_bounds() -> None:
    values = np.array([0.9, 1.0, 0.95, 1.0])
    narrow = corrected_t_interval(values, 1 / 9)
    wide = corrected_t_interval(values, 1.0)
    assert wide.width > narrow.width
    assert wide.within((0, 1)).high == 1.0
    many = np.tile(values, 10)
    repeated, plain = (corrected_t_interval(many, 1 / 9, folds=k) for k in (len(values), None))
    ratio = stats.t.ppf(0.975, 10) / stats.t.ppf(0.975, len(many) - 1)
    assert repeated.width / plain.width == pytest.approx(ratio)


def test_corrected_t_does_not_collapse_where_all_splits_agree() -> None:
    made = corrected_t_interval(np.ones(10), 1 / 9)
    assert made.is_absent
    assert "same value" in made.note
    assert corrected_t_interval(np.array([0.5]), 1 / 9).is_absent
    assert "infinite" in corrected_t_interval(np.array([0.5, np.inf]), 1 / 9).note


def test_naive_interval_is_refused_with_the_reason() -> None:
    error = refuse_naive()
    assert isinstance(error, InputError)
    assert "training rows" in str(error)


def influence_by_hand(
    truth: np.ndarray, score: np.ndarray, folds: np.ndarray
) -> tuple[float, float]:
    """The mean area and its standard error, pair by pair."""
    share = truth.mean()
    areas, squares = [], []
    for fold in np.unique(folds):
        y, s = truth[folds == fold], score[folds == fold]
        pairs = [[(a > b) + (a == b) / 2 for b in s[~y]] for a in s[y]]
        table = np.array(pairs, dtype=float)
        area = table.mean()
        lean = [
            *((table.mean(axis=1) - area) / share),
            *((table.mean(axis=0) - area) / (1 - share)),
        ]
        areas.append(area)
        squares.append(np.mean(np.square(lean)))
    return float(np.mean(areas)), sqrt(np.mean(squares) / len(truth))


def error_by_hand(
    truth: np.ndarray, score: np.ndarray, folds: np.ndarray
) -> tuple[float, float, float]:
    """The mean area, its standard error and degrees of freedom, by loops over pairs."""
    areas, parts = [], [0.0, 0.0]
    count = len(set(folds.tolist()))
    for fold in range(count):
        ups = [s for s, t, f in zip(score, truth, folds, strict=True) if t and f == fold]
        downs = [s for s, t, f in zip(score, truth, folds, strict=True) if not t and f == fold]
        pairs = np.array([[(u > d) + (u == d) / 2 for d in downs] for u in ups])
        areas.append(pairs.mean())
        for side, shares in enumerate((pairs.mean(axis=1), pairs.mean(axis=0))):
            parts[side] += float(shares.var(ddof=1)) / len(shares) / count**2
    free = [int(truth.sum()) - count, int((~truth).sum()) - count]
    freedom = sum(parts) ** 2 / sum(p**2 / f for p, f in zip(parts, free, strict=True))
    return float(np.mean(areas)), sqrt(sum(parts)), freedom


def test_cross_validated_area_has_delongs_variances_within_folds() -> None:
    rng = np.random.default_rng(5)
    truth = rng.random(60) < 0.4
    score = np.round(rng.normal(size=60) + truth, 1)
    folds = np.arange(60) % 4
    area, error, freedom = error_by_hand(truth, score, folds)
    made = fold_area_interval(FoldRanking(truth, score, folds))
    centre, reach = (
        log(area / (1 - area)),
        stats.t.ppf(0.975, freedom) * error / (area * (1 - area)),
    )
    assert made.low == pytest.approx(1 / (1 + exp(reach - centre)), rel=1e-6)
    assert made.high == pytest.approx(1 / (1 + exp(-reach - centre)), rel=1e-6)
    # of many rows it is what LeDell's influence curve gives
    many = np.repeat(np.arange(60), 40)
    narrow = fold_area_interval(FoldRanking(truth[many], score[many], folds[many]))
    area, error = influence_by_hand(truth[many], score[many], folds[many])
    centre, reach = log(area / (1 - area)), 1.959963985 * error / (area * (1 - area))
    assert narrow.low == pytest.approx(1 / (1 + exp(reach - centre)), rel=1e-2)


def test_one_positive_row_a_fold_still_has_an_interval_of_the_area() -> None:
    truth = np.tile([True, False, False, False], 6)
    score = np.random.default_rng(9).normal(size=24) + truth
    made = fold_area_interval(FoldRanking(truth, score, np.repeat(np.arange(6), 4)))
    assert 0 < made.low < made.high < 1


def test_cross_validated_area_compares_scores_within_folds_only() -> None:
    rng = np.random.default_rng(6)
    truth = np.tile([True, False], 20)
    score = rng.normal(size=40) + truth
    folds = np.repeat(np.arange(4), 10)
    shifted = fold_area_interval(FoldRanking(truth, score + 100 * folds, folds))
    assert shifted == fold_area_interval(FoldRanking(truth, score, folds))


def test_groups_widen_the_interval_of_the_area_where_rows_repeat_each_other() -> None:
    rng = np.random.default_rng(7)
    truth = rng.random(30) < 0.5
    score = rng.normal(size=30) + truth
    many = np.repeat(np.arange(30), 5)
    folds = (np.arange(30) % 3)[many]
    rows = fold_area_interval(FoldRanking(truth[many], score[many], folds))
    groups = fold_area_interval(FoldRanking(truth[many], score[many], folds, groups=many))
    assert groups.width > 1.5 * rows.width


def test_a_fold_without_a_class_and_perfect_folds_have_no_interval() -> None:
    truth = np.array([True, True, False, True])
    made = fold_area_interval(FoldRanking(truth, np.arange(4.0), np.array([0, 0, 1, 1])))
    assert "lacks one of the classes" in made.note
    perfect = fold_area_interval(FoldRanking(truth, truth.astype(float), np.zeros(4, int)))
    assert "perfectly" in perfect.note


def test_nested_interval_follows_bates_hastie_and_tibshirani() -> None:
    rng = np.random.default_rng(2)
    outer = [[rng.random(10) for _ in range(4)] for _ in range(3)]
    inner = [[[rng.random(10) for _ in range(3)] for _ in range(4)] for _ in range(3)]
    value, made = nested_interval(outer, inner)
    inside = np.mean([np.concatenate(i).mean() for r in inner for i in r])
    plain = np.mean([np.concatenate(r).mean() for r in outer])
    assert value == pytest.approx(inside - (1 + 2 / 4) * (inside - plain))
    a = [
        (np.concatenate(i).mean() - o.mean()) ** 2
        for ro, ri in zip(outer, inner, strict=True)
        for o, i in zip(ro, ri, strict=True)
    ]
    b = [o.var(ddof=1) / len(o) for r in outer for o in r]
    naive = np.concatenate([o for r in outer for o in r]).std(ddof=1) / sqrt(40)
    error = sqrt(3 / 4) * sqrt(max(np.mean(a) - np.mean(b), 0.0))
    error = min(max(error, naive), 2 * naive)
    assert made.width == pytest.approx(2 * 1.959963985 * error)


def test_groups_that_are_the_folds_do_not_collapse_the_interval() -> None:
    rng = np.random.default_rng(8)
    truth = rng.random(60) < 0.5
    score, folds = rng.normal(size=60) + truth, np.arange(60) % 6
    made = fold_area_interval(FoldRanking(truth, score, folds, groups=folds))
    plain = fold_area_interval(FoldRanking(truth, score, folds))
    assert plain.width / 2 < made.width < 3 * plain.width
    assert "6 groups" in made.method


def test_mean_of_repeats_has_limits_only_where_each_repeat_has() -> None:
    whole = Interval(0.6, 0.8, 0.95, "Wilson")
    assert mean_of_limits([(whole, 1.0), (whole, 3.0)]).high == pytest.approx(0.8)
    lacking = mean_of_limits([(whole, 1.0), (absent("one class", level=0.95), 1.0)])
    assert lacking.is_absent
    assert lacking.note == "one class"
