"""K11: labels handed in as scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.check import check
from karat.auditing.finding import Seen
from karat.auditing.needs import scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material

__all__ = ["hard_scores"]

#: with fewer rows two values may be all there are
FEW_ROWS = 10


@check(
    "K11",
    "labels used as scores",
    "warning",
    why="A ranking of two values has one point between its ends: its AUC is that of the labels.",
    fix="Give predict_proba or decision_function, not predict.",
    needs=scores,
)
def hard_scores(material: Material) -> Iterator[Seen]:
    """Scores with no more than two distinct values."""
    # a tree or a baseline that karat ran itself gives such probabilities, and has no others
    if material.is_run:
        return
    for p in material.predictions:
        if p.scores is None or len(p) < FEW_ROWS:
            continue
        values = np.unique(p.scores[:1000])
        if len(values) > 2 or not np.isin(p.scores, values).all():
            continue
        if len(values) == 1:
            said = f"all {len(p):,} rows have the score {values[0]:g}"
        else:
            said = (
                f"the scores of {len(p):,} rows take no value but {values[0]:g} and {values[1]:g}"
            )
        yield Seen(said, p.model)
