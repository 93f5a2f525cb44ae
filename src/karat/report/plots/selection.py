"""Charts of a search: measure against a parameter, training beside validation, heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.core.nearest import did_you_mean
from karat.report.names import arrow, title_of
from karat.report.plots.save import checked_path, save
from karat.report.plots.selection_axes import (
    Axis,
    axis_of,
    finish,
    lines_of,
    varying,
)
from karat.report.plots.style import look_of, shortened, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from karat.selection.selection import Selection

__all__ = ["CHARTS", "selection_chart"]

CHARTS = ("parameter", "training", "heat", "learning")
BARS = "bars: one standard error over {count} splits"
OPTIMISTIC = "training rows: optimistic"


def selection_chart(
    selection: Selection,
    name: str | None = None,
    *,
    path: Any = None,
    parameter: str | None = None,
    **options: Any,
) -> Figure:
    """The chart of a name as a matplotlib figure, and as a file where a path is given."""
    if path is not None:
        checked_path(path)
    known = varying(selection)
    if name is None:
        name = "heat" if len(known) == 2 and _is_full(selection, known) else "parameter"
    if name not in CHARTS:
        raise InputError(
            f"no chart of a selection is called {name!r}{did_you_mean(name, CHARTS)} "
            f"(there are {', '.join(CHARTS)})"
        )
    from matplotlib.figure import Figure

    with styled():
        figure = Figure(figsize=(6.4, 4.6))
        if name == "learning":
            _learning(figure, selection, **options)
        elif name == "heat":
            _heat(figure, selection, known)
        else:
            chosen = _parameter(selection, parameter, known)
            _parameter_chart(figure, selection, chosen, has_training=name == "training")
    if path is not None:
        save(figure, path)
    return figure


def _parameter(selection: Selection, asked: str | None, known: list[str]) -> str:
    if asked is not None:
        if asked not in known:
            hint = did_you_mean(asked, known) or f"; {', '.join(known) or 'none'} varies"
            raise InputError(f"the grid does not vary {asked!r}{hint}")
        return asked
    if not known:
        raise InputError("no parameter varies: there is nothing to draw a measure against")
    numeric = [name for name in known if axis_of(selection, name).is_number]
    return (numeric or known)[0]


def _title(selection: Selection) -> str:
    return title_of(selection.criterion.name)


def _parameter_chart(
    figure: Figure, selection: Selection, parameter: str, *, has_training: bool
) -> None:
    if has_training and selection.training is None:
        raise InputError(
            "training values were not asked for: say --training-error (training_error=True)"
        )
    axes = figure.add_subplot()
    axis = axis_of(selection, parameter)
    table = selection.table.columns()
    legend: list[tuple[Any, str]] = []
    for number, line in enumerate(lines_of(selection, parameter)):
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
            linestyle=look.line if axis.is_number and line.is_joined else "none",
            marker=look.marker,
            markersize=3.8,
            elinewidth=0.9,
            capsize=2.0,
            zorder=3,
        )
        label = shortened(line.name, 44) if line.name else "validation rows"
        if has_training and line.name:
            label += ", validation rows"
        legend.append((made, label))
        if has_training:
            assert selection.training is not None
            values = selection.training[places]
            (drawn,) = axes.plot(
                x, values, color=look.colour, linestyle=(0, (1.2, 1.2)), marker=look.marker,
                markersize=3.2, markerfacecolor="white", zorder=2,
            )  # fmt: skip
            legend.append(
                (drawn, f"{shortened(line.name, 30)}{', ' if line.name else ''}{OPTIMISTIC}")
            )
    # the chosen model may be one that does not have this parameter
    has_place = parameter in selection.best.parameters
    mark = _mark(axes, selection, axis, parameter) if has_place else None
    legend.append((mark, _chosen_text(selection)))
    if not np.isnan(table["standard_error"]).all():
        legend.append((None, BARS.format(count=len(selection.splits))))
    axis.label(axes, "x")
    axes.set_ylabel(f"{_title(selection)} {arrow(selection.criterion.name)}".strip())
    what = "Training and validation" if has_training else _title(selection)
    finish(figure, axes, selection, f"{what} against {parameter}", legend)


def _chosen_text(selection: Selection) -> str:
    return f"chosen: {shortened(selection.best.name, 50)}"


def _mark(axes: Any, selection: Selection, axis: Axis, parameter: str) -> Any:
    value = selection.best.parameters.get(parameter)
    (made,) = axes.plot(
        [axis.place(value)],
        [selection.best.value],
        marker="o",
        markersize=10,
        markerfacecolor="none",
        markeredgecolor="#111111",
        markeredgewidth=1.4,
        linestyle="none",
        zorder=5,
    )
    return made


def _is_full(selection: Selection, names: list[str]) -> bool:
    """Whether each pair of values of two parameters has one setting."""
    pairs = [
        tuple(repr(one.parameters.get(name)) for name in names) for one in selection.search.settings
    ]
    return len(set(pairs)) == len(pairs)


def _heat(figure: Figure, selection: Selection, known: list[str]) -> None:
    if len(known) != 2:
        varied = ", ".join(known) or "none"
        raise InputError(f"a heat map is of two parameters, and {len(known)} vary ({varied})")
    down, across = (axis_of(selection, name, by_rank=True) for name in known)
    cells = np.full((len(down.values), len(across.values)), np.nan)
    for setting, value in zip(selection.search.settings, selection.search.values, strict=True):
        if all(name in setting.parameters for name in known):
            row = int(down.place(setting.parameters[known[0]]))
            column = int(across.place(setting.parameters[known[1]]))
            cells[row, column] = value
    axes = figure.add_subplot()
    finite = np.where(np.isfinite(cells), cells, np.nan)
    direction = selection.criterion.direction
    # dark is better, whichever way the measure goes
    image = axes.imshow(
        finite,
        aspect="auto",
        origin="lower",
        cmap="Blues" if direction == "up" else "Blues_r",
        interpolation="nearest",
    )
    axes.grid(visible=False)
    if cells.size <= 150:
        _numbers(axes, cells, finite, direction)
    best = selection.best.parameters
    at = across.place(best[known[1]]), down.place(best[known[0]])
    from matplotlib.patches import Rectangle

    frame = Rectangle(
        (at[0] - 0.5, at[1] - 0.5),
        1,
        1,
        fill=False,
        edgecolor="#D55E00",
        lw=2.2,
        clip_on=False,
        zorder=5,
    )
    axes.add_patch(frame)
    across.label(axes, "x")
    down.label(axes, "y")
    bar = figure.colorbar(image, ax=axes, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label(f"{_title(selection)} {arrow(selection.criterion.name)}".strip())
    legend = [(frame, _chosen_text(selection))]
    finish(figure, axes, selection, f"{_title(selection)} by {known[0]} and {known[1]}", legend)


def _numbers(axes: Any, cells: Any, finite: Any, direction: str) -> None:
    low, high = np.nanmin(finite), np.nanmax(finite)
    span = (high - low) or 1.0
    decimals = max(0, 2 - int(np.floor(np.log10(max(abs(low), abs(high), 1e-12)))))
    for row, column in np.ndindex(cells.shape):
        if not np.isnan(cells[row, column]):
            share = (cells[row, column] - low) / span
            dark = share if direction == "up" else 1 - share
            colour = "white" if dark > 0.6 else "#111111"
            text = f"{cells[row, column]:.{decimals}f}"
            axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=7.5)


def _learning(figure: Figure, selection: Selection, **options: Any) -> None:
    curve = selection.learning_curve(options.get("sizes"))
    axes = figure.add_subplot()
    legend: list[tuple[Any, str]] = []
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
    finish(figure, axes, selection, f"Learning curve of {shortened(curve.setting, 40)}", legend)
