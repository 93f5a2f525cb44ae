"""Accuracy and agreement beyond chance, over the whole confusion matrix."""

from __future__ import annotations

from math import isnan, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import entropy
from sklearn import metrics as sk

from heldout.core.errors import InputError
from heldout.measures.accuracy import (
    balanced_accuracy,
    classes_left_out,
    cohen_kappa,
    matthews_correlation,
    zero_by_convention,
)
from heldout.measures.registry import Measure, find, measures
from heldout.tally.confusion import Confusion

MODULES = ("accuracy", "agreement", "confusion_counts", "confusion_tests")
WHOLE = [
    m for m in measures() if m.module.rpartition(".")[2] in MODULES and m.needs == (Confusion,)
]
assert len(WHOLE) > 15

#: truth VF, F, M, L of yardstick's hpc_cv in rows
HPC = [[1620, 141, 6, 2], [371, 647, 24, 36], [64, 219, 79, 50], [9, 60, 28, 111]]
#: bacteria of a lecture, rows = target
BACTERIA = [[5, 0, 2, 0], [0, 6, 1, 0], [0, 1, 10, 0], [0, 0, 2, 3]]


def of(matrix: Any) -> Confusion:
    return Confusion.from_matrix(matrix)


def rows(truth: list[int], predicted: list[int], weight: list[float] | None = None) -> Confusion:
    given_weight = None if weight is None else np.array(weight, float)
    return Confusion.of(np.array(truth), np.array(predicted), given_weight, classes=4)


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        # tables of caret, transposed: rows = truth
        ([[231, 27], [32, 54]], {"acc": 0.828488372093023, "kappa": 0.533596837944664}),
        ([[231, 27], [32, 54]], {"bal_accuracy": 0.761627906976744, "nir": 0.75}),
        ([[231, 27], [32, 54]], {"mcc": 0.534014140881678, "qwk": 0.533596837944664}),
        ([[8, 2], [1, 9]], {"acc": 0.85, "kappa": 0.7, "nir": 0.5}),
        ([[5, 1, 1], [1, 4, 1], [0, 1, 6]], {"acc": 0.75, "kappa": 0.62406015037594, "nir": 0.35}),
        (
            [[5, 1, 1], [1, 4, 1], [0, 1, 6]],
            {"linear_kappa": 0.67032967032967, "qwk": 0.714285714285714},
        ),
        ([[30, 0], [70, 0]], {"acc": 0.3, "kappa": 0.0, "nir": 0.7, "mcc": 0.0}),
        (HPC, {"acc": 0.708681857513701, "mcc": 0.51530813507478, "kappa": 0.508248428444457}),
        (HPC, {"kappa_linear": 0.593302871842797, "kappa_quadratic": 0.691892440887323}),
        (HPC, {"balanced_accuracy": 0.560339642527967}),
        # Artstein and Poesio (2008), and scikit-learn's weighted table
        ([[20, 20], [10, 50]], {"kap": 0.34782608695652173}),
        ([[46, 0, 0], [6, 32, 6], [0, 0, 10]], {"kap": 0.8013245033112583}),
        (
            [[46, 0, 0], [4, 40, 0], [0, 0, 10]],
            {"kap": 68 / 73, "kappa_linear": 16 / 17, "qwk": 0.9541284403669725},
        ),
        # products of four counts beyond 64 bits
        ([[50122, 49707], [50267, 49904]], {"mcc": 0.00026665430738672}),
    ],
)
def test_other_tools_give_the_same(matrix: Any, expected: dict[str, float]) -> None:
    found = {name: float(find(name)(of(matrix))) for name in expected}
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("matrix", "name", "expected"),
    [
        ([[85, 2], [4, 9]], "accuracy", 0.94),
        ([[85, 2], [4, 9]], "error_rate", 0.06),
        ([[95, 7], [4, 94]], "zero_one_loss", 0.055),
        ([[90, 0], [9, 1]], "average_class_accuracy_harmonic", 0.181818181818),
        ([[70, 20], [2, 8]], "average_class_accuracy_harmonic", 0.788732394366),
        ([[57, 3], [10, 30]], "average_class_accuracy_harmonic", 0.838235294118),
        ([[43, 17], [3, 37]], "average_class_accuracy_harmonic", 0.807614213198),
        (BACTERIA, "average_class_accuracy_harmonic", 0.75),
        ([[237, 45], [35, 183]], "accuracy", 0.84),
        ([[355, 2], [5, 207]], "error_rate", 0.01230228471),
        ([[9, 1], [6, 4]], "g_mean", 0.6),
        ([[5, 0], [5, 0]], "average_class_accuracy_harmonic", 0),
        ([[5, 0], [5, 0]], "g_mean", 0),
    ],
)
def test_worked_examples(matrix: Any, name: str, expected: float) -> None:
    assert find(name)(of(matrix)) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize(
    ("truth", "predicted", "weight", "expected"),
    [
        ([0, 0, 1, 1, 2, 2], [2, 2, 0, 0, 1, 1], None, -0.5),
        ([0, 0, 1, 1, 2, 2], [1, 1, 0, 0, 0, 0], None, -0.6123724356957946),
        ([0, 1, 2, 0, 1, 2, 0, 1, 2], [1, 1, 1, 2, 2, 2, 0, 0, 0], None, 0.0),
        ([0, 0, 1, 1, 2], [1, 1, 0, 0, 2], [1, 1, 1, 1, 0], -1.0),
        ([0, 0, 1], [0, 1, 0], [1, 10, 2], -0.778498944161523),
    ],
)
def test_matthews_correlation_of_several_classes(
    truth: list[int], predicted: list[int], weight: list[float] | None, expected: float
) -> None:
    assert matthews_correlation(rows(truth, predicted, weight)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("tally", "reason"),
    [
        (rows([0, 1, 2], [3, 3, 3]), "0 by convention: all rows are predicted as one class"),
        (rows([3, 3, 3], [0, 1, 2]), "0 by convention: all rows are of one class"),
        (
            rows([0, 0, 1, 2], [0, 0, 1, 2], [1, 1, 0, 0]),
            "0 by convention: all rows are of one class and all rows are predicted as one class",
        ),
        (
            rows([0, 0, 0, 0], [1, 2, 1, 2], [0.1, 0.2, 0.3, 0.7]),
            "0 by convention: all rows are of one class",
        ),
    ],
)
def test_matthews_correlation_that_is_0_by_0_is_0_and_says_so(
    tally: Confusion, reason: str
) -> None:
    assert matthews_correlation(tally) == 0.0
    assert zero_by_convention(tally, anything=1) == reason


