"""Charts of a scorecard by their names: what may be asked of them, and each as data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from heldout.core.errors import InputError
from heldout.core.nearest import hint_of, no_option
from heldout.core.specs import literal, parse_spec
from heldout.curves.cuts import threshold_request
from heldout.curves.hull import JOINT
from heldout.curves.named import CURVES, FOLDS, OF_PROBABILITIES, THRESHOLDS, checked_name
from heldout.curves.sources import lack_of_folds, lack_of_scores
from heldout.report.names import label_text, title_of
from heldout.report.plots.book import ALL, Book
from heldout.report.plots.chart import Chart, Layout
from heldout.report.plots.confusion import NAME as CONFUSION
from heldout.report.plots.confusion import OPTIONS as OF_CONFUSION
from heldout.report.plots.confusion import confusion_chart
from heldout.report.plots.curve_kinds import KINDS
from heldout.report.plots.curve_panel import (
    MOST_BANDS,
    panels_of,
    score_panels,
    subtitle_of,
    threshold_panels,
)
from heldout.report.plots.intervals import NAME as DOTS
from heldout.report.plots.intervals import folds_of_measures, lack_of_dots
from heldout.report.plots.looks import shorten
from heldout.report.plots.regression import REGRESSION_PLOTS, regression_chart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.assess.scorecard import Scorecard
    from heldout.engines.memory import Tallies
    from heldout.report.plots.book import Options
    from heldout.report.plots.chart import Panel
    from heldout.report.plots.curve_kinds import Kind
    from heldout.report.plots.curve_panel import CurvePanel

#: rows by score, of each class apart
SCORES = "scores"
#: every chart of classes that needs no measure named
PLOTS = (*CURVES, FOLDS, "thresholds", SCORES, CONFUSION, DOTS)
#: charts of true and predicted values, and of folds
OF_REGRESSION = (*REGRESSION_PLOTS, DOTS)
#: charts of curves that have bands
BANDED = ("roc", "pr", FOLDS)
#: draws of a band that nobody asked for, folds it is still quick for, rows that must be drawn
DRAWS = 500
MOST_FOLDS = 20
MOST_ROWS = 200_000


def parse_chart(name: str) -> tuple[str, dict[str, Any]]:
    """The name of a chart and the options in its brackets, or an error with the nearest names.

    Examples
    --------
    >>> parse_chart("ROC[band=simultaneous, level=0.9]")
    ('roc', {'band': 'simultaneous', 'level': 0.9})
    >>> parse_chart("thresholds:f_score[beta=2]")
    ('thresholds:f_score[beta=2]', {})
    """
    text = name.strip()
    if text.lower().startswith(THRESHOLDS):
        known = checked_name(text)
        if not known.removeprefix(THRESHOLDS).startswith(("profit", "cost")):
            threshold_request(known.removeprefix(THRESHOLDS))  # those need their matrix first
        return known, {}
    spec = parse_spec(text)
    given = {key: literal(value) for key, value in spec.values().items()}
    word, options = spec.name, {"class_" if k == "class" else k: v for k, v in given.items()}
    if word.lower() in ("thresholds", ALL, SCORES, CONFUSION, *OF_REGRESSION):
        return word.lower(), options
    try:
        return checked_name(word), options
    except InputError:
        known_names = [*PLOTS, JOINT, f"{THRESHOLDS}f_score", *REGRESSION_PLOTS, ALL]
        raise InputError(f"no chart is called {name!r}{hint_of(word, known_names)}") from None


def defaults_of(card: Scorecard, name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options with the scorecard's level and seed, and bands where lines have room for them.

    Bands of many curves would hide each other, so those are drawn only when asked for.
    """
    intervals = card.intervals
    how = dict(options)
    if intervals is not None and name in (*BANDED, *OF_PROBABILITIES):
        how.setdefault("level", intervals.level)
    each = len(card.classes) if card.task != "binary" and "class_" not in how else 1
    if name == "calibration":
        how.setdefault("replicates", getattr(intervals, "replicates", None) or DRAWS)
        how.setdefault("intervals", max(each, len(card.tallies)) <= MOST_BANDS)
    if name not in BANDED:
        return how
    few = max(each, len(card.tallies)) <= MOST_BANDS
    lines = each * len(card.tallies)
    quick = few and all(_is_quick(tallies, name, lines) for tallies in card.tallies)
    if "band" not in how and intervals is not None and quick:
        how |= {"band": "pointwise", "replicates": intervals.replicates or DRAWS} | how
    if intervals is not None and how.get("band"):
        how.setdefault("seed", intervals.seed)
        if intervals.replicates:
            how.setdefault("replicates", intervals.replicates)
    return how


