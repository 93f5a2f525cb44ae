"""Values of predict_proba that are no probabilities: not judged as such, and named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import heldout
from heldout.assess.headline import chosen_results
from heldout.core.errors import InputError
from heldout.evaluation.evaluation import Evaluation
from heldout.evaluation.stored import predictions_of_runs
from heldout.report.evaluation import evaluation_document
from heldout.report.table import Table
from heldout.runner.store import Store

RNG = np.random.default_rng(8)
TRUTH = np.array(["a", "b", "c"])[np.arange(60) % 3]
X = RNG.normal(size=(60, 2)) + (np.arange(60) % 3)[:, None]
PROPER = ("log_loss", "brier", "information_score")


class Odd(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # of no known type
    """The first class everywhere, with the same values for each row."""

    def __init__(self, values: tuple[float, ...] = (0.9, 0.9, 0.9)) -> None:
        self.values = values

    def fit(self, X: Any, y: Any) -> Odd:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[:1], len(X))

    def predict_proba(self, X: Any) -> Any:
        return np.tile(self.values[: len(self.classes_)], (len(X), 1))


def judged(values: tuple[float, ...], truth: Any = TRUTH, **more: Any) -> Evaluation:
    rows = len(truth)
    models = {"odd": Odd(values), "lda": "lda"}
    return heldout.evaluate(models, X[:rows], truth, procedure="3-fold", **more)


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ((0.9, 0.9, 0.9), "the probabilities that odd gives do not sum to 1 (2.7) in 60 rows"),
        ((1.5, -0.5, 0), "the probabilities that odd gives of 'a' lie outside [0, 1] (1.5)"),
    ],
)
def test_values_that_are_no_probabilities_are_not_judged_as_such(
    values: tuple[float, ...], problem: str
) -> None:
    made = judged(values)
    found = {(r.model, r.measure): r for r in made.results((*PROPER, "accuracy")) if not r.fold}
    for name in PROPER:
        assert found["odd", name].is_not_given
        assert problem in found["odd", name].note
        assert found["lda", name].is_defined
    assert found["odd", "accuracy"].value == pytest.approx(1 / 3)
    (note,) = [n for n in made.notes if n.startswith("measures of probabilities")]
    assert problem in note
    assert "in 60 rows (first: row 1 of " in note


@pytest.mark.parametrize("values", [(0.9, 0.9), (1.5, -0.5), (0.7, 0.3)])
def test_table_of_predictions_is_judged_as_the_evaluation_is(
    tmp_path: Path, values: tuple[float, ...]
) -> None:
    made = judged(values, np.array(["no", "yes"])[np.arange(60) % 2], pos_label="yes")
    made.predictions.write(tmp_path / "p.csv")
    read = heldout.score(heldout.read_predictions(tmp_path / "p.csv"))

    def told(results: Any) -> dict[tuple[str, str], tuple[str, bool]]:
        whole = [r for r in results if not (r.fold or r.class_)]
        return {(r.model, r.measure): (f"{r.value:.9g}", r.is_not_given) for r in whole}

    asked = (*PROPER, "accuracy", "auc", "ece")
    assert told(made.results(asked)) == told(read.results(asked))
    # what is exported is what the model said
    frame = made.predictions.to_pandas()
    mine = frame[frame["model"] == "odd"]
    assert mine[["p_no", "p_yes"]].drop_duplicates().to_numpy().tolist() == [list(values)]


def test_two_classes_that_do_not_sum_to_one_are_noticed() -> None:
    made = judged((0.9, 0.9), np.arange(60) % 2)
    with pytest.raises(InputError, match=r"needs probabilities: .* do not sum to 1 \(1.8\)"):
        made.only("odd")["log_loss"]


class Beyond(Odd):
    """Above 1 and below 0 where a feature is."""

    def __init__(self, values: tuple[float, ...] = (0.9, 0.1), by: float = 1e-5) -> None:
        super().__init__(values)
        self.by = by

    def predict_proba(self, X: Any) -> Any:
        made = super().predict_proba(X)
        made[np.asarray(X)[:, 0] > 0] = 1 + self.by, -self.by
        return made


@pytest.mark.parametrize(
    ("procedure", "by", "shown"),
    [
        ("3-fold", 1e-5, "1.00001"),
        ("5x3-fold", 1e-5, "1.00001"),
        ("3-fold", 1.1e-6, "1.000001"),
        ("3-fold", 0.25, "1.25"),
    ],
)
def test_first_row_is_that_of_the_data_and_its_value_is_seen_to_be_beyond(
    procedure: str, by: float, shown: str
) -> None:
    column = np.zeros((60, 1))
    column[[7, 20, 41]] = 1
    truth = np.arange(60) % 2
    made = heldout.evaluate({"odd": Beyond(by=by)}, column, truth, procedure=procedure)
    assert made.outcomes["odd"].rows[0] != 7
    (note,) = [n for n in made.notes if n.startswith("measures of probabilities")]
    assert f"of 0 lie outside [0, 1] ({shown}) in 3 rows (first: row 8 of " in note


@pytest.mark.parametrize("by", [2.0**-52, 1e-7])
def test_values_that_rounding_took_beyond_are_probabilities_and_said(
    by: float, tmp_path: Path
) -> None:
    column = np.zeros((60, 1))
    column[[7, 20, 41]] = 1
    given = ({"odd": Beyond(by=by)}, column, np.arange(60) % 2)
    made = heldout.evaluate(*given, procedure="3-fold", store=tmp_path)
    exact = heldout.evaluate({"odd": Beyond(by=0.0)}, *given[1:], procedure="3-fold")
    assert made.only("odd")["brier"].value == exact.only("odd")["brier"].value
    (note,) = [n for n in made.notes if "rounding" in n]
    assert note.startswith("odd: probabilities of 3 rows lie outside [0, 1] by rounding")
    (again,) = predictions_of_runs(Store(tmp_path), ["1"])
    assert note in again.notes


def test_sums_that_are_off_by_rounding_name_the_fix() -> None:
    (note,) = [n for n in judged((0.33, 0.33, 0.33)).notes if "measures of prob" in n]
    assert "0.01, looks like rounding: let predict_proba divide each row by its sum" in note


def test_stored_values_are_judged_the_same_when_runs_are_compared(tmp_path: Path) -> None:
    made = judged((0.9, 0.9, 0.9), store=tmp_path)
    again = predictions_of_runs(Store(tmp_path), ["1"])
    assert [p.score_problem for p in again] == [p.score_problem for p in made.predictions]
    assert again[0].scores is not None
    assert (again[0].scores == 0.9).all()


def test_setting_without_probabilities_is_not_chosen_by_them() -> None:
    # its log loss would be 0.105 if it were one, less than that of any honest model here
    made = heldout.select({"odd": Odd(), "lda": "lda"}, None, X, TRUTH, measure="log_loss")
    assert made.best.name == "lda"
    assert "1 of 2 settings have no log_loss" in made.notes[0]
    assert "do not sum to 1 (2.7)" in made.notes[0]
    with pytest.raises(InputError, match=r"do not sum to 1 \(2.7\)"):
        heldout.select({"odd": Odd(), "odder": Odd()}, None, X, TRUTH, measure="log_loss")


def test_search_by_a_ranking_says_that_its_values_are_no_probabilities() -> None:
    column, truth = np.zeros((60, 1)), np.arange(60) % 2
    column[[7, 20, 41]] = 1
    grid = {"by": [0.0, 1e-5, 0.5]}

    def noted(measure: str) -> list[str]:
        made = heldout.select(Beyond(), grid, column, truth, measure=measure, procedure="3-fold")
        return [note for note in made.notes if "not probabilities" in note]

    for measure in ("auc", "average_precision"):
        (note,) = noted(measure)
        assert note.startswith(f"{measure} takes values of predict_proba as a ranking, though")
        assert "that Beyond[by=1e-05] gives of 0 lie outside [0, 1] (1.00001) in 3 row" in note
        assert note.endswith("(first: row 8 of data) (and 1 more of 3 settings)")
    # labels are no scores, and decision values are not meant to be probabilities
    assert not noted("accuracy")
    made = heldout.select("svm", "C=1,2", X, TRUTH, measure="auc_ovo", procedure="3-fold")
    assert not any("not probabilities" in note for note in made.notes)


def test_head_of_a_column_says_of_what_it_is_though_a_model_has_no_value() -> None:
    made = heldout.evaluate({"odd": Odd(), "lda": "lda"}, X, TRUTH, procedure=".632 5")
    heads = [chosen.of for chosen in chosen_results(made.results(("log_loss",))).values()]
    assert sorted(heads) == [".632", "mean of samples"]
    table = evaluation_document(made, made.results(("log_loss",)), asked=("log_loss",))
    heads = [column.title for grid in table if isinstance(grid, Table) for column in grid.columns]
    assert "Log loss, .632 ↓" in heads
