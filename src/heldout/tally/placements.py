"""Where the rows of many parts stand among all rows: what areas of the rest, and tests, need."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.tally.decoded import DecodedColumn
from heldout.tally.roc import area, is_exact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.tally.scores import ScoreCounts

#: scores of all parts that are sorted at a time
BLOCK_SCORES = 2**18
#: a part with more scores is not decoded as a whole
MOST_DECODED = 2**21


@dataclass(frozen=True, slots=True, eq=False)
class Placements:
    """How rows are placed: for a positive row the negatives below it, for a negative one the
    positives above it, where equal ones count one half.

    Parameters
    ----------
    rows
        Negative and positive rows (or their weight) of each part.
    sums
        Twice the placements of these rows; of counts exact.
    means, deviations
        The mean share of the other class that they are placed rightly against, less the area
        under the curve of all rows; and the sum of its squared deviations from that mean.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.5, 0.5, 0.1])
    >>> parts = [ScoreCounts.of(truth[own], score[own]) for own in (slice(2), slice(2, 4))]
    >>> Placements.of(ScoreCounts.of(truth, score), parts).sums
    array([[3, 4],
           [4, 3]])
    """

    rows: NDArray[Any]
    sums: NDArray[Any]
    means: NDArray[np.float64]
    deviations: NDArray[np.float64]

    @classmethod
    def of(cls, whole: ScoreCounts, parts: Sequence[ScoreCounts]) -> Placements:
        """The placements of the rows of parts, which together are all rows.

        Blocks of scores are taken from all parts and sorted, which is quicker than to look each up
        among all, and needs no more memory for more rows.
        """
        kind: Any = np.int64 if is_exact(whole) else np.float64
        rows = np.zeros((2, len(parts)), kind)
        sums, squares = np.zeros_like(rows), np.zeros(rows.shape)
        totals = (whole.total_negatives, whole.total_positives)
        before = np.zeros(2, kind)
        with np.errstate(all="ignore"):
            value = area(whole)
            for starts, stops in pairwise(_cuts(whole, parts)):
                chosen = np.flatnonzero(stops > starts)
                if not len(chosen):
                    continue
                spans = (chosen, starts[chosen], stops[chosen])
                cells = [
                    parts[k].cells(slice(a, b))
                    for k, a, b in zip(*(v.tolist() for v in spans), strict=True)
                ]
                score, positives, negatives = map(np.concatenate, zip(*cells, strict=True))
                first = np.cumsum((stops - starts)[chosen]) - (stops - starts)[chosen]
                sides = (negatives.astype(kind), positives.astype(kind))
                above = _above(score, sides, before)
                for side, (own, total) in enumerate(zip(sides, totals[::-1], strict=True)):
                    # positives above a negative row; negatives below a positive one
                    twice = above[1] if side == 0 else 2 * total - above[0]
                    shift = twice / (2.0 * total) - value
                    rows[side, chosen] += np.add.reduceat(own, first)
                    sums[side, chosen] += np.add.reduceat(own * twice, first)
                    squares[side, chosen] += np.add.reduceat(own * shift * shift, first)
                before += [own.sum() for own in sides]
            means = np.where(
                rows > 0, sums / (2.0 * np.array(totals[::-1], float)[:, None]) / rows - value, 0.0
            )
            deviations = np.maximum(squares - rows * means * means, 0.0)
        return cls(rows, sums, means, deviations)


def _above(
    score: NDArray[np.float64], sides: Sequence[NDArray[Any]], before: NDArray[Any]
) -> list[NDArray[Any]]:
    """Twice the rows of each class with a higher score, where equal scores count one half.

    ``before`` are the rows of each class with a higher score than all of these.
    """
    order = np.argsort(-score)
    falling = score[order]
    last = np.concatenate([falling[1:] != falling[:-1], [True]])
    level = np.cumsum(last) - last
    twice = []
    for own, start in zip(sides, before, strict=True):
        upto = np.cumsum(own[order])[last] + start
        both = upto + np.concatenate([[start], upto[:-1]])
        column = np.empty(len(score), both.dtype)
        column[order] = both[level]
        twice.append(column)
    return twice


def _cuts(whole: ScoreCounts, parts: Sequence[ScoreCounts]) -> NDArray[np.int64]:
    """For each block the places in each part where its scores start, and where the last ends."""
    lengths = np.array([len(part.score) for part in parts], np.int64)
    # parts of few scores are in memory anyway; to cut them would take longer than to sort
    count = min(int(lengths.sum()) // BLOCK_SCORES, int(lengths.mean()) // 64)
    inner = np.arange(1, count) * len(whole.score) // max(count, 1)
    edges = -np.asarray(whole.score[inner]) if len(inner) else np.zeros(0)
    cuts = np.zeros((len(inner) + 2, len(parts)), np.int64)
    for k, part in enumerate(parts if len(inner) else ()):
        falling: Any = part.score
        if isinstance(falling, DecodedColumn) and len(falling) <= MOST_DECODED:
            falling = np.asarray(falling)
        cuts[1:-1, k] = np.searchsorted(-falling, edges)
    cuts[-1] = lengths
    return cuts
