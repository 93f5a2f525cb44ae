"""Whether there are data sets enough for a test to show anything: refusals and notes."""

from __future__ import annotations

from itertools import count
from math import inf, sqrt
from typing import TYPE_CHECKING

from heldout.comparison.exact_ranks import FEW_SETS, least_p
from heldout.comparison.post_hoc import rank_error
from heldout.comparison.ranked import RANK_TESTS
from heldout.core.errors import InputError

if TYPE_CHECKING:
    from heldout.comparison.evidence import Evidence
    from heldout.comparison.options import CompareOptions

__all__ = ["least_pair_p", "note_on_draws", "notes_on_ranks", "refuse_few", "refuse_wrong_number"]

#: chi squared is said to be good for more models than that (Demšar 2006)
FEW_MODELS = 5


def refuse_wrong_number(test: str, models: int) -> None:
    """An error where a test is for another number of models."""
    if models > 2 and test not in RANK_TESTS:
        raise InputError(
            f"{test} is for two models, and there are {models}: friedman, then pairs, keeps false "
            "alarms at the level"
        )
    if models == 2 and test in RANK_TESTS:
        raise InputError(f"{test} is for three models or more: take wilcoxon or sign for two")


def refuse_few(test: str, sets: int, models: int, options: CompareOptions) -> None:
    """An error where even the clearest results could not reach the level."""
    share = 1 - options.level

    def least(number: int) -> float:
        if test in ("wilcoxon", "sign"):
            return (2 if options.alternative == "two-sided" else 1) / 2.0**number
        if test in RANK_TESTS:
            return least_p(models, number)
        return 0.0 if number > 1 else inf

    if least(sets) <= share:
        return
    needed = next(number for number in count(sets) if least(number) <= share)
    clearest = "all ranked the models alike" if test in RANK_TESTS else "one model won them all"
    p = f", p would be {least(sets):.2g}, above {share:.2g}" if least(sets) < inf else ""
    raise InputError(
        f"{sets} data sets are too few for {test}: even if {clearest}{p}; take {needed} data sets "
        "or more"
    )


def note_on_draws(sets: int, differing: int, options: CompareOptions) -> str:
    """What Wilcoxon's test cannot show where models draw on too many data sets; else empty."""
    sides = 2 if options.alternative == "two-sided" else 1
    share = 1 - options.level
    needed = next(number for number in count(1) if sides / 2.0**number <= share)
    if not differing or differing >= needed:
        return ""
    return (
        f"the models differ on {differing} of {sets} data sets: Wilcoxon's test needs {needed} "
        f"that differ, for even if one model won all {differing}, p would be "
        f"{sides / 2.0**differing:.2g}, above {share:.2g}"
    )


def notes_on_ranks(
    models: int,
    sets: int,
    correction: str,
    level: float,
    exact: Evidence | None,
    *,
    control: str = "",
) -> list[str]:
    """What to know of Friedman's test of so many models on so many data sets."""
    made = []
    if exact is None and (sets <= FEW_SETS or models <= FEW_MODELS):
        made.append(
            "Friedman's chi squared is an approximation, rough for few data sets (up to 10) or "
            "models (up to 5); Iman and Davenport's F is the one to read"
        )
    pairs = models - 1 if control else None

    def least(number: int) -> float:
        return least_pair_p(models, number, correction, pairs=pairs)

    if least(sets) > 1 - level:
        needed = next(number for number in count(sets) if least(number) <= 1 - level)
        which = "no model could be told apart from the control" if control else ""
        which = which or f"no two of {models} models could be told apart"
        made.append(f"{which} by {sets} data sets, whatever they show: that takes {needed}")
    return made


def least_pair_p(models: int, sets: int, correction: str, *, pairs: int | None = None) -> float:
    """The smallest corrected p-value of a pair: one model always first, the other always last.

    ``pairs``: how many are tested; None: every one.

    Examples
    --------
    >>> least_pair_p(3, 3, "holm")
    0.0429
    """
    from scipy.special import ndtr
    from scipy.stats import studentized_range

    z = (models - 1) / rank_error(models, sets)
    if correction == "nemenyi":
        return float(studentized_range.sf(z * sqrt(2), models, inf))
    # every stepwise procedure holds its smallest p-value against the number of pairs
    tested = models * (models - 1) / 2 if pairs is None else pairs
    return float(min(1.0, (1 if correction == "none" else tested) * 2 * ndtr(-z)))
