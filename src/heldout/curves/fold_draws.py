"""The average of the folds' ROC curves, drawn anew with whole groups or rows with their repeats."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from heldout.curves.design import worth
from heldout.intervals.resampling import RowSampler, content_order, in_blocks

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.curves.design import Units

__all__ = ["FoldRows"]


class _Fold(NamedTuple):
    """A fold's rows in falling order of score."""

    rows: NDArray[Any]
    #: the weight of each as a positive, and as a negative
    positives: NDArray[np.float64]
    negatives: NDArray[np.float64]
    #: the last row of each distinct score
    ends: NDArray[Any]

    def heights(self, often: NDArray[Any], grid: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """The ROC curve of the rows, each as often as said; None where a class is missing.

        What ``roc(...).at(grid)`` gives, without making a curve of each of thousands of draws.
        """
        y, x = (
            np.concatenate([[0.0], np.cumsum(often * part)[self.ends]])
            for part in (self.positives, self.negatives)
        )
        if not (x[-1] > 0 and y[-1] > 0):
            return None
        x, y = x / x[-1], y / y[-1]
        left = np.searchsorted(x, grid, side="right") - 1
        right = np.minimum(left + 1, len(x) - 1)
        run = x[right] - x[left]
        part = np.divide(grid - x[left], run, out=np.zeros(len(grid)), where=run > 0)
        return np.asarray(y[left] + part * (y[right] - y[left]))


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
        part = np.full(len(self.score), -1)
        for place, rows in enumerate(self.folds):
            part[rows] = place
        columns = self.score, self.positive, self.weight, part
        return RowSampler(
            len(self.score), groups=self.units.codes, order=lambda: content_order(*columns)
        )

    @cached_property
    def _sorted(self) -> list[_Fold]:
        """The rows of each fold in falling order of score, as draws of them are counted."""
        made = []
        for rows in self.folds:
            taken = rows[np.argsort(-self.score[rows], kind="stable")]
            score = self.score[taken]
            ends = np.flatnonzero(np.append(score[1:] != score[:-1], True))
            weight = np.ones(len(taken)) if self.weight is None else self.weight[taken]
            hits = np.where(self.positive[taken], weight, 0.0)
            made.append(_Fold(taken, hits, weight - hits, ends))
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
            for fold in self._sorted:
                drawn = often[fold.rows]
                height = fold.heights(drawn, grid)
                if height is not None:
                    share = float(drawn.mean())
                    total += share * height
                    count += share
            return total / count if count else np.full(len(grid), nan)

        return in_blocks(one, replicates=replicates, rng=rng, size=len(self.score))

    def positives(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """How many positives a share of them is of: where all groups agree, each counts once."""
        kept = np.zeros(len(self.score), bool)
        kept[np.concatenate(self.folds)] = True
        return worth(self.positive & kept, self.weight, self.units).at(share)
