"""Why a model of the caller's own may fail: it is given columns that nobody prepared for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.wording import listed

if TYPE_CHECKING:
    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model
    from heldout.learners.outcome import Outcome

__all__ = ["unprepared"]

#: what estimators say of names, of infinite and of missing values among their features
SAYS_NAMES = re.compile(
    r"could not convert|convert string|dtype|categor|\bstr\b|Timestamp", re.IGNORECASE
)
SAYS_LABELS = re.compile(r"convert string|label|classes|dtype", re.IGNORECASE)
SAYS_INFINITE = re.compile(r"\binfinit|\binf\b", re.IGNORECASE)
SAYS_MISSING = re.compile(r"\bnan\b|missing", re.IGNORECASE)
PREPARED = (
    "to have heldout prepare them: prepare:package:name (Python: heldout.prepared(estimator))"
)


def unprepared(model: Model, outcome: Outcome, dataset: Dataset) -> str:
    """What to do where a model failed for columns it cannot take; empty where that is not why."""
    if model.takes == "matrix" or not outcome.failures:
        return ""
    message = outcome.failures[0][1]
    if SAYS_INFINITE.search(message) and (found := dataset.infinite):
        return f"{found}; give finite numbers"
    names = [one.name for one in dataset.columns if one.kind in ("text", "category")]
    names = names or [f.name for f in dataset.features if f.is_nominal]
    if names and SAYS_NAMES.search(message):
        what, step = f"names in {listed(names)}", "encodes them (OneHotEncoder)"
    elif any(isinstance(one, str) for one in dataset.classes) and SAYS_LABELS.search(message):
        return f"{model.name} is given labels as they are, which are texts; {PREPARED}"
    else:
        gaps = [
            f.name
            for f in dataset.features
            if (f.values < 0 if f.is_nominal else np.isnan(f.values)).any()
        ]
        if not gaps or not SAYS_MISSING.search(message):
            return ""
        what, step = f"missing values in {listed(gaps)}", "fills them in (SimpleImputer)"
    return (
        f"{model.name} is given {what} as they are; {PREPARED}; or let it be a pipeline whose "
        f"first step {step}"
    )
