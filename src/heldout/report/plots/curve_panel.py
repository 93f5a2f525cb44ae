"""Panels of curves: which lines each has, and those with bands, references and legend as marks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.curves.named import OF_PROBABILITIES, THRESHOLDS, WITH_CORNERS, curve
from heldout.curves.sources import best_models, counts_of, largest_classes, predicted_counts
from heldout.measures.spec import of_class, parse_request
from heldout.report.names import label_text
from heldout.report.numbers import count_text, number_text, with_limits
from heldout.report.plots.chart import GREY, INK, SHARES, Band, Line, Panel
from heldout.report.plots.looks import (
    MOST_PANELS,
    MOST_SERIES,
    distinct_names,
    first_of,
    look_of,
    shorten,
)
from heldout.report.plots.thin import thin_line

if TYPE_CHECKING:
    from heldout.assess.scorecard import Scorecard
    from heldout.curves.curve import Curve
    from heldout.engines.memory import Tallies
    from heldout.report.plots.chart import Axis
    from heldout.report.plots.looks import Look
    from heldout.tally.confusion import Binary
    from heldout.tally.scores import ScoreCounts
    from heldout.uncertainty.interval import Interval

#: both ends of an axis of shares
DIAGONAL = (0.0, 1.0)
#: hulls and perfect rankings; a threshold or a share of positives; the pooled curve of folds
LONG, LONGER, DASHED = (0, (8, 2)), (0, (8, 3)), (0, (5, 1.6))
#: what is shown against the threshold where no measure is named
SHOWN = ("recall", "specificity", "precision", "f_score")


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """One line: its curve, the counts behind it, and the labels that were predicted."""

    name: str
    curve: Curve
    counts: ScoreCounts
    look: Look
    model: str
    class_: str
    predicted: Binary | None
    #: whether lines are several measures of the same model
    is_measure: bool = False

    @property
    def rows(self) -> int:
        """How many rows it was made of."""
        return self.counts.rows


def seen_curve(card: Scorecard, name: str, **options: Any) -> Curve:
    """A curve with as many points as a chart shows."""
    has_corners = name in WITH_CORNERS or name.startswith(THRESHOLDS)
    corners: Any = "seen" if has_corners and not options.get("steps") else False
    return curve(card, name, **{"corners": corners, **options})


def panels_of(
    card: Scorecard, name: str, *, class_: Any = None, best_by: str = "auc", **options: Any
) -> list[CurvePanel]:
    """The panels of a chart: two classes give one line per model, several give one a class.

    With ``class_`` that class alone, a line per model. Of more models than lines can be told
    apart, those with the best value of ``best_by`` are drawn.
    """

    def series_of(tallies: Tallies, label: Any, number: int) -> Series:
        p = tallies.predictions
        own = seen_curve(card, name, model=p.model, class_=label, **options)
        text = label_text(p.model) if label is None or class_ is not None else label_text(label)
        counts, point = counts_of(tallies, label), predicted_counts(tallies, label)
        word = "" if label is None else str(label)
        return Series(
            text if text != "''" else "", own, counts, look_of(number), p.model, word, point
        )

    if class_ is not None or card.task != "multiclass":
        chosen, note = _models_shown(card, class_, best_by)
        words = "" if class_ is None else f"{label_text(class_)} against the rest"
        series = tuple(series_of(t, class_, i) for i, t in enumerate(chosen))
        return [CurvePanel(series, card, ", ".join(filter(None, (words, note))))]
    panels = []
    for tallies in card.tallies[:MOST_PANELS]:
        labels, note = _classes_shown(tallies)
        series = tuple(series_of(tallies, label, i) for i, label in enumerate(labels))
        panels.append(CurvePanel(series, card, note, Panel(tallies.predictions.model)))
    panels[0].note = ", ".join(filter(None, (panels[0].note, first_of(card.tallies))))
    return panels


def _models_shown(card: Scorecard, label: Any, measure: str) -> tuple[list[Tallies], str]:
    """Up to ten models in their order; of more, those with the best value of a measure."""
    if len(card.tallies) <= MOST_SERIES:
        return list(card.tallies), ""
    request = parse_request(measure)
    word = "lowest" if request.measure.direction == "down" else "highest"
    title = request.measure.title
    plain = title if title[1:2].isupper() else title[:1].lower() + title[1:]
    note = f"the {MOST_SERIES} of {len(card.tallies)} models with the {word} {plain}"
    return best_models(card, request, label, most=MOST_SERIES), note


def _classes_shown(tallies: Tallies) -> tuple[list[Any], str]:
    """A few classes in their order; of many the largest first, and no more than ten."""
    classes = tallies.predictions.classes
    if len(classes) <= MOST_PANELS:
        return list(classes), ""
    is_all = len(classes) <= MOST_SERIES
    note = "" if is_all else f"the {MOST_SERIES} of {len(classes)} classes with most rows"
    return largest_classes(tallies, most=MOST_SERIES), note


def threshold_panels(card: Scorecard, class_: Any) -> list[CurvePanel]:
    """A panel for each model (and class), a line for each of a few measures.

    Of more than have room, a class of each model comes before the next class of any.
    """
    ranked: list[tuple[int, Series]] = []
    first = replace(card, tallies=card.tallies[:MOST_PANELS])
    for panel in panels_of(first, f"{THRESHOLDS}{SHOWN[0]}", class_=class_):
        ranked.extend(enumerate(panel.series))
    each = len(card.classes) if card.task == "multiclass" and class_ is None else 1
    count = len(card.tallies) * each
    is_cut = count > len(ranked[:MOST_PANELS])
    if is_cut and each > 1:
        ranked.sort(key=lambda pair: pair[0])
    shown = [_measures_of(card, series) for _, series in ranked[:MOST_PANELS]]
    if is_cut:
        what = "models" if each == 1 else "classes"
        if each > 1 and len(card.tallies) > 1:
            what = "pairs of a model and a class"
        option = "class=NAME" if each > 1 else "model=NAME"
        shown[0].note = f"{MOST_PANELS} of {count} {what}; others by name: thresholds[{option}]"
    return shown


def score_panels(card: Scorecard, class_: Any) -> list[CurvePanel]:
    """A panel for each model, or for each class of it; no more than have room."""
    every = [series for panel in panels_of(card, "roc", class_=class_) for series in panel.series]
    shown = every[:MOST_PANELS]
    note = f"{len(shown)} of {len(every)}" if len(shown) < len(every) else ""
    return [
        CurvePanel(
            (s,), card, note, Panel(", ".join(label_text(w) for w in (s.model, s.class_) if w))
        )
        for s in shown
    ]


def _measures_of(card: Scorecard, series: Series) -> CurvePanel:
    lines = []
    for number, measure in enumerate(SHOWN):
        own = series.curve
        if number:  # the first is the series itself
            name, label = f"{THRESHOLDS}{measure}", series.class_ or None
            own = seen_curve(card, name, model=series.model, class_=label)
        look = look_of(number)
        lines.append(replace(series, name=own.title, curve=own, look=look, is_measure=True))
    words = [label_text(w) for w in (series.model, series.class_) if w]
    return CurvePanel(tuple(lines), card, panel=Panel(", ".join(words)))


#: from so few points on each is marked
MARKED = 30
#: curves in one chart whose bands a reader can still tell apart
MOST_BANDS = 3
NAME = 34
#: so many characters name the files; of more it is said how many they are
SOURCES = 48


@dataclass(slots=True, eq=False)
class CurvePanel:
    """The panel of some lines, what was left out of it, and how its legend gives their measure."""

    series: tuple[Series, ...]
    card: Scorecard
    note: str = ""
    panel: Panel = field(default_factory=Panel)
    #: the short name of the measure in the legend, and its name in the registry
    measure: tuple[str, str] = ("", "")
    #: the legend stands among other things, and says no more than it must
    is_short: bool = False
    levels: dict[tuple[float, str], str] = field(default_factory=dict)
    reasons: dict[str, None] = field(default_factory=dict)

    @property
    def drawn(self) -> tuple[Series, ...]:
        """The series that have a curve."""
        return tuple(series for series in self.series if not series.curve.is_empty)

    def share_axes(self, *, is_square: bool = True) -> None:
        """Axes of shares; of equal length where they are square."""
        self.panel.x = self.panel.y = SHARES
        self.panel.is_square = is_square

    def line(self, series: Series, x: Any, y: Any, *, text: str | None = None, **more: Any) -> Line:
        """A series as a line, thinned to what can be seen, marked where its points are few.

        ``text``: what the legend says instead of what it always does; empty: nothing.
        """
        marker = series.look.marker if 1 < len(x) <= MARKED else ""
        x, y = thin_line(x, y, width=_span(self.panel.x), height=_span(self.panel.y))
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

    @property
    def is_crowded(self) -> bool:
        """Whether bands that nobody asked for would hide each other."""
        of_probabilities = any(series.curve.name in OF_PROBABILITIES for series in self.drawn)
        return of_probabilities and len(self.drawn) > MOST_BANDS

    def shade(self, series: Series) -> None:
        """The band of a series; of many series not those that nobody asked for."""
        band = series.curve.band
        if band is not None and not band.is_absent and not self.is_crowded:
            depth = 0.1 if len(self.series) > 1 else 0.16
            self.panel.add(Band(band.x, band.low, band.high, series.look.colour, depth))

    def describe_bands(self) -> None:
        """What the shaded bands are, or why there are none, below the lines."""
        own = {} if self.is_crowded else {id(s.curve.band): s.curve.band for s in self.drawn}
        bands = list(own.values())
        if self.card.intervals is not None and len(self.drawn) > MOST_BANDS and not any(bands):
            self.panel.explain(None, f"no bands of more than {MOST_BANDS} curves")
        for band in filter(None, bands):
            level = "" if isnan(band.level) else f"{band.level * 100:g}% "
            text = f"{level}{band.kind} band" + ("" if self.is_short else f" ({band.method})")
            # of several curves each band has its own colour, and the legend none of them
            colour = self.drawn[0].look.colour if len(self.drawn) == 1 else GREY
            patch: Any = Band((), (), (), colour, 0.25)
            if band.is_absent:
                patch, text = None, f"no band: {band.note}"
            self.explain_once(patch, text)

    def explain_once(self, mark: Any, text: str) -> None:
        """A line of the legend, unless there is one that says the same."""
        if text not in [entry.text for entry in self.panel.legend]:
            self.panel.explain(mark, text)

    def mark(self, series: Series, x: float, y: float) -> None:
        """Where the labels that were predicted lie; nothing where that is off the axes."""
        if _holds(self.panel.x, x) and _holds(self.panel.y, y):
            style: dict[str, Any] = {"face": "white", "edge": series.look.colour}
            style |= {"edge_width": 1.5, "is_clipped": False, "order": 4}
            self.panel.add(Line([x], [y], dash="none", marker="o", size=7, **style))

    def explain_marks(self) -> None:
        """The legend's line for those marks."""
        if any(series.predicted is not None for series in self.drawn):
            mark = Line([], [], dash="none", marker="o", size=6, face="white", edge=INK)
            self.panel.explain(mark, "operating point of the predicted labels")

    def text_of(self, series: Series) -> str:
        """A series in the legend: name, measure with interval, rows."""
        if series.is_measure:
            return series.name + (": undefined" if np.isnan(series.curve.y).all() else "")
        parts = []
        if measure := self.measure[1]:
            asked = of_class(measure, series.class_) if series.class_ else measure
            result = self.card_of(series.model)[asked, "pooled"]
            is_lacking = result.interval is None and self.card.intervals is not None
            if result.note and (is_lacking or self.repeats_of(series.model) > 1):
                self.reasons[f"{self.measure[0]}: {result.note}"] = None
            parts.append(self.value_text(result.value, result.interval))
        rows = count_text(series.rows)
        if series.class_:
            rows = f"{count_text(series.counts.total_positives)} of {rows}"
        parts.append(f"n = {rows}")
        name = self.name_of(series)
        return f"{name}: {', '.join(parts)}" if name else ", ".join(parts)

    def value_text(self, value: float, interval: Interval | None, of: str = "") -> str:
        """The measure of the legend with its interval, whose level and method are told below."""
        short = f"{of}{self.measure[0]}"
        if interval is None or interval.is_absent:
            return f"{short} {number_text(value, digits=3)}"
        shown, low, high = with_limits(value, interval.low, interval.high, digits=3)
        self.levels[interval.level, interval.method] = short
        return f"{short} {shown} [{low}, {high}]"

    def name_of(self, series: Series) -> str:
        """What the legend calls a series: cut where it is long, and never as another one is."""
        if not series.name:  # drawn beside the one series there is
            return ""
        names = [series.name for series in self.series]
        return dict(zip(names, distinct_names(names, NAME), strict=True))[series.name]

    def repeats_of(self, model: str) -> int:
        """In how many repeats the rows of a model were judged."""
        column = next(p for p in self.card.predictions if p.model == model).design.repeat
        return 1 if column is None else len(np.unique(column.codes))

    def card_of(self, model: str) -> Scorecard:
        """The scorecard of one model."""
        return self.card.only(model) if len(self.card.models) > 1 else self.card

    def finish(self) -> Panel:
        """The panel with what its legend says at last: lines without points, and intervals."""
        for series in self.series:
            if series.curve.is_empty:
                name = f"{self.name_of(series)}: " if series.name else ""
                self.panel.notes.append(f"{name}{series.curve.reason}")
        is_one_kind = len(set(self.levels.values())) < 2
        words = [
            f"in brackets: {level * 100:g}% interval{'' if is_one_kind else f' of {of}'} ({method})"
            for (level, method), of in self.levels.items()
        ]
        if not self.is_short:
            self.panel.notes += [*words[:2], *list(self.reasons)[:2]]
        return self.panel


