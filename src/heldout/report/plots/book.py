"""Charts by name: what there is of a kind of result, and one of it as data, figure or file."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.report.output import made_folder, write_all
from heldout.report.plots.save import checked_path, figure_of, picture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from matplotlib.figure import Figure

    from heldout.report.plots.chart import Chart

#: the name that stands for every chart
ALL = "all"


@dataclass(frozen=True, slots=True)
class Book:
    """The charts of a kind of result.

    Parameters
    ----------
    names
        Those that ``all`` stands for, as their files are called.
    asked
        The usual name of a chart and the options in its brackets, or an error.
    every
        Title, name and options of each chart that a result has, by the options of all.
    chart
        The chart of a result by its usual name; ``is_inside``: for axes of the user's.
    usual
        The name that is meant where none is given.
    fits_axes
        Whether a chart may be drawn in axes of the user's.
    """

    names: tuple[str, ...]
    asked: Callable[[str], tuple[str, dict[str, Any]]]
    every: Callable[[Any, dict[str, Any]], Iterable[tuple[str, str, dict[str, Any]]]]
    chart: Callable[..., Chart]
    usual: Callable[[Any], str] | None = None
    fits_axes: bool = True

    def plot(
        self,
        result: Any,
        name: str | None,
        *,
        path: Any = None,
        ax: Any = None,
        title: str = "",
        figsize: tuple[float, float] | None = None,
        as_data: bool = False,
        **options: Any,
    ) -> Any:
        """A chart as a matplotlib figure, and as a file where a path is given.

        Parameters
        ----------
        name
            That of a chart, with options in brackets: ``roc[band=simultaneous]``; or ``all``:
            all that the result allows, as a dict, and ``path`` a folder.
        path
            A file that ends in .png, .svg or .pdf.
        ax
            Axes of yours to draw a single panel in, with the legend inside; its figure is
            given back.
        title, figsize
            Another title, and another size of the figure in inches: axes grow or shrink by it,
            letters do not.
        as_data
            The chart as plain data (panels of marks on axes) instead of a figure.
        options
            What the chart takes.
        """
        last: dict[str, Any] = {"title": title, "figsize": figsize, "as_data": as_data}
        if name is None:
            assert self.usual is not None
            name = self.usual(result)
        known, given = self.asked(name)
        options = given | options
        if ax is not None and not self.fits_axes:
            options["ax"] = ax  # refused as an option that there is not
        if known == ALL:
            if ax is not None:
                text = f"all charts do not fit into one ax: name one, such as {self.names[0]}"
                raise InputError(text)
            charts = (
                (text, partial(self.plot, result, one, **own, **last))
                for text, one, own in self.every(result, options)
            )
            return Charts.of(charts, path)
        target = None if path is None else checked_path(path)
        chart = self.chart(result, known, is_inside=ax is not None, **options)
        return figure_of(chart, target, **last, ax=ax)


class Charts(dict[str, "Figure"]):
    """Several charts by name; a notebook shows all of them."""

    @classmethod
    def of(cls, charts: Iterable[tuple[str, Callable[[], Figure]]], folder: Any) -> Charts:
        """The charts, each saved under its name where there is a folder for them.

        The folder is made last: what is refused leaves no empty one behind.
        """
        made = cls({name: make() for name, make in charts})
        if folder is not None:
            with made_folder(Path(folder)) as path:
                write_all({path / f"{name}.png": picture(made[name], "png") for name in made})
        return made

    def _repr_html_(self) -> str:
        images = (b64encode(picture(figure, "png")).decode() for figure in self.values())
        return "".join(f'<img width="480" src="data:image/png;base64,{data}">' for data in images)
