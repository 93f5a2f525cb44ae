"""Calibration slope, intercept and likelihoods, beside statsmodels and R's val.prob."""

from __future__ import annotations

import csv
import json
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import statsmodels.api as sm

from heldout.core.errors import InputError
from heldout.measures import calibration_fit as fit
from heldout.measures import calibration_line as line
from heldout.measures import calibration_smooth as smooth
from heldout.measures import calibration_tests as gain
from heldout.measures.calibration_tests import spiegelhalter_p_value, spiegelhalter_z
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from pathlib import Path

#: case, its file, and the columns of probability and truth (with the positive value)
CASES = (
    (
        "calibration_two_class",
        "yardstick_two_class/two_class_example.csv",
        "Class1",
        "truth",
        "Class1",
    ),
    ("hoslem_doc", "hoslem_doc/hoslem.csv", "p", "y", "1"),
    ("lbw_logistic", "lbw_logistic/lbw.csv", "p", "y", "1"),
)


def read(folder: Path, file: str, score: str, truth: str, positive: str) -> ScoreCounts:
    with (folder / file).open(encoding="utf-8") as text:
        lines = list(csv.DictReader(text))
    is_positive = np.array([row[truth] == positive for row in lines])
    return ScoreCounts.of(is_positive, np.array([float(row[score]) for row in lines]))


def rows(count: int, seed: int, *, decimals: int = 17) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    x = rng.normal(0.2, 2.0, count)
    score = np.clip((1 / (1 + np.exp(-x))).round(decimals), 1e-9, 1 - 1e-9)
    return rng.random(count) < 1 / (1 + np.exp(0.4 - 0.6 * x)), score


def statsmodels_line(truth: Any, score: Any, weight: Any = None, *, is_shift: bool = False) -> Any:
    x = np.log(score / (1 - score))
    design = np.ones(len(x)) if is_shift else np.column_stack([np.ones(len(x)), x])
    family = sm.families.Binomial()
    offset = x if is_shift else None
    model = sm.GLM(truth.astype(float), design, family=family, offset=offset, freq_weights=weight)
    return model.fit(tol=1e-14)


def model_error(coefficient: str, scores: ScoreCounts) -> float:
    """The standard error by maximum likelihood, from how far rows would move the estimate."""
    one, other, _ = fit.line_influence(coefficient, scores)(scores.score)
    return float(((scores.positives + scores.negatives) @ (-one * other)) ** 0.5)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_val_prob_of_r_says_the_same(reference: Path, case: tuple[str, ...]) -> None:
    scores = read(reference, *case[1:])
    text = (reference / case[0] / "expected.json").read_text(encoding="utf-8")
    said = {entry["name"]: entry["value"] for entry in json.loads(text)["values"]}
    found = {
        "R2": gain.nagelkerke_r2(scores),
        "D": gain.discrimination_index(scores),
        "D:Chi-sq": gain.discrimination_chi_square(scores),
        "U": gain.unreliability_index(scores),
        "U:Chi-sq": gain.unreliability_chi_square(scores),
        "U:p": gain.unreliability_p_value(scores),
        "Q": gain.quality_index(scores),
        "Emax": smooth.maximum_smooth_calibration_error(scores, span=2 / 3),
        "E90": smooth.ninetieth_smooth_calibration_error(scores, span=2 / 3),
        "Eavg": smooth.integrated_calibration_index(scores, span=2 / 3),
        "S:z": spiegelhalter_z(scores),
        "S:p": spiegelhalter_p_value(scores),
    }
    assert found == pytest.approx({name: said[f"val.prob.{name}"] for name in found}, abs=1e-8)
    joint = [line.calibration_intercept(scores), line.calibration_slope(scores)]
    assert joint == pytest.approx(said["calibration_intercept_slope_joint"], abs=2e-9)
    # val.prob stops its iterations before they have settled to more than 1e-7
    assert joint == pytest.approx([said[f"val.prob.{n}"] for n in ("Intercept", "Slope")], abs=2e-8)
    in_the_large = line.calibration_in_the_large(scores)
    assert in_the_large == pytest.approx(said["calibration_in_the_large"], abs=1e-9)
    assert model_error("shift", scores) == pytest.approx(
        said["calibration_in_the_large_se"], abs=1e-6
    )


