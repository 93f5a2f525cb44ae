"""Charts drawn by matplotlib: where panels, legends and words stand, and how large all is."""

from __future__ import annotations

import os
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.report.plots.looks import distinct_names, wrap_words
from heldout.report.plots.marks import draw_panel, handle_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure

    from heldout.report.plots.chart import Chart, Entry, Panel

#: comes with matplotlib, so a chart looks the same everywhere
FONT = "DejaVu Sans"
#: for what it lacks
OTHER_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Microsoft YaHei",
    "Hiragino Sans",
    "WenQuanYi Micro Hei",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
)

SETTINGS: dict[str, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 11.0,
    "axes.labelsize": 9.5,
    "axes.linewidth": 0.8,
    "axes.edgecolor": "#333333",
    "axes.labelcolor": "#111111",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.use_mathtext": False,
    "axes.unicode_minus": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.7,
    "lines.solid_joinstyle": "miter",
    "lines.dash_capstyle": "butt",
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "legend.handlelength": 3.4,
    "figure.facecolor": "white",
    "figure.dpi": 100.0,
    "savefig.facecolor": "white",
    "savefig.dpi": 200.0,
    # letters as outlines: a chart looks the same where its font is not installed
    "svg.fonttype": "path",
    "svg.hashsalt": "heldout",
    "pdf.fonttype": 42,
    "path.simplify": False,
    # a dollar sign in a name starts no formula
    "text.parse_math": False,
    "text.usetex": False,
}

#: titles, and the words below them
BOLD: dict[str, Any] = {"fontsize": 11.5, "fontweight": "bold"}
QUIET: dict[str, Any] = {"fontsize": 8.5, "color": "#444444", "linespacing": 1.25}
#: inches that panels side by side may take, with what stands left of each axes
WIDEST = 12.4
BESIDE = 0.95
#: ticks and label of the horizontal axis, up to the legend, where they need no more
BELOW = 0.5
GAP = 0.12
LINE = 0.16
#: how much of their size axes keep at least where a figure is made smaller
SMALLEST = 0.2


@contextmanager
def chart_style() -> Iterator[None]:
    """The settings of matplotlib while a chart is made or saved; the user's own come back after.

    Names in a script that the font lacks are drawn in another where one is installed, and
    else as boxes, which their reader can see: no warning is needed.
    """
    try:
        import matplotlib
    except ValueError as error:  # of what the environment asks for
        backend = os.environ.get("MPLBACKEND")
        raise InputError(f"MPLBACKEND: matplotlib has no backend {backend!r}; unset it") from error
    from matplotlib.font_manager import get_font_names

    installed = set(get_font_names())
    fonts = [FONT, *(name for name in OTHER_FONTS if name in installed)]
    settings: Any = {**SETTINGS, "font.family": fonts}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*missing from font")
        yield


def draw(chart: Chart, ax: Any = None, size: tuple[float, float] | None = None) -> Figure:
    """The chart as a figure of its own, of a ``size``; or its only panel in the user's axes."""
    with chart_style():
        return _measured(chart, size) if ax is None else _inside(chart, ax)


def _inside(chart: Chart, ax: Any) -> Figure:
    """The panel in somebody else's axes, which may have neighbours: the legend is within."""
    if len(chart.panels) > 1:
        raise InputError(
            f"this chart has {len(chart.panels)} panels, more than one ax holds: name a model "
            "or class_"
        )
    (panel,) = chart.panels
    figure: Figure = ax.get_figure(root=True)
    artists = draw_panel(ax, panel)
    if entries := [*panel.legend, *panel.footnotes]:
        how: dict[str, Any] = {"width": ax.get_window_extent().width / figure.dpi - 0.55}
        how |= {"size": 7.0, "fontsize": 7.0, "handlelength": 2.4, "labelspacing": 0.35}
        _add_legend(ax, entries, artists, loc="best", **how)
    ax.set_title(chart.title)
    return figure


