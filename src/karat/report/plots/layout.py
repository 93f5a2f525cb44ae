"""Where axes, titles and legends stand, in inches, so that nothing overlaps at any size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.report.plots.frame import wrapped
from karat.report.plots.style import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from karat.report.plots.frame import Chart

__all__ = ["ACROSS", "arrange", "figure_of", "name_charts"]

#: panels side by side
ACROSS = 3
RIGHT = 0.22
#: ticks and label of the horizontal axis, up to the legend
BELOW = 0.5
GAP = 0.12
LINE = 0.16


def figure_of(
    count: int, *, has_below: bool, ax: Any = None
) -> tuple[Figure, list[tuple[Any, Any]]]:
    """An empty figure, and for each panel its axes and those below it (or None).

    Where axes are given, those and their figure.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if ax is not None:
        return ax.get_figure(root=True), [(ax, None)]
    figure = Figure(figsize=(6, 6))
    FigureCanvasAgg(figure)
    made = []
    for _ in range(count):
        axes = figure.add_axes((0.2, 0.4, 0.6, 0.5))
        below = figure.add_axes((0.2, 0.2, 0.6, 0.1), sharex=axes) if has_below else None
        made.append((axes, below))
    return figure, made


def name_charts(
    figure: Figure, charts: Sequence[Chart], title: str, words: str, width: float
) -> float:
    """Title and subtitle above the axes; how many inches they need."""
    if len(charts) > 1:
        for chart in charts:
            name = shortened(chart.panel.name, int(width * 11))
            chart.axes.set_title(name, loc="left", fontsize=10, pad=6)
        return 0.32
    lines = wrapped(words, width)
    _headings(figure, charts[0].axes, title, lines)
    return 0.45 + LINE * (lines.count("\n") + 1)


def _headings(figure: Figure, axes: Any, title: str, lines: str) -> None:
    from matplotlib.transforms import ScaledTranslation

    rise = 0.18 + LINE * (lines.count("\n") + 1)
    for text, up, style in (
        (lines, 0.1, {"fontsize": 8.5, "color": "#444444", "linespacing": 1.25}),
        (title, rise, {"fontsize": 11.5, "fontweight": "bold"}),
    ):
        place = axes.transAxes + ScaledTranslation(0, up, figure.dpi_scale_trans)
        axes.text(0, 1, text, transform=place, ha="left", va="bottom", **style)


def arrange(
    figure: Figure,
    charts: Sequence[Chart],
    *,
    size: tuple[float, float],
    lower: float,
    above: float,
    heading: tuple[str, str],
) -> None:
    """The figure as large as it must be, and everything in its place.

    ``size`` is that of the axes of a panel, ``lower`` the height of those below them and
    ``above`` what titles need over each; ``heading`` goes over all of several panels.
    """
    figure.draw_without_rendering()
    # only canvases that draw pixels have a renderer: Agg's, and those of screens
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    dpi = figure.dpi
    left, legend = 0.5, 0.0
    for chart in charts:
        for axes in filter(None, (chart.axes, chart.below)):
            box = axes.yaxis.get_tightbbox(renderer)
            if box is not None:
                left = max(left, (axes.get_window_extent(renderer).x0 - box.x0) / dpi + 0.08)
        made = (chart.below or chart.axes).get_legend()
        if made is not None:
            legend = max(legend, made.get_window_extent(renderer).height / dpi)
    across = min(len(charts), ACROSS)
    down = -(-len(charts) // across)
    panel = left + size[0] + RIGHT
    tall = above + size[1] + (GAP + lower if lower else 0) + BELOW + legend + 0.12
    head = 0.62 if len(charts) > 1 else 0.0
    width, height = across * panel, down * tall + head
    figure.set_size_inches(width, height)
    for number, chart in enumerate(charts):
        x = (number % across) * panel + left
        y = height - head - (number // across) * tall - above - size[1]
        chart.axes.set_position((x / width, y / height, size[0] / width, size[1] / height))
        if chart.below is not None:
            y -= GAP + lower
            chart.below.set_position((x / width, y / height, size[0] / width, lower / height))
    if len(charts) > 1:
        title, words = heading
        inset = 0.12 / width
        figure.text(inset, 1 - 0.1 / height, title, va="top", fontsize=12, fontweight="bold")
        style: dict[str, Any] = {"va": "top", "fontsize": 9, "color": "#444444"}
        figure.text(inset, 1 - 0.34 / height, words, **style)
