"""Axes of charts of a search: parameters as numbers, logarithms or names; titles and legend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.report.plots.frame import wrapped
from heldout.report.plots.layout import head_figure
from heldout.report.plots.save import TITLE
from heldout.report.plots.style import MOST_SERIES, shortened
from heldout.report.selection_names import SettingNames
from heldout.selection.choice import rule_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from heldout.selection.selection import Selection
    from heldout.selection.settings import Setting

__all__ = [
    "Axis",
    "Line",
    "axis_of",
    "chosen_text",
    "finish",
    "lines_of",
    "one_error_limit",
    "undrawn",
    "varying",
]

#: a parameter whose largest value is so many times its smallest is drawn on a log scale
LOG_FROM = 20.0
MOST_LABELS = 24
#: series from which on those with names so short stand beside each other in the legend
LISTED, SHORT = 4, 28
#: settings that are named where they are not drawn
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Axis:
    """The values of one parameter, and where they lie."""

    name: str
    values: tuple[Any, ...]
    #: values lie at their own place, not one after the other
    is_number: bool
    is_log: bool
    #: values rise from left to right: numbers, and after them none, which is no limit
    is_rising: bool = False

    def place(self, value: Any) -> float:
        """Where a value lies."""
        if self.is_number:
            return float(value)
        return float([repr(one) for one in self.values].index(repr(value)))

    def label(self, axes: Any, which: str) -> None:
        """Names, ticks and scale."""
        getattr(axes, f"set_{which}label")(self.name)
        if self.is_number:
            if self.is_log:
                from matplotlib.ticker import FuncFormatter, NullFormatter

                getattr(axes, f"set_{which}scale")("log")
                drawn = getattr(axes, f"{which}axis")
                # powers of ten as plain numbers: formulas are off, so that $ is a letter
                drawn.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
                drawn.set_minor_formatter(NullFormatter())
            elif all(isinstance(value, int) for value in self.values):
                from matplotlib.ticker import MaxNLocator

                getattr(axes, f"{which}axis").set_major_locator(MaxNLocator(integer=True))
            return
        step = -(-len(self.values) // MOST_LABELS)
        places = list(range(0, len(self.values), step))
        texts = [_text(self.values[place]) for place in places]
        turned = which == "x" and sum(map(len, texts)) > 60
        style: dict[str, Any] = {"rotation": 45, "ha": "right"} if turned else {}
        getattr(axes, f"set_{which}ticks")(places, texts, **style)


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:.4g}"
    return str(value)


@dataclass(frozen=True, slots=True)
class Line:
    """Settings that differ in one parameter only."""

    name: str
    places: list[int]
    #: whether it is a line at all, and not a cloud of settings that differ in more
    is_joined: bool = True


def varying(settings: Sequence[Setting]) -> list[str]:
    """The parameters that have more than one value."""
    found: dict[str, set[str]] = {}
    for one in settings:
        for name, value in one.parameters.items():
            found.setdefault(name, set()).add(repr(value))
    return [name for name, values in found.items() if len(values) > 1]


def axis_of(selection: Selection, name: str, *, by_rank: bool = False) -> Axis:
    """The axis of a parameter: numbers rise, other values keep their order."""
    found = {
        repr(one.parameters[name]): one.parameters[name]
        for one in selection.search.settings
        if name in one.parameters
    }
    values = list(found.values())
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    is_rising = bool(numbers) and len(numbers) == len([v for v in values if v is not None])
    if is_rising:
        values = [*sorted(numbers), *(v for v in values if v is None)]
    numeric = is_rising and bool(np.isfinite(np.array(values, np.float64)).all())
    is_log = (
        numeric and values[0] > 0 and values[-1] / values[0] >= LOG_FROM and not _is_even(values)
    )
    return Axis(name, tuple(values), numeric and not by_rank, bool(is_log), is_rising)


def _is_even(values: list[Any]) -> bool:
    """Whether the values lie at equal distances, as 1..30 do."""
    steps = np.diff(values)
    return bool(np.allclose(steps, steps[0])) if len(steps) > 1 else True


def lines_of(selection: Selection, name: str) -> list[Line]:
    """A line for each combination of all other parameters and models."""
    others = [one for one in varying(selection.search.settings) if one != name]
    bases = {one.base for one in selection.search.settings}
    found: dict[str, list[int]] = {}
    for place, one in enumerate(selection.search.settings):
        if name in one.parameters:
            parts = [one.base] if len(bases) > 1 else []
            parts += [
                f"{key}={_text(one.parameters[key])}" for key in others if key in one.parameters
            ]
            found.setdefault(", ".join(parts), []).append(place)
    if len(found) > MOST_SERIES:
        every = [place for places in found.values() for place in places]
        return [Line("settings, other parameters differ", every, is_joined=False)]
    return [Line(label, places) for label, places in found.items()]


def chosen_text(selection: Selection) -> str:
    """The chosen setting, and that its value flatters it, or by which rule it was chosen."""
    names = SettingNames(selection.search.settings)
    chosen = f"chosen: {shortened(names.whole(selection.setting), 60)}"
    if selection.choice.place == selection.search.best:
        return f"{chosen}; its value is optimistic"
    return f"{chosen}; the simplest within one standard error of the best"


def one_error_limit(selection: Selection) -> float:
    """The value that lies one standard error from the best; NaN where no rule looks at it."""
    sign = {"up": -1.0, "down": 1.0}.get(selection.criterion.direction, np.nan)
    if selection.choice.rule == "best":
        return float("nan")
    best = selection.search.best
    return float(selection.search.values[best] + sign * rule_error(selection.search)[0])


def undrawn(selection: Selection, parameter: str) -> str:
    """Which settings have no place in a chart, and why; empty where all have one."""
    names = SettingNames(selection.search.settings)
    status = selection.table.columns()["status"]
    found: dict[str, list[str]] = {}
    for place, one in enumerate(selection.search.settings):
        if parameter not in one.parameters:
            found.setdefault(f"without {parameter}", []).append(names.label(one))
        elif not np.isfinite(selection.search.values[place]):
            found.setdefault(status[place] or "infinite", []).append(names.label(one))
    told = [
        f"{why}: {'; '.join(labels)}" if len(labels) <= MOST_NAMED else f"{len(labels)} {why}"
        for why, labels in found.items()
    ]
    return f"not drawn, {', '.join(told)}" if told else ""


def finish(
    figure: Figure,
    axes: Any,
    selection: Selection,
    title: str,
    legend: list[tuple[Any, str]],
    *,
    is_inside: bool,
) -> None:
    """Title, what was run, and the legend below; in axes of the user's the legend is inside."""
    from matplotlib.lines import Line2D

    if is_inside:
        axes.set_title(title, gid=TITLE)
        handles = [Line2D([], [], alpha=0) if handle is None else handle for handle, _ in legend]
        texts = [wrapped(text, axes.get_window_extent().width / figure.dpi) for _, text in legend]
        axes.legend(handles, texts, loc="best", fontsize=7.0)
        return
    data, splits = selection.dataset, selection.splits
    words = (
        f"{data.source or data.name}, {len(data):,} rows; {splits.procedure}; "
        f"{len(selection.search.settings):,} settings"
    )
    short = [(handle, text) for handle, text in legend if _is_short(handle, text)]
    longest = max((len(text) for _, text in short), default=0)
    columns = min(len(short), 3 if longest <= 15 else 2)
    if len(short) < LISTED:
        short, columns = [], 1
    rest = [one for one in legend if one not in short]
    handles = [Line2D([], [], alpha=0) if handle is None else handle for handle, _ in rest]
    texts = [wrapped(text, 5.6) for _, text in rest]
    lines = sum(text.count("\n") + 1 for text in texts)
    above = -(-len(short) // columns)
    below = 0.62 + 0.19 * (lines + above)
    width, height = 6.4, 3.6 + 0.62 + below
    figure.set_size_inches(width, height)
    figure.subplots_adjust(
        left=0.13, right=0.97, top=1 - 0.62 / height, bottom=(below + 0.12) / height
    )
    head_figure(figure, title, wrapped(words, 6.2))
    place: Any = {"loc": "lower left", "borderaxespad": 0.0}
    figure.legend(handles, texts, bbox_to_anchor=(0.1, 0.02), ncols=1, **place)
    if short:
        at = (0.1, 0.02 + 0.19 * lines / height)
        own = [handle for handle, _ in short], [text for _, text in short]
        figure.legend(*own, bbox_to_anchor=at, ncols=columns, **place)


def _is_short(handle: Any, text: str) -> bool:
    """Whether an entry of the legend may stand beside others: a series with a short name."""
    return hasattr(handle, "has_yerr") and len(text) <= SHORT
