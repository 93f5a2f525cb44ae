"""A chart by its name: of a scorecard, as a figure and as a file."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.curves.named import FOLDS
from heldout.curves.several import JOINT
from heldout.curves.sources import lack_of_folds, lack_of_scores
from heldout.report.plots.asked import BANDED, OF_REGRESSION, PLOTS, defaults_of, named_chart
from heldout.report.plots.draw import drawn
from heldout.report.plots.regression import REGRESSION_PLOTS, regression_figure
from heldout.report.plots.save import Charts, checked_path, finished
from heldout.report.plots.style import styled

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from matplotlib.axes import Axes

    from heldout.assess.scorecard import Scorecard

__all__ = ["PLOTS", "every_chart", "lack_of", "lacking_models", "plot"]

#: options that every chart takes; others are of the curves with bands
EVERYWHERE = ("model", "class_", "title", "figsize")


def plot(
    card: Scorecard,
    name: str,
    *,
    path: str | os.PathLike[str] | None = None,
    interval_of: Any = None,
    ax: Axes | None = None,
    title: str = "",
    figsize: tuple[float, float] | None = None,
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
    options
        ``model`` and ``class_``: those alone. The rest goes to the curve: ``band``, ``level``,
        ``replicates``, ``seed``, ``bins`` ... A single ROC or precision-recall curve has a
        pointwise band where the scorecard has intervals; ``band=None`` leaves it out.
    """
    last: dict[str, Any] = {"title": title, "figsize": figsize}
    known, given = named_chart(name)
    options = given | options
    if known == "all":
        if ax is not None:
            raise InputError("all charts do not fit into one ax: name one, such as roc")
        charts = (
            (one, partial(plot, card, one, interval_of=interval_of, **own))
            for one, _, own in every_chart(card, options | last)
        )
        return Charts.drawn(charts, path)
    known = "hull" if known == JOINT else known  # one chart: that of several models is over all
    target = None if path is None else checked_path(path)
    if options.get("model"):
        card = card.only(options["model"])
    options.pop("model", None)
    if card.task == "regression":
        return finished(regression_figure(card, known, ax), target, **last, ax=ax)
    lack = lack_of(card, known)
    if lack:
        raise InputError(f"a {known} chart {lack}")
    lost = lacking_models(card, known)
    if lost:
        card = replace(
            card,
            tallies=tuple(t for t in card.tallies if t.predictions.model not in lost),
            _cache={},
        )
    with styled():
        figure = drawn(card, known, interval_of, defaults_of(card, known, options), ax, lost)
    return finished(figure, target, **last, ax=ax)


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
        if not lack and name == "calibration" and p.score_problem:
            lack = f"needs probabilities: {p.score_problem}"
        if not lack and name == FOLDS:
            lack = lack_of_folds(p)
        if lack:
            found[p.model] = lack
    return found
