"""Gain and lift: what is found by working through the rows from the highest score down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.core.ratio import ratio
from heldout.curves.curve import Axis, CurveKind, prevalence_of
from heldout.curves.points import NO_POSITIVE, points
from heldout.tally.roc import area

if TYPE_CHECKING:
    from heldout.curves.curve import Curve
    from heldout.curves.points import Corners
    from heldout.tally.scores import ScoreCounts

FRACTION = Axis("fraction", "Fraction of rows, highest scores first")
GAIN = CurveKind(
    "gain", "Gain curve", FRACTION, Axis("gain", "Share of all positives among them (gain)")
)
LIFT = CurveKind(
    "lift",
    "Lift curve",
    FRACTION,
    Axis("lift", "Lift (positives found / expected at random)"),
    between="ratio",
)


def gain(counts: ScoreCounts, *, corners: Corners = False) -> Curve:
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
    if not counts.total_positives:
        return GAIN.empty(counts, NO_POSITIVE)
    at = points(counts, corners=corners)
    share = prevalence_of(counts)
    # a random positive lies below half of the positives and the share AUC of the negatives
    whole = share / 2 + (1 - share) * area(counts) if counts.has_both else 0.5
    x, y = (at.tp + at.fp) / counts.total, at.tp / counts.total_positives
    return GAIN.of(counts, x, y, at.threshold, area=whole, columns=at.columns)


def lift(counts: ScoreCounts, *, corners: Corners = False) -> Curve:
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
    if not counts.total_positives:
        return LIFT.empty(counts, NO_POSITIVE)
    at = points(counts, corners=corners)
    called = (at.tp + at.fp) / counts.total
    reached = at.tp / counts.total_positives
    value = ratio(reached, called)
    empty = called == 0  # no row, or only rows of weight 0
    value[empty] = value[int(np.argmin(empty))]
    parts = {"top": reached, "bottom": called}
    return LIFT.of(counts, called, value, at.threshold, columns=at.columns, **parts)
