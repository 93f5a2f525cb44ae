"""Series of a chart a little apart sideways, so that none hides the bars of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from heldout.report.plots.selection_axes import Axis

__all__ = ["dodged"]

#: points between neighbouring series, and the width of the axes in points
APART, WIDTH = 4.5, 360.0
#: of the room between two values, so much may be taken
ROOM = 0.6


def dodged(figure: Figure, axes: Any, axis: Axis, count: int) -> list[Any]:
    """Where each series is drawn: at its values, moved by points of paper and not by values."""
    from matplotlib.transforms import ScaledTranslation

    apart = min(APART, ROOM * _least_gap(axis) / max(count - 1, 1))
    middle = (count - 1) / 2
    return [
        axes.transData + ScaledTranslation((place - middle) * apart / 72, 0, figure.dpi_scale_trans)
        for place in range(count)
    ]


def _least_gap(axis: Axis) -> float:
    """The points between the two values that are nearest to each other."""
    places = np.array([axis.place(value) for value in axis.values])
    if axis.is_log:
        places = np.log(places)
    gaps = np.diff(np.sort(places))
    return float(gaps.min() / gaps.sum() * WIDTH) if len(gaps) and gaps.sum() else WIDTH
