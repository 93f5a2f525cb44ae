"""Charts of a search by name: which there are, and what may be asked of them."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.report.plots.save import Charts, checked_path, figure_of
from heldout.report.plots.selection_charts import (
    has_numbers,
    heat_chart,
    is_full,
    learning_chart,
    parameter_chart,
    varying,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heldout.report.plots.chart import Chart
    from heldout.selection.selection import Selection
    from heldout.selection.settings import Setting

__all__ = ["CHARTS", "chart_named", "every_chart", "refuse_chart", "selection_chart"]

CHARTS = ("parameter", "training", "heat", "learning")
ALL = "all"


def selection_chart(
    selection: Selection,
    name: str | None = None,
    *,
    path: Any = None,
    parameter: Any = None,
    ax: Any = None,
    title: str = "",
    figsize: tuple[float, float] | None = None,
    as_data: bool = False,
    **options: Any,
) -> Any:
    """The chart of a name as a matplotlib figure, and as a file where a path is given.

    ``parameter`` names what is drawn along the axis (two of them for a heat map), as does
    ``parameter[C]`` or ``heat[C, gamma]``. ``all``: those that the search has, by name, and
    ``path`` a folder. ``as_data``: the chart as plain data instead of a figure.
    """
    last: dict[str, Any] = {"title": title, "figsize": figsize, "ax": ax, "as_data": as_data}
    if name is not None and chart_named(name)[0] == ALL:
        charts = (
            (one, partial(selection_chart, selection, one, **last, **options))
            for one, *_ in every_chart(selection)
        )
        return Charts.of(charts, path)
    if path is not None:
        checked_path(path)
    settings = selection.search.settings
    if name is None:
        name = "heat" if len(varying(settings)) == 2 and is_full(selection) else "parameter"
    given = () if parameter is None else (parameter,) if isinstance(parameter, str) else parameter
    chart, chosen = chart_named(name)
    parameters = _parameters(chart, chosen or tuple(given), selection)
    return figure_of(_chart(selection, chart, parameters, **options), path, **last)


def _chart(selection: Selection, name: str, parameters: tuple[str, ...], **options: Any) -> Chart:
    """The chart of a name as data."""
    if name == "learning":
        return learning_chart(selection, options.get("sizes"))
    if name == "heat":
        return heat_chart(selection, parameters)
    return parameter_chart(selection, parameters[0], has_training=name == "training")


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
    numeric = [one for one in own if has_numbers(selection, one)]
    return ((numeric or own)[0],)
