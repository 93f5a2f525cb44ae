"""The chosen setting fitted on all training data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets.given import rows_of
from karat.learners.fit import fresh

if TYPE_CHECKING:
    from karat.selection.selection import Selection

__all__ = ["fitted_model"]


def fitted_model(selection: Selection) -> Any:
    """An estimator that takes X as the caller has it and answers with labels or values.

    A named model of data with nominal features takes their codes, as ``dataset.matrix`` has
    them, since its preparation is told which columns are codes.
    """
    data, model = selection.dataset, selection.setting.model
    is_named = model.takes == "matrix"
    has_names = any(feature.is_nominal for feature in data.features)
    X = data.frame if not is_named or (data.given is not None and not has_names) else data.matrix
    y = data.labels
    rows = _training_rows(selection)
    if rows is not None:
        X, y = rows_of(X, rows), y[rows]
    estimator = fresh(model, selection.seed, 0, 0)
    estimator.fit(X, y)
    return estimator


def _training_rows(selection: Selection) -> Any:
    """All but the test part of a single three-part holdout; None for all."""
    if selection.tested is None or len(selection.tested.splits) > 1:
        return None
    return np.asarray(selection.tested.splits[0].train)
