"""How large a difference repeated cross-validation can show, and how many repeats one needs."""

from __future__ import annotations

from math import inf, sqrt

from heldout.comparison.goal import Goal, checked_number, least_count
from heldout.core.errors import InputError

__all__ = ["no_repeats", "repeats_needed", "splits_detectable"]


def splits_detectable(
    repeats: float,
    folds: int,
    spread: float,
    goal: Goal | None = None,
    *,
    test_share: float | None = None,
) -> float:
    """The least difference that the corrected t test shows; infinite repeats are allowed.

    Repeats average the noise of splitting away, never that of the data: at infinite repeats a
    limit is left.

    Parameters
    ----------
    spread
        The standard deviation of the folds' differences.
    test_share
        Test rows per training row; None: those of cross-validation, 1 / (folds - 1).

    Examples
    --------
    >>> splits_detectable(1, 10, 0.03), splits_detectable(float("inf"), 10, 0.03)
    (0.0434, 0.0280)
    """
    if test_share is None:
        if folds < 2:
            raise InputError(f"cross-validation has at least 2 folds, not {folds!r}")
        test_share = 1 / (folds - 1)
    checked_number(spread, "a spread (a standard deviation)")
    splits = repeats * folds
    if not splits >= 2:
        raise InputError(f"a t test needs at least two splits, not {splits:g}")
    wanted = Goal() if goal is None else goal
    return wanted.reach(splits - 1) * spread * sqrt(1 / splits + test_share)


def repeats_needed(
    difference: float,
    folds: int,
    spread: float,
    goal: Goal | None = None,
    *,
    test_share: float | None = None,
) -> int | None:
    """Repeats of cross-validation that show a wanted difference; None where no number does.

    Examples
    --------
    >>> repeats_needed(0.03, 10, 0.03), repeats_needed(0.02, 10, 0.03)
    (8, None)
    """
    checked_number(difference, "a wanted difference")

    def shows(repeats: float) -> bool:
        shown = splits_detectable(repeats, folds, spread, goal, test_share=test_share)
        return shown <= difference

    return least_count(shows, start=1 if folds > 1 else 2) if shows(inf) else None


def no_repeats(difference: float, limit: float) -> str:
    """Why no number of repeats is enough.

    Examples
    --------
    >>> no_repeats(0.02, 0.0280159)
    'no number of repeats shows 0.02: these rows show 0.028 at best'
    """
    return f"no number of repeats shows {difference:g}: these rows show {limit:.3g} at best"
