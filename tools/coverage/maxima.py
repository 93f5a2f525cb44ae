"""Intervals of maxima over thresholds: heldout's, and one by cross-fitting."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.ranking_cases import key_of, resampled_together
from heldout.measures.spec import parse_request
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.options import IntervalOptions
from heldout.uncertainty.proportions import proportion_interval
from tools.coverage.cells import counted, shown, table
from tools.coverage.defaults import covered
from tools.coverage.processes import JUDGING

if TYPE_CHECKING:
    from collections.abc import Callable

    Array = np.ndarray[Any, Any]

SAMPLES, FOLDS, TRUTH_ROWS = 250, 10, 2_000_000
NAME = "kolmogorov_smirnov"
#: the maxima that there are, and samples of each process on which they are judged
MAXIMA = ["h_measure", "maximum_f", NAME, "maximum_accuracy", "maximum_mcc"]
JUDGED = 300


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of both classes, none of which the limits were chosen on."""

    name: str
    rows: int
    share: float
    positives: Callable[[Any, int], Array]
    negatives: Callable[[Any, int], Array]


def _normal(rng: Any, n: int) -> Array:
    return np.asarray(rng.normal(size=n))


def _half_moved(rng: Any, n: int) -> Array:
    return np.where(rng.random(n) < 0.6, rng.normal(size=n) + 2.5, rng.normal(size=n))


PROCESSES = (
    Scores("normal, 1 apart, 30% of 100", 100, 0.3, lambda r, n: _normal(r, n) + 1, _normal),
    Scores("normal, 2 apart, 50% of 60", 60, 0.5, lambda r, n: _normal(r, n) + 2, _normal),
    Scores(
        "exponential, 20% of 200",
        200,
        0.2,
        lambda r, n: 3 * r.exponential(size=n),
        lambda r, n: r.exponential(size=n),
    ),
    Scores("a part moved, 25% of 120", 120, 0.25, _half_moved, _normal),
    Scores("normal, 0.3 apart, 40% of 200", 200, 0.4, lambda r, n: _normal(r, n) + 0.3, _normal),
    Scores(
        "few scores, 30% of 150",
        150,
        0.3,
        lambda r, n: np.round(r.normal(size=n) + 1.2),
        lambda r, n: np.round(r.normal(size=n)),
    ),
)


def maximum_section(share: float) -> str:
    """Why maxima keep an interval of heldout's own."""
    samples = max(10, int(share * SAMPLES))
    rows = [_row(process, samples) for process in PROCESSES]
    return (
        "## Maxima over a ranking\n\n"
        "The interval of a maximum is heldout's own: the bias of a bootstrap taken off twice. "
        "Beside it the published way for the Youden index, of which the Kolmogorov-Smirnov "
        "distance is the largest: each row is judged by the best threshold of the rows of other "
        f"folds ({FOLDS} of them), and the limits are those of a difference of two shares "
        "(Newcombe 1998, Stat. Med. 17:873). It covers too rarely, since a threshold that was "
        "chosen on other rows is worse than the best, and in some samples its limits leave out "
        "the value itself. "
        f"{counted(samples, SAMPLES, 'samples each')}.\n\n"
        + table(["scores", "true value", "heldout's", "cross-fitted"], rows)
        + _judged(max(10, int(share * JUDGED)))
    )


def _judged(samples: int) -> str:
    """All maxima on the judging set."""
    two_classes = [p for p in JUDGING if p.draw(np.random.default_rng(0), 9).get("pos_label")]
    cells = [covered(process, samples, MAXIMA) for process in two_classes]
    return (
        "\nAll maxima on the judging set, as on one test set above. The H-measure of classes that "
        "are nearly apart covers 87 to 93%, and its interval says so. "
        f"{counted(samples, JUDGED, 'samples of each process')}.\n\n"
        + table(
            ["process", *MAXIMA],
            [[own[0].process, *(cell.text for cell in own)] for own in cells],
        )
    )


def _row(process: Scores, samples: int) -> list[str]:
    truth = _truth(process)
    limits = [_limits(process, np.random.default_rng(seed)) for seed in range(samples)]
    cells = []
    for own in zip(*limits, strict=True):
        held = float(np.mean([low <= truth <= high for low, high in own]))
        cells.append(shown(held, float(np.mean([high - low for low, high in own]))))
    return [process.name, f"{truth:.3f}", *cells]


def _truth(process: Scores) -> float:
    rng = np.random.default_rng(99)
    sides = [np.sort(draw(rng, TRUTH_ROWS)) for draw in (process.positives, process.negatives)]
    cuts = np.unique(np.quantile(np.concatenate(sides), np.linspace(0, 1, 3001)))
    first, second = (np.searchsorted(side, cuts) / len(side) for side in sides)
    return float((second - first).max())


def _limits(process: Scores, rng: Any) -> list[tuple[float, float]]:
    """Those of both methods on a sample."""
    count = round(process.rows * process.share)
    is_positive = np.arange(process.rows) < count
    score = np.concatenate(
        [process.positives(rng, count), process.negatives(rng, process.rows - count)]
    )
    request, counts = parse_request(NAME), ScoreCounts.of(is_positive, score)
    ours = resampled_together(counts, [request], "maximum", IntervalOptions())[key_of(request)]
    return [(ours.low, ours.high), _cross_fitted(is_positive, score, rng)]


def _cross_fitted(is_positive: Array, score: Array, rng: Any) -> tuple[float, float]:
    fold = np.empty(len(score), int)
    for label in (True, False):
        own = np.flatnonzero(is_positive == label)
        fold[rng.permutation(own)] = np.arange(len(own)) % FOLDS
    called = np.zeros(len(score), bool)
    for k in range(FOLDS):
        others = fold != k
        called[~others] = score[~others] >= _best(is_positive[others], score[others])
    shares, reaches = [], []
    for side in (is_positive, ~is_positive):
        made = proportion_interval(float(called[side].sum()), float(side.sum()))
        shares.append(float(called[side].mean()))
        reaches.append((shares[-1] - made.low, made.high - shares[-1]))
    value = shares[0] - shares[1]
    low, high = (hypot(reaches[0][end], reaches[1][1 - end]) for end in (0, 1))
    return value - low, value + high


def _best(is_positive: Array, score: Array) -> float:
    """The threshold with the largest difference of both rates, halfway to the next score."""
    order = np.argsort(-score)
    falling, own = score[order], is_positive[order]
    gap = np.cumsum(own) / own.sum() - np.cumsum(~own) / (~own).sum()
    last = np.append(falling[1:] != falling[:-1], True)
    best = int(np.where(last, gap, -1.0).argmax())
    return float(falling[best : best + 2].mean())
