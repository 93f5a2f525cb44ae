"""Posteriors of differences with their region of practical equivalence, a panel per pair."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.comparison.over_sets.bayesian import SIGN
from heldout.comparison.over_sets.sets_comparison import ResultsComparison
from heldout.core.errors import InputError
from heldout.core.wording import values_by_key
from heldout.report.names import bare_title, label_text
from heldout.report.plots.chart import (
    GREY,
    INK,
    Axis,
    Band,
    Bars,
    Chart,
    Dots,
    Layout,
    Line,
    Panel,
    Rule,
    Words,
)
from heldout.report.plots.looks import ACROSS, OKABE_ITO, shorten, side_by_side
from heldout.report.plots.pair_charts import check_measure, choose_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.comparison.comparison import Comparison
    from heldout.comparison.difference import Difference
    from heldout.comparison.posterior import Posterior

#: panels of one chart that can still be read, over splits and over data sets, and side by side
MOST_PANELS, MOST_SETS_PANELS = 12, 6
#: width and height of the axes of a panel, and of one over data sets, in inches
PANEL, OF_SETS = (3.8, 1.5), (3.8, 3.4)
FIRST, SECOND, NEITHER = OKABE_ITO[0], OKABE_ITO[1], "#888888"
#: draws over data sets that are shown; the probabilities are of more
DRAWS = 4000
#: what matplotlib and we leave free above bars
ABOVE_BARS = 1.05 * 1.18
#: a model at the left and one at the right: name, probability and colour
Sides = tuple[tuple[str, float, str], tuple[str, float, str]]
#: an axis without a scale
NOTHING = Axis(ticks=())


def posterior_chart(
    comparison: Comparison | ResultsComparison,
    *,
    measure: str = "",
    first: str = "",
    second: str = "",
    page: int = 0,
) -> Chart:
    """The density of the mean difference after cross-validation, or draws over data sets.

    A panel per pair, and a column per measure where there is room for all of them.
    """
    asked: dict[str, Any] = {"first": first, "second": second, "page": page}
    if isinstance(comparison, ResultsComparison):
        return _over_sets(comparison, measure, asked)
    measures = (check_measure(comparison, measure),) if measure else comparison.measures
    count = len(measures)
    order = comparison.order(measures[0])
    shown = choose_pairs(comparison, order, most=MOST_PANELS, **asked)
    notes = [shown.note] if shown.note else []
    if count > ACROSS or count * len(shown.pairs) > MOST_PANELS:
        others = f"others by name, such as posterior[measure={measures[1]}]"
        notes.append(f"{measures[0]} is 1 of {count} measures, {others}")
        measures = measures[:1]
    panels = tuple(_density(comparison[m, *pair]) for pair in shown.pairs for m in measures)
    return Chart(
        "Posterior of the difference",
        "; ".join([*_methods(comparison, measures), *notes]),
        panels,
        Layout(PANEL, across=_across(len(measures), len(shown.pairs))),
    )


def fits(comparison: Comparison) -> bool:
    """Whether one chart has room for every pair by every measure."""
    count = len(comparison.measures)
    return count <= ACROSS and count * len(comparison.pairs) <= MOST_PANELS


def _across(measures: int, pairs: int) -> int:
    """Panels in a row: a column per measure; of one measure up to three pairs."""
    return measures if measures > 1 else 1 if pairs <= 3 else 2 if pairs <= 6 else ACROSS


def _methods(comparison: Comparison, measures: Sequence[str]) -> list[str]:
    """The design, and how the posterior of each measure was made."""
    methods = values_by_key(
        (d.posterior.method, d.measure)
        for d in comparison.differences
        if d.posterior is not None and d.measure in measures
    )
    if len(methods) == 1:
        return [comparison.design.words, *methods]
    named = [f"{', '.join(of)}: {method}" for method, of in methods.items()]
    return [comparison.design.words, *named]


def _density(d: Difference) -> Panel:
    """The density of the difference, with what lies on either side of the region."""
    posterior = d.posterior
    across = f"{bare_title(d.measure)}: {_short(d.first)} - {_short(d.second)}"
    panel = Panel(x=Axis(across))
    if posterior is None:
        panel.add(Words(0.5, 0.5, "no posterior", "share", None, GREY, across="center"))
        panel.y = NOTHING
        return panel
    error, rope = posterior.error, posterior.rope
    drawn = posterior.draws
    if (drawn is None or not drawn.std() > 0) and not error > 0:
        panel.add(Rule(d.value, colour=FIRST))
        text = f"nothing varies: the difference is {d.value:.4g}"
        panel.add(Words(0.5, 0.95, text, "share", None, GREY, across="center", up="top"))
        return panel
    span = 4.2 * (error if drawn is None else float(drawn.std()))
    x = np.linspace(min(d.value - span, -1.6 * rope), max(d.value + span, 1.6 * rope), 801)
    y = posterior.density(d.value, x)
    # a colour is a model's in every panel: where less is better, the sides change places
    sides = (FIRST, SECOND) if d.direction == "down" else (SECOND, FIRST)
    for part, colour in (
        (x <= -rope, sides[0]),
        (np.abs(x) <= rope, "#999999"),
        (x >= rope, sides[1]),
    ):
        panel.add(Band(x[part], np.zeros(int(part.sum())), y[part], colour, 0.28))
    panel.add(Line(x, y, "#222222", width=1.5))
    top = float(y.max())
    for at in (0.0, -rope, rope)[: 3 if rope else 1]:
        style: dict[str, Any] = {"width": 0.9, "dash": (0, (3, 2))} if at else {"width": 0.8}
        panel.add(Line((at, at), (0, 1.03 * top), GREY, **style))
    panel.x = Axis(across, most=6, has_grid=False)
    panel.y = Axis("", 0, 1.4 * top, (), has_line=False, has_grid=False)
    _add_probabilities(panel, d, posterior)
    return panel


def _add_probabilities(panel: Panel, d: Difference, q: Posterior) -> None:
    """What the three parts hold; at the right lies what is greater, which may be worse."""
    sides = (d.second, q.second_better, SECOND), (d.first, q.first_better, FIRST)
    if d.direction == "down":
        sides = (d.first, q.second_better, FIRST), (d.second, q.first_better, SECOND)
    word = "better" if d.direction in {"up", "down"} else "greater"
    _add_sides(panel, sides, 0.01, 0.99, 8.5, word=word)
    if q.rope:
        # a line lower than the names, which may be long
        text = f"\nequivalent (up to {q.rope:g}) {q.equivalent:.1%}"
        panel.add(Words(0.5, 0.99, text, "share", 8.5, "#444444", across="center", up="top"))


def _add_sides(
    panel: Panel,
    sides: Sides,
    inset: float,
    up: float,
    size: float = 9,
    *,
    word: str = "better",
    unit: Literal["value", "share"] = "share",
) -> None:
    """The probabilities of the model at the left and of the one at the right."""
    for (name, share, colour), is_right in zip(sides, (False, True), strict=True):
        at, across = (1 - inset, "right") if is_right else (inset, "left")
        style: dict[str, Any] = {"size": size, "colour": colour, "across": across, "up": "top"}
        panel.add(Words(at, up, f"{_short(name)} {word}\n{share:.1%}", unit, **style))


def _over_sets(comparison: ResultsComparison, measure: str, asked: dict[str, Any]) -> Chart:
    """Draws of the test: a triangle with a region of equivalence, a histogram without."""
    if measure not in ("", comparison.results.measure):
        raise InputError(f"{measure!r} was not compared; there is {comparison.results.measure}")
    shown = choose_pairs(comparison, comparison.models, most=MOST_SETS_PANELS, **asked)
    known = comparison[shown.pairs[0]].posterior
    assert known is not None
    words = f"{comparison.results.measure} on {len(comparison.results.sets)} data sets"
    method = f"{known.method}, {DRAWS:,} of the draws are shown"
    return Chart(
        "Posterior over data sets",
        "; ".join(filter(None, (words, method, shown.note))),
        tuple((_triangle if known.rope else _histogram)(comparison, *p) for p in shown.pairs),
        Layout(OF_SETS, across=side_by_side(len(shown.pairs))),
    )


def _histogram(comparison: ResultsComparison, first: str, second: str) -> Panel:
    q = comparison[first, second].posterior
    assert q is not None
    edges, *parts = comparison.posterior_bars(first, second, DRAWS)
    of = "data sets" if q.test == SIGN else "pairs of data sets"
    panel = Panel(x=Axis(f"weight of {of} on which {_short(first)} is better", 0, 1))
    for counts, colour in zip(parts, (SECOND, FIRST), strict=True):
        panel.add(Bars(edges, counts, colour, alpha=0.7))
    top = ABOVE_BARS * max(float(counts.max()) for counts in parts)
    panel.y = Axis("draws", 0, top)
    panel.add(Line((0.5, 0.5), (0, 0.86 * top), "#222222", width=1))
    sides = (second, q.second_better, SECOND), (first, q.first_better, FIRST)
    _add_sides(panel, sides, 0.02, 0.98)
    return panel


def _triangle(comparison: ResultsComparison, first: str, second: str) -> Panel:
    """Corners: second better (left), first better (right), equivalent (top)."""
    q = comparison[first, second].posterior
    assert q is not None
    shares = comparison.posterior_draws(first, second, DRAWS)
    high = sqrt(3) / 2
    x = shares[:, 0] + shares[:, 1] * 0.5
    y = shares[:, 1] * high
    colours = np.array([FIRST, NEITHER, SECOND])[np.argmax(shares, axis=1)]
    panel = Panel(is_square=True, is_bare=True)
    panel.x, panel.y = Axis("", -0.05, 1.05), Axis("", -0.14, high + 0.1)
    panel.add(Dots(x, y, colours, size=7, alpha=0.3, order=4, is_raster=True))
    panel.add(Line([0, 1, 0.5, 0], [0, 0, high, 0], INK, width=1.1, order=3))
    centre = (0.5, high / 3)
    for corner in ((0.5, 0.0), (0.25, high / 2), (0.75, high / 2)):
        line = ([centre[0], corner[0]], [centre[1], corner[1]])
        panel.add(Line(*line, GREY, (0, (3, 2)), 0.9, order=3))
    sides = (second, q.second_better, SECOND), (first, q.first_better, FIRST)
    _add_sides(panel, sides, 0, -0.03, unit="value")
    text = f"equivalent (up to {q.rope:g}) {q.equivalent:.1%}"
    above: dict[str, Any] = {"across": "center", "up": "bottom"}
    panel.add(Words(0.5, high + 0.02, text, size=9, colour="#444444", **above))
    return panel


def _short(model: str) -> str:
    return shorten(label_text(model), 20)
