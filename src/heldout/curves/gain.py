"""Gain and lift: what is found by working through the rows from the highest score down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.ratio import ratio
from heldout.curves.curve import Axis, Curve, empty_curve
from heldout.curves.points import NO_POSITIVE, points, prevalence_of
from heldout.tally.roc import area

if TYPE_CHECKING:
    from heldout.tally.scores import ScoreCounts

__all__ = ["gain", "lift"]

FRACTION = Axis("fraction", "Fraction of rows, highest scores first")
GAIN = Axis("gain", "Share of all positives among them (gain)")
LIFT = Axis("lift", "Lift (positives found / expected at random)")


def gain(counts: ScoreCounts, *, corners: bool = False) -> Curve:
    """The share of all positives found in the fraction of rows with the highest scores.

    From (0, 0) to (1, 1), a point a distinct score; a tie is worked through in any order, so
    between points the line is straight. ``at(fraction)`` is the measure ``gain_at``.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> gain(ScoreCounts.of(truth, score)).at(0.5)
    0.5
    """
    same: dict[str, Any] = {"rows": counts.rows, "prevalence": prevalence_of(counts)}
    if not counts.total_positives:
        return empty_curve("gain", "Gain curve", FRACTION, GAIN, NO_POSITIVE, **same)
    at = points(counts, only_corners=corners)
    share = same["prevalence"]
    # a random positive lies below half of the positives and the share AUC of the negatives
    whole = share / 2 + (1 - share) * area(counts) if counts.has_both else 0.5
    return Curve(
        "gain",
        "Gain curve",
        (at.tp + at.fp) / counts.total,
        at.tp / counts.total_positives,
        at.threshold,
        FRACTION,
        GAIN,
        area=whole,
        columns={"tp": at.tp, "fp": at.fp},
        **same,
    )


def lift(counts: ScoreCounts, *, corners: bool = False) -> Curve:
    """How many times as many positives the top fraction holds as a random one of its size.

    Starts at the highest score, as of no rows there is no lift, and ends in 1. Between points
    it is the ratio of two straight lines; left of the first it keeps that one's value.
    ``at(fraction)`` is the measure ``lift_at``.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.6, 0.5, 0.1])
    >>> lift(ScoreCounts.of(truth, score)).y
    array([2. , 2. , 1. , 1.3333, 1. ])
    """
    same: dict[str, Any] = {
        "between": "ratio",
        "rows": counts.rows,
        "prevalence": prevalence_of(counts),
    }
    if not counts.total_positives:
        return empty_curve("lift", "Lift curve", FRACTION, LIFT, NO_POSITIVE, **same)
    at = points(counts, only_corners=corners)
    called = (at.tp + at.fp) / counts.total
    found = at.tp / counts.total_positives
    value = ratio(found, called)
    empty = called == 0  # no row, or only rows of weight 0
    value[empty] = value[int(np.argmin(empty))]
    return Curve(
        "lift",
        "Lift curve",
        called,
        value,
        at.threshold,
        FRACTION,
        LIFT,
        top=found,
        bottom=called,
        columns={"tp": at.tp, "fp": at.fp},
        **same,
    )
