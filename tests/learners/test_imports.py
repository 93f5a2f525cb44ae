"""Models by import path: classes, functions, instances; whose error it was, and where."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from heldout.core.errors import InputError
from heldout.datasets.read import read_dataset
from heldout.learners.fit import fit_and_predict
from heldout.learners.request import models_for
from heldout.procedures.splits import Split

IRIS = read_dataset("iris")

SOURCE = '''
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

ready = KNeighborsClassifier(7)
number = 3

def make_pipeline_of(k=5):
    return make_pipeline(StandardScaler(), KNeighborsClassifier(k))

def seeded(random_state):
    from sklearn.tree import DecisionTreeClassifier
    return DecisionTreeClassifier(random_state=random_state)

def broken():
    return 1 / 0

def nothing():
    return None

class Constant:
    """An estimator without any of scikit-learn's classes."""

    def __init__(self, answer="setosa"):
        self.answer = answer

    def fit(self, X, y):
        self.columns = list(X.columns)

    def predict(self, X):
        return [self.answer] * len(X)
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with a module of models."""
    (tmp_path / "own_models.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own_models", raising=False)
    return tmp_path


def test_class_function_and_instance_are_taken_with_parameters(folder: Path) -> None:
    models = models_for(
        "sklearn.svm:SVC[C=2, kernel=linear],own_models:make_pipeline_of[k=3],own_models:ready,"
        "own_models:ready[n_neighbors=9],own_models:seeded",
        IRIS,
        seed=11,
    )
    assert models[0].estimator.C == 2
    assert models[0].name == "sklearn.svm:SVC[C=2, kernel=linear]"
    assert models[1].estimator.steps[-1][1].n_neighbors == 3
    assert [models[2].estimator.n_neighbors, models[3].estimator.n_neighbors] == [7, 9]
    assert models[4].estimator.random_state == 11


def test_nested_parameters_are_set(folder: Path) -> None:
    (model,) = models_for("own_models:make_pipeline_of[kneighborsclassifier__p=1]", IRIS)
    assert model.estimator.steps[-1][1].p == 1


def test_estimator_of_no_library_is_fitted_on_a_frame_with_the_names(folder: Path) -> None:
    (model,) = models_for("own_models:Constant[answer=virginica]", IRIS)
    split = Split(1, 1, np.arange(0, 150, 2), np.arange(1, 150, 2))
    (outcome,) = fit_and_predict(model, IRIS, split)
    assert set(outcome.predicted.tolist()) == {2}
    assert outcome.scores is None
    assert outcome.score_kind == ""


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("own_model:ready", "no module 'own_model' .*the current folder.; did you mean own_m"),
        ("sklearn.svmm:SVC", "the package sklearn has no such module.; did you mean svm"),
        ("own_models:redy", "own_models has no 'redy'; did you mean ready"),
        ("own_models:number", "is an object of type int; give a class"),
        ("own_models:broken", r"the estimator failed: ZeroDivisionError: .*own_models.py, line 17"),
        ("own_models:nothing", "has no fit method"),
        ("own_models:make_pipeline_of[n=3]", "no parameter 'n'"),
        ("own_models:Constant[answer__x=3]", "takes no parameters"),
        ("sklearn.multiclass:OneVsRestClassifier", "needs the parameter estimator"),
        ("own_models:", "is not an import path"),
    ],
)  # fmt: skip
def test_wrong_path_is_told(folder: Path, path: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        models_for(path, IRIS)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("x = 1\nimport not_there_at_all\n", r"importing bad failed: ModuleNotFoundError.*line 2"),
        (
            "x = 1\n\nraise RuntimeError('no licence')\n",
            r"RuntimeError: no licence \(bad.py, line 3",
        ),
        ("x = 1\ndef f(:\n", r"SyntaxError: .*\(bad.py, line 2\)"),
    ],
)
def test_module_that_fails_is_told_with_its_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, content: str, told: str
) -> None:
    monkeypatch.delitem(sys.modules, "bad", raising=False)
    (folder / "bad.py").write_text(content)
    with pytest.raises(InputError, match=told):
        models_for("bad:model", IRIS)
