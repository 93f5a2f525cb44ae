"""What scores say once they are read: whether they are probabilities, and the labels they imply."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.threads import blocks
from heldout.predictions.checks import probability_problem, ranking, within_unit
from heldout.predictions.doubts import disagreement
from heldout.predictions.normalise import normalised
from heldout.predictions.own_columns import has_decisions
from heldout.predictions.two_classes import of_two_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.predictions.part import Part
    from heldout.predictions.roles import Roles
    from heldout.predictions.table import Predictions

__all__ = ["finished"]


def finished(
    names: tuple[str, ...], roles: Roles, part: Part, predictions: Predictions
) -> Predictions:
    """The predictions of one model: scores judged, labels made where only scores are given."""
    scores, positive, threshold = predictions.scores, predictions.positive, roles.threshold
    if scores is None:
        return predictions
    low, high = ranking(part, names, scores)
    are_decisions, notes = has_decisions(part, names), []
    if not are_decisions:
        scores, note = within_unit(scores, low, high)
        notes.append(note)
    if roles.normalise:
        scores, note = normalised(part, names, scores)
        notes.append(note)
    if any(notes):
        predictions = replace(predictions, notes=(*predictions.notes, *filter(None, notes)))
        low, high = float(scores.min()), float(scores.max())
    problem = probability_problem(part, names, scores, low, high)
    if problem and are_decisions:
        of = f" of {predictions.model}" if predictions.model else ""
        problem = f"the scores{of} are decision values"
    against = None
    if positive is not None and scores.ndim == 2:
        scores, against = of_two_classes(scores, positive)
    predictions = replace(predictions, scores=scores, against=against, score_problem=problem)
    if predictions.predicted is not None:
        note = disagreement(part, predictions)
        if note and predictions.model:  # of several models in a table, which one it is
            note = f"{predictions.model}: {note}"
        return replace(predictions, notes=(*predictions.notes, note)) if note else predictions
    if positive is None:
        return _with_largest(predictions, scores)
    if threshold is None and problem:
        note = (
            f"no labels: scores that are no probabilities need {part.flag('threshold')}, so "
            "confusion measures are not given"
        )
        return replace(predictions, notes=(*predictions.notes, note))
    cut = 0.5 if threshold is None else float(threshold)
    above = scores >= cut
    note = f"labels: score >= {cut:g} is {predictions.classes[positive]!r}"
    return replace(
        predictions,
        predicted=(above if positive else ~above).view(np.int8),
        threshold=cut,
        notes=(*predictions.notes, note if threshold is not None else f"{note} (by default)"),
    )


def _with_largest(predictions: Predictions, scores: NDArray[np.float64]) -> Predictions:
    """Each row labelled with the class of its largest score."""
    chosen, ties = _largest(scores, predictions.truth.dtype)
    notes = ["labels: the class with the largest probability"]
    if ties:
        tie = "1 row ties" if ties == 1 else f"{ties:,} rows tie"
        notes.append(f"{tie} for the largest probability; the first class in order was taken")
    return replace(predictions, predicted=chosen, notes=(*predictions.notes, *notes))


def _largest(scores: NDArray[np.float64], dtype: Any) -> tuple[NDArray[Any], int]:
    """The class of the largest score of each row (ties: the first), and how many rows tie."""
    chosen = np.empty(len(scores), dtype)
    ties = 0
    for block in blocks(len(scores)):
        part = scores[block]
        best = part.argmax(axis=1)
        chosen[block] = best
        top = part[np.arange(len(part)), best]
        ties += int(np.count_nonzero(np.count_nonzero(part == top[:, None], axis=1) > 1))
    return chosen, ties
