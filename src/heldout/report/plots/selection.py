"""Charts of a search: measure against a parameter, training beside validation, heat map."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.report.names import arrow, title_of
from heldout.report.plots.layout import new_figure
from heldout.report.plots.save import Charts, checked_path, finished
from heldout.report.plots.selection_axes import (
    Line,
    axis_of,
    chosen_text,
    finish,
    lines_of,
    one_error_limit,
    undrawn,
    varying,
)
from heldout.report.plots.selection_dodge import dodged
from heldout.report.plots.selection_heat import heat_chart, is_full
from heldout.report.plots.style import GREY, look_of, shortened, styled
from heldout.report.selection_names import SettingNames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from heldout.selection.selection import Selection
    from heldout.selection.settings import Setting

    Legend = list[tuple[Any, str]]

__all__ = ["CHARTS", "chart_named", "every_chart", "refuse_chart", "selection_chart"]

CHARTS = ("parameter", "training", "heat", "learning")
ALL = "all"
BARS = "bars: one standard error over {count} splits"
OPTIMISTIC = "training rows: optimistic"
#: how values of training rows are drawn
HOLLOW: Any = {"linestyle": (0, (1.2, 1.2)), "markersize": 3.2, "markerfacecolor": "white"}


def selection_chart(
    selection: Selection,
    name: str | None = None,
    *,
    path: Any = None,
    parameter: Any = None,
    ax: Any = None,
    title: str = "",
    figsize: tuple[float, float] | None = None,
    **options: Any,
) -> Any:
    """The chart of a name as a matplotlib figure, and as a file where a path is given.

    ``parameter`` names what is drawn along the axis (two of them for a heat map), as does
    ``parameter[C]`` or ``heat[C, gamma]``. ``all``: those that the search has, by name, and
    ``path`` a folder.
    """
    last: dict[str, Any] = {"title": title, "figsize": figsize, "ax": ax}
    if name is not None and chart_named(name)[0] == ALL:
        charts = (
            (one, partial(selection_chart, selection, one, **last, **options))
            for one, *_ in every_chart(selection)
        )
        return Charts.drawn(charts, path)
    if path is not None:
        checked_path(path)
    settings = selection.search.settings
    if name is None:
        name = "heat" if len(varying(settings)) == 2 and is_full(selection) else "parameter"
    given = () if parameter is None else (parameter,) if isinstance(parameter, str) else parameter
    chart, chosen = chart_named(name)
    parameters = _parameters(chart, chosen or tuple(given), selection)
    with styled():
        figure = new_figure((6.4, 4.6)) if ax is None else ax.get_figure(root=True)
        axes = figure.add_subplot() if ax is None else ax
        if chart == "learning":
            heading, legend = _learning(axes, selection, **options)
        elif chart == "heat":
            heading, legend = heat_chart(axes, selection, parameters)
        else:
            has_training = chart == "training"
            heading, legend = _parameter_chart(
                axes, selection, parameters[0], has_training=has_training
            )
        finish(figure, axes, selection, heading, legend, is_inside=ax is not None)
    return finished(figure, path, **last)


def every_chart(selection: Selection) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The charts that a search has: of the parameters that vary, with what was asked for."""
    settings = selection.search.settings
    has = {
        "training": selection.training is not None,
        "heat": all(name in selection.best.parameters for name in varying(settings)),
    }
    for name in CHARTS:
        with suppress(InputError):
            refuse_chart(name, settings)
            if has.get(name, True):
                yield name, name, {}


def chart_named(text: str) -> tuple[str, tuple[str, ...]]:
    """The chart and the parameters that a text names.

    Examples
    --------
    >>> chart_named("heat[C, gamma]"), chart_named("training")
    (('heat', ('C', 'gamma')), ('training', ()))
    """
    name, bracket, rest = text.strip().partition("[")
    name = name.strip()
    known = (*CHARTS, ALL)
    if name not in known:
        raise InputError(
            f"no chart of a selection is called {name!r}{did_you_mean(name, known)} "
            f"(there are {', '.join(known)})"
        )
    if bracket and not rest.rstrip().endswith("]"):
        raise InputError(f"{text!r} lacks its closing bracket")
    inside = tuple(part.strip() for part in rest.rstrip().removesuffix("]").split(","))
    return name, inside if bracket else ()


