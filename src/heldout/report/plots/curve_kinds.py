"""What each chart of curves shows: ROC, precision-recall, hull, cost, gain, lift, folds ..."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.curves.folds import pooled
from heldout.curves.hull import cost_line, hull_curve, hull_of_models, probability_cost, stretches
from heldout.curves.named import FOLDS
from heldout.curves.ranking import interpolated, point_of, roc
from heldout.curves.sources import folds_of, tallies_of
from heldout.decisions.operating_point import CellValues, operating_point
from heldout.measures.spec import of_class
from heldout.report.numbers import number_text
from heldout.report.plots.chart import INK, LIGHT, SHARES, Axis, Line, Panel, Words
from heldout.report.plots.curve_panel import DASHED, DIAGONAL, LONG, LONGER, MOST_BANDS
from heldout.report.plots.looks import shorten
from heldout.report.plots.score_kinds import draw_calibration, draw_scores, draw_thresholds
from heldout.report.plots.thin import thin_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from heldout.curves.curve import Curve
    from heldout.report.plots.curve_panel import CurvePanel, Series
    from heldout.tally.scores import ScoreCounts

SQUARE = (4.3, 4.3)
WIDE = (5.2, 3.5)
#: of panels of which three stand in a row of a page
SMALL = (3.4, 2.2)
#: the line of equal profit, and that of the costs given
EQUAL_PROFIT = (0, (4, 1.5, 1, 1.5))
#: labels of corners nearer to each other than this would overlap
APART = 0.04
#: further right a label stands left of its corner, or it would leave the picture
RIGHTMOST = 0.88
MOST_STRETCHES = 8
#: with more corners than this a hull is a smooth line
MOST_CORNERS = 60
AREAS = "areas have no intervals: they use the best thresholds of these very rows: optimistic"


def draw_roc(curves: CurvePanel) -> None:
    """Sensitivity against false positive rate."""
    curves.share_axes()
    drawn = curves.drawn
    _draw_lines(curves)
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
    _draw_lines(curves)
    shares = _prevalences(curves)
    for i, share in enumerate(sorted(shares)):
        text = f"chance (share of positives, {number_text(share, digits=3)})"
        text = text if len(shares) == 1 else ("chance (shares)" if not i else "")
        curves.reference(DIAGONAL, (share, share), text)
    curves.describe_bands()
    curves.explain_marks()


def _draw_lines(curves: CurvePanel) -> None:
    """Each curve over its band, and where its predicted labels lie.

    One that is no line between its points shows these where they are few.
    """
    for series in curves.drawn:
        own = series.curve
        curves.shade(series)
        if own.between != "line":
            bent = interpolated(own)
            curves.line(series, bent.x, bent.y, marker="")
            curves.points(series, own.x, own.y)
        else:
            curves.line(series, own.x, own.y)
        if series.predicted is not None:
            curves.mark(series, *point_of(own, series.predicted))


def _prevalences(curves: CurvePanel) -> set[float]:
    """The shares of positives of all curves."""
    return {round(series.curve.prevalence, 12) for series in curves.drawn}


def draw_gain(curves: CurvePanel) -> None:
    """The share of positives found in the top fraction, between chance and perfection."""
    curves.share_axes(is_square=False)
    _draw_lines(curves)
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
        curves.line(series, series.curve.x, series.curve.y, is_clipped=True, marker="")
    by_share = {round(series.curve.prevalence, 12): series.curve for series in drawn}
    for _, curve in sorted(by_share.items()):
        text = "treat all" if len(by_share) == 1 else ""
        curves.reference(curve.x, curve.columns["treat_all"], text, dash=LONG)
    curves.reference(DIAGONAL, (0.0, 0.0), "treat none")
    curves.describe_bands()


def draw_lift(curves: CurvePanel) -> None:
    """How many times as many positives the top fraction holds as a random choice."""
    highest = max((float(np.nanmax(series.curve.y)) for series in curves.drawn), default=1.0)
    curves.panel.x, curves.panel.y = SHARES, Axis(low=0, high=1.06 * max(highest, 1.0))
    _draw_lines(curves)
    curves.reference(DIAGONAL, (1, 1), "random choice")
    curves.explain_marks()


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
        style: dict[str, Any] = {"colour": INK, "dash": EQUAL_PROFIT, "width": 1.1}
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
        names = " with ".join(shorten(name, 20) for name in part.models) or "chance"
        ends = [number_text(round(x, 3), digits=2) for x in (part.start, part.stop)]
        where = f"at {ends[0]}" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
        parts.append(f"{where} {names}")
    more = f"; and {len(parts) - MOST_STRETCHES} more" if len(parts) > MOST_STRETCHES else ""
    return f"the hull, by false positive rate: {'; '.join(parts[:MOST_STRETCHES])}{more}"


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
        style: dict[str, Any] = {"dash": EQUAL_PROFIT, "width": 0.9}
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
        curve = thin_line(together.x, together.y)
        curves.reference(*curve, text, colour=colour, dash=DASHED, width=1.2)
    curves.reference(DIAGONAL, DIAGONAL, "chance")
    curves.describe_bands()


def _draw_single_folds(curves: CurvePanel, folds: Mapping[str, ScoreCounts]) -> None:
    """The curve of each fold, lightly."""
    singles = [c for counts in folds.values() if not (c := roc(counts)).is_empty]
    for number, own in enumerate(singles):
        text = f"single folds ({len(singles)})" if not number else ""
        style: dict[str, Any] = {"colour": LIGHT, "dash": "-", "width": 0.7, "order": 1}
        curves.reference(*thin_line(own.x, own.y), text, **style)


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


#: rates that get a tick
TICKS = (
    *(1e-5, 1e-4, 0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4),
    *(0.6, 0.8, 0.9, 0.98, 0.995, 0.999),
)
#: points that a straight piece in rates is bent by: in even steps, and in steps of deviates,
#: as it runs to infinity where it ends in a rate of 0 or 1
PIECES = 16
FURTHEST = 5.0
#: of the axis of rates, for a label
ROOM = 0.1
#: the least and the largest rate of a curve that has none but 0 and 1
USUAL = (0.01, 0.9)


def draw_det(curves: CurvePanel) -> None:
    """Misses against false alarms; a rate of 0 or 1 lies infinitely far, off the chart."""
    from heldout.core.special import ndtri

    drawn = curves.drawn
    inner = [_inner_rates(series.curve) for series in drawn] or [np.array(USUAL)]
    rates = np.concatenate(inner)
    least = float(rates.min())
    low = max((tick for tick in TICKS if tick < min(least, 0.1)), default=TICKS[0])
    # beyond the middle only as far as a curve still moves
    most = float(np.minimum(rates, 0.95).max())
    high = min((tick for tick in TICKS if tick > max(most, 0.8)), default=TICKS[-1])
    limits = float(ndtri(low)), float(ndtri(high))
    ticks = _apart([tick for tick in TICKS if low <= tick <= high])
    labels = tuple(f"{rate * 100:g}%" for rate in ticks)
    curves.panel.x = curves.panel.y = Axis("", *limits, tuple(ndtri(ticks).tolist()), labels)
    curves.panel.is_square = True
    beyond = limits[0] - 1, limits[1] + 1
    for series in drawn:
        across, up = (np.clip(ndtri(line), *beyond) for line in _bent(series.curve))
        text = curves.text_of(series)
        text += "" if _is_seen(across, up, limits) else "; off the chart"
        curves.line(series, across, up, text=text, is_clipped=True, marker="")
        own = np.clip(ndtri(series.curve.x), *beyond), np.clip(ndtri(series.curve.y), *beyond)
        curves.points(series, *own, is_clipped=True)
        if (p := series.predicted) is not None:
            point = point_of(series.curve, p)
            curves.mark(series, *(float(ndtri(rate)) for rate in point))
    ends = np.array(limits)
    curves.reference(ends, -ends, "chance")
    curves.reference(ends, ends, "equal errors", dash=LONGER, width=0.7)
    curves.explain_marks()


def _inner_rates(curve: Curve) -> NDArray[Any]:
    """The rates that have a place on the axes."""
    rates = np.concatenate([curve.x, curve.y])
    inner = rates[(rates > 0) & (rates < 1)]
    return inner if len(inner) else np.array(USUAL)


def _apart(ticks: list[float]) -> list[float]:
    """The ticks, from the lowest up, that leave room for each other's labels."""
    from heldout.core.special import ndtri

    room = ROOM * float(ndtri(ticks[-1]) - ndtri(ticks[0]))
    kept = [ticks[0]]
    for tick in ticks[1:]:
        if ndtri(tick) - ndtri(kept[-1]) >= room:
            kept.append(tick)
    return kept


