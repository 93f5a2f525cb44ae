"""What a design that is only planned can show, from a few numbers about it."""

from __future__ import annotations

from math import inf, isinf
from typing import TYPE_CHECKING, Any

from heldout.comparison.achieved_power import achieved_power
from heldout.comparison.area_power import area_detectable, area_rows
from heldout.comparison.goal import checked_number
from heldout.comparison.mean_power import mean_detectable, mean_rows
from heldout.comparison.share_power import ShareStudy, share_rows
from heldout.comparison.split_power import no_repeats, repeats_needed, splits_detectable
from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.comparison.goal import Goal

__all__ = ["NUMBERS", "power_of_numbers"]

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
    >>> from heldout.comparison.goal import Goal
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
