"""The posterior of a difference with its region of practical equivalence."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparison.results_comparison import ResultsComparison
from karat.core.errors import InputError
from karat.report.names import bare_title, label_text
from karat.report.plots.style import GREY, OKABE_ITO, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from karat.comparison.comparison import Comparison
    from karat.comparison.corrected_t import Posterior
    from karat.comparison.difference import Difference

__all__ = ["draw_posterior"]

FIRST, SECOND = OKABE_ITO[0], OKABE_ITO[1]
DRAWS = 4000


def draw_posterior(
    comparison: Comparison | ResultsComparison,
    *,
    measure: str = "",
    first: str = "",
    second: str = "",
) -> Figure:
    """The density of the mean difference after cross-validation, or draws over data sets."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if isinstance(comparison, ResultsComparison):
        figure = Figure(figsize=(5.4, 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        _of_sets(figure.add_subplot(), comparison)
        return figure
    chosen = _chosen(comparison, measure, first, second)
    figure = Figure(figsize=(6.2, 0.5 + 2.35 * len(chosen)), layout="constrained")
    FigureCanvasAgg(figure)
    for number, difference in enumerate(chosen):
        axes = figure.add_subplot(len(chosen), 1, number + 1)
        _density(axes, difference)
        if not number:
            title = f"Posterior of the difference, {comparison.design.words}"
            axes.set_title(title, loc="left", fontsize=9.5, fontweight="bold")
    return figure


def _chosen(comparison: Comparison, measure: str, first: str, second: str) -> list[Difference]:
    name = measure or comparison.measures[0]
    if first and second:
        return [comparison[name, first, second]]
    found = [d for d in comparison.differences if d.measure == name]
    if not found:
        raise InputError(f"{name!r} was not compared; there are {', '.join(comparison.measures)}")
    return found[:6]


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
