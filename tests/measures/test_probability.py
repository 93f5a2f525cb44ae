"""Scoring rules, errors, skill and regions of probabilities, by hand and beside scikit-learn."""

from __future__ import annotations

from math import e, inf, isnan

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, d2_log_loss_score
from sklearn.metrics import log_loss as sklearn_log_loss

from heldout.core.errors import InputError
from heldout.measures import probability as p
from heldout.measures import probability_errors as errors
from heldout.measures.probability import log_losses
from heldout.measures.registry import find
from heldout.tally.moments import Moments
from heldout.tally.rows import ProbabilityRows
from tests.measures.probability_rows import binary, labels, several, value

FIVE = binary([0, 1, 0, 1, 1], [0.1, 0.4, 0.5, 0.8, 0.1])
THREE = several([1, 0, 2], [[0.2, 0.7, 0.1], [0.6, 0.2, 0.2], [0.6, 0.1, 0.3]])


def test_five_rows_have_the_scores_that_were_worked_out_by_hand() -> None:
    assert value("log_score", FIVE) == pytest.approx(4.24, abs=0.005)
    assert value("brier", FIVE) == pytest.approx(0.294, abs=0.0005)
    assert value("log_loss", FIVE) == pytest.approx(value("log_score", FIVE) / 5)
    assert value("deviance_of_probabilities", FIVE) == pytest.approx(2 * value("log_score", FIVE))
    assert value("log_loss", FIVE, base=2) == pytest.approx(value("log_loss", FIVE) / np.log(2))
    assert value("log_loss", FIVE, base=e) == value("log_loss", FIVE)


def test_rmse_of_probabilities_is_that_of_the_worked_example() -> None:
    rows = binary([1, 0, 1, 0, 1], [0.95, 0.6, 0.8, 0.75, 0.9])
    assert value("probability_rmse", rows) == pytest.approx(0.4416, abs=0.00005)
    assert value("probability_rmse", rows, all_columns=True) == value("probability_rmse", rows)


def test_labels_alone_count_as_probability_one() -> None:
    rows = labels([0, 1, 1, 0], [0, 1, 0, 0], 2)
    assert value("brier", rows) == 0.25  # the error rate
    assert value("log_score", rows) == inf
    assert value("spherical_score", rows) == 0.75
    assert value("coverage_of_region", rows) == 0.75
    assert value("size_of_region", rows) == 0.5
    more = labels([0, 1, 2, 0], [0, 1, 0, 0], 3)
    assert value("brier", more) == 0.5
    assert value("brier", more, half=True) == 0.25


def test_infinite_log_loss_counts_its_rows_and_a_clip_is_reported() -> None:
    rows = binary([1, 1, 0, 1], [0.0, 0.0, 1.0, 0.5])
    moments = Moments.of(log_losses(rows))
    assert find("log_loss")(moments) == inf
    assert p.impossible_rows(moments) == "3 rows give their true class probability 0"
    assert p.impossible_rows(Moments.of(log_losses(rows.take(slice(0, 1))))).startswith(
        "1 row gives its"
    )
    assert (
        p.impossible_rows(moments, base=2, clip=1e-15) == "probabilities below 1e-15 count as 1e-15"
    )
    eps = float(np.finfo(float).eps)
    assert value("log_loss", binary([1, 1, 1], [0, 0, 0]), clip=eps) == pytest.approx(
        36.04365338911715
    )
    assert value("log_loss", binary([0, 1], [0.0, 1.0])) == 0.0
    assert not np.signbit(log_losses(binary([0, 1], [0.0, 1.0]))).any()


@pytest.mark.parametrize("parameters", [{"base": 1}, {"base": 0.5}, {"clip": 1.0}, {"clip": -0.1}])
def test_parameters_without_meaning_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(InputError):
        value("log_loss", FIVE, **parameters)


@pytest.mark.parametrize("level", [0.0, 1.5])
@pytest.mark.parametrize("rows", [FIVE, THREE])
def test_level_of_a_region_is_a_probability(rows: ProbabilityRows, level: float) -> None:
    with pytest.raises(InputError):
        value("coverage_of_region", rows, level=level)


