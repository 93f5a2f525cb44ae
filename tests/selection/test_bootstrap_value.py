"""Along .632 and .632+ the choice is made by that estimate, as an evaluation reports it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification

import heldout

X, Y = make_classification(80, 6, n_informative=2, flip_y=0.2, random_state=1)
KS = (1, 3, 9, 21)


@pytest.mark.parametrize(
    ("procedure", "said"),
    [
        (".632 12", "the .632 estimate"),
        (".632+ 12", "chosen by out-of-bag rows, not by .632+"),
        ("bootstrap 12", "mean over rows of each row's out"),
    ],
)
@pytest.mark.parametrize("measure", ["accuracy", "brier"])
def test_values_are_those_of_an_evaluation(procedure: str, said: str, measure: str) -> None:
    weight = np.random.default_rng(0).uniform(0.5, 2, 80)
    how: Any = {"procedure": procedure, "sample_weight": weight}
    made = heldout.select("knn", {"n_neighbors": KS}, X, Y, measure=measure, draws=20, **how)
    names = [f"knn[n_neighbors={k}]" for k in KS]
    other = heldout.evaluate(names, X, Y, **how)
    expected = [other.only(name)[measure].value for name in names]
    assert made.search.values == pytest.approx(expected, abs=1e-12)
    best = np.argmax(expected) if measure == "accuracy" else np.argmin(expected)
    assert made.best.parameters["n_neighbors"] == KS[best]
    assert said in " ".join(repr(made).split())
    # the mean over samples is another number, which can be asked for
    means = made.search.table.mean(axis=1)
    assert abs(means - made.search.values).max() > 0.001
    if procedure.startswith("bootstrap"):
        plain = heldout.select(
            "knn", {"n_neighbors": KS}, X, Y, measure=measure, draws=20, aggregate="folds", **how
        )
        assert plain.search.values == pytest.approx(means)


def test_bias_corrected_draws_judge_each_row_once() -> None:
    how: Any = {"procedure": "bootstrap 30", "measure": "accuracy", "draws": 4000}
    chosen = heldout.select("knn", {"n_neighbors": [3, 5]}, X, Y, **how)
    same = heldout.select("knn", {"n_neighbors": [5], "p": [2, 2.0]}, X, Y, **how)
    assert "not by" not in chosen.bias_corrected.note
    # among settings that are the same nothing is chosen, and the estimate is the value itself
    assert same.bias_corrected.value == pytest.approx(same.best.value, abs=0.002)


def test_outer_folds_choose_by_it_and_the_rows_subtract() -> None:
    made = heldout.select("knn", {"n_neighbors": KS}, X, Y, nested=("3-fold", ".632+ 8"), draws=20)
    assert made.nested is not None
    assert made.optimism is not None
    assert made.nested.folds[0].search.of == ".632+"
    gap = made.best.value - made.nested.estimate.value
    assert made.optimism.value == pytest.approx(gap)
    assert "bootstrap samples" in made.optimism.note


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"measure": "auc"}, "means over rows, and auc is none; choose by accuracy or brier"),
        ({"aggregate": "pooled"}, "leave aggregate out"),
        ({"procedure": None, "nested": (".632+ 8", "3-fold")}, "use 10-fold or bootstrap 50"),
    ],
)
def test_what_has_no_such_estimate_is_refused_with_the_fix(how: Any, said: str) -> None:
    with pytest.raises(heldout.InputError, match=said):
        heldout.select("knn", {"n_neighbors": KS}, X, Y, **{"procedure": ".632+ 8", **how})


def test_a_root_of_a_mean_names_the_mean() -> None:
    with pytest.raises(heldout.InputError, match="rmse is none; choose by mse or mae"):
        heldout.select("ridge", "alpha=1,2", data="diabetes", procedure=".632 8")
