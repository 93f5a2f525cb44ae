"""Where numbers lie on paper: the ends, ticks and texts of an axis, and room for its letters."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.report.numbers import number_text
from heldout.report.plots.chart import Band, Bars, Density, Dots, Heat, Line, Rule, Words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from heldout.report.plots.chart import Axis, Panel

#: letters of ticks, of names of axes and of words, in pixels
TICK, NAME, WORD = 11.0, 12.0, 11.5
#: pixels of a point, in which widths of lines are given
POINT = 1.25
#: the mean width of a letter, as a share of its height
LETTER = 0.56
#: ticks of an axis that says nothing of them
TICKS = 6
#: the share of the range that is left free around marks
MARGIN = 0.05
#: steps between ticks, in tenths of the power of ten
STEPS = (1, 2, 2.5, 5, 10)


def text_width(text: str, size: float) -> float:
    """About how wide a text is, in the unit of its size."""
    return LETTER * size * max(map(len, text.split("\n")))


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """The values of an axis between two places on paper.

    Parameters
    ----------
    low, high
        The values at both ends; of a logarithmic axis their logarithms.
    start, stop
        Where the ends lie.
    ticks, labels
        The values at which there is a tick, and what stands beside each.
    is_log
        Whether values stand at their logarithm.

    Examples
    --------
    >>> Scale(0, 1, 100, 300).at(0.25)
    150.0
    """

    low: float
    high: float
    start: float
    stop: float
    ticks: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()
    is_log: bool = False

    def at(self, value: Any) -> Any:
        """Where a value, or each of several, lies."""
        number = np.asarray(value, float)
        if self.is_log:
            with np.errstate(divide="ignore", invalid="ignore"):
                number = np.log10(number)
        place = self.start + (number - self.low) / (self.high - self.low) * (self.stop - self.start)
        return float(place) if np.ndim(value) == 0 else place

    def share(self, share: float) -> float:
        """Where a share of the axis lies."""
        return self.start + share * (self.stop - self.start)


def scales_of(
    panel: Panel, box: tuple[float, float, float, float], *, shared: Panel | None = None
) -> tuple[Scale, Scale]:
    """Both scales of a panel in a box (left, top, width, height).

    ``shared``: a panel whose horizontal axis has the same ends.
    """
    left, top, width, height = box
    panels = [panel] if shared is None else [panel, shared]
    return (
        _scale(panel.x, "x", panels, left, left + width),
        _scale(panel.y, "y", [panel], top + height, top),
    )


def _scale(axis: Axis, which: str, panels: Sequence[Panel], start: float, stop: float) -> Scale:
    is_log = axis.scale == "log"
    ends = _ends(axis, which, panels, is_log)
    low, high = sorted(ends)
    if axis.ticks is not None:
        ticks = tuple(float(tick) for tick in axis.ticks)
    else:
        ticks = _log_ticks(low, high) if is_log else _ticks(low, high, axis)
    inside = [t for t in ticks if low - 1e-9 <= (log10(t) if is_log else t) <= high + 1e-9]
    if axis.labels is not None:
        named = dict(zip(ticks, axis.labels, strict=True))
        labels = tuple(named[tick] for tick in inside)
    else:
        labels = tuple(map(axis.format, inside)) if axis.format else _tick_texts(inside)
    return Scale(*ends, start, stop, tuple(inside), labels, is_log)


def _tick_texts(ticks: Sequence[float]) -> tuple[str, ...]:
    """Numbers with as many decimals as the one that needs most of them."""
    plain = [f"{tick:.10g}" for tick in ticks]
    if any("e" in text for text in plain):
        return tuple(number_text(tick, digits=2) for tick in ticks)
    decimals = max((len(text.partition(".")[2]) for text in plain), default=0)
    return tuple(f"{tick:,.{decimals}f}" for tick in ticks)


def _ends(axis: Axis, which: str, panels: Sequence[Panel], is_log: bool) -> tuple[float, float]:
    known = [v for panel in panels for mark in panel.marks for v in _values(mark, which)]
    values = np.concatenate([np.ravel(v) for v in known]) if known else np.array([0.0, 1.0])
    if is_log:
        values = np.log10(values[values > 0])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    free = (axis.margin if axis.margin is not None else MARGIN) * (high - low)
    if any(isinstance(mark, Heat) for panel in panels for mark in panel.marks):
        free = 0.0
    ends = [low - free, high + free]
    for i, end in enumerate((axis.low, axis.high)):
        if end is not None:
            ends[i] = log10(end) if is_log else float(end)
    # an axis may run downwards, but not nowhere
    if ends[0] == ends[1]:
        ends = [ends[0] - 0.5, ends[1] + 0.5]
    return ends[0], ends[1]


def _values(mark: Any, which: str) -> Iterable[NDArray[Any]]:
    """The values of a mark along an axis."""
    across = which == "x"
    match mark:
        case Line():
            yield np.asarray(mark.x if across else mark.y, float)
            if not across and mark.reach is not None:
                yield np.asarray(mark.y, float) - mark.reach[0]
                yield np.asarray(mark.y, float) + mark.reach[1]
        case Band():
            yield from ([mark.x] if across else [mark.low, mark.high])
        case Bars():
            base = 0.0 if mark.base is None else mark.base
            yield mark.edges if across else np.append(mark.heights + base, 0.0)
        case Rule() if (mark.axis == "x") == across:
            yield np.array([mark.at])
        case Dots():
            yield np.asarray(mark.x if across else mark.y, float)
        case Density():
            yield np.asarray(mark.extent[:2] if across else mark.extent[2:])
        case Heat():
            yield np.array([-0.5, mark.cells.shape[1 if across else 0] - 0.5])


def _ticks(low: float, high: float, axis: Axis) -> tuple[float, ...]:
    """Round numbers between the ends.

    The least step of 1, 2, 2.5, 5 or 10 times a power of ten that gives few enough of them.
    """
    most = axis.most or TICKS
    rough = (high - low) / most
    if not (rough > 0 and isfinite(rough)):
        return (low,)
    power = 10.0 ** floor(log10(rough))
    step = next(power * s for s in STEPS if power * s >= rough * (1 - 1e-9))
    if axis.is_whole:
        step = max(round(step), 1)
    first = ceil(low / step - 1e-9)
    last = floor(high / step + 1e-9)
    return tuple(float(f"{i * step:.12g}") for i in range(first, last + 1))


def _log_ticks(low: float, high: float) -> tuple[float, ...]:
    """Powers of ten, and what lies between them where there are few."""
    powers = range(floor(low), ceil(high) + 1)
    steps: tuple[int, ...] = (
        (1,) if high - low > 3 else (1, 2, 5) if high - low > 1 else (1, 2, 3, 5)
    )
    return tuple(float(f"{s * 10.0**p:.6g}") for p in powers for s in steps)


def room_left(panel: Panel) -> float:
    """Room for the numbers and the name of the vertical axes."""
    if panel.is_bare:
        return 0.0
    widest = 0.0
    for own in filter(None, (panel, panel.below)):
        _, y = scales_of(own, (0, 0, 1, 1))
        if own.y.has_labels:
            widest = max([widest, *(text_width(label, TICK) for label in y.labels)])
    has_name = any(own.y.label for own in (panel, panel.below) if own is not None)
    return widest + 10 + (NAME + 8 if has_name else 0)


def room_right(panel: Panel) -> float:
    """Room for words that stand beside the axes, in rows."""
    beside = (mark for mark in panel.marks if isinstance(mark, Words) and mark.unit == "row")
    return max((text_width(w.text, (w.size or WORD) * POINT) for w in beside), default=0.0) + 16


def room_below(panel: Panel) -> float:
    """Room for the numbers and the name of the horizontal axis."""
    if panel.is_bare:
        return 4.0
    x, _ = scales_of(panel, (0, 0, 1, 1))
    turned = max([0.0, *(text_width(label, TICK) for label in x.labels)]) * 0.75
    return (turned + 14 if panel.x.is_turned else TICK + 10) + (NAME + 8 if panel.x.label else 4)
