"""What each chart of curves shows: ROC, precision-recall, hull, cost, gain, lift, folds ..."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.ratio import ratio
from heldout.curves.calibration import score_bars
from heldout.curves.curve import CONSISTENCY
from heldout.curves.folds import pooled
from heldout.curves.hull import cost_line, hull_curve, hull_of_models, probability_cost, stretches
from heldout.curves.named import FOLDS
from heldout.curves.points import rows_between
from heldout.curves.ranking import interpolated, roc
from heldout.curves.sources import folds_of, tallies_of
from heldout.decisions.operating_point import CellValues, operating_point
from heldout.measures.spec import of_class, parse_request
from heldout.report.names import label_text
from heldout.report.numbers import count_text, number_text
from heldout.report.plots.chart import INK, LIGHT, SHARES, Axis, Bars, Line, Panel, Rule, Words
from heldout.report.plots.curve_panel import MOST_BANDS
from heldout.report.plots.det import draw_det
from heldout.report.plots.looks import OKABE_ITO, shortened
from heldout.report.plots.thin import thinned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from heldout.curves.curve import Curve
    from heldout.report.plots.curve_panel import CurvePanel, Series
    from heldout.tally.confusion import Binary
    from heldout.tally.scores import ScoreCounts

    #: where the labels that were predicted lie in a chart
    Point = Callable[[Binary], tuple[float, float]]

SQUARE = (4.3, 4.3)
WIDE = (5.2, 3.5)
DIAGONAL = (0.0, 1.0)
#: hulls and perfect rankings; a threshold or a share of positives; the pooled curve of folds
LONG, LONGER, DASHED = (0, (8, 2)), (0, (8, 3)), (0, (5, 1.6))
#: labels of corners nearer to each other than this would overlap
APART = 0.04
#: further right a label stands left of its corner, or it would leave the picture
RIGHTMOST = 0.88
MOST_STRETCHES = 8
#: with more corners than this a hull is a smooth line
MOST_CORNERS = 60
#: bars of a histogram of scores
BARS = 20
#: negatives and positives
OF_CLASSES = ("#8A8A8A", OKABE_ITO[0])
#: what matplotlib and we leave free above bars
ABOVE_BARS = 1.05 * 1.08
AREAS = "areas without intervals: they take the best thresholds of these rows, so are optimistic"


def draw_roc(curves: CurvePanel) -> None:
    """Sensitivity against false positive rate."""
    curves.share_axes()
    drawn = curves.drawn
    _draw_lines(curves, lambda p: (ratio(p.fp, p.negatives), ratio(p.tp, p.positives)))
    if drawn and not drawn[0].class_:
        hull, text = _hull(drawn)
        curves.reference(hull.x, hull.y, text, dash=LONG, width=0.9)
    curves.reference(DIAGONAL, DIAGONAL, "chance")
    _draw_equal_profit(curves)
    curves.describe_bands()
    curves.explain_marks()


def _hull(drawn: tuple[Series, ...]) -> tuple[Curve, str]:
    """The hull over all models, or of the only one, and what it is called."""
    counts = {series.model: series.counts for series in drawn}
    if len(counts) > 1:
        return hull_of_models(counts), "convex hull over the models"
    return hull_curve(drawn[0].counts), "convex hull"


def draw_precision_recall(curves: CurvePanel) -> None:
    """Precision against recall; chance is the share of positives."""
    curves.share_axes()
    _draw_lines(
        curves,
        lambda p: (ratio(p.tp, p.positives), ratio(p.tp, p.predicted_positives)),
        is_bent=True,
    )
    shares = _prevalences(curves)
    for i, share in enumerate(sorted(shares)):
        text = f"chance (share of positives, {number_text(share, digits=3)})"
        text = text if len(shares) == 1 else ("chance (shares)" if not i else "")
        curves.reference(DIAGONAL, (share, share), text)
    curves.describe_bands()
    curves.explain_marks()


def _draw_lines(curves: CurvePanel, point: Point, *, is_bent: bool = False) -> None:
    """Each curve over its band, and where its predicted labels lie.

    One that is bent between its points shows these where they are few.
    """
    for series in curves.drawn:
        own = series.curve
        curves.shade(series)
        if is_bent:
            bent = interpolated(own)
            curves.line(series, bent.x, bent.y, marker="")
            curves.points(series, own.x, own.y)
        else:
            curves.line(series, own.x, own.y)
        if series.predicted is not None:
            curves.mark(series, *point(series.predicted))


def _prevalences(curves: CurvePanel) -> set[float]:
    """The shares of positives of all curves."""
    return {round(series.curve.prevalence, 12) for series in curves.drawn}


def draw_gain(curves: CurvePanel) -> None:
    """The share of positives found in the top fraction, between chance and perfection."""
    curves.share_axes(is_square=False)
    _draw_lines(curves, lambda p: (ratio(p.predicted_positives, p.total), ratio(p.tp, p.positives)))
    shares = _prevalences(curves)
    if len(shares) == 1:
        best = (0.0, shares.pop(), 1.0)
        curves.reference(best, (0.0, 1.0, 1.0), "perfect ranking", dash=LONG)
    curves.reference(DIAGONAL, DIAGONAL, "random choice")
    curves.explain_marks()


def draw_decision(curves: CurvePanel) -> None:
    """Net benefit against the threshold, beside treating all rows and treating none."""
    drawn = curves.drawn
    highest = max((float(series.curve.y.max()) for series in drawn), default=0.0)
    room = 0.1 * (highest or 1.0)
    curves.panel.x, curves.panel.y = SHARES, Axis(low=-2 * room, high=highest + room)
    for series in drawn:
        curves.shade(series)
        curves.line(series, series.curve.x, series.curve.y, marker="")
    by_share = {round(series.curve.prevalence, 12): series.curve for series in drawn}
    for _, curve in sorted(by_share.items()):
        treat_all = np.maximum(curve.columns["treat_all"], -2 * room)
        text = "treat all" if len(by_share) == 1 else ""
        curves.reference(curve.x, treat_all, text, dash=LONG)
    curves.reference(DIAGONAL, (0.0, 0.0), "treat none")
    curves.describe_bands()


def draw_lift(curves: CurvePanel) -> None:
    """How many times as many positives the top fraction holds as a random choice."""
    highest = max((float(np.nanmax(series.curve.y)) for series in curves.drawn), default=1.0)
    curves.panel.x, curves.panel.y = SHARES, Axis(low=0, high=1.06 * max(highest, 1.0))
    _draw_lines(curves, _lift_point, is_bent=True)
    curves.reference(DIAGONAL, (1, 1), "random choice")
    curves.explain_marks()


def _lift_point(p: Binary) -> tuple[float, float]:
    called = ratio(p.predicted_positives, p.total)
    return called, ratio(ratio(p.tp, p.positives), called)


def draw_hull(curves: CurvePanel) -> None:
    """The curves, thin, and over them their hull with a threshold at each corner."""
    curves.share_axes()
    drawn = curves.drawn
    for series in drawn:
        curves.line(series, series.curve.x, series.curve.y, width=1.0, alpha=0.75, marker="")
    if drawn and not drawn[0].class_:
        hull, text = _hull(drawn)
        owners = {series.model: series for series in drawn}
        several = len(owners) > 1
        names = hull.columns["model"].tolist() if several else [drawn[0].model] * len(hull)
        text += f": area {number_text(hull.area, digits=3)}"
        text += "; corners with their thresholds" if len(hull) <= MOST_CORNERS else ""
        curves.reference(hull.x, hull.y, text, colour="#222222", dash="-", width=1.5, order=3)
        _draw_corners(curves.panel, hull, [owners.get(name) for name in names])
        if several:
            curves.panel.explain(None, _stretches(hull))
    else:
        for series in drawn:
            hull = hull_curve(series.counts)
            curves.panel.add(Line(hull.x, hull.y, series.look.colour, width=1.6, order=3))
        if drawn:
            sample = Line([], [], "#222222", width=1.6)
            curves.panel.explain(sample, "convex hull of each, in its colour")
    curves.reference(DIAGONAL, DIAGONAL, "chance")
    _draw_equal_profit(curves)


def _draw_equal_profit(curves: CurvePanel) -> None:
    """The line of equal profit (or cost) that touches the hull, and where it does.

    A second one, lighter, goes through the better of calling no row and every row positive: the
    room between them is what the ranking is worth (Provost and Fawcett 2001).
    """
    for kind, values in _given_values(curves):
        counts = {series.model: series.counts for series in curves.drawn}
        if not all(own.has_both for own in counts.values()):
            continue
        cells, positive = getattr(curves.card, kind), curves.card.predictions[0].positive
        best = operating_point(counts, cells, kind=kind, positive=positive or 0)
        style: dict[str, Any] = {"colour": INK, "dash": (0, (4, 1.5, 1, 1.5)), "width": 1.1}
        ends = values.per_row(np.arange(2.0), np.arange(2.0), best.prevalence)
        trivial = float(ends.argmax())
        for x, y, colour in ((best.fpr, best.tpr, INK), (trivial, trivial, LIGHT)):
            curves.reference(*_line_through(x, y, best.slope), "", **{**style, "colour": colour})
        star: dict[str, Any] = {"marker": "*", "size": 11, "edge": "white", "is_clipped": False}
        curves.panel.add(Line([best.fpr], [best.tpr], INK, "none", order=6, **star))
        amount = number_text(best.per_row, digits=3)
        threshold = number_text(best.threshold, digits=3)
        text = f"equal {kind}; touches the hull at threshold {threshold}: {kind} {amount} per row"
        curves.panel.explain(Line([], [], INK, style["dash"], 1.1, **star), text)
        sample = Line([], [], LIGHT, style["dash"], 1.1)
        curves.panel.explain(sample, f"equal {kind}: {'every' if trivial else 'no'} row positive")


def _line_through(x: float, y: float, slope: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """The ends of a line through a point, within the square of shares."""
    square = np.array(DIAGONAL)
    if slope == 0 or not isfinite(slope):
        return (square, np.full(2, y)) if slope == 0 else (np.full(2, x), square)
    across = np.sort(np.clip([x - y / slope, x + (1 - y) / slope], 0, 1))
    return across, y + slope * (across - x)


def _given_values(curves: CurvePanel) -> Iterator[tuple[str, CellValues]]:
    """The reader's own costs or profits of two classes, where wrong answers do not pay."""
    for kind in ("cost", "profit"):
        cells, positive = getattr(curves.card, kind), curves.card.predictions[0].positive
        if cells is None or positive is None or not curves.drawn or curves.series[0].class_:
            continue
        values = CellValues.of(cells, positive=positive, kind=kind)
        if values.of_positive >= 0 and values.of_negative >= 0:
            yield kind, values


