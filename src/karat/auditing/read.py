"""Data sets for the audit, which does not need to know which of two classes is positive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.datasets.read import read_dataset

if TYPE_CHECKING:
    from karat.datasets.dataset import Dataset

__all__ = ["arrays_either", "read_either"]

#: what is said where two classes leave it open which is positive
OPEN = "say which one is positive"


def read_either(source: Any, **roles: Any) -> Dataset:
    """``read_dataset``; where nobody says which of two classes is positive, either will do."""
    try:
        return read_dataset(source, **roles)
    except InputError as error:
        # standard input cannot be read twice
        if OPEN not in str(error) or source == "-":
            raise
        from karat.datasets.origin import origin_of
        from karat.predictions.labels import LabelColumn

        origin = origin_of(source)
        name = roles.get("target") or origin.target or list(origin.part.table.columns)[-1]
        label = LabelColumn.of(origin.part, name).occurring[0]
        return read_dataset(source, **{**roles, "positive": label})


def arrays_either(X: Any, y: Any, **roles: Any) -> Dataset:
    """``dataset_of``; where nobody says which of two classes is positive, either will do."""
    from karat.datasets.arrays import dataset_of

    try:
        return dataset_of(X, y, **roles)
    except InputError as error:
        if OPEN not in str(error):
            raise
        return dataset_of(X, y, **{**roles, "pos_label": np.unique(np.asarray(y))[0]})
