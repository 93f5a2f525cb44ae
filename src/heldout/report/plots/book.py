"""Charts by name: what there is of a kind of result, and one of it as data, figure or file."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.nearest import hint_of, no_option
from heldout.core.specs import Spec, parse_spec
from heldout.report.output import make_folder, write_all
from heldout.report.plots.save import check_path, figure_of, picture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from matplotlib.figure import Figure

    from heldout.report.plots.chart import Chart

#: the name that stands for every chart
ALL = "all"

#: title, name and options of a chart
Listed = tuple[str, str, dict[str, Any]]
#: options of charts by name, with the values that each may have (none: any)
Options = dict[str, dict[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Book:
    """The charts of a kind of result.

    Parameters
    ----------
    names
        Those that ``all`` stands for, as their files are called.
    chart
        The chart of a result by its usual name; ``is_inside``: for axes of the user's.
    options
        What charts take; of a chart that is not here, the chart itself knows.
    of
        What the charts are of, for an error where none has a name.
    others
        Names that some charts have as well.
    inside
        The options in the brackets of a chart.
    parse
        The usual name of a chart and the options in its brackets, or an error; None: the chart
        of ``options`` or ``others`` that has this name.
    every_of
        What ``every`` gives of a result; None: every chart that has a name.
    usual
        The name that is meant where none is given.
    fits_axes
        Whether a chart may be drawn in axes of the user's.
    """

    names: tuple[str, ...]
    chart: Callable[..., Chart]
    options: Options
    of: str = ""
    others: Mapping[str, str] = field(default_factory=dict)
    inside: Callable[[Spec], Mapping[str, Any]] = Spec.values
    parse: Callable[[str], tuple[str, dict[str, Any]]] | None = None
    every_of: Callable[[Any, dict[str, Any]], Iterable[Listed]] | None = None
    usual: Callable[[Any], str] | None = None
    fits_axes: bool = True

    def asked(self, text: str) -> tuple[str, dict[str, Any]]:
        """The usual name of a chart and the options in its brackets, or an error."""
        name, given = self.named(text)
        self._refuse(name, given)
        return name, given

    def named(self, text: str) -> tuple[str, dict[str, Any]]:
        """The usual name of the chart that a text names, or an error with the nearest.

        What its options may be is not known here.
        """
        if self.parse is not None:
            return self.parse(text)
        spec = parse_spec(text)
        word = spec.name.lower()
        name = self.others.get(word, word)
        if name not in self.options:
            hint = hint_of(word, self.options)
            raise InputError(f"no chart {self.of} is called {text!r}{hint}")
        return name, dict(self.inside(spec))

    def every(self, result: Any, options: dict[str, Any]) -> Iterable[Listed]:
        """Title, name and options of each chart that a result has, by the options of all."""
        if self.every_of is None:
            return [(name, name, options) for name in self.names]
        return self.every_of(result, options)

    def _refuse(self, name: str, given: Mapping[str, Any]) -> None:
        """An error for an option that a chart does not take, or a value that it cannot have."""
        if name not in self.options:
            return
        known = self.options[name]
        for option, value in given.items():
            if option not in known:
                raise no_option(f"a {name} chart", option, known)
            if known[option] and value not in known[option]:
                choices = ", ".join(known[option])
                raise InputError(f"a {name} chart: {option} is one of {choices}, not {value!r}")

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
        known, given = self.named(name)
        options = given | options
        if ax is not None and not self.fits_axes:
            options["ax"] = ax  # refused as an option that there is not
        self._refuse(known, options)
        if known == ALL:
            if ax is not None:
                text = f"all charts do not fit into one ax: name one, such as {self.names[0]}"
                raise InputError(text)
            charts = (
                (text, partial(self.plot, result, chart_name, **own, **last))
                for text, chart_name, own in self.every(result, options)
            )
            return Charts.of(charts, path)
        target = None if path is None else check_path(path)
        chart = self.chart(result, known, is_inside=ax is not None, **options)
        return figure_of(chart, target, **last, ax=ax)


class Charts(dict[str, "Figure"]):
    """Several charts by name; a notebook shows all of them."""

    @classmethod
    def of(cls, charts: Iterable[tuple[str, Callable[[], Figure]]], folder: Any) -> Charts:
        """The charts, each saved under its name where there is a folder for them.

        The folder is made last: what is refused leaves no empty one behind.
        """
        figures = cls({name: draw() for name, draw in charts})
        if folder is not None:
            with make_folder(Path(folder)) as path:
                write_all({path / f"{name}.png": picture(figures[name], "png") for name in figures})
        return figures

    def _repr_html_(self) -> str:
        images = (b64encode(picture(figure, "png")).decode() for figure in self.values())
        return "".join(f'<img width="480" src="data:image/png;base64,{data}">' for data in images)
