"""The decision curve: net benefit of a model against the threshold, beside treating all or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.curves.curve import Axis, Band, CurveKind, absent_band, prevalence_of
from heldout.curves.points import NO_ROWS, NOT_PROBABILITIES
from heldout.measures.profit import odds_of
from heldout.uncertainty.influence import Influence
from heldout.uncertainty.interval import checked_level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from heldout.core.arrays import Floats
    from heldout.curves.curve import Curve
    from heldout.curves.sources import RankedRows
    from heldout.tally.scores import ScoreCounts

THRESHOLD = Axis("threshold", "Threshold probability (treat at or above it)")
DECISION = CurveKind("decision", "Decision curve", THRESHOLD, Axis("net_benefit", "Net benefit"))
DIFFERENCE = CurveKind(
    "decision_difference",
    "Difference of two decision curves",
    THRESHOLD,
    Axis("difference", "Difference of the net benefits"),
)
#: probabilities from which on treating may be worth its harm
THRESHOLDS = np.arange(100) / 100


def decision(counts: ScoreCounts, *, level: float = 0.95, rows: RankedRows | None = None) -> Curve:
    """Net benefit at thresholds from 0 to 0.99, with that of treating all rows (none has 0).

    A threshold is the probability from which on treating is worth its harm, so it says how
    many false positives one true positive is worth: what is right differs from user to user,
    and a model is of use where its curve is above both others. Each point has the measure
    ``net_benefit[threshold=...]``.

    Parameters
    ----------
    level
        Of the interval at each threshold: Student's t of what rows (whole groups) add.
    rows
        The rows themselves, where they carry weights, come in groups or are judged in several
        repeats.

    Notes
    -----
    Vickers and Elkin (2006), Med. Decis. Making 26:565.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.3, 0.1, 0.1])
    >>> curve = decision(ScoreCounts.of(truth, score))
    >>> curve.at(0.2), float(curve.columns["treat_all"][20])  # 1/4 - 1/4 * 0.25, 2/4 - 2/4 * 0.25
    (0.1875, 0.375)
    """
    level = checked_level(level)
    if not counts.total or not counts.is_probability:
        return DECISION.empty(counts, NOT_PROBABILITIES if counts.total else NO_ROWS)
    odds = odds_of(THRESHOLDS)
    called = np.searchsorted(-counts.score, -THRESHOLDS, side="right")
    tp, fp = (np.append(0, side)[called] for side in (counts.tp, counts.fp))
    value = (tp - odds * fp) / counts.total
    share = prevalence_of(counts)
    columns = {"treat_all": share - odds * (1 - share), "treat_none": np.zeros(len(odds))}
    if rows is None:
        cells = zip(odds, tp, fp, counts.total - tp - fp, strict=True)
        each: Iterable[Influence] = (
            Influence.of_ratio(np.array([1.0, -cost, 0.0]), np.ones(3), np.array(often))
            for cost, *often in cells
        )
    else:
        each = _influences(rows)
    band = _band(value, each, level, reason="" if rows is None else rows.units.reason)
    columns |= {"tp": tp, "fp": fp}
    return DECISION.of(counts, THRESHOLDS, value, THRESHOLDS, columns=columns, band=band)


def decision_difference(first: RankedRows, second: RankedRows, *, level: float = 0.95) -> Curve:
    """The net benefit of one model less that of another on the same rows, at every threshold.

    Where it is above 0 the first model is of more use to those whose threshold that is. Models
    are compared at a threshold that was chosen beforehand, or over a range of sensible ones: a
    band that clears 0 at some threshold, of many looked at, is little evidence.

    Parameters
    ----------
    first, second
        Each model's probabilities of the same rows, in the same order.
    level
        Of the interval at each threshold by itself: Student's t of the paired differences of
        what each row (a whole group, a row with all its repeats) adds to the two net benefits.

    Notes
    -----
    Vickers and Elkin (2006), Med. Decis. Making 26:565. A net benefit at a given threshold is a
    mean of a number that each row has, so the paired t interval is that of the difference of two
    means; Vickers et al. (2008), BMC Med. Inform. Decis. Mak. 8:53 draw the same rows by
    bootstrap instead.

    Examples
    --------
    >>> from heldout.curves.sources import RankedRows
    >>> truth = np.array([True, True, False, False])
    >>> some = RankedRows(truth, np.array([0.9, 0.6, 0.4, 0.1]))
    >>> other = RankedRows(truth, np.array([0.9, 0.4, 0.6, 0.1]))
    >>> curve = decision_difference(some, other)
    >>> curve.at(0.5), curve.at(0.2)  # 2/4 - (1/4 - 1/4); both treat the first three
    (0.5, 0.0)
    """
    each = [here - there for here, there in zip(*map(_influences, (first, second)), strict=True)]
    value = np.array([influence.value for influence in each])
    band = _band(value, each, checked_level(level), paired=True, reason=first.units.reason)
    return DIFFERENCE.of(first.counts, THRESHOLDS, value, THRESHOLDS, band=band)


def _influences(rows: RankedRows) -> Iterator[Influence]:
    """What rows, or whole groups of them, add to the net benefit at each threshold."""
    for threshold in THRESHOLDS:
        worth = np.where(rows.positive, 1.0, -odds_of(threshold))
        benefit = Influence.of_mean(np.where(rows.score >= threshold, worth, 0.0), rows.weight)
        yield benefit if rows.units.codes is None else benefit.by(rows.units.codes)


def _band(
    values: Floats,
    influences: Iterable[Influence],
    level: float,
    *,
    paired: bool = False,
    reason: str = "",
) -> Band:
    """Student's limits at each threshold by itself; none where all rows add the same."""
    if reason:
        return absent_band(reason, level=level, kind="pointwise")
    reach = np.array([influence.spread().reach(level) for influence in influences])
    reach[reach == 0] = np.nan
    method = f"Student's t of {'paired differences of ' if paired else ''}what rows add"
    return Band(THRESHOLDS, values - reach, values + reach, level, "pointwise", method)
