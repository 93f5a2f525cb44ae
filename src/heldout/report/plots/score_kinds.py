"""Charts over the scores: measures against the threshold, rows of each class, calibration."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.wording import values_by_key
from heldout.curves.calibration import score_bars
from heldout.curves.curve import CONSISTENCY
from heldout.curves.points import rows_between
from heldout.measures.spec import parse_request
from heldout.report.names import label_text
from heldout.report.numbers import count_text, number_text
from heldout.report.plots.chart import GREY, SHARES, Axis, Bars, Line, Panel, Rule
from heldout.report.plots.curve_panel import DIAGONAL, LONGER
from heldout.report.plots.looks import COLOURS, shorten

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.curves.curve import Curve
    from heldout.report.plots.curve_panel import CurvePanel, Series

#: bars of a histogram of scores
BARS = 20
#: negatives and positives, in no colour of the first models
OF_CLASSES = (GREY, COLOURS[7])
#: what matplotlib and we leave free above bars
ABOVE_BARS = 1.05 * 1.08


def draw_thresholds(curves: CurvePanel) -> None:
    """Each series over the thresholds, held from each up to the next."""
    drawn = curves.drawn
    scores = [series.curve.threshold[1:] for series in drawn]
    finite = [x[np.isfinite(x)] for x in scores]
    low = min((float(x.min()) for x in finite if len(x)), default=0.0)
    high = max((float(x.max()) for x in finite if len(x)), default=1.0)
    axis = SHARES
    if low < 0 or high > 1:
        room = 0.03 * (high - low or abs(high) or 1.0)
        axis = Axis(low=low - room, high=high + room)
    curves.panel.x, curves.panel.y = axis, _heights(drawn)
    for series in drawn:
        curves.line(series, *_steps(series.curve, axis), marker="")
    models = {series.model for series in curves.series}
    own = (p.threshold for p in curves.card.predictions if p.model in models)
    for number, threshold in enumerate(sorted({float(t) for t in own if t is not None})):
        text = "threshold of the predicted labels" if not number else ""
        ends = (curves.panel.y.low, curves.panel.y.high)
        curves.reference((threshold, threshold), ends, text, dash=LONGER, width=0.8)
    if not all(np.isfinite(x).all() for x in scores):
        curves.panel.explain(None, "infinite scores lie beyond the axis")


def draw_scores(curves: CurvePanel) -> None:
    """How the scores of either class are spread, and the threshold between them.

    In per cent of each class, so that a rare one is seen beside the other.
    """
    if not curves.drawn:
        return
    (series,) = curves.drawn
    counts = series.counts
    finite = counts.score[np.isfinite(counts.score)]
    is_share = bool(len(finite)) and finite.min() >= 0 and finite.max() <= 1
    span = DIAGONAL if is_share or not len(finite) else (float(finite.min()), float(finite.max()))
    edges = np.linspace(*span, BARS + 1)
    p = curves.card.predictions[0]
    positive = p.positive or 0
    names = p.classes[1 - positive], p.classes[positive]
    names = ("other classes", series.class_) if series.class_ else names
    totals = (counts.total_negatives, counts.total_positives)
    highest = 0.0
    of_classes = zip(names, rows_between(counts, edges), totals, OF_CLASSES, strict=True)
    for name, rows, total, colour in of_classes:
        text = f"{shorten(label_text(name), 30)}, n = {count_text(total)}"
        shares = 100 * rows / max(float(total), 1e-300)
        curves.panel.add(Bars(edges, shares, colour, alpha=0.5, edge="white"), text)
        highest = max(highest, float(shares.max()))
    axis = SHARES if is_share else Axis(low=span[0], high=span[1])
    curves.panel.x = replace(axis, label="Score")
    curves.panel.y = Axis("% of the class", 0, ABOVE_BARS * highest, most=6)
    model = next(p for p in curves.card.predictions if p.model == series.model)
    if model.threshold is not None and not series.class_:
        text = f"threshold of the predicted labels, {number_text(model.threshold, digits=3)}"
        curves.panel.add(Rule(float(model.threshold), width=1.3, dash=LONGER), text)


def _heights(drawn: tuple[Series, ...]) -> Axis:
    """The vertical axis: the measures' bounds where both are finite, else what is reached.

    Of bounds below 0 only where some value is: no half of a chart stays empty.
    """
    bounds = [parse_request(s.curve.y_axis.name).measure.bounds for s in drawn]
    reached = [series.curve.y[np.isfinite(series.curve.y)] for series in drawn]
    values = np.concatenate([*reached, np.zeros(1)])
    if bounds and all(isfinite(low) and isfinite(high) for low, high in bounds):
        low, high = min(b[0] for b in bounds), max(b[1] for b in bounds)
        return Axis(low=low if values.min() < 0 else max(low, 0.0), high=high)
    room = 0.04 * (float(values.max() - values.min()) or 1.0)
    return Axis(low=float(values.min()) - room, high=float(values.max()) + room)


def _steps(curve: Curve, axis: Axis) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The curve in rising threshold, with both ends of each step, out to the ends of the axis."""
    # what holds only down to an infinite score has no place on the axis
    last = len(curve) - int(np.isneginf(curve.threshold[-1]))
    edges = np.clip(np.append(-np.inf, curve.threshold[:last][::-1]), axis.low, axis.high)
    x = np.repeat(edges, 2)[1:-1]
    y = np.repeat(curve.y[:last][::-1], 2)
    return x, np.where(np.isfinite(y), y, np.nan)


