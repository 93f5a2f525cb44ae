"""The chosen setting fitted on all training data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.datasets.dataset import rows_of
from heldout.learners.common_chance import seeded_chance
from heldout.learners.fit import fresh
from heldout.tables.frames import library_of

if TYPE_CHECKING:
    from heldout.datasets.dataset import Dataset
    from heldout.selection.selection import Selection

__all__ = ["fitted_model"]


def fitted_model(selection: Selection) -> Any:
    """An estimator that takes X as the caller has it and answers with labels or values.

    It knows the names of columns where the data has names: scikit-learn's own estimators are
    fitted on a data frame, and refuse columns in another order; others, and those of data with
    nominal features, get a first step that finds the columns by their names.
    """
    from heldout.learners.label_numbers import with_label_numbers

    data, model = selection.dataset, selection.setting.model
    estimator = fresh(model, selection.seed, 0, 0)
    if data.task != "regression":
        estimator = with_label_numbers(estimator)
    by_name = model.takes == "matrix" and not _is_plain(data, estimator)
    X, y = data.matrix if by_name else data.frame, data.labels
    rows = _training_rows(selection)
    if rows is not None:
        X, y = rows_of(X, rows), y[rows]
    with seeded_chance(selection.seed, 0, 0):
        estimator.fit(X, y)
    return _by_name(data, estimator) if by_name else estimator


def _is_plain(data: Dataset, estimator: Any) -> bool:
    """Whether scikit-learn itself keeps the names of X, or X has none, and all are numbers."""
    if any(feature.is_nominal for feature in data.features):
        return False
    X = data.frame
    if isinstance(X, np.ndarray):
        # of a file, without pandas: the matrix, whose names only heldout knows
        is_whole = X.ndim == 2 and X.shape[1] == len(data.features)
        return data.given is not None and X.dtype.kind in "biuf" and is_whole
    if library_of(X) != "pandas":
        return False
    own = [str(name) for name in X.columns] == [feature.name for feature in data.features]
    is_number = all(getattr(kind, "kind", "O") in "biuf" for kind in X.dtypes)
    kinds = {isinstance(name, str) for name in X.columns}
    first = estimator.steps[0][1] if hasattr(estimator, "steps") else estimator
    module = type(first).__module__
    is_keeping = module.startswith("sklearn.") and not module.startswith("sklearn.dummy")
    return own and is_number and kinds != {True, False} and (is_keeping or kinds == {False})


def _by_name(data: Dataset, fitted: Any) -> Any:
    """A fitted estimator behind a step that finds its columns by name."""
    from sklearn.pipeline import Pipeline

    from heldout.learners.by_name import ColumnsByName

    steps = fitted.steps if hasattr(fitted, "steps") else [("model", fitted)]
    has_names = not isinstance(data.given, (np.ndarray, list, tuple))
    step = ColumnsByName(
        [feature.name for feature in data.features],
        [None if one.levels is None else list(one.levels) for one in data.features],
        has_names=has_names,
        width=None if has_names else data.given.shape[1],
        # its shares are of the levels that it was told
        takes_unknown=type(steps[-1][1]).__name__ != "CategoricalNB",
    )
    return Pipeline([("by_name", step.fit(None)), *steps])


def _training_rows(selection: Selection) -> Any:
    """All but the test part of a single three-part holdout; None for all."""
    if selection.tested is None or len(selection.tested.splits) > 1:
        return None
    return np.asarray(selection.tested.splits[0].train)
