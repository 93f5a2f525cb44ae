"""A chart by its name: of a scorecard, as a figure and as a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from karat.core.errors import InputError
from karat.curves.named import FOLDS, THRESHOLDS, curve
from karat.curves.sources import lack_of_scores
from karat.measures.spec import parse_request
from karat.report.names import label_text, title_of
from karat.report.plots.asked import BANDED, OF_REGRESSION, PLOTS, defaults_of, named_chart
from karat.report.plots.calibration import draw_calibration
from karat.report.plots.cost import draw_cost
from karat.report.plots.det import draw_det
from karat.report.plots.folds import draw_folds
from karat.report.plots.frame import Chart, subtitle_of
from karat.report.plots.gain import draw_gain, draw_lift
from karat.report.plots.hull import draw_hull
from karat.report.plots.layout import arrange, figure_of, name_charts
from karat.report.plots.panels import MOST_PANELS, Panel, panels_of
from karat.report.plots.precision_recall import draw_precision_recall
from karat.report.plots.regression import REGRESSION_PLOTS, plot_regression
from karat.report.plots.roc import draw_roc
from karat.report.plots.save import FORMATS, checked_path, save
from karat.report.plots.style import look_of, styled
from karat.report.plots.thresholds import SHOWN, draw_thresholds

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from karat.assess.scorecard import Scorecard
    from karat.report.plots.panels import Series

__all__ = ["PLOTS", "lack_of", "plot", "plots"]

SQUARE = (4.3, 4.3)
WIDE = (5.2, 3.5)


@dataclass(frozen=True, slots=True)
class Kind:
    """How a chart is drawn, and which measure its legend gives."""

    title: str
    draw: Callable[[Chart], None]
    measure: tuple[str, str] = ("", "")
    #: of the axes, in inches, and the height of those below them
    size: tuple[float, float] = SQUARE
    lower: float = 0.0


KINDS = {
    "roc": Kind("ROC curve", draw_roc, ("AUC", "auc")),
    "pr": Kind("Precision-recall curve", draw_precision_recall, ("AUPRC", "area_under_pr")),
    "hull": Kind("Convex hull of the ROC curve", draw_hull, ("AUC", "auc")),
    "cost": Kind("Cost curve", draw_cost, size=WIDE),
    "calibration": Kind(
        "Calibration", draw_calibration, ("ECE", "expected_calibration_error"), lower=0.85
    ),
    "gain": Kind("Gain curve", draw_gain, ("Gini", "gini"), WIDE),
    "lift": Kind("Lift curve", draw_lift, ("lift at 10%", "lift_at"), WIDE),
    "det": Kind("Detection error trade-off", draw_det, ("EER", "equal_error_rate")),
    FOLDS: Kind("ROC curve, vertical average of the folds", draw_folds, ("AUC", "auc")),
    "thresholds": Kind("Measures against the threshold", draw_thresholds, size=WIDE),
}


@overload
def plot(
    card: Scorecard,
    name: Literal["all"],
    *,
    path: str | os.PathLike[str] | None = None,
    interval_of: Any = None,
    ax: Axes | None = None,
    **options: Any,
) -> dict[str, Figure]: ...
@overload
def plot(
    card: Scorecard,
    name: str,
    *,
    path: str | os.PathLike[str] | None = None,
    interval_of: Any = None,
    ax: Axes | None = None,
    **options: Any,
) -> Figure: ...
def plot(
    card: Scorecard,
    name: str,
    *,
    path: str | os.PathLike[str] | None = None,
    interval_of: Any = None,
    ax: Axes | None = None,
    **options: Any,
) -> Figure | dict[str, Figure]:
    """The chart of a curve as a matplotlib figure, and as a file where a path is given.

    Parameters
    ----------
    card
        The scorecard. Several models share a chart; several classes are drawn each against
        the rest, a panel a model.
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
    options
        ``model`` and ``class_``: those alone. The rest goes to the curve: ``band``, ``level``,
        ``replicates``, ``seed``, ``bins`` ... A single ROC or precision-recall curve has a
        pointwise band where the scorecard has intervals; ``band=None`` leaves it out.
    """
    if card.task == "regression" and name.strip().lower() != "all":
        return plot_regression(card, name, path=path, ax=ax, model=options.get("model") or "")
    if name.strip().lower() == "all":
        if ax is not None:
            raise InputError("all charts do not fit into one ax: name one, such as roc")
        return plots(card, folder=path, interval_of=interval_of, **options)
    known, given = named_chart(name)
    options = given | options
    target = None if path is None else checked_path(path)
    if options.get("model"):
        card = card.only(options["model"])
    options.pop("model", None)
    lack = lack_of(card, known)
    if lack:
        raise InputError(f"a {known} chart {lack}")
    with styled():
        figure = _drawn(card, known, interval_of, defaults_of(card, known, options), ax)
    if target is not None:
        save(figure, target)
    return figure


def plots(
    card: Scorecard,
    *,
    folder: str | os.PathLike[str] | None = None,
    kind: str = "png",
    interval_of: Any = None,
    **options: Any,
) -> dict[str, Figure]:
    """All charts that the rows allow, by name; ``lack_of`` says why one is missing.

    With a folder (made where there is none) each is saved there under its name.
    """
    if kind not in FORMATS:
        raise InputError(f"cannot draw {kind!r}: there are {', '.join(FORMATS)}")
    if card.task == "regression":
        names = list(REGRESSION_PLOTS)
    else:
        names = [name for name in PLOTS if not lack_of(card, name)]
    if not names:
        raise InputError(f"there is nothing to draw: a curve {lack_of(card, 'roc')}")
    place = None if folder is None else _folder(Path(folder))
    made = {}
    for name in names:
        everywhere = {key: options[key] for key in ("model", "class_") if key in options}
        own = options if name in BANDED else everywhere
        path = None if place is None else place / f"{name}.{kind}"
        made[name] = plot(card, name, path=path, interval_of=interval_of, **own)
    return made


def lack_of(card: Scorecard, name: str) -> str:
    """Why a chart cannot be drawn of these rows, as a clause; empty where it can."""
    if name in OF_REGRESSION:
        return "is for regression, and this problem has classes"
    for tallies in card.tallies:
        p = tallies.predictions
        lack = lack_of_scores(tallies)
        if lack:
            return lack
        if name == "calibration" and p.score_problem:
            return f"needs probabilities: {p.score_problem}"
        if name == FOLDS and p.design.fold is None and p.design.repeat is None:
            return "needs folds (--fold; folds=)"
    return ""


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {path}: {error.strerror or error}") from error
    return path


def _drawn(
    card: Scorecard, name: str, interval_of: Any, options: dict[str, Any], ax: Axes | None
) -> Figure:
    kind = KINDS["thresholds" if name.startswith(THRESHOLDS) else name]
    panels = _panels(card, name, options)
    title = kind.title
    if name.startswith(THRESHOLDS):
        title = f"{title_of(name.removeprefix(THRESHOLDS))} against the threshold"
    if ax is not None and len(panels) > 1:
        raise InputError(
            f"this chart has {len(panels)} panels, more than one ax holds: name a model or class_"
        )
    figure, places = figure_of(len(panels), has_below=bool(kind.lower), ax=ax)
    charts = []
    for (axes, below), panel in zip(places, panels, strict=True):
        measure = _measure(kind, options)
        chart = Chart(axes, panel, card, below, interval_of, measure, _value_of(measure[1]))
        chart.is_inside = ax is not None
        kind.draw(chart)
        _name_axes(chart)
        chart.finish(kind.size[0])
        charts.append(chart)
    notes = dict.fromkeys(chart.panel.note for chart in charts if chart.panel.note)
    subtitle = subtitle_of(card, is_one_class=options.get("class_") is not None)
    words = " · ".join(filter(None, (subtitle, *notes)))
    if ax is not None:
        ax.set_title(title)
        return figure
    above = name_charts(figure, charts, title, words, kind.size[0])
    arrange(figure, charts, size=kind.size, lower=kind.lower, above=above, heading=(title, words))
    return figure


def _panels(card: Scorecard, name: str, options: dict[str, Any]) -> tuple[Panel, ...]:
    if name != "thresholds":
        return panels_of(card, "roc" if name == "hull" else name, **options)
    for option in options:
        if option != "class_":
            raise InputError(f"a thresholds chart has no option {option!r}")
    return _threshold_panels(card, options.get("class_"))


def _value_of(measure: str) -> Callable[[Series], float] | None:
    if not measure:
        return None
    if measure in ("auc", "area_under_pr", "average_precision"):
        return lambda series: series.curve.area
    request = parse_request(measure)
    return lambda series: float(request.measure(series.counts, **request.values))


def _measure(kind: Kind, options: dict[str, Any]) -> tuple[str, str]:
    """The measure of the legend, which has the bins of the chart where it has bins."""
    short, measure = kind.measure
    if kind.draw is draw_calibration and options.get("strategy") == "isotonic":
        return "", ""
    if options.get("steps") and measure == "area_under_pr":
        return "AP", "average_precision"
    given = [f"{key}={options[key]}" for key in ("bins", "strategy") if key in options]
    return short, f"{measure}[{', '.join(given)}]" if given and measure else measure


def _threshold_panels(card: Scorecard, class_: Any) -> tuple[Panel, ...]:
    """A panel for each model (and class), a line for each of a few measures."""
    found = []
    for panel in panels_of(card, f"{THRESHOLDS}{SHOWN[0]}", class_=class_):
        for series in panel.series:
            lines = []
            for number, measure in enumerate(SHOWN):
                own = series.curve
                if number:  # the first is the series itself
                    name, label = f"{THRESHOLDS}{measure}", series.class_ or None
                    own = curve(card, name, model=series.model, class_=label)
                look = look_of(number)
                lines.append(replace(series, name=own.title, curve=own, look=look, is_measure=True))
            words = [label_text(w) for w in (series.model, series.class_) if w]
            found.append(Panel(", ".join(words), tuple(lines)))
    each = len(card.classes) if card.task == "multiclass" and class_ is None else 1
    count = len(card.tallies) * each
    if count > len(found[:MOST_PANELS]):
        what = "classes" if card.task == "multiclass" else "models"
        found[0] = replace(found[0], note=f"{MOST_PANELS} of {count} {what}")
    return tuple(found[:MOST_PANELS])


def _name_axes(chart: Chart) -> None:
    first = chart.panel.series[0].curve
    several = len({series.curve.y_axis.label for series in chart.panel.series}) > 1
    chart.axes.set_ylabel("Value" if several else first.y_axis.label)
    (chart.below or chart.axes).set_xlabel(first.x_axis.label)
