"""Charts of a search by name: a measure against a parameter or training rows, or by two."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.core.wording import values_by_key
from heldout.report.names import arrow, title_of
from heldout.report.plots.book import ALL, Book
from heldout.report.plots.chart import (
    BAR,
    GREY,
    Axis,
    Chart,
    Heat,
    Layout,
    Line,
    Panel,
    Rule,
    cell_words,
    swatch,
)
from heldout.report.plots.looks import MOST_SERIES, look_of, shorten
from heldout.report.selection_settings import SettingNames, values_of_parameters
from heldout.selection.choice import one_error_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from heldout.core.specs import Spec
    from heldout.report.plots.book import Options
    from heldout.selection.selection import Selection
    from heldout.selection.settings import Setting

BARS = "bars: one standard error over {count} splits"
OPTIMISTIC = "training rows: optimistic"
#: how values of training rows are drawn
HOLLOW: Any = {"dash": (0, (1.2, 1.2)), "size": 3.2, "face": "white"}
#: a parameter whose largest value is so many times its smallest is drawn on a log scale
LOG_FROM = 20.0
MOST_LABELS = 24
#: settings that are named where they are not drawn
MOST_NAMED = 3
#: of the axes in inches; points between neighbouring series, and the width in points
SIZE = (5.4, 3.6)
APART, WIDTH = 4.5, 72 * SIZE[0]
#: of the room between two values, so much may be taken by series beside each other
ROOM = 0.6
#: pairs of values without a setting, or whose setting has no finite value
EMPTY = "#dddddd"
#: cells of a heat map in which numbers can be read
MOST_CELLS = 150
#: of the shades, from which on letters are white
DARK = 0.6


@dataclass(frozen=True, slots=True)
class Scale:
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
        return float([repr(known) for known in self.values].index(repr(value)))

    def axis(self, *, is_across: bool = True, **more: Any) -> Axis:
        """Name, ticks and scale."""
        if self.is_log:
            # powers of ten as plain numbers: formulas are off, so that $ is a letter
            return Axis(self.name, scale="log", format="{:g}".format, **more)
        if self.is_number:
            is_whole = all(isinstance(value, int) for value in self.values) or None
            return Axis(self.name, is_whole=is_whole, **more)
        step = -(-len(self.values) // MOST_LABELS)
        places = tuple(range(0, len(self.values), step))
        texts = tuple(_text(self.values[index]) for index in places)
        is_turned = is_across and sum(map(len, texts)) > 60
        return Axis(self.name, ticks=places, labels=texts, is_turned=is_turned, **more)

    def shifts(self, count: int) -> list[float]:
        """By how many points of paper each of some series is moved, so that none hides another."""
        apart = min(APART, ROOM * self._least_gap() / max(count - 1, 1))
        return [(number - (count - 1) / 2) * apart for number in range(count)]

    def _least_gap(self) -> float:
        """The points between the two values that are nearest to each other."""
        places = np.array([self.place(value) for value in self.values])
        gaps = np.diff(np.sort(np.log(places) if self.is_log else places))
        return float(gaps.min() / gaps.sum() * WIDTH) if len(gaps) and gaps.sum() else WIDTH


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return f"{value:.4g}" if isinstance(value, int | float) else str(value)


@dataclass(frozen=True, slots=True)
class Series:
    """Settings that differ in one parameter only."""

    name: str
    places: list[int]
    #: whether it is a line at all, and not a cloud of settings that differ in more
    is_joined: bool = True


def varying(settings: Sequence[Setting]) -> list[str]:
    """The parameters that have more than one value."""
    return [name for name, values in values_of_parameters(settings).items() if len(values) > 1]


def has_numbers(selection: Selection, name: str) -> bool:
    """Whether the values of a parameter rise, so that a line may join them."""
    return _scale_of(selection, name).is_rising


def _scale_of(selection: Selection, name: str, *, by_rank: bool = False) -> Scale:
    """The scale of a parameter: numbers rise, other values keep their order."""
    given = [s.parameters[name] for s in selection.search.settings if name in s.parameters]
    values = list({repr(value): value for value in given}.values())
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    is_rising = bool(numbers) and len(numbers) == len([v for v in values if v is not None])
    if is_rising:
        values = [*sorted(numbers), *(v for v in values if v is None)]
    numeric = is_rising and bool(np.isfinite(np.array(values, np.float64)).all())
    is_log = (
        numeric and values[0] > 0 and values[-1] / values[0] >= LOG_FROM and not _is_even(values)
    )
    is_number = numeric and not by_rank
    return Scale(name, tuple(values), is_number, bool(is_log) and is_number, is_rising)


def _is_even(values: list[Any]) -> bool:
    """Whether the values lie at equal distances, as 1..30 do."""
    steps = np.diff(values)
    return bool(np.allclose(steps, steps[0])) if len(steps) > 1 else True


def _series_of(selection: Selection, name: str) -> list[Series]:
    """A series for each combination of all other parameters and models."""
    settings = selection.search.settings
    others = [other for other in varying(settings) if other != name]
    several = len({setting.base for setting in settings}) > 1

    def label(setting: Setting) -> str:
        own = setting.parameters
        parts = [f"{key}={_text(own[key])}" for key in others if key in own]
        return ", ".join([setting.base, *parts] if several else parts)

    known = ((label(s), index) for index, s in enumerate(settings) if name in s.parameters)
    by_label = values_by_key(known)
    if len(by_label) > MOST_SERIES:
        every = [index for places in by_label.values() for index in places]
        return [Series("settings, other parameters differ", every, is_joined=False)]
    return [Series(label, places) for label, places in by_label.items()]


def text_of_chosen(selection: Selection) -> str:
    """The chosen setting, and that its value flatters it, or by which rule it was chosen."""
    names = SettingNames(selection.search.settings)
    chosen = f"chosen: {shorten(names.whole(selection.setting), 60)}"
    if selection.choice.index == selection.search.best:
        return f"{chosen}; its value is optimistic"
    return f"{chosen}; the simplest within one standard error of the best"


def _not_drawn(selection: Selection, parameter: str) -> str:
    """Which settings have no place in a chart, and why; empty where all have one."""
    names = SettingNames(selection.search.settings)
    status = selection.table.columns()["status"]

    def reason(index: int, setting: Setting) -> str:
        if parameter not in setting.parameters:
            return f"without {parameter}"
        is_drawn = np.isfinite(selection.search.values[index])
        return "" if is_drawn else status[index] or "infinite"

    pairs = ((reason(i, s), names.label(s)) for i, s in enumerate(selection.search.settings))
    parts = [
        f"{why}: {'; '.join(labels)}" if len(labels) <= MOST_NAMED else f"{len(labels)} {why}"
        for why, labels in values_by_key(pairs).items()
        if why
    ]
    return f"not drawn, {', '.join(parts)}" if parts else ""


def _chart(selection: Selection, title: str, panel: Panel, **room: Any) -> Chart:
    """The chart of one panel, under what was run."""
    data, splits = selection.dataset, selection.splits
    words = (
        f"{data.source or data.name}, {len(data):,} rows; {splits.procedure}; "
        f"{len(selection.search.settings):,} settings"
    )
    return Chart(title, words, (panel,), Layout(SIZE, **room))


def _measure_title(selection: Selection) -> str:
    name = selection.criterion.name
    return f"{title_of(name)} {arrow(name)}".strip()


def parameter_chart(selection: Selection, parameter: str, *, has_training: bool) -> Chart:
    """The measure against a parameter, a series for each combination of the others."""
    if has_training and selection.training is None:
        raise InputError(
            f"training values were not computed: give {argument('training_error', True)}"
        )
    scale = _scale_of(selection, parameter)
    table, search = selection.table.columns(), selection.search
    every = _series_of(selection, parameter)
    shifts = scale.shifts(len(every))
    panel = Panel(x=scale.axis(margin=0.07), y=Axis(_measure_title(selection)))
    sample: Any = None

    def place_of(number: int) -> float:
        return scale.place(search.settings[number].parameters[parameter])

    for number, series in enumerate(every):
        look = look_of(number)
        places = sorted(series.places, key=place_of)
        x = np.array([place_of(index) for index in places])
        y = np.array([table["value"][index] for index in places])
        error = np.array([table["standard_error"][index] for index in places])
        is_line = scale.is_rising and series.is_joined
        # dots are for training rows where both are drawn
        dash: Any = ("-" if has_training else look.dash) if is_line else "none"
        reach = None if np.isnan(error).all() else np.tile(np.nan_to_num(error), (2, 1))
        style: dict[str, Any] = {"marker": look.marker, "shift": shifts[number]}
        line = Line(x, y, look.colour, dash, size=3.8, order=3, reach=reach, **style)
        text = shorten(series.name, 44) if series.name else "validation rows"
        panel.add(line, text)
        if has_training:
            assert selection.training is not None
            style |= HOLLOW if is_line else {**HOLLOW, "dash": "none"}
            sample = panel.add(Line(x, selection.training[places], look.colour, **style))
    if has_training:
        # once for all series
        many = Line([], [], GREY, marker="o", **HOLLOW)
        panel.explain(many if len(every) > 1 else sample, OPTIMISTIC)

    def mark(number: int, shape: str, size: float) -> Line | None:
        # the chosen model may be one that does not have this parameter
        own = next((at for at, series in enumerate(every) if number in series.places), None)
        if own is None:
            return None
        at = [place_of(number)], [float(search.values[number])]
        style: dict[str, Any] = {"face": "none", "edge": "#111111", "edge_width": 1.4, "order": 5}
        ring = Line(*at, dash="none", marker=shape, size=size, shift=shifts[own], **style)
        panel.marks.append(ring)
        return ring

    panel.explain(mark(selection.choice.index, "o", 10), text_of_chosen(selection))
    _add_best(panel, selection, mark)
    panel.explain(None, _not_drawn(selection, parameter))
    if not np.isnan(table["standard_error"]).all():
        panel.explain(None, BARS.format(count=len(selection.splits)))
    what = "Training and validation" if has_training else title_of(selection.criterion.name)
    return _chart(selection, f"{what} against {parameter}", panel)


def _add_best(
    panel: Panel, selection: Selection, mark: Callable[[int, str, float], Line | None]
) -> None:
    """Where the rule looks at the best: the best setting, and the limit of one standard error."""
    limit = one_error_limit(selection.search)
    if np.isnan(limit):
        return
    search = selection.search
    if search.best != selection.choice.index and (best := mark(search.best, "s", 11.0)):
        names = SettingNames(search.settings)
        whole = shorten(names.whole(search.settings[search.best]), 60)
        panel.explain(best, f"best: {whole}; its value is optimistic")
    line = Rule(limit, "y", GREY, 1.0, (0, (4, 3)), order=1)
    panel.add(line, f"one standard error from the best: {limit:.4g}")


def learning_chart(selection: Selection, sizes: Any = None) -> Chart:
    """The measure against the number of training rows, of validation and of training rows."""
    curve = selection.learning_curve(sizes)
    panel = Panel(x=Axis("training rows", low=0), y=Axis(_measure_title(selection)))
    for number, (values, text) in enumerate(
        ((curve.validation, "validation rows"), (curve.training, OPTIMISTIC))
    ):
        look = look_of(number)
        mean, error = curve.over_splits(values)
        reach = None if error is None else np.tile(error, (2, 1))
        style: dict[str, Any] = {"marker": look.marker, "size": 4, "order": 3, "reach": reach}
        line = Line(curve.rows, mean, look.colour, look.dash, **style)
        panel.add(line, text)
    count = curve.validation.shape[1]
    if count > 1:
        panel.explain(None, BARS.format(count=count))
    return _chart(selection, f"Learning curve of {shorten(curve.setting, 40)}", panel)


def is_full(selection: Selection) -> bool:
    """Whether each setting has the two parameters, and no pair of their values two settings."""
    settings = selection.search.settings
    names = varying(settings)
    if any(name not in setting.parameters for setting in settings for name in names):
        return False
    pairs = [tuple(repr(setting.parameters.get(name)) for name in names) for setting in settings]
    return len(set(pairs)) == len(pairs)


def _is_beside(setting: Setting, chosen: Setting, known: Sequence[str]) -> bool:
    """Whether a setting differs from the chosen one in these parameters alone."""
    return setting.base == chosen.base and all(
        name in setting.parameters
        if name in known
        else repr(setting.parameters.get(name)) == repr(chosen.parameters.get(name))
        for name in {*setting.parameters, *chosen.parameters, *known}
    )


def heat_chart(selection: Selection, known: Sequence[str]) -> Chart:
    """The measure by two parameters; all others are as in the chosen setting."""
    best = selection.best.parameters
    if not all(name in best for name in known):
        raise InputError(
            f"the chosen setting {selection.best.name} has no {' and '.join(known)}: a heat map "
            "is of parameters of the chosen setting"
        )
    down, across = (_scale_of(selection, name, by_rank=True) for name in known)
    cells = np.full((len(down.values), len(across.values)), np.nan)
    for setting, value in zip(selection.search.settings, selection.search.values, strict=True):
        if _is_beside(setting, selection.setting, known):
            row = int(down.place(setting.parameters[known[0]]))
            cells[row, int(across.place(setting.parameters[known[1]]))] = value
    finite = np.where(np.isfinite(cells), cells, np.nan)
    if np.isnan(finite).all():
        raise InputError(f"no setting of {' and '.join(known)} has a value to draw")
    panel = Panel(ground=EMPTY)
    panel.x = across.axis(has_grid=False)
    panel.y = down.axis(is_across=False, has_grid=False)
    # dark is better, whichever way the measure goes
    is_up = selection.criterion.direction == "up"
    framed = down.place(best[known[0]]), across.place(best[known[1]])
    heat = Heat(finite, _measure_title(selection), is_up, framed, "#D55E00")
    panel.add(heat, text_of_chosen(selection))
    if cells.size <= MOST_CELLS:
        _add_numbers(panel, cells, finite, is_up=is_up)
    if np.isnan(finite).any():
        panel.explain(swatch(EMPTY), "not tried, or without a value")
    others = [other for other in varying(selection.search.settings) if other not in known]
    if own := [other for other in others if other in best]:
        panel.explain(None, f"{' and '.join(own)}: as in the chosen setting")
    title = f"{title_of(selection.criterion.name)} by {known[0]} and {known[1]}"
    return _chart(selection, title, panel, right=BAR)


def _add_numbers(panel: Panel, cells: Any, finite: Any, *, is_up: bool) -> None:
    """The value of each cell."""
    low, high = np.nanmin(finite), np.nanmax(finite)
    shares = (cells - low) / ((high - low) or 1.0)
    decimals = max(0, 2 - int(np.floor(np.log10(max(abs(low), abs(high), 1e-12)))))
    texts = [["" if np.isnan(v) else f"{v:.{decimals}f}" for v in line] for line in cells]
    panel.marks += cell_words(texts, (shares if is_up else 1 - shares) > DARK)


# by name


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


def _inside(spec: Spec) -> dict[str, Any]:
    """The parameters that the brackets of a chart name."""
    inside = tuple(option for option, _ in spec.options)
    return {"parameter": inside} if inside else {}


def refuse_chart(text: str, settings: Sequence[Setting]) -> None:
    """An error where these settings cannot be drawn so, before anything is fitted."""
    name, options = BOOK.named(text)
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
BOOK = Book(
    CHARTS,
    selection_chart,
    OPTIONS,
    "of a selection",
    inside=_inside,
    every_of=every_chart,
    usual=_usual,
)
