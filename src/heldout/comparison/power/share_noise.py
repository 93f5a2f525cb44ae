"""The power of McNemar's test, counted out: what a share of discordant rows shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, isqrt, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.power.noise import MOST, MeanNoise, Noise, checked_count, least_count
from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.uncertainty.quantiles import normal_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.comparison.power.noise import Goal
    from heldout.comparison.share_tests import Kind

#: standard deviations of the number of discordant rows that are looked at, each side
REACH = 9.0
#: so many numbers of discordant rows at most, evenly taken from that range
MOST_COUNTS = 700
#: with a spread of discordant rows above this the power has no teeth
SMOOTH = 2.0


@dataclass(frozen=True, slots=True)
class ShareNoise(Noise):
    """That of McNemar's test: rows, and the share on which just one of the models is right.

    The number of discordant rows is binomial, and so is, of these, the number on which the
    better model is right; the power is the sum over both (Duffy 1984, Biometrics 40:1005).

    Examples
    --------
    >>> from heldout.comparison.power.noise import Goal
    >>> noise = ShareNoise(469, 0.15)
    >>> noise.power(0.05, Goal()), noise.needed(0.05, Goal())
    (0.8066, 461)
    """

    count: int | None
    discordance: float
    kind: Kind = "mid-p"

    @classmethod
    def planned(
        cls, discordance: float, rows: int | None = None, wanted: float | None = None
    ) -> ShareNoise:
        """That of numbers, checked; without rows it tells only how many are needed."""
        if rows is not None:
            checked_count(rows, "a number of rows", least=1)
        if not 0 < discordance <= 1:
            raise InputError(
                f"the discordance is a share of the rows: above 0, up to 1, not {discordance!r}"
            )
        if wanted is not None:
            _refuse_small(discordance, wanted)
        return cls(rows, discordance)

    def under(self, goal: Goal) -> Noise:
        """About a margin McNemar's test says nothing: the error of shares that are equal."""
        if not goal.has_margin or not self.discordance:
            return self
        return MeanNoise(self.count, sqrt(self.discordance / self.rows))

    @property
    def rows(self) -> int:
        """How many rows there are; 1 where that is not known."""
        return self.count or 1

    @property
    def error(self) -> float:  # type: ignore[override]  # follows from the discordance
        """The standard error of the difference, were there none."""
        return sqrt(round(self.rows * self.discordance)) / self.rows

    @property
    def spread(self) -> float:
        """The standard deviation of the number of discordant rows."""
        return sqrt(self.rows * self.discordance * (1 - self.discordance))

    def power(self, difference: float, goal: Goal) -> float:
        """The chance that the better model is shown to be better."""
        from heldout.core.special import betainc

        if not self.discordance:
            return 0.0
        total, chance, needed = _outcomes(self, goal.tail)
        possible = needed <= total
        k, n = needed[possible], total[possible]
        share = min((1 + difference / self.discordance) / 2, 1.0)
        shown = np.where(k > 0, betainc(np.maximum(k, 1), n - k + 1, share), 1.0)
        return float((chance[possible] * shown).sum())

    def shows(self, difference: float, goal: Goal, count: float) -> bool:
        """By the power of the test, counted out at this discordance."""
        noise = self if count == self.count else replace(self, count=int(count))
        return noise.power(difference, goal) >= goal.power

    def most(self, goal: Goal) -> float:
        """That the better model is right on every discordant row."""
        return self.discordance

    def needed(self, wanted: float, goal: Goal) -> int | None:
        """Rows; a difference takes at least as many discordant ones."""
        if not self.discordance:
            return None
        noise = replace(self, discordance=max(self.discordance, wanted))
        _refuse_small(noise.discordance, wanted)
        start = max(1, _connor(wanted, noise.discordance, goal) // 2)
        if start > MOST:
            return None
        rows = least_count(lambda count: noise.shows(wanted, goal, count), start=start)
        if rows is not None and replace(noise, count=rows).spread < SMOOTH:
            # where the number of discordant rows is all but fixed, one more row may show less
            window = range(rows, rows + 4 * isqrt(rows) + 12)
            short = [count for count in window if not noise.shows(wanted, goal, count)]
            rows = max(short, default=rows - 1) + 1
        return rows

    def note(self, goal: Goal, wanted: float | None) -> str:
        """Why nothing is shown, or that these rows do not differ so much."""
        if not self.discordance:
            return "the models are right on the same rows: nothing is known of their differences"
        note, best = "", self.power(self.discordance, goal)
        if best < goal.power:
            tosses = np.arange(64)
            least = int(tosses[critical_counts(tosses, goal.tail, self.kind) <= tosses][0])
            about = self.rows * self.discordance
            note = (
                f"no difference can be shown: just one of the models is right on only about "
                f"{about:.3g} of {plural(self.rows, 'row')}, and even if all of these favoured "
                f"the same model, the chance to show it would be {best:.2g} (the test needs at "
                f"least {least} of them)"
            )
        if wanted is None or wanted <= self.discordance:
            return note
        seen = f"here are {self.discordance:.3g}"
        more = f"a difference of {wanted:g} takes as many discordant rows; {seen}"
        return "; ".join(filter(None, (note, more)))


def _refuse_small(discordance: float, difference: float) -> None:
    if not difference <= discordance <= 1:
        raise InputError(
            f"the discordance ({discordance:g}) is a share of rows, at least as large as the "
            f"difference ({difference:g})"
        )


@lru_cache(maxsize=8)
def _outcomes(noise: ShareNoise, tail: float) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Numbers of discordant rows, their probabilities, and how many for one model are enough."""
    mean = noise.rows * noise.discordance
    low = max(0, int(mean - REACH * noise.spread - 1))
    high = min(noise.rows, ceil(mean + REACH * noise.spread + 1))
    # an odd step: of even and of odd numbers critical counts differ
    step = (high - low) // MOST_COUNTS // 2 * 2 + 1
    discordant = np.arange(low, high + 1, step)
    chance = _binomial(discordant, noise.rows, noise.discordance)
    return discordant, chance, critical_counts(discordant, tail, noise.kind)


def critical_counts(discordant: NDArray[Any], tail: float, kind: Kind) -> NDArray[np.int64]:
    """Of so many discordant rows the least number for one model that a test calls a difference.

    More than there are where no number does.

    Examples
    --------
    >>> critical_counts(np.array([5, 6, 20]), 0.025, "exact")
    array([ 6,  6, 15])
    """
    from scipy.stats import binom

    total = np.asarray(discordant, np.int64)
    if kind in {"normal", "corrected"}:
        start = total / 2 - normal_quantile(tail) * np.sqrt(total) / 2
        half = 0.5 if kind == "corrected" else 0.0
        # no more than rounding: the test compares the same numbers
        return np.maximum(np.ceil(start + half - 1e-9), total // 2 + 1).astype(np.int64)
    # the least count above which heads are no more likely than the tail
    above = binom.isf(tail, total, 0.5).astype(np.int64)
    if kind == "exact":
        return above + 1
    is_enough = binom.sf(above - 1, total, 0.5) + binom.sf(above, total, 0.5) <= 2 * tail
    return np.where(is_enough, above, above + 1)


def _binomial(counts: NDArray[Any], rows: int, share: float) -> NDArray[np.float64]:
    """Probabilities of some counts, made to sum to 1."""
    from heldout.core.special import gammaln, xlog1py, xlogy

    logarithm = xlogy(counts, share) + xlog1py(rows - counts, -share)
    logarithm -= gammaln(counts + 1) + gammaln(rows - counts + 1)
    chance = np.exp(logarithm - logarithm.max())
    return np.asarray(chance / chance.sum())


def _connor(difference: float, discordance: float, goal: Goal) -> int:
    """Rows by the normal approximation, where the search starts (Connor 1987)."""
    alpha, beta = -normal_quantile(goal.tail), normal_quantile(goal.power)
    root = alpha * sqrt(discordance) + beta * sqrt(max(discordance - difference**2, 0.0))
    # the square of the root of more rows than anybody has need not be a number
    return ceil(min(root / difference, 2.0 * isqrt(MOST)) ** 2)
