"""Searches with values that tests write down."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier

from karat.datasets.arrays import dataset_of
from karat.learners.request import model_for
from karat.procedures.apply import splits_of
from karat.runner.join import nothing
from karat.selection.scoring import Scored, criterion_for
from karat.selection.search import Search
from karat.selection.settings import Base, settings_of


def search_of(table: Any, parameters: list[dict[str, Any]], measure: str = "accuracy") -> Search:
    """A search whose settings have these values in the splits."""
    values: NDArray[np.float64] = np.array(table, float)
    data = dataset_of(np.zeros((40, 1)), [0, 1] * 20)
    model = model_for(DummyClassifier(), data)
    setting = settings_of(Base("made", model), [{}], data)[0]
    settings = tuple(
        type(setting)(f"made[{number}]", "made", given, setting.model)
        for number, given in enumerate(parameters)
    )
    scores = tuple(Scored(line, float(line.mean()), None, nothing(), "") for line in values)
    splits = splits_of(f"{values.shape[1]}-fold", data)
    return Search(data, settings, splits, criterion_for(measure, "binary"), scores)
