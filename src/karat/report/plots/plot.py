"""A chart by its name: of a scorecard, as a figure and as a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from karat.core.errors import InputError
from karat.curves.joint_hull import JOINT
from karat.curves.named import FOLDS
from karat.curves.sources import NO_FOLDS, lack_of_folds, lack_of_scores
from karat.report.output import made_folder, write_all
from karat.report.plots.asked import BANDED, OF_REGRESSION, PLOTS, defaults_of, named_chart
from karat.report.plots.draw import drawn
from karat.report.plots.regression import REGRESSION_PLOTS, plot_regression
from karat.report.plots.save import FORMATS, checked_path, picture, save
from karat.report.plots.style import styled

if TYPE_CHECKING:
    import os

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from karat.assess.scorecard import Scorecard

__all__ = ["PLOTS", "lack_of", "lacking_models", "left_out", "plot", "plots"]


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
    known = "hull" if known == JOINT else known  # one chart: that of several models is over all
    options = given | options
    target = None if path is None else checked_path(path)
    if options.get("model"):
        card = card.only(options["model"])
    options.pop("model", None)
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
    everywhere = {key: options[key] for key in ("model", "class_") if key in options}
    made = {}
    for name in names:
        own = options if name in BANDED else everywhere
        made[name] = plot(card, name, interval_of=interval_of, **own)
    if folder is not None:
        # made last: what is refused leaves no empty folder behind
        with made_folder(Path(folder)) as place:
            write_all({place / f"{name}.{kind}": picture(made[name], kind) for name in made})
    return made


def lack_of(card: Scorecard, name: str) -> str:
    """Why a chart cannot be drawn of any model, as a clause; empty where it can of one."""
    if name in OF_REGRESSION:
        return "is for regression, and this problem has classes"
    lacks = lacking_models(card, name)
    return next(iter(lacks.values())) if len(lacks) == len(card.tallies) else ""


def left_out(card: Scorecard) -> dict[str, str]:
    """The charts that are missing among all, and why, as a clause.

    Where there are no folds, nobody expects those of folds.
    """
    if card.task == "regression":
        return {}
    lacks = {name: lack_of(card, name) for name in PLOTS}
    return {name: lack for name, lack in lacks.items() if lack and lack != NO_FOLDS}


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
