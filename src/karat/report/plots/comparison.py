"""Charts of comparisons by name: forest, posterior, ranks, paired ROC."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat.comparison.results_comparison import ResultsComparison
from karat.core.errors import InputError
from karat.core.nearest import did_you_mean
from karat.report.plots.critical_difference import draw_ranks
from karat.report.plots.forest import draw_forest
from karat.report.plots.paired_roc import draw_paired_roc
from karat.report.plots.posterior import draw_posterior
from karat.report.plots.save import checked_path, save
from karat.report.plots.style import styled

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from karat.comparison.comparison import Comparison

__all__ = ["CHARTS", "checked_chart", "plot_comparison"]

CHARTS = ("forest", "posterior", "ranks", "roc")
OTHER = {
    "critical_difference": "ranks",
    "cd": "ranks",
    "paired_roc": "roc",
    "differences": "forest",
}
DRAWN: dict[str, Callable[..., Any]] = {
    "forest": draw_forest,
    "posterior": draw_posterior,
    "ranks": draw_ranks,
    "roc": draw_paired_roc,
}


def plot_comparison(
    comparison: Comparison | ResultsComparison,
    name: str,
    *,
    path: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Figure | dict[str, Figure]:
    """A chart of a comparison as a matplotlib figure, and as a file where a path is given.

    Parameters
    ----------
    name
        ``forest`` (differences with intervals), ``posterior`` (with the region of practical
        equivalence), ``ranks`` (critical-difference diagram), ``roc`` (paired, with the band
        of the difference), or ``all``: those that the comparison has, into a folder.
    options
        ``measure``; ``first`` and ``second`` (models) for a posterior or a ROC curve.
    """
    known = checked_chart(name)
    if known == "all":
        return _all(comparison, path, options)
    lack = lack_of(comparison, known)
    if lack:
        raise InputError(f"a {known} chart {lack}")
    target = None if path is None else checked_path(path)
    with styled():
        figure = DRAWN[known](comparison, **options)
    if target is not None:
        save(figure, target)
    return figure


def checked_chart(name: str) -> str:
    """The name of a chart as it is known here, or an error with the nearest one."""
    text = name.strip().lower()
    known = OTHER.get(text, text)
    if known not in (*CHARTS, "all"):
        names = (*CHARTS, "all")
        hint = did_you_mean(text, names) or f"; there are {', '.join(names)}"
        raise InputError(f"no chart of a comparison is called {name!r}{hint}")
    return known


def lack_of(comparison: Comparison | ResultsComparison, name: str) -> str:
    """Why a comparison has no such chart, as a clause; empty where it has."""
    if isinstance(comparison, ResultsComparison):
        lacks = {"roc": "needs predictions, not results on many data sets"}
        if len(comparison.models) < 3:
            lacks["ranks"] = "needs three models or more"
        else:
            lacks["posterior"] = "over data sets is of two models: give a table of these two"
        return lacks.get(name, "")
    if name == "ranks":
        return "needs results on many data sets (--datasets)"
    if name == "posterior" and all(d.posterior is None for d in comparison.differences):
        return "needs splits: cross-validation or repeated holdouts"
    if name == "roc":
        first = comparison.predictions[0]
        if first.task != "binary" or any(p.scores is None for p in comparison.predictions):
            return "needs scores of two classes"
        if comparison.design.kind == "different test sets":
            return "needs models that were judged on the same rows"
    return ""


def _all(comparison: Any, path: Any, options: dict[str, Any]) -> dict[str, Figure]:
    made = {}
    folder = None if path is None else Path(path)
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"cannot make the folder {folder}: {reason}") from error
    for name in CHARTS:
        if not lack_of(comparison, name):
            target = None if folder is None else folder / f"{name}.png"
            figure = plot_comparison(comparison, name, path=target, **options)
            assert not isinstance(figure, dict)
            made[name] = figure
    return made
