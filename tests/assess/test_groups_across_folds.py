"""Groups that lie across folds make all folds err alike: the spread of folds is not trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.resampled_decisions import RepeatedProfit
from heldout.engines.memory import Tallies
from heldout.measures.spec import parse_request
from heldout.predictions.split_design import SplitDesign
from heldout.uncertainty.options import IntervalOptions

AREAS = ("auc", "gini")
ASKED = ("balanced_accuracy", "f_score", "mcc", "auc", "gini", "accuracy", "log_loss")


def judged(repeats: int, *, whole: bool = False, groups: int = 20, seed: int = 4) -> dict[str, Any]:
    """Groups of fifteen rows, some easy and some hard, in repeats of five folds."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), 15)
    truth = rng.integers(0, 2, len(group))
    strength = rng.normal(1, 1.5, groups)[group]
    score = 1 / (1 + np.exp(-((truth - 0.5) * strength + 0.7 * rng.normal(size=len(group)))))
    folds = [
        (rng.permutation(groups) % 5)[group] if whole else rng.permutation(len(group)) % 5
        for _ in range(repeats)
    ]
    return {
        "y_true": np.tile(truth, repeats),
        "y_score": np.tile(score, repeats),
        "groups": np.tile(group, repeats),
        "folds": np.concatenate(folds),
        "repeats": np.repeat(np.arange(repeats), len(group)),
    }


def holdouts(*, whole: bool) -> dict[str, Any]:
    """Eight holdouts of 30 % of the rows, or of whole groups."""
    rng = np.random.default_rng(7)
    once = judged(1)
    group = once["groups"]
    parts = [
        np.flatnonzero(np.isin(group, rng.permutation(20)[:6]))
        if whole
        else rng.permutation(len(group))[:90]
        for _ in range(8)
    ]
    made = {name: once[name][np.concatenate(parts)] for name in ("y_true", "y_score", "groups")}
    made["repeats"] = np.repeat(np.arange(8), 90)
    return {**made, "identifier": np.concatenate(parts)}


def scored(given: dict[str, Any]) -> heldout.Scorecard:
    """A scorecard of holdouts, whose rows have names and whose training parts are known."""
    rows = {name: values for name, values in given.items() if name != "identifier"}
    p = heldout.from_arrays(**rows)
    design = replace(p.design, test_share=3 / 7)
    return heldout.score(replace(p, design=design, identifier=given["identifier"]))


def width(result: Any) -> float:
    assert result.low is not None, result.note
    return float(result.high - result.low)


@pytest.fixture(scope="module")
def card() -> heldout.Scorecard:
    return heldout.score(**judged(5))


@pytest.mark.parametrize("measure", ASKED)
def test_repeats_of_folds_across_groups_are_as_wide_as_one(
    card: heldout.Scorecard, measure: str
) -> None:
    single = judged(5)
    first = single.pop("repeats") == 0
    once = heldout.score(**{name: values[first] for name, values in single.items()})
    known, found = once[measure], card[measure]
    assert width(found) == pytest.approx(width(known), rel=0.05)
    low, high = found.low, found.high
    assert low is not None
    assert high is not None
    assert low < found.value < high
    assert "20 groups" in found.method
    if measure in (*AREAS, "accuracy", "log_loss"):
        assert "as in one repeat, wider than the corrected t over 25 splits" in found.method
    else:
        assert found.method.endswith("mean of 5 repeats' limits")


@pytest.mark.parametrize("measure", ["average_precision", "ece", "ks_statistic"])
def test_rankings_by_models_of_folds_across_groups_have_no_interval(
    card: heldout.Scorecard, measure: str
) -> None:
    for kind in ("pooled", "mean of folds"):
        found = card[measure, kind]
        assert found.low is None
        why = "the number of rows" if kind == "mean of folds" else "several folds' models"
        assert why in found.note


@pytest.mark.parametrize("measure", AREAS)
def test_folds_that_keep_groups_whole_have_the_corrected_t(measure: str) -> None:
    found = heldout.score(**judged(3, whole=True))[measure]
    assert found.method == "corrected t over 15 splits (Nadeau and Bengio 2003)"


