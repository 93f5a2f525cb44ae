"""Where axes, titles and legends stand, in inches, so that nothing overlaps at any size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.report.plots.frame import wrapped
from heldout.report.plots.legend_names import distinct_names
from heldout.report.plots.save import TITLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from heldout.report.plots.frame import Chart

__all__ = [
    "arrange",
    "figure_of",
    "head_figure",
    "name_charts",
    "new_figure",
    "panels_across",
    "share_legend",
]

#: inches that panels side by side may take, with what stands left of each axes
WIDEST = 12.4
BESIDE = 0.95
RIGHT = 0.22
#: ticks and label of the horizontal axis, up to the legend
BELOW = 0.5
GAP = 0.12
LINE = 0.16


def new_figure(figsize: tuple[float, float], **options: Any) -> Figure:
    """An empty figure that can be measured: no screen is needed, and pyplot knows nothing of it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=figsize, **options)
    FigureCanvasAgg(figure)
    return figure


def figure_of(
    count: int, *, has_below: bool, ax: Any = None
) -> tuple[Figure, list[tuple[Any, Any]]]:
    """An empty figure, and for each panel its axes and those below it (or None).

    Where axes are given, those and their figure.
    """
    if ax is not None:
        return ax.get_figure(root=True), [(ax, None)]
    figure = new_figure((6, 6))
    made = []
    for _ in range(count):
        axes = figure.add_axes((0.2, 0.4, 0.6, 0.5))
        below = figure.add_axes((0.2, 0.2, 0.6, 0.1), sharex=axes) if has_below else None
        made.append((axes, below))
    return figure, made


def panels_across(count: int, width: float) -> int:
    """How many panels, each of axes so many inches wide, stand in a row.

    Examples
    --------
    >>> panels_across(3, 5.2), panels_across(1, 5.2), panels_across(3, 20)
    (2, 1, 1)
    """
    return max(1, min(count, int(WIDEST // (width + BESIDE))))


def share_legend(charts: Sequence[Chart], width: float) -> None:
    """Where all panels say the same, one legend for all of them, below the last row."""
    texts = [[text for _, text in chart.legend] for chart in charts]
    if len(charts) < 2 or any(own != texts[0] for own in texts):
        return
    across = panels_across(len(charts), width)
    last = (len(charts) - 1) // across * across
    for number, chart in enumerate(charts):
        if number != last:
            chart.legend.clear()


def name_charts(
    figure: Figure, charts: Sequence[Chart], title: str, words: str, width: float
) -> float:
    """Title and subtitle above the axes; how many inches they need."""
    if len(charts) > 1:
        names = distinct_names([chart.panel.name for chart in charts], int(width * 11))
        for chart, name in zip(charts, names, strict=True):
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
        (title, rise, {"fontsize": 11.5, "fontweight": "bold", "gid": TITLE}),
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
    right: float = RIGHT,
) -> None:
    """The figure as large as it must be, and everything in its place.

    ``size`` is that of the axes of a panel, ``lower`` the height of those below them and
    ``above`` what titles need over each; ``heading`` goes over all of several panels, and
    ``right`` is the room beside each.
    """
    across = panels_across(len(charts), size[0])
    down = -(-len(charts) // across)
    figure.draw_without_rendering()
    # only canvases that draw pixels have a renderer: Agg's, and those of screens
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    dpi = figure.dpi
    left, legends = 0.5, [0.0] * down
    for number, chart in enumerate(charts):
        for axes in filter(None, (chart.axes, chart.below)):
            box = axes.yaxis.get_tightbbox(renderer)
            if box is not None:
                left = max(left, (axes.get_window_extent(renderer).x0 - box.x0) / dpi + 0.08)
        made = (chart.below or chart.axes).get_legend()
        if made is not None:
            own = made.get_window_extent(renderer).height / dpi
            legends[number // across] = max(legends[number // across], own)
    panel = left + size[0] + right
    tall = [above + size[1] + (GAP + lower if lower else 0) + BELOW + x + 0.12 for x in legends]
    head = 0.62 if len(charts) > 1 else 0.0
    width, height = across * panel, sum(tall) + head
    figure.set_size_inches(width, height)
    for number, chart in enumerate(charts):
        x = (number % across) * panel + left
        y = height - head - sum(tall[: number // across]) - above - size[1]
        chart.axes.set_position((x / width, y / height, size[0] / width, size[1] / height))
        if chart.below is not None:
            y -= GAP + lower
            chart.below.set_position((x / width, y / height, size[0] / width, lower / height))
    if len(charts) > 1:
        head_figure(figure, *heading)


def head_figure(figure: Figure, title: str, words: str) -> None:
    """Title, and below it what the chart is of, in the upper left corner."""
    width, height = figure.get_size_inches()
    style: dict[str, Any] = {"va": "top", "ha": "left"}
    bold: dict[str, Any] = {"fontsize": 11.5, "fontweight": "bold", "gid": TITLE}
    figure.text(0.12 / width, 1 - 0.1 / height, title, **bold, **style)
    quiet: dict[str, Any] = {"fontsize": 8.5, "color": "#444444", "linespacing": 1.25}
    figure.text(0.12 / width, 1 - 0.33 / height, words, **quiet, **style)
