"""Coverage of the bands of the ROC and the precision-recall curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from heldout.core.random import stream
from heldout.curves.bands import band_of
from heldout.tally.scores import ScoreCounts
from tools.coverage.cells import SEED, counted, shown, table
from tools.coverage.curve_designs import design_table

#: negatives are standard normal, positives have this mean and standard deviation
POSITIVES = {"equal spread": (1.19, 1.0), "unequal spread": (1.0, 2.0)}
#: where a pointwise band is asked about
PLACES = np.linspace(0.05, 0.95, 19)
DRAWS = 200
SAMPLES = 60
CASES = (("equal spread", 0.5), ("equal spread", 0.1), ("unequal spread", 0.3))


def population(
    curve: str, x: np.ndarray[Any, Any], model: tuple[float, float], share: float
) -> np.ndarray[Any, Any]:
    """The curve of infinitely many rows."""
    from scipy.special import ndtr, ndtri

    mean, spread = model
    if curve == "roc":
        return np.asarray(ndtr((mean + ndtri(x)) / spread))
    passing = ndtr(spread * ndtri(x) - mean)  # of the negatives, at this recall
    return np.asarray(share * x / (share * x + (1 - share) * passing))


def cover(curve: str, name: str, share: float, n: int, samples: int) -> list[str]:
    """Coverage and width at single places, and of the whole curve at once."""
    model = POSITIVES[name]
    rng = stream(SEED, "coverage", "bands", f"{name} {share} {n}")
    at_places, whole, widths, reached, lost = [], [], [], [], 0
    for turn in range(samples):
        truth = np.arange(n) < round(n * share) if curve == "roc" else rng.random(n) < share
        score = rng.normal(size=n) * np.where(truth, model[1], 1) + truth * model[0]
        counts = ScoreCounts.of(truth, score)
        for kind in ("pointwise", "simultaneous"):
            band = band_of(counts, curve, kind=kind, replicates=DRAWS, seed=turn)
            if band.is_absent:
                lost += 1
                continue
            places = PLACES if kind == "pointwise" else band.x[(band.x > 0) & (band.x < 1)]
            low, high = band.at(places)
            value = population(curve, places, model, share)
            held = (low <= value) & (value <= high)
            if kind == "pointwise":
                at_places.append(held)
                widths.append(float(np.mean(high - low)))
            else:
                whole.append(bool(held.all()))
                reached.append(float(np.mean(high - low)))
    single = np.mean(at_places, axis=0)
    cells = [
        shown(float(single.mean()), float(np.mean(widths))),
        f"{100 * single.min():.1f}",
        shown(float(np.mean(whole)), float(np.mean(reached))),
    ]
    missing = f" ({100 * (1 - lost / 2 / samples):.0f}%)" if lost else ""
    words = {"roc": "ROC", "pr": "precision-recall"}[curve]
    return [words, name, f"{100 * share:g}%", str(n), *(cell + missing for cell in cells)]


def band_section(share: float) -> str:
    """Bands of curves, at single places and over the whole."""
    samples = max(5, int(share * SAMPLES))
    rows = [
        cover(curve, name, positive, n, samples)
        for curve in ("roc", "pr")
        for name, positive in CASES
        for n in (60, 300)
    ]
    titles = ["curve", "scores", "positive", "n", "pointwise", "worst place", "simultaneous"]
    return (
        "## Bands of curves\n\nNormal scores, of equal spread (area 0.8) or with the positives "
        f"spread twice as widely. {DRAWS} draws a band and "
        f"{counted(samples, SAMPLES)}. *Pointwise*: the mean over 19 places, 0.05 to 0.95, and the "
        "worst of them. *Simultaneous*: the whole curve between 0 and 1 lies within. Bands are no "
        "narrower than binomial counts allow, at each place and sideways: wide where rows "
        "are few; 60 rows of which 10% are positive have 6.\n\n"
        + table(titles, rows)
        + "\n"
        + design_table(share)
    )