def refuse_chart(text: str, settings: Sequence[Setting]) -> None:
    """An error where these settings cannot be drawn so, before anything is fitted."""
    name, asked = chart_named(text)
    known = varying(settings)
    for one in asked:
        if one not in known:
            hint = did_you_mean(one, known) or f"; {', '.join(known) or 'none'} varies"
            raise InputError(f"the grid does not vary {one!r}{hint}")
    if name == ALL and asked:
        raise InputError("all charts are of all parameters: name none, or one chart")
    if name == "learning" and asked:
        raise InputError("a learning curve is drawn against training rows, not a parameter")
    if name == "heat" and len(asked or known) != 2:
        varied = ", ".join(known) or "none"
        hint = f"; name two: heat[{known[0]}, {known[1]}]" if len(known) > 2 else ""
        raise InputError(f"a heat map is of two parameters, and {len(known)} vary ({varied}){hint}")
    pair = asked or known
    if name == "heat" and not any(all(p in one.parameters for p in pair) for one in settings):
        raise InputError(
            f"a heat map is of two parameters of one model, and no setting has both {pair[0]} and "
            f"{pair[1]}: draw a parameter chart"
        )
    if name in ("parameter", "training"):
        if not known:
            raise InputError("no parameter varies: there is nothing to draw a measure against")
        if len(asked) > 1:
            raise InputError(f"{name} is drawn against one parameter, not {len(asked)}")


def _parameters(name: str, asked: tuple[str, ...], selection: Selection) -> tuple[str, ...]:
    """The parameters to draw: those asked for, or those of the chosen setting, numbers first."""
    settings = selection.search.settings
    refuse_chart(f"{name}[{', '.join(asked)}]" if asked else name, settings)
    if asked or name == "learning":
        return asked
    known = varying(settings)
    if name == "heat":
        return tuple(known)
    own = [one for one in known if one in selection.best.parameters] or known
    numeric = [one for one in own if axis_of(selection, one).is_rising]
    return ((numeric or own)[0],)


def _title(selection: Selection) -> str:
    return title_of(selection.criterion.name)


