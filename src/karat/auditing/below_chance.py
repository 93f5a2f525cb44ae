"""K13: a ranking that is worse than chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.check import check
from karat.engines.memory import Tallies
from karat.intervals.delong import delong_interval
from karat.tally.roc import area

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material

__all__ = ["below_chance"]


@check(
    "K13",
    "AUC below one half",
    "warning",
    why="Negatives score higher than positives: the classes or the score may be turned round.",
    fix="See which class is positive (--positive). karat says it and never flips a score.",
)
def below_chance(material: Material) -> Iterator[tuple[str, str]]:
    """Areas under the ROC curve below one half."""
    for p in material.predictions:
        if p.task != "binary" or p.scores is None or p.positive is None:
            continue
        if not 0 < np.count_nonzero(p.truth == p.positive) < len(p):
            continue
        scores = Tallies(p).scores
        found = float(area(scores))
        if found < 0.5:
            limits = delong_interval(scores)
            sure = "" if limits.is_absent else f", 95 % {limits.low:.3f} to {limits.high:.3f}"
            surely = "" if limits.high < 0.5 else " (one half is within the interval)"
            yield f"AUC is {found:.3f}{sure}{surely}", p.model
