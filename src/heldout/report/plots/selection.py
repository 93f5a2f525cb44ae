"""Charts of a search by name: which there are, and what may be asked of them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.report.plots.book import ALL, Book, chart_called
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

    from heldout.report.plots.book import Options
    from heldout.report.plots.chart import Chart
    from heldout.selection.selection import Selection
    from heldout.selection.settings import Setting

CHARTS = ("parameter", "training", "heat", "learning")


def selection_chart(
    selection: Selection, name: str, *, is_inside: bool, parameter: Any = (), sizes: Any = None
) -> Chart:
    """A chart of a selection as data.

    ``parameter`` names what is drawn along the axis (two of them for a heat map), as does
    ``parameter[C]`` or ``heat[C, gamma]``; ``sizes`` are the training rows of a learning curve.
    """
    given = (parameter,) if isinstance(parameter, str) else tuple(parameter or ())
    parameters = _parameters(name, given, selection)
    if name == "learning":
        return learning_chart(selection, sizes)
    if name == "heat":
        return heat_chart(selection, parameters)
    return parameter_chart(selection, parameters[0], has_training=name == "training")


def _usual(selection: Selection) -> str:
    is_pair = len(varying(selection.search.settings)) == 2 and is_full(selection)
    return "heat" if is_pair else "parameter"


def every_chart(
    selection: Selection, options: dict[str, Any]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
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
                yield name, name, options


def _parse(text: str) -> tuple[str, dict[str, Any]]:
    """The chart and the parameters that a text names.

    Examples
    --------
    >>> _parse("heat[C, gamma]"), _parse("training")
    (('heat', {'parameter': ('C', 'gamma')}), ('training', {}))
    """
    name, spec = chart_called(text, (*CHARTS, ALL), "of a selection")
    inside = tuple(option for option, _ in spec.options)
    return name, {"parameter": inside} if inside else {}


def refuse_chart(text: str, settings: Sequence[Setting]) -> None:
    """An error where these settings cannot be drawn so, before anything is fitted."""
    name, options = _parse(text)
    asked = options.get("parameter", ())
    known = varying(settings)
    for parameter in asked:
        if parameter not in known:
            hint = did_you_mean(parameter, known) or f"; {', '.join(known) or 'none'} varies"
            raise InputError(f"the grid does not vary {parameter!r}{hint}")
    if name == ALL and asked:
        raise InputError("all charts are of all parameters: name none, or one chart")
    if name == "learning" and asked:
        raise InputError("a learning curve is drawn against training rows, not a parameter")
    if name == "heat" and len(asked or known) != 2:
        varied = ", ".join(known) or "none"
        hint = f"; name two: heat[{known[0]}, {known[1]}]" if len(known) > 2 else ""
        raise InputError(f"a heat map is of two parameters, and {len(known)} vary ({varied}){hint}")
    pair = asked or known
    if name == "heat" and not any(all(p in s.parameters for p in pair) for s in settings):
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
    own = [parameter for parameter in known if parameter in selection.best.parameters] or known
    numeric = [parameter for parameter in own if has_numbers(selection, parameter)]
    return ((numeric or own)[0],)


OPTIONS: Options = {key: {"parameter": (), "sizes": ()} for key in (*CHARTS, ALL)}
BOOK = Book(CHARTS, _parse, every_chart, selection_chart, OPTIONS, _usual)
