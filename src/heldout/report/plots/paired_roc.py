"""Two ROC curves of the same rows, and their difference with a band of paired resampling."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.random import stream
from heldout.intervals.resampling import RowSampler, row_order
from heldout.report.names import label_text
from heldout.report.plots.chosen_pairs import chosen_pairs
from heldout.report.plots.frame import wrapped
from heldout.report.plots.layout import head_figure, new_figure
from heldout.report.plots.style import GREY, look_of, shortened
from heldout.report.plots.thin import thinned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from heldout.comparison.comparison import Comparison
    from heldout.predictions.table import Predictions
    from heldout.report.plots.style import Look

__all__ = ["MOST_PAIRS", "draw_paired_roc", "vertical"]

#: pairs of one chart that can still be read, and those side by side
MOST_PAIRS = 6
ACROSS = 3
#: models that keep a look of their own from pair to pair
MOST_LOOKS = 35

GRID = np.linspace(0, 1, 101)
DRAWS = 500
#: rows times draws that are still quick
MOST_WORK = 100_000_000


def draw_paired_roc(
    comparison: Comparison, *, first: str = "", second: str = "", page: int = 0
) -> Figure:
    """Above both curves, below the difference of their heights with its pointwise band."""
    ranking = "auc" if "auc" in comparison.measures else comparison.measures[0]
    order = comparison.order(ranking)
    found = chosen_pairs(comparison, order, most=MOST_PAIRS, first=first, second=second, page=page)
    by_name = {p.model: p for p in comparison.predictions}
    across = 2 if len(found.pairs) == 4 else min(len(found.pairs), ACROSS)
    down = -(-len(found.pairs) // across)
    left, side, low_part, right = 0.75, 3.6, 1.45, 0.25
    panel_width, panel_height = left + side + right, 0.62 + low_part + 0.5 + side + 0.3
    width = across * panel_width
    draws = _draws(len(comparison.predictions[0]))
    words = (
        f"{comparison.design.words}; {100 * comparison.options.level:g}% pointwise band of the "
        f"difference, {draws} paired draws, seed {comparison.options.seed}"
    )
    heading = wrapped("; ".join(filter(None, (words, found.note))), width - 0.3)
    head = 0.42 + 0.16 * (heading.count("\n") + 1)
    height = head + down * panel_height
    figure = new_figure(figsize=(width, height))
    for number, pair in enumerate(found.pairs):
        x = (number % across) * panel_width + left
        y = height - head - (number // across + 1) * panel_height + 0.62
        below = figure.add_axes((x / width, y / height, side / width, low_part / height))
        place = (x / width, (y + low_part + 0.5) / height, side / width, side / height)
        above = figure.add_axes(place, sharex=below)
        two = by_name[pair[0]], by_name[pair[1]]
        looks = [look_of(comparison.models.index(name) % MOST_LOOKS) for name in pair]
        _curves(above, two, looks, "pooled " if comparison.of else "")
        _gap(below, two, comparison, draws)
    head_figure(figure, "ROC curves of the same rows", heading)
    return figure


def _curves(
    axes: Any, two: tuple[Predictions, Predictions], looks: Sequence[Look], of: str
) -> None:
    """Both curves; ``of`` says what kind of area theirs is, where the tables show another."""
    for p, look in zip(two, looks, strict=True):
        x, y = _curve(_Order(p), _weights(p))
        area = float(np.trapezoid(y, x))
        x, y = thinned(x, y, width=1, height=1)
        name = f"{shortened(label_text(p.model), 30)}, {of}AUC {area:.3f}"
        axes.plot(x, y, color=look.colour, linestyle=look.line, label=name)
    axes.plot([0, 1], [0, 1], color=GREY, linestyle=(0, (1, 2)), linewidth=1.1)
    axes.tick_params(labelbottom=False)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.005)
    axes.set_ylabel("True positive rate")
    axes.legend(loc="lower right")


def _gap(
    axes: Any, two: tuple[Predictions, Predictions], comparison: Comparison, draws: int
) -> None:
    """The difference of the heights and its band."""
    gap, low, high = _band(two, comparison.options.level, comparison.options.seed, draws)
    axes.axhline(0, color="#333333", linewidth=0.9)
    axes.fill_between(GRID, low, high, color=look_of(0).colour, alpha=0.18, linewidth=0)
    axes.plot(GRID, gap, color=look_of(0).colour)
    axes.set_xlabel("False positive rate")
    axes.set_ylabel("Difference")
    names = " − ".join(shortened(label_text(p.model), 26) for p in two)
    axes.set_title(names, loc="left", fontsize=8.5)


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
    two: tuple[Predictions, Predictions], level: float, seed: int, draws: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The difference of heights, and its pointwise limits."""
    ordered = [_Order(p) for p in two]
    weights = _weights(two[0])
    sampler = RowSampler(len(weights), groups=_units(two[0]), order=partial(row_order, *two))
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
    return gap(weights), low, high


def _draws(rows: int) -> int:
    return int(min(DRAWS, max(100, MOST_WORK // max(rows, 1))))