@pytest.mark.parametrize("count", [60, 3_000, 130_000])
@pytest.mark.parametrize("decimals", [2, 17])
def test_line_agrees_with_statsmodels(count: int, decimals: int) -> None:
    truth, score = rows(count, count, decimals=decimals)
    found, expected = fit.best_line(ScoreCounts.of(truth, score)), statsmodels_line(truth, score)
    assert found is not None
    coefficients = [found.intercept, found.slope]
    assert coefficients == pytest.approx(list(expected.params), rel=1e-9, abs=1e-11)
    errors = [model_error(name, ScoreCounts.of(truth, score)) for name in ("intercept", "slope")]
    assert errors == pytest.approx(list(expected.bse), rel=1e-5)
    assert found.likelihood == pytest.approx(expected.llf, rel=1e-12)
    shift = line.calibration_in_the_large(ScoreCounts.of(truth, score))
    by_statsmodels = statsmodels_line(truth, score, is_shift=True).params[0]
    assert shift == pytest.approx(by_statsmodels, rel=1e-9, abs=1e-11)


def test_many_scores_give_the_line_of_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, score = rows(20_000, 8)
    monkeypatch.setattr(fit, "FEW", 20_000)  # all at once
    whole = fit.best_line(ScoreCounts.of(truth, score))
    monkeypatch.setattr(fit, "FEW", 100)
    monkeypatch.setattr(fit, "GROUPS", 200)  # as if there were millions: groups come first
    grouped = fit.best_line(ScoreCounts.of(truth, score))
    assert whole is not None
    assert grouped is not None
    assert [grouped.intercept, grouped.slope] == pytest.approx(
        [whole.intercept, whole.slope], rel=1e-9
    )
    assert grouped.likelihood == pytest.approx(whole.likelihood, rel=1e-12)


def test_weights_repeat_rows() -> None:
    truth, score = rows(400, 3)
    times = np.random.default_rng(4).integers(0, 4, 400)
    weighted = ScoreCounts.of(truth, score, times.astype(float))
    repeated = ScoreCounts.of(np.repeat(truth, times), np.repeat(score, times))
    for value in (
        line.calibration_slope,
        line.calibration_intercept,
        line.calibration_in_the_large,
        gain.nagelkerke_r2,
        spiegelhalter_z,
    ):
        assert value(weighted) == pytest.approx(value(repeated), rel=1e-10)
    for curve in (smooth.integrated_calibration_index, smooth.ninetieth_smooth_calibration_error):
        assert curve(weighted, span=0.5) == pytest.approx(curve(repeated, span=0.5), rel=1e-10)
    by_statsmodels = statsmodels_line(truth[times > 0], score[times > 0], times[times > 0])
    assert line.calibration_slope(weighted) == pytest.approx(by_statsmodels.params[1], rel=1e-9)


def test_scores_without_rows_leave_no_trace() -> None:
    # as a bootstrap draws them: whole numbers, some of them zero, as many in all as scores
    positives, negatives = np.array([0, 2, 0, 1, 0, 0]), np.array([0, 1, 0, 1, 1, 0])
    drawn = ScoreCounts(np.array([1.0, 0.8, 0.7, 0.5, 0.2, 0.0]), positives, negatives, 6)
    kept = ScoreCounts.of(
        np.array([1, 1, 0, 1, 0, 0]) == 1, np.array([0.8] * 3 + [0.5] * 2 + [0.2])
    )
    for value in (line.calibration_slope, line.calibration_in_the_large, gain.quality_index):
        assert value(drawn) == pytest.approx(value(kept))


def counted(truth: list[int], score: list[float]) -> ScoreCounts:
    return ScoreCounts.of(np.array(truth) == 1, np.array(score, float))


