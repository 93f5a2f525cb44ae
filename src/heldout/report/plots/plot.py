"""A chart of a scorecard by its name: as data, as a figure and as a file."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.curves.named import FOLDS, OF_PROBABILITIES, THRESHOLDS
from heldout.curves.several import JOINT
from heldout.curves.sources import lack_of_folds, lack_of_scores
from heldout.measures.spec import parse_request
from heldout.report.names import label_text, title_of
from heldout.report.plots.asked import BANDED, OF_REGRESSION, PLOTS, defaults_of, named_chart
from heldout.report.plots.chart import Chart, Measured
from heldout.report.plots.curve_kinds import KINDS, draw_calibration
from heldout.report.plots.curve_panel import CurvePanel, subtitle_of
from heldout.report.plots.looks import shortened
from heldout.report.plots.panels import panels_of, threshold_panels
from heldout.report.plots.regression import REGRESSION_PLOTS, regression_chart
from heldout.report.plots.save import Charts, checked_path, figure_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping

    from matplotlib.axes import Axes

    from heldout.assess.scorecard import Scorecard
    from heldout.report.plots.chart import Panel
    from heldout.report.plots.curve_kinds import Kind
    from heldout.report.plots.panels import Lines, Series

__all__ = ["PLOTS", "curve_chart", "every_chart", "lack_of", "lacking_models", "plot"]

#: options that every chart takes; others are of the curves with bands
EVERYWHERE = ("model", "class_", "title", "figsize", "as_data")


def plot(
    card: Scorecard,
    name: str,
    *,
    path: str | os.PathLike[str] | None = None,
    interval_of: Any = None,
    ax: Axes | None = None,
    title: str = "",
    figsize: tuple[float, float] | None = None,
    as_data: bool = False,
    **options: Any,
) -> Any:
    """The chart of a curve as a matplotlib figure, and as a file where a path is given.

    Parameters
    ----------
    card
        The scorecard. Several models share a chart; several classes are drawn each against
        the rest, a panel a model. A model without what it needs (scores, probabilities) is
        named in the legend, with the reason.
    name
        One of ``PLOTS``, ``thresholds:`` with a measure, or ``all``: all that the rows allow,
        as a dict, and ``path`` a folder. Options may stand in brackets:
        ``roc[band=simultaneous]``.
    path
        A file that ends in .png, .svg or .pdf.
    interval_of
        A function of a model's name and a measure (``auc``, ``auc[class=spam]``) that gives
        low, high, level and method, or None.
    ax
        Axes of yours to draw a single panel in, with the legend inside; its figure is
        given back.
    title, figsize
        Another title, and another size of the figure in inches: axes grow or shrink by it,
        letters do not.
    as_data
        The chart as plain data (panels of marks on axes) instead of a figure.
    options
        ``model`` and ``class_``: those alone. The rest goes to the curve: ``band``, ``level``,
        ``replicates``, ``seed``, ``bins`` ... A single ROC or precision-recall curve has a
        pointwise band where the scorecard has intervals; ``band=None`` leaves it out.
    """
    last: dict[str, Any] = {"title": title, "figsize": figsize, "as_data": as_data}
    known, given = named_chart(name)
    options = given | options
    if known == "all":
        if ax is not None:
            raise InputError("all charts do not fit into one ax: name one, such as roc")
        charts = (
            (one, partial(plot, card, one, interval_of=interval_of, **own))
            for one, _, own in every_chart(card, options | last)
        )
        return Charts.of(charts, path)
    known = "hull" if known == JOINT else known  # one chart: that of several models is over all
    target = None if path is None else checked_path(path)
    if options.get("model"):
        card = card.only(options["model"])
    options.pop("model", None)
    is_inside = ax is not None
    if card.task == "regression":
        chart = regression_chart(card, known, is_inside=is_inside)
        return figure_of(chart, target, **last, ax=ax)
    lack = lack_of(card, known)
    if lack:
        raise InputError(f"a {known} chart {lack}")
    chart = curve_chart(card, known, interval_of, options, is_inside=is_inside)
    return figure_of(chart, target, **last, ax=ax)


def curve_chart(
    card: Scorecard,
    name: str,
    interval_of: Any,
    options: dict[str, Any],
    *,
    is_inside: bool = False,
) -> Chart:
    """A chart of curves that is known to be possible of some model, as data.

    ``is_inside``: it is drawn in axes of the user's, which hold one panel and few words.
    """
    lost = lacking_models(card, name)
    if lost:
        kept = tuple(t for t in card.tallies if t.predictions.model not in lost)
        card = replace(card, tallies=kept)
    options = defaults_of(card, name, options)
    kind = KINDS["thresholds" if name.startswith(THRESHOLDS) else name]
    measure = _measure(kind, options)
    lines = _lines(card, name, options, measure[1])
    if is_inside and len(lines) > 1:
        raise InputError(
            f"this chart has {len(lines)} panels, more than one ax holds: name a model or class_"
        )
    making = [
        CurvePanel(own, card, interval_of, measure, _value_of(measure[1]), is_inside)
        for own in lines
    ]
    for one in making:
        one.panel.name = one.lines.name
        kind.draw(one)
        _name_axes(one)
    # models that are not drawn are told in the last panel's legend
    making[-1].panel.notes += [
        f"{shortened(label_text(model), 34)} is not drawn: it {reason}"
        for model, reason in lost.items()
    ]
    panels = tuple(one.finish() for one in making)
    title = kind.title
    if name.startswith(THRESHOLDS):
        title = f"{title_of(name.removeprefix(THRESHOLDS))} against the threshold"
    notes = dict.fromkeys(own.note for own in lines if own.note)
    subtitle = subtitle_of(card, is_one_class=options.get("class_") is not None)
    words = " · ".join(filter(None, (subtitle, *notes)))
    return Chart(title, words, panels, Measured(kind.size, kind.lower))


def _lines(card: Scorecard, name: str, options: dict[str, Any], measure: str) -> tuple[Lines, ...]:
    """The lines of each panel."""
    if name != "thresholds":
        how: dict[str, Any] = {"best_by": measure or "auc", **options}
        return panels_of(card, "roc" if name == "hull" else name, **how)
    for option in options:
        if option != "class_":
            raise InputError(f"a thresholds chart has no option {option!r}")
    return threshold_panels(card, options.get("class_"))


def _value_of(measure: str) -> Callable[[Series], float] | None:
    if not measure:
        return None
    if measure == "auc":
        return lambda series: series.curve.area
    request = parse_request(measure)
    return lambda series: float(request.measure(series.counts, **request.values))


def _measure(kind: Kind, options: dict[str, Any]) -> tuple[str, str]:
    """The measure of the legend, which has the bins of the chart where it has bins."""
    short, measure = kind.measure
    has_bins = options.get("strategy", "isotonic") != "isotonic" or "bins" in options
    if kind.draw is draw_calibration and has_bins:
        short, measure = "ECE", "expected_calibration_error"
    elif kind.draw is draw_calibration:
        return short, measure
    given = [f"{key}={options[key]}" for key in ("bins", "strategy") if key in options]
    return short, f"{measure}[{', '.join(given)}]" if given and measure else measure


def _name_axes(making: CurvePanel) -> None:
    """The names of both axes, the horizontal one's below the lowest panel."""
    first = making.lines.series[0].curve
    several = len({series.curve.y_axis.label for series in making.lines.series}) > 1
    panel: Panel = making.panel
    panel.y = replace(panel.y, label="Value" if several else first.y_axis.label)
    lowest = panel.below or panel
    lowest.x = replace(lowest.x, label=first.x_axis.label)


