"""The chart of calibration: shares by predicted probability, and how often each was predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.report.plots.roc import square

if TYPE_CHECKING:
    from heldout.report.plots.frame import Chart
    from heldout.tally.scores import ScoreCounts

__all__ = ["draw_calibration"]

BARS = 20


def draw_calibration(chart: Chart) -> None:
    """The observed share in each bin with its interval, beside the line of perfection."""
    square(chart)
    drawn = chart.panel.drawn
    chart.reference(np.array([0, 1]), np.array([0, 1]), "")
    for number, series in enumerate(drawn):
        own, band = series.curve, series.curve.band
        # intervals of several models at one place would hide each other
        across = own.x + 0.004 * (number - (len(drawn) - 1) / 2)
        if band is not None and not band.is_absent:
            reach = np.array([own.y - band.low, band.high - own.y])
            chart.axes.errorbar(
                across,
                own.y,
                yerr=np.maximum(reach, 0),
                fmt="none",
                ecolor=series.look.colour,
                elinewidth=0.9,
                capsize=2,
                clip_on=False,
                alpha=0.75,
                zorder=2,
            )
        chart.line(series, across, own.y, marker=series.look.marker, markersize=4.5)
    (line,) = chart.axes.lines[:1]
    chart.legend.append((line, "perfect calibration"))
    _describe(chart)
    if chart.below is not None:
        _histogram(chart, chart.below)


def _describe(chart: Chart) -> None:
    """What the intervals are, what to know about them, or why there are none."""
    from matplotlib.lines import Line2D

    several = len(chart.panel.drawn) > 1
    notes: dict[str, list[str]] = {}
    for series in chart.panel.drawn:
        band = series.curve.band
        if band is None:
            continue
        if band.note:
            words = f"no intervals: {band.note}" if band.is_absent else f"intervals: {band.note}"
            notes.setdefault(words, []).append(chart.name_of(series))
        text = f"{band.level * 100:g}% interval"
        if not chart.is_inside:
            text += f" ({band.method}), {series.curve.note.split(' of ', 1)[-1]}"
        if not band.is_absent and text not in [known for _, known in chart.legend]:
            bar = Line2D([], [], color="#333333", marker="|", markersize=9, linestyle="none")
            chart.legend.append((bar, text))
    for words, names in notes.items():
        if not chart.is_inside or words.startswith("no "):
            whose = f"{', '.join(filter(None, names))}: " if several else ""
            chart.legend.append((Line2D([], [], alpha=0), f"{whose}{words}"))


def _histogram(chart: Chart, axes: Any) -> None:
    """How many rows have each predicted probability: positives and others, or a line a series."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    drawn = chart.panel.drawn
    edges = np.linspace(0, 1, BARS + 1)
    if len(drawn) == 1:
        hits, rest = _bars(drawn[0].counts)
        wide = {"width": 1 / BARS, "align": "edge", "edgecolor": "white", "linewidth": 0.5}
        few = axes.bar(edges[:-1], rest, color="#BFBFBF", **wide)
        many = axes.bar(edges[:-1], hits, bottom=rest, color=drawn[0].look.colour, **wide)
        chart.legend += [(many, "positives"), (few, "negatives")]
    else:
        for series in drawn:
            total = np.sum(_bars(series.counts), axis=0)
            axes.stairs(total, edges, color=series.look.colour, linestyle=series.look.line)
    axes.set_ylim(0, 1.08 * axes.get_ylim()[1])
    is_weighted = any(series.counts.positives.dtype.kind == "f" for series in drawn)
    axes.set_ylabel("Weight" if is_weighted else "Rows")
    axes.yaxis.set_major_locator(MaxNLocator(3, integer=not is_weighted))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,g}" if is_weighted else "{x:,.0f}"))
    chart.axes.tick_params(labelbottom=False)


def _bars(counts: ScoreCounts) -> tuple[np.ndarray, np.ndarray]:
    """Positives and negatives in bars of equal width, closed below, the last one above too."""
    place = np.minimum((counts.score * BARS).astype(np.int64), BARS - 1)
    made = [np.bincount(place, c, minlength=BARS) for c in (counts.positives, counts.negatives)]
    return made[0], made[1]