def draw_calibration(curves: CurvePanel) -> None:
    """The observed share of positives against the probability, beside the line of perfection.

    By isotonic regression, with the band in which the curve of a calibrated model lies; or in
    bins, each with its interval.
    """
    curves.share_axes()
    curves.reference(DIAGONAL, DIAGONAL, "")
    perfect = curves.panel.marks[-1]
    bands = [series.curve.band for series in curves.drawn]
    is_isotonic = any(band is not None and band.kind == CONSISTENCY for band in bands)
    if is_isotonic:
        for series in curves.drawn:
            curves.shade(series)
            curves.line(series, series.curve.x, series.curve.y, size=3)
    else:
        _draw_bins(curves)
    curves.panel.explain(perfect, "perfect calibration")
    if is_isotonic:
        curves.describe_bands()
    else:
        _explain_intervals(curves)
    if not curves.is_short:
        _draw_histogram(curves)


def _draw_bins(curves: CurvePanel) -> None:
    """The observed share in each bin with its interval."""
    drawn = curves.drawn
    for number, series in enumerate(drawn):
        own, band = series.curve, series.curve.band
        # intervals of several models at one place would hide each other
        across = own.x + 0.004 * (number - (len(drawn) - 1) / 2)
        if band is not None and not band.is_absent:
            reach = np.maximum(np.array([own.y - band.low, band.high - own.y]), 0)
            style: dict[str, Any] = {"reach": reach, "alpha": 0.75, "is_clipped": False}
            curves.panel.add(Line(across, own.y, series.look.colour, "none", **style))
        curves.line(series, across, own.y, marker=series.look.marker, size=4.5)


def _explain_intervals(curves: CurvePanel) -> None:
    """What the intervals are, what to know about them, or why there are none."""
    bar = Line([], [], dash="none", marker="|", size=9)
    bands = [(series, band) for series in curves.drawn if (band := series.curve.band) is not None]
    for series, band in bands:
        if not band.is_absent:
            text = f"{band.level * 100:g}% interval"
            more = f" ({band.method}), {series.curve.binning}"
            curves.explain_once(bar, text if curves.is_short else text + more)
    notes = values_by_key(
        ((band.is_absent, band.note), curves.name_of(s)) for s, band in bands if band.note
    )
    for (is_absent, note), names in notes.items():
        if is_absent or not curves.is_short:
            whose = f"{', '.join(filter(None, names))}: " if len(curves.drawn) > 1 else ""
            what = "no intervals" if is_absent else "intervals"
            curves.panel.explain(None, f"{whose}{what}: {note}")


def _draw_histogram(curves: CurvePanel) -> None:
    """How many rows have each predicted probability: positives and others, or a line per series."""
    drawn = curves.drawn
    edges = np.linspace(0, 1, BARS + 1)
    below = curves.panel.below = Panel()
    curves.panel.x = replace(curves.panel.x, has_labels=False)
    counted = [score_bars(series.counts, BARS) for series in drawn]
    if len(drawn) == 1:
        hits, rest = counted[0]
        few = below.add(Bars(edges, rest, "#BFBFBF", edge="white"))
        many = below.add(Bars(edges, hits, drawn[0].look.colour, base=rest, edge="white"))
        curves.panel.explain(many, "positives")
        curves.panel.explain(few, "negatives")
    else:
        for series, (hits, rest) in zip(drawn, counted, strict=True):
            outline = np.concatenate([[0], np.repeat(hits + rest, 2), [0]])
            look = series.look
            below.add(Line(np.repeat(edges, 2), outline, look.colour, look.dash, order=1))
    highest = max((float((hits + rest).max()) for hits, rest in counted), default=0.0)
    is_weighted = any(series.counts.positives.dtype.kind == "f" for series in drawn)
    below.x = Axis(low=0, high=1)
    below.y = Axis(
        "Weight" if is_weighted else "Rows",
        0,
        ABOVE_BARS * highest,
        most=3,
        is_whole=not is_weighted,
        format="{:,g}".format if is_weighted else "{:,.0f}".format,
    )
