"""Searches along splits that cut groups: no race, cautious tests, and a word on what values are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.split_tests import corrected_p_values
from heldout.core.errors import InputError
from heldout.selection.choice import (
    cuts_groups,
    group_error,
    group_p_values,
    rule_error,
    standard_errors,
)

GROUPS, SIZE = 24, 8
OF_ROW = np.repeat(np.arange(GROUPS), SIZE)
KNN = "n_neighbors=1,5,15,45"


def data(seed: int = 1) -> tuple[Any, Any]:
    """Rows of a group are alike in their features and of one class."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(GROUPS) % 2)[OF_ROW]
    own = rng.normal(size=(GROUPS, 2))[OF_ROW]
    return 0.6 * (2 * y[:, None] - 1) + own + 0.5 * rng.normal(size=(len(y), 2)), y


def searched(procedure: Any = "5-fold ungrouped", **how: Any) -> Any:
    X, y = data()
    return heldout.select("knn", KNN, X, y, groups=OF_ROW, procedure=procedure, draws=20, **how)


def test_a_race_along_splits_that_cut_groups_is_refused() -> None:
    with pytest.raises(InputError, match="cuts groups, so that all splits err alike"):
        searched(race=True)
    assert searched("5-fold", race=True).search.scores


@pytest.mark.parametrize("is_given", [True, False])
def test_what_values_are_of_is_said(is_given: bool) -> None:
    folds = np.arange(len(OF_ROW)) % 5
    made = searched("column folds", folds=folds) if is_given else searched()
    assert any("new rows of known groups, not for new groups" in note for note in made.notes)
    assert not any("known groups" in note for note in searched("5-fold").notes)


def test_outer_folds_that_cut_groups_are_told_too() -> None:
    made = searched(None, nested="3-fold ungrouped / 3-fold")
    assert not made.search.cuts_groups
    assert any("known groups" in note for note in made.notes)


@pytest.mark.parametrize(
    ("procedure", "measure"),
    [
        ("5-fold ungrouped", "accuracy"),
        ("5-fold ungrouped", "auc"),
        ("8x holdout 70:30 ungrouped", "accuracy"),
        ("8x holdout 70:30 ungrouped", "f_score"),
    ],
)
def test_the_error_of_groups_makes_the_tests_more_cautious(procedure: str, measure: str) -> None:
    made = searched(procedure, measure=measure)
    search, table = made.search, made.search.table
    assert made.same[2] == ""
    others = [place for place in range(4) if place != search.best]
    gaps = table[search.best] - table[others]
    known = corrected_p_values(gaps, search.test_share, folds=search.folds)
    found, reason = group_p_values(search, others, gaps)
    assert reason == ""
    assert (found >= known - 1e-12).all()
    assert (found > 1.1 * known).any()
    assert "with the error of groups that splits cut, Holm" in " ".join(repr(made).split())


def test_calibration_errors_have_no_test() -> None:
    _, p_values, reason = searched("8x holdout 70:30 ungrouped", measure="ece").same
    assert "no test of ece is known where splits cut groups" in reason
    assert np.isnan(p_values).all()
    _, p_values, reason = searched(measure="ece").same
    assert reason == "values of ece on single splits are too noisy to compare"
    assert np.isnan(p_values).all()


def test_the_rule_of_one_error_looks_at_the_larger_one() -> None:
    made = searched(rule="one-se").search
    plain = float(standard_errors(made.table)[made.best])
    assert rule_error(made)[0] == max(plain, group_error(made, made.best))
    assert group_error(made, made.best) > 1.3 * plain
    assert "one standard error by groups" in searched(rule="one-se").best.reason
    whole = searched("5-fold", rule="one-se").search
    assert rule_error(whole) == (float(standard_errors(whole.table)[whole.best]), "")


def test_the_rule_in_draws_has_the_same_stretch() -> None:
    from heldout.selection.bias_corrected import one_error_in_draws

    made = searched(rule="one-se").search
    rule = one_error_in_draws(made, range(4), np.arange(len(OF_ROW)))
    assert rule is not None
    plain = float(standard_errors(made.table)[made.best])
    assert rule.stretch == pytest.approx(rule_error(made)[0] / plain)
    assert rule.stretch > 1.3


def test_splits_are_cut_where_a_group_trains_and_tests() -> None:
    for procedure, is_cut in (
        ("5-fold", False),
        ("3x holdout 70:30", False),
        ("loo ungrouped", True),
    ):
        made = searched(procedure, measure="accuracy").search
        assert cuts_groups(made.dataset, made.splits) is is_cut
