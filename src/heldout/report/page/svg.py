"""Charts drawn as SVG: the same data that matplotlib draws, with text that stays text."""

from __future__ import annotations

from functools import singledispatch
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.shown import visible
from heldout.report.page.axes import (
    NAME,
    POINT,
    TICK,
    WORD,
    Scale,
    room_below,
    room_left,
    room_right,
    scales_of,
    text_width,
)
from heldout.report.plots.chart import (
    GREY,
    INK,
    LIGHT,
    Band,
    Bars,
    Density,
    Dots,
    Heat,
    Line,
    Rule,
    Words,
)
from heldout.report.plots.looks import COLOURS
from heldout.report.plots.thin import on_turns

if TYPE_CHECKING:
    from heldout.report.plots.chart import Axis, Chart, Entry, Panel

#: pixels of an inch
INCH = 90.0
#: the side of a swatch in a legend
SWATCH = (30, 14)
#: lines of more points are drawn without those that lie so few pixels beside the others' line
FEW, TOLERANCE = 50, 0.2
#: pixels of a picture that has no room beside another, nor on a phone
BROAD = 540.0
#: columns and rows into which more points than can be seen are counted
CELLS = 48

#: colours that a dark page shows in another way are named, all others stand as they are
NAMED = {
    INK: "ink",
    GREY: "grey",
    LIGHT: "light",
    "#000000": "s6",
    "white": "paper",
    "#FFFFFF": "paper",
} | {colour: f"s{i}" for i, colour in enumerate(COLOURS)}

#: what other shades of grey are, up to how light they are
GREYS = ((0x50, "ink"), (0xA0, "grey"), (0xD0, "light"), (0xFF, "line"))


def chart_figures(chart: Chart, name: str, *, kind: str = "") -> str:
    """The panels of a chart, each as a figure with its legend and notes.

    ``name`` is that of the chart within the page: what its parts are called starts with it.
    ``kind`` says what its axes are (``roc``), for whoever marks a point on it.
    """
    legends = [_legend(panel) for panel in chart.panels]
    # what all panels say, or one alone says for all, stands below them
    kinds = {*filter(None, legends)}
    shared = kinds.pop() if len(kinds) == 1 < len(legends) else ""
    figures = "".join(
        _figure(
            _single(chart, panel, f"{name}-{i}", kind),
            "" if shared else legend,
            panel.name if len(legends) > 1 else "",
        )
        for i, (panel, legend) in enumerate(zip(chart.panels, legends, strict=True))
    )
    return f'{figures}<div class="shared">{shared}</div>' if shared else figures


def is_broad(chart: Chart) -> bool:
    """Whether a chart takes the width of a page for itself."""
    widest = INCH * chart.layout.size[0] + max(map(room_left, chart.panels), default=0)
    return len(chart.panels) > 1 or widest + max(map(room_right, chart.panels)) > BROAD


def _single(chart: Chart, panel: Panel, name: str, kind: str) -> str:
    """One panel, and the one below it."""
    width, height = (INCH * side for side in chart.layout.size)
    left, foot = room_left(panel), room_below(panel.below or panel)
    head = 6.0
    body = _panel(panel, (left, head, width, height), name, kind)
    tall = head + height
    if panel.below is not None:
        tall, lower = tall + 10.0, INCH * chart.layout.lower
        body += _panel(panel.below, (left, tall, width, lower), f"{name}-below", "", above=panel)
        tall += lower
    size = left + width + room_right(panel), tall + foot
    return _svg(body, size, ": ".join(filter(None, (chart.title, panel.name))))


def _figure(svg: str, legend: str, title: str = "") -> str:
    head = f"<figcaption>{_text(title)}</figcaption>" if title else ""
    return f'<figure class="panel">{head}{svg}{legend}</figure>'


def _svg(body: str, size: tuple[float, float], label: str) -> str:
    """A picture of some size."""
    width, height = size
    svg = (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        f'role="img" aria-label="{_text(label)}">{body}</svg>'
    )
    if width <= BROAD:
        return svg
    # on a phone its letters would shrink to nothing, so it is moved instead, by keys too
    about = f'tabindex="0" role="region" aria-label="{_text(label)}, scrollable sideways"'
    kind = "broad" if width <= 1.5 * BROAD else "broadest"
    return f'<div class="{kind}" {about}>{svg}</div>'


# panels and axes