def _stretches(hull: Curve) -> str:
    """Which model holds which stretch, in words."""
    parts = []
    for part in stretches(hull):
        names = " with ".join(shortened(name, 20) for name in part.models) or "chance"
        ends = [number_text(round(x, 3), digits=2) for x in (part.start, part.stop)]
        where = f"at {ends[0]}" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
        parts.append(f"{where} {names}")
    more = f"; and {len(parts) - MOST_STRETCHES} more" if len(parts) > MOST_STRETCHES else ""
    return f"hull held, by false positive rate: {'; '.join(parts[:MOST_STRETCHES])}{more}"


def _draw_corners(panel: Panel, hull: Curve, owners: list[Series | None]) -> None:
    """A dot for each corner in its model's colour, and thresholds where there is room."""
    if len(hull) > MOST_CORNERS:
        return
    labelled: list[tuple[float, float]] = []
    for x, y, threshold, owner in zip(hull.x, hull.y, hull.threshold, owners, strict=True):
        if owner is None or not np.isfinite(threshold):
            continue
        style: dict[str, Any] = {"marker": owner.look.marker, "size": 4.5, "order": 5}
        panel.add(Line([x], [y], owner.look.colour, "none", is_clipped=False, **style))
        if x >= 0.999 or any(abs(x - a) < 0.16 and abs(y - b) < APART for a, b in labelled):
            continue
        labelled.append((float(x), float(y)))
        is_left = x > RIGHTMOST
        where: dict[str, Any] = {"across": "right" if is_left else "left"}
        where["offset"] = (-6 if is_left else 6, -9)
        text = number_text(float(threshold), digits=3)
        panel.add(Words(x, y, text, size=7.5, colour="#222222", **where))


