"""The noise of a difference: what its design shows of true differences, and what one needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING, Literal, get_args

from heldout.core.dialect import argument, worded
from heldout.core.errors import InputError
from heldout.uncertainty.cross_validation import split_freedom
from heldout.uncertainty.interval import checked_level
from heldout.uncertainty.quantiles import normal_quantile, two_sided_student

if TYPE_CHECKING:
    from collections.abc import Callable


#: what a test is to show
Claim = Literal["difference", "non-inferiority", "equivalence"]
POWER = 0.8
#: more rows or repeats than anybody has count as none
MOST = 2**50
#: halvings of the range of powers (about nine digits), and of that of differences
STEPS, FINE_STEPS = 30, 60


@dataclass(frozen=True, slots=True)
class Goal:
    """What a test is to show, at which level, with which chance, and its sides.

    A difference is shown where the test rejects in its favour. Non-inferiority and equivalence
    are shown of models that are equal, within a margin, which then takes the place of the
    difference: by one, or two, one-sided tests at 1 - ``level``, as ``heldout.compare`` does.

    Notes
    -----
    Two one-sided tests both succeed with a chance of at least 1 - 2 b where each fails with b, and
    with just that where the error is known (Schuirmann 1987, J. Pharmacokinet. Biopharm. 15:657).

    Examples
    --------
    >>> Goal().reach(), Goal(one_sided=True).reach(), Goal().reach(9)
    (2.80, 2.49, 3.15)
    >>> Goal(claim="non-inferiority").reach(), Goal(claim="equivalence").reach()
    (2.49, 2.93)
    """

    level: float = 0.95
    power: float = POWER
    one_sided: bool = False
    claim: Claim = "difference"

    def __post_init__(self) -> None:
        checked_level(self.level)
        if self.claim not in get_args(Claim):
            raise InputError(f"the claim is {', '.join(get_args(Claim))}, not {self.claim!r}")
        if self.has_margin and self.one_sided:
            raise InputError(
                worded(f"{{one_sided=True}} is about a difference: {self.claim} has its own sides")
            )
        if self.is_one_sided and self.level <= 0.5:
            raise InputError(f"the level of a one-sided test is above 0.5, not {self.level!r}")
        if not self.least < self.power < 1:
            raise InputError(
                f"the power lies between {self.least:.3g} (what chance "
                f"shows) and 1, not {self.power!r}"
            )

    @property
    def has_margin(self) -> bool:
        """Whether a margin is to be shown, of models that are equal."""
        return self.claim != "difference"

    @property
    def wants(self) -> str:
        """What the size is called that is to be shown."""
        return "margin" if self.has_margin else "difference"

    @property
    def is_one_sided(self) -> bool:
        """Whether each test has one side."""
        return self.one_sided or self.has_margin

    @property
    def tail(self) -> float:
        """How often chance alone may show the better model as better."""
        return (1 - self.level) / (1 if self.is_one_sided else 2)

    @property
    def least(self) -> float:
        """The power that every design has; two tests may both fail all the time."""
        return 0.0 if self.claim == "equivalence" else self.tail

    def reach(self, freedom: float = inf) -> float:
        """How many standard errors a difference must have to be shown with this power.

        By a z test; by a t test where the standard error has finitely many degrees of freedom,
        whose statistic has the noncentral t distribution.
        """
        power = (1 + self.power) / 2 if self.claim == "equivalence" else self.power
        return _reach(self.tail, power, freedom)


@lru_cache(maxsize=4096)
def _reach(tail: float, power: float, freedom: float) -> float:
    if freedom == inf:
        return normal_quantile(power) - normal_quantile(tail)
    from scipy.optimize import brentq

    from heldout.core.special import nctdtr

    bound = two_sided_student(1 - 2 * tail, freedom)
    most = 4 * bound + 10 * sqrt(1 + bound * bound / freedom)
    return float(brentq(lambda shift: 1 - nctdtr(freedom, shift, bound) - power, 0.0, most))


def checked_number(value: float, name: str, *, least: float = 0.0, most: float = inf) -> float:
    """A number strictly between two others, or an error.

    Examples
    --------
    >>> checked_number(0.2, "the prevalence", most=1)
    0.2
    """
    if not least < value < most:
        text = f"above {least:g}" if most == inf else f"between {least:g} and {most:g}"
        raise InputError(f"{name} is {text}, not {value!r}")
    return value


def checked_count(value: int, name: str, *, least: int) -> int:
    """A whole number that somebody could have, or an error."""
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

    #: the least difference that is shown; infinite where none is, None where rows are not known
    detectable: float | None
    #: the least with any number of repeats on the same rows; 0 for rows
    limit: float = 0.0
    wanted: float | None = None
    #: the chance that the design shows the wanted difference
    achieved: float | None = None
    #: rows, groups or repeats; None where no number is enough, or nothing was wanted
    needed: int | None = None
    needed_unit: str = "rows"
    note: str = ""


def needed_unit(unit: str) -> str:
    """What there can be more of: of splits the repeats."""
    return "repeats" if unit == "splits" else unit


class Noise:
    """What a test of a difference, seen or planned, shows of true differences.

    ``count``: rows, groups or repeats of the design; None: it tells only how many are needed. Each
    kind of noise knows the least difference that is shown (``least``), or whether one is, up to
    the largest that there can be (``shows`` and ``most``).
    """

    __slots__ = ()
    count: int | None
    #: the standard error of the difference, were there none
    error: float

    def least(self, goal: Goal, count: float) -> float:
        """The least difference that so many rows, groups or repeats show; infinite: none."""
        low, high = 0.0, self.most(goal)
        if not self.shows(high, goal, count):
            return inf
        if self.shows(low, goal, count):
            return low
        for _ in range(FINE_STEPS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.shows(middle, goal, count) else (middle, high)
        return high

    def most(self, goal: Goal) -> float:
        """The largest difference that there can be."""
        return inf

    def shows(self, difference: float, goal: Goal, count: float) -> bool:
        """Whether so many rows, groups or repeats show a difference with the power of a goal."""
        return self.least(goal, count) <= difference

    def detectable(self, goal: Goal) -> float:
        """The least difference that the design shows with the power of a goal."""
        return self.least(goal, self.count or 1)

    def needed(self, wanted: float, goal: Goal) -> int | None:
        """How many rows, or repeats, show a wanted difference; None where no number does."""
        return least_count(lambda count: self.shows(wanted, goal, count), start=2)

    def limit(self, goal: Goal) -> float:
        """The least difference that is shown with any number of repeats; 0 for rows."""
        return 0.0

    def note(self, goal: Goal, wanted: float | None) -> str:
        """Why nothing is shown, or not what is wanted; empty where there is no doubt."""
        return ""

    def under(self, goal: Goal) -> Noise:
        """The noise of the test that a claim needs."""
        return self

    def study(self, goal: Goal, wanted: float | None = None, unit: str = "rows") -> Study:
        """All of that; of a wanted difference, or margin, also the chance that it is shown."""
        noise = self.under(goal)
        needed = None if wanted is None else noise.needed(wanted, goal)
        study = Study(None, 0.0, wanted, None, needed, needed_unit(unit))
        if noise.count is None:
            return study
        return replace(
            study,
            detectable=noise.detectable(goal),
            limit=noise.limit(goal),
            achieved=None if wanted is None else noise.achieved(wanted, goal),
            note=noise.note(goal, wanted),
        )

    def achieved(self, wanted: float, goal: Goal) -> float:
        """The power with which a difference is the least that shows.

        Examples
        --------
        >>> noise = MeanNoise.planned(0.4, 1000)
        >>> noise.achieved(noise.detectable(Goal()), Goal())
        0.8
        """
        low, high = goal.least, 1.0
        for _ in range(STEPS):
            middle = (low + high) / 2
            shown = self.shows(wanted, replace(goal, power=middle), self.count or 1)
            low, high = (middle, high) if shown else (low, middle)
        return (low + high) / 2


@dataclass(frozen=True, slots=True)
class MeanNoise(Noise):
    """That of a t or z test: the standard error of a mean over rows or groups."""

    count: int | None
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
        return cls(rows, spread / sqrt(count), count - 1)

    def least(self, goal: Goal, count: float) -> float:
        """So many errors as the goal asks for, which fall with the root of the count."""
        own = self.count or 1
        if count == own:
            return goal.reach(self.freedom) * self.error
        # weights make rows count for less than one
        freedom = max((self.freedom + 1) / own * count - 1, 1.0)
        return goal.reach(freedom) * (self.error * sqrt(own)) / sqrt(count)


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
    def count(self) -> float:  # type: ignore[override]  # follows from the splits
        """How many repeats there are."""
        return self.splits / self.folds

    @property
    def error(self) -> float:  # type: ignore[override]  # follows from the spread
        """The corrected standard error of the mean difference."""
        return self.spread * sqrt(1 / self.splits + self.test_share)

    def least(self, goal: Goal, count: float) -> float:
        """With so many repeats, which may be infinite."""
        splits = count * self.folds
        error = self.spread * sqrt(1 / splits + self.test_share)
        return goal.reach(split_freedom(splits, self.folds)) * error

    def limit(self, goal: Goal) -> float:
        """With any number of repeats on the same rows."""
        return self.least(goal, inf)

    def needed(self, wanted: float, goal: Goal) -> int | None:
        """Repeats; None where no number shows the difference."""
        if self.limit(goal) > wanted:
            return None
        return least_count(
            lambda repeats: self.shows(wanted, goal, repeats), start=1 if self.folds > 1 else 2
        )

    def note(self, goal: Goal, wanted: float | None) -> str:
        """Why no number of repeats is enough."""
        limit = self.limit(goal)
        if wanted is None or limit <= wanted:
            return ""
        shows = "shows a margin of" if goal.has_margin else "finds"
        return f"no number of repeats {shows} {wanted:g}: with these rows the limit is {limit:.3g}"


@dataclass(frozen=True, slots=True)
class AreaNoise(Noise):
    """That of DeLong's test of two areas under the ROC curve of the same rows, planned.

    The test divides by the errors as they are. These are guessed after Hanley and McNeil
    (1982), Radiology 143:29, who assume exponential scores.

    Examples
    --------
    >>> noise = AreaNoise(0.8, 0.3, count=782)
    >>> noise.detectable(Goal()), noise.needed(0.05, Goal())
    (0.05, 782)
    """

    #: that of the poorer model
    area: float
    #: share of positive rows
    prevalence: float
    #: of the two areas' errors; models that rank rows alike have more of it
    correlation: float = 0.5
    count: int | None = None

    def most(self, goal: Goal) -> float:
        """No area is above 1."""
        checked_count(self.count or 0, "a number of rows", least=1)
        return 1.0 if goal.has_margin else 1 - self.area

    def shows(self, difference: float, goal: Goal, count: float) -> bool:
        """By the errors that so many rows would give the two areas."""
        checked_number(self.area, "an area", most=1)
        checked_number(self.prevalence, "the prevalence", most=1)
        checked_number(self.correlation, "a correlation", least=-1, most=1)
        ones, zeros = count * self.prevalence, count * (1 - self.prevalence)
        gap = 0.0 if goal.has_margin else difference
        areas = self.area, min(self.area + gap, 1)
        worse, better = (sqrt(_hanley(area, ones, zeros)) for area in areas)
        variance = worse * worse + better * better - 2 * self.correlation * worse * better
        return goal.reach() * sqrt(max(variance, 0.0)) <= difference

    def needed(self, wanted: float, goal: Goal) -> int | None:
        """Rows."""
        if not goal.has_margin and self.area + wanted > 1:
            raise InputError(
                f"an area of {self.area:g} cannot be better by {wanted:g}: 1 is the most"
            )
        return Noise.needed(self, wanted, goal)

    def note(self, goal: Goal, wanted: float | None) -> str:
        """Why nothing is shown."""
        if isfinite(self.detectable(goal)):
            return ""
        return (
            "no difference can be shown: with so few rows, even an area of "
            "1 would not differ significantly with this power"
        )


def mean_noise(count: int, error: float, freedom: float = inf) -> MeanNoise | None:
    """The noise of an error; None where there is no error to speak of, or nothing to know it by.

    Examples
    --------
    >>> mean_noise(100, 0.0) is None, mean_noise(2, 0.3, 0.0) is None
    (True, True)
    """
    is_known = isfinite(error) and error > 0 and freedom > 0
    return MeanNoise(count, error, freedom) if is_known else None


def _hanley(area: float, ones: float, zeros: float) -> float:
    """The variance of an area."""
    first, second = area / (2 - area), 2 * area * area / (1 + area)
    spread = area * (1 - area) + (ones - 1) * (first - area * area)
    spread += (zeros - 1) * (second - area * area)
    return max(spread, 0.0) / (ones * zeros)
