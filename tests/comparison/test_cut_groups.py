"""Comparisons over splits that cut groups: groups tell the error, and what is estimated is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.compare import compare
from heldout.comparison.power.noise import MeanNoise
from heldout.core.errors import InputError

GROUPS, SIZE = 30, 15
OF_ROW = np.repeat(np.arange(GROUPS), SIZE)
ROWS = len(OF_ROW)


def two(
    seed: int = 1,
    *,
    repeats: int = 1,
    folds: int = 5,
    is_whole: bool = False,
    share: float = 0.9,
    groups: Any = OF_ROW,
    **how: Any,
) -> list[Any]:
    """Two equal models; a share of their noise is that of the group, whichever fold a row is in."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(GROUPS) % 2)[OF_ROW]
    unit = OF_ROW if is_whole else np.arange(ROWS)
    fold = [(rng.permutation(unit.max() + 1) % folds)[unit] for _ in range(repeats)]
    given = {
        "groups": np.tile(groups, repeats),
        "folds": np.concatenate(fold),
        "repeats": np.repeat(np.arange(repeats), ROWS) if repeats > 1 else None,
        "pos_label": 1,
        **how,
    }
    made = []
    for name in "ab":
        own = np.sqrt(share) * rng.normal(size=GROUPS)[OF_ROW]
        noise = own + np.sqrt(1 - share) * rng.normal(size=(repeats, ROWS))
        score = 1 / (1 + np.exp(-(1.5 * (truth - 0.5) + noise)))
        made.append(
            heldout.from_arrays(np.tile(truth, repeats), y_score=score.ravel(), model=name, **given)
        )
    return made


@pytest.mark.parametrize(("repeats", "folds"), [(1, 5), (3, 5), (5, 2)])
@pytest.mark.parametrize("measure", ["accuracy", "auc", "f_score"])
def test_groups_tell_the_error_where_splits_cut_them(
    repeats: int, folds: int, measure: str
) -> None:
    made = compare(*two(repeats=repeats, folds=folds), measures=measure)
    found = made[measure]
    assert found.test.method == (
        "corrected resampled t test (Nadeau and Bengio), with the error of 30 groups that the "
        "splits cut"
    )
    assert (found.n, found.unit) == (GROUPS, "groups")
    assert "in 30 groups, cut by the splits" in made.design.words
    assert any("new rows of known groups, not of new groups" in note for note in made.notes)
    assert "moves all splits alike" in made.explanation
    forced = compare(
        *two(repeats=repeats, folds=folds), measures=measure, test="corrected-t", force=True
    )
    assert found.interval.width > 1.1 * forced[measure].interval.width
    assert found.value == pytest.approx(forced[measure].value)


@pytest.mark.parametrize("repeats", [1, 3])
def test_splits_that_keep_groups_whole_have_the_corrected_t(repeats: int) -> None:
    made = compare(*two(repeats=repeats, is_whole=True), measures="accuracy")
    assert "Nadeau" in made["accuracy"].test.method
    assert not any("cut" in note for note in made.notes)
    assert "splits keep them whole" in made.explanation


def test_the_variance_of_groups_is_added_to_the_corrected_one() -> None:
    first, second = two(repeats=2, folds=3)
    found = compare(first, second, measures="accuracy")["accuracy"]
    gaps = (first.truth == first.predicted) - (second.truth == second.predicted) * 1.0
    place = 3 * np.repeat([0, 1], ROWS) + first.design.fold.codes
    sizes = np.bincount(place)
    means = np.bincount(place, gaps) / sizes
    sums = np.bincount(np.tile(OF_ROW, 2), (gaps - means[place]) / sizes[place] / 6)
    added = (sums**2).sum() * GROUPS / (GROUPS - 1)
    corrected = means.var(ddof=1) * (1 / 6 + 1 / 2)
    assert added > corrected > 0
    assert found.value == pytest.approx(means.mean())
    error = np.sqrt(added + corrected)
    assert found.test.statistic == pytest.approx(means.mean() / error)
    freedom = error**4 / (added**2 / (GROUPS - 1) + corrected**2 / 5)
    assert freedom > 5
    assert found.test.degrees == (5,)


def test_groups_that_differ_little_make_no_test_less_cautious() -> None:
    for seed in range(6):
        given = two(seed, share=0.0)
        made = compare(*given, measures="accuracy")["accuracy"]
        known = compare(*given, measures="accuracy", test="corrected-t", force=True)["accuracy"]
        assert known.interval.width < made.interval.width < 2 * known.interval.width
        assert made.p_value > known.p_value


