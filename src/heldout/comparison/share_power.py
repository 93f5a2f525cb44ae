"""The power of McNemar's test, counted out: what so many rows show, and how many are needed."""

from __future__ import annotations

from math import ceil, inf, isqrt, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.goal import MOST, Goal, checked_number, least_count
from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.intervals.quantiles import normal_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.comparison.mcnemar import Kind

__all__ = ["ShareStudy", "share_rows"]

#: standard deviations of the number of discordant rows that are looked at, each side
REACH = 9.0
#: so many numbers of discordant rows at most, evenly taken from that range
MOST_COUNTS = 700
#: with a spread of discordant rows above this the power has no teeth
SMOOTH = 2.0


class ShareStudy:
    """McNemar's test of so many rows, of which a share is discordant (one model right only).

    The number of discordant rows is binomial, and so is, of these, the number on which the
    better model is right; the power is the sum over both (Duffy 1984, Biometrics 40:1005).

    Examples
    --------
    >>> ShareStudy(469, 0.15).power(0.05)
    0.7756
    """

    def __init__(
        self, rows: int, discordance: float, goal: Goal | None = None, kind: Kind = "exact"
    ) -> None:
        self.rows, self.discordance, self.kind = rows, discordance, kind
        self.goal = Goal() if goal is None else goal
        checked_number(rows, "a number of rows", least=1, closed=True)
        if int(rows) != rows:
            raise InputError(f"rows are a whole number, unlike {rows!r}")
        if not 0 < discordance <= 1:
            raise InputError(
                f"the discordance is a share of the rows: above 0, up to 1, unlike {discordance!r}"
            )
        mean = rows * discordance
        self.spread = sqrt(mean * (1 - discordance))
        low = max(0, int(mean - REACH * self.spread - 1))
        high = min(int(rows), ceil(mean + REACH * self.spread + 1))
        # an odd step: of even and of odd numbers critical counts differ
        step = (high - low) // MOST_COUNTS // 2 * 2 + 1
        self._discordant = np.arange(low, high + 1, step)
        self._chance = _binomial(self._discordant, int(rows), discordance)
        self._needed = critical_counts(self._discordant, self.goal.tail, kind)

    def power(self, difference: float) -> float:
        """The chance that the better model is shown to be better."""
        from scipy.special import betainc

        total, needed = self._discordant, self._needed
        possible = needed <= total
        k, n = needed[possible], total[possible]
        share = min((1 + difference / self.discordance) / 2, 1.0)
        found = np.where(k > 0, betainc(np.maximum(k, 1), n - k + 1, share), 1.0)
        return float((self._chance[possible] * found).sum())

    @property
    def best(self) -> float:
        """The power where the better model is right on every discordant row."""
        return self.power(self.discordance)

    def detectable(self) -> float:
        """The least difference that is shown with the wanted power; infinite where none is."""
        from scipy.optimize import brentq

        if self.best < self.goal.power:
            return inf
        if self.power(0.0) >= self.goal.power:
            return 0.0
        found = brentq(
            lambda difference: self.power(difference) - self.goal.power, 0.0, self.discordance
        )
        return float(found)

    @property
    def reason(self) -> str:
        """Why no difference at all is shown; empty where one is."""
        if self.best >= self.goal.power:
            return ""
        tosses = np.arange(64)
        least = int(tosses[critical_counts(tosses, self.goal.tail, self.kind) <= tosses][0])
        about = self.rows * self.discordance
        return (
            f"no difference can be shown: just one of the models is right on only about "
            f"{about:.3g} of {plural(self.rows, 'row')}, and even if all of these favoured the "
            f"same model, the chance to show it would be {self.best:.2g} (the test needs at least "
            f"{least} of them)"
        )


def share_rows(
    difference: float, discordance: float, goal: Goal | None = None, *, kind: Kind = "exact"
) -> int:
    """Rows from which on a difference of two shares of the same rows (accuracies) is shown.

    Examples
    --------
    >>> share_rows(0.05, 0.15)
    498
    """
    checked_number(difference, "a wanted difference")
    if not difference <= discordance <= 1:
        raise InputError(
            f"the discordance ({discordance:g}) is a share of rows, at least as large as the "
            f"difference ({difference:g})"
        )
    wanted = Goal() if goal is None else goal

    def shows(rows: int) -> bool:
        return ShareStudy(rows, discordance, wanted, kind).power(difference) >= wanted.power

    start = max(1, _connor(difference, discordance, wanted) // 2)
    found = least_count(shows, start=start) if start <= MOST else None
    if found is None:
        raise InputError(f"no number of rows that anybody has shows {difference:g}")
    if ShareStudy(found, discordance, wanted, kind).spread < SMOOTH:
        # where the number of discordant rows is all but fixed, one more row may show less
        window = range(found, found + 4 * isqrt(found) + 12)
        short = [rows for rows in window if not shows(rows)]
        found = max(short, default=found - 1) + 1
    return found


def critical_counts(discordant: NDArray[Any], tail: float, kind: Kind) -> NDArray[np.int64]:
    """Of so many discordant rows the least number for one model that a test calls a difference.

    More than there are where no number does.

    Examples
    --------
    >>> critical_counts(np.array([5, 6, 20]), 0.025, "exact")
    array([ 6,  6, 15])
    """
    total = np.asarray(discordant, np.int64)
    bound = -normal_quantile(tail)
    start = total / 2 + bound * np.sqrt(total) / 2
    if kind in {"normal", "corrected"}:
        half = 0.5 if kind == "corrected" else 0.0
        # no more than rounding: the test compares the same numbers
        return np.maximum(np.ceil(start + half - 1e-9), total // 2 + 1).astype(np.int64)

    def unlikely(count: NDArray[np.int64]) -> NDArray[np.bool_]:
        chance = _at_least(count, total)
        if kind == "mid-p":
            chance = (chance + _at_least(count + 1, total)) / 2
        return chance <= tail

    found = np.minimum(np.ceil(start).astype(np.int64), total + 1)
    while (lower := unlikely(found - 1) & (found > 0)).any():
        found = found - lower
    while (higher := ~unlikely(found) & (found <= total)).any():
        found = found + higher
    return found


def _at_least(count: NDArray[np.int64], total: NDArray[np.int64]) -> NDArray[np.float64]:
    """The probability of so many heads or more in so many tosses."""
    from scipy.special import betainc

    inside = (count >= 1) & (count <= total)
    made = np.where(count <= 0, 1.0, 0.0)
    made[inside] = betainc(count[inside], total[inside] - count[inside] + 1, 0.5)
    return made


def _binomial(counts: NDArray[Any], rows: int, share: float) -> NDArray[np.float64]:
    """Probabilities of some counts, made to sum to 1."""
    from scipy.special import gammaln, xlog1py, xlogy

    logarithm = xlogy(counts, share) + xlog1py(rows - counts, -share)
    logarithm -= gammaln(counts + 1) + gammaln(rows - counts + 1)
    made = np.exp(logarithm - logarithm.max())
    return np.asarray(made / made.sum())


def _connor(difference: float, discordance: float, goal: Goal) -> int:
    """Rows by the normal approximation, where the search starts (Connor 1987)."""
    alpha, beta = -normal_quantile(goal.tail), normal_quantile(goal.power)
    root = alpha * sqrt(discordance) + beta * sqrt(max(discordance - difference**2, 0.0))
    # the square of the root of more rows than anybody has need not be a number
    return ceil(min(root / difference, 2.0 * isqrt(MOST)) ** 2)
