"""The frame of a chart: figure, axes, titles, lines, bands and the legend below them."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.measures.spec import of_class
from heldout.report.names import label_text
from heldout.report.numbers import count_text, number_text, with_limits
from heldout.report.plots.asked import MOST_BANDS
from heldout.report.plots.legend_names import distinct_names
from heldout.report.plots.style import GREY, shortened
from heldout.report.plots.thin import thinned

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from heldout.assess.scorecard import Scorecard
    from heldout.report.plots.panels import Panel, Series

__all__ = ["Chart", "MARKED", "share_axis", "subtitle_of", "wrapped"]

#: from so few points on each is marked
MARKED = 30
NAME = 34
#: so many characters name the files; of more it is said how many they are
SOURCES = 48


@dataclass(slots=True, eq=False)
class Chart:
    """One pair of axes in the making, with what its legend will say."""

    axes: Any
    panel: Panel
    card: Any = None
    #: further axes below, of the same width
    below: Any = None
    interval_of: Any = None
    #: the short name of the measure in the legend, and its name in the registry
    measure: tuple[str, str] = ("", "")
    value_of: Callable[[Series], float] | None = None
    legend: list[tuple[Any, str]] = field(default_factory=list)
    levels: dict[tuple[float, str], str] = field(default_factory=dict)
    reasons: dict[str, None] = field(default_factory=dict)
    #: the axes are somebody else's and may have neighbours: the legend is short and within
    is_inside: bool = False

    def line(self, series: Series, x: Any, y: Any, *, label: bool = True, **more: Any) -> Any:
        """A series as a line, thinned to what can be seen, marked where its points are few."""
        across, up = self.axes.get_xlim(), self.axes.get_ylim()
        marker = series.look.marker if len(x) <= MARKED and len(x) > 1 else None
        x, y = thinned(x, y, width=abs(across[1] - across[0]), height=abs(up[1] - up[0]))
        style: dict[str, Any] = {
            "color": series.look.colour,
            "linestyle": series.look.line,
            "marker": marker,
            "markersize": 3.5,
            "clip_on": False,
            "zorder": 3,
        }
        (made,) = self.axes.plot(x, y, **(style | more))
        if label:
            self.legend.append((made, self.text_of(series)))
        return made

    def points(self, series: Series) -> None:
        """The points of a curve that is no straight line between them, where they are few."""
        if len(series.curve) <= MARKED:
            style: dict[str, Any] = {"color": series.look.colour, "marker": series.look.marker}
            at = series.curve.x, series.curve.y
            self.axes.plot(*at, linestyle="none", markersize=3.5, clip_on=False, zorder=3, **style)

    def reference(self, x: Any, y: Any, text: str, **more: Any) -> None:
        """A grey line to compare with (chance, a hull)."""
        style: dict[str, Any] = {"color": GREY, "linestyle": (0, (1, 2)), "linewidth": 1.1}
        (made,) = self.axes.plot(x, y, **(style | {"zorder": 2} | more))
        if text:
            self.legend.append((made, text))

    def shade(self, series: Series) -> None:
        """The band of a series."""
        band = series.curve.band
        if band is None or band.is_absent:
            return
        depth = 0.1 if self.panel.several else 0.16
        style: dict[str, Any] = {"color": series.look.colour, "alpha": depth, "linewidth": 0}
        self.axes.fill_between(band.x, band.low, band.high, zorder=1, **style)

    def describe_bands(self) -> None:
        """What the shaded bands are, or why there are none, below the lines."""
        from matplotlib.patches import Patch

        bands = list({id(s.curve.band): s.curve.band for s in self.panel.drawn}.values())
        has_intervals = getattr(self.card, "intervals", None) is not None
        if has_intervals and len(self.panel.drawn) > MOST_BANDS and not any(bands):
            self.legend.append((Patch(alpha=0), f"no bands of more than {MOST_BANDS} curves"))
        for band in bands:
            if band is None:
                continue
            level = "" if isnan(band.level) else f"{band.level * 100:g}% "
            text = f"{level}{band.kind} band" + ("" if self.is_inside else f" ({band.method})")
            patch = Patch(color=GREY, alpha=0.25, linewidth=0)
            if band.is_absent:
                text, patch = f"no band: {band.note}", Patch(alpha=0)
            if text not in [known for _, known in self.legend]:
                self.legend.append((patch, text))

    def mark(self, series: Series, x: float, y: float) -> None:
        """Where the labels that were predicted lie."""
        if isnan(x) or isnan(y):
            return
        self.axes.plot(
            [x],
            [y],
            marker="o",
            markersize=7,
            markerfacecolor="white",
            markeredgecolor=series.look.colour,
            markeredgewidth=1.5,
            linestyle="none",
            clip_on=False,
            zorder=4,
        )

    def explain_marks(self) -> None:
        """The legend's line for those marks."""
        from matplotlib.lines import Line2D

        if any(series.predicted is not None for series in self.panel.drawn):
            style: dict[str, Any] = {"markerfacecolor": "white", "markeredgecolor": "#333333"}
            mark = Line2D([], [], linestyle="none", marker="o", markersize=6, **style)
            self.legend.append((mark, "labels as predicted"))

    def text_of(self, series: Series, *, has_interval: bool = True) -> str:
        """A series in the legend: name, measure with interval, rows."""
        if series.is_measure:
            return series.name + (": undefined" if np.isnan(series.curve.y).all() else "")
        parts = []
        short, measure = self.measure
        if measure and self.value_of is not None:
            asked = of_class(measure, series.class_) if series.class_ else measure
            value = self.value_of(series)
            if has_interval and self.repeats_of(series.model) > 1:
                value = self._of_table(series, asked)
            text = f"{short} {number_text(value, digits=3)}"
            ask = self.interval_of if has_interval else None
            found = None if ask is None else ask(series.model, asked)
            if ask is not None and found is None:
                self._note_absence(series, asked)
            if found is not None and not (isnan(found[0]) or isnan(found[1])):
                shown, low, high = with_limits(value, found[0], found[1], digits=3)
                text = f"{short} {shown} [{low}, {high}]"
                self.levels[found[2], found[3]] = short
            parts.append(text)
        rows = count_text(series.rows)
        if series.class_:
            rows = f"{count_text(series.counts.total_positives)} of {rows}"
        parts.append(f"n = {rows}")
        name = self.name_of(series)
        return f"{name}: {', '.join(parts)}" if name else ", ".join(parts)

    def name_of(self, series: Series) -> str:
        """What the legend calls a series: cut where it is long, and never as another one is."""
        if not series.name:  # drawn beside the one series there is
            return ""
        names = [one.name for one in self.panel.series]
        return dict(zip(names, distinct_names(names, NAME), strict=True))[series.name]

    def repeats_of(self, model: str) -> int:
        """In how many repeats the rows of a model were judged."""
        found = [p for p in getattr(self.card, "predictions", ()) if p.model == model]
        column = found[0].design.repeat if found else None
        return 1 if column is None else len(np.unique(column.codes))

    def _of_table(self, series: Series, asked: str) -> float:
        """The value that the table has: of several repeats a mean, and no value of all rows."""
        card = self.card.only(series.model) if len(self.card.models) > 1 else self.card
        result = card[asked, "pooled"]
        if result.note:
            self.reasons[f"{self.measure[0]}: {result.note}"] = None
        return float(result.value)

    def _note_absence(self, series: Series, asked: str) -> None:
        """Why a value in the legend has no interval, once for each reason."""
        card = self.card
        if getattr(card, "intervals", None) is None:
            return
        own = card.only(series.model) if card.models != ("",) else card
        reason = own[asked, "pooled"].note
        if reason:
            self.reasons[f"{self.measure[0]}: {reason}"] = None

    def finish(self, width: float) -> None:
        """The legend below the lowest axes, and what its intervals are, wrapped to inches."""
        from matplotlib.lines import Line2D
        from matplotlib.transforms import ScaledTranslation

        for series in self.panel.series:
            if series.curve.is_empty:
                name = f"{self.name_of(series)}: " if series.name else ""
                self.legend.append((Line2D([], [], alpha=0), f"{name}{series.curve.reason}"))
        lowest = self.below or self.axes
        is_one_kind = len(set(self.levels.values())) < 2
        words = [
            f"[ ]{'' if is_one_kind else f' of {of}'}: {level * 100:g}% interval ({method})"
            for (level, method), of in self.levels.items()
        ]
        words = [] if self.is_inside else [*words[:2], *list(self.reasons)[:2]]
        self.legend += [(Line2D([], [], alpha=0), text) for text in words]
        if not self.legend:
            return
        if self.is_inside:
            width = self.axes.get_window_extent().width / self.axes.figure.dpi
        size = 7.0 if self.is_inside else 8.5
        texts = [wrapped(text, width - 0.55, size=size) for _, text in self.legend]
        where: dict[str, Any] = {"loc": "best", "fontsize": size, "handlelength": 2.4}
        if not self.is_inside:
            down = ScaledTranslation(0, -0.5, lowest.figure.dpi_scale_trans)
            where = {
                "loc": "upper left",
                "bbox_to_anchor": (0, 0),
                "bbox_transform": lowest.transAxes + down,
                "borderaxespad": 0,
                "borderpad": 0,
            }
        lowest.legend(
            [handle for handle, _ in self.legend],
            # a legend leaves out what starts with an underscore
            [f" {text}" if text.startswith("_") else text for text in texts],
            labelspacing=0.35,
            **where,
        )


