"""Tests on the counts of a confusion matrix, against R and statsmodels."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import SquareTable, mcnemar

from heldout.core.errors import InputError
from heldout.measures.confusion_counts import chi_squared, mcnemar_p_value, no_information_p_value
from heldout.tally.confusion import Confusion

#: caret's tables, transposed so that rows = truth
ALTMAN = [[231, 27], [32, 54]]
THREE = [[5, 1, 1], [1, 4, 1], [0, 1, 6]]
HPC = [[1620, 141, 6, 2], [371, 647, 24, 36], [64, 219, 79, 50], [9, 60, 28, 111]]
ONE_PREDICTION = [[30, 0], [70, 0]]


def of(matrix: Any) -> Confusion:
    return Confusion.from_matrix(matrix)


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (ALTMAN, 0.00030969833403687),
        ([[8, 2], [1, 9]], 0.00128841400146485),
        (THREE, 0.000310574970428038),
        (np.diag([50, 50, 50]), 2.70278681755473e-72),
        ([[10, 0], [0, 5]], 0.00228365826052117),
        (ONE_PREDICTION, 1.0),
        (HPC, 5.37161491950992e-125),
    ],
)
def test_accuracy_against_no_information_is_caret_s(matrix: Any, expected: float) -> None:
    assert no_information_p_value(of(matrix)) == pytest.approx(expected, rel=1e-9)


def test_no_hit_at_all_is_no_evidence() -> None:
    assert no_information_p_value(of([[0, 3], [2, 0]])) == 1.0
    assert no_information_p_value(of([[0, 3], [0, 0]])) == 1.0
    assert no_information_p_value(of([[3, 0], [0, 0]])) == 1.0


@pytest.mark.parametrize(
    ("matrix", "method", "expected"),
    [
        (ALTMAN, "corrected", 0.602537006105314),
        (ALTMAN, "plain", 0.515082278709643),
        (ALTMAN, "exact", 0.602923201257151),
        ([[8, 2], [1, 9]], "corrected", 1.0),
        (THREE, "corrected", 0.801251956901201),
        (ONE_PREDICTION, "corrected", 1.62315286883375e-16),
        (HPC, "corrected", 4.53337117572313e-67),
    ],
)
def test_mcnemar_and_bowker_are_those_of_r(matrix: Any, method: str, expected: float) -> None:
    assert mcnemar_p_value(of(matrix), method=method) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_statsmodels_agrees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    two, four = rng.integers(1, 30, (2, 2)), rng.integers(1, 30, (4, 4))
    for method, options in (
        ("corrected", {"exact": False, "correction": True}),
        ("plain", {"exact": False, "correction": False}),
        ("exact", {"exact": True}),
    ):
        assert mcnemar_p_value(of(two), method=method) == pytest.approx(
            mcnemar(two, **options).pvalue
        )
    bowker = SquareTable(four, shift_zeros=False).symmetry().pvalue
    assert mcnemar_p_value(of(four)) == pytest.approx(bowker)
    expected = stats.chi2_contingency(four, correction=False).statistic
    assert chi_squared(of(four)) == pytest.approx(expected)


def test_cells_without_rows_count_in_chi_squared() -> None:
    table = [[6, 0, 1], [2, 5, 0], [0, 0, 0]]
    seen = stats.chi2_contingency(np.array(table)[:2], correction=False).statistic
    assert chi_squared(of(table)) == pytest.approx(seen)


def test_pair_of_classes_that_is_never_confused_has_no_degree_of_freedom() -> None:
    table = of([[5, 6, 0], [1, 5, 0], [0, 0, 5]])
    assert mcnemar_p_value(table) == pytest.approx(stats.chi2.sf(25 / 7, 1))


def test_without_errors_the_test_of_mcnemar_is_undefined() -> None:
    for method in ("corrected", "plain", "exact"):
        assert isnan(mcnemar_p_value(of([[10, 0], [0, 5]]), method=method))
    assert isnan(mcnemar_p_value(of(np.diag([50, 50, 50]))))


def test_exact_test_of_three_classes_is_refused() -> None:
    with pytest.raises(InputError, match="exact test of McNemar is for 2 classes, not 3"):
        mcnemar_p_value(of(THREE), method="exact")
    with pytest.raises(InputError, match="method is one of corrected, plain, exact"):
        mcnemar_p_value(of(THREE), method="bowker")


def test_whole_weights_are_repetitions_and_others_have_no_test() -> None:
    truth, predicted = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    weight = np.array([3.0, 2.0, 1.0, 4.0])
    weighted = Confusion.of(truth, predicted, weight, classes=2)
    repeated = of([[3, 2], [1, 4]])
    scaled = Confusion.of(truth, predicted, weight * 0.3, classes=2)
    for test in (no_information_p_value, mcnemar_p_value):
        assert test(weighted) == test(repeated)
        assert isnan(test(scaled))
    assert chi_squared(scaled) == pytest.approx(0.3 * chi_squared(repeated))


def test_chi_squared_is_that_of_rocr_and_undefined_for_a_constant_prediction() -> None:
    tp, fp = np.array([1, 2, 2, 3, 4, 5]), np.array([0, 0, 1, 1, 1, 2])
    found = chi_squared(Confusion(2, np.arange(4), np.stack([tp, 5 - tp, fp, 5 - fp], axis=-1)))
    expected = [10 / 9, 2.5, 0.476190476190476, 5 / 3, 3.6, 30 / 7]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert isnan(chi_squared(of(ONE_PREDICTION)))
    assert isnan(chi_squared(of([[3, 4], [0, 0]])))
