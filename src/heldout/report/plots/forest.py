"""The forest plot: every difference with its interval, a panel a measure."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, isnan
from typing import TYPE_CHECKING, Any

from heldout.comparison.results_comparison import ResultsComparison
from heldout.core.errors import InputError
from heldout.core.shown import p_in_words
from heldout.report.names import bare_title, label_text
from heldout.report.numbers import number_text, with_limits
from heldout.report.plots.chosen_pairs import checked_measure
from heldout.report.plots.frame import wrapped
from heldout.report.plots.layout import head_figure, new_figure
from heldout.report.plots.style import GREY, OKABE_ITO, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from heldout.comparison.comparison import Comparison

__all__ = ["MOST_ROWS", "draw_forest"]

#: differences that can be read on one sheet
MOST_ROWS = 45
ROW = 0.3
NAME = 44
#: who is better to the right of no difference, by the direction of the measure
TOWARDS = {"up": "first better", "down": "second better"}
TOWARDS_CONTROL = {"up": "control better", "down": "control worse"}


@dataclass(frozen=True, slots=True)
class Line:
    """One difference as it is drawn."""

    name: str
    value: float
    low: float
    high: float
    p_value: float
    is_apart: bool
    is_absent: bool = False


def draw_forest(
    comparison: Comparison | ResultsComparison, *, measure: str = "", pairs: str = ""
) -> Figure:
    """Differences with intervals; those that are more than noise are filled and coloured.

    ``pairs``: ``all``, or ``best``: the best model against each other; empty: all as long as
    they can be read on one sheet.
    """
    if pairs not in ("", "all", "best"):
        raise InputError(f"pairs of a forest are all or best, not {pairs!r}")
    if pairs == "best" and comparison.control:
        raise InputError(f"pairs of a forest with a control ({comparison.control}) are all")
    measures = _measures(comparison, measure)
    several = len(comparison.models) > 2 and not comparison.control
    rows = len(measures) * len(comparison.differences) // max(len(_measures(comparison, "")), 1)
    best = several and (pairs == "best" or (not pairs and rows > MOST_ROWS))
    panels = [_panel_of(comparison, name, best) for name in measures]
    margin = None if isinstance(comparison, ResultsComparison) else comparison.options.margin
    longest = max(len(line.name) for _, lines, _ in panels for line in lines)
    left, right, width = 0.3 + 0.075 * longest, 2.6, 3.4
    whole = left + width + right
    words = wrapped("; ".join(_heading(comparison, measures, best, rows)), whole - 0.3)
    shown = sum(len(lines) for _, lines, _ in panels)
    head, foot, between = 0.6 + 0.16 * (words.count("\n") + 1), 0.5, 0.62
    height = head + ROW * shown + between * len(panels) + foot - between
    figure = new_figure(figsize=(whole, height))
    top = height - head
    for title, lines, towards in panels:
        tall = ROW * len(lines)
        place = (left / whole, (top - tall) / height, width / whole, tall / height)
        _panel(figure.add_axes(place), title, lines, towards, margin)
        top -= tall + between
    head_figure(figure, "Differences", words)
    return figure


def _measures(comparison: Comparison | ResultsComparison, measure: str) -> tuple[str, ...]:
    if isinstance(comparison, ResultsComparison):
        return ("",)
    return (checked_measure(comparison, measure),) if measure else comparison.measures


def _heading(
    comparison: Comparison | ResultsComparison, measures: Sequence[str], best: bool, rows: int
) -> list[str]:
    """What the chart is of: design, intervals, tests, and which pairs are left out."""
    pair = "control − other" if comparison.control else "first − second"
    level = f"{pair}, {100 * comparison.options.level:g}% intervals"
    if comparison.options.alternative != "two-sided":
        level += f" (one-sided, {comparison.options.alternative})"
    if isinstance(comparison, ResultsComparison):
        first = comparison.differences[0]
        corrected = f", p corrected ({first.correction})" if first.correction else ""
        made = [f"{len(comparison.results.sets)} data sets", f"{level}{corrected}"]
        made.append(
            f"middle of the differences (Hodges and Lehmann); test: {first.evidence.method}"
        )
    else:
        corrected = ", p corrected (Holm)" if comparison.differences[0].corrected else ""
        made = [comparison.design.words, f"{level}{corrected}"]
        tests: dict[str, list[str]] = {}
        for d in comparison.differences:
            if d.measure in measures:
                tests.setdefault(d.evidence.method, []).append(d.measure)
        made += [f"{', '.join(dict.fromkeys(of))}: {method}" for method, of in tests.items()]
        if comparison.options.margin is not None:
            made.append(f"grey: within the margin of {comparison.options.margin:g}")
    made.append("filled: more than noise")
    if best:
        made.append(f"the best against each other model; all {rows} rows: forest[pairs=all]")
    return made


def _panel_of(
    comparison: Comparison | ResultsComparison, measure: str, best: bool
) -> tuple[str, list[Line], str]:
    """The title of a measure, its lines, and which model is better to the right."""
    if isinstance(comparison, ResultsComparison):
        given: list[Any] = list(comparison.differences)
        order = comparison.models
        title = shortened(comparison.results.measure, 30)
        direction = "up" if comparison.higher_is_better else "down"
    else:
        given = [d for d in comparison.differences if d.measure == measure]
        order = tuple(comparison.order(measure))
        title, direction = bare_title(measure), given[0].direction
    if best:
        against = {d.first: d.mirrored for d in given if d.second == order[0]}
        against |= {d.second: d for d in given if d.first == order[0]}
        given = [against[name] for name in order[1:]]
    lines = [
        Line(
            _name(d),
            d.middle if isinstance(comparison, ResultsComparison) else d.value,
            *_ends(d),
            d.corrected if isinstance(comparison, ResultsComparison) else d.p_value,
            comparison.is_different(d),
            d.interval.is_absent,
        )
        for d in given
    ]
    towards = TOWARDS_CONTROL if comparison.control else TOWARDS
    return title, lines, towards.get(direction, "")


def _ends(difference: Any) -> tuple[float, float]:
    """The limits; that of a one-sided interval which says nothing is infinite here."""
    side = difference.evidence.alternative
    low, high = difference.interval.low, difference.interval.high
    return -inf if side == "less" else low, inf if side == "greater" else high


def _name(difference: Any) -> str:
    half = NAME // 2
    first, second = (shortened(label_text(m), half) for m in (difference.first, difference.second))
    return f"{first} - {second}"


def _panel(axes: Any, title: str, lines: list[Line], towards: str, margin: float | None) -> None:
    axes.axvline(0, color="#333333", linewidth=0.9, zorder=2)
    if margin is not None:
        axes.axvspan(-margin, margin, color="#DDDDDD", alpha=0.6, linewidth=0, zorder=0)
    known = [v for line in lines for v in (line.value, line.low, line.high) if isfinite(v)]
    edge = max((abs(v) for v in known), default=0.0)
    edge = max(edge, 1.2 * (margin or 0.0)) or 1.0
    for number, line in enumerate(lines):
        colour = OKABE_ITO[0] if line.is_apart else GREY
        if not line.is_absent:
            ends = [max(line.low, -2 * edge), min(line.high, 2 * edge)]
            axes.plot(ends, [number] * 2, color=colour, linewidth=1.8, zorder=3)
        face = colour if line.is_apart else "white"
        style: dict[str, Any] = {"markerfacecolor": face, "markeredgecolor": colour, "zorder": 4}
        axes.plot([line.value], [number], marker="s", markersize=5.5, **style)
        axes.text(
            1.03,
            number,
            _numbers(line),
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize=8,
            color="#111111" if line.is_apart else "#555555",
        )
    axes.set_ylim(len(lines) - 0.45, -0.55)
    axes.set_yticks(range(len(lines)), [line.name for line in lines])
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_xlim(-1.08 * edge, 1.08 * edge)
    axes.locator_params(axis="x", nbins=6)
    axes.set_title(shortened(title, 34), loc="left", fontsize=9.5, fontweight="bold", pad=4)
    if towards:
        place: dict[str, Any] = {"transform": axes.transAxes, "ha": "right", "va": "bottom"}
        axes.text(1, 1.0, f"{towards} →", fontsize=7.5, color="#666666", **place)


def _numbers(line: Line) -> str:
    value = number_text(line.value, digits=3)
    if line.is_absent:
        limits = "no interval"
    elif not (isfinite(line.low) and isfinite(line.high)):
        limit, word = (line.low, "at least") if isfinite(line.low) else (line.high, "at most")
        limits = f"[{word} {number_text(limit, digits=3)}]"
    else:
        value, low, high = with_limits(line.value, line.low, line.high, digits=3)
        limits = f"[{low}, {high}]"
    if isnan(line.p_value):
        return f"{value} {limits}"
    return f"{value} {limits}, p {p_in_words(line.p_value)}"