def draw_cost(curves: CurvePanel) -> None:
    """Normalised expected cost against probability cost, between nothing and the trivial."""
    drawn = curves.drawn
    lines = {series: cost_line(s) for series in drawn if (s := series.predicted) is not None}
    ends = [float(line.y.max()) for line in lines.values() if not line.is_empty]
    curves.panel.x, curves.panel.y = SHARES, Axis(low=0, high=min(1.0, 1.08 * max([0.5, *ends])))
    for series in drawn:
        text = f"{curves.text_of(series)}, area {number_text(series.curve.area, digits=3)}"
        curves.line(series, series.curve.x, series.curve.y, text=text)
        if series in lines and not lines[series].is_empty:
            x, y = lines[series].x, lines[series].y
            curves.line(series, x, y, text="", width=0.8, marker="", alpha=0.8)
    if drawn:
        curves.panel.explain(None, AREAS)
    if lines:
        curves.panel.explain(
            Line([], [], width=0.8), "thin: operating point of the predicted labels"
        )
    trivial = (0.0, 0.5, 1.0), (0.0, 0.5, 0.0)
    curves.reference(*trivial, "no row, or every row, called positive")
    shares = _prevalences(curves)
    if len(shares) == 1:
        here = shares.pop()
        text = "errors of equal cost, at the share of positives of these rows"
        curves.reference((here, here), DIAGONAL, text, dash=LONGER, width=0.8)
        _draw_given_costs(curves, here)


