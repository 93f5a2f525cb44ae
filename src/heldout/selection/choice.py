"""Rules of choice: the best, the simplest within one standard error, and those not worse."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.split_influence import (
    has_quick_influence,
    influence_over_splits,
    with_groups,
)
from heldout.comparison.split_tests import corrected_p_values, split_error
from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.nearest import no_such
from heldout.core.significance import holm
from heldout.learners.parameters import spelled
from heldout.predictions.plan import plan_of
from heldout.procedures.balance import parted_groups
from heldout.selection.criterion import as_good_as
from heldout.selection.simpler import order_of, parse_simpler
from heldout.uncertainty.cross_validation import split_freedom

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.procedures.splits import Splits
    from heldout.selection.scoring import Scored
    from heldout.selection.search import Search
    from heldout.selection.settings import Setting
    from heldout.selection.simpler import Order
    from heldout.uncertainty.influence import Influence

#: values of splits (settings times splits) that are made anew for each group, at most
MOST = 500


def cuts_groups(dataset: Dataset, splits: Splits) -> bool:
    """Whether a split trains on some rows of a group and tests on others."""
    return dataset.group is not None and parted_groups(splits, dataset.group) > 0


def group_error(search: Search, index: int) -> float:
    """The standard error of a setting's mean over splits by groups, each with all its rows.

    NaN where the measure does not tell what a group adds.
    """
    try:
        return float(_influence(search, search.scores[index]).spread().error)
    except InputError:
        return float("nan")


def group_p_values(
    search: Search, places: Sequence[int], differences: NDArray[np.float64]
) -> tuple[NDArray[np.float64], str]:
    """p-values of differences from the best with the error of groups, or why there are none.

    ``differences`` has a line for each of the places, and a column a split.
    """
    best = search.scores[search.best]
    p_values = np.full(len(places), np.nan)
    assert best.tallies is not None
    name = search.criterion.name
    is_quick = search.criterion.of_means is not None
    is_quick = is_quick or has_quick_influence(search.criterion.request, best.tallies)
    if not is_quick and len(places) * len(search.splits) > MOST:
        return p_values, (
            f"splits cut groups, and allowing for that takes too long for "
            f"{name} of so many settings"
        )
    try:
        first = _influence(search, best)
    except InputError as unfit:
        return p_values, str(unfit)
    if len(first.shift) < 2:
        return p_values, "all rows are in one group"
    from heldout.core.special import stdtr

    count = differences.shape[1]
    plain = split_error(differences, search.test_share)
    of_splits = split_freedom(count, search.folds)
    for number, index in enumerate(places):
        shifts = first - _influence(search, search.scores[index])
        error, freedom = with_groups(float(plain[number]), of_splits, shifts)
        gap = abs(float(differences[number].mean()))
        p_values[number] = 2 * stdtr(freedom, -gap / error) if error > 0 else float(gap == 0)
    return p_values, ""


def _influence(search: Search, score: Scored) -> Influence:
    assert score.tallies is not None
    return influence_over_splits(
        search.criterion.request, score.tallies, of_mean=search.criterion.of_means
    )


RULES = ("best", "one-se")
#: values that an error lists
FEW = 8


@dataclass(frozen=True, slots=True)
class Choice:
    """The setting that was chosen, and why."""

    index: int
    rule: str
    #: why this one, in words
    reason: str


def standard_errors(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The standard error of each setting's mean over splits, as if splits were separate.

    It is the yardstick of the one-standard-error rule (Breiman et al. 1984) and no interval.
    """
    if table.shape[1] < 2:
        return np.full(len(table), np.nan)
    with np.errstate(invalid="ignore"):
        return table.std(axis=1, ddof=1) / sqrt(table.shape[1])


def rule_named(rule: str) -> str:
    """The rule of a name, under its own spelling.

    Examples
    --------
    >>> rule_named("1se"), rule_named("best")
    ('one-se', 'best')
    """
    name = rule.strip().lower().replace("_", "-").replace(" ", "-")
    name = {"1se": "one-se", "1-se": "one-se", "one-standard-error": "one-se"}.get(name, name)
    if name not in RULES:
        raise no_such("rule", rule, RULES)
    return name


def checked_order(settings: Sequence[Setting], simpler: Any = None) -> Order:
    """What is simpler among some settings, or an error that asks for it."""
    order = order_of(settings, simpler)
    if order.unknown:
        name, reason = next(iter(order.unknown.items()))
        if reason:
            raise InputError(
                f"which {name} is simpler? {reason}: declare its values from simple to complex"
                f"{_declared(settings, name)} ({argument('simpler')})"
            )
        raise InputError(
            f'which {name} is simpler? Declare "{name}:up" or "{name}:down" '
            f"({argument('simpler')}), or its values from simple to complex"
        )
    return order


