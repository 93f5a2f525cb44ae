"""The data sets that ship with scikit-learn, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.predictions.raw import RawColumn, RawTable
from heldout.predictions.text_column import coded_column

__all__ = ["BUNDLED", "Bundled", "bundled_table"]


@dataclass(frozen=True, slots=True)
class Bundled:
    """How a data set is loaded, and what its target is called."""

    loader: str
    target: str
    title: str
    positive: str = ""
    is_regression: bool = False


BUNDLED = {
    "iris": Bundled("load_iris", "species", "150 flowers, 4 measures, 3 species"),
    "wine": Bundled("load_wine", "cultivar", "178 wines, 13 measures, 3 cultivars"),
    "wdbc": Bundled(
        "load_breast_cancer",
        "diagnosis",
        "569 tumours, 30 measures, malignant or benign",
        positive="malignant",
    ),
    "digits": Bundled("load_digits", "digit", "1,797 images of 8 by 8 pixels, 10 digits"),
    "diabetes": Bundled(
        "load_diabetes",
        "progression",
        "442 patients, 10 measures, progression of the disease",
        is_regression=True,
    ),
}


def bundled_table(name: str) -> RawTable:
    """A data set that ships with scikit-learn; the target is its last column."""
    from sklearn import datasets

    entry = BUNDLED[name]
    found: Any = getattr(datasets, entry.loader)()
    columns: dict[str, RawColumn] = {}
    for place, text in enumerate(found.feature_names):
        called = str(text).removesuffix(" (cm)")
        columns[called] = RawColumn(called, "float", found.data[:, place].astype(np.float64))
    if entry.is_regression:
        values = found.target.astype(np.float64)
        columns[entry.target] = RawColumn(entry.target, "float", values)
    else:
        classes = [one.item() for one in found.target_names]
        columns[entry.target] = coded_column(entry.target, found.target, classes)
    return RawTable(columns, name, len(found.target))
