"""Settings that were ranked by values of predict_proba which are no probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.tally.class_scores import ClassScores
from heldout.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from heldout.selection.search import Search

__all__ = ["no_probabilities_note"]


def no_probabilities_note(search: Search) -> str:
    """What is wrong with the values that a measure of scores decided by; empty where nothing is.

    Decision values are not meant to be probabilities, and rank as they should.
    """
    if not {ScoreCounts, TopLabel, ClassScores} & set(search.criterion.request.measure.needs):
        return ""
    problems = [
        one.tallies.predictions.score_problem
        for one in search.scores
        if one.tallies is not None and one.outcome.score_kind == "probability"
    ]
    found = [one for one in problems if one]
    if not found:
        return ""
    more = f" (and {len(found) - 1:,} more of {len(search.settings):,} settings)"
    return (
        f"{search.criterion.name} takes values of predict_proba as a ranking, though they are no "
        f"probabilities: {found[0]}{more * (len(found) > 1)}"
    )
