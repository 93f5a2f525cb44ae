"""Two ROC curves of the same rows, and their difference with a band of paired resampling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.core.random import stream
from karat.intervals.resampling import RowSampler
from karat.report.names import label_text
from karat.report.plots.style import GREY, look_of, shortened
from karat.report.plots.thin import thinned

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from karat.comparison.comparison import Comparison
    from karat.predictions.table import Predictions

__all__ = ["draw_paired_roc", "vertical"]

GRID = np.linspace(0, 1, 101)
DRAWS = 500
#: rows times draws that are still quick
MOST_WORK = 100_000_000


def draw_paired_roc(
    comparison: Comparison, *, first: str = "", second: str = "", measure: str = ""
) -> Figure:
    """Above both curves, below the difference of their heights with its pointwise band."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    two = _two(comparison, first, second)
    width, height = 4.9, 6.9
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    left, side, low_part = 0.72, 3.95, 1.6
    below = figure.add_axes((left / width, 0.5 / height, side / width, low_part / height))
    place = (left / width, (0.5 + low_part + 0.42) / height, side / width, side / height)
    above = figure.add_axes(place, sharex=below)
    above.tick_params(labelbottom=False)
    for number, p in enumerate(two):
        look = look_of(number)
        x, y = _curve(_Order(p), _weights(p))
        x, y = thinned(x, y, width=1, height=1)
        area = float(np.trapezoid(y, x))
        name = f"{shortened(label_text(p.model), 30)}, AUC {area:.3f}"
        above.plot(x, y, color=look.colour, linestyle=look.line, label=name)
    above.plot([0, 1], [0, 1], color=GREY, linestyle=(0, (1, 2)), linewidth=1.1)
    above.set_xlim(0, 1)
    above.set_ylim(0, 1.005)
    above.set_ylabel("True positive rate")
    above.legend(loc="lower right")
    above.set_title("ROC curves of the same rows", loc="left", fontsize=11, fontweight="bold")
    gap, low, high, draws = _band(two, comparison.options.level, comparison.options.seed)
    below.axhline(0, color="#333333", linewidth=0.9)
    below.fill_between(GRID, low, high, color=look_of(0).colour, alpha=0.18, linewidth=0)
    below.plot(GRID, gap, color=look_of(0).colour)
    below.set_xlabel("False positive rate")
    below.set_ylabel("Difference")
    names = " - ".join(shortened(label_text(p.model), 20) for p in two)
    words = f"{names}, {100 * comparison.options.level:g}% pointwise band, {draws} paired draws"
    below.set_title(words, loc="left", fontsize=8)
    return figure


def _two(comparison: Comparison, first: str, second: str) -> tuple[Predictions, Predictions]:
    by_name = {p.model: p for p in comparison.predictions}
    names = [first or comparison.models[0], second or comparison.models[1]]
    for name in names:
        if name not in by_name:
            raise InputError(f"no model is called {name!r}; there are {', '.join(by_name)}")
    return by_name[names[0]], by_name[names[1]]


class _Order:
    """The rows of a model in falling order of score, with the ends of equal scores."""

    def __init__(self, p: Predictions) -> None:
        assert p.scores is not None
        self.order = np.argsort(-p.scores, kind="stable")
        ordered = p.scores[self.order]
        self.ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
        self.is_positive = (p.truth == p.positive)[self.order]


def _weights(p: Predictions) -> NDArray[np.float64]:
    return np.ones(len(p)) if p.weight is None else p.weight


def _curve(ordered: _Order, weights: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    mass = weights[ordered.order]
    ones = np.cumsum(np.where(ordered.is_positive, mass, 0.0))
    zeros = np.cumsum(np.where(ordered.is_positive, 0.0, mass))
    x, y = zeros[ordered.ends] / zeros[-1], ones[ordered.ends] / ones[-1]
    return np.concatenate([[0.0], x]), np.concatenate([[0.0], y])


def vertical(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    """The height of a curve over the grid; where it rises straight up, the middle of the rise."""
    upper = np.interp(GRID, x, y)
    first = np.searchsorted(x, GRID, side="left")
    last = np.searchsorted(x, GRID, side="right") - 1
    is_wall = (first < last) & (x[np.minimum(first, len(x) - 1)] == GRID)
    upper[is_wall] = (y[first[is_wall]] + y[last[is_wall]]) / 2
    return upper


def _units(p: Predictions) -> NDArray[Any] | None:
    """What is drawn: groups, or rows of the data where each was predicted in several repeats."""
    if p.design.group is not None:
        return p.design.group.codes
    if p.design.repeat is not None and p.identifier is not None:
        return np.unique(np.asarray(p.identifier).astype(str), return_inverse=True)[1]
    return None


def _band(
    two: tuple[Predictions, Predictions], level: float, seed: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]:
    """The difference of heights, its pointwise limits, and how many draws made them."""
    ordered = [_Order(p) for p in two]
    weights = _weights(two[0])
    sampler = RowSampler(len(weights), groups=_units(two[0]))
    draws = int(min(DRAWS, max(100, MOST_WORK // max(len(weights), 1))))
    rng = stream(seed, "paired roc")

    def gap(mass: NDArray[Any]) -> NDArray[np.float64]:
        first, second = (vertical(*_curve(o, mass)) for o in ordered)
        return first - second

    drawn = []
    for _ in range(draws):
        with np.errstate(all="ignore"):
            drawn.append(gap(weights * sampler.multiplicities(rng)))
    share = (1 - level) / 2
    low, high = np.nanquantile(np.array(drawn), [share, 1 - share], axis=0)
    return gap(weights), low, high, draws
