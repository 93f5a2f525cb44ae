"""``heldout.power``: the least difference that a design can show, and what a wanted one needs."""

from __future__ import annotations

from dataclasses import asdict
from math import nan
from typing import TYPE_CHECKING, Any

from heldout.comparison.options import PLANS, PlannedDesign, refuse_wide
from heldout.comparison.power.noise import (
    POWER,
    AreaNoise,
    Claim,
    Goal,
    MeanNoise,
    SplitNoise,
    Study,
    checked_number,
    needed_unit,
)
from heldout.comparison.power.share_noise import ShareNoise
from heldout.core.dialect import argument, speaking, worded
from heldout.core.errors import InputError
from heldout.core.options import from_keywords
from heldout.evaluation.tables import Frame
from heldout.measures.spec import parse_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.comparison.comparison import Comparison
    from heldout.comparison.power.noise import Noise

UNKNOWN = "the noise cannot be estimated"
#: designs of measures between 0 and 1, in which no margin is as large as 1
SHARES = ("discordance", "auc")


@speaking("keywords")
def power(
    *sources: Any,
    measures: Sequence[str] | str | None = None,
    rows: int | None = None,
    discordance: float | None = None,
    auc: float | None = None,
    prevalence: float | None = None,
    correlation: float | None = None,
    spread: float | None = None,
    folds: int | None = None,
    repeats: int | None = None,
    difference: float | None = None,
    margin: float | None = None,
    claim: Claim = "difference",
    power: float = POWER,
    level: float = 0.95,
    one_sided: bool = False,
    test: str = "",
    **roles: Any,
) -> Frame:
    """Find the smallest detectable difference, or the rows or repeats that a difference needs.

    From predictions, whose own noise is taken (as ``heldout.compare`` does where it says what true
    difference would be found), or from numbers about a design that is only planned. The power is
    that of a single test: where p-values are corrected for several comparisons, each shows less.

    Parameters
    ----------
    sources, measures, test, roles
        As for ``heldout.compare``.
    rows, discordance
        Accuracy: rows that both models judge, and the share on which just one is right. The
        power is that of the mid-p McNemar test, counted out.
    auc, prevalence, correlation
        AUC: that of the poorer model, the share of positives, and the correlation of the two
        areas' errors (None: 0.5). DeLong's test, errors guessed after Hanley and McNeil.
    spread
        Means of losses: the standard deviation of the rows' differences (paired t test); with
        ``folds``, of the folds' (corrected t test).
    folds, repeats
        Of a cross-validation.
    difference
        The wanted difference.
    claim, margin
        What is to be shown: a difference, or of models that are equal ``non-inferiority`` or
        ``equivalence`` within a margin, by one-sided tests at 1 - ``level``. The margin then
        takes the place of the difference, also in the table.
    power
        The chance that it is shown.

    Returns
    -------
    Frame
        A row for each pair and measure, or one: ``detectable`` is the least difference that
        shows (infinite: none, and ``note`` says why), ``limit`` the least with any number of
        repeats, ``achieved`` the chance that the design shows the wanted difference, ``needed``
        the rows or repeats that it needs.

    Examples
    --------
    >>> found = power(rows=300, discordance=0.15, difference=0.05)
    >>> found["detectable"][0], found["needed"][0]
    (0.0615, 461)
    """
    planned = from_keywords(PlannedDesign, locals())
    goal = Goal(level, power, one_sided, claim)
    difference = wanted_of(goal, difference, margin)
    if not sources:
        if roles or measures or test:
            raise InputError("measures, a test and columns are of predictions: give these first")
        return Frame.of([planned_power(planned, difference, goal)])
    for name in planned.given:
        raise InputError(f"{name} is for a design that is only planned, not for predictions")
    from heldout.comparison.compare import compare

    comparison = compare(*sources, measures=measures, test=test, **roles)
    return Frame.of(seen_power(comparison, difference, goal))


def wanted_of(goal: Goal, difference: float | None, margin: float | None) -> float | None:
    """The difference or the margin that is wanted, as the claim asks for."""
    unused, name = (difference, "difference") if goal.has_margin else (margin, "margin")
    if unused is not None:
        claims = "difference" if goal.has_margin else "non-inferiority or equivalence"
        raise InputError(worded(f"{{{name}}} goes with {{claim}} {claims}"))
    wanted = margin if goal.has_margin else difference
    return None if wanted is None else checked_number(wanted, argument(goal.wants))


def planned_power(design: PlannedDesign, difference: float | None, goal: Goal) -> dict[str, Any]:
    """The least difference that a planned design shows, and what a wanted one needs.

    Examples
    --------
    >>> planned_power(PlannedDesign(rows=300, discordance=0.15), 0.05, Goal())["needed"]
    461
    """
    kind = design.kind
    of_folds = kind == "folds"
    if not of_folds and design.rows is None and difference is None:
        raise InputError(worded(f"give {{rows}}, {{{goal.wants}}} or both"))
    if kind in SHARES and goal.has_margin:
        refuse_wide(parse_request(PLANS[kind][0].split()[0]), 2, margin=difference)
    noise = _planned_noise(design, None if goal.has_margin else difference)
    unit = "splits" if of_folds else "rows"
    study = noise.study(goal, difference, unit)
    if difference is not None and study.needed is None and not of_folds:
        raise InputError(f"no realistic number of rows shows {difference:g}")
    count = noise.splits if isinstance(noise, SplitNoise) else noise.count
    return {"measure": PLANS[kind][0], "n": count, "unit": unit, **asdict(study)}


def _planned_noise(design: PlannedDesign, difference: float | None) -> Noise:
    """The noise of the design, its numbers checked; ``difference``: the one that is wanted."""
    given, kind = design.given, design.kind
    if kind == "discordance":
        return ShareNoise.planned(given[kind], design.rows, difference)
    if kind == "spread":
        return MeanNoise.planned(given[kind], design.rows)
    if kind == "folds":
        return SplitNoise.planned(given["spread"], given[kind], given.get("repeats", 1))
    if design.prevalence is None:
        raise InputError(worded("{auc} needs {prevalence}, the share of positives"))
    return AreaNoise(given[kind], design.prevalence, given.get("correlation", 0.5), design.rows)


def seen_power(
    comparison: Comparison, wanted: float | None = None, goal: Goal | None = None
) -> list[dict[str, Any]]:
    """The power of the present design, a record per pair and measure, with the noise it has.

    The answer holds for models that differ row by row as these do. More repeats of a
    cross-validation help only down to a limit. ``goal``: None is a power of 0.8 at the level
    and the sides of the comparison. A record has the fields of a ``Study``, and the standard
    error of the difference.
    """
    options = comparison.options
    if goal is None:
        goal = Goal(1 - options.alpha, one_sided=options.alternative != "two-sided")
    for request in comparison.requests:
        refuse_wide(request, len(comparison.predictions[0].classes), **{goal.wants: wanted})
    records = []
    for d in comparison.differences:
        if d.noise is None:
            lack = d.lack or d.test.note or UNKNOWN
            error, study = nan, Study(nan, 0.0, wanted, None, None, needed_unit(d.unit), lack)
        else:
            error, study = d.noise.error, d.noise.study(goal, wanted, d.unit)
        pair = {"measure": d.measure, "first": d.first, "second": d.second}
        records.append({**pair, "n": d.n, "unit": d.unit, "error": error, **asdict(study)})
    return records