def _draw_given_costs(curves: CurvePanel, share: float) -> None:
    """Where the reader's own costs (or profits) put these rows, on every curve."""
    for kind, values in _given_values(curves):
        at = probability_cost(share, values.of_positive, values.of_negative)
        style: dict[str, Any] = {"dash": (0, (4, 1.5, 1, 1.5)), "width": 0.9}
        curves.reference((at, at), DIAGONAL, "", colour=INK, **style)
        for series in curves.drawn:
            height = float(np.interp(at, series.curve.x, series.curve.y))
            star: dict[str, Any] = {"marker": "*", "size": 9, "edge": "white", "order": 5}
            curves.panel.add(Line([at], [height], series.look.colour, **star))
        text = f"with the {kind}s given, at that share: {number_text(at, digits=3)}"
        curves.panel.explain(Line([], [], marker="*", size=9, **style), text)


def draw_folds(curves: CurvePanel) -> None:
    """The average of each series with its band and the pooled curve; of a single one its folds."""
    curves.share_axes()
    drawn = curves.drawn
    for series in drawn:
        curves.shade(series)
        text = f"{_mean_text(curves, series)}; {series.curve.note}"
        curves.line(series, series.curve.x, series.curve.y, text=text, marker="")
    for series in drawn if len(drawn) <= MOST_BANDS else ():
        folds = folds_of(tallies_of(curves.card, series.model), series.class_ or None)
        is_only = len(drawn) == 1
        if is_only:
            _draw_single_folds(curves, folds)
        together = pooled(folds)
        colour = "#111111" if is_only else series.look.colour
        own = replace(series, curve=together, name="" if is_only else series.name)
        text = f"folds pooled: {curves.text_of(own)}"
        curve = thinned(together.x, together.y)
        curves.reference(*curve, text, colour=colour, dash=DASHED, width=1.2)
    curves.reference(DIAGONAL, DIAGONAL, "chance")
    curves.describe_bands()


def _draw_single_folds(curves: CurvePanel, folds: Mapping[str, ScoreCounts]) -> None:
    """The curve of each fold, lightly."""
    singles = [c for counts in folds.values() if not (c := roc(counts)).is_empty]
    for number, own in enumerate(singles):
        text = f"single folds ({len(singles)})" if not number else ""
        style: dict[str, Any] = {"colour": LIGHT, "dash": "-", "width": 0.7, "order": 1}
        curves.reference(*thinned(own.x, own.y), text, **style)


