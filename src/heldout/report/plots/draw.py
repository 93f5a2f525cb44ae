"""One chart of a scorecard as a figure: its kind, its panels, and the measure of its legend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.curves.named import FOLDS, THRESHOLDS
from heldout.measures.spec import parse_request
from heldout.report.names import label_text, title_of
from heldout.report.plots.calibration import draw_calibration
from heldout.report.plots.cost import draw_cost
from heldout.report.plots.det import draw_det
from heldout.report.plots.folds import draw_folds
from heldout.report.plots.frame import Chart, subtitle_of
from heldout.report.plots.gain import draw_gain, draw_lift
from heldout.report.plots.hull import draw_hull
from heldout.report.plots.layout import arrange, figure_of, name_charts, share_legend
from heldout.report.plots.panels import panels_of
from heldout.report.plots.precision_recall import draw_precision_recall
from heldout.report.plots.roc import draw_roc
from heldout.report.plots.save import TITLE
from heldout.report.plots.style import shortened
from heldout.report.plots.thresholds import draw_thresholds, threshold_panels

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from heldout.assess.scorecard import Scorecard
    from heldout.report.plots.panels import Panel, Series

__all__ = ["drawn"]

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
    "pr": Kind(
        "Precision-recall curve", draw_precision_recall, ("average precision", "average_precision")
    ),
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


def drawn(
    card: Scorecard,
    name: str,
    interval_of: Any,
    options: dict[str, Any],
    ax: Axes | None,
    lost: Mapping[str, str] | None = None,
) -> Figure:
    """The figure of a chart that is known to be possible, with all its options.

    ``lost`` are models that cannot be drawn, and why.
    """
    kind = KINDS["thresholds" if name.startswith(THRESHOLDS) else name]
    measure = _measure(kind, options)
    panels = _panels(card, name, options, measure[1])
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
        chart = Chart(axes, panel, card, below, interval_of, measure, _value_of(measure[1]))
        chart.is_inside = ax is not None
        kind.draw(chart)
        _name_axes(chart)
        charts.append(chart)
    share_legend(charts, kind.size[0])
    _name_lost(charts[-1], lost or {})
    for chart in charts:
        chart.finish(kind.size[0])
    notes = dict.fromkeys(chart.panel.note for chart in charts if chart.panel.note)
    subtitle = subtitle_of(card, is_one_class=options.get("class_") is not None)
    words = " · ".join(filter(None, (subtitle, *notes)))
    if ax is not None:
        ax.set_title(title, gid=TITLE)
        return figure
    above = name_charts(figure, charts, title, words, kind.size[0])
    arrange(figure, charts, size=kind.size, lower=kind.lower, above=above, heading=(title, words))
    return figure


def _name_lost(chart: Chart, lost: Mapping[str, str]) -> None:
    """The models that are not drawn, and why, in the last panel's legend."""
    from matplotlib.lines import Line2D

    for model, reason in lost.items():
        text = f"{shortened(label_text(model), 34)} is not drawn: it {reason}"
        chart.legend.append((Line2D([], [], alpha=0), text))


def _panels(card: Scorecard, name: str, options: dict[str, Any], measure: str) -> tuple[Panel, ...]:
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
    if kind.draw is draw_calibration and options.get("strategy") == "isotonic":
        return "", ""
    given = [f"{key}={options[key]}" for key in ("bins", "strategy") if key in options]
    return short, f"{measure}[{', '.join(given)}]" if given and measure else measure


def _name_axes(chart: Chart) -> None:
    first = chart.panel.series[0].curve
    several = len({series.curve.y_axis.label for series in chart.panel.series}) > 1
    chart.axes.set_ylabel("Value" if several else first.y_axis.label)
    (chart.below or chart.axes).set_xlabel(first.x_axis.label)
