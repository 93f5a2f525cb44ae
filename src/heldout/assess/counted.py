"""Counts as if they were rows: a confusion matrix is a row a cell, weighted by its count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.engines.memory import Tallies
from heldout.predictions.table import Predictions
from heldout.tally.confusion import Confusion

if TYPE_CHECKING:
    from heldout.predictions.matrix import ConfusionInput

__all__ = ["tallies_of_matrix"]


def tallies_of_matrix(given: ConfusionInput) -> Tallies:
    """The tallies of a confusion matrix: measures of counts, and scoring rules of the labels."""
    confusion = Confusion.from_matrix(given.counts, positive=given.positive)
    predictions = Predictions(
        task="binary" if len(given.classes) == 2 else "multiclass",
        truth=confusion.truth,
        predicted=confusion.predicted,
        classes=given.classes,
        positive=given.positive,
        weight=confusion.counts.astype(float),
        why_no_scores="a confusion matrix has none",
        source=given.source,
        notes=given.notes,
    )
    return Tallies(predictions, confusion)