def _is_quick(tallies: Tallies, name: str, lines: int) -> bool:
    """Whether bands of so many lines can be had without being asked for."""
    p = tallies.predictions
    if name == FOLDS:
        count = lines
        for column in (p.design.fold, p.design.repeat):
            count *= 1 if column is None else len(column.levels)
        if count > MOST_FOLDS:
            return False
    must_draw_rows = (
        p.weight is not None or p.design.group is not None or p.design.repeat is not None
    )
    return not must_draw_rows or len(p) * lines <= MOST_ROWS


#: options that every chart of curves takes; others are of those with bands, which know them
EVERYWHERE = ("model", "class_")
OPTIONS: Options = {
    CONFUSION: {**OF_CONFUSION, "model": ()},
    DOTS: {"measure": (), "model": ()},
    SCORES: dict.fromkeys(EVERYWHERE, ()),
}


def card_chart(card: Scorecard, name: str, *, is_inside: bool = False, **options: Any) -> Chart:
    """A chart of a scorecard as data.

    Several models share a chart; several classes are drawn each against the rest, a panel a
    model. A model without what it needs (scores, probabilities) is named in the legend, with
    the reason. ``model`` and ``class_``: those alone. The rest goes to the curve: ``band``,
    ``level``, ``replicates``, ``seed``, ``bins`` ... A single ROC or precision-recall curve has a
    pointwise band where the scorecard has intervals; ``band=None`` leaves it out.
    """
    name = "hull" if name == JOINT else name  # one chart: that of several models is over all
    if model := options.pop("model", None):
        card = card.only(model)
    refuse_task(name, card.task)
    if name == DOTS:
        return folds_of_measures(card, **options)
    if card.task == "regression":
        return regression_chart(card, name)
    if lack := lack_of(card, name):
        raise InputError(f"a {name} chart {lack}")
    if name == CONFUSION:
        return confusion_chart(card, **options)
    return curve_chart(card, name, options, is_inside=is_inside)


def refuse_task(name: str, task: str) -> None:
    """An error for a chart of the other kind of problem."""
    if task == "regression" and name not in OF_REGRESSION:
        names = ", ".join([*OF_REGRESSION, ALL])
        raise InputError(f"a regression has no chart {name!r}; there are {names}")
    if task != "regression" and name in REGRESSION_PLOTS:
        raise InputError(f"a {name} chart is for regression, and this problem has classes")


