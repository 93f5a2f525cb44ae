"""Rankings by probabilities of which many are exactly 0 or 1, and so tie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.tally.class_scores import ClassScores
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from heldout.learners.outcome import Outcome
    from heldout.selection.search import Search

__all__ = ["saturation_note"]

#: the share of rows from which on it is said
MANY = 0.01


def saturation_note(search: Search) -> str:
    """That rows tie at 0 and 1 which decision values would rank; empty where few do.

    scikit-learn's scorers of rankings ask for decision values first, so that its values differ.
    """
    request = search.criterion.request
    if not {ScoreCounts, ClassScores} & set(request.measure.needs):
        return ""
    shares = [
        _share(score.outcome) if _decides(setting.model.estimator) else 0.0
        for setting, score in zip(search.settings, search.scores, strict=True)
    ]
    most = int(np.argmax(shares))
    if shares[most] <= MANY:
        return ""
    return (
        f"{search.criterion.name} ranks by probabilities, and {shares[most]:.0%} of those of "
        f"{search.settings[most].name} are exactly 0 or 1: these rows tie. scikit-learn's scorers "
        "rank by decision_function, and may choose another setting; so does heldout of an "
        "estimator without predict_proba (a subclass with predict_proba = None)"
    )


def _decides(estimator: Any) -> bool:
    return callable(getattr(estimator, "decision_function", None))


def _share(outcome: Outcome) -> float:
    """The share of rows whose probability (of two classes that of the second) is 0 or 1."""
    if outcome.score_kind != "probability" or outcome.scores is None or not len(outcome.rows):
        return 0.0
    of_two = outcome.scores.shape[1] == 2
    scores = outcome.scores[:, 1:] if of_two else outcome.scores
    sure = (scores == 1).any(axis=1)
    if of_two:
        sure |= scores[:, 0] == 0
    return float(np.mean(sure))