def _panel(
    panel: Panel, box: tuple[float, ...], name: str, kind: str, *, above: Panel | None = None
) -> str:
    """Axes, and the marks that lie within them, in the order in which they are drawn."""
    left, top, width, height = box
    x, y = scales_of(panel, (left, top, width, height), shared=above or panel.below)
    parts = []
    if not panel.is_bare:
        parts += [_grid(panel.x, x, y, is_across=True), _grid(panel.y, y, x, is_across=False)]
    clip = (
        f'<clipPath id="{name}"><rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}"/></clipPath>'
    )
    for mark in sorted(panel.marks, key=_order):
        drawn = _draw(mark, x, y)
        is_clipped = not isinstance(mark, Words) and getattr(mark, "is_clipped", True)
        parts.append(f'<g clip-path="url(#{name})">{drawn}</g>' if is_clipped else drawn)
    if not panel.is_bare:
        parts += [_axis(panel.x, x, y, is_across=True), _axis(panel.y, y, x, is_across=False)]
    ends = "".join(
        f' data-{which}="{s.low:.9g} {s.high:.9g} {s.start:.1f} {s.stop:.1f}"'
        for which, s in (("x", x), ("y", y))
        if not s.is_log
    )
    whose = f' data-chart="{_text(kind)}" data-panel="{_text(panel.name)}"'
    about = whose + ends if kind and ends.count("=") == 2 else ""
    return f"<g{about}>{clip}{''.join(parts)}</g>"


def _order(mark: Any) -> float:
    order = getattr(mark, "order", None)
    if order is not None:
        return float(order)
    return 0.0 if isinstance(mark, Heat | Density) else 6.0 if isinstance(mark, Words) else 1.0


def _grid(axis: Axis, own: Scale, other: Scale, *, is_across: bool) -> str:
    if not axis.has_grid:
        return ""
    places = [own.at(tick) for tick in own.ticks]
    if is_across:
        lines = "".join(f"M{p:.1f} {other.start:.1f}V{other.stop:.1f}" for p in places)
    else:
        lines = "".join(f"M{other.start:.1f} {p:.1f}H{other.stop:.1f}" for p in places)
    return f'<path class="grid" d="{lines}"/>' if lines else ""


def _axis(axis: Axis, own: Scale, other: Scale, *, is_across: bool) -> str:
    """The line of an axis, what stands beside its ticks, and its name."""
    parts = []
    if axis.has_line:
        end = (
            f"M{own.start:.1f} {other.start:.1f}H{own.stop:.1f}"
            if is_across
            else f"M{other.start:.1f} {own.start:.1f}V{own.stop:.1f}"
        )
        parts.append(f'<path class="axis" d="{end}"/>')
    deepest = 0.0
    if axis.has_labels:
        for tick, label in zip(own.ticks, own.labels, strict=True):
            at = own.at(tick)
            if not is_across:
                parts.append(_words(other.start - 6, at + TICK * 0.35, label, "end", TICK))
            elif axis.is_turned:
                deepest = max(deepest, 0.75 * text_width(label, TICK))
                turn = f' transform="rotate(-45 {at:.1f} {other.start + 14:.1f})"'
                parts.append(_words(at, other.start + 14, label, "end", TICK, more=turn))
            else:
                parts.append(_words(at, other.start + TICK + 5, label, "middle", TICK))
    if axis.label:
        middle = (own.start + own.stop) / 2
        if is_across:
            below = other.start + TICK + 9 + NAME + (deepest if axis.is_turned else 0)
            parts.append(_words(middle, below, axis.label, "middle", NAME))
        else:
            widest = max([0.0, *(text_width(t, TICK) for t in own.labels if axis.has_labels)])
            beside = other.start - widest - 14
            turn = f' transform="rotate(-90 {beside:.1f} {middle:.1f})"'
            parts.append(_words(beside, middle, axis.label, "middle", NAME, more=turn))
    return "".join(parts)


# marks


def _colour(colour: Any) -> str:
    """A colour of the page's own, where it has one that a dark page shows in another way.

    Examples
    --------
    >>> _colour("#222222"), _colour("#BFBFBF"), _colour("#12AB34")
    ('var(--ink)', 'var(--light)', '#12AB34')
    """
    name = NAMED.get(colour)
    text = str(colour)
    if name is None and len(text) == 7 and text[1:3] == text[3:5] == text[5:7]:
        name = next(name for darkest, name in GREYS if int(text[1:3], 16) <= darkest)
    return text if name is None else f"var(--{name})"


def _text(text: str) -> str:
    return escape(visible(text), quote=True)


