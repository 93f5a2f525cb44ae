"""Random draws of rows from all: how a measure varies between slices that are all alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.random import stream
from heldout.decisions.joined import ends_of, joined, joined_at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.tally.scores import ScoreCounts

__all__ = ["DRAWS", "RandomDraws"]

#: random draws of one size, and sizes that are drawn where slices have more different ones
DRAWS, SIZES = 100, 6
#: sizes that differ by less than this factor are one size
NEAR = 1.1
#: scores that are kept apart in them
LEVELS = 250
#: with a larger share of undefined draws there is no spread
UNDEFINED_ALLOWED = 0.05


class RandomDraws:
    """Rows drawn at random from all, by their scores.

    Parameters
    ----------
    whole
        The scores of all rows; neighbours are joined where they are many.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> draws = RandomDraws(ScoreCounts.of(np.arange(1000) % 4 == 0, np.arange(1000.0) % 9))
    >>> ((mean, spread),) = draws.spreads(
    ...     lambda drawn: [s.total_positives / s.total for s in drawn], [100]
    ... )
    >>> round(mean, 1), round(spread, 2)
    (0.2, 0.04)
    """

    def __init__(self, whole: ScoreCounts, seed: int = 1) -> None:
        self.grid = joined(whole, ends_of(whole, LEVELS))
        self.seed = seed
        self._drawn: dict[int, list[ScoreCounts]] = {}
        self._slices: dict[int, ScoreCounts] = {}

    def on_grid(self, place: int, some: ScoreCounts) -> ScoreCounts:
        """The rows of a slice on the same scores as the draws; made once."""
        if place not in self._slices:
            here = joined_at(some, self.grid.score)
            self._slices[place] = self._counts(here.positives, here.negatives)
        return self._slices[place]

    def spreads(
        self, values: Callable[[Sequence[ScoreCounts]], Sequence[float]], sizes: Sequence[int]
    ) -> list[tuple[float, float]]:
        """Mean and standard deviation of a value over draws of each size.

        ``values`` gives the value of each of many draws.
        Of many different sizes a few are drawn (one a doubling; of sizes within a tenth of
        each other the middle one), and lines in the logarithm of the size lead from one to the
        next, for the mean and for the spread times the root of the size.
        """
        wanted = sorted(set(sizes))
        least, most = wanted[0], wanted[-1]
        few = min(SIZES, 2 + int(np.log2(most / least))) if most > NEAR * least else 1
        if len(wanted) > few:
            steps = np.geomspace(least, most, few) if few > 1 else [(least * most) ** 0.5]
            wanted = sorted({round(float(step)) for step in steps})
        found = [self._spread(values, size) for size in wanted]
        logs, at = np.log(wanted), np.log(np.asarray(sizes, float))
        means = np.interp(at, logs, [mean for mean, _ in found])
        roots = [spread * size**0.5 for (_, spread), size in zip(found, wanted, strict=True)]
        widths = np.interp(at, logs, roots) / np.sqrt(np.asarray(sizes, float))
        return list(zip(means.tolist(), widths.tolist(), strict=True))

    def _spread(
        self, values: Callable[[Sequence[ScoreCounts]], Sequence[float]], size: int
    ) -> tuple[float, float]:
        found = np.array(values(self._draw(size)), float)
        known = found[np.isfinite(found)]
        if len(known) < (1 - UNDEFINED_ALLOWED) * len(found):
            return float("nan"), float("nan")
        return float(known.mean()), float(known.std(ddof=1))

    def _draw(self, size: int) -> list[ScoreCounts]:
        if size not in self._drawn:
            rng = stream(self.seed, "slices", "draws", str(size))
            sides = (self.grid.positives, self.grid.negatives)
            share = size / self.grid.rows
            self._drawn[size] = [
                self._counts(*(rng.binomial(side, share) for side in sides)) for _ in range(DRAWS)
            ]
        return self._drawn[size]

    def _counts(self, positives: NDArray[Any], negatives: NDArray[Any]) -> ScoreCounts:
        kept = (positives > 0) | (negatives > 0)
        total = int(positives.sum() + negatives.sum())
        return type(self.grid)(self.grid.score[kept], positives[kept], negatives[kept], total)
