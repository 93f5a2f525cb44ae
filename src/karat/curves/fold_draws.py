"""The average of the folds' ROC curves, drawn anew with whole groups or rows with their repeats."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.curves.design import worth
from karat.curves.roc import roc
from karat.intervals.resampling import RowSampler, in_blocks
from karat.intervals.score_rows import ScoreRows

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from karat.curves.design import Units

__all__ = ["FoldRows"]


@dataclass(frozen=True, eq=False)
class FoldRows:
    """Rows in folds, of which whole units are drawn over all folds at once.

    A unit may be in several folds: a row in one of each repeat, a group wherever its rows are.
    """

    positive: NDArray[np.bool_]
    score: NDArray[np.float64]
    weight: NDArray[np.float64] | None
    units: Units
    #: the rows of each fold that has both classes
    folds: tuple[NDArray[Any], ...]

    @cached_property
    def sampler(self) -> RowSampler:
        """What draws the units."""
        return RowSampler(len(self.score), groups=self.units.codes)

    @cached_property
    def _sorted(self) -> list[tuple[NDArray[Any], ScoreRows]]:
        """The rows of each fold in falling order of score, as draws of them are counted."""
        made = []
        for rows in self.folds:
            taken = rows[np.argsort(-self.score[rows], kind="stable")]
            weight = None if self.weight is None else self.weight[taken]
            made.append((taken, ScoreRows(self.positive[taken], self.score[taken], weight)))
        return made

    def replicate(
        self, grid: NDArray[np.float64], *, replicates: int, rng: Generator
    ) -> NDArray[np.float64]:
        """The average over a grid of false positive rates, a row for each draw.

        A fold counts as much as is drawn of it: where each fold is one group, folds are drawn.
        One without both classes has no curve in a draw; where none has, the draw is NaN.
        """

        def one(own: Generator) -> NDArray[np.float64]:
            often = self.sampler.multiplicities(own)
            total, count = np.zeros(len(grid)), 0.0
            for taken, rows in self._sorted:
                drawn = often[taken]
                counts = rows.counts(drawn) if drawn.any() else None
                if counts is None or not counts.has_both:
                    continue
                share = float(drawn.mean())
                total += share * roc(counts, corners=True).at(grid)
                count += share
            return total / count if count else np.full(len(grid), nan)

        return in_blocks(one, replicates=replicates, rng=rng, size=len(self.score))

    def positives(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """How many positives a share of them is of: where all groups agree, each counts once."""
        kept = np.zeros(len(self.score), bool)
        kept[np.concatenate(self.folds)] = True
        return worth(self.positive & kept, self.weight, self.units).at(share)