def _words(
    x: float, y: float, text: str, anchor: str, size: float, *, colour: str = "", more: str = ""
) -> str:
    fill = f' fill="{_colour(colour)}"' if colour else ""
    lines = text.split("\n")
    if len(lines) == 1:
        inner = _text(text)
    else:
        inner = "".join(
            f'<tspan x="{x:.1f}" dy="{0 if not i else 1.2 * size:.1f}">{_text(line)}</tspan>'
            for i, line in enumerate(lines)
        )
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:g}"{fill}{more}>'
        f"{inner}</text>"
    )


def _path(x: Any, y: Any) -> str:
    """Lines through points; they break where a point is undefined.

    Each line is told by how far it goes, in tenths of a pixel, which takes half the room.

    Examples
    --------
    >>> _path([0, 0, 2.5, float("nan"), 1], [9, 4, 4, 4, 1])
    'M0 9v-5h2.5M1 1'
    """
    xs, ys = np.atleast_1d(np.asarray(x, float)), np.atleast_1d(np.asarray(y, float))
    is_known = np.isfinite(xs) & np.isfinite(ys)
    if len(xs) > FEW and is_known.all():
        kept = on_turns(xs, ys, TOLERANCE)
        xs, ys, is_known = xs[kept], ys[kept], is_known[kept]
    tenths = (np.rint(np.where(is_known, 10 * v, 0)).astype(int).tolist() for v in (xs, ys))
    commands, is_open, pen = [], False, (0, 0)
    for known, across, up in zip(is_known.tolist(), *tenths, strict=True):
        run, rise = across - pen[0], up - pen[1]
        if known and not is_open:
            commands.append(f"M{across / 10:g} {up / 10:g}")
        elif known and run and rise:
            commands.append(f"l{run / 10:g} {rise / 10:g}")
        elif known and (run or rise):
            commands.append(f"h{run / 10:g}" if run else f"v{rise / 10:g}")
        is_open, pen = known, (across, up)
    return "".join(commands)


def _stroke(colour: str, width: float, dash: Any, alpha: float | None = None) -> str:
    text = f' fill="none" stroke="{_colour(colour)}" stroke-width="{width * POINT:.2g}"'
    if isinstance(dash, tuple):
        lengths = " ".join(f"{length * width * POINT:.3g}" for length in dash[1])
        text += f' stroke-dasharray="{lengths}"'
    return text + (f' stroke-opacity="{alpha:g}"' if alpha is not None else "")


@singledispatch
def _draw(mark: Any, x: Scale, y: Scale) -> str:
    """The mark on both scales."""
    raise TypeError(mark)


@_draw.register
def _line(line: Line, x: Scale, y: Scale) -> str:
    across, up = np.atleast_1d(x.at(line.x)), np.atleast_1d(y.at(line.y))
    if line.shift is not None:
        across = across + line.shift * POINT
    parts = []
    if line.dash != "none":
        style = _stroke(line.colour, line.width, line.dash, line.alpha)
        parts.append(f'<path d="{_path(across, up)}"{style}/>')
    if line.reach is not None:
        values = np.atleast_1d(np.asarray(line.y, float))
        low, high = y.at(values - line.reach[0]), y.at(values + line.reach[1])
        bars = "".join(
            f"M{p:.1f} {a:.1f}V{b:.1f}"
            for p, a, b in zip(across, low, high, strict=True)
            if np.isfinite([p, a, b]).all()
        )
        parts.append(f'<path d="{bars}"{_stroke(line.colour, 0.9, "-")}/>')
    if line.marker:
        parts += [
            _marker(line, p, q)
            for p, q in zip(across.tolist(), up.tolist(), strict=True)
            if np.isfinite([p, q]).all()
        ]
    return "".join(parts)


def _marker(line: Line, x: float, y: float) -> str:
    """One marker: its shape as matplotlib names it."""
    r = line.size * POINT / 2
    paths = {
        "o": f"M{x - r:.1f} {y:.1f}{_half(r, 2 * r)}{_half(r, -2 * r)}Z",
        "s": f"M{x - r:.1f} {y - r:.1f}h{2 * r:.1f}v{2 * r:.1f}h{-2 * r:.1f}Z",
        "^": f"M{x - r:.1f} {y + r:.1f}h{2 * r:.1f}L{x:.1f} {y - r:.1f}Z",
        "v": f"M{x - r:.1f} {y - r:.1f}h{2 * r:.1f}L{x:.1f} {y + r:.1f}Z",
        "D": f"M{x:.1f} {y - r:.1f}L{x + r:.1f} {y:.1f}L{x:.1f} {y + r:.1f}L{x - r:.1f} {y:.1f}Z",
        "|": f"M{x:.1f} {y - r:.1f}v{2 * r:.1f}",
        "_": f"M{x - r:.1f} {y:.1f}h{2 * r:.1f}",
    }
    crossed = (
        f"M{x - r:.1f} {y - r:.1f}l{2 * r:.1f} {2 * r:.1f}m{-2 * r:.1f} 0l{2 * r:.1f} {-2 * r:.1f}"
    )
    path = paths.get(line.marker, crossed)
    face = line.face or line.colour
    fill = "none" if face == "none" or line.marker not in "os^vD" else _colour(face)
    edge = _colour(line.edge or line.colour)
    width = f"{max(line.edge_width, 0.5) * POINT:.2g}"
    return f'<path d="{path}" fill="{fill}" stroke="{edge}" stroke-width="{width}"/>'


