"""ROC curves of two models on the same rows, and their difference with a band of paired draws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.random import stream
from heldout.curves.sources import units_of
from heldout.engines.memory import Tallies
from heldout.uncertainty.sample import RowSampler, row_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.predictions.table import Predictions

#: false positive rates at which heights are compared
GRID = np.linspace(0, 1, 101)
DRAWS = 500
#: rows times draws that are still quick
MOST_WORK = 100_000_000

Points = tuple["NDArray[Any]", "NDArray[Any]"]


@dataclass(frozen=True, slots=True, eq=False)
class PairedRoc:
    """Both curves, the first less the second over ``GRID``, and its pointwise limits."""

    curves: tuple[Points, Points]
    gap: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @property
    def areas(self) -> tuple[float, float]:
        """The areas under both curves."""
        first, second = (float(np.trapezoid(y, x)) for x, y in self.curves)
        return first, second


def draws_for(rows: int) -> int:
    """How many draws of so many rows a band is made of."""
    return int(min(DRAWS, max(100, MOST_WORK // max(rows, 1))))


def paired_roc(two: tuple[Predictions, Predictions], level: float, seed: int) -> PairedRoc:
    """The curves of two models that were judged on the same rows, drawn together."""
    ordered = [_Order(p) for p in two]
    own = [Tallies(p).row_weights for p in two]
    weights = own[0]
    sampler = RowSampler(
        len(weights), groups=units_of(two[0]).codes, order=partial(row_order, *two)
    )
    rng = stream(seed, "paired roc")

    def gap(mass: NDArray[Any]) -> NDArray[np.float64]:
        first, second = (vertical(*_curve(o, mass)) for o in ordered)
        return first - second

    drawn = []
    for _ in range(draws_for(len(two[0]))):
        with np.errstate(all="ignore"):
            drawn.append(gap(weights * sampler.multiplicities(rng)))
    share = (1 - level) / 2
    low, high = np.nanquantile(np.array(drawn), [share, 1 - share], axis=0)
    first, second = (_curve(o, mass) for o, mass in zip(ordered, own, strict=True))
    return PairedRoc((first, second), gap(weights), low, high)


class _Order:
    """The rows of a model in falling order of score, with the ends of equal scores."""

    def __init__(self, p: Predictions) -> None:
        assert p.scores is not None
        self.order = np.argsort(-p.scores, kind="stable")
        ordered = p.scores[self.order]
        self.ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
        self.is_positive = (p.truth == p.positive)[self.order]


def _curve(ordered: _Order, weights: NDArray[Any]) -> Points:
    mass = weights[ordered.order]
    ones = np.cumsum(np.where(ordered.is_positive, mass, 0.0))
    zeros = np.cumsum(np.where(ordered.is_positive, 0.0, mass))
    x, y = zeros[ordered.ends] / zeros[-1], ones[ordered.ends] / ones[-1]
    return np.concatenate([[0.0], x]), np.concatenate([[0.0], y])


def vertical(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    """The height of a curve over the grid; where it rises straight up, the middle of the rise."""
    upper = np.interp(GRID, x, y)
    first = np.searchsorted(x, GRID, side="left")
    last = np.searchsorted(x, GRID, side="right") - 1
    is_wall = (first < last) & (x[np.minimum(first, len(x) - 1)] == GRID)
    upper[is_wall] = (y[first[is_wall]] + y[last[is_wall]]) / 2
    return upper