def test_a_single_group_across_folds_is_enough() -> None:
    given = judged(3, whole=True)
    assert not SplitDesign(heldout.from_arrays(**given)).cuts_groups
    given["folds"][0] = (given["folds"][0] + 1) % 5
    assert SplitDesign(heldout.from_arrays(**given)).cuts_groups
    alone = {**given, "groups": np.arange(len(given["folds"])) % 300}
    assert not SplitDesign(heldout.from_arrays(**alone)).cuts_groups


@pytest.mark.parametrize("measure", ["balanced_accuracy", "auc", "accuracy"])
def test_holdouts_of_rows_see_no_more_groups_than_there_are(measure: str) -> None:
    given = holdouts(whole=False)
    found = scored(given)[measure]
    own = "mean of 8 repeats' limits" if measure == "balanced_accuracy" else "as in one repeat"
    assert own in found.method
    first = given["repeats"] == 0
    alone = {name: given[name][first] for name in ("y_true", "y_score", "groups")}
    # all groups are in the first holdout: the rows of the others say no more of them
    assert len(np.unique(alone["groups"])) == 20
    known = heldout.score(**alone)[measure]
    assert width(found) > 0.9 * width(known)


def test_holdouts_of_whole_groups_have_the_corrected_t() -> None:
    found = scored(holdouts(whole=True))["auc"]
    assert found.method == "corrected t over 8 splits (Nadeau and Bengio 2003)"


def test_classes_of_repeats_across_groups_have_the_limits_of_one_repeat() -> None:
    given = judged(4)
    predicted = (given["y_score"] > 0.5).astype(int) + 1
    truth, second = given["y_true"] + 1, given["groups"] % 4 == 0
    given = {name: given[name] for name in ("groups", "folds", "repeats")}
    given |= {"y_true": truth * ~second, "y_pred": np.where(second & (truth == 1), 0, predicted)}
    found = heldout.score(**given).results(("f_score",))
    first = given.pop("repeats") == 0
    once = heldout.score(**{name: values[first] for name, values in given.items()})
    known = {r.class_: r for r in once.results(("f_score",)) if r.class_ and not r.fold}
    means = [r for r in found if r.class_ and not r.fold]
    assert {r.class_ for r in means} == {"0", "1", "2"}
    for result in means:
        assert "mean of 4 repeats' limits" in result.method
        assert width(result) == pytest.approx(width(known[result.class_]), rel=0.1)


def test_ungrouped_procedure_with_groups_heeds_them() -> None:
    draw = np.random.default_rng(3)
    groups = np.repeat(np.arange(30), 10)
    X = draw.normal(size=(30, 2))[groups] + 0.1 * draw.normal(size=(300, 2))
    y = (X[:, 0] + draw.normal(size=30)[groups] > 0).astype(int)
    made = heldout.evaluate({"nb": "nb"}, X, y, procedure="4x5-fold ungrouped", groups=groups)
    for measure in ("balanced_accuracy", "auc"):
        found = made[measure]
        assert "30 groups" in found.method
        assert width(found) > 0.25
    assert made["average_precision"].low is None
    whole = heldout.evaluate({"nb": "nb"}, X, y, procedure="4x5-fold", groups=groups)
    assert whole["auc", "mean of folds"].method.startswith("corrected t")


def test_one_run_across_groups_promises_nothing_of_repeats() -> None:
    draw = np.random.default_rng(3)
    groups, X = np.arange(60) % 12, draw.normal(size=(60, 2))
    y = (X[:, 0] + draw.normal(size=60) > 0).astype(int)
    made = heldout.evaluate({"nb": "nb"}, X, y, procedure="3-fold ungrouped", groups=groups)
    for kind in ("pooled", "mean of folds"):
        note = made["average_precision", kind].note
        assert "no interval: " in note
        assert "repeat the procedure" not in note


def test_difference_of_decisions_in_one_group_has_no_interval() -> None:
    given = judged(3)
    given["groups"] = np.zeros_like(given["groups"])
    tallies = Tallies(heldout.from_arrays(**given))
    profit = RepeatedProfit(tallies, IntervalOptions(), parse_request("accuracy"))
    gained = np.random.default_rng(1).normal(size=len(given["folds"]))
    assert profit.of_difference(gained).is_absent