def _head(figure: Figure, title: str, words: str) -> None:
    """Title, and below it what the chart is of, in the upper left corner."""
    width, height = figure.get_size_inches()
    style: dict[str, Any] = {"va": "top", "ha": "left"}
    figure.text(0.12 / width, 1 - 0.1 / height, title, **BOLD, **style)
    figure.text(0.12 / width, 1 - 0.33 / height, words, **QUIET, **style)


# where panels stand


def panels_across(count: int, width: float) -> int:
    """How many panels, each of axes so many inches wide, stand in a row.

    Examples
    --------
    >>> panels_across(3, 5.2), panels_across(1, 5.2), panels_across(3, 20)
    (2, 1, 1)
    """
    return max(1, min(count, int(WIDEST // (width + BESIDE))))


def _measured(chart: Chart, asked: tuple[float, float] | None) -> Figure:
    """Panels in rows, the figure as large as letters and legends need, or as is asked for."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    layout = chart.layout
    figure = Figure(figsize=(6, 6))
    # it can be measured without a screen, and pyplot knows nothing of it
    FigureCanvasAgg(figure)
    panels, width = chart.panels, layout.size[0]
    across = layout.across or panels_across(len(panels), width)
    places: list[tuple[Any, Any]] = []
    for panel in panels:
        axes = figure.add_axes((0.2, 0.4, 0.6, 0.5))
        has_below = panel.below is not None
        below = figure.add_axes((0.2, 0.2, 0.6, 0.1), sharex=axes) if has_below else None
        places.append((axes, below))
    artists = [
        draw_panel(axes, panel) | ({} if panel.below is None else draw_panel(below, panel.below))
        for (axes, below), panel in zip(places, panels, strict=True)
    ]
    shared = _with_legend(panels, across)
    for number, (axes, below) in enumerate(places):
        entries = [*(panels[number].legend if number in shared else ()), *panels[number].footnotes]
        how: dict[str, Any] = {"labelspacing": 0.35, "loc": "upper left"}
        how |= {"borderaxespad": 0, "borderpad": 0}
        if entries:
            _add_legend(below or axes, entries, artists[number], width=width - 0.55, **how)
    above = _name_panels(figure, chart, [axes for axes, _ in places], width)
    _arrange(figure, places, chart, above, across, asked)
    return figure


def _with_legend(panels: Sequence[Panel], across: int) -> set[int]:
    """Panels with a legend; where all say the same it is one for all, below the last row."""
    texts = [[entry.text for entry in panel.legend] for panel in panels]
    if len(panels) < 2 or any(own != texts[0] for own in texts):
        return set(range(len(panels)))
    return {(len(panels) - 1) // across * across}


def _add_legend(
    owner: Any,
    entries: Sequence[Entry],
    artists: dict[Any, Any],
    *,
    width: float | None = None,
    size: float = 8.5,
    **style: Any,
) -> None:
    """The legend of axes or of a figure, its texts in lines of so many inches."""
    texts = [e.text if width is None else wrap_words(e.text, width, size=size) for e in entries]
    # matplotlib leaves out what starts with an underscore
    texts = [f" {text}" if text.startswith("_") else text for text in texts]
    owner.legend([handle_of(entry, artists) for entry in entries], texts, **style)


def _name_panels(figure: Figure, chart: Chart, places: Sequence[Any], width: float) -> float:
    """Names above panels, or title and words above the only one; how many inches they need."""
    from matplotlib.transforms import ScaledTranslation

    if len(places) > 1:
        names = distinct_names([panel.name for panel in chart.panels], int(width * 11))
        for axes, name in zip(places, names, strict=True):
            axes.set_title(name, loc="left", fontsize=10, pad=6)
        return 0.32
    lines = wrap_words(chart.words, width + max(chart.layout.right - 0.3, 0))
    tall = LINE * (lines.count("\n") + 1)
    for text, up, style in ((lines, 0.1, QUIET), (chart.title, 0.18 + tall, BOLD)):
        above = places[0].transAxes + ScaledTranslation(0, up, figure.dpi_scale_trans)
        places[0].text(0, 1, text, transform=above, ha="left", va="bottom", **style)
    return 0.45 + tall


def _arrange(
    figure: Figure,
    places: Sequence[tuple[Any, Any]],
    chart: Chart,
    above: float,
    across: int,
    asked: tuple[float, float] | None,
) -> None:
    """The figure as large as it must be, or as is ``asked`` for, and everything in its place.

    ``above`` is what titles need over each panel; several have a heading over all.
    """
    from matplotlib.transforms import ScaledTranslation

    (wide, tall), lower = chart.layout.size, chart.layout.lower
    down = -(-len(places) // across)
    left, feet, legends = _rooms(figure, places, across)
    between = GAP if lower else 0.0
    # what stands around axes: of a column, and of each row
    beside = left + chart.layout.right
    frames = [above + between + feet + legend + 0.12 for legend in legends]
    width = across * (beside + wide)
    words = wrap_words(chart.words, (width if asked is None else asked[0]) - 0.3)
    head = 0.46 + LINE * (words.count("\n") + 1) if len(places) > 1 else 0.0
    height = head + sum(frames) + down * (tall + lower)
    if asked is not None:
        # axes grow or shrink; letters, and what is between axes, stay
        wide *= _growth(asked[0], width, across * wide)
        growth = _growth(asked[1], height, down * (tall + lower))
        (width, height), tall, lower = asked, tall * growth, lower * growth
        if chart.panels[0].is_square:
            wide = tall = min(wide, tall)
    figure.set_size_inches(width, height)
    if head:
        _head(figure, chart.title, words)
    under = ScaledTranslation(0, -feet, figure.dpi_scale_trans)
    for number, (axes, below) in enumerate(places):
        row, column = divmod(number, across)
        lowest = below or axes
        if (legend := lowest.get_legend()) is not None:
            legend.set_bbox_to_anchor((0, 0), lowest.transAxes + under)
        x = column * (beside + wide) + left
        y = height - head - sum(frames[:row]) - row * (tall + lower) - above - tall
        axes.set_position((x / width, y / height, wide / width, tall / height))
        if below is not None:
            y -= between + lower
            below.set_position((x / width, y / height, wide / width, lower / height))


def _rooms(
    figure: Figure, places: Sequence[tuple[Any, Any]], across: int
) -> tuple[float, float, list[float]]:
    """Inches that letters take left of and below axes, and legends below each row of panels."""
    figure.draw_without_rendering()
    # only canvases that draw pixels have a renderer: Agg's, and those of screens
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    dpi = figure.dpi
    left, feet, legends = 0.5, BELOW, [0.0] * -(-len(places) // across)
    for number, pair in enumerate(places):
        for axes in filter(None, pair):
            inner = axes.get_window_extent(renderer)
            x_box, y_box = (axis.get_tightbbox(renderer) for axis in (axes.xaxis, axes.yaxis))
            if y_box is not None:
                left = max(left, (inner.x0 - y_box.x0) / dpi + 0.08)
            if x_box is not None:
                feet = max(feet, (inner.y0 - x_box.y0) / dpi + 0.08)
        if (legend := (pair[1] or pair[0]).get_legend()) is not None:
            own = legend.get_window_extent(renderer).height / dpi
            legends[number // across] = max(legends[number // across], own)
    return left, feet, legends


def _growth(asked: float, whole: float, axes: float) -> float:
    """By what the inches of axes grow, where the whole is to have as many as are asked for."""
    growth = 1 + (asked - whole) / axes
    if growth < SMALLEST:
        least = whole - (1 - SMALLEST) * axes
        raise InputError(
            f"figsize: {asked:g} inches are too few for this chart; from {least:.2g} on"
        )
    return growth