def every_chart(
    card: Scorecard, options: Mapping[str, Any]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Title, name and options of the charts that the rows allow; an error where they allow none."""
    names = [name for name in PLOTS if not lack_of(card, name)]
    if card.task == "regression":
        names = list(REGRESSION_PLOTS)
    if not names:
        raise InputError(f"there is nothing to draw: a curve {lack_of(card, 'roc')}")
    everywhere = {key: value for key, value in options.items() if key in EVERYWHERE}
    for name in names:
        yield name, name, dict(options if name in BANDED else everywhere)


def lack_of(card: Scorecard, name: str) -> str:
    """Why a chart cannot be drawn of any model, as a clause; empty where it can of one."""
    if name in OF_REGRESSION:
        return "is for regression, and this problem has classes"
    lacks = lacking_models(card, name)
    return next(iter(lacks.values())) if len(lacks) == len(card.tallies) else ""


def lacking_models(card: Scorecard, name: str) -> dict[str, str]:
    """The models that a chart cannot be drawn of, and why, as a clause."""
    found = {}
    for tallies in card.tallies:
        p = tallies.predictions
        lack = lack_of_scores(tallies)
        if not lack and name in OF_PROBABILITIES and p.score_problem:
            lack = f"needs probabilities: {p.score_problem}"
        if not lack and name == FOLDS:
            lack = lack_of_folds(p)
        if lack:
            found[p.model] = lack
    return found
