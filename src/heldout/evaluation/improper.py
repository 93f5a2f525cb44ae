"""Values of predict_proba that are no probabilities: what is wrong, and in which rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.core.wording import plural
from heldout.predictions.probabilities import improper

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heldout.learners.outcome import Outcome
    from heldout.predictions.table import Label

__all__ = ["why_improper"]


def why_improper(
    model: str, outcome: Outcome, classes: Sequence[Label], row: Callable[[int], str]
) -> str:
    """Why what a model gave as probabilities are none, or nothing.

    They are judged as ``heldout score`` judges the columns of a table: within 0 to 1, and summing
    to 1. What fails still ranks rows. ``row`` says how a message names a row of the data.
    """
    scores = outcome.scores
    if scores is None or not scores.size:
        return ""
    limits = float(scores.min()), float(scores.max())
    if improper(scores, *limits) is None:
        return ""
    # folds have their own order: the first row is that of the data, and its value is shown
    order = np.argsort(outcome.rows, kind="stable")
    rows, found = outcome.rows[order], improper(scores[order], *limits)
    assert found is not None
    what = found.what
    if found.column is not None:
        what = f"of {classes[found.column]!r} lie {what}"
    bad = np.unique(rows[found.bad])
    first, count = int(bad[0]), plural(len(bad), "row")
    problem = f"the probabilities that {model} gives {what} in {count} (first: {row(first)})"
    if found.is_rounded:
        problem += (
            f"; the largest deviation, {found.worst:.2g}, looks like rounding: let predict_proba "
            "divide each row by its sum"
        )
    return problem