@pytest.mark.parametrize("test", ["corrected-t", "plain-t", "5x2-t", "5x2-f"])
def test_tests_of_splits_alone_are_refused_with_the_reason(test: str) -> None:
    given = two(repeats=5, folds=2)
    with pytest.raises(InputError, match=r"splits cut groups.*Take group-t"):
        compare(*given, measures="accuracy", test=test)
    made = compare(*given, measures="accuracy", test=test, force=True)
    assert made.verdict.startswith("NOT VALID")


def test_the_test_of_groups_is_refused_where_nothing_is_cut() -> None:
    with pytest.raises(InputError, match="no split cuts a group"):
        compare(*two(is_whole=True), measures="accuracy", test="group-t", force=True)
    without = two(groups=np.arange(ROWS))
    with pytest.raises(InputError, match="no split cuts a group"):
        compare(*without, measures="accuracy", test="group-t")


@pytest.mark.parametrize("measure", ["auc", "mcc"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_exchanged_models_mirror_the_result(measure: str, alternative: str) -> None:
    first, second = two(2)
    turned = {"two-sided": "two-sided", "greater": "less"}[alternative]
    one = compare(first, second, measures=measure, alternative=alternative, rope=0.02)[measure]
    other = compare(second, first, measures=measure, alternative=turned, rope=0.02)[measure]
    assert one.p_value == pytest.approx(other.p_value)
    assert (one.interval.low, one.interval.high) == pytest.approx(
        (-other.interval.high, -other.interval.low)
    )
    assert one.posterior is not None
    assert other.posterior is not None
    assert one.posterior.first_better == pytest.approx(other.posterior.second_better)


def test_identical_models_are_equal() -> None:
    first = two()[0]
    other = heldout.from_arrays(
        first.truth,
        y_score=first.scores,
        groups=OF_ROW,
        folds=first.design.fold.codes,
        pos_label=1,
        model="b",
    )
    found = compare(first, other, measures=["accuracy", "auc", "f_score"])
    for difference in found.differences:
        assert (difference.value, difference.p_value) == (0, 1)


def test_a_single_group_has_no_test() -> None:
    with pytest.raises(InputError, match="all rows are in one group"):
        compare(*two(groups=np.zeros(ROWS, int)), measures="accuracy")


def test_calibration_errors_are_left_to_splits_that_keep_groups_whole() -> None:
    with pytest.raises(InputError, match="no test of ece is known where splits cut groups"):
        compare(*two(), measures="ece")


def test_leave_one_out_says_that_models_know_the_groups() -> None:
    made = compare(*two(folds=ROWS), measures="accuracy")
    assert made.design.kind == "leave-one-out"
    assert made["accuracy"].unit == "groups"
    assert any("known groups" in note for note in made.notes)


def test_holdouts_that_test_as_many_rows_of_each_group_cut_them_all_the_same() -> None:
    rng = np.random.default_rng(3)
    rows = np.concatenate([np.arange(r % SIZE, ROWS, SIZE) for r in range(4)])
    given = {"groups": OF_ROW[rows], "repeats": np.repeat(np.arange(4), GROUPS), "pos_label": 1}
    truth = rng.permutation(np.arange(GROUPS) % 2)[OF_ROW]
    given["train_counts"] = [75, 75]
    made = [
        heldout.from_arrays(truth[rows], y_score=rng.random(len(rows)), ids=rows, model=m, **given)
        for m in "ab"
    ]
    assert compare(*made, measures="accuracy").design.cuts_groups


def test_unpaired_models_know_their_groups_too() -> None:
    first, second = two(1)[0], two(2)[1]
    made = compare(first, second, measures="accuracy", unpaired=True)
    assert any("known groups" in note for note in made.notes)
    whole = two(1, is_whole=True)[0], two(2, is_whole=True)[1]
    made = compare(*whole, measures="accuracy", unpaired=True)
    assert not any("known groups" in note for note in made.notes)


def test_what_the_groups_can_show_is_counted_in_groups() -> None:
    made = compare(*two(), measures="accuracy")
    assert "8 of 10 such samples (30 groups)" in made.verdict
    noise = made["accuracy"].noise
    assert isinstance(noise, MeanNoise)
    assert noise.count == GROUPS


def test_false_alarms_keep_to_the_level_where_the_corrected_t_does_not() -> None:
    simulations = 60
    alarms = forced = 0
    for seed in range(simulations):
        given = two(100 + seed, repeats=2)
        alarms += compare(*given, measures="auc")["auc"].p_value <= 0.05
        how = {"measures": "auc", "test": "corrected-t", "force": True}
        forced += compare(*given, **how)["auc"].p_value <= 0.05
    assert alarms <= 0.12 * simulations
    assert forced >= 0.2 * simulations