@pytest.mark.parametrize(
    ("rows", "name", "expected"),
    [
        # scikit-learn's own unit cases, and edge cases that tools got wrong
        (
            binary([0, 0, 0, 1, 1, 1], [0.5, 0.9, 0.99, 0.1, 0.25, 0.999]),
            "log_loss",
            1.881797068998267,
        ),
        (THREE, "log_loss", 0.6904911),
        (binary([0, 1, 1, 0], [0.7, 0.4, 0.6, 0.3]), "log_loss", 0.746941),
        (binary([1, 0, 0, 1], [0.9, 0.1, 0.2, 0.65]), "log_loss", 0.21616),
        (
            several([0, 1, 1], [[0.7, 0.1, 0.2], [0.2, 0.7, 0.1], [0.1, 0.7, 0.2]]),
            "log_loss",
            0.35667494393873245,
        ),
        (several([0, 1], [[1, 0], [0, 1]]), "log_loss", 0.0),
        (binary([0, 1, 1, 0, 1, 1], [0.1, 0.8, 0.9, 0.3, 1.0, 0.95]), "brier", 0.02541666666666666),
        (THREE, "brier", 0.41333333),
        (several([0, 2, 1], [[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]), "brier", 2 / 3),
        (binary([1], [0.4]), "brier", 0.36),
    ],
)
def test_known_values(rows: ProbabilityRows, name: str, expected: float) -> None:
    assert value(name, rows) == pytest.approx(expected, abs=2e-6)


def test_several_classes_by_hand() -> None:
    assert value("brier", THREE, half=True) == pytest.approx(0.20666667)
    assert value("quadratic_score", THREE) == pytest.approx(1 - 0.41333333)
    # the truth has 0.7, 0.6 and 0.3
    assert value("mean_probability_of_truth", THREE) == pytest.approx(1.6 / 3)
    assert value("probability_mae", THREE) == pytest.approx(1.4 / 3)
    assert value("probability_rmse", THREE) == pytest.approx(np.sqrt((0.09 + 0.16 + 0.49) / 3))
    assert value("probability_mae", THREE, all_columns=True) == pytest.approx(2 * 1.4 / 9)
    assert value("probability_rmse", THREE, all_columns=True) == pytest.approx(np.sqrt(1.24 / 9))
    lengths = np.sqrt([0.54, 0.44, 0.46])
    assert value("spherical_score", THREE) == pytest.approx(
        np.mean(np.array([0.7, 0.6, 0.3]) / lengths)
    )


def test_two_columns_are_the_same_as_one() -> None:
    two = np.column_stack([1 - FIVE.of_positive, FIVE.of_positive])
    with_positive = ProbabilityRows(FIVE.truth, two, None, 2, 1)
    without = ProbabilityRows(FIVE.truth, two, None, 2)
    for name in (
        "log_loss",
        "brier",
        "spherical_score",
        "probability_rmse",
        "probability_mae",
        "size_of_region",
    ):
        assert value(name, with_positive) == pytest.approx(value(name, FIVE))
        assert value(name, without) == pytest.approx(value(name, FIVE))


def test_region_takes_classes_until_the_level_is_reached() -> None:
    rows = several(
        [1, 2, 0, 1], [[0.95, 0.05, 0], [0.5, 0.45, 0.05], [0.4, 0.4, 0.2], [0.4, 0.4, 0.2]]
    )
    assert list(errors.size_of_region(rows) * 3) == [1, 2, 3, 3]
    assert list(errors.coverage_of_region(rows)) == [0, 0, 1, 1]
    # ties go to the first class in order
    assert list(errors.coverage_of_region(rows, level=0.4)) == [0, 0, 1, 0]
    even = binary([0, 1], [0.5, 0.5])
    assert list(errors.coverage_of_region(even, level=0.5)) == [1, 0]
    assert list(errors.coverage_of_region(even)) == [1, 1]


def test_a_level_that_is_reached_but_for_rounding_is_reached() -> None:
    rows = several([0], [[0.7, 0.1, 0.1, 0.1]])  # 0.7 + 0.1 is 0.7999999999999999
    assert value("size_of_region", rows, level=0.8) == 0.5


def random_rows(classes: int, seed: int) -> tuple[ProbabilityRows, np.ndarray]:
    rng = np.random.default_rng(seed)
    matrix = rng.dirichlet(np.ones(classes), 400)
    truth = np.array([rng.choice(classes, p=q) for q in matrix])
    weight = rng.random(400) + 0.1
    shares = np.bincount(truth, weight, minlength=classes)[None, :] / weight.sum()
    more = {"weight": weight, "prior": shares}
    if classes == 2:
        return binary(truth, matrix[:, 1], **more), matrix
    return several(truth, matrix, **more), matrix


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_scores_agree_with_scikit_learn(classes: int) -> None:
    rows, matrix = random_rows(classes, classes)
    given = {"sample_weight": rows.weight}
    assert value("log_loss", rows) == pytest.approx(sklearn_log_loss(rows.truth, matrix, **given))
    assert value("log_skill", rows) == pytest.approx(d2_log_loss_score(rows.truth, matrix, **given))
    truth = np.eye(classes)[rows.truth]
    total = np.average(np.square(matrix - truth).sum(axis=1), weights=rows.weight)
    shares = np.average(np.square(rows.prior - truth).sum(axis=1), weights=rows.weight)
    assert value("brier_skill", rows) == pytest.approx(1 - total / shares)
    if classes == 2:
        one = brier_score_loss(rows.truth, matrix[:, 1], **given)
        assert value("brier", rows) == pytest.approx(one) == pytest.approx(total / 2)
    else:
        assert value("brier", rows) == pytest.approx(total)
        assert value("brier", rows, half=True) == pytest.approx(total / 2)


@pytest.mark.parametrize(
    "name", ["log_loss", "log_score", "brier", "probability_rmse", "log_skill"]
)
@pytest.mark.parametrize("classes", [2, 4])
def test_integer_weight_is_repetition(name: str, classes: int) -> None:
    rows, _ = random_rows(classes, 5)
    times = np.random.default_rng(1).integers(0, 4, len(rows))
    weighted = ProbabilityRows(
        rows.truth, rows.probability, None, classes, rows.positive, times.astype(float), rows.prior
    )
    index = np.repeat(np.arange(len(rows)), times)
    assert rows.probability is not None
    repeated = ProbabilityRows(
        rows.truth[index], rows.probability[index], None, classes, rows.positive, None, rows.prior
    )
    assert value(name, weighted) == pytest.approx(value(name, repeated), rel=1e-12)


def test_skill_against_each_kind_of_prior() -> None:
    half = binary([1, 0], [0.9, 0.3], prior=np.array([[0.5, 0.5]]))
    assert value("brier_skill", half) == pytest.approx(1 - 0.05 / 0.25)
    assert value("log_skill", half) == pytest.approx(1 + np.log(0.63) / 2 / np.log(2))
    counts = binary([1, 0], [0.9, 0.3], prior=np.array([[0.0, 6.0]]), prior_is_counts=True)
    assert value("brier_skill", counts) == pytest.approx(1 - 0.05 / 0.5)
    assert value("brier_skill", counts, laplace=True) == pytest.approx(1 - 0.1 / (1 / 64 + 49 / 64))
    assert isnan(value("log_skill", counts))
    note = errors.surprised_prior(
        *(Moments.of(f(counts)) for f in (log_losses, errors.prior_log_losses))
    )
    assert note == "1 row is of a class that the prior gives probability 0"
    certain = binary([1, 1], [0.9, 0.8], prior=np.array([[0.0, 1.0]]))
    assert isnan(value("brier_skill", certain))


def test_each_row_has_its_own_prior() -> None:
    table = np.array([[8.0, 2.0], [1.0, 3.0]])
    rows = binary(
        [1, 0, 1], [0.5] * 3, prior=table, prior_codes=np.array([0, 1, 1]), prior_is_counts=True
    )
    expected = [(0.8**2), (0.75**2), (0.25**2)]
    assert list(errors.prior_squared_distances(rows)) == pytest.approx(expected)
    smooth = [(1 - 3 / 12), 4 / 6, (1 - 4 / 6)]
    assert list(errors.prior_absolute_errors(rows)) == pytest.approx(smooth)
    assert list(errors.prior_squared_errors(rows)) == pytest.approx(np.square(smooth))
