"""Arrays that no model can take are refused with the column, the row and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

import heldout
from heldout.core.errors import InputError

X = np.arange(60.0).reshape(30, 2)
Y = np.tile([0, 1], 15)
ENDLESS = X.copy()
ENDLESS[4, 1] = np.inf


def refused(model: Any, given: Any) -> str:
    with pytest.raises(InputError) as caught:
        heldout.select(model, {"n_neighbors": [1, 3]}, given, Y, procedure="3-fold")
    return str(caught.value)


@pytest.mark.parametrize("model", ["knn", KNeighborsClassifier()])
def test_an_infinite_number_is_named_by_its_column_and_row(model: Any) -> None:
    said = "infinite in 1 row (first: row 5 of data); give finite numbers"
    assert f"column 'x1': {said}" in refused(model, ENDLESS)
    assert f"column 'b': {said}" in refused(model, pd.DataFrame(ENDLESS, columns=["a", "b"]))


@pytest.mark.parametrize("given", [X[:, 0], X[:, 0].tolist(), list(X[:, 0]), list(range(30))])
def test_numbers_of_one_dimension_are_told_to_be_a_column(given: Any) -> None:
    said = "X has one dimension (30 numbers); a single feature is a column: X.reshape(-1, 1)"
    assert refused("knn", given) == said


def test_rows_without_columns_are_told_so() -> None:
    assert refused("knn", X[:, :0]) == "X has 30 rows and no columns; give a feature or more"