def _half(radius: float, across: float) -> str:
    """Half a circle, from where the pen is to the other side."""
    return f"a{radius:.1f} {radius:.1f} 0 1 0 {across:.1f} 0"


def _box(x: Scale, y: Scale, ends: tuple[float, float, float, float]) -> str:
    """A rectangle between two values of either axis."""
    left, right, low, high = ends
    a, b, p, q = x.at(left), x.at(right), y.at(low), y.at(high)
    return f"M{a:.1f} {p:.1f}H{b:.1f}V{q:.1f}H{a:.1f}Z"


@_draw.register
def _band(band: Band, x: Scale, y: Scale) -> str:
    across = np.asarray(x.at(np.asarray(band.x, float)))
    low, high = (np.asarray(y.at(np.broadcast_to(s, across.shape))) for s in (band.low, band.high))
    known = np.isfinite(across) & np.isfinite(low) & np.isfinite(high)
    if not known.any():
        return ""
    there = _path(across[known], high[known])
    back = _path(across[known][::-1], low[known][::-1]).replace("M", "L", 1)
    return f'<path d="{there}{back}Z" fill="{_colour(band.colour)}" fill-opacity="{band.alpha:g}"/>'


@_draw.register
def _bars(bars: Bars, x: Scale, y: Scale) -> str:
    edges = x.at(np.asarray(bars.edges, float))
    base = np.zeros(len(bars.heights)) if bars.base is None else np.asarray(bars.base, float)
    low, high = y.at(base), y.at(base + bars.heights)
    path = "".join(
        f"M{a:.1f} {p:.1f}V{q:.1f}H{b:.1f}V{p:.1f}Z"
        for a, b, p, q in zip(edges[:-1], edges[1:], low, high, strict=True)
        if np.isfinite([a, b, p, q]).all() and p != q
    )
    style = f' fill="{_colour(bars.colour)}"'
    style += f' fill-opacity="{bars.alpha:g}"' if bars.alpha is not None else ""
    style += f' stroke="{_colour(bars.edge)}" stroke-width="0.6"' if bars.edge else ""
    return f'<path d="{path}"{style}/>'


@_draw.register
def _rule(rule: Rule, x: Scale, y: Scale) -> str:
    path = f"M{x.start:.1f} {y.at(rule.at):.1f}H{x.stop:.1f}"
    if rule.axis == "x":
        path = f"M{x.at(rule.at):.1f} {y.start:.1f}V{y.stop:.1f}"
    return f'<path d="{path}"{_stroke(rule.colour, rule.width, rule.dash)}/>'


@_draw.register
def _dots(dots: Dots, x: Scale, y: Scale) -> str:
    across, up = np.atleast_1d(x.at(dots.x)), np.atleast_1d(y.at(dots.y))
    known = np.isfinite(across) & np.isfinite(up)
    # the size of a dot is its area in square points
    width = 2 * (dots.size / np.pi) ** 0.5 * POINT
    if isinstance(dots.colour, str):
        groups = {dots.colour: known}
    else:
        colours = np.asarray(dots.colour)
        groups = {c: known & (colours == c) for c in np.unique(colours).tolist()}
    style = f'stroke-width="{width:.3g}" stroke-linecap="round" stroke-opacity="{dots.alpha:g}"'
    parts = []
    for colour, own in groups.items():
        pairs = zip(across[own].tolist(), up[own].tolist(), strict=True)
        path = "".join(f"M{p:.1f} {q:.1f}h0" for p, q in pairs)
        parts.append(f'<path d="{path}" stroke="{_colour(colour)}" {style}/>')
    return "".join(parts)


