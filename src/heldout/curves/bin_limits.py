"""Intervals of the shares in the bins of a calibration curve, as the design of the rows asks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.intervals.cluster_bootstrap import FEW_GROUPS, GroupSums
from heldout.intervals.grouped import group_share_interval
from heldout.intervals.interval import absent
from heldout.intervals.proportions import effective_sample_size, proportion_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.curves.design import Units
    from heldout.intervals.interval import Interval
    from heldout.tally.scores import ScoreCounts

__all__ = ["BinRows", "wilson_limits"]

Limits = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
#: of those bins that have no interval
FEWEST = 2


@dataclass(frozen=True, slots=True, eq=False)
class BinRows:
    """The rows behind score counts, where counts alone do not say what they are worth.

    Rows in groups, or judged in several repeats, count for as many independent rows as would
    vary as much. Where nothing says which rows of several repeats are the same, each counts
    for its share of a repeat: a row is no more than once in each, so this is never too much.
    """

    positive: NDArray[np.bool_]
    score: NDArray[np.float64]
    weight: NDArray[np.float64] | None
    units: Units

    def limits(
        self, counts: ScoreCounts, weights: NDArray[Any], level: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], str, str]:
        """Limits of the share of positives in bins, the method, and what to know about it.

        ``weights`` are those of the bins, from high to low scores.
        """
        if self.units.is_hopeless:
            nothing = np.full(len(weights), nan)
            return nothing, nothing, "", self.units.reason
        of_bin = self._bins(counts, weights)
        order = np.argsort(of_bin, kind="stable")
        parts = np.split(order, np.searchsorted(of_bin[order], np.arange(1, len(weights))))
        made = [self._interval(rows, level) for rows in parts]
        low, high = np.array([i.low for i in made]), np.array([i.high for i in made])
        return low, high, self._method(), self._note(made, parts)

    def _bins(self, counts: ScoreCounts, weights: NDArray[Any]) -> NDArray[Any]:
        """Which bin each row is in: bins are spans of scores, and their weights say how long."""
        reached = np.cumsum(weights)[:-1] * (1 - 1e-9)
        last = np.searchsorted(counts.tp + counts.fp, reached)  # of the falling scores
        return np.searchsorted(-counts.score[last], -self.score, side="left")

    def _interval(self, rows: NDArray[Any], level: float) -> Interval:
        hits = self.positive[rows].astype(float)
        weight = np.ones(len(rows)) if self.weight is None else self.weight[rows]
        worth = effective_sample_size(float(weight.sum()), float(np.square(weight).sum()))
        if self.units.codes is None:
            size = worth / self.units.repeats
            share = float(hits @ weight / weight.sum())
            return proportion_interval(min(share, 1.0) * size, size, level=level)
        sums = GroupSums.of_values(self.units.codes[rows], hits * weight, weight)
        if sums.total_groups < FEWEST:
            return absent(f"fewer than two {self.units.words}", level=level)
        # the repeats of a row say no more than the row, however alike its answers are to others'
        most = worth if self.units.are_groups else min(worth, float(sums.total_groups))
        return group_share_interval(sums, level=level, rows=most)

    def _method(self) -> str:
        if self.units.codes is not None and not self.units.are_groups:
            return "Wilson on effective rows, the repeats of a row as one"
        if self.units.codes is not None:
            return f"Wilson on effective rows of {self.units.words}"
        if self.units.repeats > 1:
            return f"Wilson on a row in {self.units.repeats}, as each may occur once a repeat"
        return "Wilson on effective rows"

    def _note(self, made: list[Interval], parts: list[NDArray[Any]]) -> str:
        lost = Counter(i.note for i in made if i.is_absent)
        if sum(lost.values()) == len(made):
            return "; ".join(lost)
        words = [f"none in {_bins_of(count)} of {reason}" for reason, count in lost.items()]
        if self.units.codes is not None and self.units.are_groups:
            codes = self.units.codes
            few = sum(FEWEST <= len(np.unique(codes[rows])) < FEW_GROUPS for rows in parts)
            if few:
                hardly = "how much groups differ is hardly known"
                words.append(f"{_bins_of(few)} of fewer than {FEW_GROUPS} groups, where {hardly}")
        return "; ".join(words)


def _bins_of(count: int) -> str:
    return "1 bin" if count == 1 else f"{count} bins"


def wilson_limits(positives: NDArray[Any], weights: NDArray[Any], level: float) -> Limits:
    """Wilson's limits of shares of rows that are independent."""
    made = [
        proportion_interval(min(hits, n), n, level=level)
        for hits, n in zip(positives.tolist(), weights.tolist(), strict=True)
    ]
    return np.array([i.low for i in made]), np.array([i.high for i in made])