@pytest.mark.parametrize(
    ("truth", "score", "reason"),
    [
        ([1, 1, 1], [0.2, 0.5, 0.9], "all rows are of one class"),
        ([0, 1, 0, 1], [0.0, 0.4, 0.6, 0.7], "1 row has probability exactly 0 or 1"),
        ([0, 1, 0, 1], [0.0, 0.4, 0.6, 1.0], "2 rows have probability exactly 0 or 1"),
        ([0, 0, 1, 1], [0.2, 0.4, 0.6, 0.7], "separate the classes"),
        ([1, 1, 0, 0], [0.2, 0.4, 0.4, 0.7], "separate the classes"),
        ([0, 0, 1, 1], [0.2, 0.4, 0.4, 0.7], "separate the classes"),
        ([1, 0, 1, 0], [0.3, 0.3, 0.3, 0.3], "all probabilities are the same"),
    ],
)
def test_no_line_has_a_reason(truth: list[int], score: list[float], reason: str) -> None:
    scores = counted(truth, score)
    assert isnan(line.calibration_slope(scores))
    assert isnan(line.calibration_intercept(scores))
    assert isnan(gain.quality_index(scores))
    assert reason in line.no_line(scores)


def test_clip_moves_certain_rows_and_is_remarked_on() -> None:
    certain = counted([0, 1, 0, 1, 1], [0.0, 0.4, 0.6, 1.0, 0.3])
    moved = counted([0, 1, 0, 1, 1], [0.01, 0.4, 0.6, 0.99, 0.3])
    assert isnan(line.calibration_in_the_large(certain))
    for value in (line.calibration_slope, line.calibration_in_the_large):
        assert value(certain, clip=0.01) == pytest.approx(value(moved))
    assert line.no_shift(certain, clip=0.01) == "probabilities are kept within 0.01 and 1 - 0.01"
    assert "val.prob leaves such rows out" in line.no_shift(certain)
    with pytest.raises(InputError):
        line.calibration_slope(certain, clip=0.5)


def test_shift_of_separated_and_of_constant_probabilities_is_known() -> None:
    assert line.calibration_in_the_large(counted([0, 0, 0, 1], [0.5] * 4)) == pytest.approx(
        -np.log(3)
    )
    separated = counted([0, 1], [1e-6, 1 - 1e-6])
    assert line.calibration_in_the_large(separated) == pytest.approx(0.0, abs=1e-9)
    wrong = counted([1, 0, 1], [1e-9, 1 - 1e-9, 1e-9])
    assert line.calibration_in_the_large(wrong) == pytest.approx(np.log(1e9), rel=1e-6)


def test_weights_of_both_classes_in_one_score_may_add_up_to_one() -> None:
    truth, score = np.array([True, False]), np.array([0.304, 0.304])
    in_rows, in_shares = (
        gain.nagelkerke_r2(ScoreCounts.of(truth, score, np.array([2.0, 1.0]) / unit))
        for unit in (1, 3)
    )
    assert in_shares == pytest.approx(in_rows)


def test_likelihood_of_certain_truths() -> None:
    right = counted([0, 1, 1, 0], [0.0, 1.0, 0.75, 0.25])
    expected = 2 * (2 * np.log(0.75) - 4 * np.log(0.5))
    assert gain.discrimination_chi_square(right) == pytest.approx(expected)
    assert gain.nagelkerke_r2(counted([0, 1], [0.0, 1.0])) == pytest.approx(1.0)
    assert gain.nagelkerke_r2(counted([0, 1, 1], [0.0, 1.0, 0.0])) == -np.inf
    assert isnan(gain.nagelkerke_r2(counted([1, 1], [0.4, 0.5])))


def test_overconfident_scores_far_from_the_line_still_converge() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=2_000) * 30  # nearly all 0 or 1, though the truth hardly follows
    truth, score = rng.random(2_000) < 1 / (1 + np.exp(-x / 60)), 1 / (1 + np.exp(-x))
    inside = (score > 1e-15) & (score < 1 - 1e-15)
    found = line.calibration_slope(ScoreCounts.of(truth[inside], score[inside]))
    expected = statsmodels_line(truth[inside], score[inside]).params[1]
    assert found == pytest.approx(expected, rel=1e-9)


def test_shift_that_makes_every_row_all_but_certain_is_found() -> None:
    low, high = 1e-24, 0.3
    scores = ScoreCounts.of(np.array([False, True]), np.array([low, high]))
    # both rows are equally far from certain half-way between their logits
    expected = -(np.log(low / (1 - low)) + np.log(high / (1 - high))) / 2
    assert line.calibration_in_the_large(scores) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("span", [None, 0.0, 1.5])
def test_span_of_a_smooth_curve_must_be_given(span: float | None) -> None:
    with pytest.raises(InputError):
        smooth.integrated_calibration_index(counted([0, 1], [0.4, 0.6]), span=span)
