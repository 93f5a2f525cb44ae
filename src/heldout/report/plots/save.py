"""A chart as a figure and a file: title and size of the user's own, the same bytes each time."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.shown import visible
from heldout.report.output import refuse_unwritable, write_whole
from heldout.report.plots.drawing import chart_style, draw
from heldout.report.plots.marks import TITLE

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable

    from matplotlib.figure import Figure

    from heldout.report.plots.chart import Chart

#: how much of their size axes keep at least where a figure is made smaller
SMALLEST = 0.2
#: pixels of an inch on a page, and steps across a figure in which its parts are placed
PIXELS, FINE = 100, 10_001

#: what a file may end in; metadata that would tell the time or the version is left out
FORMATS: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def check_path(path: str | os.PathLike[str]) -> Path:
    """Where a chart goes, or an error before anything is computed."""
    target = Path(path)
    kind = target.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise InputError(f"cannot draw {target}: its name must end in one of {known}")
    refuse_unwritable(target)
    return target


def picture(figure: Figure, kind: str) -> bytes:
    """The chart in one of the formats, as bytes."""
    buffer = io.BytesIO()
    with chart_style():
        figure.savefig(buffer, format=kind, metadata=FORMATS[kind])
    return buffer.getvalue()


def save(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """The chart as a file of the kind that its name ends in; what was there stays on failure."""
    target = check_path(path)
    content = picture(figure, target.suffix.lower().removeprefix("."))
    write_whole(target, content)
    return target


def figure_of(
    chart: Chart,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str = "",
    figsize: tuple[float, float] | None = None,
    ax: Any = None,
    as_data: bool = False,
) -> Any:
    """The chart as a figure, with a title and size of the user's own, and as a file.

    Names in it cannot hide characters, and a notebook shows the figure as a picture, whether
    or not matplotlib was told that there is one. ``ax``: the axes of the user's it is drawn in.
    ``as_data``: the chart itself, for another drawer.
    """
    if as_data:
        return replace(chart, title=title or chart.title)
    figure = draw(chart, ax)
    if title:
        titled: Any = (ax or figure).findobj(lambda artist: artist.get_gid() == TITLE)
        for text in titled:
            text.set_text(title)
    if figsize is not None and ax is not None:
        raise InputError("figsize= is for a figure of heldout's own: leave it out beside ax=")
    if figsize is not None:
        _resize(figure, figsize)
    _show_characters(ax or figure, [ax] if ax is not None else figure.axes)
    if path is not None:
        save(figure, path)
    if ax is None:
        figure._repr_png_ = partial(_notebook_picture, figure)  # type: ignore[attr-defined]
    return figure


def _notebook_picture(figure: Figure) -> tuple[bytes, dict[str, Any]]:
    """A sharp picture, and how large a page shows it."""
    width, height = (round(PIXELS * inches) for inches in figure.get_size_inches())
    return picture(figure, "png"), {"width": width, "height": height}


def _show_characters(artist: Any, all_axes: Iterable[Any]) -> None:
    """Invisible characters of names escaped in every text, those beside ticks too."""
    from matplotlib.text import Text
    from matplotlib.ticker import FixedFormatter

    for text in artist.findobj(Text):
        if (shown := visible(text.get_text(), keep="\n")) != text.get_text():
            text.set_text(shown)
    for axis in (axis for axes in all_axes for axis in (axes.xaxis, axes.yaxis)):
        formatter = axis.get_major_formatter()
        if isinstance(formatter, FixedFormatter):
            formatter.seq = [visible(str(label)) for label in formatter.seq]


def _resize(figure: Figure, size: tuple[float, float]) -> None:
    """Another size, by which axes grow or shrink; letters, and what is between axes, stay."""
    old = figure.get_size_inches()
    boxes = [axes.get_position(original=True) for axes in figure.axes]
    across = _stretching([(box.x0, box.x1) for box in boxes], old[0], float(size[0]))
    up = _stretching([(box.y0, box.y1) for box in boxes], old[1], float(size[1]))
    figure.set_size_inches(*size)
    for axes, box in zip(figure.axes, boxes, strict=True):
        left, low = across(box.x0), up(box.y0)
        axes.set_position((left, low, across(box.x1) - left, up(box.y1) - low))
    for text in figure.texts:
        text.set_position((across(text.get_position()[0]), up(text.get_position()[1])))


def _stretching(
    spans: list[tuple[float, float]], old: float, new: float
) -> Callable[[float], float]:
    """Where a share of the old length lies in the new one, which the spans alone make up for."""
    shares = np.linspace(0, 1, FINE)
    is_inside = np.any([(low <= shares) & (shares < high) for low, high in spans], axis=0)
    inner = old * float(is_inside.mean())
    if new - old < (SMALLEST - 1) * inner:
        least = old + (SMALLEST - 1) * inner
        raise InputError(f"figsize: {new:g} inches are too few for this chart; from {least:.2g} on")
    places = np.cumsum(np.where(is_inside, 1 + (new - old) / inner, 1)) * old / new / FINE
    return lambda share: float(np.interp(share, shares, places))