def curve_chart(
    card: Scorecard, name: str, options: dict[str, Any], *, is_inside: bool = False
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
    making = _panels(card, name, options, measure[1])
    for curves in making:
        curves.measure, curves.is_short = measure, is_inside
        kind.draw(curves)
        _name_axes(curves)
    # models that are not drawn are told in the last panel's legend
    making[-1].panel.notes += [
        f"{shorten(label_text(model), 34)} is not drawn: it {lack.words}"
        for model, lack in lost.items()
    ]
    panels = tuple(curves.finish() for curves in making)
    title = kind.title
    if name.startswith(THRESHOLDS):
        title = f"{title_of(name.removeprefix(THRESHOLDS))} against the threshold"
    notes = dict.fromkeys(curves.note for curves in making if curves.note)
    subtitle = subtitle_of(card, is_one_class=options.get("class_") is not None)
    words = " · ".join(filter(None, (subtitle, *notes)))
    return Chart(title, words, panels, Layout(kind.size, kind.lower))


def _panels(card: Scorecard, name: str, options: dict[str, Any], measure: str) -> list[CurvePanel]:
    if name == SCORES:
        return score_panels(card, options.get("class_"))
    if name != "thresholds":
        how: dict[str, Any] = {"best_by": measure or "auc", **options}
        return panels_of(card, "roc" if name == "hull" else name, **how)
    for option in options:
        if option != "class_":
            raise no_option("a thresholds chart", option, (*EVERYWHERE[1:],))
    return threshold_panels(card, options.get("class_"))


def _measure(kind: Kind, options: dict[str, Any]) -> tuple[str, str]:
    """The measure of the legend, which has the bins of the chart where it has bins."""
    short, measure = kind.measure
    has_bins = options.get("strategy", "isotonic") != "isotonic" or "bins" in options
    if kind is KINDS["calibration"]:
        if not has_bins:
            return short, measure
        short, measure = "ECE", "expected_calibration_error"
    given = [f"{key}={options[key]}" for key in ("bins", "strategy") if key in options]
    return short, f"{measure}[{', '.join(given)}]" if given and measure else measure


def _name_axes(making: CurvePanel) -> None:
    """The names of both axes where they have none, the horizontal one's below the lowest panel."""
    first = making.series[0].curve
    several = len({series.curve.y_axis.label for series in making.series}) > 1
    panel: Panel = making.panel
    shared = "Value" if several else first.y_axis.label
    panel.y = replace(panel.y, label=panel.y.label or shared)
    lowest = panel.below or panel
    lowest.x = replace(lowest.x, label=lowest.x.label or first.x_axis.label)


def every_chart(
    card: Scorecard, options: dict[str, Any]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Title, name and options of the charts that the rows allow."""
    names = [name for name in PLOTS if not lack_of(card, name)]
    if card.task == "regression":
        names = [name for name in OF_REGRESSION if name != DOTS or not lack_of_dots(card)]
    for name in names:
        known = OPTIONS.get(name, EVERYWHERE)
        yield name, name, {k: v for k, v in options.items() if name in BANDED or k in known}


def lack_of(card: Scorecard, name: str) -> str:
    """Why a chart cannot be drawn of any model, as a clause; empty where it can of one."""
    lacks = lacking_models(card, name)
    return next(iter(lacks.values())).words if len(lacks) == len(card.tallies) else ""


class Lacking(NamedTuple):
    """Why a chart cannot be drawn of a model, as a clause, and what it is that it lacks."""

    words: str
    what: Literal["scores", "probabilities", "folds", "labels"] = "scores"


def lacking_models(card: Scorecard, name: str) -> dict[str, Lacking]:
    """The models that a chart cannot be drawn of, and why."""
    if name == DOTS:
        words = lack_of_dots(card)
        return dict.fromkeys(card.models, Lacking(words, "folds")) if words else {}
    lacks = {}
    for tallies in card.tallies:
        p = tallies.predictions
        if name == CONFUSION:
            if not tallies.has_labels:
                lacks[p.model] = Lacking("needs predicted classes", "labels")
        elif lack := lack_of_scores(tallies):
            lacks[p.model] = Lacking(lack)
        elif name in OF_PROBABILITIES and p.score_problem:
            lacks[p.model] = Lacking(f"needs probabilities: {p.score_problem}", "probabilities")
        elif name == FOLDS and (lack := lack_of_folds(p)):
            lacks[p.model] = Lacking(lack, "folds")
    return lacks


BOOK = Book(
    (*PLOTS, *REGRESSION_PLOTS), card_chart, OPTIONS, parse=parse_chart, every_of=every_chart
)
plot = BOOK.plot
