"""Coverage of means of losses."""

from __future__ import annotations

from math import inf, log
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.random import stream
from heldout.tally.moments import Moments
from heldout.uncertainty.limits import Jackknife, limits
from heldout.uncertainty.means import mean_interval
from heldout.uncertainty.row_bootstrap import replicate_means
from tools.coverage.cells import SEED, SIZES, Tally, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["loss_section"]


def loss_section(share: float) -> str:
    """Means of losses: calibrated probabilities from a symmetric beta distribution."""
    names = ("Student's t", "bootstrap percentile", "bootstrap BCa")
    rows = []
    for shape, word in ((2.0, "vague"), (0.5, "fair"), (0.1, "sharp")):
        truths = {
            "log loss": harmonic(2 * shape) - harmonic(shape),
            "Brier": shape / (4 * shape + 2),
        }
        for n in SIZES:
            rng = stream(SEED, "coverage", "loss", f"{shape} {n}")
            tally = Tally()
            for turn in range(max(20, int(share * 3000))):
                chance = np.clip(rng.beta(shape, shape, n), 1e-300, 1 - 1e-16)
                hit = rng.random(n) < chance
                losses = {
                    "log loss": -np.where(hit, np.log(chance), np.log1p(-chance)),
                    "Brier": (chance - hit) ** 2,
                }
                for name, values in losses.items():
                    cover_mean(tally, name, values, truths[name], turn)
            for name in truths:
                cells = [tally.text(f"{name} {method}") for method in names]
                rows.append([word, str(n), name, *cells])
    return (
        "## Means of losses\n\nProbabilities are calibrated and drawn from Beta(a, a): vague "
        "a = 2, fair a = 1/2, sharp a = 1/10. The bootstraps (400 draws of rows) are of every "
        "twentieth sample.\n\n" + table(["model", "n", "loss", *names], rows)
    )


def cover_mean(tally: Tally, name: str, values: NDArray[Any], truth: float, turn: int) -> None:
    tally.add(f"{name} Student's t", mean_interval(Moments.of(values), bounds=(0, inf)), truth)
    if turn % 20 == 0:
        drawn = replicate_means(values, replicates=400, rng=stream(turn, "coverage", "loss"))
        left_out = Jackknife((values.sum() - values) / (len(values) - 1))
        for kind, word in (("percentile", "percentile"), ("bca", "BCa")):
            made = limits(drawn, float(values.mean()), kind=kind, jackknife=left_out)
            tally.add(f"{name} bootstrap {word}", made, truth)


def harmonic(value: float) -> float:
    """The harmonic number of any real value, up to a constant: digamma(value + 1)."""
    step, total = value + 1, 0.0
    while step < 20:
        total -= 1 / step
        step += 1
    return total + log(step) - 1 / (2 * step) - 1 / (12 * step**2) + 1 / (120 * step**4)
