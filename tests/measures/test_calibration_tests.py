"""Hosmer and Lemeshow's test with its cuts, Spiegelhalter's z, beside R, Stata and SciPy."""

from __future__ import annotations

import csv
from math import inf, isnan
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from heldout.core.errors import InputError
from heldout.measures.calibration_tests import (
    chi_square_tail,
    groups_of,
    hosmer_lemeshow,
    hosmer_lemeshow_p_value,
    note_on_groups,
    spiegelhalter_p_value,
    spiegelhalter_z,
)
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from pathlib import Path


def read(path: Path, score: str, truth: str, positive: str) -> ScoreCounts:
    with path.open(encoding="utf-8") as text:
        lines = list(csv.DictReader(text))
    is_positive = np.array([row[truth] == positive for row in lines])
    return ScoreCounts.of(is_positive, np.array([float(row[score]) for row in lines]))


def counted(truth: Any, score: Any, weight: Any = None) -> ScoreCounts:
    weights = None if weight is None else np.array(weight, float)
    return ScoreCounts.of(np.array(truth) == 1, np.array(score, float), weights)


@pytest.mark.parametrize(
    ("file", "columns", "groups", "cut", "chi_square", "p_value"),
    [
        (
            "hoslem_doc/hoslem.csv",
            ("p", "y", "1"),
            10,
            "quantile",
            4.52271872904907,
            0.807155888854591,
        ),
        (
            "hoslem_doc/hoslem.csv",
            ("p", "y", "1"),
            5,
            "quantile",
            0.425771164394053,
            0.934868802212182,
        ),
        (
            "lbw_logistic/lbw.csv",
            ("p", "y", "1"),
            10,
            "quantile",
            10.3978027259526,
            0.238207562262701,
        ),
        (
            "lbw_logistic/lbw.csv",
            ("p", "y", "1"),
            5,
            "quantile",
            3.20634883092239,
            0.360891264253104,
        ),
        (
            "lbw_logistic/lbw.csv",
            ("p", "y", "1"),
            10,
            "equal count",
            10.2625064702589,
            0.247082711733229,
        ),
        ("lbw_logistic/lbw.csv", ("p", "y", "1"), 10, "stata", 9.65068344895283, 0.290404073503901),
        (
            "yardstick_two_class/two_class_example.csv",
            ("Class1", "truth", "Class1"),
            10,
            "quantile",
            28.9777065544335,
            0.000319967220348882,
        ),
    ],
)
def test_r_and_stata_say_the_same(
    reference: Path,
    file: str,
    columns: tuple[str, str, str],
    groups: int,
    cut: str,
    chi_square: float,
    p_value: float,
) -> None:
    scores = read(reference / file, *columns)
    assert hosmer_lemeshow(scores, groups=groups, cut=cut) == pytest.approx(chi_square, abs=1e-8)
    on_training = hosmer_lemeshow_p_value(scores, groups=groups, cut=cut, df="g-2")
    assert on_training == pytest.approx(p_value, abs=1e-8)
    on_new = hosmer_lemeshow_p_value(scores, groups=groups, cut=cut)
    assert on_new == pytest.approx(stats.chi2.sf(chi_square, groups), abs=1e-8)


def test_groups_of_stata(reference: Path) -> None:
    groups = groups_of(read(reference / "lbw_logistic/lbw.csv", "p", "y", "1"), 10, "stata")
    assert list(groups.observed) == [0, 2, 6, 1, 7, 7, 6, 7, 10, 13]
    assert list(groups.weight) == [19] * 9 + [18]
    assert groups.expected[-1] == pytest.approx(12.7638204998321, abs=1e-8)


@pytest.mark.parametrize("cut", ["quantile", "equal count", "stata"])
@pytest.mark.parametrize("decimals", [1, 2, 17])
def test_weights_repeat_rows(cut: str, decimals: int) -> None:
    rng = np.random.default_rng(decimals)
    score = rng.random(150).round(decimals).clip(0.01, 0.99)
    truth, times = rng.random(150) < score, rng.integers(0, 5, 150)
    weighted = counted(truth, score, times)
    repeated = counted(np.repeat(truth, times), np.repeat(score, times))
    found = hosmer_lemeshow_p_value(weighted, cut=cut)
    assert found == pytest.approx(hosmer_lemeshow_p_value(repeated, cut=cut), rel=1e-9)
    assert spiegelhalter_z(weighted) == pytest.approx(spiegelhalter_z(repeated), rel=1e-9)


