"""A panel of curves in the making: lines, bands, references, and what its legend says of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.measures.spec import of_class
from heldout.report.names import label_text
from heldout.report.numbers import count_text, number_text, with_limits
from heldout.report.plots.chart import GREY, INK, SHARES, Band, Line, Panel
from heldout.report.plots.looks import distinct_names, shortened
from heldout.report.plots.thin import thinned

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.assess.results import Result
    from heldout.assess.scorecard import Scorecard
    from heldout.report.plots.chart import Axis
    from heldout.report.plots.panels import Lines, Series

__all__ = ["CurvePanel", "MARKED", "MOST_BANDS", "subtitle_of"]

#: from so few points on each is marked
MARKED = 30
#: curves in one chart whose bands a reader can still tell apart
MOST_BANDS = 3
NAME = 34
#: so many characters name the files; of more it is said how many they are
SOURCES = 48


@dataclass(slots=True, eq=False)
class CurvePanel:
    """The panel of some lines, and how its legend gives their measure."""

    lines: Lines
    card: Scorecard
    interval_of: Any = None
    #: the short name of the measure in the legend, and its name in the registry
    measure: tuple[str, str] = ("", "")
    value_of: Callable[[Series], float] | None = None
    #: the legend stands among other things, and says no more than it must
    is_short: bool = False
    panel: Panel = field(default_factory=Panel)
    levels: dict[tuple[float, str], str] = field(default_factory=dict)
    reasons: dict[str, None] = field(default_factory=dict)

    @property
    def drawn(self) -> tuple[Series, ...]:
        """The series that have a curve."""
        return self.lines.drawn

    def share_axes(self, *, is_square: bool = True) -> None:
        """Axes of shares; of equal length where they are square."""
        self.panel.x = self.panel.y = SHARES
        self.panel.is_square = is_square

    def line(self, series: Series, x: Any, y: Any, *, text: str | None = None, **more: Any) -> Line:
        """A series as a line, thinned to what can be seen, marked where its points are few.

        ``text``: what the legend says instead of what it always does; empty: nothing.
        """
        marker = series.look.marker if 1 < len(x) <= MARKED else ""
        x, y = thinned(x, y, width=_span(self.panel.x), height=_span(self.panel.y))
        style: dict[str, Any] = {"dash": series.look.dash, "marker": marker, "size": 3.5}
        style |= {"is_clipped": False, "order": 3}
        line = Line(x, y, series.look.colour, **(style | more))
        line_text = self.text_of(series) if text is None else text
        self.panel.add(line, line_text)
        return line

    def points(self, series: Series, x: Any, y: Any, **more: Any) -> None:
        """The points of a curve that is no straight line between them, where they are few."""
        if len(series.curve) <= MARKED:
            style: dict[str, Any] = {"dash": "none", "marker": series.look.marker, "size": 3.5}
            style |= {"is_clipped": False, "order": 3}
            self.panel.add(Line(x, y, series.look.colour, **(style | more)))

    def reference(self, x: Any, y: Any, text: str, **more: Any) -> None:
        """A grey line to compare with (chance, a hull)."""
        style: dict[str, Any] = {"colour": GREY, "dash": (0, (1, 2)), "width": 1.1}
        self.panel.add(Line(np.asarray(x), np.asarray(y), **(style | more)), text)

    def shade(self, series: Series) -> None:
        """The band of a series."""
        band = series.curve.band
        if band is not None and not band.is_absent:
            depth = 0.1 if self.lines.several else 0.16
            self.panel.add(Band(band.x, band.low, band.high, series.look.colour, depth))

    def describe_bands(self) -> None:
        """What the shaded bands are, or why there are none, below the lines."""
        bands = list({id(s.curve.band): s.curve.band for s in self.drawn}.values())
        if self.card.intervals is not None and len(self.drawn) > MOST_BANDS and not any(bands):
            self.panel.explain(None, f"no bands of more than {MOST_BANDS} curves")
        for band in filter(None, bands):
            level = "" if isnan(band.level) else f"{band.level * 100:g}% "
            text = f"{level}{band.kind} band" + ("" if self.is_short else f" ({band.method})")
            patch: Any = Band((), (), (), GREY, 0.25)
            if band.is_absent:
                patch, text = None, f"no band: {band.note}"
            self.explain_once(patch, text)

    def explain_once(self, mark: Any, text: str) -> None:
        """A line of the legend, unless there is one that says the same."""
        if text not in [entry.text for entry in self.panel.legend]:
            self.panel.explain(mark, text)

    def mark(self, series: Series, x: float, y: float) -> None:
        """Where the labels that were predicted lie."""
        if not (isnan(x) or isnan(y)):
            style: dict[str, Any] = {"face": "white", "edge": series.look.colour}
            style |= {"edge_width": 1.5, "is_clipped": False, "order": 4}
            self.panel.add(Line([x], [y], dash="none", marker="o", size=7, **style))

    def explain_marks(self) -> None:
        """The legend's line for those marks."""
        if any(series.predicted is not None for series in self.drawn):
            mark = Line([], [], dash="none", marker="o", size=6, face="white", edge=INK)
            self.panel.explain(mark, "operating point of the predicted labels")

    def text_of(self, series: Series, *, has_interval: bool = True) -> str:
        """A series in the legend: name, measure with interval, rows."""
        if series.is_measure:
            return series.name + (": undefined" if np.isnan(series.curve.y).all() else "")
        parts = []
        measure = self.measure[1]
        if measure and self.value_of is not None:
            asked = of_class(measure, series.class_) if series.class_ else measure
            value = self.value_of(series)
            if has_interval and self.repeats_of(series.model) > 1:
                # of several repeats the table has a mean, and no value of all rows
                value = float(self._of_table(series, asked).value)
            limits = None
            if has_interval and self.interval_of is not None:
                limits = self.interval_of(series.model, asked)
                if limits is None and self.card.intervals is not None:
                    self._of_table(series, asked)
            parts.append(self.value_text(value, limits))
        rows = count_text(series.rows)
        if series.class_:
            rows = f"{count_text(series.counts.total_positives)} of {rows}"
        parts.append(f"n = {rows}")
        name = self.name_of(series)
        return f"{name}: {', '.join(parts)}" if name else ", ".join(parts)

    def value_text(
        self, value: float, limits: tuple[float, float, float, str] | None, of: str = ""
    ) -> str:
        """The measure of the legend with low, high, level and method of its interval."""
        short = f"{of}{self.measure[0]}"
        if limits is None or isnan(limits[0]) or isnan(limits[1]):
            return f"{short} {number_text(value, digits=3)}"
        shown, low, high = with_limits(value, limits[0], limits[1], digits=3)
        self.levels[limits[2], limits[3]] = short
        return f"{short} {shown} [{low}, {high}]"

    def name_of(self, series: Series) -> str:
        """What the legend calls a series: cut where it is long, and never as another one is."""
        if not series.name:  # drawn beside the one series there is
            return ""
        names = [one.name for one in self.lines.series]
        return dict(zip(names, distinct_names(names, NAME), strict=True))[series.name]

    def repeats_of(self, model: str) -> int:
        """In how many repeats the rows of a model were judged."""
        column = next(p for p in self.card.predictions if p.model == model).design.repeat
        return 1 if column is None else len(np.unique(column.codes))

    def card_of(self, model: str) -> Scorecard:
        """The scorecard of one model."""
        return self.card.only(model) if len(self.card.models) > 1 else self.card

    def _of_table(self, series: Series, asked: str) -> Result:
        """The value that the table has; its note is told below the legend, once."""
        result = self.card_of(series.model)[asked, "pooled"]
        if result.note:
            self.reasons[f"{self.measure[0]}: {result.note}"] = None
        return result

    def finish(self) -> Panel:
        """The panel with what its legend says at last: lines without points, and intervals."""
        for series in self.lines.series:
            if series.curve.is_empty:
                name = f"{self.name_of(series)}: " if series.name else ""
                self.panel.notes.append(f"{name}{series.curve.reason}")
        is_one_kind = len(set(self.levels.values())) < 2
        words = [
            f"[ ]{'' if is_one_kind else f' of {of}'}: {level * 100:g}% interval ({method})"
            for (level, method), of in self.levels.items()
        ]
        if not self.is_short:
            self.panel.notes += [*words[:2], *list(self.reasons)[:2]]
        return self.panel


def _span(axis: Axis) -> float:
    """How much of an axis a panel shows."""
    return 1.0 if axis.low is None or axis.high is None else abs(axis.high - axis.low)


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
