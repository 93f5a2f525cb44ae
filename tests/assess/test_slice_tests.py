"""Tests of a slice against the rest, beside SciPy's, statsmodels' and their definitions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import heldout
from heldout.assess.influences import influence_of
from heldout.assess.slice_influences import influence_tests
from heldout.assess.slice_tests import share_test
from heldout.assess.slices import slice_tables
from heldout.assess.values import overall
from heldout.core.significance import holm
from heldout.engines.memory import Tallies
from heldout.measures.spec import parse_request
from heldout.tally.roc import area
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.areas import auc_variance

if TYPE_CHECKING:
    from heldout.core.significance import Test


@given(values=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_that_of_statsmodels(values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert holm(values) == pytest.approx(multipletests(values, method="holm")[1])


def test_holm_does_not_count_what_was_not_tested() -> None:
    found = holm([0.01, float("nan"), 0.02])
    assert found[[0, 2]].tolist() == [0.02, 0.02]
    assert np.isnan(found[1])
    assert len(holm([])) == 0


@given(counts=st.tuples(*[st.integers(0, 9)] * 4))
def test_small_counts_are_judged_by_fishers_exact_test(counts: tuple[int, ...]) -> None:
    from scipy.stats import fisher_exact

    a, b, c, d = counts
    if not a + b or not c + d:
        assert np.isnan(share_test(a, a + b, c, c + d).p_value)
        return
    found = share_test(a, a + b, c, c + d)
    assert found.method == "Fisher's exact test"
    assert found.p_value == pytest.approx(fisher_exact([[a, b], [c, d]])[1])


def test_large_counts_are_judged_by_the_score_test() -> None:
    from scipy.stats import chi2_contingency

    found = share_test(40, 100, 900, 1500)
    table = [[40, 60], [900, 600]]
    assert found.method == "score test"
    assert found.p_value == pytest.approx(chi2_contingency(table, correction=False)[1])
    assert found.estimate == pytest.approx(0.4 - 0.6)


def test_millions_of_rows_with_few_successes_stay_exact() -> None:
    from scipy.stats import fisher_exact

    found = share_test(4, 50_000, 60, 4_950_000)
    assert found.p_value == pytest.approx(fisher_exact([[4, 49_996], [60, 4_949_940]])[1])


def influence_test(name: str, some: Any, rest: Any, **more: Any) -> Test:
    """The test of the first of two slices, each given as truth and score (or value)."""
    truth, score = (np.concatenate(pair) for pair in zip(some, rest, strict=True))
    where = np.repeat(["a", "b"], [len(some[0]), len(rest[0])])
    given = {"y_pred": score} if more.get("task") else {"y_score": score, "pos_label": 1}
    card = heldout.score(truth, slices={"site": where}, **given, **more)
    whole = card.tallies[0]
    influence = influence_of(parse_request(name), whole)
    assert influence is not None
    return influence_tests(influence, whole, "site", [0.0, 0.0])[0]


@pytest.mark.parametrize("spread", [0.5, 2.0])
def test_means_are_judged_by_the_less_sure_of_welchs_t_and_students(spread: float) -> None:
    from scipy.stats import ttest_ind

    rng = np.random.default_rng(1)
    some, rest = spread * rng.normal(size=200), rng.normal(size=600) + 0.2
    made = influence_test("bias", (0 * some, some), (0 * rest, rest), task="regression")
    each = [ttest_ind(some, rest, equal_var=equal)[1] for equal in (True, False)]
    assert made.p_value == pytest.approx(max(each), rel=0.05)
    assert made.method == "Welch's t and permutation of labels, influences of rows"


def test_rows_that_happen_to_agree_are_not_certain() -> None:
    some, rest = np.zeros(6), np.random.default_rng(2).exponential(size=200)
    made = influence_test("mae", (some, some), (0 * rest, rest), task="regression")
    assert 0.001 < made.p_value < 0.1


def test_infinite_loss_has_no_test() -> None:
    truth, score = np.array([1, 0] * 40), np.array([0.0, 0.3] + [0.8, 0.3] * 39)
    card = heldout.score(truth, y_score=score, pos_label=1, slices={"s": [0, 1] * 40})
    (table,) = slice_tables(card.tallies[0], [parse_request("log_loss")])
    assert {r.test.p_value for r in table.results if r.test} != {0.0}
    assert all("the loss of 1 row is infinite" in r.note for r in table.results)


def ranked(rng: np.random.Generator, rows: int, shift: float) -> tuple[Any, Any]:
    truth = rng.random(rows) < 0.5
    return truth.astype(int), rng.normal(size=rows) + shift * truth


def test_areas_are_judged_about_as_delong_judges_separate_rows() -> None:
    rng = np.random.default_rng(3)
    for shifts in ((1.2, 1.0), (0.8, 1.1)):
        some, rest = (ranked(rng, 400, shift) for shift in shifts)
        made = influence_test("auc", some, rest)
        counts = [ScoreCounts.of(t == 1, s) for t, s in (some, rest)]
        # the unpaired test of DeLong, as in R's pROC
        z = (area(counts[0]) - area(counts[1])) / sum(map(auc_variance, counts)) ** 0.5
        assert made.statistic == pytest.approx(z, abs=0.25)


def test_perfect_ranking_of_a_few_rows_is_not_certain() -> None:
    rest = ranked(np.random.default_rng(4), 500, 1.5)
    few = (np.repeat([1, 0], 5), np.arange(10.0)[::-1] / 3 - 1)
    assert influence_test("auc", few, rest).p_value > 0.02


@pytest.mark.parametrize(
    ("name", "of"), [("f_score", "binary"), ("auc", "binary"), ("mcc", "binary"), ("r2", "values")]
)
def test_alike_slices_are_told_apart_at_the_level(name: str, of: str) -> None:
    p_values = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        if of == "binary":
            some, rest = ranked(rng, 60, 1.0), ranked(rng, 240, 1.0)
            more: dict[str, Any] = {"threshold": 0.5}
        else:
            some, rest = (
                (truth, truth + rng.normal(size=len(truth)))
                for truth in (rng.normal(size=60), rng.normal(size=240))
            )
            more = {"task": "regression"}
        p_values.append(influence_test(name, some, rest, **more).p_value)
    # 10 of 200 are due; more than 19 have a chance of 0.003
    assert sum(p < 0.05 for p in p_values) <= 19
    assert sum(p < 0.5 for p in p_values) >= 60


def test_influence_of_rows_is_how_their_weight_moves_the_value() -> None:
    rng = np.random.default_rng(7)
    truth, score = ranked(rng, 50, 1.0)
    card = heldout.score(truth, y_score=1 / (1 + np.exp(-score)), pos_label=1)
    whole = card.tallies[0]
    for name in ("auc", "f_score", "kappa", "brier_skill", "calibration_slope", "log_loss"):
        request = parse_request(name)
        influence = influence_of(request, whole)
        assert influence is not None
        shift = influence.loss(whole.probability_rows)
        for row in (0, 7, 20):
            weight = np.ones(50)
            weight[row] += 1e-4
            heavier = Tallies(replace(whole.predictions, weight=weight))
            moved = (overall(request, heavier).value - overall(request, whole).value) / 1e-4
            scale = 50 if influence.scales is None else whole.predictions.truth.sum()
            if influence.scales is not None and not truth[row]:
                scale = 50 - scale
            assert shift[row] / scale == pytest.approx(moved, abs=2e-4), name