@pytest.mark.parametrize("cut", ["quantile", "stata"])
def test_borders_are_the_quantiles_that_numpy_knows(cut: str) -> None:
    rng = np.random.default_rng(11)
    method = {"quantile": "linear", "stata": "averaged_inverted_cdf"}[cut]
    for size in (20, 97, 100, 333):
        score = rng.random(size).round(2)
        truth = rng.integers(0, 2, size)
        # the types of NumPy want a word of theirs, not a text
        borders = np.quantile(score, np.arange(1, 8) / 8, method=method)  # type: ignore[call-overload]
        place = np.searchsorted(borders, score, side="left")
        expected = np.bincount(place, minlength=8)
        found = groups_of(counted(truth, score), 8, cut)
        assert list(found.weight) == list(expected[expected > 0])


def test_equal_probabilities_leave_fewer_groups_and_say_so() -> None:
    scores = counted([1, 0, 0, 0, 1, 1, 1, 0], [0.2] * 4 + [0.8] * 4)
    assert len(groups_of(scores, 10, "quantile").weight) == 2
    assert note_on_groups(scores) == "2 of 10 groups have rows"
    assert note_on_groups(scores, groups=2, cut="stata") == ""
    by_hand = 2 * (0.2**2 / 0.8 + 0.2**2 / 3.2)
    assert hosmer_lemeshow(scores) == pytest.approx(by_hand)
    assert hosmer_lemeshow_p_value(scores) == pytest.approx(stats.chi2.sf(by_hand, 2))
    assert isnan(hosmer_lemeshow_p_value(scores, df="g-2"))


def test_certain_groups_add_nothing_or_rule_out_all() -> None:
    assert hosmer_lemeshow(counted([0, 0, 1, 1], [0, 0, 1, 1]), groups=2) == 0
    wrong = counted([0, 1, 1, 1], [0, 0, 1, 1])
    assert hosmer_lemeshow(wrong, groups=2) == inf
    assert hosmer_lemeshow_p_value(wrong, groups=2) == 0


@pytest.mark.parametrize("how", [{"groups": 1}, {"cut": "deciles"}, {"df": "g-1"}])
def test_groups_without_meaning_are_refused(how: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        hosmer_lemeshow_p_value(counted([0, 1], [0.4, 0.6]), **how)


@pytest.mark.parametrize("freedom", [1, 2, 3, 8, 11, 100, 1001])
def test_tail_of_chi_square_is_that_of_scipy(freedom: int) -> None:
    for value in (0.0, 1e-6, 0.5, 3.0, 30.0, 900.0, 1100.0):
        expected = stats.chi2.sf(value, freedom)
        assert chi_square_tail(freedom, value) == pytest.approx(expected, rel=1e-11)
    assert isnan(chi_square_tail(freedom, float("nan")))


def test_spiegelhalter_on_weather_forecasts(reference: Path) -> None:
    path = reference / "verification_brier" / "forecasts.csv"
    probability, truth = np.loadtxt(path, delimiter=",", skiprows=1, unpack=True)
    scores = counted(truth, probability)
    assert spiegelhalter_z(scores) == pytest.approx(-0.989904715280794, abs=1e-9)
    assert spiegelhalter_p_value(scores) == pytest.approx(0.322220694550261, abs=1e-12)


def test_spiegelhalter_follows_its_formula_and_needs_a_doubt() -> None:
    rng = np.random.default_rng(2)
    p = rng.random(50)
    y = rng.integers(0, 2, 50)
    top, bottom = np.sum((y - p) * (1 - 2 * p)), np.sum((1 - 2 * p) ** 2 * p * (1 - p))
    z = top / np.sqrt(bottom)
    assert spiegelhalter_z(counted(y, p)) == pytest.approx(z)
    assert spiegelhalter_p_value(counted(y, p)) == pytest.approx(2 * stats.norm.sf(abs(z)))
    assert isnan(spiegelhalter_z(counted([0, 1, 1], [0.5, 1.0, 0.0])))
    assert isnan(spiegelhalter_p_value(counted([0, 1, 1], [0.5, 1.0, 0.0])))
