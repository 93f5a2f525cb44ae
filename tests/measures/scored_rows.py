"""Small sets of scored rows with ties and weights, and the points of their ROC curve by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from heldout.tally.scores import ScoreCounts

__all__ = ["Rows", "scored_rows"]


@dataclass
class Rows:
    """Truth, score and weight of each row."""

    truth: np.ndarray[Any, Any]
    score: np.ndarray[Any, Any]
    weight: np.ndarray[Any, Any] | None

    @property
    def counts(self) -> ScoreCounts:
        return ScoreCounts.of(self.truth, self.score, self.weight)

    @property
    def weights(self) -> np.ndarray[Any, Any]:
        return np.ones(len(self.truth)) if self.weight is None else self.weight

    @property
    def positives(self) -> float:
        return float(self.weights[self.truth].sum())

    @property
    def negatives(self) -> float:
        return float(self.weights[~self.truth].sum())

    @property
    def points(self) -> list[tuple[float, float]]:
        """(TP, FP) of each threshold by its definition: score >= t, from high to low."""
        found = []
        for threshold in sorted(set(self.score[self.weights > 0].tolist()), reverse=True):
            called = self.score >= threshold
            tp = self.weights[called & self.truth].sum()
            found.append((float(tp), float(self.weights[called & ~self.truth].sum())))
        return found


@st.composite
def scored_rows(draw: Any, *, most: int = 12, both: bool = True, weighted: bool = True) -> Rows:
    """Rows with few distinct scores; a row of each class where ``both``."""
    size = draw(st.integers(2, most))
    truth = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    if both:
        truth[:2] = [True, False]
    levels = st.sampled_from([-1.0, 0.0, 1e-10, 0.25, 0.5, 0.5000000001, 3.0])
    score = draw(st.lists(levels, min_size=size, max_size=size))
    weight = None
    if weighted and draw(st.booleans()):
        some = st.sampled_from([0.0, 0.3, 1.0, 2.0, 2.5])
        weight = np.array(draw(st.lists(some, min_size=size, max_size=size)))
        weight[:2] = np.maximum(weight[:2], 0.3)
    return Rows(np.array(truth), np.array(score), weight)
