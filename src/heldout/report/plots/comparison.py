"""Charts of comparisons by name: forest, posterior, ranks, paired ROC and decision curves."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from heldout.comparison.results_comparison import ResultsComparison
from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.report.plots.book import ALL, Book, chart_called
from heldout.report.plots.pair_charts import (
    MOST_PAIRS,
    MOST_ROWS,
    forest_chart,
    pages,
    paired_decision_chart,
    paired_roc_chart,
)
from heldout.report.plots.posterior import MOST_PANELS, MOST_SETS_PANELS, fits, posterior_chart
from heldout.report.plots.ranks import ranks_chart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from heldout.comparison.comparison import Comparison
    from heldout.report.plots.book import Options
    from heldout.report.plots.chart import Chart

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


def _parse(text: str) -> tuple[str, dict[str, Any]]:
    """The chart that is meant, and the options in its brackets.

    Examples
    --------
    >>> _parse("posterior[measure=f_score[beta=2], page=2]")
    ('posterior', {'measure': 'f_score[beta=2]', 'page': 2})
    """
    name, spec = chart_called(text, [*OPTIONS], "of a comparison", OTHER_NAMES)
    given: dict[str, Any] = dict(spec.values())
    if "page" in given:
        if not given["page"].isdigit():
            raise InputError(f"{text!r}: a page is a number from 1")
        given["page"] = int(given["page"])
    return name, given


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


BOOK = Book(tuple(MAKERS), _parse, every_chart, comparison_chart, OPTIONS, fits_axes=False)
