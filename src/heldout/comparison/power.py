"""``heldout.power``: the least difference that a design can show, and what a wanted one needs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import inf, isinf, nan
from typing import TYPE_CHECKING, Any

from heldout.comparison.noise import (
    POWER,
    Goal,
    ShareStudy,
    achieved_power,
    area_detectable,
    area_rows,
    checked_number,
    mean_detectable,
    mean_rows,
    no_repeats,
    repeats_needed,
    share_rows,
    splits_detectable,
)
from heldout.comparison.python_words import python_errors
from heldout.core.errors import InputError
from heldout.evaluation.tables import Frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.comparison.comparison import Comparison
    from heldout.comparison.difference import Difference
    from heldout.comparison.noise import Study

__all__ = ["NUMBERS", "SeenPower", "detectable", "power", "power_of_numbers", "seen_power"]


@python_errors()
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
    power: float = POWER,
    level: float = 0.95,
    one_sided: bool = False,
    test: str = "",
    **roles: Any,
) -> Frame:
    """What differences can be shown, and how many rows or repeats a wanted one needs.

    From predictions, whose own noise is taken (as ``heldout.compare`` does where it says what the
    rows can show at best), or from numbers about a design that is only planned. The power is
    that of a single test: where p-values are corrected for several comparisons, each shows less.

    Parameters
    ----------
    sources, measures, test, roles
        As for ``heldout.compare``.
    rows, discordance
        Accuracy: rows that both models judge, and the share on which just one is right. The
        power is that of the exact McNemar test, counted out.
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
    (0.0643, 498)
    """
    numbers = {
        "rows": rows,
        "discordance": discordance,
        "auc": auc,
        "prevalence": prevalence,
        "correlation": correlation,
        "spread": spread,
        "folds": folds,
        "repeats": repeats,
    }
    goal = Goal(level, power, one_sided)
    if not sources:
        if roles or measures or test:
            raise InputError("measures, a test and columns are of predictions: give these first")
        record = power_of_numbers(numbers, difference, goal)
        return Frame({name: [value] for name, value in record.items()})
    for name, value in numbers.items():
        if value is not None:
            raise InputError(f"{name} is for a design that is only planned, not for predictions")
    if difference is not None:
        checked_number(difference, "difference")
    from heldout.comparison.compare import compare
    from heldout.comparison.power import seen_power

    made = compare(*sources, measures=measures, level=level, test=test, **roles)
    found = [asdict(row) for row in seen_power(made, difference, goal)]
    return Frame({name: [row[name] for row in found] for name in found[0]})


#: the numbers that describe a design; by the one that says its kind, those that go with it
NUMBERS = (
    "rows",
    "discordance",
    "auc",
    "prevalence",
    "correlation",
    "spread",
    "folds",
    "repeats",
)
BESIDE = {
    "discordance": ("rows",),
    "auc": ("rows", "prevalence", "correlation"),
    "spread": ("rows",),
    "folds": ("spread", "repeats"),
}


def power_of_numbers(
    numbers: Mapping[str, Any], difference: float | None, goal: Goal
) -> dict[str, Any]:
    """The least difference that a planned design shows, and what a wanted one needs.

    Examples
    --------
    >>> from heldout.comparison.noise import Goal
    >>> power_of_numbers({"rows": 300, "discordance": 0.15}, 0.05, Goal())["needed"]
    498
    """
    given = {name: value for name, value in numbers.items() if value is not None}
    kind = _kind(given)
    for name in given:
        if name != kind and name not in BESIDE[kind]:
            raise InputError(f"--{name} does not go with --{kind}")
    if difference is not None:
        checked_number(difference, "--difference")
    if kind != "folds" and "rows" not in given and difference is None:
        raise InputError("give --rows, --difference or both")
    found = OF[kind](given, difference, goal)
    achieved = None
    if difference is not None and found.get("detectable") is not None:

        def least(asked: Goal) -> float:
            return float(OF[kind](given, None, asked)["detectable"])

        achieved = achieved_power(least, difference, goal)
    return {
        "measure": NAMES[kind],
        "n": given.get("rows"),
        "unit": "rows",
        "detectable": None,
        "limit": 0.0,
        "wanted": difference,
        "achieved": achieved,
        "needed": None,
        "needed_unit": "rows",
        "note": "",
    } | found


def _kind(given: Mapping[str, Any]) -> str:
    said = [name for name in ("discordance", "auc", "spread") if name in given]
    if len(said) != 1:
        raise InputError(
            "give files, or one of --discordance (accuracy), --auc (with --prevalence) and "
            "--spread (mean losses; folds with --folds)"
        )
    if "folds" not in given:
        if "repeats" in given:
            raise InputError("--repeats goes with --folds")
        return said[0]
    if said != ["spread"]:
        raise InputError("--folds goes with --spread, that of the folds")
    return "folds"


def _of_shares(given: Mapping[str, Any], difference: float | None, goal: Goal) -> dict[str, Any]:
    made: dict[str, Any] = {}
    share = given["discordance"]
    if "rows" in given:
        study = ShareStudy(given["rows"], share, goal)
        made |= {"detectable": study.detectable(), "note": study.reason}
    if difference is not None:
        made["needed"] = share_rows(difference, share, goal)
    return made


def _of_areas(given: Mapping[str, Any], difference: float | None, goal: Goal) -> dict[str, Any]:
    if "prevalence" not in given:
        raise InputError("--auc needs --prevalence, the share of positives")
    known = given["auc"], given["prevalence"], goal
    shared = {"correlation": given.get("correlation", 0.5)}
    made: dict[str, Any] = {}
    if "rows" in given:
        made["detectable"] = area_detectable(given["rows"], *known, **shared)
        if isinf(made["detectable"]):
            made["note"] = (
                "no difference can be shown: with so few rows even an area of 1 would not be "
                "told from the other with this power"
            )
    if difference is not None:
        made["needed"] = area_rows(difference, *known, **shared)
    return made


def _of_means(given: Mapping[str, Any], difference: float | None, goal: Goal) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if "rows" in given:
        made["detectable"] = mean_detectable(given["rows"], given["spread"], goal)
    if difference is not None:
        made["needed"] = mean_rows(difference, given["spread"], goal)
    return made


def _of_folds(given: Mapping[str, Any], difference: float | None, goal: Goal) -> dict[str, Any]:
    folds, spread, repeats = given["folds"], given["spread"], given.get("repeats", 1)
    checked_number(repeats, "--repeats", least=1, closed=True)
    limit = splits_detectable(inf, folds, spread, goal)
    made: dict[str, Any] = {
        "n": repeats * folds,
        "unit": "splits",
        "detectable": splits_detectable(repeats, folds, spread, goal),
        "limit": limit,
        "needed_unit": "repeats",
    }
    if difference is not None:
        made["needed"] = repeats_needed(difference, folds, spread, goal)
        if made["needed"] is None:
            made["note"] = no_repeats(difference, limit)
    return made


OF = {"discordance": _of_shares, "auc": _of_areas, "spread": _of_means, "folds": _of_folds}
NAMES = {
    "discordance": "accuracy (paired)",
    "auc": "auc (paired)",
    "spread": "mean loss (paired)",
    "folds": "mean over folds",
}


UNKNOWN = "nothing is known of the noise"


@dataclass(frozen=True, slots=True)
class SeenPower:
    """Of one pair and measure: the least difference that shows, and what a wanted one needs."""

    measure: str
    first: str
    second: str
    n: int
    unit: str
    #: the standard error of the difference
    error: float
    detectable: float
    #: the least difference with any number of repeats on the same rows; 0 for rows
    limit: float
    wanted: float | None
    #: the chance that the present design shows the wanted difference
    achieved: float | None
    #: rows, or repeats of the cross-validation; None: no number, or nothing was wanted
    needed: int | None
    needed_unit: str
    note: str = ""


def seen_power(
    comparison: Comparison, wanted: float | None = None, goal: Goal | None = None
) -> tuple[SeenPower, ...]:
    """The power of the present design, with the noise that its differences have.

    The answer holds for models that differ row by row as these do. More repeats of a
    cross-validation help only down to a limit. ``goal``: None is a power of 0.8 at the level
    and the sides of the comparison.
    """
    options = comparison.options
    if goal is None:
        goal = Goal(options.level, one_sided=options.alternative != "two-sided")
    return tuple(_seen(d, goal, wanted) for d in comparison.differences)


def detectable(difference: Difference, *, power: float = POWER) -> Study | None:
    """What true difference the test that was made would find; None where nothing is known.

    As ``heldout power`` has it: at the level and the sides of the test.
    """
    d = difference
    if d.noise is None:
        return None
    return d.noise.study(Goal(d.interval.level, power, d.evidence.alternative != "two-sided"))


def _seen(d: Difference, goal: Goal, wanted: float | None) -> SeenPower:
    unit = "repeats" if d.unit == "splits" else d.unit
    said = (d.measure, d.first, d.second, d.n, d.unit)
    if d.noise is None:
        note = d.interval.note or d.evidence.note or UNKNOWN
        return SeenPower(*said, nan, nan, 0.0, wanted, None, None, unit, note)
    noise, found = d.noise, d.noise.study(goal, wanted)
    achieved = None
    if wanted is not None:
        achieved = achieved_power(lambda asked: noise.study(asked).detectable, wanted, goal)
    return SeenPower(
        *said,
        noise.error,
        found.detectable,
        found.limit,
        wanted,
        achieved,
        found.needed,
        unit,
        found.note,
    )
