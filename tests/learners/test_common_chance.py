"""Models that draw from the generators of the whole process: as the seed and the split say."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.random import mtrand
from sklearn.base import BaseEstimator, ClassifierMixin

import heldout
from heldout.learners.fit import KEPT_CHANCE, seeded_chance

X, Y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2


class Drawing(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Answers by chance: of NumPy in the fit, of both in the prediction."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails

    def fit(self, X: Any, y: Any) -> Any:
        self.classes_ = np.unique(y)
        self.drawn_ = np.random.rand()  # noqa: NPY002  what this is about, here and below
        if self.fails and len(X) % 2 == 0:
            raise RuntimeError("no")
        return self

    def predict_proba(self, X: Any) -> Any:
        squares = np.random.standard_normal(len(X)) ** 2  # noqa: NPY002
        first = np.clip((self.drawn_ + random.random() + squares) / 20.0, 0.0, 1.0)
        return np.column_stack([first, 1.0 - first])

    def predict(self, X: Any) -> Any:
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


def answers(models: Any = None, **options: Any) -> dict[str, Any]:
    made = heldout.evaluate(
        models or {"a": Drawing()}, X, Y, procedure="2x5-fold", pos_label=1, **options
    )
    return {
        name: (outcome.rows.tolist(), outcome.predicted.tolist(), outcome.scores.tobytes())
        for name, outcome in made.outcomes.items()
        if outcome.scores is not None
    }


def state() -> Any:
    numpy: Any = np.random.get_state()  # noqa: NPY002
    return random.getstate(), numpy[0], numpy[1].tolist(), numpy[2:]


@pytest.mark.parametrize("options", [{}, {"n_jobs": 2}, {"timeout": 60.0}], ids=str)
def test_answers_do_not_depend_on_where_a_fit_runs(options: dict[str, Any]) -> None:
    random.seed(1)
    first = answers()
    random.seed(2)
    assert answers(**options) == first


def test_answers_do_not_depend_on_other_models_or_their_order() -> None:
    from sklearn.ensemble import RandomForestClassifier

    alone = answers()["a"]
    forest = RandomForestClassifier(2)
    assert answers({"f": forest, "a": Drawing()})["a"] == alone
    assert answers({"b": Drawing(fails=True), "a": Drawing(), "f": forest})["a"] == alone
    assert answers(random_state=1)["a"] != alone


def test_splits_draw_differently() -> None:
    made = heldout.evaluate({"a": Drawing()}, X, Y, procedure="2x5-fold", pos_label=1)
    scores = made.outcomes["a"].scores
    assert scores is not None
    assert len(np.unique(scores[:, 0])) > 70


def test_resumed_run_draws_the_same(tmp_path: Any) -> None:
    whole = answers()
    made = answers({"a": Drawing(fails=True)}, store=tmp_path)
    assert made != whole
    assert answers(store=tmp_path) == whole == answers(store=tmp_path)


@pytest.mark.parametrize("fails", [False, True])
def test_callers_generators_go_on_as_if_nothing_had_been_fitted(fails: bool) -> None:
    np.random.standard_normal()  # noqa: NPY002  the second of a pair is kept for the next call
    before = state()
    answers({"a": Drawing(fails)})
    assert state() == before
    assert KEPT_CHANCE.users == 0


def test_interrupted_fit_gives_the_callers_state_back() -> None:
    def interrupted() -> None:
        with seeded_chance(0, 1):
            random.random()
            raise KeyboardInterrupt

    before = state()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert state() == before


def test_generator_of_another_kind_is_given_back_as_it_was() -> None:
    before = mtrand.get_bit_generator()
    own = np.random.PCG64(3)
    mtrand.set_bit_generator(own)
    try:
        expected = np.random.PCG64(3).random_raw()
        with KEPT_CHANCE, seeded_chance(0, 1):
            inside = np.random.rand()  # noqa: NPY002
        assert mtrand.get_bit_generator() is own
        assert own.random_raw() == expected
    finally:
        mtrand.set_bit_generator(before)
    with seeded_chance(0, 1):
        assert np.random.rand() == inside  # noqa: NPY002