def _parameter_chart(
    axes: Any, selection: Selection, parameter: str, *, has_training: bool
) -> tuple[str, Legend]:
    if has_training and selection.training is None:
        raise InputError(
            "training values were not asked for: say --training-error (training_error=True)"
        )
    from matplotlib.lines import Line2D

    axis = axis_of(selection, parameter)
    table = selection.table.columns()
    legend: Legend = []

    def is_line(line: Line) -> bool:
        return axis.is_rising and line.is_joined

    drawn: Any = None
    lines = lines_of(selection, parameter)
    where = dodged(axes.figure, axes, axis, len(lines))
    for number, line in enumerate(lines):
        look = look_of(number)
        at = [
            axis.place(selection.search.settings[place].parameters[parameter])
            for place in line.places
        ]
        order = np.argsort(at)
        places = [line.places[one] for one in order]
        x = np.array(at)[order]
        y = np.array([table["value"][one] for one in places])
        error = np.array([table["standard_error"][one] for one in places])
        made = axes.errorbar(
            x,
            y,
            yerr=None if np.isnan(error).all() else np.where(np.isnan(error), 0.0, error),
            color=look.colour,
            # dots are for training rows where both are drawn
            linestyle=("-" if has_training else look.line) if is_line(line) else "none",
            marker=look.marker,
            markersize=3.8,
            elinewidth=0.9,
            capsize=2.0,
            zorder=3,
            transform=where[number],
        )
        off = np.nan_to_num(error)
        heights = [y - off, y + off]
        legend.append((made, shortened(line.name, 44) if line.name else "validation rows"))
        if has_training:
            assert selection.training is not None
            values = selection.training[places]
            (drawn,) = axes.plot(
                x, values, color=look.colour, marker=look.marker, zorder=2, transform=where[number],
                **(HOLLOW if is_line(line) else {**HOLLOW, "linestyle": "none"}),
            )  # fmt: skip
            heights.append(values)
        # what is moved sideways is left out of the limits else
        known = [np.column_stack([x, height])[np.isfinite(height)] for height in heights]
        axes.update_datalim(np.concatenate(known))
    if has_training:
        if len(lines) > 1:
            # once for all series
            drawn = Line2D([], [], **HOLLOW, marker="o", color=GREY)
        legend.append((drawn, OPTIMISTIC))

    def mark(place: int, shape: str, size: float) -> Any:
        # the chosen model may be one that does not have this parameter
        own = next((at for at, line in enumerate(lines) if place in line.places), None)
        if own is None:
            return None
        at = axis.place(selection.search.settings[place].parameters[parameter])
        value = float(selection.search.values[place])
        return _mark(axes, at, value, shape=shape, size=size, transform=where[own])

    legend.append((mark(selection.choice.place, "o", 10), chosen_text(selection)))
    legend += _best_beside(axes, selection, mark)
    if missing := undrawn(selection, parameter):
        legend.append((None, missing))
    if not np.isnan(table["standard_error"]).all():
        legend.append((None, BARS.format(count=len(selection.splits))))
    axis.label(axes, "x")
    axes.margins(x=0.07)
    axes.autoscale_view()
    axes.set_ylabel(f"{_title(selection)} {arrow(selection.criterion.name)}".strip())
    what = "Training and validation" if has_training else _title(selection)
    return f"{what} against {parameter}", legend


def _mark(axes: Any, place: float, value: float, *, shape: str, size: float, transform: Any) -> Any:
    (made,) = axes.plot(
        [place],
        [value],
        marker=shape,
        markersize=size,
        markerfacecolor="none",
        markeredgecolor="#111111",
        markeredgewidth=1.4,
        linestyle="none",
        zorder=5,
        transform=transform,
    )
    return made


def _best_beside(
    axes: Any, selection: Selection, mark: Callable[[int, str, float], Any]
) -> list[tuple[Any, str]]:
    """Where the rule looks at the best: the best setting, and the limit of one standard error."""
    limit = one_error_limit(selection)
    if np.isnan(limit):
        return []
    search = selection.search
    made: list[tuple[Any, str]] = []
    is_other = search.best != selection.choice.place
    if is_other and (drawn := mark(search.best, "s", 11.0)) is not None:
        names = SettingNames(search.settings)
        whole = shortened(names.whole(search.settings[search.best]), 60)
        made.append((drawn, f"best: {whole}; its value is optimistic"))
    line = axes.axhline(limit, color=GREY, linewidth=1.0, linestyle=(0, (4, 3)), zorder=1)
    return [*made, (line, f"one standard error from the best: {limit:.4g}")]


def _learning(axes: Any, selection: Selection, **options: Any) -> tuple[str, Legend]:
    curve = selection.learning_curve(options.get("sizes"))
    legend: Legend = []
    count = curve.validation.shape[1]
    for number, (values, label) in enumerate(
        ((curve.validation, "validation rows"), (curve.training, OPTIMISTIC))
    ):
        look = look_of(number)
        mean = values.mean(axis=1)
        error = values.std(axis=1, ddof=1) / np.sqrt(count) if count > 1 else None
        made = axes.errorbar(
            curve.rows, mean, yerr=error, color=look.colour, linestyle=look.line,
            marker=look.marker, markersize=4, elinewidth=0.9, capsize=2.0, zorder=3,
        )  # fmt: skip
        legend.append((made, label))
    if count > 1:
        legend.append((None, BARS.format(count=count)))
    axes.set_xlim(left=0)
    axes.set_xlabel("training rows")
    axes.set_ylabel(f"{_title(selection)} {arrow(selection.criterion.name)}".strip())
    return f"Learning curve of {shortened(curve.setting, 40)}", legend
