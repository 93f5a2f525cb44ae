"""Rates, balances and odds of one class against the rest."""

from __future__ import annotations

from math import inf, isnan, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from heldout.core.errors import InputError
from heldout.measures import confusion as rates
from heldout.measures import confusion_counts as counts
from heldout.measures.registry import Measure, find, measures
from heldout.tally.confusion import Binary, Confusion

MODULES = {module.__name__ for module in (rates, counts)}
BINARY = [m for m in measures() if m.module in MODULES and m.needs == (Binary,)]
assert len(BINARY) > 20

#: Altman and Bland (1994), liver scans against pathology
ALTMAN = Binary(tp=231, fp=32, fn=27, tn=54)


def value(name: str, tally: Any, **parameters: Any) -> float:
    return float(find(name)(tally, **parameters))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sensitivity", 0.895348837209302),
        ("specificity", 0.627906976744186),
        ("ppv", 0.878326996197719),
        ("npv", 0.666666666666667),
        ("f1", 0.886756238003839),
        ("prevalence", 0.75),
        ("detection_rate", 0.671511627906977),
        ("detection_prevalence", 0.76453488372093),
        ("j_index", 0.523255813953488),
        ("phi", 0.534014140881678),
        ("tp", 231),
        ("fp", 32),
        ("fn", 27),
        ("tn", 54),
        ("support", 258),
        ("negatives", 86),
    ],
)
def test_altman_and_bland_get_what_caret_and_yardstick_say(name: str, expected: float) -> None:
    assert value(name, ALTMAN) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("tally", "expected"),
    [
        # rows = prediction (85, 4), (2, 9) of a lecture, positive first
        (Binary(85, 4, 2, 9), {"tpr": 0.977, "tnr": 0.692, "precision": 0.955}),
        # 20 emails at threshold 0.5
        (Binary(6, 2, 3, 9), {"tpr": 0.667, "tnr": 0.818, "fpr": 0.182, "fnr": 0.333, "f1": 0.706}),
        # pick the right ones of a, b, d out of a, b, c, d
        (Binary(1, 0, 2, 1), {"recall": 1 / 3, "precision": 1.0, "f1": 0.5}),
        (Binary(3, 1, 0, 0), {"recall": 1.0, "precision": 0.75, "f1": 6 / 7}),
        (Binary(3, 0, 0, 1), {"recall": 1.0, "precision": 1.0, "f1": 1.0}),
        # same accuracy, and same precision and recall, of different behaviour
        (Binary(200, 100, 300, 400), {"tpr": 0.4, "tnr": 0.8, "precision": 2 / 3}),
        (Binary(400, 300, 100, 200), {"tpr": 0.8, "tnr": 0.4}),
        (Binary(200, 100, 300, 0), {"tpr": 0.4, "tnr": 0.0, "precision": 2 / 3}),
        # churn, k nearest neighbours and naive Bayes
        (Binary(1, 0, 9, 90), {"precision": 1.0, "recall": 0.1}),
        (Binary(8, 20, 2, 70), {"precision": 2 / 7, "recall": 0.8}),
        # Powers (2007), table 2
        (Binary(30, 12, 30, 28), {"precision": 5 / 7, "recall": 0.5, "f1": 10 / 17}),
        # scikit-learn's test of likelihood ratios
        (Binary(tp=2, fp=8, fn=1, tn=9), {"lr_plus": 17 / 12, "lr_minus": 17 / 27}),
    ],
)
def test_worked_examples(tally: Binary, expected: dict[str, float]) -> None:
    found = {name: value(name, tally) for name in expected}
    assert found == pytest.approx(expected, abs=5e-4)


#: ten scores, hand-calculated by ROCR's authors: counts at each cut-off from infinity down
ROCR = Binary(
    tp=np.array([0, 1, 2, 2, 3, 4, 4, 5, 5, 5, 5]),
    fp=np.array([0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5]),
    fn=5 - np.array([0, 1, 2, 2, 3, 4, 4, 5, 5, 5, 5]),
    tn=5 - np.array([0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5]),
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ppv", [nan, 1, 1, 2 / 3, 0.75, 0.8, 2 / 3, 5 / 7, 0.625, 5 / 9, 0.5]),
        ("npv", [0.5, 5 / 9, 0.625, 4 / 7, 2 / 3, 0.8, 0.75, 1, 1, 1, nan]),
        (
            "phi",
            [nan, 1 / 3, 0.5, 21**-0.5, 6**-0.5, 0.6, 6**-0.5, (3 / 7) ** 0.5, 0.5, 1 / 3, nan],
        ),
        # ROCR's table has no number where heldout says infinite
        ("odds", [nan, inf, inf, 8 / 3, 6, 16, 6, inf, inf, inf, nan]),
        ("lift", [nan, 2, 2, 4 / 3, 1.5, 1.6, 4 / 3, 10 / 7, 1.25, 10 / 9, 1]),
        # ROCR calls F undefined without a predicted positive; with five missed it is 0
        ("f1", [0, 1 / 3, 4 / 7, 0.5, 2 / 3, 0.8, 8 / 11, 5 / 6, 10 / 13, 5 / 7, 2 / 3]),
        ("rpp", [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]),
    ],
)
def test_values_along_cut_offs_are_those_of_rocr(name: str, expected: list[float]) -> None:
    found = find(name)(ROCR)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("m", BINARY, ids=lambda m: m.name)
