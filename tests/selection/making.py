"""Searches with values that tests write down."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from heldout.assess.results import Result
from heldout.datasets.arrays import dataset_of
from heldout.evaluation.running import Running
from heldout.learners.request import model_for
from heldout.procedures.apply import splits_of
from heldout.runner.join import nothing
from heldout.selection.criterion import criterion_for
from heldout.selection.options import SelectOptions
from heldout.selection.scoring import Scored
from heldout.selection.search import Search, Setup
from heldout.selection.settings import settings_of

#: estimators that have such a parameter
OWNERS: dict[str, Any] = {
    "n_neighbors": KNeighborsClassifier(),
    "C": SVC(),
    "kernel": SVC(),
    "l1_ratio": LogisticRegression(),
    "max_depth": DecisionTreeClassifier(),
}


def search_of(
    table: Any, parameters: list[dict[str, Any]], measure: str = "accuracy", **asked: Any
) -> Search:
    """A search whose settings have these values in the splits."""
    owner = OWNERS.get(next(iter(parameters[0]), ""), DummyClassifier())
    values: NDArray[np.float64] = np.array(table, float)
    data = dataset_of(np.zeros((40, 1)), [0, 1] * 20)
    model = model_for(owner, data)
    setting = settings_of(model, [{}], data)[0]
    settings = tuple(
        type(setting)(f"made[{number}]", "made", given, setting.model)
        for number, given in enumerate(parameters)
    )
    criterion = criterion_for(measure, "binary")
    scores = tuple(
        Scored(criterion.request, line, nothing(), value=float(line.mean())) for line in values
    )
    splits = splits_of(f"{values.shape[1]}-fold", data)
    setup = Setup(data, settings, criterion, Running(), SelectOptions(**asked))
    return Search(setup, splits, scores)


def limits(result: Result) -> tuple[float, float]:
    """The limits of a result that has some."""
    assert result.low is not None
    assert result.high is not None
    return result.low, result.high
