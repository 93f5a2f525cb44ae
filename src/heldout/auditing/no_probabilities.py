"""K12: scores that are not probabilities, where probabilities are judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.auditing.check import check
from heldout.auditing.finding import Seen
from heldout.auditing.needs import scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material

__all__ = ["no_probabilities"]


@check(
    "K12",
    "scores are not probabilities",
    "note",
    why="Log loss, Brier score and calibration mean nothing for decision values or margins.",
    fix="Give probabilities, or calibrate the model; rankings take any score.",
    needs=scores,
)
def no_probabilities(material: Material) -> Iterator[Seen]:
    """What keeps the scores from being read as probabilities."""
    for p in material.predictions:
        if p.score_problem:
            yield Seen(p.score_problem, p.model)
