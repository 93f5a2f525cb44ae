"""K13: a ranking that is worse than chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import check
from heldout.auditing.finding import ForSize, Seen, Unseen
from heldout.auditing.needs import ranking
from heldout.intervals.delong import delong_interval
from heldout.tally.roc import area

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material
    from heldout.predictions.table import Predictions

__all__ = ["below_chance"]


@check(
    "K13",
    "AUC below one half",
    "warning",
    why="Negatives score higher than positives: the classes or the score may be turned round.",
    fix="See which class is positive (--positive). heldout says it and never flips a score.",
    needs=ranking,
)
def below_chance(material: Material) -> Iterator[Seen | Unseen]:
    """Areas under the ROC curve below one half; a note where chance explains it."""
    for p, tallies in zip(material.predictions, material.tallies, strict=True):
        if p.task != "binary" or p.scores is None or p.positive is None:
            continue
        if not 0 < np.count_nonzero(p.truth == p.positive) < len(p) or _is_baseline(p):
            continue
        # a ranking that nothing else asks for is not sorted inside of another command
        is_made = "scores" in tallies.__dict__
        if not is_made and material.most_values is not None and len(p) > material.most_values / 20:
            reason = f"left out for size ({len(p):,} rows, and no AUC was asked for)"
            yield Unseen(ForSize(reason))
            continue
        found = float(area(tallies.scores))
        if found >= 0.5:
            continue
        limits = delong_interval(tallies.scores)
        if limits.is_absent:
            yield Seen(f"AUC is {found:.3f}", p.model)
        elif limits.high < 0.5:
            yield Seen(f"AUC is {found:.3f}, 95 % {limits.low:.3f} to {limits.high:.3f}", p.model)
        else:
            yield Seen(
                f"AUC is {found:.3f}, 95 % {limits.low:.3f} to {limits.high:.3f}, so that chance "
                "explains it",
                p.model,
                severity="note",
            )


def _is_baseline(p: Predictions) -> bool:
    """Whether each fold has one score: class shares of training parts fall as those here rise."""
    fold = p.design.fold
    if fold is None or p.scores is None:
        return False
    repeats = 1 if p.design.repeat is None else len(p.design.repeat.levels)
    few = repeats * len(fold.levels)
    if 2 * few >= len(p) or len(np.unique(p.scores[: 4 * few])) > few:
        return False
    return len(np.unique(p.scores)) <= few
