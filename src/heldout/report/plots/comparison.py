"""Charts of comparisons by name: forest, posterior, ranks, paired ROC."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from heldout.comparison.results_comparison import ResultsComparison
from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.report.plots.pair_charts import (
    MOST_PAIRS,
    MOST_ROWS,
    forest_chart,
    pages,
    paired_roc_chart,
)
from heldout.report.plots.posterior import MOST_PANELS, MOST_SETS_PANELS, fits, posterior_chart
from heldout.report.plots.ranks import ranks_chart
from heldout.report.plots.save import Charts, checked_path, figure_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from heldout.comparison.comparison import Comparison
    from heldout.report.plots.chart import Chart

__all__ = ["CHARTS", "checked_chart", "every_chart", "plot_comparison"]

CHARTS = ("forest", "posterior", "ranks", "roc")
OTHER = {
    "critical_difference": "ranks",
    "cd": "ranks",
    "paired_roc": "roc",
    "differences": "forest",
}
MAKERS: dict[str, Callable[..., Chart]] = {
    "forest": forest_chart,
    "posterior": posterior_chart,
    "ranks": ranks_chart,
    "roc": paired_roc_chart,
}
#: what may stand in the brackets behind a name
OPTIONS = {
    "forest": ("measure", "pairs"),
    "posterior": ("measure", "first", "second", "page"),
    "ranks": (),
    "roc": ("first", "second", "page"),
    "all": (),
}


def plot_comparison(
    comparison: Comparison | ResultsComparison,
    name: str,
    *,
    path: str | os.PathLike[str] | None = None,
    title: str = "",
    figsize: tuple[float, float] | None = None,
    as_data: bool = False,
    **options: Any,
) -> Any:
    """A chart of a comparison as a matplotlib figure, and as a file where a path is given.

    Parameters
    ----------
    name
        ``forest`` (differences with intervals), ``posterior`` (with the region of practical
        equivalence), ``ranks`` (critical-difference diagram), ``roc`` (paired, with the band
        of the difference), or ``all``: those that the comparison has, every pair and measure,
        into a folder. Options may stand in brackets: ``posterior[measure=auc]``.
    options
        ``measure`` of a forest or posterior; ``pairs`` of a forest (``all``, or ``best``: the
        best model against each other); ``first`` and ``second`` (models), or ``page``,
        of a posterior or ROC curves. A chart that has no room for all pairs says which it
        shows.
    title, figsize
        Another title, and another size in inches.
    as_data
        The chart as plain data instead of a figure.
    """
    last: dict[str, Any] = {"title": title, "figsize": figsize, "as_data": as_data}
    known, given = _asked(name)
    given |= {key: value for key, value in options.items() if value}
    _refuse_options(known, given)
    if known == "all":
        charts = (
            (named, partial(plot_comparison, comparison, one, **own, **last))
            for named, one, own in every_chart(comparison)
        )
        return Charts.of(charts, path)
    lack = lack_of(comparison, known)
    if lack:
        raise InputError(f"a {known} chart {lack}")
    target = None if path is None else checked_path(path)
    return figure_of(MAKERS[known](comparison, **given), target, **last)


def checked_chart(name: str) -> str:
    """The name of a chart as it is known here, or an error with the nearest one.

    Examples
    --------
    >>> checked_chart("posterior[measure=f_score[beta=2], first=a]")
    'posterior'
    """
    known, given = _asked(name)
    _refuse_options(known, given)
    return known


def _asked(name: str) -> tuple[str, dict[str, Any]]:
    """The chart that is meant, and the options in its brackets."""
    word, bracket, rest = name.strip().partition("[")
    text = word.strip().lower()
    known = OTHER.get(text, text)
    if known not in OPTIONS:
        hint = did_you_mean(text, OPTIONS) or f"; there are {', '.join(OPTIONS)}"
        raise InputError(f"no chart of a comparison is called {name!r}{hint}")
    given: dict[str, Any] = {}
    if bracket:
        if not rest.rstrip().endswith("]"):
            raise InputError(f"{name!r} is not written NAME[option=value, ...]")
        # a comma within brackets of its own belongs to a measure
        for part in re.split(r",(?![^\[]*\])", rest.rstrip()[:-1]):
            key, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or not value:
                raise InputError(f"{name!r}: {part.strip()!r} is not written option=value")
            given[key] = value
    if "page" in given:
        if not given["page"].isdigit():
            raise InputError(f"{name!r}: a page is a number from 1")
        given["page"] = int(given["page"])
    return known, given


def _refuse_options(known: str, given: dict[str, Any]) -> None:
    for key in given:
        if key not in OPTIONS[known]:
            there = ", ".join(OPTIONS[known]) or "none"
            raise InputError(f"a {known} chart has no option {key!r}; there are {there}")


def lack_of(comparison: Comparison | ResultsComparison, name: str) -> str:
    """Why a comparison has no such chart, as a clause; empty where it has."""
    if isinstance(comparison, ResultsComparison):
        lacks = {"roc": "needs predictions, not results on many data sets"}
        if len(comparison.models) < 3:
            lacks["ranks"] = "needs three models or more"
        if any(d.posterior is None for d in comparison.differences):
            lacks["posterior"] = f"of several models over data sets needs {argument('rope')}"
        return lacks.get(name, "")
    if name == "ranks":
        return f"needs results on many data sets ({argument('datasets')})"
    if name == "posterior" and all(d.posterior is None for d in comparison.differences):
        return f"needs cross-validation or repeated holdouts, or {argument('rope')} on one test set"
    if name == "roc":
        first = comparison.predictions[0]
        if first.task != "binary" or any(p.scores is None for p in comparison.predictions):
            return "needs scores of two classes"
        if comparison.design.kind == "different test sets":
            return "needs models that were judged on the same rows"
    return ""


def every_chart(comparison: Any) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Titles, names and options of as many charts as show every pair by every measure."""
    for name in CHARTS:
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
        most = MOST_PAIRS if name == "roc" else MOST_SETS_PANELS if of_sets else MOST_PANELS
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
