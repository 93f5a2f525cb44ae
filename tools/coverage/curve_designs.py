"""Coverage of the intervals of curves where rows come in groups or are judged in repeats."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import heldout
from heldout.assess.scorecard import Scorecard, score_predictions
from heldout.core.random import stream
from tools.coverage.cells import SEED, shown, table

SAMPLES = 100
DRAWS = 200
BINS = 5
#: where the average over folds is asked about, and samples that its mean is taken of
PLACES = np.linspace(0.05, 0.95, 19)
MANY = 300
DESIGNS = {
    "groups": "40 groups of 10 rows",
    "repeats": "150 rows in 4 repeats, with ids",
    "unnamed": "150 rows in 4 repeats, without ids",
}
Rows = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], dict[str, Any]]


def rows_of(design: str, rng: np.random.Generator, times: int = 1) -> Rows:
    """Truth, probability and design of a sample; ``times`` as many groups or rows."""
    from scipy.special import expit, logit

    if design == "groups":
        group = np.repeat(np.arange(40 * times), 10)
        shift = rng.normal(size=40 * times)[group]
        level = rng.random(40 * times)[group]
        score = np.clip(0.6 * rng.random(len(group)) + 0.4 * level, 0.001, 0.999)
        truth = rng.random(len(group)) < expit(logit(score) + shift)
        return truth, score, {"groups": group, "folds": group % 5}
    n = 150 * times
    base = rng.normal(size=n)
    truth = rng.random(n) < expit(base)
    score = np.concatenate([expit(base + 0.5 * rng.normal(size=n)) for _ in range(4)])
    folds = np.concatenate([rng.permutation(n) % 5 for _ in range(4)])
    return np.tile(truth, 4), score, {"repeats": np.repeat(np.arange(4), n), "folds": folds}


def judged(rows: Rows, design: str) -> Scorecard:
    """The scorecard, of repeats with the names of rows."""
    truth, score, more = rows
    card = heldout.score(truth.astype(int), y_score=score, **more)
    if design != "repeats":
        return card
    names = np.tile(np.arange(len(truth) // 4), 4)
    return score_predictions((replace(card.predictions[0], identifier=names),))


def of_bins(design: str, samples: int) -> list[str]:
    """The intervals of the bins of a calibration curve, and those of rows taken as independent."""
    rng = stream(SEED, "coverage", "bins", design)
    truth, score, _ = rows_of(design, rng, 500)
    place = np.clip(np.ceil(score * BINS) - 1, 0, BINS - 1).astype(int)
    true = np.bincount(place, truth) / np.bincount(place)
    found: dict[bool, list[Any]] = {True: [], False: []}
    for _ in range(samples):
        rows = rows_of(design, rng)
        plain = heldout.score(rows[0].astype(int), y_score=rows[1])
        for is_own, card in ((True, judged(rows, design)), (False, plain)):
            curve = card.curve("calibration", bins=BINS)
            value = true[np.clip(np.ceil(curve.x * BINS) - 1, 0, BINS - 1).astype(int)]
            low, high = curve.columns["low"], curve.columns["high"]
            found[is_own] += zip((low <= value) & (value <= high), high - low, strict=True)
    cells = [shown(*(float(x) for x in np.mean(found[own], axis=0))) for own in (True, False)]
    return ["calibration, 5 bins", DESIGNS[design], *cells]


def of_average(design: str, samples: int) -> list[str]:
    """The band of the average over folds, whose truth is its own mean over many samples."""
    rng = stream(SEED, "coverage", "folds", design)
    heights = [
        judged(rows_of(design, rng), "").curve("roc_average").at(PLACES) for _ in range(MANY)
    ]
    true = np.mean(heights, axis=0)
    found: dict[bool, list[Any]] = {True: [], False: []}
    for turn in range(samples):
        rows = rows_of(design, rng)
        own = judged(rows, design)
        more = {"folds": rows[2]["folds"] + 5 * rows[2].get("repeats", 0)}
        plain = judged((rows[0], rows[1], more), "")
        for is_own, card in ((True, own), (False, plain)):
            drawn: dict[str, Any] = {"band": "pointwise", "replicates": DRAWS, "seed": turn}
            band = card.curve("roc_average", **drawn).band
            assert band is not None
            low, high = band.at(PLACES)
            found[is_own] += zip((low <= true) & (true <= high), high - low, strict=True)
    cells = [shown(*(float(x) for x in np.mean(found[own], axis=0))) for own in (True, False)]
    return ["average over folds, pointwise", DESIGNS[design], *cells]


def design_table(share: float) -> str:
    """The intervals of curves by design, beside those that would take rows as independent."""
    samples = max(5, int(share * SAMPLES))
    rows = [of_bins(design, samples) for design in DESIGNS]
    rows += [of_average(design, samples // 2) for design in ("groups", "repeats")]
    titles = ["curve", "rows", "as drawn", "rows taken as independent"]
    return (
        "Where rows come in groups or are judged in several repeats, whole groups, or rows with "
        f"all their repeats, are drawn; bins count effective rows. {samples} samples of bins, "
        f"{samples // 2} of folds.\n\n" + table(titles, rows)
    )
