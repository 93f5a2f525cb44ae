"""Comparisons after cross-validation: corrected tests, and refusals of those that are not valid."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.compare import compare
from heldout.comparison.posterior import correlated_t
from heldout.comparison.split_influence import split_values
from heldout.comparison.split_tests import (
    alpaydin_f,
    corrected_p_values,
    corrected_t,
    dietterich_t,
    plain_t,
)
from heldout.comparison.standing import letters
from heldout.core.errors import InputError
from heldout.engines.memory import Tallies
from heldout.measures.spec import parse_request


def judged(name: str, quality: float, repeats: int = 1, folds: int = 5, rows: int = 100) -> Any:
    """Predictions of a model that is right on about ``quality`` of the rows, with folds."""
    truth = np.tile(np.arange(rows) % 2, repeats)
    fold = np.concatenate(
        [np.random.default_rng(r).permutation(np.arange(rows) % folds) for r in range(repeats)]
    )
    rng = np.random.default_rng(len(name) + repeats)
    predicted = np.where(rng.random(rows * repeats) < quality, truth, 1 - truth)
    return heldout.from_arrays(
        truth,
        predicted,
        pos_label=1,
        folds=fold,
        repeats=np.repeat(np.arange(repeats), rows),
        ids=np.tile(np.arange(rows), repeats),
        model=name,
    )


def test_corrected_test_and_interval_agree() -> None:
    pair = judged("a", 0.8, repeats=2), judged("bb", 0.7, repeats=2)
    for level in (0.5, 0.9, 0.99):
        d = compare(*pair, measures="accuracy", level=level)["accuracy"]
        assert d.interval.contains(0) == (d.test.p_value > 1 - level)


def test_correction_makes_evidence_weaker() -> None:
    gaps = np.random.default_rng(1).normal(0.02, 0.03, 100)
    assert corrected_t(gaps, 1 / 9)[1].p_value > plain_t(gaps)[1].p_value


def test_posterior_sums_to_one_and_is_the_one_sided_test() -> None:
    gaps = np.random.default_rng(2).normal(0.01, 0.03, 20)
    for rope in (0.0, 0.01, 0.05):
        found = correlated_t(gaps, 1 / 9, rope)
        total = found.first_better + found.equivalent + found.second_better
        assert total == pytest.approx(1)
    none = correlated_t(gaps, 1 / 9)
    assert none.second_better == pytest.approx(
        corrected_t(gaps, 1 / 9, alternative="greater")[1].p_value
    )


def test_identical_models_give_no_difference_and_no_nan() -> None:
    assert corrected_t(np.zeros(10), 1 / 9)[1].p_value == 1
    found = correlated_t(np.zeros(10), 1 / 9)
    assert found.first_better == found.second_better == 0.5


def test_constant_differences_are_no_certainty() -> None:
    for interval, test in (
        corrected_t(np.full(10, 0.1 + 0.2), 1 / 9),
        alpaydin_f(np.full((5, 2), 0.1)),
        dietterich_t(np.full((5, 2), 0.1)),
    ):
        assert interval.is_absent
        assert np.isnan(test.p_value)
        assert "the variance of the differences is unknown" in test.note
    assert np.isnan(corrected_p_values(np.full((1, 10), 0.3), 1 / 9)).all()
    assert alpaydin_f(np.zeros((5, 2)))[1].p_value == 1
    assert dietterich_t(np.zeros((5, 2)))[1].p_value == 1
    assert correlated_t(np.full(10, -0.3), 1 / 9, 0.1).second_better == 1


def test_models_apart_alike_in_every_fold_have_neither_test_nor_probabilities() -> None:
    truth, folds = np.arange(20) % 2, np.arange(20) % 5
    right, wrong = (
        heldout.from_arrays(truth, labels, pos_label=1, model=name, folds=folds)
        for name, labels in (("right", truth), ("wrong", 1 - truth))
    )
    d = compare(right, wrong, measures="accuracy", rope=0.01)["accuracy"]
    assert (d.value, d.is_significant, d.posterior) == (1.0, False, None)
    assert d.interval.is_absent


def test_undefined_splits_are_refused() -> None:
    with pytest.raises(InputError, match="1 of 3 splits"):
        corrected_t(np.array([0.1, np.nan, 0.2]), 0.5)[1]


def test_design_chooses_the_test() -> None:
    tests = {}
    for repeats, folds in ((1, 5), (10, 5), (5, 2)):
        made = compare(
            judged("a", 0.9, repeats, folds), judged("bb", 0.7, repeats, folds), measures="accuracy"
        )
        tests[made.design.kind] = made["accuracy"].test.method
    assert tests["k-fold"] == tests["repeated k-fold"]
    assert "Nadeau" in tests["k-fold"]
    assert "Alpaydin" in tests["5x2-fold"]


def test_plain_t_over_folds_is_refused_unless_forced() -> None:
    two = judged("a", 0.9, 10), judged("bb", 0.7, 10)
    with pytest.raises(InputError, match="corrected-t"):
        compare(*two, measures="accuracy", test="plain-t")
    forced = compare(*two, measures="accuracy", test="plain-t", force=True)
    assert "NOT VALID" in forced["accuracy"].note
    assert forced.verdict.startswith("NOT VALID")
    with pytest.raises(InputError, match="fitted on other rows"):
        compare(*two, measures="accuracy", test="mcnemar")


def test_rows_of_one_cross_validation_may_be_pooled_and_that_is_said() -> None:
    two = judged("a", 0.9), judged("bb", 0.7)
    made = compare(*two, measures="accuracy", test="mcnemar")
    assert "Bayle" in made["accuracy"].note
    assert made["accuracy"].unit == "rows"
    assert made.values["accuracy"]["a"] == made["accuracy"].first_value
    with pytest.raises(InputError, match="corrected-t"):
        compare(*two, measures="f_score", test="permutation")


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("measure", ["f_score", "mcc", "precision"])
def test_what_folds_add_is_compared_of_measures_that_depend_on_their_size(
    measure: str, repeats: int
) -> None:
    two = judged("a", 0.9, repeats, 10, 60), judged("bb", 0.7, repeats, 10, 60)
    made = compare(*two, measures=measure)[measure]
    assert made.first_value == heldout.score(two[0])[measure].value
    assert made.n == 10 * repeats
    assert made.interval.contains(made.value)
    # the mean over folds of six rows is another number
    folds = heldout.score(two[0])[measure, "mean of folds"].value
    assert abs(folds - made.first_value) > 1e-3


def test_folds_are_refused_where_there_are_none() -> None:
    truth = np.arange(40) % 2
    one = heldout.from_arrays(truth, truth, pos_label=1, model="a")
    two = heldout.from_arrays(truth, 1 - truth, pos_label=1, model="b")
    with pytest.raises(InputError, match="only one split"):
        compare(one, two, measures="accuracy", test="corrected-t")


def test_swapping_models_mirrors_the_difference() -> None:
    first, second = judged("a", 0.9, 3), judged("bb", 0.8, 3)
    here = compare(first, second, measures=["accuracy", "recall"])
    there = compare(second, first, measures=["accuracy", "recall"])
    for measure in ("accuracy", "recall"):
        one, other = here[measure], there[measure]
        assert one.value == pytest.approx(-other.value)
        assert one.p_value == pytest.approx(other.p_value)
        assert one.interval.low == pytest.approx(-other.interval.high)
        assert here[measure, "bb", "a"].interval.low == pytest.approx(other.interval.low)
        assert one.better == other.better == "a"


def test_models_with_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="called 'a'"):
        compare(judged("a", 0.9), judged("a", 0.8))


def test_different_splits_are_refused() -> None:
    one, other = judged("a", 0.9, 1, 5), judged("bb", 0.8, 1, 5)
    fold = replace(other.design.fold, codes=other.design.fold.codes[::-1])
    other = replace(other, design=replace(other.design, fold=fold))
    with pytest.raises(InputError, match="different splits"):
        compare(one, other, measures="accuracy")


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ((5, 2), (1, 5), "5 repeats of 2 folds; 5 folds"),
        ((1, 5), (1, 10), "5 folds; 10 folds"),
        ((3, 5), (2, 5), "3 repeats of 5 folds; 2 repeats of 5 folds"),
    ],
)
def test_different_procedures_are_named(
    named: bool, one: tuple[int, int], other: tuple[int, int], words: str
) -> None:
    two = [judged("a", 0.9, *one), judged("bb", 0.8, *other)]
    if named:
        two = [replace(p, identifier=np.arange(len(p)) % 100) for p in two]
    with pytest.raises(InputError, match=rf"different procedures \({words}\): evaluate both"):
        compare(*two, measures="accuracy")


@pytest.mark.parametrize("test", [alpaydin_f, dietterich_t])
def test_five_by_two_intervals_hold_what_their_tests_do_not_reject(test: Any) -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        table = rng.normal(0.02, 0.02, (5, 2))
        interval, found = test(table)
        assert interval.contains(0) == (found.p_value > 0.05)
        for limit in (interval.low, interval.high):
            assert test(table - limit)[1].p_value == pytest.approx(0.05)


def test_repeats_of_folds_have_at_most_ten_degrees_of_freedom() -> None:
    for repeats, freedom in ((1, 4), (2, 9), (6, 10)):
        pair = judged("a", 0.8, repeats=repeats), judged("bb", 0.7, repeats=repeats)
        assert compare(*pair, measures="accuracy")["accuracy"].test.degrees == (freedom,)


@pytest.mark.parametrize(
    ("procedure", "kind", "share"),
    [
        ("6x holdout 70:30", "repeated holdout", 3 / 7),
        ("4-fold", "k-fold", 1 / 3),
        ("2x4-fold", "repeated k-fold", 1 / 3),
        ("bootstrap 6", "repeated holdout", 0.37),
        ("holdout 70:30", "one test set", 0.0),
        ("loo", "leave-one-out", 0.0),
    ],
)
def test_design_and_sizes_travel_in_evaluations_and_in_files(
    tmp_path: Path, procedure: str, kind: str, share: float
) -> None:
    made = heldout.evaluate(["nb", "lda"], data="iris", procedure=procedure)
    file = tmp_path / "predictions.csv"
    made.predictions.write(file)
    here = compare(made, measures="accuracy")
    there = compare(heldout.read_predictions(file), measures="accuracy")
    for found in (here, there):
        assert found.design.kind == kind
        assert found.design.test_share == pytest.approx(share, abs=0.02)
    assert here["accuracy", "nb", "lda"].p_value == pytest.approx(
        there["accuracy", "nb", "lda"].p_value
    )
    assert ("no interval or test is known to be valid" in here.explanation) == procedure.startswith(
        "boot"
    )


@pytest.mark.parametrize(
    ("procedure", "share"), [("6x holdout 70:30", 3 / 7), ("4x holdout 50:20:30", 0.6)]
)
def test_sizes_of_a_regression_come_from_the_text_of_its_procedure(
    tmp_path: Path, procedure: str, share: float
) -> None:
    made = heldout.evaluate(["ridge", "mean"], data="diabetes", procedure=procedure)
    file = tmp_path / "predictions.csv"
    made.predictions.write(file)
    there = compare(heldout.read_predictions(file), measures="mse")
    assert there.design.test_share == pytest.approx(share)
    assert there.design.test_share == pytest.approx(compare(made).design.test_share, abs=0.01)


def test_letters_are_shared_just_where_models_are_not_told_apart() -> None:
    names = ["a", "b", "c", "d", "e"]
    rng = np.random.default_rng(3)
    for _ in range(50):
        apart = {(x, y) for i, x in enumerate(names) for y in names[i + 1 :] if rng.random() < 0.4}
        made = letters(names, apart)
        for i, x in enumerate(names):
            for y in names[i + 1 :]:
                assert bool(set(made[x]) & set(made[y])) == ((x, y) not in apart)


@pytest.mark.parametrize("measure", ["information_score", "brier_skill", "accuracy", "auc"])
def test_folds_have_the_values_that_a_scorecard_gives_them(measure: str) -> None:
    rng = np.random.default_rng(4)
    truth = (rng.random(90) < 0.3).astype(int)
    scores = np.clip(0.3 + 0.3 * truth + 0.2 * rng.normal(size=(2, 90)), 0.02, 0.98)
    # of unequal size, and without training counts: all are judged against one prior
    folds = np.repeat([0, 1, 2], [10, 20, 60])
    two = [
        heldout.from_arrays(truth, y_score=score, folds=folds, pos_label=1, model=name)
        for name, score in zip("ab", scores, strict=True)
    ]
    made = compare(*two, measures=measure)
    for p in two:
        card = heldout.score(p)
        assert made.values[measure][p.model] == card[measure].value
        each = [r.value for r in card.results((measure,), per_fold=True) if r.fold in "012"][1:]
        assert len(each) == 3
        own = split_values(parse_request(measure), Tallies(p))
        if measure != "brier_skill":  # of which folds are pooled
            assert own == pytest.approx(each)
    # test rows per training row: 10 / 80, 20 / 70, 60 / 30
    share = (1 / 8 + 2 / 7 + 2) / 3
    assert made.design.test_share == pytest.approx(share)
    assert Tallies(two[0]).design.test_share == pytest.approx(share)