def subtitle_of(card: Scorecard, *, is_one_class: bool = False) -> str:
    """Where the rows came from, how many they are, and what is positive."""
    sizes = sorted({t.rows for t in card.tallies})
    n = f"n = {sizes[0]:,}" if len(sizes) == 1 else f"n = {sizes[0]:,} to {sizes[-1]:,}"
    p = card.predictions[0]
    if all(one.weight is not None for one in card.predictions):
        n += " (weighted)"
    if p.design.repeat is not None and (often := len(np.unique(p.design.repeat.codes))) > 1:
        n += f" in {often:,} repeats"
    hits = {int(np.count_nonzero(one.truth == one.positive)) for one in card.predictions}
    if p.of_interest is not None and len(sizes) == len(hits) == 1:
        label = shortened(label_text(p.classes[p.of_interest]), 20)
        n += f", {hits.pop():,} positive ({label})"
    if p.task == "multiclass" and not is_one_class:
        n += ", each class against the rest"
    names = dict.fromkeys(Path(p.source).name for p in card.predictions if p.source)
    files = ", ".join(names)
    if len(files) > SOURCES:
        files = f"{len(names)} files" if len(names) > 1 else shortened(files, SOURCES)
    return " · ".join(filter(None, (files, n)))


def wrapped(text: str, width: float, *, size: float = 8.5) -> str:
    """Text in lines that fit into so many inches.

    Examples
    --------
    >>> wrapped("labels as predicted", 1.0).splitlines()
    ['labels as', 'predicted']
    """
    return "\n".join(textwrap.wrap(text, max(int(width * 72 / (0.55 * size)), 12)))


def share_axis(axes: Axes, which: str) -> None:
    """An axis of shares from 0 to 1."""
    limits, ticks = (0, 1), np.linspace(0, 1, 6)
    if which == "x":
        axes.set_xlim(*limits)
        axes.set_xticks(ticks)
    else:
        axes.set_ylim(*limits)
        axes.set_yticks(ticks)
