"""What a scorecard or an evaluation has for an audit to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.auditing.material import Material

if TYPE_CHECKING:
    from karat.assess.scorecard import Scorecard
    from karat.evaluation.evaluation import Evaluation

__all__ = ["material_of_evaluation", "material_of_scorecard"]


def material_of_scorecard(card: Scorecard, **known: Any) -> Material:
    """What a scorecard has to look at; its tallies are used again."""
    if any(tallies.is_counted for tallies in card.tallies):
        return Material(**known)
    return Material(predictions=card.predictions, tallied=card.tallies, **known)


def material_of_evaluation(evaluation: Evaluation, **known: Any) -> Material:
    """What an evaluation has to look at: data, splits, and predictions with their tallies."""
    card = evaluation.scorecard if evaluation.predictions else None
    return Material(
        data=evaluation.dataset,
        splits=evaluation.splits,
        predictions=() if card is None else card.predictions,
        tallied=() if card is None else card.tallies,
        is_run=True,
        **known,
    )
