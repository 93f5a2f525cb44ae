"""The posterior of a difference with its region of practical equivalence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.posterior import share_density
from heldout.comparison.results_comparison import ResultsComparison
from heldout.report.names import bare_title, label_text
from heldout.report.plots.chosen_pairs import checked_measure, chosen_pairs
from heldout.report.plots.frame import wrapped
from heldout.report.plots.layout import head_figure, new_figure
from heldout.report.plots.sets_posterior import draw_over_sets
from heldout.report.plots.style import GREY, OKABE_ITO, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from heldout.comparison.comparison import Comparison
    from heldout.comparison.difference import Difference
    from heldout.comparison.split_tests import Posterior

__all__ = ["MOST_PANELS", "draw_posterior", "fits"]

#: panels of one chart that can still be read, and those side by side
MOST_PANELS = 12
ACROSS = 3
#: width and height of one, in inches
PANEL = (4.4, 2.3)

FIRST, SECOND = OKABE_ITO[0], OKABE_ITO[1]


def draw_posterior(
    comparison: Comparison | ResultsComparison,
    *,
    measure: str = "",
    first: str = "",
    second: str = "",
    page: int = 0,
) -> Figure:
    """The density of the mean difference after cross-validation, or draws over data sets.

    A panel a pair, and a column a measure where there is room for all of them.
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    asked: dict[str, Any] = {"first": first, "second": second, "page": page}
    if isinstance(comparison, ResultsComparison):
        return draw_over_sets(comparison, measure=measure, **asked)
    measures = (checked_measure(comparison, measure),) if measure else comparison.measures
    count = len(measures)
    order = comparison.order(measures[0])
    found = chosen_pairs(comparison, order, most=MOST_PANELS, **asked)
    notes = [found.note] if found.note else []
    if count > ACROSS or count * len(found.pairs) > MOST_PANELS:
        others = f"others by name, such as posterior[measure={measures[1]}]"
        notes.append(f"{measures[0]} is 1 of {count} measures, {others}")
        measures = measures[:1]
    across, down = _shape(len(measures), len(found.pairs))
    wide = PANEL[0] * across + 0.3
    heading = wrapped("; ".join([*_methods(comparison, measures), *notes]), wide - 0.4)
    head = 0.5 + 0.16 * (heading.count("\n") + 1)
    size = wide, head + PANEL[1] * down
    room = (0, 0, 1, 1 - head / size[1])
    layout = ConstrainedLayoutEngine(rect=room, h_pad=0.06, w_pad=0.08)
    figure = new_figure(figsize=size, layout=layout)
    head_figure(figure, "Posterior of the difference", heading)
    for row, pair in enumerate(found.pairs):
        for column, name in enumerate(measures):
            axes = figure.add_subplot(down, across, row * len(measures) + column + 1)
            _density(axes, comparison[name, *pair])
    return figure


def fits(comparison: Comparison) -> bool:
    """Whether one chart has room for every pair by every measure."""
    count = len(comparison.measures)
    return count <= ACROSS and count * len(comparison.pairs) <= MOST_PANELS


def _shape(measures: int, pairs: int) -> tuple[int, int]:
    """Panels across and down: a column a measure; of one measure up to three pairs a row."""
    if measures > 1:
        return measures, pairs
    across = 1 if pairs <= 3 else 2 if pairs <= 6 else ACROSS
    return across, -(-pairs // across)


def _methods(comparison: Comparison, measures: Sequence[str]) -> list[str]:
    """The design, and how the posterior of each measure was made."""
    made: dict[str, list[str]] = {}
    for d in comparison.differences:
        if d.posterior is not None and d.measure in measures:
            made.setdefault(d.posterior.method, []).append(d.measure)
    if len(made) == 1:
        return [comparison.design.words, *made]
    said = [f"{', '.join(dict.fromkeys(of))}: {method}" for method, of in made.items()]
    return [comparison.design.words, *said]


def _density(axes: Any, d: Difference) -> None:
    """The density of the difference, with what lies on either side of the region."""
    posterior = d.posterior
    axes.set_xlabel(f"{bare_title(d.measure)}: {_short(d.first)} - {_short(d.second)}")
    if posterior is None:
        axes.text(0.5, 0.5, "no posterior", transform=axes.transAxes, ha="center", color=GREY)
        axes.set_yticks([])
        return
    error, rope = posterior.error, posterior.rope
    drawn = posterior.draws
    if (drawn is None or not drawn.std() > 0) and not error > 0:
        axes.axvline(d.value, color=FIRST)
        axes.set_title(f"nothing varies: the difference is {d.value:.4g}", loc="left")
        return
    span = 4.2 * (error if drawn is None else float(drawn.std()))
    x = np.linspace(min(d.value - span, -1.6 * rope), max(d.value + span, 1.6 * rope), 801)
    y = _heights(posterior, d.value, x)
    # a colour is a model's in every panel: where less is better, the sides change places
    sides = (FIRST, SECOND) if d.direction == "down" else (SECOND, FIRST)
    for part, colour in (
        (x <= -rope, sides[0]),
        (np.abs(x) <= rope, "#999999"),
        (x >= rope, sides[1]),
    ):
        axes.fill_between(x, 0, y, where=part, color=colour, alpha=0.28, linewidth=0)
    axes.plot(x, y, color="#222222", linewidth=1.5)
    top = float(y.max())
    axes.vlines(0, 0, 1.03 * top, color=GREY, linewidth=0.8)
    if rope:
        axes.vlines([-rope, rope], 0, 1.03 * top, color=GREY, linewidth=0.9, linestyle=(0, (3, 2)))
    axes.set_ylim(0, 1.4 * top)
    axes.set_yticks([])
    axes.locator_params(axis="x", nbins=6)
    axes.spines["left"].set_visible(False)
    axes.grid(visible=False)
    _probabilities(axes, d.first, d.second, posterior, d.direction)


def _heights(posterior: Posterior, value: float, x: Any) -> Any:
    """The density: of shares integrated, of a mean a t distribution, else smoothed draws."""
    from scipy.stats import gaussian_kde, t

    if posterior.cells is not None:
        half = (x[1] - x[0]) / 2
        return share_density(posterior.cells, np.append(x - half, x[-1] + half))
    if posterior.draws is not None:
        return gaussian_kde(posterior.draws)(x)
    return t.pdf((x - value) / posterior.error, posterior.freedom) / posterior.error


def _probabilities(axes: Any, first: str, second: str, q: Posterior, direction: str) -> None:
    """What the three parts hold; at the right lies what is greater, which may be worse."""
    sides = [(second, q.second_better, SECOND), (first, q.first_better, FIRST)]
    word = "better" if direction in {"up", "down"} else "greater"
    if direction == "down":
        sides = [(first, q.second_better, FIRST), (second, q.first_better, SECOND)]
    style: dict[str, Any] = {"transform": axes.transAxes, "va": "top", "fontsize": 8.5}
    for (name, share, colour), x, align in zip(sides, (0.01, 0.99), ("left", "right"), strict=True):
        text = f"{_short(name)} {word}\n{share:.1%}"
        axes.text(x, 0.99, text, color=colour, ha=align, **style)
    if q.rope:
        # a line lower than the names, which may be long
        text = f"\nequivalent (up to {q.rope:g}) {q.equivalent:.1%}"
        axes.text(0.5, 0.99, text, color="#444444", ha="center", **style)


def _short(model: str) -> str:
    return shortened(label_text(model), 20)
