"""Tests that cannot be made are refused with the right reason; what was not tested is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.compare import compare
from heldout.comparison.design import ComparisonDesign
from heldout.comparison.difference import margin_verdict
from heldout.comparison.methods import METHODS, Sample, admit
from heldout.comparison.words import size_in_words
from heldout.core.errors import InputError
from tests.comparison.test_laws import PAIRS

ROW_TESTS, SPLIT_TESTS, SET_TESTS = (
    tuple(name for name, method in METHODS.items() if method.sample in samples)
    for samples in (
        {Sample.ROWS},
        {Sample.SPLITS, Sample.FIVE_BY_TWO},
        {Sample.TWO_ON_SETS, Sample.ALL_ON_SETS},
    )
)


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("test", SPLIT_TESTS)
def test_tests_of_splits_cannot_be_run_on_one_test_set(test: str, force: bool) -> None:
    with pytest.raises(InputError, match="even by force: there is only one split") as caught:
        compare(*PAIRS["binary"], measures="accuracy", test=test, force=force)
    assert "overlap" not in str(caught.value)


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    ("kind", "tests", "reason"),
    [
        ("one test set", SET_TESTS, "many data sets"),
        ("k-fold", SET_TESTS, "many data sets"),
        ("many data sets", (*ROW_TESTS, *SPLIT_TESTS, "independent"), "neither rows nor splits"),
        ("different test sets", (*ROW_TESTS, *SPLIT_TESTS), "different rows"),
        ("leave-one-out", SPLIT_TESTS, "a single row"),
        ("k-fold", ("5x2-t", "5x2-f"), "five repeats of two folds"),
    ],
)
def test_what_force_cannot_run_is_refused_all_the_same(
    kind: Any, tests: tuple[str, ...], reason: str, force: bool
) -> None:
    for test in tests:
        with pytest.raises(InputError, match=f"even by force: .*{reason}"):
            admit(test, ComparisonDesign(kind, 100, 1, 5), force=force)


def test_force_runs_every_other_test_and_says_that_it_is_not_valid() -> None:
    design = ComparisonDesign("repeated k-fold", 100, 3, 5)
    for test in (*ROW_TESTS, "independent", "plain-t"):
        assert admit(test, design, force=True).is_forced
        with pytest.raises(InputError, match="force=True"):
            admit(test, design)


def infinite(both: bool) -> Any:
    truth = np.arange(40) % 2
    good = np.where(truth == 1, 0.8, 0.3)
    wrong = good.copy()
    wrong[:1] = 1.0
    first = wrong if both else good
    return [
        heldout.from_arrays(truth, y_score=s, pos_label=1, model=m)
        for m, s in (("a", first), ("b", wrong))
    ]


@pytest.mark.parametrize("both", [False, True])
def test_an_infinite_loss_is_no_test_and_the_reason_is_said_once(both: bool) -> None:
    made = compare(*infinite(both), measures="log_loss", margin=0.1)
    assert made.verdict == (
        "log_loss: no test of a and b was possible: 1 row with an infinite loss: there is no mean "
        "to compare"
    )
    assert made.table["note"][0].count("infinite loss") == 1
    assert not made["log_loss"].is_significant


def test_an_infinite_loss_does_not_count_in_the_correction() -> None:
    pair = infinite(False)
    alone = compare(*pair, measures="brier_score")["brier_score"].p_value
    beside = compare(*pair, measures=["brier_score", "log_loss"])["brier_score"].p_value
    assert alone == beside


def test_one_row_and_one_point_are_singular() -> None:
    truth = [1, 0]
    first = heldout.from_arrays(truth[:1], [1], pos_label=1, model="a", labels=[0, 1])
    second = heldout.from_arrays(truth[:1], [1], pos_label=1, model="b", labels=[0, 1])
    made = compare(first, second, measures="accuracy")
    assert "on this 1 row" in made.verdict
    assert "1 rows" not in made.verdict
    wide = compare(*PAIRS["binary"], measures="auc", margin=0.01)
    assert "1 points" not in wide.verdict
    d = wide["auc"]
    assert "within 1 point" in margin_verdict(d, 0.01).words(size_in_words(0.01, d))


@pytest.mark.parametrize(
    ("measure", "test", "better"),
    [
        ("auc", "mcnemar", "use delong, or leave test= out"),
        ("auc", "loss-t", "use delong, or leave test= out"),
        ("auc", "corrected-t", "Take delong"),
        ("accuracy", "delong", "use mcnemar-midp, or leave test= out"),
        ("log_loss", "delong", "use loss-t, or leave test= out"),
        ("pr_auc", "mcnemar", "use delta, or leave test= out"),
        ("ece", "loss-t", "use permutation, or leave test= out"),
    ],
)
def test_what_is_recommended_is_the_default_of_measure_and_design(
    measure: str, test: str, better: str
) -> None:
    with pytest.raises(InputError) as caught:
        compare(*PAIRS["binary"], measures=measure, test=test)
    assert str(caught.value).endswith(better)
