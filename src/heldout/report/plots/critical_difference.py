"""The critical-difference diagram: mean ranks on a line, models not told apart joined by bars."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from heldout.core.shown import p_in_words
from heldout.report.names import label_text
from heldout.report.plots.frame import wrapped
from heldout.report.plots.layout import new_figure
from heldout.report.plots.save import TITLE
from heldout.report.plots.style import OKABE_ITO, shortened

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from matplotlib.figure import Figure

    from heldout.comparison.results_comparison import ResultsComparison

__all__ = ["cliques", "draw_ranks"]

#: the longest name that is shown whole
NAME = 28
JOINED = "joined: not told apart"


def cliques(count: int, apart: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
    """First and last of each largest run of models of which no two are told apart.

    ``apart``: places of models that are, the lower first. Runs of a single model are left out.

    Examples
    --------
    >>> cliques(4, {(0, 2), (0, 3), (1, 3), (2, 3)})
    [(0, 1), (1, 2)]
    """
    found: list[tuple[int, int]] = []
    for start in range(count):
        end = start
        while end + 1 < count and all((at, end + 1) not in apart for at in range(start, end + 1)):
            end += 1
        if end > start and (not found or end > found[-1][1]):
            found.append((start, end))
    return found


def draw_ranks(comparison: ResultsComparison) -> Figure:
    """Demšar's diagram; the best model is at the right."""
    models = comparison.models
    ranks = [comparison.ranks[m] for m in models]
    count = len(models)
    bars = _bars(comparison, ranks)
    half = ceil(count / 2)
    step = 0.25
    bars_height = 0.16 * len(bars) + 0.12
    names = [
        shortened(label_text(model), NAME) + (" (control)" if model == comparison.control else "")
        for model in models
    ]
    # room for the longest name and its rank on either side
    side = 0.4 + 0.082 * (max(map(len, names)) + 6)
    # numbers of the scale need room of their own
    width = max(3.2, 0.27 * count) + 2 * side
    figure = new_figure(figsize=(width, 3))
    # one unit is an inch, so that labels and lines keep their distance at any size
    axes = figure.add_axes((0, 0, 1, 1))
    top = _heading(axes, comparison, width) + 0.66
    height = top + 0.2 + bars_height + step * half
    figure.set_size_inches(width, height)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")
    left, right = side, width - side

    def place(rank: float) -> float:
        return right - (rank - 1) / max(count - 1, 1) * (right - left)

    axes.plot([left, right], [top, top], color="#222222", linewidth=1.3)
    for rank in range(1, count + 1):
        axes.plot([place(rank)] * 2, [top - 0.07, top], color="#222222", linewidth=1)
        axes.text(place(rank), top - 0.1, str(rank), ha="center", va="bottom", fontsize=8.5)
    if comparison.has_critical:
        _ruler(axes, comparison, (left, right), top)
    for number, (start, stop) in enumerate(bars):
        y = top + 0.14 + 0.16 * number
        ends = [place(start) + 0.05, place(stop) - 0.05]
        axes.plot(ends, [y, y], color=OKABE_ITO[0], linewidth=4, solid_capstyle="round")
    for number, name in enumerate(names):
        is_right = number < half
        level = number if is_right else count - 1 - number
        y = top + bars_height + 0.14 + step * level
        edge = right + 0.12 if is_right else left - 0.12
        x = place(ranks[number])
        axes.plot([x, x, edge], [top, y, y], color="#555555", linewidth=0.9)
        text = f"{name} {ranks[number]:.2f}" if is_right else f"{ranks[number]:.2f} {name}"
        beside: dict[str, Any] = {"ha": "left" if is_right else "right", "va": "center"}
        axes.text(edge + (0.05 if is_right else -0.05), y, text, fontsize=8.5, **beside)
    return figure


def _ruler(axes: Any, comparison: ResultsComparison, ends: tuple[float, float], top: float) -> None:
    """The critical difference, as long as it is on the scale."""
    left, right = ends
    longest = max(len(comparison.models) - 1, 1)
    end = right - min(comparison.critical, longest) * (right - left) / longest
    axes.plot([end, right], [top - 0.42] * 2, color=OKABE_ITO[1], linewidth=2)
    for x in (end, right):
        axes.plot([x, x], [top - 0.47, top - 0.37], color=OKABE_ITO[1], linewidth=1.4)
    whose = "Bonferroni and Dunn" if comparison.control else "Nemenyi"
    text = f"critical difference {comparison.critical:.3g} ({whose})"
    text += ", longer than the scale" if comparison.critical > longest else ""
    axes.text(right, top - 0.51, text, ha="right", va="bottom", fontsize=8)


def _bars(comparison: ResultsComparison, ranks: Sequence[float]) -> list[tuple[float, float]]:
    """Ranks from which and to which bars are drawn, by the test of the table and the verdict.

    Beside a control it is the run of models about it that are not told apart from it.
    """
    place = {model: at for at, model in enumerate(comparison.models)}
    apart = {
        (min(pair), max(pair))
        for d in comparison.differences
        if comparison.is_different(d)
        for pair in [(place[d.first], place[d.second])]
    }
    if not comparison.control:
        return [(ranks[a], ranks[b]) for a, b in cliques(len(ranks), apart)]
    own = place[comparison.control]
    far = {a + b - own for a, b in apart}
    low, high = (
        max((at for at in far if at < own), default=-1),
        min((at for at in far if at > own), default=len(ranks)),
    )
    return [(ranks[low + 1], ranks[high - 1])]


def _heading(axes: Any, comparison: ResultsComparison, width: float) -> float:
    """Title and words above the scale; how many inches they take."""
    sets, level = len(comparison.results.sets), 100 * comparison.options.level
    axes.text(0.12, 0.12, "Mean ranks", gid=TITLE, fontsize=11.5, fontweight="bold", va="top")
    found = comparison.omnibus[-1]
    joined = "bar: not told apart from the control" if comparison.control else JOINED
    words = (
        f"{comparison.results.measure} of {len(comparison.models)} models on {sets} data sets, "
        f"right is better; {found.method}: p {p_in_words(found.p_value)}; {joined} "
        f"at {100 - level:.3g}%"
    )
    text = wrapped(words, width - 0.3)
    axes.text(0.12, 0.36, text, fontsize=8.5, color="#444444", va="top", linespacing=1.25)
    return 0.5 + 0.16 * (text.count("\n") + 1)