def _declared(settings: Sequence[Setting], name: str) -> str:
    """How an order of a parameter's values is written, where they are few and can be written."""
    given = [setting.parameters[name] for setting in settings if name in setting.parameters]
    plain = [value.item() if hasattr(value, "item") else value for value in given]
    values = list({repr(value): value for value in plain}.values())
    text = f"{name}:{','.join(map(spelled, values))}"
    if not 1 < len(values) <= FEW or parse_simpler(text)[name] != tuple(values):
        return ""
    return f', such as "{text}"'


def choose(search: Search) -> Choice:
    """The setting that the rule of a search chooses."""
    best, asked = search.best, search.setup.asked
    if rule_named(asked.rule) == "best":
        goodness = search.criterion.goodness(search.values)
        equal = int(np.count_nonzero(as_good_as(goodness, float(goodness[best]))))
        first = f", the first of {equal:,} equal ones" if equal > 1 else ""
        return Choice(best, "best", f"the best value{first}")
    error, of_groups = rule_error(search)
    if not np.isfinite(error):
        raise InputError(
            "the rule of one standard error needs at least two splits with "
            "finite values; use 10-fold, or the rule best"
        )
    order = checked_order(search.settings, asked.simpler)
    goodness = search.criterion.goodness(search.values)
    within = np.flatnonzero(as_good_as(goodness, float(goodness[best]) - error))
    # models of other kinds, or with another kernel, are not ordered by these parameters
    rivals = [
        index
        for index in within.tolist()
        if order.kind(search.settings[index]) == order.kind(search.settings[best])
    ]
    key = {index: order.key(search.settings[index]) for index in rivals}
    index = min(rivals, key=lambda at: (key[at], -goodness[at], at))
    words = order.words(search.settings[best]) or "one setting"
    reason = f"the simplest within one standard error{of_groups} of the best ({words})"
    if index == best:
        reason = f"the best value; no simpler one within one standard error{of_groups} ({words})"
    return Choice(index, "one-se", reason)


def rule_error(search: Search) -> tuple[float, str]:
    """The standard error of the best value that the rule looks at, and what it is of.

    Over splits, as if they were separate; where they cut groups, of groups if that is larger.
    """
    error = float(standard_errors(search.table)[search.best])
    if not search.cuts_groups or not np.isfinite(error):
        return error, ""
    wider = group_error(search, search.best)
    return (wider, " by groups") if wider > error else (error, "")


def one_error_limit(search: Search) -> float:
    """The value that lies one standard error from the best; NaN where no rule looks at it."""
    sign = {"up": -1.0, "down": 1.0}.get(search.criterion.direction, np.nan)
    if search.choice.rule == "best":
        return float("nan")
    return float(search.values[search.best] + sign * rule_error(search)[0])


def no_test_along(procedure: str) -> str:
    """Why the splits of a procedure have no valid test; empty where they have.

    Examples
    --------
    >>> no_test_along("10-fold"), no_test_along("time 5")[:18]
    ('', 'rows in time order')
    """
    return str(plan_of(procedure).lack or "")


def indistinguishable(
    search: Search,
) -> tuple[NDArray[np.bool_], NDArray[np.float64], str]:
    """Which settings cannot be told from the best, their p-values (Holm), and why there are none.

    A corrected resampled t test of each setting against the best over the same splits; where
    these cut groups, with the error of groups as well.
    """
    best = search.best
    p_values, reason = _p_values(search)
    if reason:
        p_values = np.full(len(search.settings), np.nan)
    corrected = p_values if reason else holm(p_values)
    same = corrected > 1 - search.setup.asked.level
    same[best] = True
    if not reason:
        corrected[best] = 1.0
    return same, corrected, reason


def _p_values(search: Search) -> tuple[NDArray[np.float64], str]:
    """The p-value of each setting against the best, or why there are none."""
    p_values = np.full(len(search.settings), np.nan)
    if reason := _untested(search):
        return p_values, reason
    table = search.criterion.goodness(search.table)
    with np.errstate(invalid="ignore"):
        differences = table[search.best] - table
    is_tested = np.isfinite(differences).all(axis=1)
    is_tested[search.best] = False
    differences = differences[is_tested]
    p_values[is_tested] = corrected_p_values(differences, search.test_share, folds=search.folds)
    if search.cuts_groups:
        of_groups, reason = group_p_values(search, np.flatnonzero(is_tested).tolist(), differences)
        p_values[is_tested] = np.fmax(p_values[is_tested], of_groups)
    return p_values, reason


def _untested(search: Search) -> str:
    """Why values of splits do not tell settings apart; empty where they do."""
    criterion, name = search.criterion, search.criterion.name
    if len(search.splits) < 2:
        return "a single split does not show the spread; use 10-fold"
    if criterion.direction == "target":
        return f"{name} has a target value, and distances from it are not means"
    if not criterion.is_of_splits(search.splits):
        return f"values of {name} on single splits are too noisy to compare"
    if reason := no_test_along(search.splits.procedure):
        return reason
    return "" if np.isfinite(search.test_share) else "the sizes of the training parts are unknown"
