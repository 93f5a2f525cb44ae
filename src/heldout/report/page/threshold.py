"""A threshold to move: the counts of each model at many of them, and what they are worth."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.shown import visible
from heldout.decisions.operating_point import CellValues
from heldout.report.names import label_text, noun_of
from heldout.report.page.frame import template

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from heldout.assess.scorecard import Scorecard
    from heldout.predictions.table import Predictions
    from heldout.tally.scores import ScoreCounts

#: thresholds that a slider has at most: finer steps than these are below a pixel
MOST_CUTS = 512
#: the charts on which a threshold has a place
LINKED = (
    "scores",
    "roc",
    "pr",
    "hull",
    "cost",
    "calibration",
    "gain",
    "lift",
    "det",
    "decision",
    "thresholds",
)
#: where nobody says what cells are worth, every error costs 1
EVEN = (0.0, 1.0, 1.0, 0.0)
#: significant digits of a threshold, from few to all that a number has
DIGITS = (3, 4, 5, 6, 8, 10, 12, 17)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a page needs to move a threshold: counts of each model, and the names of the classes."""

    positive: str
    negative: str
    #: models with the counts of their scores, and where labels were predicted
    models: Mapping[str, tuple[ScoreCounts, float | None]]
    #: what a hit earns, a miss and a false alarm cost, and a right rejection earns
    worth: tuple[float, float, float, float] = EVEN
    #: whether the matrix has the positive class first, as the other matrices of the page
    is_positive_first: bool = True
    #: the model whose threshold is moved at first; empty: the first
    best: str = ""


def thresholds_of(card: Scorecard, *, best: str = "") -> Thresholds | None:
    """What a page needs of a scorecard; None where no ranking of two classes is."""
    ranked = [tallies for tallies in card.tallies if tallies.has_scores]
    if card.task != "binary" or card.positive is None or not ranked:
        return None
    (negative,) = (label for label in card.classes if label != card.positive)
    models = {
        label_text(t.predictions.model) if t.predictions.model else "model": (
            t.scores,
            _first_threshold(t.predictions),
        )
        for t in ranked
    }
    worth = EVEN
    for kind in ("cost", "profit"):
        if (cells := getattr(card, kind)) is not None:
            own = CellValues.of(cells, positive=card.classes.index(card.positive), kind=kind)
            worth = (own.tp, -own.fn, -own.fp, own.tn)
    names = label_text(card.positive), label_text(negative)
    is_first = card.classes[0] == card.positive
    return Thresholds(*names, models, worth, is_first, label_text(best) if best else "")


def _first_threshold(predictions: Predictions) -> float | None:
    """Where a threshold stands at first: where the labels have it, or at even odds."""
    if predictions.threshold is not None:
        return predictions.threshold
    return None if predictions.score_problem else 0.5


def threshold_tool(thresholds: Thresholds, charts: str) -> str:
    """The slider and the editors, and below them the charts that follow."""
    positive, negative = visible(thresholds.positive), visible(thresholds.negative)
    case, other = visible(noun_of(thresholds.positive)), visible(noun_of(thresholds.negative))
    texts = {
        "miss": f"Each missed {case} case costs",
        "alarm": f"Each false alarm ({other} called {case}) costs",
        "hit": f"Each {case} case found earns",
        "rejection": f"Each {other} case left alone earns",
    }
    values = dict(zip(("hit", "miss", "alarm", "rejection"), thresholds.worth, strict=True))
    step = 1 if thresholds.is_positive_first else -1
    classes = ((positive, ("tp", "fn")), (negative, ("fp", "tn")))
    text = template("threshold_tool.html").render(
        models=[(visible(model), model == thresholds.best) for model in thresholds.models],
        positive=case,
        classes=[(label, cells[::step]) for label, cells in classes[::step]],
        worths=texts.items(),
        values={name: f"{value + 0.0:.10g}" for name, value in values.items()},
    )
    # charts are HTML already, and large
    return str(text).replace("<!-- charts -->", charts)


def threshold_data(thresholds: Thresholds) -> str:
    """The counts at each step of the slider; JSON in which no tag can end."""
    models = [
        {"name": visible(name), **_cuts(*counts)} for name, counts in thresholds.models.items()
    ]
    return json.dumps(models, separators=(",", ":")).replace("<", "\\u003c")


def _cuts(counts: ScoreCounts, start: float | None) -> dict[str, Any]:
    """Thresholds from above every score downwards, with what lies at or above each."""
    scores = np.asarray(counts.score, float)
    tp = np.concatenate([[0.0], np.asarray(counts.tp, float)])
    fp = np.concatenate([[0.0], np.asarray(counts.fp, float)])
    positives, negatives = float(tp[-1]), float(fp[-1])
    # steps that are even along both rates: none is far from its neighbours on any curve
    along = tp / max(positives, 1e-300) + fp / max(negatives, 1e-300)
    kept = np.unique(np.searchsorted(along, np.linspace(0, along[-1], MOST_CUTS)))
    kept = np.unique(np.concatenate([[0], kept.clip(0, len(tp) - 1), [len(tp) - 1]]))
    # labels that were not made by a threshold: half of the range stands for them
    finite = scores[np.isfinite(scores)]
    middle = float(finite[[0, -1]].mean()) if len(finite) else 0.0
    begin = middle if start is None else start
    own = int(np.count_nonzero(scores >= begin))
    kept = np.unique(np.append(kept, own))
    at = int(np.searchsorted(kept, own))
    numbers = _short(scores, kept[1:] - 1).tolist()
    # JSON has no infinite numbers
    threshold = [None, *(t if isfinite(t) else "-\u221e"[t > 0 :] for t in numbers)]
    if start is not None:
        threshold[at] = start
    return {
        "threshold": threshold,
        "tp": _plain(tp[kept]),
        "fp": _plain(fp[kept]),
        "positives": positives,
        "negatives": negatives,
        "start": at,
    }


def _short(scores: NDArray[np.float64], places: NDArray[np.int64]) -> NDArray[np.float64]:
    """For each of some scores the shortest number that parts the same rows as it does.

    It is not above the score, and above the next lower one.

    Examples
    --------
    >>> _short(np.array([0.912345, 0.6178, 0.61777]), np.array([0, 1, 2]))
    array([0.912 , 0.6178, 0.617 ])
    """
    own = scores[places]
    lower = np.append(scores, -np.inf)[places + 1]
    short = own.copy()
    is_open = np.isfinite(own)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        power = np.floor(np.log10(np.abs(own)))
        for digits in DIGITS:
            shift = digits - 1 - power
            unit = 10.0 ** np.abs(shift)
            whole = np.floor(np.where(shift < 0, own / unit, own * unit))
            candidate = np.where(shift < 0, whole * unit, whole / unit)
            fits = is_open & (candidate <= own) & (candidate > lower)
            short[fits] = candidate[fits]
            is_open &= ~fits
    return short


def _plain(values: Any) -> list[float | int]:
    return [int(v) if v == int(v) else float(v) for v in np.asarray(values, float).tolist()]
