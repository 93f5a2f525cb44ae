"""The rule of one standard error inside of draws of rows: what it would have chosen there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import row_losses
from heldout.selection.choice import checked_order, rule_error, standard_errors
from heldout.selection.scoring import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.selection.scoring import Criterion
    from heldout.selection.search import Search

__all__ = ["OneError", "one_error_in_draws"]


@dataclass(frozen=True, slots=True, eq=False)
class OneError:
    """What the rule needs to know of the splits and the settings."""

    criterion: Criterion
    #: of each split: its units, their summed losses by setting, and their weights
    splits: tuple[tuple[NDArray[Any], NDArray[Any], NDArray[Any]], ...]
    #: 0 for the simplest setting; settings of one kind are compared with each other
    simplicity: NDArray[np.int64]
    kind: NDArray[np.int64]
    #: how much larger the rule's error is than that over splits, where these cut groups
    stretch: float = 1.0

    def choose(self, counts: NDArray[np.float64]) -> NDArray[np.intp]:
        """The place of the setting that the rule chooses in each draw, a line of counts."""
        goodness, error = self._values(counts)
        draws = np.arange(len(counts))
        top = goodness.max(axis=1)
        slack = ROUNDING * np.abs(top)
        best = np.argmax(goodness >= (top - slack)[:, np.newaxis], axis=1)
        limit = goodness[draws, best] - self.stretch * error[draws, best] - slack
        allowed = (goodness >= limit[:, np.newaxis]) & (self.kind == self.kind[best][:, np.newaxis])
        rank = np.where(allowed, self.simplicity, len(self.simplicity))
        simplest = rank == rank.min(axis=1)[:, np.newaxis]
        return np.asarray(np.argmax(np.where(simplest, goodness, -np.inf), axis=1))

    def _values(self, counts: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The goodness of each setting in each draw, and its standard error over splits."""
        shape = len(counts), len(self.simplicity)
        total, squares, sums = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        number, weights = np.zeros((len(counts), 1)), np.zeros((len(counts), 1))
        transform: Any = self.criterion.of_means
        for units, losses, weight in self.splits:
            often = counts[:, units]
            own, heavy = often @ losses, (often @ weight)[:, np.newaxis]
            # a split of which nothing was drawn has no value
            value = np.where(heavy > 0, transform(own / np.where(heavy > 0, heavy, 1.0)), 0.0)
            total, squares, number = total + value, squares + value**2, number + (heavy > 0)
            sums, weights = sums + own, weights + heavy
        mean = total / number
        spread = np.maximum(squares - number * mean**2, 0) / np.maximum(number - 1, 1) / number
        pooled = self.criterion.aggregate == "pooled"
        return self.criterion.goodness(transform(sums / weights) if pooled else mean), spread**0.5


def one_error_in_draws(
    search: Search, places: Sequence[int], units: NDArray[np.int64], simpler: Any
) -> OneError | None:
    """The rule for draws of these units; None where a loss is infinite or there is one split."""
    scores = [search.scores[place] for place in places]
    settings = [search.settings[place] for place in places]
    tallies: Any = [one.tallies for one in scores]
    losses = np.column_stack([row_losses(search.criterion.request, one) for one in tallies])
    split_of = np.asarray(scores[0].outcome.split_of)
    if not np.isfinite(losses).all() or len(np.unique(split_of)) < 2:
        return None
    weight = tallies[0].predictions.weight
    weights = np.ones(len(losses)) if weight is None else weight
    splits = []
    for split in np.unique(split_of):
        rows = np.flatnonzero(split_of == split)
        own, at = np.unique(units[rows], return_inverse=True)
        sums = np.zeros((len(own), len(places)))
        np.add.at(sums, at, losses[rows] * weights[rows, np.newaxis])
        splits.append((own, sums, np.bincount(at, weights[rows])))
    order = checked_order(search.settings, simpler)
    keys = [order.key(one) for one in settings]
    known = sorted(set(keys))
    simplicity = np.array([known.index(key) for key in keys])
    kinds = [order.kind(one) for one in settings]
    kind = np.array([kinds.index(one) for one in kinds])
    return OneError(search.criterion, tuple(splits), simplicity, kind, _stretch(search))


def _stretch(search: Search) -> float:
    """The error of the rule over that of the splits, as if they were separate."""
    plain = float(standard_errors(search.table)[search.best])
    return rule_error(search)[0] / plain if plain > 0 else 1.0
