"""The critical-difference diagram: mean ranks on a line, models not told apart joined by bars."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from heldout.comparison.standing import cliques
from heldout.core.shown import p_in_words
from heldout.report.names import label_text
from heldout.report.plots.chart import Axis, Chart, Line, Panel, Placed, Words
from heldout.report.plots.looks import OKABE_ITO, shortened, wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.comparison.results_comparison import ResultsComparison

#: the longest name that is shown whole
NAME = 28
JOINED = "joined: no significant difference"
DARK = "#222222"
#: inches between names, and between bars
STEP, BAR = 0.25, 0.16


def ranks_chart(comparison: ResultsComparison) -> Chart:
    """Demšar's diagram; the best model is at the right. One unit of its axes is an inch."""
    models = comparison.models
    ranks = [comparison.ranks[m] for m in models]
    count = len(models)
    bars = _bars(comparison, ranks)
    half = ceil(count / 2)
    bars_height = BAR * len(bars) + 0.12
    names = [
        shortened(label_text(model), NAME) + (" (control)" if model == comparison.control else "")
        for model in models
    ]
    # room for the longest name and its rank on either side
    side = 0.4 + 0.082 * (max(map(len, names)) + 6)
    # numbers of the scale need room of their own
    width = max(3.2, 0.27 * count) + 2 * side
    panel = Panel(is_bare=True)
    top = _head(panel, comparison, width) + 0.66
    height = top + 0.2 + bars_height + STEP * half
    panel.x, panel.y = Axis("", 0, width), Axis("", height, 0)
    left, right = side, width - side

    def across(rank: float) -> float:
        return right - (rank - 1) / max(count - 1, 1) * (right - left)

    panel.add(Line([left, right], [top, top], DARK, width=1.3))
    for rank in range(1, count + 1):
        panel.add(Line([across(rank)] * 2, [top - 0.07, top], DARK, width=1))
        centred: dict[str, Any] = {"across": "center", "up": "bottom"}
        panel.add(Words(across(rank), top - 0.1, str(rank), size=8.5, **centred))
    if comparison.has_critical:
        _add_ruler(panel, comparison, (left, right), top)
    for number, (start, stop) in enumerate(bars):
        y = top + 0.14 + BAR * number
        ends = [across(start) + 0.05, across(stop) - 0.05]
        panel.add(Line(ends, [y, y], OKABE_ITO[0], width=4, is_round=True))
    for number, name in enumerate(names):
        is_right = number < half
        level = number if is_right else count - 1 - number
        y = top + bars_height + 0.14 + STEP * level
        edge = right + 0.12 if is_right else left - 0.12
        x = across(ranks[number])
        panel.add(Line([x, x, edge], [top, y, y], "#555555", width=0.9))
        text = f"{name} {ranks[number]:.2f}" if is_right else f"{ranks[number]:.2f} {name}"
        beside: dict[str, Any] = {"across": "left" if is_right else "right", "up": "center"}
        panel.add(Words(edge + (0.05 if is_right else -0.05), y, text, size=8.5, **beside))
    return Chart("", "", (panel,), Placed((width, height), ((0, 0, width, height),)))


def _add_ruler(
    panel: Panel, comparison: ResultsComparison, ends: tuple[float, float], top: float
) -> None:
    """The critical difference, as long as it is on the scale."""
    left, right = ends
    longest = max(len(comparison.models) - 1, 1)
    end = right - min(comparison.critical, longest) * (right - left) / longest
    panel.add(Line([end, right], [top - 0.42] * 2, OKABE_ITO[1], width=2))
    for x in (end, right):
        panel.add(Line([x, x], [top - 0.47, top - 0.37], OKABE_ITO[1], width=1.4))
    whose = "Bonferroni and Dunn" if comparison.control else "Nemenyi"
    text = f"critical difference {comparison.critical:.3g} ({whose})"
    text += ", longer than the scale" if comparison.critical > longest else ""
    panel.add(Words(right, top - 0.51, text, size=8, across="right", up="bottom"))


def _bars(comparison: ResultsComparison, ranks: Sequence[float]) -> list[tuple[float, float]]:
    """Ranks from which and to which bars are drawn, by the test of the table and the verdict.

    Beside a control it is the run of models about it that are not told apart from it.
    """
    order = {model: at for at, model in enumerate(comparison.models)}
    apart = {
        (min(pair), max(pair))
        for d in comparison.differences
        if d.is_significant
        for pair in [(order[d.first], order[d.second])]
    }
    if not comparison.control:
        return [(ranks[a], ranks[b]) for a, b in cliques(len(ranks), apart)]
    own = order[comparison.control]
    far = {a + b - own for a, b in apart}
    low = max((at for at in far if at < own), default=-1)
    high = min((at for at in far if at > own), default=len(ranks))
    return [(ranks[low + 1], ranks[high - 1])]


def _head(panel: Panel, comparison: ResultsComparison, width: float) -> float:
    """Title and words above the scale; how many inches they take."""
    sets = len(comparison.results.sets)
    bold: dict[str, Any] = {"size": 11.5, "is_bold": True, "is_title": True}
    panel.add(Words(0.12, 0.12, "Mean ranks", up="top", **bold))
    test = comparison.omnibus[-1]
    joined = "bar: no significant difference from the control" if comparison.control else JOINED
    words = (
        f"{comparison.results.measure} of {len(comparison.models)} models on {sets} data sets, "
        f"right is better; {test.method}: p {p_in_words(test.p_value)}; {joined} "
        f"at {100 * comparison.options.alpha:.3g}%"
    )
    text = wrapped(words, width - 0.3)
    panel.add(Words(0.12, 0.36, text, size=8.5, colour="#444444", up="top", spacing=1.25))
    return 0.5 + 0.16 * (text.count("\n") + 1)
