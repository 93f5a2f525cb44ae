"""Models that lack probabilities, or never fit, in a module of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

__all__ = ["MODELS", "OWN", "with_models"]

MODELS = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier


class LabelsOnly(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.tree_ = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        return self

    def predict(self, X):
        return self.tree_.predict(X)


class Never(LabelsOnly):
    def fit(self, X, y):
        raise RuntimeError("bad luck")


class Wordy(LabelsOnly):
    def fit(self, X, y):
        raise RuntimeError("the solver gave up; try a larger step; all is well")
"""
OWN = "heldout_models_that_lack"


def with_models(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, which is where commands run and such models are found."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("COLUMNS", "160")
    (folder / f"{OWN}.py").write_text(MODELS)
    return folder