def test_matthews_correlation_that_is_0_by_itself_needs_no_remark() -> None:
    assert zero_by_convention(of([[1, 1], [1, 1]])) == ""


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
@pytest.mark.parametrize("weight", [1.0, 0.1, 1 / 3])
def test_kappa_of_one_class_only_is_undefined(weights: str, weight: float) -> None:
    assert isnan(cohen_kappa(rows([3] * 10, [3] * 10, [weight] * 10), weights=weights))


def test_kappa_takes_a_matrix_of_weights() -> None:
    cohen = of(np.array([[0.44, 0.05, 0.01], [0.07, 0.2, 0.03], [0.09, 0.05, 0.06]]) * 200)
    weights = "0,1,3;1,0,6;3,6,0"
    assert cohen_kappa(cohen) == pytest.approx(0.491525423728813, abs=1e-12)
    assert cohen_kappa(cohen, weights=weights) == pytest.approx(0.347826086956522, abs=1e-12)
    # missing the first class costs 4, a false alarm 1: 1 - 10 (4 + 2) / (4 * 5 * 4 + 5 * 6)
    assert cohen_kappa(of([[4, 1], [2, 3]]), weights="0,4;1,0") == pytest.approx(1 - 60 / 110)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("square", "weights of kappa are none, linear, quadratic or a matrix"),
        ("0,1;1,0", "is 2 x 2, and 3 classes need 3 x 3"),
        ("1,0,0;0,1,0;0,0,1", "0 on the diagonal, nothing negative elsewhere"),
    ],
)
def test_kappa_refuses_weights_that_are_none(weights: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        cohen_kappa(of(np.eye(3, dtype=int)), weights=weights)


def test_weighted_kappa_of_100000_classes_needs_no_square_table() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 100_000, 5000)
    predicted = np.clip(truth + rng.integers(-5, 6, 5000), 0, 99_999)
    tally = Confusion.of(truth, predicted, classes=100_000)
    correlation = np.corrcoef(truth, predicted)[0, 1]
    assert find("quadratic_kappa")(tally) == pytest.approx(correlation, abs=1e-7)
    assert 0.9997 < find("linear_kappa")(tally) < 1
    assert 0 < find("mcc")(tally) < 0.2


