"""A chart as a figure and a file: title and size of the user's own, the same bytes each time."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.shown import visible
from heldout.report.output import refuse_unwritable, write_whole
from heldout.report.plots.drawing import chart_style, draw

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from matplotlib.figure import Figure

    from heldout.report.plots.chart import Chart

#: pixels of an inch on a page
PIXELS = 100

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
    chart = replace(chart, title=title or chart.title)
    if as_data:
        return chart
    if figsize is not None and ax is not None:
        raise InputError("figsize= is for a figure of heldout's own: leave it out beside ax=")
    figure = draw(chart, ax, figsize)
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