@given(cells=st.lists(st.tuples(*[st.integers(0, 4)] * 4), min_size=1, max_size=12))
def test_array_of_counts_gives_the_value_of_each(m: Measure, cells: list[tuple[int, ...]]) -> None:
    together = m(Binary(*np.array(cells, np.int32).T))
    alone = [m(Binary(*cell)) for cell in cells]
    assert isinstance(together, np.ndarray)
    np.testing.assert_array_equal(np.asarray(together, float), np.array(alone, float))


@pytest.mark.parametrize("m", BINARY, ids=lambda m: m.name)
@given(cell=st.tuples(*[st.integers(0, 6)] * 4), scale=st.sampled_from([10**10, 0.1, 1e-3]))
def test_many_rows_of_each_kind_change_no_rate(
    m: Measure, cell: tuple[int, ...], scale: float
) -> None:
    few = m(Binary(*cell))
    plain = m(Binary(*(count * scale for count in cell)))
    array = m(Binary(*(np.array([count * scale]) for count in cell)))[0]
    expected = few * scale if m.is_count else few
    assert plain == pytest.approx(expected, rel=1e-12, nan_ok=True)
    assert array == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("m", BINARY, ids=lambda m: m.name)
@given(cell=st.tuples(*[st.integers(0, 5)] * 4))
def test_value_is_within_bounds_or_undefined(m: Measure, cell: tuple[int, ...]) -> None:
    found = m(Binary(*cell))
    assert m.undefined if isnan(found) else m.bounds[0] <= found <= m.bounds[1]


@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn_agrees_with_and_without_weights(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, predicted = rng.integers(0, 2, (2, 60))
    for weight in (None, rng.random(60)):
        tally = Confusion.of(truth, predicted, weight, classes=2, positive=1).binary
        with_weight = {"sample_weight": weight}
        expected = {
            "precision": sk.precision_score(truth, predicted, **with_weight),
            "recall": sk.recall_score(truth, predicted, **with_weight),
            "specificity": sk.recall_score(truth, predicted, pos_label=0, **with_weight),
            "npv": sk.precision_score(truth, predicted, pos_label=0, **with_weight),
            "f1": sk.f1_score(truth, predicted, **with_weight),
            "jaccard": sk.jaccard_score(truth, predicted, **with_weight),
            "phi": sk.matthews_corrcoef(truth, predicted, **with_weight),
        }
        plus, minus = sk.class_likelihood_ratios(truth, predicted, **with_weight)
        expected |= {"lr_plus": plus, "lr_minus": minus, "odds_ratio": plus / minus}
        found = {name: value(name, tally) for name in expected}
        assert found == pytest.approx(expected, rel=1e-10)
        for beta in (0.5, 2.0):
            score = sk.fbeta_score(truth, predicted, beta=beta, **with_weight)
            assert rates.f_score(tally, beta=beta) == pytest.approx(score, rel=1e-12)


def test_rates_of_the_same_rows_add_up_to_one() -> None:
    assert value("recall", ALTMAN) + value("false_negative_rate", ALTMAN) == 1
    assert value("specificity", ALTMAN) + value("false_positive_rate", ALTMAN) == 1
    assert value("precision", ALTMAN) + value("false_discovery_rate", ALTMAN) == 1
    assert value("negative_predictive_value", ALTMAN) + value("false_omission_rate", ALTMAN) == 1
    assert rates.fowlkes_mallows(ALTMAN) ** 2 == pytest.approx(231 / 263 * 231 / 258)
    assert rates.markedness(ALTMAN) == pytest.approx(231 / 263 + 54 / 81 - 1)


def test_f_score_is_zero_with_errors_and_undefined_without_positives() -> None:
    assert rates.f_score(Binary(tp=0, fp=0, fn=2, tn=1)) == 0.0
    assert rates.f_score(Binary(tp=0, fp=2, fn=0, tn=1)) == 0.0
    assert isnan(rates.f_score(Binary(tp=0, fp=0, fn=0, tn=10)))


def test_f_score_refuses_a_beta_below_zero() -> None:
    with pytest.raises(InputError, match="beta of an F score must be a number of at least 0"):
        rates.f_score(ALTMAN, beta=-1)


def test_ratio_without_false_positives_is_infinite_not_undefined() -> None:
    clean = Binary(tp=3, fp=0, fn=1, tn=4)
    assert counts.positive_likelihood_ratio(clean) == inf
    assert counts.diagnostic_odds_ratio(clean) == inf
    assert counts.negative_likelihood_ratio(Binary(tp=3, fp=4, fn=1, tn=0)) == inf
    assert isnan(counts.positive_likelihood_ratio(Binary(tp=0, fp=0, fn=1, tn=4)))
    assert isnan(counts.diagnostic_odds_ratio(Binary(tp=3, fp=1, fn=0, tn=0)))


def test_counts_of_all_classes() -> None:
    table = Confusion.from_matrix([[5, 0, 0], [0, 3, 1], [1, 2, 12]])
    assert [value(name, table) for name in ("correct", "incorrect", "rows")] == [20, 4, 24]


def test_perfect_predictions_have_a_phi_of_exactly_1() -> None:
    assert rates.phi_coefficient(Binary(tp=1, fp=0, fn=0, tn=2)) == 1
    assert rates.phi_coefficient(Binary(tp=0, fp=1, fn=2, tn=0)) == -1