def test_balanced_accuracy_leaves_out_classes_without_rows_and_says_how_many() -> None:
    tally = Confusion.of(np.array([0, 0, 0]), np.array([0, 0, 1]), classes=3)
    assert balanced_accuracy(tally) == pytest.approx(2 / 3)
    assert str(classes_left_out(tally)) == "2 of 3 classes left out: no row is of them"
    assert classes_left_out(of([[1, 1], [0, 1]])) == ""


@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn_agrees_with_and_without_weights(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, predicted = rng.integers(0, 5, (2, 80))
    for weight in (None, rng.random(80)):
        tally = Confusion.of(truth, predicted, weight, classes=5)
        expected = {
            "accuracy": sk.accuracy_score(truth, predicted, sample_weight=weight),
            "error_rate": sk.zero_one_loss(truth, predicted, sample_weight=weight),
            "balanced_accuracy": sk.balanced_accuracy_score(truth, predicted, sample_weight=weight),
            "mcc": sk.matthews_corrcoef(truth, predicted, sample_weight=weight),
            "mutual_information": _bits(truth, predicted, weight),
        }
        for name, weights in (("kappa", None), ("linear_kappa", "linear"), ("qwk", "quadratic")):
            expected[name] = sk.cohen_kappa_score(
                truth, predicted, weights=weights, sample_weight=weight
            )
        found = {name: float(find(name)(tally)) for name in expected}
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-13)


def _bits(truth: Any, predicted: Any, weight: Any) -> float:
    table = sk.confusion_matrix(truth, predicted, sample_weight=weight)
    # scikit-learn's own mutual_info_score cuts weights to whole numbers
    apart = entropy(table.sum(axis=0), base=2) + entropy(table.sum(axis=1), base=2)
    return float(apart - entropy(table.ravel(), base=2))


def test_mutual_information_is_that_of_rocr_and_0_for_a_constant_prediction() -> None:
    tp, fp = np.array([1, 2, 2, 3, 4]), np.array([0, 0, 1, 1, 1])
    found = find("mi")(Confusion(2, np.arange(4), np.stack([tp, 5 - tp, fp, 5 - fp], axis=-1)))
    rocr = [0.1080315461456, 0.236452797660028, 0.0348515545596766, 0.124511249783653]
    np.testing.assert_allclose(found, [*rocr, 0.278071905112637], atol=1e-12)
    assert find("mi")(of([[5, 0], [5, 0]])) == 0.0


def test_mutual_information_of_independent_counts_is_not_negative() -> None:
    independent = np.outer([92, 28, 80], [66, 1, 39]) * (1 / 3)
    assert 0 <= find("mi")(of(independent)) < 1e-12


@pytest.mark.parametrize("m", WHOLE, ids=lambda m: m.name)
@given(counts=arrays(np.int64, (4, 9), elements=st.integers(0, 4)))
def test_replicates_along_a_leading_axis_give_the_value_of_each(m: Measure, counts: Any) -> None:
    cells = np.arange(9)
    together = m(Confusion(3, cells, counts))
    alone = [m(Confusion(3, cells, one)) for one in counts]
    assert np.shape(together) == (4,)
    np.testing.assert_allclose(together, np.array(alone, float), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("m", WHOLE, ids=lambda m: m.name)
@given(counts=arrays(np.int64, 9, elements=st.integers(0, 3)))
def test_value_is_within_bounds_or_undefined(m: Measure, counts: Any) -> None:
    for scale in (1, 0.1, 1 / 3):
        found = m(Confusion(3, np.arange(9), counts * scale))
        assert m.undefined if isnan(found) else m.bounds[0] <= found <= m.bounds[1]


@pytest.mark.parametrize("m", WHOLE, ids=lambda m: m.name)
def test_no_rows_have_no_value_but_counts(m: Measure) -> None:
    assert float(m(Confusion())) == pytest.approx(0 if m.is_count else nan, nan_ok=True)
