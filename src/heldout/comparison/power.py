"""``heldout.power``: the least difference that a design can show, and what a wanted one needs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from heldout.comparison.goal import POWER, Goal, checked_number
from heldout.comparison.number_power import power_of_numbers
from heldout.comparison.python_words import python_errors
from heldout.core.errors import InputError
from heldout.evaluation.frame import Frame

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["power"]


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
    from heldout.comparison.seen_power import seen_power

    made = compare(*sources, measures=measures, level=level, test=test, **roles)
    found = [asdict(row) for row in seen_power(made, difference, goal)]
    return Frame({name: [row[name] for row in found] for name in found[0]})
