"""Panels drawn by matplotlib: axes, each kind of mark, and what a legend shows of it."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.report.numbers import count_text
from heldout.report.plots.chart import Band, Bars, Density, Dots, Heat, Line, Rule, Words

if TYPE_CHECKING:
    from heldout.report.plots.chart import Axis, Entry, Panel


def draw_panel(axes: Any, panel: Panel) -> dict[Any, Any]:
    """All of a panel but its legend: what each mark was drawn as."""
    # limits come first, for what is drawn may ask for them
    _limit(axes, panel)
    artists = {mark: _draw_mark(mark, axes) for mark in panel.marks}
    _limit(axes, panel)
    for which, axis in (("x", panel.x), ("y", panel.y)):
        _draw_axis(axes, which, axis)
    if panel.is_square:
        axes.set_aspect("equal", adjustable="box")
    if panel.ground:
        axes.set_facecolor(panel.ground)
    if panel.is_bare:
        axes.axis("off")
    return artists


def _limit(axes: Any, panel: Panel) -> None:
    for which, axis in (("x", panel.x), ("y", panel.y)):
        ends = [end for end in (axis.low, axis.high) if end is not None]
        if len(ends) == 2:
            getattr(axes, f"set_{which}lim")(*ends)


def _draw_axis(axes: Any, which: str, axis: Axis) -> None:
    if axis.label:
        getattr(axes, f"set_{which}label")(axis.label)
    if axis.low is not None and axis.high is None:
        axes.set_xlim(left=axis.low)
    if axis.margin is not None:
        axes.margins(**{which: axis.margin})
        axes.autoscale_view()
    _draw_ticks(axes, which, axis)
    if not axis.has_labels:
        axes.tick_params(**{"labelbottom" if which == "x" else "labelleft": False})
    if not axis.has_line:
        axes.tick_params(axis=which, length=0)
        axes.spines["left" if which == "y" else "bottom"].set_visible(False)
    if not axis.has_grid:
        axes.grid(visible=False, axis=which)


def _draw_ticks(axes: Any, which: str, axis: Axis) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

    drawn = getattr(axes, f"{which}axis")
    if axis.scale == "log":
        getattr(axes, f"set_{which}scale")("log")
        drawn.set_minor_formatter(NullFormatter())
    if axis.ticks is not None:
        turned: dict[str, Any] = (
            {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if axis.is_turned else {}
        )
        labels = () if axis.labels is None else (list(axis.labels),)
        drawn.set_ticks(np.asarray(axis.ticks, float), *labels, **turned)
    if axis.is_whole is not None:
        most = {"nbins": axis.most} if axis.most else {}
        drawn.set_major_locator(MaxNLocator(integer=axis.is_whole, **most))
    elif axis.most:
        axes.locator_params(axis=which, nbins=axis.most)
    if axis.format is not None:
        write = axis.format
        drawn.set_major_formatter(FuncFormatter(lambda value, _: write(value)))


@singledispatch
def _draw_mark(mark: Any, axes: Any) -> Any:
    """The mark on axes: what a legend shows of it."""
    raise TypeError(mark)


@_draw_mark.register
def _draw_line(line: Line, axes: Any) -> Any:
    from matplotlib.transforms import ScaledTranslation

    style = _style_of(line) | {"clip_on": line.is_clipped, "zorder": line.order}
    if line.shift is not None:
        inches = axes.get_figure(root=True).dpi_scale_trans
        style["transform"] = axes.transData + ScaledTranslation(line.shift / 72, 0, inches)
    if line.reach is None:
        (artist,) = axes.plot(line.x, line.y, **style)
    else:
        style |= {"ecolor": line.colour, "elinewidth": 0.9, "capsize": 2}
        if line.dash == "none" and not line.marker:
            style["fmt"] = "none"
        artist = axes.errorbar(line.x, line.y, yerr=line.reach, **style)
    if line.shift is not None and len(line.x) > 1:
        # what is moved sideways is left out of the limits else
        off = (0.0, 0.0) if line.reach is None else line.reach
        for height in (line.y - off[0], line.y + off[1]):
            known = np.column_stack([line.x, height])[np.isfinite(height)]
            axes.update_datalim(known)
    return artist


def _style_of(line: Line) -> dict[str, Any]:
    """A line as matplotlib says it; its artist in a legend has the same."""
    style: dict[str, Any] = {
        "color": line.colour,
        "linestyle": line.dash,
        "linewidth": line.width,
        "marker": line.marker or None,
        "markersize": line.size,
        "markeredgewidth": line.edge_width,
    }
    style |= {"markerfacecolor": line.face} if line.face else {}
    style |= {"markeredgecolor": line.edge} if line.edge else {}
    return style | ({} if line.alpha is None else {"alpha": line.alpha})


@_draw_mark.register
def _draw_band(band: Band, axes: Any) -> Any:
    style: dict[str, Any] = {"color": band.colour, "alpha": band.alpha, "linewidth": 0}
    return axes.fill_between(band.x, band.low, band.high, zorder=band.order, **style)


@_draw_mark.register
def _draw_bars(bars: Bars, axes: Any) -> Any:
    style: dict[str, Any] = {"width": np.diff(bars.edges), "align": "edge", "color": bars.colour}
    style |= {"edgecolor": bars.edge, "linewidth": 0.5} if bars.edge else {}
    return axes.bar(bars.edges[:-1], bars.heights, bottom=bars.base, alpha=bars.alpha, **style)


@_draw_mark.register
def _draw_rule(rule: Rule, axes: Any) -> Any:
    style: dict[str, Any] = {"color": rule.colour, "linewidth": rule.width, "linestyle": rule.dash}
    draw = axes.axvline if rule.axis == "x" else axes.axhline
    return draw(rule.at, zorder=rule.order, **style)


@_draw_mark.register
def _draw_dots(dots: Dots, axes: Any) -> Any:
    which = "color" if isinstance(dots.colour, str) else "c"
    style: dict[str, Any] = {which: dots.colour, "alpha": dots.alpha, "zorder": dots.order}
    style["rasterized"] = dots.is_raster
    return axes.scatter(dots.x, dots.y, s=dots.size, linewidths=0, **style)


@_draw_mark.register
def _draw_density(density: Density, axes: Any) -> Any:
    style: dict[str, Any] = {"gridsize": 45, "mincnt": 1, "bins": "log", "cmap": "viridis"}
    cells = axes.hexbin(density.x, density.y, extent=density.extent, **style)
    bar = _add_bar(axes, cells, density.label)
    # the style draws no formulas, which the bar's own powers of ten are
    bar.ax.yaxis.set_major_formatter(lambda value, _: count_text(round(value)))
    bar.ax.yaxis.set_minor_formatter(lambda *_: "")
    return cells


def _add_bar(axes: Any, image: Any, label: str) -> Any:
    """What colours mean, beside the axes."""
    bar = axes.figure.colorbar(image, cax=axes.inset_axes((1.03, 0.1, 0.035, 0.8)))
    bar.ax.grid(visible=False)
    bar.set_label(label)
    return bar


@_draw_mark.register
def _draw_heat(heat: Heat, axes: Any) -> Any:
    from matplotlib.patches import Rectangle

    style: dict[str, Any] = {"aspect": "auto", "origin": "lower", "interpolation": "nearest"}
    low, high = heat.ends or (None, None)
    colours = ("Greys" if heat.is_grey else "Blues") + ("" if heat.is_up else "_r")
    drawn = image = axes.imshow(heat.cells, cmap=colours, vmin=low, vmax=high, **style)
    if heat.framed is not None:
        corner = heat.framed[1] - 0.5, heat.framed[0] - 0.5
        border: dict[str, Any] = {"fill": False, "edgecolor": heat.frame, "lw": 2.2}
        drawn = Rectangle(corner, 1, 1, clip_on=False, zorder=5, **border)
        axes.add_patch(drawn)
    if heat.has_bar:
        _add_bar(axes, image, heat.label)
    return drawn


@_draw_mark.register
def _draw_words(words: Words, axes: Any) -> Any:
    style: dict[str, Any] = {"ha": words.across, "va": words.up}
    style |= {} if words.size is None else {"fontsize": words.size}
    style |= {"color": words.colour} if words.colour else {}
    if words.offset is not None:
        ground = {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.6}
        style |= {"xytext": words.offset, "textcoords": "offset points", "bbox": ground}
        return axes.annotate(words.text, (words.x, words.y), zorder=6, **style)
    if words.unit != "value":
        is_share = words.unit == "share"
        style["transform"] = axes.transAxes if is_share else axes.get_yaxis_transform()
    return axes.text(words.x, words.y, words.text, **style)


def handle_of(entry: Entry, artists: dict[Any, Any]) -> Any:
    """What a legend shows before a text: what was drawn, something like it, or nothing."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    mark = entry.mark
    if mark in artists:
        return artists[mark]
    if isinstance(mark, Line):
        return Line2D([], [], **_style_of(mark))
    if isinstance(mark, Band):
        return Patch(color=mark.colour, alpha=mark.alpha, linewidth=0)
    if isinstance(mark, Bars):
        return Patch(facecolor=mark.colour, edgecolor=mark.edge or mark.colour)
    return Line2D([], [], alpha=0)
