"""The forest plot: every difference with its interval, a panel a measure."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

from karat.comparison.results_comparison import ResultsComparison
from karat.report.names import bare_title, label_text
from karat.report.numbers import number_text, with_limits
from karat.report.plots.style import GREY, OKABE_ITO, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from karat.comparison.comparison import Comparison

__all__ = ["draw_forest"]

ROW = 0.3
NAME = 44
#: who is better to the right of no difference, by the direction of the measure
TOWARDS = {"up": "first better", "down": "second better"}


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


def draw_forest(comparison: Comparison | ResultsComparison, *, measure: str = "") -> Figure:
    """Differences with intervals; those that are more than noise are filled and coloured."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    panels = _panels(comparison, measure)
    margin = None if isinstance(comparison, ResultsComparison) else comparison.options.margin
    rows = sum(len(lines) for _, lines, _ in panels)
    head, foot, between = 0.75, 0.5, 0.62
    height = head + ROW * rows + between * len(panels) + foot - between
    longest = max(len(line.name) for _, lines, _ in panels for line in lines)
    left, right, width = 0.3 + 0.075 * longest, 2.4, 3.4
    figure = Figure(figsize=(left + width + right, height))
    FigureCanvasAgg(figure)
    whole = left + width + right
    top = height - head
    for title, lines, towards in panels:
        tall = ROW * len(lines)
        place = (left / whole, (top - tall) / height, width / whole, tall / height)
        _panel(figure.add_axes(place), title, lines, towards, margin)
        top -= tall + between
    level = f"{100 * comparison.options.level:g}% intervals"
    corrected = ", p corrected" if rows > 1 and comparison.options.correction != "none" else ""
    style: dict[str, Any] = {"ha": "left", "va": "top"}
    figure.text(
        0.12 / whole, 1 - 0.1 / height, "Differences", fontsize=11.5, fontweight="bold", **style
    )
    figure.text(
        0.12 / whole,
        1 - 0.31 / height,
        f"first - second, {level}{corrected}; filled: more than noise",
        fontsize=8.5,
        color="#444444",
        **style,
    )
    return figure


def _panels(
    comparison: Comparison | ResultsComparison, measure: str
) -> list[tuple[str, list[Line], str]]:
    """Of each measure its title, its lines, and which model is better to the right."""
    if isinstance(comparison, ResultsComparison):
        lines = [
            Line(
                _name(d),
                d.middle,
                d.interval.low,
                d.interval.high,
                d.corrected,
                comparison.is_different(d),
                d.interval.is_absent,
            )
            for d in comparison.differences
        ]
        title = (
            f"{comparison.results.measure}, middle over {len(comparison.results.sets)} data sets"
        )
        return [(title, lines, TOWARDS["up" if comparison.higher_is_better else "down"])]
    made = []
    for name in [measure] if measure else comparison.measures:
        own = [d for d in comparison.differences if d.measure == name]
        lines = [
            Line(
                _name(d),
                d.value,
                d.interval.low,
                d.interval.high,
                d.p_value,
                comparison.is_different(d),
                d.interval.is_absent,
            )
            for d in own
        ]
        made.append((bare_title(name), lines, TOWARDS.get(own[0].direction, "")))
    return made


def _name(difference: Any) -> str:
    half = NAME // 2
    first, second = (shortened(label_text(m), half) for m in (difference.first, difference.second))
    return f"{first} - {second}"


def _panel(axes: Any, title: str, lines: list[Line], towards: str, margin: float | None) -> None:
    axes.axvline(0, color="#333333", linewidth=0.9, zorder=2)
    if margin is not None:
        axes.axvspan(-margin, margin, color="#DDDDDD", alpha=0.6, linewidth=0, zorder=0)
    for number, line in enumerate(lines):
        colour = OKABE_ITO[0] if line.is_apart else GREY
        if not line.is_absent:
            axes.plot([line.low, line.high], [number] * 2, color=colour, linewidth=1.8, zorder=3)
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
    edge = max(abs(v) for line in lines for v in (line.value, line.low, line.high) if not isnan(v))
    edge = max(edge, 1.2 * (margin or 0.0)) or 1.0
    axes.set_xlim(-1.08 * edge, 1.08 * edge)
    axes.locator_params(axis="x", nbins=6)
    axes.set_title(title, loc="left", fontsize=9.5, fontweight="bold", pad=4)
    if towards:
        place: dict[str, Any] = {"transform": axes.transAxes, "ha": "right", "va": "bottom"}
        axes.text(1, 1.0, f"{towards} →", fontsize=7.5, color="#666666", **place)


def _numbers(line: Line) -> str:
    value = number_text(line.value, digits=3)
    if line.is_absent:
        limits = "no interval"
    else:
        value, low, high = with_limits(line.value, line.low, line.high, digits=3)
        limits = f"[{low}, {high}]"
    p = "p < 0.0001" if line.p_value < 1e-4 else f"p = {line.p_value:.2g}"
    return f"{value} {limits}, {p}"
