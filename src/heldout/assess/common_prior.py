"""One prior for all parts of the rows: that of all of them, where none is given."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.predictions.table import Prior

if TYPE_CHECKING:
    from heldout.engines.memory import Tallies
    from heldout.predictions.table import Predictions

__all__ = ["with_common_prior"]


def with_common_prior(tallies: Tallies) -> Predictions:
    """The predictions, whose folds and repeats are judged against one and the same prior.

    Skills and information scores are against what was known before. Where nobody says what
    that was, it is the class shares (the mean) of all rows, for a fold too: the shares of its
    own few rows are no prior, and differ from fold to fold by chance.
    """
    p = tallies.predictions
    if not len(p):
        return p
    if p.task == "regression":
        if p.train_mean is not None:
            return p
        return replace(p, train_mean=np.full(len(p), np.average(p.truth, weights=p.weight)))
    if p.prior is not None:
        return p
    table = np.bincount(p.truth, p.weight, minlength=len(p.classes)).astype(np.float64)[None, :]
    return replace(p, prior=Prior("these rows", table / max(table.sum(), 1e-300)))