@_draw.register
def _density(density: Density, x: Scale, y: Scale) -> str:
    """Counts in cells, darker where there are more: never the rows themselves."""
    left, right, low, high = density.extent
    counts, across, up = np.histogram2d(
        np.asarray(density.x, float),
        np.asarray(density.y, float),
        bins=CELLS,
        range=((left, right), (low, high)),
    )
    shade = 0.15 + 0.85 * np.log1p(counts) / (np.log1p(counts.max()) or 1.0)
    parts = []
    for i, j in np.argwhere(counts > 0).tolist():
        path = _box(x, y, (across[i], across[i + 1], up[j], up[j + 1]))
        title = f"<title>{int(counts[i, j]):,}</title>"
        style = f'class="heat" fill-opacity="{shade[i, j]:.2f}"'
        parts.append(f'<path d="{path}" {style}>{title}</path>')
    return "".join(parts)


@_draw.register
def _heat(heat: Heat, x: Scale, y: Scale) -> str:
    values = np.asarray(heat.cells, float)
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    low, high = heat.ends or (low, high)
    parts = []
    for i, j in np.argwhere(np.isfinite(values)).tolist():
        share = (values[i, j] - low) / (high - low) if high > low else 0.5
        strength = 0.12 + 0.78 * (share if heat.is_up else 1 - share)
        path = _box(x, y, (j - 0.5, j + 0.5, i - 0.5, i + 0.5))
        title = f"<title>{values[i, j]:.6g}</title>"
        fill = 'fill="#808080"' if heat.is_grey else 'class="heat"'
        parts.append(f'<path d="{path}" {fill} fill-opacity="{strength:.2f}">{title}</path>')
    if heat.framed is not None:
        row, column = heat.framed
        frame = _box(x, y, (column - 0.5, column + 0.5, row - 0.5, row + 0.5))
        parts.append(f'<path d="{frame}"{_stroke(heat.frame, 2.2, "-")}/>')
    return "".join(parts)


@_draw.register
def _label(words: Words, x: Scale, y: Scale) -> str:
    across = x.share(words.x) if words.unit != "value" else x.at(words.x)
    up = y.share(words.y) if words.unit == "share" else y.at(words.y)
    size = WORD if words.size is None else words.size * POINT
    lines = words.text.count("\n") + 1
    anchor = {"left": "start", "center": "middle", "right": "end"}[words.across]
    # from the place to the base of the first line
    down = {
        "top": 0.8 * size,
        "center": 0.35 * size - 0.6 * size * (lines - 1),
        "bottom": -0.2 * size - 1.2 * size * (lines - 1),
        "baseline": -1.2 * size * (lines - 1),
    }[words.up]
    more = ""
    if words.offset is not None:
        across, up = across + words.offset[0] * POINT, up - words.offset[1] * POINT
        more = ' class="halo"'
    return _words(across, up + down, words.text, anchor, size, colour=words.colour, more=more)


# legends


def _legend(panel: Panel) -> str:
    """The lines of a legend, each behind a picture of its mark; those without one come last."""
    items = dict.fromkeys(
        f"<li>{_swatch(entry)}<span>{_text(entry.text)}</span></li>"
        for entry in panel.legend
        if entry.mark
    )
    words = [entry.text for entry in panel.legend if not entry.mark]
    notes = dict.fromkeys([*words, *panel.notes])
    legend = f'<ul class="legend">{"".join(items)}</ul>' if items else ""
    return legend + "".join(f"<p>{_text(note)}</p>" for note in notes)


def _swatch(entry: Entry) -> str:
    """A mark as small as a letter."""
    wide, tall = SWATCH
    middle = tall / 2
    match entry.mark:
        case Line() as line:
            style = _stroke(line.colour, line.width, line.dash, line.alpha)
            drawn = "" if line.dash == "none" else f'<path d="M1 {middle}H{wide - 1}"{style}/>'
            drawn += _marker(line, wide / 2, middle) if line.marker else ""
        case Rule() as rule:
            drawn = (
                f'<path d="M1 {middle}H{wide - 1}"{_stroke(rule.colour, rule.width, rule.dash)}/>'
            )
        case Band() | Bars() as area:
            alpha = 1.0 if area.alpha is None else area.alpha
            style = f'fill="{_colour(area.colour)}" fill-opacity="{alpha:g}"'
            drawn = f'<path d="M2 2H{wide - 2}V{tall - 2}H2Z" {style}/>'
        case Heat() as heat:
            drawn = f'<path d="M9 1h12v12H9Z"{_stroke(heat.frame, 2.2, "-")}/>'
        case _:
            return ""
    return f'<svg width="{wide}" height="{tall}" aria-hidden="true">{drawn}</svg>'
