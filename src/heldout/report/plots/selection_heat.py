"""The heat map of a search: the measure by two parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.report.names import arrow, title_of
from heldout.report.plots.selection_axes import axis_of, chosen_text, varying

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.selection.selection import Selection
    from heldout.selection.settings import Setting

__all__ = ["heat_chart", "is_full"]

#: pairs of values without a setting, or whose setting has no finite value
EMPTY = "#dddddd"


def is_full(selection: Selection) -> bool:
    """Whether each setting has the two parameters, and no pair of their values two settings."""
    names = varying(selection.search.settings)
    if any(name not in one.parameters for one in selection.search.settings for name in names):
        return False
    pairs = [
        tuple(repr(one.parameters.get(name)) for name in names) for one in selection.search.settings
    ]
    return len(set(pairs)) == len(pairs)


def _is_beside(one: Setting, chosen: Setting, known: Sequence[str]) -> bool:
    """Whether a setting differs from the chosen one in these parameters alone."""
    return one.base == chosen.base and all(
        name in one.parameters
        if name in known
        else repr(one.parameters.get(name)) == repr(chosen.parameters.get(name))
        for name in {*one.parameters, *chosen.parameters, *known}
    )


def heat_chart(
    axes: Any, selection: Selection, known: Sequence[str]
) -> tuple[str, list[tuple[Any, str]]]:
    """The measure by two parameters; all others are as in the chosen setting."""
    best = selection.best.parameters
    if not all(name in best for name in known):
        raise InputError(
            f"the chosen setting {selection.best.name} has no {' and '.join(known)}: a heat map "
            "is of parameters of the chosen setting"
        )
    down, across = (axis_of(selection, name, by_rank=True) for name in known)
    cells = np.full((len(down.values), len(across.values)), np.nan)
    for setting, value in zip(selection.search.settings, selection.search.values, strict=True):
        if _is_beside(setting, selection.setting, known):
            row = int(down.place(setting.parameters[known[0]]))
            column = int(across.place(setting.parameters[known[1]]))
            cells[row, column] = value
    finite = np.where(np.isfinite(cells), cells, np.nan)
    if np.isnan(finite).all():
        raise InputError(f"no setting of {' and '.join(known)} has a value to draw")
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
    axes.set_facecolor(EMPTY)
    if cells.size <= 150:
        _numbers(axes, cells, finite, direction)
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
    bar = axes.figure.colorbar(image, ax=axes, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label(f"{title_of(selection.criterion.name)} {arrow(selection.criterion.name)}".strip())
    legend: list[tuple[Any, str]] = [(frame, chosen_text(selection))]
    if np.isnan(finite).any():
        legend.append((Rectangle((0, 0), 1, 1, color=EMPTY), "not tried, or without a value"))
    others = [one for one in varying(selection.search.settings) if one not in known]
    if own := [one for one in others if one in best]:
        legend.append((None, f"{' and '.join(own)}: as in the chosen setting"))
    return f"{title_of(selection.criterion.name)} by {known[0]} and {known[1]}", legend


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
