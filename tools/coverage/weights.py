"""Coverage of shares and measures of the confusion table where rows are of unequal weight."""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.random import stream
from heldout.tally.confusion import Confusion
from heldout.uncertainty.cell_intervals import ConfusionBootstrap, WeightedCells
from heldout.uncertainty.proportions import weighted_share_interval
from tools.coverage.cells import SEED, Tally, table
from tools.coverage.confusions import COUNTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["weight_section"]

ROWS, SAMPLES = 300, 200
#: what the rows are worth about
WORTHS = (20, 50, 100)
#: shares of positive rows, recall and specificity
PROBLEMS = ((0.1, 0.8, 0.9), (0.5, 0.6, 0.8), (0.5, 0.95, 0.95))
#: how much the rows of each cell weigh on average: true 0 right and wrong, true 1 wrong and right
KINDS = {
    "unrelated": np.array([1.0, 1.0, 1.0, 1.0]),
    "positives a third": np.array([3.0, 3.0, 1.0, 1.0]),
    "errors threefold": np.array([1.0, 3.0, 3.0, 1.0]),
    "errors a third": np.array([3.0, 1.0, 1.0, 3.0]),
}
SHARES: dict[str, Callable[[NDArray[Any]], tuple[Any, Any]]] = {
    "accuracy": lambda c: (c[0] + c[3], c.sum()),
    "precision": lambda c: (c[3], c[1] + c[3]),
}
COLUMNS = (*SHARES, *COUNTED)


def weight_section(share: float) -> str:
    """Weights whose logarithm is normal; rows of some cells weigh more than those of others."""
    rows = []
    for kind, heavy in KINDS.items():
        for worth in WORTHS:
            for positive, recall, specificity in PROBLEMS:
                name = f"{kind} {worth} {positive} {recall}"
                rng = stream(SEED, "coverage", "weights", name)
                right, wrong = np.array([specificity, recall]), 1 - np.array([specificity, recall])
                cells = np.array([right[0], wrong[0], wrong[1], right[1]])
                cells *= np.array([1 - positive] * 2 + [positive] * 2)
                tally = Tally()
                for turn in range(max(5, int(share * SAMPLES))):
                    _cover(tally, rng, cells, heavy, worth, turn)
                texts = [tally.text(column) for column in COLUMNS]
                rows.append([kind, str(worth), f"{100 * positive:.0f} %", f"{recall:g}", *texts])
    return (
        "## Rows of unequal weight\n\n"
        f"{ROWS} rows with weights whose logarithm is normal and spreads so that they are worth "
        "about that many rows of one weight; rows of some cells weigh more on average. The true "
        "shares are those by weight. Shares by Wilson on effective rows of their own variance, "
        "the rest by the Bayesian bootstrap of cells that are counted in effective rows. "
        f"1000 draws, {SAMPLES} samples: a standard error of one and a half points.\n\n"
        + table(["weights", "worth", "positive", "recall", *COLUMNS], rows)
    )


def _cover(
    tally: Tally, rng: Any, cells: NDArray[Any], heavy: NDArray[Any], worth: int, turn: int
) -> None:
    # rows are drawn so that the cells have their shares by weight
    drawn = cells / heavy
    cell = rng.choice(4, ROWS, p=drawn / drawn.sum())
    own = drawn / drawn.sum() @ heavy**2 / (drawn / drawn.sum() @ heavy) ** 2
    spread = sqrt(max(log(ROWS / worth / own), 0.0))
    weight = heavy[cell] * np.exp(spread * rng.normal(size=ROWS))
    truth, predicted = np.divmod(cell, 2)
    made = WeightedCells.of(truth, predicted, weight, classes=2, positive=1)
    exact = Confusion(2, np.arange(4), cells, 1)
    sums, squares = (np.bincount(cell, part, minlength=4) for part in (weight, weight**2))
    for name, function in SHARES.items():
        (hits, whole), (of_hits, of_whole) = function(sums), function(squares)
        if whole > 0:
            one = weighted_share_interval(hits / whole, whole, of_whole, hits=float(of_hits))
            top, bottom = function(cells)
            tally.add(name, one, float(top / bottom))
    bootstrap = ConfusionBootstrap.of_weighted(made, replicates=1000, seed=turn)
    for name, (measure, bounds) in COUNTED.items():
        if not np.isnan(measure(made.confusion)):
            one = bootstrap.interval(measure, bounds=bounds)
            tally.add(name, one, float(measure(exact)))
