"""Whole groups and weighted rows resampled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.core.random import generator
from heldout.core.ratio import ratio
from heldout.tally.confusion import Confusion
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty import cells as cell_intervals
from heldout.uncertainty.cells import Cells, ConfusionBootstrap, GroupCells
from heldout.uncertainty.rankings import ScoreRows
from heldout.uncertainty.sample import Sample
from heldout.uncertainty.worth import GroupSizes

ROWS = 240
RNG = np.random.default_rng(7)
GROUPS = np.repeat(np.arange(40), 6)
TRUTH = RNG.integers(0, 2, ROWS)
#: all rows of a group are right or wrong together, nearly
WRONG = (RNG.random(40) < 0.25)[GROUPS] ^ (RNG.random(ROWS) < 0.05)
PREDICTED = TRUTH ^ WRONG
WEIGHT = RNG.gamma(2.0, size=ROWS)
WHOLE = Confusion.of(TRUTH, PREDICTED, classes=2, positive=1)


def accuracy(confusion: Confusion) -> Any:
    return ratio(confusion.correct, confusion.total)


def f_score(confusion: Confusion) -> Any:
    b = confusion.binary
    return ratio(2 * b.tp, 2 * b.tp + b.fp + b.fn)


def by_rows(statistic: Any, *, groups: Any = None, weight: Any = None, count: int = 3000) -> Any:
    """Resampled rows or groups, the long way."""
    rng, made = generator(3), []
    members = None if groups is None else [np.flatnonzero(groups == g) for g in np.unique(groups)]
    for _ in range(count):
        if members is None:
            rows = rng.integers(0, ROWS, ROWS)
        else:
            rows = np.concatenate([members[g] for g in rng.integers(0, len(members), len(members))])
        mass = None if weight is None else weight[rows]
        tally = Confusion.of(TRUTH[rows], PREDICTED[rows], mass, classes=2, positive=1)
        made.append(float(statistic(tally)))
    return np.array(made)


def test_drawing_kinds_of_groups_is_drawing_groups() -> None:
    sums = Sample.of_cells(GROUPS, TRUTH, PREDICTED, WHOLE)
    assert sums.units == 40
    assert (sums.count @ sums.sums == WHOLE.counts).all()
    drawn = sums.drawn(generator(1), 3000)
    made = f_score(Confusion(2, WHOLE.cells, drawn, 1, ROWS))
    slow = by_rows(f_score, groups=GROUPS)
    assert made.std() == pytest.approx(slow.std(), rel=0.06)
    levels = [0.025, 0.5, 0.975]
    assert np.quantile(made, levels) == pytest.approx(np.quantile(slow, levels), abs=0.015)


def test_groups_that_hang_together_widen_the_interval() -> None:
    sums = Sample.of_cells(GROUPS, TRUTH, PREDICTED, WHOLE)
    for kind in ("bayesian", "percentile", "bca"):
        of_groups = ConfusionBootstrap(GroupCells(WHOLE, sums)).interval(accuracy, kind=kind)
        of_rows = ConfusionBootstrap(Cells.of_counts(WHOLE)).interval(accuracy, kind=kind)
        assert of_groups.width > 1.7 * of_rows.width
        assert "2000 draws of 40 groups, seed 1" in of_groups.method


def test_groups_of_one_row_are_rows() -> None:
    sums = Sample.of_cells(np.arange(ROWS), TRUTH, PREDICTED, WHOLE)
    assert len(sums.count) == 4
    of_groups = ConfusionBootstrap(GroupCells(WHOLE, sums), replicates=8000)
    of_rows = ConfusionBootstrap(Cells.of_counts(WHOLE), replicates=8000)
    for kind in ("bayesian", "percentile", "basic", "bca"):
        one, other = (b.interval(f_score, kind=kind) for b in (of_groups, of_rows))
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.01)


def test_left_out_groups_are_those_left_out_one_by_one() -> None:
    sums = Sample.of_cells(GROUPS, TRUTH, PREDICTED, WHOLE)
    left, multiplicity = sums.without_one()
    made = np.repeat(left[:, 0], multiplicity)
    expected = [
        WHOLE.counts[0] - np.sum((TRUTH == 0) & (PREDICTED == 0) & (g == GROUPS)) for g in range(40)
    ]
    assert np.sort(made).tolist() == np.sort(expected).tolist()


def test_few_groups_are_remarked_and_none_refused() -> None:
    few = Sample.of_cells(GROUPS % 5, TRUTH, PREDICTED, WHOLE)
    made = ConfusionBootstrap(GroupCells(WHOLE, few)).interval(accuracy)
    assert made.note == "only 5 groups: the variation between groups is poorly estimated"
    assert made.method.endswith("stretched for 5 groups")
    assert GroupSizes.equal(20).remark == ""
    with pytest.raises(InputError, match="no groups"):
        Sample(np.zeros((0, 2)), np.zeros(0, int)).drawn(generator(1), 2)


@pytest.mark.parametrize("groups", [4, 8])
def test_areas_of_few_groups_are_covered(groups: int) -> None:
    # rows stand alone here: whatever few groups look like, the area is that of all rows
    area, hits = 0.7602, 0
    for seed in range(40):
        draw = np.random.default_rng(seed)
        truth = np.tile([0, 1], 60)
        score = draw.normal(size=120) + truth
        found = heldout.score(
            truth, y_score=score, groups=np.arange(120) * groups // 120, pos_label=1, replicates=200
        )["auc"]
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= area <= found.high
    assert hits >= 36, f"{hits} of 40 cover"


def test_sums_of_losses_by_group_give_ratios_of_sums() -> None:
    losses = RNG.exponential(size=ROWS)
    sums = Sample.of_values(GROUPS, losses * WEIGHT, WEIGHT)
    top, bottom = sums.drawn(generator(1), 500).T
    assert np.median(top / bottom) == pytest.approx(np.average(losses, weights=WEIGHT), rel=0.05)


def test_faultless_groups_do_not_collapse_to_a_point() -> None:
    whole = Confusion.of(TRUTH, TRUTH, classes=2, positive=1)
    sums = Sample.of_cells(GROUPS, TRUTH, TRUTH, whole)
    made = ConfusionBootstrap(GroupCells(whole, sums)).interval(f_score, bounds=(0, 1))
    # the pseudo-row weighs as much as a group: the limit is that of as many rows as groups
    alone = Confusion.from_matrix(np.rint(whole.matrix() / 6).astype(int), positive=1)
    rows = ConfusionBootstrap(Cells.of_counts(alone)).interval(f_score, bounds=(0, 1))
    assert made.high == 1
    assert made.low == pytest.approx(rows.low, abs=0.02)


@pytest.mark.parametrize("distinct", [1000, 3])
def test_drawing_kinds_of_weighted_rows_is_drawing_rows(
    distinct: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cell_intervals, "DISTINCT", distinct)
    cells = Cells.of(TRUTH, PREDICTED, WEIGHT, classes=2, positive=1)
    assert cells.spread.any() == (distinct == 3)
    assert len(cells.rows) == (ROWS if distinct == 1000 else 4)
    assert cells.rows.sum() == ROWS
    made = f_score(cells.draw(3000, generator(1)))
    slow = by_rows(f_score, weight=WEIGHT)
    assert made.mean() == pytest.approx(slow.mean(), abs=0.004)
    assert made.std() == pytest.approx(slow.std(), rel=0.06)
    smooth = f_score(cells.weigh(3000, generator(1)))
    assert smooth.std() == pytest.approx(slow.std(), rel=0.08)


def test_equal_weights_of_any_scale_are_no_weights() -> None:
    cells = Cells.of(TRUTH, PREDICTED, np.full(ROWS, 2.5), classes=2, positive=1)
    assert len(cells.rows) == 4
    weighted = ConfusionBootstrap(cells, replicates=8000)
    plain = ConfusionBootstrap(Cells.of_counts(WHOLE), replicates=8000)
    for kind, far in (("bayesian", 1e-9), ("percentile", 0.01), ("bca", 0.01)):
        one, other = (b.interval(f_score, kind=kind) for b in (weighted, plain))
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=far)


def test_stratified_weights_keep_the_rows_of_each_class() -> None:
    cells = Cells.of(TRUTH, PREDICTED, np.ones(ROWS), classes=2, positive=1)
    drawn = cells.draw(20, generator(1), stratified=True)
    assert (drawn.actual == WHOLE.actual).all()
    smooth = cells.weigh(20, generator(1), stratified=True)
    assert smooth.actual == pytest.approx(np.broadcast_to(WHOLE.actual, (20, 2)))


def test_row_without_weight_is_no_row() -> None:
    weight = np.where(np.arange(ROWS) < 10, 0.0, WEIGHT)
    cells = Cells.of(TRUTH, PREDICTED, weight, classes=2, positive=1)
    assert cells.rows.sum() == ROWS - 10
    assert cells.confusion.total == pytest.approx(WEIGHT[10:].sum())


def test_scores_of_rows_are_tallied_as_often_as_drawn() -> None:
    score = np.round(RNG.normal(size=ROWS) + TRUTH, 1)
    rows = ScoreRows(TRUTH == 1, score, WEIGHT, groups=GROUPS)
    once = rows.counts(np.ones(ROWS, int))
    plain = ScoreCounts.of(TRUTH == 1, score, WEIGHT)
    assert np.array_equal(once.score, plain.score)
    assert once.positives == pytest.approx(plain.positives)
    assert once.negatives == pytest.approx(plain.negatives)
    made = rows.replicate(lambda s: s.total_positives, replicates=300, rng=generator(1))
    by_group = np.bincount(GROUPS, WEIGHT * (TRUTH == 1))
    assert made.std() == pytest.approx(by_group.std() * 40**0.5, rel=0.15)
    left = rows.jackknife(lambda s: s.total_positives, rng=generator(1))
    assert np.sort(left.values) == pytest.approx(np.sort(by_group.sum() - by_group))


def test_stratified_scores_keep_their_classes() -> None:
    rows = ScoreRows(TRUTH == 1, RNG.normal(size=ROWS), stratified=True)
    made = rows.replicate(lambda s: s.total_positives, replicates=20, rng=generator(1))
    assert (made == TRUTH.sum()).all()


@pytest.mark.parametrize("width", [1, 3, 40])
@pytest.mark.parametrize("kind", [int, float])
def test_kinds_of_groups_are_those_of_a_plain_sort(width: int, kind: Any) -> None:
    rng = np.random.default_rng(width)
    codes = rng.choice(np.array([5, 2, 900, 70_000]), 300)
    values = [rng.integers(-1, 2, 300).astype(kind) for _ in range(width)]
    for numbers in (codes, codes.astype(str), codes % 7, codes.astype(np.uint32)):
        made = Sample.of_values(numbers, *values)
        present, place = np.unique(numbers, return_inverse=True)
        sums = np.column_stack([np.bincount(place, v, minlength=len(present)) for v in values])
        table, often = np.unique(sums, axis=0, return_counts=True)
        np.testing.assert_array_equal(made.table, table)
        np.testing.assert_array_equal(made.count, often)
