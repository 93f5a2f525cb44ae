"""Folds and repeats: one prior for all, repeats that are cut short, slices of repeats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.assess.slices import slice_tables

AGAINST_PRIOR = ("information_score", "brier_skill", "relative_information_score")


def repeated(repeats: int = 3, *, seed: int = 1, rows: int = 100) -> dict[str, Any]:
    """Rows judged in several repeats of five folds."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, rows)
    parts = []
    for _ in range(repeats):
        score = 1 / (1 + np.exp(-(1.5 * (truth - 0.5) + rng.normal(size=rows))))
        parts.append((score, rng.permutation(rows) % 5))
    return {
        "y_true": np.tile(truth, repeats),
        "y_score": np.concatenate([score for score, _ in parts]),
        "folds": np.concatenate([fold for _, fold in parts]),
        "repeats": np.repeat(np.arange(repeats), rows),
    }


def taken(problem: dict[str, Any], kept: np.ndarray[Any, Any]) -> dict[str, Any]:
    return {name: values[kept] for name, values in problem.items()}


@pytest.mark.parametrize("measure", AGAINST_PRIOR)
@pytest.mark.parametrize("repeats", [1, 3])
def test_folds_are_judged_against_the_prior_of_all_rows(measure: str, repeats: int) -> None:
    problem = repeated(repeats)
    if repeats == 1:
        del problem["repeats"]
    silent = heldout.score(**problem)
    told = heldout.score(**problem, prior=float(problem["y_true"].mean()))
    for kind in ("pooled", "mean of folds"):
        one, other = silent[measure, kind], told[measure, kind]
        for field in ("value", "low", "high"):
            assert getattr(one, field) == pytest.approx(getattr(other, field), abs=1e-12)


def test_folds_of_values_are_judged_against_the_mean_of_all_rows() -> None:
    rng = np.random.default_rng(2)
    truth = rng.normal(10, 3, 60)
    ask = {"y_true": truth, "y_pred": truth + rng.normal(size=60), "folds": np.arange(60) % 4}
    found = heldout.score(**ask).results(("relative_absolute_error",), per_fold=True)
    assert found
    errors, distances = np.abs(ask["y_pred"] - truth), np.abs(truth - truth.mean())
    for fold in range(4):
        own = ask["folds"] == fold
        (value,) = [r.value for r in found if r.fold == str(fold)]
        assert value == pytest.approx(errors[own].sum() / distances[own].sum())


@pytest.mark.parametrize("measure", ["accuracy", "brier", "auc"])
def test_repeat_that_is_cut_short_weighs_as_many_as_its_rows(measure: str) -> None:
    problem = repeated(4, seed=3)
    problem = taken(problem, (problem["repeats"] < 3) | (problem["folds"] < 2))
    card = heldout.score(**problem)
    each = []
    for repeat in range(4):
        own = problem["repeats"] == repeat
        alone = heldout.score(problem["y_true"][own], y_score=problem["y_score"][own])
        each.append((alone[measure].value, own.sum()))
    expected = np.average([value for value, _ in each], weights=[rows for _, rows in each])
    result = card[measure, "pooled"]
    assert result.value == pytest.approx(expected, abs=1e-12)
    assert "by their rows: repeat 3 has 2 of 5 folds, 40 of 100 rows" in result.note
    assert any(note.startswith("incomplete: repeat 3 has 2 of 5 folds") for note in card.notes)


def test_share_of_all_rows_is_the_value_where_a_repeat_is_cut_short() -> None:
    problem = repeated(4, seed=3)
    problem = taken(problem, (problem["repeats"] < 3) | (problem["folds"] < 2))
    right = (problem["y_score"] >= 0.5) == problem["y_true"]
    assert heldout.score(**problem)["accuracy"].value == pytest.approx(right.mean())
    weight = np.random.default_rng(4).random(len(right))
    weighted = heldout.score(**problem, sample_weight=weight)
    assert weighted["accuracy"].value == pytest.approx(np.average(right, weights=weight))


def test_whole_repeats_and_single_splits_are_not_called_incomplete() -> None:
    whole = repeated(3)
    single = {**whole, "folds": np.zeros(300, int)}
    single = taken(single, np.arange(300) % 7 > 0)
    for problem in (whole, single):
        card = heldout.score(**problem)
        assert not [note for note in card.notes if "incomplete" in note]
        values = [r.value for r in card.results(("brier",), per_fold=True) if r.fold == "all"]
        assert card["brier"].value == pytest.approx(np.mean(values))


@pytest.mark.parametrize("measure", ["auc", "accuracy", "information_score"])
def test_slices_of_repeats_are_means_over_repeats_wherever_they_stand(measure: str) -> None:
    problem = repeated(3, seed=4)
    site = np.tile(np.random.default_rng(5).choice(["a", "b"], 100), 3)
    card = heldout.score(**problem, slices={"site": site})
    found = {r.slice: r for r in card.results((measure,)) if r.fold == "" and not r.repeat}
    (table,) = slice_tables(card.tallies[0], card.requests([measure]))
    assert table.whole.value == found[""].value == card[measure, "pooled"].value
    for result in table.results:
        name = f"site={result.slice}"
        own = site == result.slice
        alone = heldout.score(**taken(problem, own))[measure, "pooled"].value
        assert result.value == found[name].value == pytest.approx(alone, abs=1e-12)
        assert found[name].low is None
        assert "several repeats" in found[name].note


class Needy(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """A model that fails without one of the two largest rows."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if np.count_nonzero(X > 9) < 2:
            raise RuntimeError("too few large rows")
        return super().fit(X, y, sample_weight)


def test_fold_that_every_repeat_lacks_counts_among_those_that_there_should_be() -> None:
    X, y = np.random.default_rng(0).normal(size=(100, 1)), np.arange(100) % 2
    X[[0, 2]] = 10.0
    models = {"works": GaussianNB(), "fails": Needy()}
    made = heldout.evaluate(models, X, y, procedure="8x5-fold", pos_label=1, intervals=False)
    left = []
    for repeat in range(8):
        splits = [made.splits.split(5 * repeat + fold) for fold in range(5)]
        left.append(sum({0, 2} <= set(split.train.tolist()) for split in splits))
    assert set(left) == {3, 4}
    (note,) = [note for note in made.scorecard.notes if note.startswith("incomplete")]
    each = [f"repeat {i + 1} has {left[i]} of 5 folds, {20 * left[i]} rows" for i in range(3)]
    assert note.startswith(f"incomplete: fails: {', '.join(each)} ...;")


def test_folds_that_every_repeat_names_anew_are_not_missing_in_the_others() -> None:
    problem = repeated(3)
    problem["folds"] = problem["folds"] + 5 * problem["repeats"]
    problem = taken(problem, problem["folds"] < 13)
    (note,) = [note for note in heldout.score(**problem).notes if note.startswith("incomplete")]
    assert note.startswith("incomplete: repeat 2 has 3 of 5 folds, 60 of 100 rows;")