def _holds(axis: Axis, value: float) -> bool:
    low, high = axis.low, axis.high
    return low is not None and high is not None and low <= value <= high


def _span(axis: Axis) -> float:
    """How much of an axis a panel shows."""
    return 1.0 if axis.low is None or axis.high is None else abs(axis.high - axis.low)


def subtitle_of(card: Scorecard, *, is_one_class: bool = False) -> str:
    """Where the rows came from, how many they are, and what is positive."""
    sizes = sorted({t.rows for t in card.tallies})
    n = f"n = {sizes[0]:,}" if len(sizes) == 1 else f"n = {sizes[0]:,} to {sizes[-1]:,}"
    p = card.predictions[0]
    if all(p.weight is not None for p in card.predictions):
        n += " (weighted)"
    if p.design.repeat is not None and (often := len(np.unique(p.design.repeat.codes))) > 1:
        n += f" in {often:,} repeats"
    hits = {int(np.count_nonzero(p.truth == p.positive)) for p in card.predictions}
    if p.of_interest is not None and len(sizes) == len(hits) == 1:
        label = shorten(label_text(p.classes[p.of_interest]), 20)
        n += f", {hits.pop():,} positive ({label})"
    if p.task == "multiclass" and not is_one_class:
        n += ", each class against the rest"
    names = dict.fromkeys(Path(p.source).name for p in card.predictions if p.source)
    files = ", ".join(names)
    if len(files) > SOURCES:
        files = f"{len(names)} files" if len(names) > 1 else shorten(files, SOURCES)
    return " · ".join(filter(None, (files, n)))
