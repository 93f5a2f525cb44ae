"""Evaluations from models and data to results, with real learners."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import heldout
from heldout.core.errors import InputError
from heldout.uncertainty.cross_validation import corrected_t_interval

X, Y = load_iris(return_X_y=True)


class Fragile(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """Fails where a given row is not among the training rows."""

    def fit(self, X: Any, y: Any) -> Fragile:
        if not (X == X_FIRST).all(axis=1).any():
            raise ValueError("the first row is missing")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


X_FIRST = X[0]


def test_out_of_fold_predictions_are_those_of_scikit_learn_on_the_same_folds() -> None:
    cv = StratifiedKFold(5, shuffle=True, random_state=3)
    made = heldout.evaluate(GaussianNB(), X, Y, procedure=cv)
    (p,) = made.predictions
    assert p.identifier is not None
    assert p.predicted is not None
    order = np.argsort(p.identifier)
    expected = cross_val_predict(GaussianNB(), X, Y, cv=cv)
    assert np.array_equal(np.asarray(p.classes)[p.predicted[order]], expected)
    assert made["accuracy"].value == pytest.approx(np.mean(expected == Y))


def test_models_are_judged_on_the_same_splits_and_keep_their_order() -> None:
    made = heldout.evaluate({"first": "nb", "second": "lda"}, X, Y, procedure="5-fold")
    assert made.scorecard.models == ("first", "second")
    one, two = made.predictions
    assert np.array_equal(one.truth, two.truth)
    assert {r.procedure for r in made.results()} == {"5-fold"}


def test_table_names_what_every_row_is() -> None:
    made = heldout.evaluate("nb", X, Y, procedure="2x3-fold")
    rows = [r for r in made.table if r.measure == "accuracy"]
    places = [(r.repeat, r.fold) for r in rows]
    assert places[0] == ("", "")
    assert ("1", "all") in places
    assert ("2", "3") in places
    assert places[-1] == ("", "mean")
    assert len(places) == 1 + 2 + 6 + 1


def test_folds_table_has_sizes_counts_times_and_paths() -> None:
    made = heldout.evaluate("tree", X, Y, procedure="3-fold")
    folds = made.folds.columns()
    assert folds["n_train"] == [100, 100, 100]
    assert folds["n_test"] == [50, 50, 50]
    assert sum(folds[f"train_n_{c}"][0] for c in (0, 1, 2)) == 100
    assert all(seconds > 0 for seconds in folds["fit_seconds"])
    assert folds["path"] == ["refit"] * 3
    assert made.folds.to_pandas().shape == (3, 12)


def test_a_model_that_fails_in_a_fold_says_of_how_many_folds_its_result_is() -> None:
    made = heldout.evaluate({"fragile": Fragile(), "nb": "nb"}, X, Y, procedure="5-fold")
    (failure,) = made.failures
    assert failure["model"] == "fragile"
    assert "the first row is missing" in failure["message"]
    found = {(r.model, r.fold): r for r in made.results(("accuracy",))}
    assert "of 4 of 5 splits, the others failed" in found["fragile", ""].note
    assert "failed" not in found["nb", ""].note
    assert any("fragile failed in 1 of 5 splits" in note for note in made.notes)
    assert made.folds["failure"].tolist().count("") == 9


def test_a_model_that_fails_everywhere_is_told_and_the_others_go_on() -> None:
    class Broken(Fragile):
        def fit(self, X: Any, y: Any) -> Broken:
            raise RuntimeError("never works")

    made = heldout.evaluate({"broken": Broken(), "nb": "nb"}, X, Y, procedure="3-fold")
    assert made.scorecard.models == ("nb",)
    assert "broken failed in every split: RuntimeError: never works" in repr(made)
    alone = heldout.evaluate({"broken": Broken()}, X, Y, procedure="3-fold")
    with pytest.raises(InputError, match=r"no model made a prediction.*never works"):
        alone.scorecard.rows  # noqa: B018  asking is what fails


def test_selection_inside_the_pipeline_scores_chance_and_before_it_does_not() -> None:
    rng = np.random.default_rng(0)
    noise, labels = rng.normal(size=(200, 1000)), np.tile([0, 1], 100)
    inside = make_pipeline(SelectKBest(f_classif, k=10), LogisticRegression())
    honest = heldout.evaluate(inside, noise, labels, procedure="5-fold", random_state=1)
    assert honest["accuracy"].value == pytest.approx(0.5, abs=0.1)
    leaked = SelectKBest(f_classif, k=10).fit_transform(noise, labels)
    outside = heldout.evaluate(LogisticRegression(), leaked, labels, random_state=1)
    assert outside["accuracy"].low > 0.55  # type: ignore[operator]  # it has limits


def test_training_error_of_a_linear_svm_is_labelled_and_stands_beside_the_honest_one() -> None:
    made = heldout.evaluate(
        "svm[kernel=linear]", data="wdbc", procedure="10-fold", training_error=True
    )
    found = {r.fold: r for r in made.results(("error_rate",))}
    assert 100 * found["training"].value == pytest.approx(1.152191, abs=1e-6)
    assert found["training"].note.startswith("optimistic")
    assert found["training"].low is None
    assert found[""].value > found["training"].value
    text = repr(made)
    assert "training (optimistic)" in text
    assert "out of fold" in text
    # nine folds train each of the ten models
    assert len(made.training_predictions[0]) == 9 * 569


@pytest.mark.parametrize("procedure", ["holdout 70:30", "5-fold", "3x holdout 60:40", "2x5-fold"])
def test_training_error_is_that_of_the_judged_models_on_the_rows_that_trained_them(
    procedure: str,
) -> None:
    asked: Any = {"data": "wdbc", "procedure": procedure, "training_error": True}
    made = heldout.evaluate("lda", **asked)["error_rate", "training"]
    chosen = heldout.select("lda", "solver=svd", measure="error_rate", **asked)
    assert chosen.training is not None
    assert made.value == pytest.approx(chosen.training[0], rel=1e-12)
    if procedure == "holdout 70:30":
        assert made.n == 398  # and no row of the test part


def test_every_k_of_nearest_neighbours_on_iris_is_above_93_percent() -> None:
    models = [f"knn[n_neighbors={k}]" for k in range(1, 11)]
    made = heldout.evaluate(models, data="iris", procedure="10-fold")
    values = [r.value for r in made.results(("accuracy",)) if not r.fold]
    assert len(values) == 10
    assert min(values) > 0.93


def test_nested_interval_is_given_on_request_and_takes_a_k_fold() -> None:
    made = heldout.evaluate(
        LinearDiscriminantAnalysis(), X, Y, procedure="2x4-fold", interval="nested"
    )
    found = {r.fold: r for r in made.results(("error_rate",))}
    nested, plain = found["nested"], found["mean"]
    assert nested.low is not None
    assert nested.low <= nested.value <= nested.high  # type: ignore[operator]  # it has limits
    assert nested.value == pytest.approx(plain.value, abs=0.02)
    assert "Bates" in nested.method
    with pytest.raises(InputError, match="k-fold procedure"):
        heldout.evaluate("nb", X, Y, procedure="holdout 70:30", interval="nested")


def test_naive_interval_is_refused_before_anything_is_fitted() -> None:
    with pytest.raises(InputError, match="naive"):
        heldout.evaluate("no such model", X, Y, interval="naive")


def test_results_are_saved_in_every_format(tmp_path: Path) -> None:
    made = heldout.evaluate(["nb", "lda"], X, Y, procedure="3-fold")
    for name, start in (("a.json", "{"), ("a.csv", "model,"), ("a.md", ""), ("a.tex", "%")):
        made.save(tmp_path / name)
        assert (tmp_path / name).read_text().startswith(start)
    with pytest.raises(InputError, match=r"\.json, \.csv"):
        made.save(tmp_path / "a.docx")
    assert "<table>" in made._repr_html_()


def test_curves_are_of_the_pooled_folds_and_of_their_average() -> None:
    made = heldout.evaluate("nb", data="wdbc", procedure="3-fold")
    pooled, average = made.curve("roc"), made.curve("roc_average")
    found = {r.fold: r.value for r in made.results(("auc",))}
    assert pooled.area == pytest.approx(found[""])
    assert average.area == pytest.approx(found["mean"])


def test_a_measure_that_only_some_models_can_have_is_given_for_those() -> None:
    made = heldout.evaluate(["nb", "svm"], data="wdbc", procedure="3-fold")
    found = {(r.model, r.measure) for r in made.results(("accuracy", "brier")) if r.is_defined}
    assert found == {("nb", "accuracy"), ("nb", "brier"), ("svm", "accuracy")}
    with pytest.raises(InputError, match="probabilities"):
        made.only("svm")["brier"]


def test_scorecards_of_single_models_do_not_share_results() -> None:
    card = heldout.evaluate(["nb", "majority"], X, Y, procedure="3-fold").scorecard
    one, other = (card.only(m).results(("accuracy",))[0] for m in ("nb", "majority"))
    assert one.value > 0.9 > other.value


def test_random_splits_of_scikit_learn_have_the_corrected_interval_of_their_mean() -> None:
    cv = ShuffleSplit(6, test_size=0.3, random_state=0)
    made = heldout.evaluate(GaussianNB(), X, Y, procedure=cv)
    found = {r.repeat: r for r in made.results(("hand_till",), per_fold=True)}
    values = np.array([found[str(k)].value for k in range(1, 7)])
    expected = corrected_t_interval(values, 45 / 105).within((0, 1))
    assert found[""].low == pytest.approx(expected.low)


def test_time_series_splits_of_scikit_learn_have_no_interval() -> None:
    order = np.random.default_rng(0).permutation(len(Y))
    made = heldout.evaluate(GaussianNB(), X[order], Y[order], procedure=TimeSeriesSplit(3))
    assert {r.low for r in made.results(("accuracy",))} == {None}
