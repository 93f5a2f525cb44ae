"""K11: labels handed in as scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.check import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material

__all__ = ["hard_scores"]


@check(
    "K11",
    "labels used as scores",
    "warning",
    why="A ranking of two values has one point between its ends: its AUC is that of the labels.",
    fix="Give predict_proba or decision_function, not predict.",
)
def hard_scores(material: Material) -> Iterator[tuple[str, str]]:
    """Scores with no more than two distinct values."""
    for p in material.predictions:
        if p.scores is None or len(p) < 10:
            continue
        values = np.unique(p.scores[:1000])
        if len(values) <= 2 and len(np.unique(p.scores)) <= 2:
            shown = " and ".join(f"{value:g}" for value in values)
            yield f"the scores of {len(p):,} rows take no value but {shown}", p.model
