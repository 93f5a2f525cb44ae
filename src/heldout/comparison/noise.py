"""The noise of a difference: what its design shows of true differences, and what one needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, inf, isfinite, isnan, isqrt, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.comparison.split_tests import split_freedom
from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.uncertainty.interval import checked_level
from heldout.uncertainty.quantiles import normal_quantile, two_sided_student

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.comparison.shares import Kind

__all__ = [
    "AreaNoise",
    "Goal",
    "MeanNoise",
    "Noise",
    "POWER",
    "SeenNoise",
    "ShareNoise",
    "SplitNoise",
    "Study",
    "checked_number",
    "critical_counts",
    "mean_noise",
]

POWER = 0.8
#: more rows or repeats than anybody has count as none
MOST = 2**50
#: halvings of the range of powers: about nine digits
STEPS = 30
#: standard deviations of the number of discordant rows that are looked at, each side
REACH = 9.0
#: so many numbers of discordant rows at most, evenly taken from that range
MOST_COUNTS = 700
#: with a spread of discordant rows above this the power has no teeth
SMOOTH = 2.0


@dataclass(frozen=True, slots=True)
class Goal:
    """The level of a test, the chance that it shows a difference, and its sides.

    A difference is shown where the test rejects in its favour.

    Examples
    --------
    >>> Goal().reach(), Goal(one_sided=True).reach(), Goal().reach(9)
    (2.80, 2.49, 3.15)
    """

    level: float = 0.95
    power: float = POWER
    one_sided: bool = False

    def __post_init__(self) -> None:
        checked_level(self.level)
        if self.one_sided and self.level <= 0.5:
            raise InputError(f"the level of a one-sided test is above 0.5, not {self.level!r}")
        if not self.tail < self.power < 1:
            raise InputError(
                f"the power lies between {self.tail:.3g} (what chance shows) and 1, "
                f"unlike {self.power!r}"
            )

    @property
    def tail(self) -> float:
        """How often chance alone may show the better model as better."""
        return (1 - self.level) / (1 if self.one_sided else 2)

    def reach(self, freedom: float = inf) -> float:
        """How many standard errors a difference must have to be shown with this power.

        By a z test; by a t test where the standard error has finitely many degrees of freedom,
        whose statistic has the noncentral t distribution.
        """
        return _reach(self.tail, self.power, freedom)


@lru_cache(maxsize=4096)
def _reach(tail: float, power: float, freedom: float) -> float:
    if freedom == inf:
        return normal_quantile(power) - normal_quantile(tail)
    from scipy.optimize import brentq

    from heldout.core.special import nctdtr

    bound = two_sided_student(1 - 2 * tail, freedom)
    most = 4 * bound + 10 * sqrt(1 + bound * bound / freedom)
    return float(brentq(lambda shift: 1 - nctdtr(freedom, shift, bound) - power, 0.0, most))


def checked_number(
    value: float, name: str, *, least: float = 0.0, most: float = inf, closed: bool = False
) -> float:
    """A number strictly between two others (``closed``: or one of them), or an error.

    Examples
    --------
    >>> checked_number(0.2, "the prevalence", most=1)
    0.2
    """
    inside = least <= value <= most if closed else least < value < most
    if not inside:
        text = f"above {least:g}" if most == inf else f"between {least:g} and {most:g}"
        if closed:
            text = f"at least {least:g}" if most == inf else f"from {least:g} to {most:g}"
        raise InputError(f"{name} is {text}, unlike {value!r}")
    return value


def checked_count(value: int, name: str, *, least: int) -> int:
    """A whole number that somebody could have, or an error.

    Examples
    --------
    >>> checked_count(300, "a number of rows", least=1)
    300
    """
    if not least <= value <= MOST or int(value) != value:
        raise InputError(f"{name} is a whole number from {least} to {MOST:,}, not {value!r}")
    return int(value)


def least_count(shows: Callable[[int], bool], *, start: int = 1) -> int | None:
    """The least count from ``start`` that shows what is wanted, if more always show more.

    None where no count that anybody has does.

    Examples
    --------
    >>> least_count(lambda rows: rows >= 37)
    37
    """
    if shows(start):
        return start
    low, high = start, 2 * start
    while not shows(high):
        low, high = high, 2 * high
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


@dataclass(frozen=True, slots=True)
class Study:
    """What a design shows with a wanted power, and what a wanted difference needs of it."""

    #: the least difference that is shown; infinite where none is
    detectable: float
    #: the least with any number of repeats on the same rows; 0 for rows
    limit: float = 0.0
    #: rows or repeats; None where no number is enough, or nothing was wanted
    needed: int | None = None
    note: str = ""
    #: the chance that the design shows the wanted difference
    achieved: float | None = None


class Noise(ABC):
    """What a test of a difference, seen or planned, shows of true differences."""

    __slots__ = ()

    @abstractmethod
    def detectable(self, goal: Goal) -> float:
        """The least difference that is shown with the power of a goal; infinite: none is."""

    @abstractmethod
    def needed(self, wanted: float, goal: Goal) -> int | None:
        """How many rows, or repeats, show a wanted difference; None where no number does."""

    def limit(self, goal: Goal) -> float:
        """The least difference that is shown with any number of repeats; 0 for rows."""
        return 0.0

    def note(self, goal: Goal, wanted: float | None) -> str:
        """Why nothing is shown, or not what is wanted; empty where there is no doubt."""
        return ""

    def study(self, goal: Goal, wanted: float | None = None) -> Study:
        """All of that; of a wanted difference also the chance that it is shown."""
        study = Study(self.detectable(goal), self.limit(goal), note=self.note(goal, wanted))
        if wanted is None:
            return study
        needed = self.needed(wanted, goal)
        return replace(study, needed=needed, achieved=self.achieved(wanted, goal))

    def achieved(self, wanted: float, goal: Goal) -> float:
        """The power with which a difference is the least that shows; NaN: nothing is known.

        Examples
        --------
        >>> noise = MeanNoise.planned(0.4, 1000)
        >>> noise.achieved(noise.detectable(Goal()), Goal())
        0.8
        """
        if isnan(self.detectable(goal)):
            return nan
        low, high = goal.tail, 1.0
        for _ in range(STEPS):
            middle = (low + high) / 2
            shown = self.detectable(replace(goal, power=middle)) <= wanted
            low, high = (middle, high) if shown else (low, middle)
        return (low + high) / 2


@dataclass(frozen=True, slots=True)
class ShareNoise(Noise):
    """That of McNemar's test: rows, and the share on which just one of the models is right.

    The number of discordant rows is binomial, and so is, of these, the number on which the
    better model is right; the power is the sum over both (Duffy 1984, Biometrics 40:1005).

    Examples
    --------
    >>> noise = ShareNoise(469, 0.15)
    >>> noise.power(0.05, Goal()), noise.needed(0.05, Goal())
    (0.8066, 461)
    """

    rows: int
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
                    "the discordance is a share of the rows: above 0, up to 1, unlike "
                    f"{discordance!r}"
                )
        if wanted is not None:
            _refuse_small(discordance, wanted)
        return cls(rows or 1, discordance)

    @property
    def error(self) -> float:
        """The standard error of the difference, were there none."""
        return sqrt(round(self.rows * self.discordance)) / self.rows

    @property
    def spread(self) -> float:
        """The standard deviation of the number of discordant rows."""
        return sqrt(self.rows * self.discordance * (1 - self.discordance))

    def power(self, difference: float, goal: Goal) -> float:
        """The chance that the better model is shown to be better."""
        from heldout.core.special import betainc

        total, chance, needed = _outcomes(self, goal.tail)
        possible = needed <= total
        k, n = needed[possible], total[possible]
        share = min((1 + difference / self.discordance) / 2, 1.0)
        shown = np.where(k > 0, betainc(np.maximum(k, 1), n - k + 1, share), 1.0)
        return float((chance[possible] * shown).sum())

    def best(self, goal: Goal) -> float:
        """The power where the better model is right on every discordant row."""
        return self.power(self.discordance, goal)

    def detectable(self, goal: Goal) -> float:
        """By the power of the test, counted out at this discordance."""
        from scipy.optimize import brentq

        if not self.discordance or self.best(goal) < goal.power:
            return inf
        if self.power(0.0, goal) >= goal.power:
            return 0.0
        return float(brentq(lambda d: self.power(d, goal) - goal.power, 0.0, self.discordance))

    def needed(self, wanted: float, goal: Goal) -> int | None:
        """Rows; a difference takes at least as many discordant ones."""
        if not self.discordance:
            return None
        discordance = max(self.discordance, wanted)
        _refuse_small(discordance, wanted)

        def of(rows: int) -> ShareNoise:
            return replace(self, rows=rows, discordance=discordance)

        def shows(rows: int) -> bool:
            return of(rows).power(wanted, goal) >= goal.power

        start = max(1, _connor(wanted, discordance, goal) // 2)
        found = least_count(shows, start=start) if start <= MOST else None
        if found is None:
            raise InputError(f"no number of rows that anybody has shows {wanted:g}")
        if of(found).spread < SMOOTH:
            # where the number of discordant rows is all but fixed, one more row may show less
            window = range(found, found + 4 * isqrt(found) + 12)
            short = [rows for rows in window if not shows(rows)]
            found = max(short, default=found - 1) + 1
        return found

    def note(self, goal: Goal, wanted: float | None) -> str:
        """Why nothing is shown, or that these rows do not differ so much."""
        if not self.discordance:
            return "the models are right on the same rows: nothing is known of their differences"
        note, best = "", self.best(goal)
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
    high = min(int(noise.rows), ceil(mean + REACH * noise.spread + 1))
    # an odd step: of even and of odd numbers critical counts differ
    step = (high - low) // MOST_COUNTS // 2 * 2 + 1
    discordant = np.arange(low, high + 1, step)
    chance = _binomial(discordant, int(noise.rows), noise.discordance)
    return discordant, chance, critical_counts(discordant, tail, noise.kind)


@dataclass(frozen=True, slots=True)
class MeanNoise(Noise):
    """That of a t or z test: the standard error of a mean over rows or groups."""

    count: int
    error: float
    #: degrees of freedom of the error
    freedom: float = inf

    @classmethod
    def planned(cls, spread: float, rows: int | None = None) -> MeanNoise:
        """That of a paired t test of rows whose differences have a standard deviation.

        Without rows it tells only how many are needed.

        Examples
        --------
        >>> noise = MeanNoise.planned(1.0, 787)
        >>> noise.detectable(Goal()), noise.needed(0.1, Goal())
        (0.1, 787)
        """
        if rows is not None:
            checked_count(rows, "a number of rows", least=2)
        checked_number(spread, "a spread (a standard deviation)")
        count = rows or 1
        return cls(count, spread / sqrt(count), count - 1)

    def detectable(self, goal: Goal) -> float:
        """So many standard errors as the goal asks for."""
        return goal.reach(self.freedom) * self.error

    def needed(self, wanted: float, goal: Goal) -> int | None:
        """Rows or groups: the error falls with the root of their count."""
        # weights make rows count for less than one
        own = (self.freedom + 1) / self.count
        spread = self.error * sqrt(self.count)

        def shows(count: int) -> bool:
            return goal.reach(max(own * count - 1, 1.0)) * spread / sqrt(count) <= wanted

        return least_count(shows, start=2)


@dataclass(frozen=True, slots=True)
class SplitNoise(Noise):
    """That of the corrected t test: the spread of the splits' differences.

    Repeats average the noise of splitting away, never that of the data: at infinite repeats a
    limit is left.

    Examples
    --------
    >>> noise = SplitNoise.planned(0.03, 10)
    >>> noise.detectable(Goal()), noise.limit(Goal())
    (0.0434, 0.0311)
    >>> noise.needed(0.033, Goal()), noise.needed(0.02, Goal())
    (8, None)
    >>> noise.note(Goal(), 0.02)
    'no number of repeats finds 0.02: with these rows the limit is 0.0311'
    """

    splits: int
    folds: int
    spread: float
    #: test rows per training row
    test_share: float

    @classmethod
    def planned(cls, spread: float, folds: int, repeats: int = 1) -> SplitNoise:
        """That of a cross-validation whose folds' differences have a standard deviation."""
        checked_count(repeats, argument("repeats"), least=1)
        checked_count(folds, argument("folds"), least=2)
        checked_number(spread, "a spread (a standard deviation)")
        return cls(repeats * folds, folds, spread, 1 / (folds - 1))

    @property
    def error(self) -> float:
        """The corrected standard error of the mean difference."""
        return self.spread * sqrt(1 / self.splits + self.test_share)

    def detectable(self, goal: Goal) -> float:
        """With the repeats that there are."""
        return self._after(self.splits / self.folds, goal)

    def limit(self, goal: Goal) -> float:
        """With any number of repeats on the same rows."""
        return self._after(inf, goal)

    def needed(self, wanted: float, goal: Goal) -> int | None:
        """Repeats; None where no number shows the difference."""
        if self.limit(goal) > wanted:
            return None
        return least_count(
            lambda repeats: self._after(repeats, goal) <= wanted, start=1 if self.folds > 1 else 2
        )

    def note(self, goal: Goal, wanted: float | None) -> str:
        """Why no number of repeats is enough."""
        limit = self.limit(goal)
        if wanted is None or limit <= wanted:
            return ""
        return f"no number of repeats finds {wanted:g}: with these rows the limit is {limit:.3g}"

    def _after(self, repeats: float, goal: Goal) -> float:
        """The least difference that so many repeats show; they may be infinite."""
        splits = repeats * self.folds
        return (
            goal.reach(split_freedom(splits, self.folds))
            * self.spread
            * sqrt(1 / splits + self.test_share)
        )


