"""Charts of comparisons by name: the diagram of mean ranks, and those that stand elsewhere."""

from __future__ import annotations

import re
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from heldout.comparison.over_sets.sets_comparison import ResultsComparison
from heldout.comparison.standing import cliques
from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.shown import p_in_words
from heldout.report.names import label_text
from heldout.report.plots.book import ALL, Book
from heldout.report.plots.chart import Axis, Chart, Layout, Line, Panel, Words
from heldout.report.plots.looks import OKABE_ITO, shorten
from heldout.report.plots.pair_charts import (
    MOST_PAIRS,
    MOST_ROWS,
    forest_chart,
    pages,
    paired_decision_chart,
    paired_roc_chart,
)
from heldout.report.plots.posterior import MOST_PANELS, MOST_SETS_PANELS, fits, posterior_chart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from heldout.comparison.comparison import Comparison
    from heldout.core.specs import Spec
    from heldout.report.plots.book import Options

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
        shorten(label_text(model), NAME) + (" (control)" if model == comparison.control else "")
        for model in models
    ]
    # room for the longest name and its rank on either side
    side = 0.4 + 0.082 * (max(map(len, names)) + 6)
    # numbers of the scale need room of their own
    width = max(3.2, 0.27 * count) + 2 * side
    panel = Panel(is_bare=True)
    top = 0.66
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
        panel.add(Line(ends, [y, y], OKABE_ITO[0], width=4))
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
    return Chart("Mean ranks", _words(comparison), (panel,), Layout((width, height)))


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


def _words(comparison: ResultsComparison) -> str:
    """What the diagram is of, and what its bars join."""
    test = comparison.omnibus[-1]
    joined = "bar: no significant difference from the control" if comparison.control else JOINED
    return (
        f"{comparison.results.measure} of {len(comparison.models)} models on "
        f"{len(comparison.results.sets)} data sets, right is better; {test.method}: "
        f"p {p_in_words(test.p_value)}; {joined} at {100 * comparison.options.alpha:.3g}%"
    )


# by name


MAKERS: dict[str, Callable[..., Chart]] = {
    "forest": forest_chart,
    "posterior": posterior_chart,
    "ranks": ranks_chart,
    "roc": paired_roc_chart,
    "decision": paired_decision_chart,
}
#: those of two models on the same rows
CURVES = ("roc", "decision")
OTHER_NAMES = {
    "critical_difference": "ranks",
    "cd": "ranks",
    "paired_roc": "roc",
    "decision_curve": "decision",
    "differences": "forest",
}
OPTIONS: Options = {
    "forest": {"measure": (), "pairs": ("all", "best")},
    "posterior": {"measure": (), "first": (), "second": (), "page": ()},
    "ranks": {},
    "roc": {"first": (), "second": (), "page": ()},
    "decision": {"first": (), "second": (), "page": ()},
    ALL: {},
}


def comparison_chart(
    comparison: Comparison | ResultsComparison, name: str, *, is_inside: bool, **options: Any
) -> Chart:
    """A chart of a comparison as data.

    ``forest`` (differences with intervals), ``posterior`` (with the region of practical
    equivalence), ``ranks`` (critical-difference diagram), ``roc`` and ``decision`` (paired, with
    the band of the difference). ``measure`` of a forest or posterior; ``pairs`` of a forest
    (``all``, or ``best``: the best model against each other); ``first`` and ``second`` (models),
    or ``page``, of a posterior or of curves. A chart that has no room for all pairs says which
    it shows.
    """
    if lack := lack_of(comparison, name):
        raise InputError(f"a {name} chart {lack}")
    return MAKERS[name](comparison, **{key: value for key, value in options.items() if value})


def _inside(spec: Spec) -> dict[str, Any]:
    """The options in the brackets of a chart; a page is a number."""
    given: dict[str, Any] = dict(spec.values())
    if "page" in given:
        if not given["page"].isdigit():
            raise InputError(f"{spec.text!r}: a page is a number from 1")
        given["page"] = int(given["page"])
    return given


def lack_of(comparison: Comparison | ResultsComparison, name: str) -> str:
    """Why a comparison has no such chart, as a clause; empty where it has."""
    if isinstance(comparison, ResultsComparison):
        lacks = dict.fromkeys(CURVES, "needs predictions, not results on many data sets")
        if len(comparison.models) < 3:
            lacks["ranks"] = "needs three models or more"
        if any(d.posterior is None for d in comparison.differences):
            lacks["posterior"] = f"of several models over data sets needs {argument('rope')}"
        return lacks.get(name, "")
    if name == "ranks":
        return f"needs results on many data sets ({argument('datasets')})"
    if name == "posterior" and all(d.posterior is None for d in comparison.differences):
        return f"needs cross-validation or repeated holdouts, or {argument('rope')} on one test set"
    if name in CURVES:
        first = comparison.predictions[0]
        if first.task != "binary" or any(p.scores is None for p in comparison.predictions):
            return "needs scores of two classes"
        if comparison.design.kind == "different test sets":
            return "needs models that were judged on the same rows"
        if name == "decision" and any(p.score_problem for p in comparison.predictions):
            return "needs scores that are probabilities"
    return ""


def every_chart(
    comparison: Any, _: Mapping[str, Any] = MappingProxyType({})
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Titles, names and options of as many charts as show every pair by every measure."""
    for name in MAKERS:
        if not lack_of(comparison, name):
            yield from ((title, name, own) for title, own in _pages_of(comparison, name))


def _pages_of(comparison: Any, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    of_sets = isinstance(comparison, ResultsComparison)
    if name == "forest":
        whole = of_sets or len(comparison.differences) <= MOST_ROWS
        for measure in [""] if whole else comparison.measures:
            yield _titled(name, measure), {"measure": measure, "pairs": "all"}
    elif name == "ranks":
        yield name, {}
    else:
        most = MOST_PAIRS if name in CURVES else MOST_SETS_PANELS if of_sets else MOST_PANELS
        count = pages(comparison, most)
        measures = ("",)
        if name == "posterior" and not of_sets and not fits(comparison):
            measures = comparison.measures
        several = len(measures) > 1
        for measure in measures:
            for page in range(1, count + 1):
                number = f"{page:0{len(str(count))}d}" if count > 1 else ""
                title = _titled(name, measure if several else "", number)
                options = {"page": page} | ({"measure": measure} if measure else {})
                yield title, options


def _titled(name: str, measure: str, number: str = "") -> str:
    """The name of a file: ``posterior-f_score-beta-2-1``."""
    plain = re.sub(r"[^\w.+]+", "-", measure).strip("-")
    return "-".join(filter(None, (name, plain, number)))


BOOK = Book(
    tuple(MAKERS),
    comparison_chart,
    OPTIONS,
    "of a comparison",
    OTHER_NAMES,
    _inside,
    every_of=every_chart,
    fits_axes=False,
)
