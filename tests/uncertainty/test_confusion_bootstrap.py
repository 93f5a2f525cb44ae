"""Drawing cells is drawing rows: moments, quantiles, left-out rows, and tables without a fault."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from heldout.core.errors import InputError
from heldout.core.random import generator
from heldout.core.ratio import ratio
from heldout.tally.confusion import Confusion
from heldout.uncertainty.cells import Cells, ConfusionBootstrap, pseudo_row
from heldout.uncertainty.proportions import proportion_interval

TRUTH = np.repeat([0, 0, 1, 1, 2, 2], [12, 3, 20, 4, 5, 6])
PREDICTED = np.repeat([0, 1, 1, 2, 2, 0], [12, 3, 20, 4, 5, 6])
tables = st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(lambda t: sum(t) > 1)


def f_score(confusion: Confusion) -> Any:
    b = confusion.binary
    return ratio(2 * b.tp, 2 * b.tp + b.fp + b.fn)


def kappa(confusion: Confusion) -> Any:
    total = confusion.total
    chance = ratio((confusion.actual * 1.0 * confusion.chosen).sum(axis=-1), total * 1.0 * total)
    return ratio(ratio(confusion.correct, total) - chance, 1 - chance)


def by_rows(replicates: int, *, stratified: bool) -> Any:
    """Kappa of resampled rows, the long way."""
    rng, made = generator(8), []
    for _ in range(replicates):
        if stratified:
            classes = [np.flatnonzero(k == TRUTH) for k in range(3)]
            rows = np.concatenate([rng.choice(rows, len(rows)) for rows in classes])
        else:
            rows = rng.integers(0, len(TRUTH), len(TRUTH))
        made.append(float(kappa(Confusion.of(TRUTH[rows], PREDICTED[rows], classes=3))))
    return np.array(made)


@pytest.mark.parametrize("stratified", [False, True])
def test_drawing_cells_has_the_distribution_of_drawing_rows(stratified: bool) -> None:
    whole = Confusion.of(TRUTH, PREDICTED, classes=3)
    cells = kappa(Cells.of_counts(whole).draw(4000, generator(9), stratified=stratified))
    rows = by_rows(4000, stratified=stratified)
    assert cells.mean() == pytest.approx(rows.mean(), abs=0.006)
    assert cells.std() == pytest.approx(rows.std(), rel=0.06)
    levels = [0.025, 0.25, 0.5, 0.75, 0.975]
    assert np.quantile(cells, levels) == pytest.approx(np.quantile(rows, levels), abs=0.02)
    assert stats.ks_2samp(cells, rows).pvalue > 0.001


def test_stratified_draws_keep_the_true_classes() -> None:
    whole = Confusion.of(TRUTH, PREDICTED, classes=3)
    kept = Cells.of_counts(whole).draw(50, generator(1), stratified=True)
    free = Cells.of_counts(whole).draw(50, generator(1))
    assert (kept.actual == whole.actual).all()
    assert not (free.actual == whole.actual).all()
    assert (free.total == len(TRUTH)).all()
    assert kept.rows == len(TRUTH)


@given(tables)
def test_left_out_rows_are_those_left_out_one_by_one(table: list[int]) -> None:
    whole = Confusion.from_matrix(np.reshape(table, (2, 2)), positive=0)
    without, rows = Cells.of_counts(whole).leave_one_out()
    made = np.repeat(f_score(without), rows)
    expected = []
    for cell in np.repeat(np.arange(4), table):
        left = np.array(table)
        left[cell] -= 1
        expected.append(f_score(Confusion.from_matrix(left.reshape(2, 2), positive=0)))
    assert np.array_equal(made, np.array(expected), equal_nan=True)


def test_weighted_counts_are_refused() -> None:
    whole = Confusion.from_matrix([[1.5, 2.0], [0.5, 1.0]], positive=0)
    with pytest.raises(InputError, match="resample rows with their weights"):
        Cells.of_counts(whole).draw(5, generator(1))


@pytest.mark.parametrize(("right", "wrong"), [(20, 0), (17, 3), (1, 9)])
def test_bayesian_interval_of_the_accuracy_is_that_of_jeffreys(right: int, wrong: int) -> None:
    whole = Confusion.from_matrix([[right - right // 3, wrong], [0, right // 3]], positive=0)
    bootstrap = ConfusionBootstrap(Cells.of_counts(whole), replicates=20_000)
    made = bootstrap.interval(lambda c: c.correct / c.total, bounds=(0, 1))
    jeffreys = proportion_interval(right, right + wrong, method="jeffreys")
    assert (made.low, made.high) == pytest.approx((jeffreys.low, jeffreys.high), abs=0.01)


def test_pseudo_row_is_one_row_half_right_and_half_wrong() -> None:
    whole = Confusion.from_matrix(np.ones((5, 5), int))
    prior = pseudo_row(whole)
    right = whole.truth == whole.predicted
    assert prior[right].sum() == pytest.approx(0.5)
    assert prior[~right].sum() == pytest.approx(0.5)


def test_bayesian_draws_keep_the_number_of_rows_and_the_strata() -> None:
    whole = Confusion.of(TRUTH, PREDICTED, classes=3)
    drawn = Cells.of_counts(whole).weigh(50, generator(1), stratified=True)
    assert drawn.actual == pytest.approx(np.broadcast_to(whole.actual, (50, 3)))
    assert len(drawn.cells) == 9
    free = Cells.of_counts(whole).weigh(50, generator(1))
    assert free.total == pytest.approx(np.full(50, 50.0))


@pytest.mark.parametrize("kind", ["bayesian", "percentile", "basic", "bca"])
@pytest.mark.parametrize("statistic", [f_score, kappa])
def test_faultless_table_does_not_collapse_to_a_point(kind: str, statistic: Any) -> None:
    whole = Confusion.from_matrix([[10, 0], [0, 10]], positive=0)
    made = ConfusionBootstrap(Cells.of_counts(whole)).interval(statistic, kind=kind, bounds=(-1, 1))
    assert made.high == 1
    assert 0.6 < made.low < 0.95
    assert made.method == "Dirichlet posterior (Perks prior), 2000 draws of cells, seed 1"


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca"])
def test_interval_names_its_method_and_holds_the_estimate(kind: str) -> None:
    whole = Confusion.from_matrix([[30, 10], [5, 55]], positive=0)
    made = ConfusionBootstrap(Cells.of_counts(whole), replicates=999, seed=4).interval(
        f_score, kind=kind
    )
    words = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}[kind]
    assert made.method == f"bootstrap {words}, 999 draws of cells, seed 4"
    assert made.contains(f_score(whole))


def test_interval_depends_on_the_seed_and_on_nothing_asked_before() -> None:
    whole = Confusion.from_matrix([[30, 10], [5, 55]], positive=0)
    first, second = (
        ConfusionBootstrap(Cells.of_counts(whole), seed=3),
        ConfusionBootstrap(Cells.of_counts(whole), seed=3),
    )
    second.interval(kappa)
    second.interval(kappa, kind="bca")
    for kind in ("bayesian", "percentile"):
        assert first.interval(f_score, kind=kind) == second.interval(f_score, kind=kind)
        assert first.interval(f_score, kind=kind) != ConfusionBootstrap(
            Cells.of_counts(whole), seed=5
        ).interval(f_score, kind=kind)


def test_draws_in_blocks_are_the_draws_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Confusion.of(TRUTH, PREDICTED, classes=3)
    at_once = ConfusionBootstrap(Cells.of_counts(whole)).interval(kappa, kind="percentile")
    monkeypatch.setattr("heldout.uncertainty.cells.BLOCK_CELLS", 1000)
    assert ConfusionBootstrap(Cells.of_counts(whole)).interval(kappa, kind="percentile") == at_once


def test_values_of_all_classes_come_from_the_same_draws() -> None:
    whole = Confusion.of(TRUTH, PREDICTED, classes=3)
    bootstrap = ConfusionBootstrap(Cells.of_counts(whole))

    def recalls(c: Confusion) -> Any:
        return ratio(c.hits, c.actual)

    for kind in ("bayesian", "percentile", "bca"):
        every = bootstrap.replicated(recalls).intervals(kind, bounds=(0, 1))
        single = bootstrap.interval(lambda c: recalls(c)[..., 1], kind=kind, bounds=(0, 1))
        assert len(every) == 3
        assert every[1] == single


def test_undefined_value_has_no_interval() -> None:
    whole = Confusion.from_matrix([[0, 0], [3, 5]], positive=0)
    made = ConfusionBootstrap(Cells.of_counts(whole)).interval(
        lambda c: ratio(c.binary.tp, c.binary.positives)
    )
    assert made.is_absent
    assert made.note == "the value itself is undefined"


def test_bca_of_cells_is_scipys_bca_of_rows() -> None:
    whole = Confusion.from_matrix([[14, 4], [2, 10]], positive=0)
    rows = np.repeat(whole.cells, whole.counts)

    def of_rows(cells: Any, axis: int = -1) -> Any:
        tp, fn, fp = ((cells == k).sum(axis=axis) for k in range(3))
        return 2 * tp / (2 * tp + fp + fn)

    theirs = stats.bootstrap(
        (rows,), of_rows, n_resamples=5000, method="BCa", rng=np.random.default_rng(3)
    ).confidence_interval
    made = ConfusionBootstrap(Cells.of_counts(whole), replicates=20_000).interval(
        f_score, kind="bca"
    )
    assert (made.low, made.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)
