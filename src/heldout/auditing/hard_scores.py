"""K11: labels handed in as scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import check
from heldout.auditing.finding import Seen
from heldout.auditing.needs import scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material

__all__ = ["hard_scores"]

#: with fewer rows two values may be all there are
FEW_ROWS = 10


@check(
    "K11",
    "labels used as scores",
    "warning",
    why="A ranking of two values has one point between its ends: its AUC is that of the labels.",
    fix=(
        "Give predict_proba or decision_function, not predict; a tree that was grown until its "
        "leaves are pure has no better scores, and can be pruned."
    ),
    needs=scores,
)
def hard_scores(material: Material) -> Iterator[Seen]:
    """Scores with no more than two distinct values, both whole numbers as codes of labels are."""
    for p in material.predictions:
        # a tree or a baseline that heldout ran, now or before, has no other scores to give: tables
        # that it writes name the procedure
        if p.scores is None or len(p) < FEW_ROWS or material.is_run or p.design.procedure:
            continue
        values = np.unique(p.scores[:1000])
        if len(values) > 2 or not np.isin(p.scores, values).all():
            continue
        # probabilities of two leaves, or of one, are few and no labels
        if not (values == np.floor(values)).all():
            continue
        if len(values) == 1:
            yield Seen(
                f"all {len(p):,} rows have the score {values[0]:g}", p.model, severity="note"
            )
        else:
            yield Seen(
                f"the scores of {len(p):,} rows take no value but {values[0]:g} and {values[1]:g}",
                p.model,
            )
