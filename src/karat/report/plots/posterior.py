"""The posterior of a difference with its region of practical equivalence."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparison.results_comparison import ResultsComparison
from karat.report.names import bare_title, label_text
from karat.report.plots.chosen_pairs import checked_measure, chosen_pairs
from karat.report.plots.frame import wrapped
from karat.report.plots.style import GREY, OKABE_ITO, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from karat.comparison.comparison import Comparison
    from karat.comparison.corrected_t import Posterior
    from karat.comparison.difference import Difference

__all__ = ["MOST_PANELS", "draw_posterior"]

#: panels of one chart that can still be read, and those side by side
MOST_PANELS = 12
ACROSS = 3
#: width and height of one, in inches
PANEL = (4.4, 2.3)

FIRST, SECOND = OKABE_ITO[0], OKABE_ITO[1]
DRAWS = 4000


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
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if isinstance(comparison, ResultsComparison):
        figure = Figure(figsize=(5.6, 5.0), layout="constrained")
        FigureCanvasAgg(figure)
        _of_sets(figure.add_subplot(), comparison)
        return figure
    measures = (checked_measure(comparison, measure),) if measure else comparison.measures
    count = len(measures)
    found = chosen_pairs(comparison, measures[0], first, second, page, MOST_PANELS)
    notes = [found.note] if found.note else []
    if count > ACROSS or count * len(found.pairs) > MOST_PANELS:
        notes.append(f"1 of {count} measures, others by name [measure={measures[1]}]")
        measures = measures[:1]
    across, down = _shape(len(measures), len(found.pairs))
    wide = PANEL[0] * across + 0.3
    heading = wrapped("; ".join([_method(comparison), *notes]), wide - 0.4)
    head = 0.5 + 0.16 * (heading.count("\n") + 1)
    size = wide, head + PANEL[1] * down
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    figure.get_layout_engine().set(  # type: ignore[union-attr]
        rect=(0, 0, 1, 1 - head / size[1]), h_pad=0.06, w_pad=0.08
    )
    style: dict[str, Any] = {"va": "top", "ha": "left"}
    title = "Posterior of the difference"
    left = 0.12 / wide
    figure.text(left, 1 - 0.1 / size[1], title, fontsize=11.5, fontweight="bold", **style)
    figure.text(left, 1 - 0.33 / size[1], heading, fontsize=8.5, color="#444444", **style)
    for row, pair in enumerate(found.pairs):
        for column, name in enumerate(measures):
            axes = figure.add_subplot(down, across, row * len(measures) + column + 1)
            _density(axes, comparison[name, *pair])
    return figure


def _shape(measures: int, pairs: int) -> tuple[int, int]:
    """Panels across and down: a column a measure; of one measure up to three pairs a row."""
    if measures > 1:
        return measures, pairs
    across = 1 if pairs <= 3 else 2 if pairs <= 6 else ACROSS
    return across, -(-pairs // across)


def _method(comparison: Comparison) -> str:
    known = next(d for d in comparison.differences if d.posterior is not None)
    assert known.posterior is not None
    return f"{comparison.design.words}; {known.posterior.method}"


def _density(axes: Any, d: Difference) -> None:
    """A t distribution about the mean difference, with what lies on either side of the region."""
    from scipy.stats import t

    posterior = d.posterior
    assert posterior is not None
    freedom = d.n - 1
    reach = float(t.isf((1 - d.interval.level) / 2, freedom))
    error = d.interval.width / 2 / reach
    rope = posterior.rope
    if not error > 0:
        axes.axvline(d.value, color=FIRST)
        axes.set_title(f"every split gave the same difference: {d.value:.4g}", loc="left")
        return
    span = max(4.2 * error, 0.0)
    x = np.linspace(min(d.value - span, -1.6 * rope), max(d.value + span, 1.6 * rope), 801)
    y = t.pdf((x - d.value) / error, freedom) / error
    for part, colour in (
        (x <= -rope, SECOND),
        (np.abs(x) <= rope, "#999999"),
        (x >= rope, FIRST),
    ):
        axes.fill_between(x, 0, y, where=part, color=colour, alpha=0.28, linewidth=0)
    axes.plot(x, y, color="#222222", linewidth=1.5)
    top = float(y.max())
    axes.vlines(0, 0, 1.03 * top, color=GREY, linewidth=0.8)
    if rope:
        axes.vlines([-rope, rope], 0, 1.03 * top, color=GREY, linewidth=0.9, linestyle=(0, (3, 2)))
    axes.set_ylim(0, 1.36 * top)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.grid(visible=False)
    _probabilities(axes, d.first, d.second, posterior, d.direction)
    axes.set_xlabel(f"{bare_title(d.measure)}: {_short(d.first)} - {_short(d.second)}")


def _probabilities(axes: Any, first: str, second: str, q: Posterior, direction: str) -> None:
    """What the three parts hold; at the right lies what is greater, which may be worse."""
    left, right = q.second_better, q.first_better
    words = {"up": ("better", "better"), "down": ("worse", "worse")}.get(
        direction, ("greater",) * 2
    )
    style: dict[str, Any] = {"transform": axes.transAxes, "va": "top", "fontsize": 8.5}
    if direction == "down":
        axes.text(0.01, 0.98, f"{_short(first)} better\n{left:.1%}", color=SECOND, **style)
        axes.text(
            0.99, 0.98, f"{_short(second)} better\n{right:.1%}", color=FIRST, ha="right", **style
        )
    else:
        axes.text(0.01, 0.98, f"{_short(second)} {words[0]}\n{left:.1%}", color=SECOND, **style)
        axes.text(
            0.99, 0.98, f"{_short(first)} {words[1]}\n{right:.1%}", color=FIRST, ha="right", **style
        )
    if q.rope:
        text = f"equivalent (up to {q.rope:g})\n{q.equivalent:.1%}"
        axes.text(0.5, 0.98, text, color="#444444", ha="center", **style)


def _of_sets(axes: Any, comparison: ResultsComparison) -> None:
    """Draws of the Bayesian signed-rank test: a triangle, or a histogram without a region."""
    from karat.comparison.bayesian_signed_rank import signed_rank_shares

    d = comparison.differences[0]
    q = d.posterior
    assert q is not None
    gains = comparison.gaps(d.first, d.second)
    if not comparison.higher_is_better:
        gains = -gains
    shares = signed_rank_shares(gains, q.rope, draws=DRAWS, seed=comparison.options.seed)
    sets = len(comparison.results.sets)
    title = f"Bayesian signed-rank test, {sets} data sets"
    axes.set_title(title, loc="left", fontsize=10, fontweight="bold")
    if not q.rope:
        total = shares[:, 0] + shares[:, 2]
        of_first = shares[:, 0] / np.where(total > 0, total, 1)
        axes.hist(of_first, bins=np.linspace(0, 1, 51), color=FIRST, alpha=0.75)
        axes.axvline(0.5, color="#222222", linewidth=1)
        axes.set_xlabel(f"weight of pairs of data sets on which {_short(d.first)} is better")
        axes.set_ylabel("draws")
        style: dict[str, Any] = {"transform": axes.transAxes, "va": "top", "fontsize": 9}
        axes.text(0.02, 0.98, f"{_short(d.second)} better\n{q.second_better:.1%}", **style)
        axes.text(
            0.98, 0.98, f"{_short(d.first)} better\n{q.first_better:.1%}", ha="right", **style
        )
        return
    _triangle(axes, shares, d.first, d.second, q)


def _triangle(axes: Any, shares: Any, first: str, second: str, q: Posterior) -> None:
    """Corners: second better (left), first better (right), equivalent (top)."""
    high = sqrt(3) / 2
    x = shares[:, 0] + shares[:, 1] * 0.5
    y = shares[:, 1] * high
    winner = np.argmax(shares, axis=1)
    colours = np.array([FIRST, "#888888", SECOND])[winner]
    axes.scatter(x, y, s=7, c=colours, alpha=0.3, linewidths=0, rasterized=True, zorder=4)
    axes.plot([0, 1, 0.5, 0], [0, 0, high, 0], color="#333333", linewidth=1.1, zorder=3)
    centre = (0.5, high / 3)
    for corner in ((0.5, 0.0), (0.25, high / 2), (0.75, high / 2)):
        line = ([centre[0], corner[0]], [centre[1], corner[1]])
        axes.plot(*line, color=GREY, linewidth=0.9, linestyle=(0, (3, 2)), zorder=3)
    style: dict[str, Any] = {"fontsize": 9, "color": "#111111"}
    axes.text(0, -0.03, f"{_short(second)} better\n{q.second_better:.1%}", va="top", **style)
    axes.text(
        1, -0.03, f"{_short(first)} better\n{q.first_better:.1%}", va="top", ha="right", **style
    )
    text = f"equivalent (up to {q.rope:g}) {q.equivalent:.1%}"
    axes.text(0.5, high + 0.02, text, va="bottom", ha="center", **style)
    axes.set_aspect("equal")
    axes.set_xlim(-0.05, 1.05)
    axes.set_ylim(-0.14, high + 0.1)
    axes.axis("off")


def _short(model: str) -> str:
    return shortened(label_text(model), 22)