def _mean_text(curves: CurvePanel, series: Series) -> str:
    """A series in the legend, with the interval of the mean of the folds where there is one."""
    limits = None
    if curves.card.intervals is not None:
        asked = of_class("auc", series.class_) if series.class_ else "auc"
        means = [r for r in curves.card_of(series.model).results((asked,)) if r.fold == "mean"]
        limits = next((mean.interval for mean in means if mean.interval is not None), None)
    own = replace(curves, measure=("", ""))
    rows = own.text_of(replace(series, name=""))
    name = f"{curves.name_of(series)}: " if series.name else ""
    return f"{name}{curves.value_text(series.curve.area, limits, 'mean ')}, {rows}"


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
    """How many rows of either class have each score, and the threshold between them."""
    if not curves.drawn:
        return
    (series,) = curves.drawn
    counts = series.counts
    finite = counts.score[np.isfinite(counts.score)]
    is_share = bool(len(finite)) and finite.min() >= 0 and finite.max() <= 1
    span = DIAGONAL if is_share or not len(finite) else (float(finite.min()), float(finite.max()))
    edges = np.linspace(*span, BARS + 1)
    heights = rows_between(counts, edges)
    names = ("other classes", series.class_) if series.class_ else _two_classes(curves)
    totals = (counts.total_negatives, counts.total_positives)
    for name, own, total, colour in zip(names, heights, totals, OF_CLASSES, strict=True):
        text = f"{shortened(label_text(name), 30)}, n = {count_text(total)}"
        curves.panel.add(Bars(edges, own, colour, alpha=0.55, edge="white"), text)
    highest = max(float(own.max()) for own in heights)
    axis = SHARES if is_share else Axis(low=span[0], high=span[1])
    curves.panel.x = replace(axis, label="Score")
    is_weighted = counts.positives.dtype.kind == "f"
    curves.panel.y = Axis("Weight" if is_weighted else "Rows", 0, ABOVE_BARS * highest, most=6)
    model = next(p for p in curves.card.predictions if p.model == series.model)
    if model.threshold is not None and not series.class_:
        text = f"threshold of the predicted labels, {number_text(model.threshold, digits=3)}"
        curves.panel.add(Rule(float(model.threshold), width=1.3, dash=LONGER), text)


def _two_classes(curves: CurvePanel) -> tuple[Any, Any]:
    """The negative and the positive class."""
    p = curves.card.predictions[0]
    positive = p.positive or 0
    return p.classes[1 - positive], p.classes[positive]


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
    notes: dict[tuple[bool, str], list[str]] = {}
    for series in curves.drawn:
        band = series.curve.band
        if band is None:
            continue
        if band.note:
            notes.setdefault((band.is_absent, band.note), []).append(curves.name_of(series))
        if not band.is_absent:
            text = f"{band.level * 100:g}% interval"
            more = f" ({band.method}), {series.curve.binning}"
            curves.explain_once(bar, text if curves.is_short else text + more)
    for (is_absent, note), names in notes.items():
        if is_absent or not curves.is_short:
            whose = f"{', '.join(filter(None, names))}: " if len(curves.drawn) > 1 else ""
            what = "no intervals" if is_absent else "intervals"
            curves.panel.explain(None, f"{whose}{what}: {note}")


def _draw_histogram(curves: CurvePanel) -> None:
    """How many rows have each predicted probability: positives and others, or a line a series."""
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


@dataclass(frozen=True, slots=True)
class Kind:
    """What a chart of curves shows, and which measure its legend gives."""

    title: str
    draw: Callable[[CurvePanel], None]
    measure: tuple[str, str] = ("", "")
    #: of the axes, in inches, and the height of those below them
    size: tuple[float, float] = SQUARE
    lower: float = 0.0


KINDS = {
    "roc": Kind("ROC curve", draw_roc, ("AUC", "auc")),
    "pr": Kind(
        "Precision-recall curve", draw_precision_recall, ("average precision", "average_precision")
    ),
    "hull": Kind("Convex hull of the ROC curve", draw_hull, ("AUC", "auc")),
    "cost": Kind("Cost curve", draw_cost, size=WIDE),
    "calibration": Kind("Calibration", draw_calibration, ("MCB", "miscalibration"), lower=0.85),
    "decision": Kind("Decision curve", draw_decision, size=WIDE),
    "gain": Kind("Gain curve", draw_gain, ("Gini", "gini"), WIDE),
    "lift": Kind("Lift curve", draw_lift, ("lift at 10%", "lift_at"), WIDE),
    "det": Kind("Detection error trade-off", draw_det, ("EER", "equal_error_rate")),
    FOLDS: Kind("ROC curve, vertical average of the folds", draw_folds, ("AUC", "auc")),
    "thresholds": Kind("Measures against the threshold", draw_thresholds, size=WIDE),
    "scores": Kind("Scores of each class", draw_scores, size=WIDE),
}
