"""Infinite decision values rank like any other value, and come back from a file as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import heldout
from heldout.core.errors import InputError
from heldout.learners.respond import respond


class Overflows(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """Distances to the means of classes, infinite where they are large."""

    def fit(self, X: Any, y: Any) -> Overflows:
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def decision_function(self, X: Any) -> Any:
        near = -((X[:, None, :] - self.means_) ** 2).sum(axis=2)
        if len(self.classes_) == 2:
            near = near[:, 1] - near[:, 0]
            return np.where(np.abs(near) > 1, np.copysign(np.inf, near), near)
        return np.where(near < -8, -np.inf, near)

    def predict(self, X: Any) -> Any:
        found = self.decision_function(X)
        return self.classes_[found.argmax(axis=1) if found.ndim == 2 else (found > 0).astype(int)]


def some(count: int) -> tuple[Any, Any]:
    generator = np.random.default_rng(0)
    codes = np.arange(90) % count
    X = generator.normal(size=(90, 3)) + codes[:, None] * 0.5
    return X, np.array(list("abc"))[codes]


def values(card: Any) -> dict[Any, Any]:
    rows = card.results(everything=True)
    return {(r.measure, r.class_, r.fold): (r.value, r.low, r.high) for r in rows}


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("count", [2, 3])
def test_evaluation_written_and_scored_has_the_same_values(
    tmp_path: Path, ending: str, count: int
) -> None:
    X, y = some(count)
    how = {"pos_label": "b"} if count == 2 else {}
    made = heldout.evaluate({"far": Overflows()}, X, y, procedure="5-fold", **how)
    assert np.isinf(made.predictions[0].scores).any()
    path = tmp_path / f"made.{ending}"
    made.predictions.write(path)
    here, there = values(made), values(heldout.score(heldout.read_predictions(path)))
    assert here.keys() == there.keys()
    for name, found in here.items():
        assert np.array(there[name], float) == pytest.approx(np.array(found, float), nan_ok=True)


def test_infinite_values_rank_above_and_below_all_others() -> None:
    generator = np.random.default_rng(1)
    truth = generator.integers(0, 2, 300)
    score = generator.normal(size=300) + truth
    for sign in (1, -1):
        far = np.where(score > 2, np.inf, np.where(score < -1, -np.inf, score)) * sign
        one, other = (values(heldout.score(truth, y_score=s)) for s in (far, np.clip(far, -9, 9)))
        for name, found in other.items():
            assert one[name] == pytest.approx(found, nan_ok=True), name


@pytest.mark.parametrize("other", [0.2, -3.0, np.inf])
def test_infinite_scores_rank_whatever_the_other_rows_have(other: float) -> None:
    card = heldout.score([0, 1, 1, 0], y_score=[other, np.inf, np.inf, other])
    assert card["auc"].value == (0.5 if other == np.inf else 1.0)
    with pytest.raises(InputError, match=r"brier needs probabilities: .*outside \[0, 1\]"):
        card.results(("brier",))


def test_infinite_scores_of_one_class_rank_it() -> None:
    score = [[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.1, 0.2, np.inf]]
    card = heldout.score(["a", "b", "c"], y_score=score)
    assert card["auc[class=c]"].value == 1.0
    assert "outside [0, 1] (inf)" in card.predictions[0].score_problem


def test_infinite_scores_are_compared_by_their_ranks() -> None:
    generator = np.random.default_rng(2)
    truth = generator.integers(0, 2, 200)
    near, far = (truth + generator.normal(size=200) for _ in range(2))
    far = np.where(far > 1.5, np.inf, far)
    found = []
    for scores in (far, np.minimum(far, 9)):
        pair = {"near": near, "far": scores}
        models = [heldout.from_arrays(truth, y_score=s, model=name) for name, s in pair.items()]
        made = heldout.compare(models, measures=["auc"])["auc"]
        found.append((made.first_value, made.second_value, made.interval, made.evidence))
    assert found[0] == found[1]


def test_only_nan_is_refused_among_decision_values() -> None:
    with pytest.raises(InputError, match=r"NaN in 1 row .*the score must be a number in every row"):
        heldout.score([0, 1, 1, 0], y_score=[-2.0, np.nan, np.inf, 3.0])


def test_two_classes_that_are_infinite_alike_tie() -> None:
    class Two:
        classes_ = np.array(["a", "b"])

        def predict(self, X: Any) -> Any:
            return np.array(["a"] * len(X))

        def decision_function(self, X: Any) -> Any:
            return X

    X = np.array([[-np.inf, -np.inf], [0.0, np.inf], [-np.inf, 3.0], [1.0, 3.0]])
    _, scores, kind = respond(Two(), X, ("a", "b"), "binary")
    assert kind == "decision"
    assert scores is not None
    assert scores[:, 0].tolist() == [0.0, np.inf, np.inf, 2.0]
