"""The posterior over data sets: draws of a Bayesian test, a panel a pair."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.report.names import label_text
from heldout.report.plots.chosen_pairs import chosen_pairs
from heldout.report.plots.frame import wrapped
from heldout.report.plots.layout import head_figure, new_figure
from heldout.report.plots.style import GREY, OKABE_ITO, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from heldout.comparison.posterior import Posterior
    from heldout.comparison.results_comparison import ResultsComparison

__all__ = ["MOST_SETS_PANELS", "draw_over_sets"]

#: panels of one chart that can still be read, and those side by side
MOST_SETS_PANELS = 6
ACROSS = 3
SIDE = 4.6
FIRST, SECOND = OKABE_ITO[0], OKABE_ITO[1]
#: draws that are shown; the probabilities are of more
DRAWS = 4000


def draw_over_sets(
    comparison: ResultsComparison,
    *,
    measure: str = "",
    first: str = "",
    second: str = "",
    page: int = 0,
) -> Figure:
    """Draws of the test: a triangle with a region of equivalence, a histogram without."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    if measure not in ("", comparison.results.measure):
        raise InputError(f"{measure!r} was not compared; there is {comparison.results.measure}")
    asked: dict[str, Any] = {"first": first, "second": second, "page": page}
    found = chosen_pairs(comparison, comparison.models, most=MOST_SETS_PANELS, **asked)
    across = 2 if len(found.pairs) == 4 else min(len(found.pairs), ACROSS)
    down = -(-len(found.pairs) // across)
    wide = SIDE * across
    known = comparison[found.pairs[0]].posterior
    assert known is not None
    words = f"{comparison.results.measure} on {len(comparison.results.sets)} data sets"
    shown = f"{known.method}, {DRAWS:,} of the draws are shown"
    heading = wrapped("; ".join(filter(None, (words, shown, found.note))), wide - 0.4)
    head = 0.45 + 0.16 * (heading.count("\n") + 1)
    tall = head + (SIDE - 0.3) * down
    room = (0, 0, 1, 1 - head / tall)
    layout = ConstrainedLayoutEngine(rect=room, h_pad=0.08, w_pad=0.1)
    figure = new_figure(figsize=(wide, tall), layout=layout)
    head_figure(figure, "Posterior over data sets", heading)
    for number, pair in enumerate(found.pairs):
        _panel(figure.add_subplot(down, across, number + 1), comparison, pair)
    return figure


def _panel(axes: Any, comparison: ResultsComparison, pair: tuple[str, str]) -> None:
    from heldout.comparison.bayesian_signed_rank import posterior_shares

    q = comparison[pair].posterior
    assert q is not None
    gains = comparison.gaps(*pair)
    if not comparison.higher_is_better:
        gains = -gains
    test = q.method.partition(" (")[0]
    shares = posterior_shares(test, gains, q.rope, draws=DRAWS, seed=comparison.options.seed)
    draw = _triangle if q.rope else _histogram
    draw(axes, shares, *pair, q)


def _histogram(axes: Any, shares: Any, first: str, second: str, q: Posterior) -> None:
    total = shares[:, 0] + shares[:, 2]
    of_first = shares[:, 0] / np.where(total > 0, total, 1)
    bins = np.linspace(0, 1, 51)
    for part, colour in ((of_first < 0.5, SECOND), (of_first >= 0.5, FIRST)):
        axes.hist(of_first[part], bins=bins, color=colour, alpha=0.7)
    axes.axvline(0.5, ymax=0.86, color="#222222", linewidth=1)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.18 * axes.get_ylim()[1])
    of = "data sets" if q.method.startswith("Bayesian sign test") else "pairs of data sets"
    axes.set_xlabel(f"weight of {of} on which {_short(first)} is better")
    axes.set_ylabel("draws")
    style: dict[str, Any] = {"transform": axes.transAxes, "va": "top", "fontsize": 9}
    left, right = f"{_short(second)} better\n{q.second_better:.1%}", f"{_short(first)} better"
    axes.text(0.02, 0.98, left, color=SECOND, **style)
    axes.text(0.98, 0.98, f"{right}\n{q.first_better:.1%}", ha="right", color=FIRST, **style)


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
    style: dict[str, Any] = {"fontsize": 9, "va": "top"}
    left, right = f"{_short(second)} better\n{q.second_better:.1%}", f"{_short(first)} better"
    axes.text(0, -0.03, left, color=SECOND, **style)
    axes.text(1, -0.03, f"{right}\n{q.first_better:.1%}", ha="right", color=FIRST, **style)
    text = f"equivalent (up to {q.rope:g}) {q.equivalent:.1%}"
    axes.text(0.5, high + 0.02, text, fontsize=9, color="#444444", va="bottom", ha="center")
    axes.set_aspect("equal")
    axes.set_xlim(-0.05, 1.05)
    axes.set_ylim(-0.14, high + 0.1)
    axes.axis("off")


def _short(model: str) -> str:
    return shortened(label_text(model), 20)
