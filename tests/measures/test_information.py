"""The information score: the definition by hand, its variants, and Weka's and Orange's numbers."""

from __future__ import annotations

import csv
import json
from math import inf, isnan, log2
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from heldout.core.errors import InputError
from heldout.measures import information
from heldout.measures.probability_errors import prior_log_losses
from heldout.tally.moments import Moments
from heldout.tally.rows import ProbabilityRows
from tests.measures.probability_rows import binary, several, value
from tests.reference.cases import WEKA

if TYPE_CHECKING:
    from pathlib import Path

SMALLEST = 5e-324
EXAMPLE = binary([1, 0, 1, 0, 1], [0.95, 0.6, 0.8, 0.75, 0.9], prior=np.array([[0.4, 0.6]]))


def one(prior: float, answer: float) -> float:
    rows = binary([1], [answer], prior=np.array([[1 - prior, prior]]))
    return float(information.information_score(rows)[0])


@pytest.mark.parametrize(
    ("prior", "answer", "bits"),
    [
        (0.8, 1, 0.3219280948873623),
        (0.2, 1, 2.321928094887362),
        (0.5, 0.5, 0.0),
        (0.8, 0.8, 0.0),
        (0.8, 0.6, -1.0),
        (0.9, 0.8, -1.0),
        (0.2, 0.6, 1.584962500721156),
        (0.5, 0.0, -1.0),
        (0.8, 0.0, -2.3219280948873626),
        (0.2, 0.0, -0.3219280948873623),
        (0.25, 0.5, 1.0),
        (0.01, 0.99, 6.6293566200796095),
    ],
)
def test_bits_of_one_answer(prior: float, answer: float, bits: float) -> None:
    assert one(prior, answer) == pytest.approx(bits, abs=1e-12)


def test_worked_example_with_and_without_the_sign() -> None:
    per_row = [0.662965, 0.0, 0.415037, -0.321928, 0.584963]
    assert information.information_score(EXAMPLE) == pytest.approx(per_row, abs=1e-6)
    assert value("information_score", EXAMPLE) == pytest.approx(0.268207, abs=1e-6)
    assert value("information_score_sum", EXAMPLE) == pytest.approx(5 * 0.268207, abs=5e-6)
    unsigned = [0.66, 0.0, 0.42, 0.32, 0.59]
    found = information.information_score(EXAMPLE, unsigned=True)
    assert found == pytest.approx(unsigned, abs=0.0051)
    assert value("information_score", EXAMPLE, unsigned=True) == pytest.approx(0.40, abs=0.005)


def test_certain_priors_are_scored_honestly() -> None:
    assert one(0.0, 0.3) == inf
    assert one(1.0, 0.3) == -inf
    assert one(0.0, 0.0) == 0.0
    assert one(1.0, 1.0) == 0.0
    never = binary([1, 1, 0], [0.3, 0.2, 0.1], prior=np.array([[1.0, 0.0]]))
    bits = Moments.of(information.information_score(never))
    assert isnan(value("information_score", never))
    assert information.unforeseen_rows(bits) == (
        "2 rows are of a class whose prior is 0; 1 row is in doubt of a class whose prior is 1"
    )
    assert isnan(value("relative_information_score", never))
    assert value("prior_log_loss", never) == inf


def test_entropies_of_known_priors() -> None:
    def entropy(*counts: float, laplace: bool = False) -> float:
        prior = np.array([counts])
        rows = several([0], [[1 / len(counts)] * len(counts)], prior=prior, prior_is_counts=True)
        return value("prior_entropy", rows, laplace=laplace)

    assert entropy(201, 85) == pytest.approx(0.8778446951746506, abs=1e-12)
    assert entropy(1, 1, 1, 1) == 2.0
    assert entropy(50, 50, 50) == pytest.approx(1.584962500721156, abs=1e-12)
    assert entropy(5, 0) == 0.0
    assert entropy(5, 0, laplace=True) == pytest.approx(-(6 / 7 * log2(6 / 7) + log2(1 / 7) / 7))


def test_relative_score_divides_as_it_is_told() -> None:
    prior_loss = -(3 * log2(0.6) + 2 * log2(0.4)) / 5
    entropy = -(0.6 * log2(0.6) + 0.4 * log2(0.4))
    for by, bottom in (("prior loss", prior_loss), ("entropy", entropy), ("Weka_3.6", entropy / 5)):
        found = value("relative_information_score", EXAMPLE, by=by)
        assert found == pytest.approx(0.2682074 / bottom, abs=1e-6)
    with pytest.raises(InputError, match=r"by is one of prior loss, entropy, weka 3\.6"):
        value("relative_information_score", EXAMPLE, by="entopy")
    sure = binary([1, 1], [0.9, 1.0], prior=np.array([[0.0, 1.0]]))
    assert isnan(value("relative_information_score", sure))


def test_perfect_answers_tell_all_there_is_to_learn() -> None:
    rows = binary([1, 0, 0], [1.0, 0.0, 0.0], prior=np.array([[0.5, 0.5]]))
    assert value("relative_information_score", rows) == 1.0
    assert value("log_score_improvement", rows, base=2) == pytest.approx(3.0)