def _is_seen(x: NDArray[Any], y: NDArray[Any], limits: tuple[float, float]) -> bool:
    """Whether some piece of a falling line lies within the square of the limits."""
    low, high = limits
    inside = (np.maximum(x[:-1], low) <= np.minimum(x[1:], high)) & (
        np.maximum(y[1:], low) <= np.minimum(y[:-1], high)
    )
    return bool(inside.any())


def _bent(curve: Curve) -> tuple[NDArray[Any], NDArray[Any]]:
    """The curve with points on its slanting pieces, which are straight in rates only."""
    from heldout.core.special import ndtr

    slanting = (np.diff(curve.x) != 0) & (np.diff(curve.y) != 0)
    if len(curve) > 5000 or not slanting.any():
        return curve.x, curve.y
    tails = ndtr(np.linspace(-FURTHEST, FURTHEST, 3 * PIECES))
    inner = np.unique(np.concatenate([np.arange(PIECES) / PIECES, tails]))
    count = np.where(slanting, len(inner), 1)
    piece = np.repeat(np.arange(len(count)), count)
    share = inner[np.arange(len(piece)) - np.repeat(np.cumsum(count) - count, count)]
    x = curve.x[:-1][piece] + share * np.diff(curve.x)[piece]
    y = curve.y[:-1][piece] + share * np.diff(curve.y)[piece]
    return np.append(x, curve.x[-1]), np.append(y, curve.y[-1])


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
    "scores": Kind("Scores of each class", draw_scores, size=SMALL),
}
