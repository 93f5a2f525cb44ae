"""Charts of pairs of models: the forest of all differences, and curves of the same rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.over_sets.sets_comparison import ResultsComparison
from heldout.comparison.paired_roc import GRID, draws_for, paired_roc
from heldout.core.errors import InputError
from heldout.core.nearest import hint_of, no_such
from heldout.core.shown import p_in_words
from heldout.core.wording import plural, values_by_key
from heldout.curves.decision import decision, decision_difference
from heldout.curves.sources import class_index, counts_of, ranked_rows, units_of
from heldout.engines.memory import Tallies
from heldout.report.names import bare_title, label_text
from heldout.report.numbers import number_text, with_limits
from heldout.report.plots.chart import (
    GREY,
    INK,
    Axis,
    Band,
    Chart,
    Layout,
    Line,
    Panel,
    Rule,
    Words,
)
from heldout.report.plots.looks import OKABE_ITO, look_of, shorten, side_by_side
from heldout.report.plots.thin import thin_line
from heldout.report.verdict import against_first

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heldout.comparison.comparison import Comparison
    from heldout.predictions.table import Predictions
    from heldout.report.plots.looks import Look


@dataclass(frozen=True, slots=True)
class ChosenPairs:
    """The pairs that are shown, and a line on the others; empty where there are none."""

    pairs: tuple[tuple[str, str], ...]
    note: str = ""


def check_measure(comparison: Comparison, name: str) -> str:
    """The measure of that name, or an error with those that were compared."""
    if name not in comparison.measures:
        raise InputError(f"{name!r} was not compared{hint_of(name, comparison.measures)}")
    return name


def pages(comparison: Any, most: int) -> int:
    """How many charts of at most so many pairs show all of them."""
    return -(-len(comparison.pairs) // most)


def choose_pairs(
    comparison: Comparison | ResultsComparison,
    order: Sequence[str],
    *,
    most: int,
    first: str = "",
    second: str = "",
    page: int = 0,
) -> ChosenPairs:
    """The pairs of a chart that has room for ``most`` of them; ``order``: the best model first.

    Those that are asked for by model or page; all if they fit; else the best model
    against the next ones, which is what most readers look for first.
    """
    every = comparison.pairs
    for name in filter(None, (first, second)):
        if name not in comparison.models:
            raise no_such("model", name, comparison.models)
    if first and second:
        if first == second:
            raise InputError(f"a pair needs two models, not {first!r} twice")
        if not {(first, second), (second, first)} & set(every):
            raise InputError(
                f"{first!r} and {second!r} were not compared: each model is compared with the "
                f"control {comparison.control!r}"
            )
        return ChosenPairs(((first, second),))
    if first or second:
        model = first or second
        met = [set(pair) for pair in every if model in pair]
        others = [m for m in comparison.models if m != model and {m, model} in met]
        mine = [(model, m) if first else (m, model) for m in others]
        return _first_pairs(mine, most, f"of {label_text(model)} with others")
    count = len(every)
    if page:
        start = (page - 1) * most
        if not 0 <= start < count:
            raise InputError(
                f"page {page}: this chart has {plural(pages(comparison, most), 'page')}"
            )
        shown = every[start : start + most]
        said = f"pairs {start + 1} to {start + len(shown)} of {count}" if count > most else ""
        return ChosenPairs(tuple(shown), said)
    if count <= most:
        return ChosenPairs(tuple(every))
    if comparison.control:
        return _first_pairs(every, most, "with the control")
    shown = [(order[0], other) for other in order[1 : most + 1]]
    return ChosenPairs(
        tuple(shown),
        f"{len(shown)} of {count} pairs: the best against the next; others by name "
        "[first=A,second=B], all with all=FOLDER",
    )


def _first_pairs(pairs: list[tuple[str, str]], most: int, words: str) -> ChosenPairs:
    if len(pairs) <= most:
        return ChosenPairs(tuple(pairs))
    note = f"{most} of {len(pairs)} pairs {words}; others by name [first=A,second=B]"
    return ChosenPairs(tuple(pairs[:most]), note)


#: differences that can be read on one sheet
MOST_ROWS = 45
ROW = 0.3
NAME = 44
#: inches of axes, and right of them for numbers
WIDTH, RIGHT = 3.4, 2.6
#: who is better to the right of no difference, by the direction of the measure
TOWARDS = {"up": "first better", "down": "second better"}
TOWARDS_CONTROL = {"up": "control better", "down": "control worse"}

#: pairs of curves that can still be read
MOST_PAIRS = 6
#: models that keep a look of their own from pair to pair
MOST_LOOKS = 35
#: inches of the side of curves, and the height of their difference
SIDE, LOW = 3.6, 1.45


def forest_chart(
    comparison: Comparison | ResultsComparison, *, measure: str = "", pairs: str = ""
) -> Chart:
    """Differences with intervals; those that are more than noise are filled and coloured.

    ``pairs``: ``all``, or ``best``: the best model against each other; empty: all as long as
    they can be read on one sheet.
    """
    if pairs == "best" and comparison.control:
        raise InputError(f"pairs of a forest with a control ({comparison.control}) are all")
    measures = _measures(comparison, measure)
    several = len(comparison.models) > 2 and not comparison.control
    count = len(measures) * len(comparison.differences) // max(len(_measures(comparison, "")), 1)
    best = several and (pairs == "best" or (not pairs and count > MOST_ROWS))
    forests = [_forest_of(comparison, name, best) for name in measures]
    margin = None if isinstance(comparison, ResultsComparison) else comparison.options.margin
    return Chart(
        "Differences",
        "; ".join(_heading(comparison, measures, best, count)),
        tuple(_forest(*forest, margin) for forest in forests),
        Layout((WIDTH, ROW * len(forests[0][1])), right=RIGHT, across=1),
    )


def _measures(comparison: Comparison | ResultsComparison, measure: str) -> tuple[str, ...]:
    if isinstance(comparison, ResultsComparison):
        return ("",)
    return (check_measure(comparison, measure),) if measure else comparison.measures


def _heading(
    comparison: Comparison | ResultsComparison, measures: Sequence[str], best: bool, rows: int
) -> list[str]:
    """What the chart is of: design, intervals, tests, and which pairs are left out."""
    pair = "control − other" if comparison.control else "first − second"
    level = f"{pair}, {100 * comparison.options.level:g}% intervals"
    if comparison.options.alternative != "two-sided":
        level += f" (one-sided, {comparison.options.alternative})"
    if isinstance(comparison, ResultsComparison):
        first = comparison.differences[0]
        corrected = f", p corrected ({first.correction})" if first.correction else ""
        parts = [f"{len(comparison.results.sets)} data sets", f"{level}{corrected}"]
        parts.append(f"median difference (Hodges and Lehmann); test: {first.test.method}")
    else:
        corrected = ", p corrected (Holm)" if comparison.differences[0].corrected else ""
        parts = [comparison.design.words, f"{level}{corrected}"]
        shown = (d for d in comparison.differences if d.measure in measures)
        tests = values_by_key((d.test.method, d.measure) for d in shown)
        parts += [f"{', '.join(of)}: {method}" for method, of in tests.items()]
        if comparison.options.margin is not None:
            parts.append(f"grey: within the margin of {comparison.options.margin:g}")
    parts.append("filled: more than noise")
    if best:
        parts.append(f"the best against each other model; all {rows} rows: forest[pairs=all]")
    return parts


def _forest_of(
    comparison: Comparison | ResultsComparison, measure: str, best: bool
) -> tuple[str, list[Any], str]:
    """The title of a measure, its differences, and which model is better to the right."""
    if isinstance(comparison, ResultsComparison):
        shown: list[Any] = list(comparison.differences)
        order: Sequence[str] = comparison.models
        title = shorten(comparison.results.measure, 30)
        direction = "up" if comparison.higher_is_better else "down"
    else:
        shown = [d for d in comparison.differences if d.measure == measure]
        order = comparison.order(measure)
        title, direction = bare_title(measure), shown[0].direction
    towards = TOWARDS_CONTROL if comparison.control else TOWARDS
    return title, against_first(shown, order) if best else shown, towards.get(direction, "")


def _ends(difference: Any) -> tuple[float, float]:
    """The limits; that of a one-sided interval which says nothing is infinite here."""
    side = difference.test.alternative
    low, high = difference.interval.low, difference.interval.high
    return -inf if side == "less" else low, inf if side == "greater" else high


def _pair(difference: Any) -> str:
    half = NAME // 2
    first, second = (shorten(label_text(m), half) for m in (difference.first, difference.second))
    return f"{first} - {second}"


def _forest(title: str, shown: Sequence[Any], towards: str, margin: float | None) -> Panel:
    """Differences below each other, with their numbers at the right."""
    known = [v for d in shown for v in (d.value, *_ends(d)) if isfinite(v)]
    edge = max((abs(v) for v in known), default=0.0)
    edge = max(edge, 1.2 * (margin or 0.0)) or 1.0
    count = len(shown)
    title = shorten(title, 34)
    panel = Panel(title)
    panel.add(Rule(0, width=0.9, order=2))
    if margin is not None:
        low, high = [count - 0.45] * 2, [-0.55] * 2
        panel.add(Band((-margin, margin), low, high, "#DDDDDD", 0.6, order=0))
    for number, d in enumerate(shown):
        is_clear, (least, most) = d.is_significant, _ends(d)
        colour = OKABE_ITO[0] if is_clear else GREY
        if not d.interval.is_absent:
            ends = [max(least, -2 * edge), min(most, 2 * edge)]
            panel.add(Line(ends, [number] * 2, colour, width=1.8, order=3))
        style: dict[str, Any] = {"face": colour if is_clear else "white", "edge": colour}
        panel.add(Line([d.value], [number], marker="s", size=5.5, order=4, **style))
        ink = "#111111" if is_clear else "#555555"
        panel.add(Words(1.03, number, _numbers(d), "row", 8, ink, up="center"))
    up = Axis("", count - 0.45, -0.55, tuple(range(count)), tuple(map(_pair, shown)))
    panel.y = replace(up, has_grid=False, has_line=False)
    label = f"{title}; {towards} →" if towards else title
    panel.x = Axis(label, -1.08 * edge, 1.08 * edge, most=6)
    return panel


def _numbers(difference: Any) -> str:
    value, (least, most) = number_text(difference.value, digits=3), _ends(difference)
    if difference.interval.is_absent:
        limits = "no interval"
    elif not (isfinite(least) and isfinite(most)):
        limit, word = (least, "at least") if isfinite(least) else (most, "at most")
        limits = f"[{word} {number_text(limit, digits=3)}]"
    else:
        value, low, high = with_limits(difference.value, least, most, digits=3)
        limits = f"[{low}, {high}]"
    p = difference.p_value
    return f"{value} {limits}" if isnan(p) else f"{value} {limits}, p {p_in_words(p)}"


def paired_roc_chart(comparison: Comparison, **chosen: Any) -> Chart:
    """Above both curves, below the difference of their heights with its pointwise band."""
    rows = len(comparison.predictions[0])
    drawn = f", {draws_for(rows)} paired draws, seed {comparison.options.seed}"
    return _curves_chart(comparison, _paired_roc, "ROC curves of the same rows", drawn, **chosen)


def paired_decision_chart(comparison: Comparison, **chosen: Any) -> Chart:
    """Above both decision curves, below the difference of the net benefits with its band."""
    units = units_of(comparison.predictions[0])
    how = f": none, as {units.reason}" if units.reason else f": Student's t of paired {units.words}"
    how += "; its axis ends at twice what three in four thresholds stay within"
    title = "Decision curves of the same rows"
    return _curves_chart(comparison, _paired_decision, title, how, **chosen)


def _curves_chart(
    comparison: Comparison,
    panel_of: Callable[[Comparison, tuple[Predictions, Predictions]], Panel],
    title: str,
    how: str,
    *,
    first: str = "",
    second: str = "",
    page: int = 0,
) -> Chart:
    """Of each pair the curves of both models, and below them their difference."""
    ranking = "auc" if "auc" in comparison.measures else comparison.measures[0]
    order = comparison.order(ranking)
    shown = choose_pairs(comparison, order, most=MOST_PAIRS, first=first, second=second, page=page)
    by_name = {p.model: p for p in comparison.predictions}
    panels = [panel_of(comparison, (by_name[a], by_name[b])) for a, b in shown.pairs]
    words = (
        f"{comparison.design.words}; {100 * comparison.options.level:g}% pointwise band of the "
        f"difference{how}"
    )
    if len(panels) == 1:
        words = f"{panels[0].name}; {words}"
    return Chart(
        title,
        "; ".join(filter(None, (words, shown.note))),
        tuple(panels),
        Layout((SIDE, SIDE), LOW, across=side_by_side(len(panels))),
    )


def _look(comparison: Comparison, model: str) -> Look:
    return look_of(comparison.models.index(model) % MOST_LOOKS)


def _with_difference(
    above: Panel,
    two: Sequence[Predictions],
    label: str,
    x: Any,
    gap: Any,
    limits: tuple[Any, Any],
) -> Panel:
    """Two curves with their difference and its band below them."""
    colour = look_of(0).colour
    above.name = " − ".join(shorten(label_text(p.model), 26) for p in two)
    above.below = panel = Panel(x=Axis(label, 0, 1), y=Axis("Difference"))
    panel.add(Rule(0, "y", INK, 0.9))
    panel.add(Band(x, *limits, colour, 0.18))
    panel.add(Line(x, gap, colour))
    return above


def _paired_roc(comparison: Comparison, two: tuple[Predictions, Predictions]) -> Panel:
    """Both curves, the difference of their heights and its band."""
    paired = paired_roc(two, comparison.options.level, comparison.options.seed)
    # what kind of area theirs is, where the tables show another
    of = "pooled " if comparison.of else ""
    above = Panel(x=Axis(low=0, high=1, has_labels=False), y=Axis("True positive rate", 0, 1.005))
    for p, (x, y), area in zip(two, paired.curves, paired.areas, strict=True):
        look = _look(comparison, p.model)
        name = f"{shorten(label_text(p.model), 30)}, {of}AUC {area:.3f}"
        above.add(Line(*thin_line(x, y), look.colour, look.dash), name)
    above.add(Line([0, 1], [0, 1], GREY, (0, (1, 2)), 1.1))
    limits = paired.low, paired.high
    return _with_difference(above, two, "False positive rate", GRID, paired.gap, limits)


def _paired_decision(comparison: Comparison, two: tuple[Predictions, Predictions]) -> Panel:
    """Both curves, the difference of the net benefits and its band."""
    tallies = [Tallies(p) for p in two]
    curves = [decision(counts_of(own)) for own in tallies]
    first, second = (
        replace(ranked_rows(own, class_index(p, None)), units=units_of(p))
        for own, p in zip(tallies, two, strict=True)
    )
    gap = decision_difference(first, second, level=comparison.options.level)
    highest = max(float(curve.y.max()) for curve in curves)
    room = 0.1 * (highest or 1.0)
    across = Axis(low=0, high=1, has_labels=False)
    above = Panel(x=across, y=Axis("Net benefit", -2 * room, highest + room))
    for p, curve in zip(two, curves, strict=True):
        look = _look(comparison, p.model)
        name = shorten(label_text(p.model), 30)
        above.add(Line(curve.x, curve.y, look.colour, look.dash), name)
    treat_all = curves[0].columns["treat_all"]
    above.add(Line(gap.x, treat_all, GREY, (0, (8, 2)), 1.1), "treat all")
    above.add(Line([0, 1], [0, 0], GREY, (0, (1, 2)), 1.1), "treat none")
    assert gap.band is not None
    limits = gap.band.at(gap.x)
    panel = _with_difference(above, two, "Threshold probability", gap.x, gap.y, limits)
    assert panel.below is not None
    panel.below.y = _usual_range(gap.y, *limits)
    return panel


def _usual_range(*heights: Any) -> Axis:
    """The axis of differences that grow without end as the threshold nears 1.

    A false positive costs the odds of the threshold, 99 true positives at 0.99, so that the last
    few thresholds would make a flat line of all others. The axis ends at twice what three in four
    thresholds stay within, or where the differences do.
    """
    known = np.array(heights)[:, ~np.isnan(heights).all(axis=0)]
    if not known.size:
        return Axis("Difference")
    usual = 2 * float(np.quantile(np.nanmax(np.abs(known), axis=0), 0.75))
    if not usual:
        return Axis("Difference")
    low, high = max(min(np.nanmin(known), 0.0), -usual), min(max(np.nanmax(known), 0.0), usual)
    room = 0.05 * (high - low)
    return Axis("Difference", float(low - room), float(high + room))