def test_improvement_is_undefined_where_both_scores_are_infinite() -> None:
    rows = binary([1, 0], [0.0, 0.5], prior=np.array([[1.0, 0.0]]))
    assert isnan(value("log_score_improvement", rows))
    assert value("log_score_improvement", binary([1], [0.0], prior=np.array([[0.5, 0.5]]))) == -inf
    losses = Moments.of(prior_log_losses(rows))
    assert information.unforeseen(losses).startswith("1 row is of a class")


def weka(folder: Path, case: str) -> tuple[ProbabilityRows, dict[str, Any], list[str]]:
    """The predictions Weka made, with training counts, and what it said of them."""
    with (folder / case / "predictions.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    names = [column[2:] for column in lines[0] if column.startswith("p_")]
    truth = np.array([names.index(line["actual"]) for line in lines])
    matrix = np.array([[float(line[f"p_{name}"]) for name in names] for line in lines])
    counts = np.array([[float(line[f"train_n_{name}"]) for name in names] for line in lines])
    table, codes = np.unique(counts, axis=0, return_inverse=True)
    prior = {"prior": table, "prior_codes": codes.ravel(), "prior_is_counts": True}
    said = json.loads((folder / case / "expected.json").read_text(encoding="utf-8"))
    expected = {entry["name"]: entry["value"] for entry in said["values"]}
    folds = [line["fold"] for line in lines]
    if len(names) == 2:
        return binary(truth, matrix[:, 1], **prior), expected, folds
    return several(truth, matrix, **prior), expected, folds


@pytest.mark.parametrize("case", WEKA)
def test_weka_says_the_same(reference: Path, case: str) -> None:
    rows, said, _ = weka(reference, case)
    bits: dict[str, Any] = {"base": 2, "clip": SMALLEST}
    found = {
        "kb_information_bits_sum": value("information_score_sum", rows, laplace=True),
        "kb_information_bits_mean": value("information_score", rows, laplace=True),
        "kb_relative_pct": 100 * value("relative_information_score", rows, laplace=True),
        "complexity_prior_bits_sum": value("prior_log_score", rows, base=2, laplace=True),
        "complexity_prior_bits_mean": value("prior_log_loss", rows, base=2, laplace=True),
        "complexity_scheme_bits_sum": value("log_score", rows, **bits),
        "complexity_scheme_bits_mean": value("log_loss", rows, **bits),
        "complexity_improvement_bits_sum": value(
            "log_score_improvement", rows, laplace=True, **bits
        ),
        "mae": value("probability_mae", rows, all_columns=True),
        "rmse": value("probability_rmse", rows, all_columns=True),
        "rae_pct": 100 * value("relative_absolute_error_of_probabilities", rows),
        "rrse_pct": 100 * value("root_relative_squared_error_of_probabilities", rows),
        "coverage_0.95_pct": 100 * value("coverage_of_region", rows),
        "size_of_region_pct": 100 * value("size_of_region", rows),
    }
    assert found == pytest.approx({name: said[name] for name in found}, abs=1e-9, rel=1e-12)


def test_weka_36_divides_the_sum_by_the_entropy_of_the_last_fold(reference: Path) -> None:
    for case, total, relative in (
        ("weka_breastcancer_naivebayes", 48.1118, 5459.2451),
        ("weka_breastcancer_j48", 34.2789, 3889.6294),
    ):
        rows, _, folds = weka(reference, case)
        found = value("information_score_sum", rows, laplace=True)
        assert found == pytest.approx(total, abs=6e-5)
        last = rows.take(slice(folds.index(folds[-1]), None))
        entropy = value("prior_entropy", last, laplace=True)
        assert 100 * found / entropy == pytest.approx(relative, abs=6e-5)
        # heldout takes the mean entropy of all folds, which is a little less
        by = value("relative_information_score", rows, laplace=True, by="weka 3.6")
        assert 100 * by == pytest.approx(relative, rel=0.01)


@pytest.mark.parametrize(
    ("case", "mean", "relative"),
    [
        ("weka_breastcancer_naivebayes", 0.16676778349727797, 18.997413143118543),
        ("weka_breastcancer_j48", 0.11855154254592606, 13.504842393829103),
        ("weka_iris_naivebayes", 1.4785702860268806, 93.28739862010191),
    ],
)
def test_orange_takes_the_shares_of_the_rows(
    reference: Path, case: str, mean: float, relative: float
) -> None:
    rows, _, _ = weka(reference, case)
    shares = np.bincount(rows.truth)[None, :] / len(rows)
    make: Any = binary if rows.is_binary else several
    own = make(rows.truth, rows.probability, prior=shares)
    assert value("information_score", own) == pytest.approx(mean, abs=1e-9)
    found = 100 * value("relative_information_score", own, by="entropy")
    assert found == pytest.approx(relative, abs=1e-7)


def test_integer_weight_is_repetition() -> None:
    weight = np.array([2.0, 1.0, 3.0, 1.0, 2.0])
    again = np.repeat(np.arange(5), weight.astype(int))
    prior = EXAMPLE.prior
    weighted = binary(EXAMPLE.truth, EXAMPLE.probability, prior=prior, weight=weight)
    repeated = binary(EXAMPLE.truth[again], EXAMPLE.of_positive[again], prior=prior)
    for name in ("information_score", "information_score_sum", "relative_information_score"):
        assert value(name, weighted) == pytest.approx(value(name, repeated))