@dataclass(frozen=True, slots=True)
class AreaNoise(Noise):
    """That of DeLong's test of two areas under the ROC curve of the same rows, planned.

    The test divides by the errors as they are. These are guessed after Hanley and McNeil
    (1982), Radiology 143:29, who assume exponential scores.

    Examples
    --------
    >>> noise = AreaNoise(0.8, 0.3, rows=782)
    >>> noise.detectable(Goal()), noise.needed(0.05, Goal())
    (0.05, 782)
    """

    #: that of the poorer model
    area: float
    #: share of positive rows
    prevalence: float
    #: of the two areas' errors; models that rank rows alike have more of it
    correlation: float = 0.5
    #: None: it tells only how many are needed
    rows: int | None = None

    def detectable(self, goal: Goal) -> float:
        """By halving; infinite where even an area of 1 would not be told from this one."""
        rows = checked_count(self.rows or 0, "a number of rows", least=1)

        def shows(difference: float) -> bool:
            return goal.reach() * self._error(rows, difference) <= difference

        low, high = 0.0, 1 - self.area
        if not shows(high):
            return inf
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if shows(middle) else (middle, high)
        return high

    def needed(self, wanted: float, goal: Goal) -> int | None:
        """Rows."""
        if self.area + wanted > 1:
            raise InputError(
                f"an area of {self.area:g} cannot be better by {wanted:g}: 1 is the most"
            )
        return least_count(lambda rows: goal.reach() * self._error(rows, wanted) <= wanted, start=2)

    def note(self, goal: Goal, wanted: float | None) -> str:
        """Why nothing is shown."""
        if isfinite(self.detectable(goal)):
            return ""
        return (
            "no difference can be shown: with so few rows even an area of 1 would not be "
            "told from the other with this power"
        )

    def _error(self, rows: float, difference: float) -> float:
        """The standard error of the difference of so many rows."""
        checked_number(self.area, "an area", most=1)
        checked_number(self.prevalence, "the prevalence", most=1)
        checked_number(self.correlation, "a correlation", least=-1, most=1)
        ones, zeros = rows * self.prevalence, rows * (1 - self.prevalence)
        one, two = (
            sqrt(_hanley(area, ones, zeros)) for area in (self.area, min(self.area + difference, 1))
        )
        return sqrt(max(one * one + two * two - 2 * self.correlation * one * two, 0.0))


#: the noise of a test that was made
SeenNoise = ShareNoise | MeanNoise | SplitNoise


def mean_noise(count: int, error: float, freedom: float = inf) -> MeanNoise | None:
    """The noise of an error; None where there is no error to speak of.

    Examples
    --------
    >>> mean_noise(100, 0.0) is None
    True
    """
    return MeanNoise(count, error, freedom) if isfinite(error) and error > 0 else None


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
    from heldout.core.special import betainc

    inside = (count >= 1) & (count <= total)
    chance = np.where(count <= 0, 1.0, 0.0)
    chance[inside] = betainc(count[inside], total[inside] - count[inside] + 1, 0.5)
    return chance


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


def _hanley(area: float, ones: float, zeros: float) -> float:
    """The variance of an area."""
    first, second = area / (2 - area), 2 * area * area / (1 + area)
    spread = area * (1 - area) + (ones - 1) * (first - area * area)
    spread += (zeros - 1) * (second - area * area)
    return max(spread, 0.0) / (ones * zeros)
